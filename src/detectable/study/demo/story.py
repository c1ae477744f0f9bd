"""The demo as a result: chapters with what was planted and what was found."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import Progress, silent
from detectable.core.verdict import Verdict
from detectable.core.wording import count, interval, number, p_statement
from detectable.data.example.bundled import ExampleCampaign, PlantedTruth, example_campaign
from detectable.data.files.place import FilePath
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, PairComparison
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.look import Look, look
from detectable.study.monitoring.plan import Plan, plan
from detectable.study.monitoring.plan_history import PlanHistory, plan_history
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import RankedPair, Ranking
from detectable.study.raters.quality_control import QualityControl, quality_control
from detectable.study.reliability.reliability import reliability
from detectable.study.reliability.result import Reliability
from detectable.study.translationese.result import Translationese
from detectable.study.translationese.translationese import translationese


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One step of an evaluation.

    Attributes
    ----------
    commands : tuple of str
        What to type for it in the folder that ``detectable demo --keep FOLDER`` writes.
    planted, found : str
        What is true, and what the step says about it.
    agrees : bool
        Whether it says what is true, or that these data cannot show it.
    """

    title: str
    commands: tuple[str, ...]
    planted: str
    found: str
    agrees: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedDifference:
    """A system against the baseline, in points: what is true and what the ranking finds.

    Attributes
    ----------
    interval : Interval
        At the level of the verdict, over all pairs.
    interval_alone : Interval
        Of this pair by itself.
    mde : float
        Smallest difference that could have been detected.
    """

    system: str
    baseline: str
    planted: float
    found: float
    interval: Interval
    interval_alone: Interval
    mde: float
    verdict: Verdict

    @property
    def holds(self) -> bool:
        """Whether the interval holds what is true."""
        return self.interval.low <= self.planted <= self.interval.high


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStory(Result):
    """A campaign with a known truth, from plan to conclusion.

    Attributes
    ----------
    chapters : tuple of Chapter
        In the order of an evaluation's life.
    differences : tuple of PlantedDifference
        Every system against the baseline, the best first.
    campaign : str
        What the campaign consists of, in one sentence.
    n_documents : int
        What there was to judge.
    results : tuple of Result
        What the chapters are about, in the same order; neither in `to_dict` nor in a file.
    """

    chapters: tuple[Chapter, ...]
    differences: tuple[PlantedDifference, ...]
    campaign: str
    n_documents: int
    results: tuple[Result, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )

    @property
    def n_agreeing(self) -> int:
        """Chapters that say what is true, or that it cannot be shown."""
        return sum(chapter.agrees for chapter in self.chapters)

    def commands(self) -> str:
        """Return all that is typed, line by line, for a shell."""
        steps = [f"# {one.title}\n" + "\n".join(one.commands) for one in self.chapters]
        return "\n\n".join(steps) + "\n"


# --- Every system against the baseline of the campaign: what was planted, and what a ranking finds ---

_OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


def planted_differences(ranking: Ranking, truth: PlantedTruth) -> tuple[PlantedDifference, ...]:
    """Return the pairs with the baseline, system − baseline, in the order of the ranking."""
    return tuple(
        _difference(row.system, ranking, truth)
        for row in ranking.systems
        if row.system != truth.baseline
    )


def _difference(system: str, ranking: Ranking, truth: PlantedTruth) -> PlantedDifference:
    pair = ranking.pair(system, truth.baseline)
    first = pair.better == system
    return PlantedDifference(
        system=system,
        baseline=truth.baseline,
        planted=truth.difference(system),
        found=pair.difference if first else -pair.difference,
        interval=pair.interval if first else _turned(pair.interval),
        interval_alone=pair.interval_alone if first else _turned(pair.interval_alone),
        mde=pair.mde,
        verdict=pair.verdict if first else _OPPOSITE.get(pair.verdict, pair.verdict),
    )


def _turned(interval: Interval) -> Interval:
    return Interval(-interval.high, -interval.low, interval.level)


# --- Go through the bundled campaign as its owner would: plan, looks, checks, verdicts ---

_SEED = 1  # any number does; fixed, so that everyone sees the same story
_PLAN = "plan.json"
_METRICS = ("bleu", "chrf")

# What is done below, as it is typed in the folder of ``detectable demo --keep FOLDER``.
_SEEDED = f"--seed {_SEED}"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "plan": (
        "detectable plan new plan.json --systems aspen,birch,cedar,dogwood,elm "
        "--baseline birch --n-max 240 --looks 5 --admission degraded-paired-t",
    ),
    "look": tuple(f"detectable look plan.json so-far-{n}.tsv" for n in range(1, 6)),
    "quality": ("detectable quality judgments.tsv --keep good.tsv",),
    "rank": (f"detectable rank good.tsv {_SEEDED}",),
    "compare": (
        "detectable compare --corpus corpus.tsv --metric bleu --metric chrf "
        f"--scores gauge=scores.tsv --baseline birch {_SEEDED}",
    ),
    "reliability": (f"detectable reliability --judgments good.tsv --effect 1 {_SEEDED}",),
    "translationese": (
        f"detectable translationese --judgments good.tsv --language qaa-eng {_SEEDED}",
    ),
    "conclude": ("detectable conclude plan.json",),
}


def tell_story(folder: FilePath | None = None, *, progress: Progress = silent) -> DemoStory:
    """Evaluate the bundled campaign from plan to conclusion, and compare with what was planted.

    Parameters
    ----------
    folder : path, optional
        Where the plan and its ledger are written; by default a temporary folder, which is gone
        afterwards.
    progress : callable
        Is told how far the longer steps are.
    """
    campaign = example_campaign()
    if folder is not None:
        return _tell(campaign, Path(folder), progress)
    with TemporaryDirectory(prefix="detectable-demo-") as temporary:
        return _tell(campaign, Path(temporary), progress)


def _tell(campaign: ExampleCampaign, folder: Path, progress: Progress) -> DemoStory:
    truth, judgments = campaign.truth, campaign.judgments
    planned, looks, history, concluded = _monitor(campaign, folder)
    checked = quality_control(judgments)
    good = checked.apply(judgments)
    with_all = rank_systems(judgments, rng=_SEED, progress=progress)
    ranking = rank_systems(good, rng=_SEED, progress=progress)
    compared = compare(
        campaign.corpus,
        (*_METRICS, campaign.scores),
        baseline=truth.baseline,
        rng=_SEED,
        progress=progress,
    )
    reliable = reliability(
        None, judgments=good, effect=truth.finest, rng=_SEED, progress=progress
    )
    halves = translationese(
        good, language_pair=truth.language_pair, rng=_SEED, progress=progress
    )
    told = (
        plan_chapter(planned, truth, COMMANDS["plan"]),
        look_chapter(looks, truth, COMMANDS["look"]),
        quality_chapter(
            checked, truth, COMMANDS["quality"], with_all=with_all, ranking=ranking
        ),
        rank_chapter(ranking, truth, COMMANDS["rank"]),
        compare_chapter(compared, truth, COMMANDS["compare"]),
        reliability_chapter(reliable, truth, COMMANDS["reliability"]),
        translationese_chapter(halves, truth, COMMANDS["translationese"]),
        conclusion_chapter(concluded, truth, COMMANDS["conclude"]),
    )
    results: tuple[Result, ...] = (
        *(planned, history, checked, ranking, compared, reliable, halves, concluded),
    )
    n_documents = judgments.column("document").n_levels
    return DemoStory(
        chapters=told,
        differences=planted_differences(ranking, truth),
        campaign=_about(campaign, n_documents),
        n_documents=n_documents,
        results=results,
        signature=Signature("demo", {"chapters": len(told)}, str(_SEED)),
    )


def _monitor(
    campaign: ExampleCampaign, folder: Path
) -> tuple[Plan, tuple[Look, ...], PlanHistory, Conclusion]:
    """Plan, look as the documents arrive, and conclude."""
    made = plan(
        folder / _PLAN,
        systems=tuple(campaign.corpus.systems),
        baseline=campaign.truth.baseline,
        n_max=campaign.corpus.n_segments,
        looks=campaign.n_looks,
        admission="degraded-paired-t",
    )
    looks: list[Look] = []
    for n in range(1, campaign.n_looks + 1):
        looks.append(look(made, campaign.arrived(n)))
        if looks[-1].decision != "continue":
            break
    history, concluded = plan_history(made), conclude(made)
    # The commands call it so; the folder here may be gone when somebody reads its name.
    named = replace(made, path=_PLAN)
    return named, tuple(looks), replace(history, plan=named), concluded


def _about(campaign: ExampleCampaign, n_documents: int) -> str:
    corpus, judgments = campaign.corpus, campaign.judgments
    runs = max(corpus.n_runs(name) for name in corpus.systems)
    return (
        f"A made-up campaign whose truth is known: {count(len(corpus.systems), 'system')} with "
        f"{count(runs, 'run')} each, {count(n_documents, 'document')}, "
        f"{count(judgments.column('rater').n_levels, 'rater')}, "
        f"{count(judgments.n_judgments, 'judgment')}. {campaign.truth.baseline} is in use: is "
        "another one better?"
    )


# --- What each step of the demo says, next to what was planted; all numbers are those of the results ---

_ENDED = {"stop: futile": "given up"}
HUMAN, RAW = "human", "raw"  # what judgments are called beside metrics, and their plain scores


def agrees(planted: float, verdict: Verdict, finest: float) -> bool:
    """Say whether a verdict is right: it has the true direction, or the truth was too fine to see.

    Examples
    --------
    >>> agrees(6.0, "better", 1.0), agrees(6.0, "undecided", 1.0), agrees(1.0, "undecided", 1.0)
    (True, False, True)
    >>> agrees(0.0, "better", 1.0), agrees(-8.0, "better", 1.0)
    (False, False)
    """
    if verdict == "undecided":
        return abs(planted) <= finest
    return planted != 0.0 and (planted > 0.0) == (verdict == "better")


def _and(names: Sequence[str]) -> str:
    """Join names as a person would."""
    *first, last = names or ("nobody",)
    return f"{', '.join(first)} and {last}" if first else last


def _points(value: float, *, digits: int = 1) -> str:
    return number(value, digits=digits, sign=bool(value))


def _against(truth: PlantedTruth) -> str:
    """Say how every system truly differs from the baseline, the best first."""
    others = sorted((s for s in truth.quality if s != truth.baseline), key=truth.difference)
    said = [f"{name} {_points(truth.difference(name), digits=0)}" for name in reversed(others)]
    return f"against {truth.baseline}, {_and(said)} points."


def plan_chapter(plan: Plan, truth: PlantedTruth, commands: Sequence[str]) -> Chapter:
    """Say what the plan expects to be able to decide."""
    outlook = plan.outlook()
    mde = outlook.mde or math.nan
    others = [name for name in plan.systems if name != truth.baseline]
    small = [name for name in others if abs(truth.difference(name)) < mde]
    large = [name for name in others if name not in small]
    return Chapter(
        title="Plan",
        commands=tuple(commands),
        planted=_against(truth),
        found=(
            f"{plan.n_max} items in {count(len(plan.planned_shares()), 'look')} show {number(mde, digits=1)} points "
            f"with {outlook.target_power:.0%} power: enough for {_and(large)}, not for "
            f"{_and(small)}."
        ),
        agrees=bool(large and small),
    )


def look_chapter(
    looks: Sequence[Look], truth: PlantedTruth, commands: Sequence[str]
) -> Chapter:
    """Say who was decided or given up at which look."""
    said: list[str] = []
    verdicts: dict[str, Verdict] = {}
    for one in looks:
        verdicts |= {pair.system: pair.verdict for pair in one.pairs}
        ended = [pair for pair in one.pairs if pair.decision != "continue"]
        words = [f"{p.system} {_ENDED.get(p.decision, p.verdict)}" for p in ended]
        if ended:
            unit = "" if said else " documents"
            said.append(f"{_and(words)} at look {one.look} ({ended[0].n_clusters}{unit})")
    far = [name for name in truth.quality if abs(truth.difference(name)) > truth.finest]
    saved = looks[-1].saved or 0
    return Chapter(
        title="Look",
        commands=tuple(commands),
        planted=f"{_and(far)} are far from {truth.baseline}, the others within {truth.finest:g} point.",
        found=f"{'; '.join(said)}. {count(saved, 'judgment')} saved.",
        agrees=all(
            agrees(truth.difference(name), verdict, truth.finest)
            for name, verdict in verdicts.items()
        ),
    )


def quality_chapter(
    checked: QualityControl,
    truth: PlantedTruth,
    commands: Sequence[str],
    *,
    with_all: Ranking,
    ranking: Ranking,
) -> Chapter:
    """Say who was found careless, and what their work does to a difference."""
    best = max(truth.quality, key=truth.quality.__getitem__)
    diluted, clean = (
        _points(one.pair(best, truth.baseline).difference) for one in (with_all, ranking)
    )
    n = len(checked.raters)
    return Chapter(
        title="Check the raters",
        commands=tuple(commands),
        planted=f"{_and(truth.careless_raters)} of {n} raters click without reading.",
        found=(
            f"{_and(sorted(checked.bad))} fail. With their work {best} would be {diluted} points "
            f"from {truth.baseline}, without it {clean} (planted {_points(truth.difference(best))})."
        ),
        agrees=sorted(checked.bad) == sorted(truth.careless_raters),
    )


def rank_chapter(ranking: Ranking, truth: PlantedTruth, commands: Sequence[str]) -> Chapter:
    """Say the clusters, and of the finest difference what could have been seen."""
    clusters = " | ".join(", ".join(group) for group in ranking.clusters)
    said = [f"{clusters} (best first)."]
    said += [
        _fine(pair, truth)
        for pair in ranking.pairs
        if truth.baseline in (pair.better, pair.worse)
        and abs(_planted(pair, truth)) == truth.finest
    ]
    return Chapter(
        title="Rank the systems",
        commands=tuple(commands),
        planted=f"{_qualities(truth)} points.",
        found=" ".join(said),
        agrees=all(agrees(_planted(p, truth), p.verdict, truth.finest) for p in ranking.pairs),
    )


def _planted(pair: RankedPair, truth: PlantedTruth) -> float:
    return truth.difference(pair.better, pair.worse)


def _fine(pair: RankedPair, truth: PlantedTruth) -> str:
    planted = f"The {_points(_planted(pair, truth))} of {pair.better} − {pair.worse} is"
    if pair.verdict != "undecided":
        return f"{planted} found ({pair.verdict})."
    least = number(pair.mde, digits=1)
    return f"{planted} undecided, as it should be: only {least} or more can be detected."


def _qualities(truth: PlantedTruth) -> str:
    ordered = sorted(truth.quality.items(), key=lambda entry: -entry[1])
    return _and([f"{name} {points:g}" for name, points in ordered])


def compare_chapter(
    comparison: Comparison, truth: PlantedTruth, commands: Sequence[str]
) -> Chapter:
    """Say what the metrics find, for new runs as for these."""
    first = comparison.pairs[0].metric
    pairs = [pair for pair in comparison.pairs if pair.metric == first]
    decided = [_metric_pair(p, comparison) for p in pairs if p.verdict != "undecided"]
    left = [pair for pair in pairs if pair.verdict == "undecided"]
    said = f"in {comparison.label(first)}, for new runs too, {_and(decided)}"
    if left:
        least = number(max(pair.mde for pair in left), digits=1)
        names = _and([pair.system for pair in left])
        said += f"; {names} undecided, as only {least} or more can be detected"
    words = {pair.system: pair.verdict for pair in pairs}
    same = all(words[pair.system] == pair.verdict for pair in comparison.pairs)
    others = [comparison.label(str(m["metric"])) for m in comparison.metrics[1:]]
    said += f". {_and(others)} {'agree' if same else 'do not agree'}."
    runs = max(comparison.n_runs.values())
    return Chapter(
        title="Compare the texts",
        commands=tuple(commands),
        planted=f"the same order in the texts; {runs} runs of each differ by chance.",
        found=said,
        agrees=same
        and all(
            agrees(truth.difference(pair.system), pair.verdict, truth.finest) for pair in pairs
        ),
    )


def _metric_pair(pair: PairComparison, comparison: Comparison) -> str:
    digits = comparison.digits(pair.metric)
    shown = interval(pair.interval, digits=digits, sign=True)
    return f"{pair.system} is {pair.verdict} ({number(pair.difference, digits=digits, sign=True)} {shown})"


def reliability_chapter(
    found: Reliability, truth: PlantedTruth, commands: Sequence[str]
) -> Chapter:
    """Say what segments of one document are worth, and what the smallest difference takes."""
    row = next(one for one in found.clustering if one.metric == HUMAN)
    needed = found.needed(HUMAN, "effect")
    documents = 0 if needed is None or needed.documents is None else needed.documents
    return Chapter(
        title="Documents",
        commands=tuple(commands),
        planted="segments of a document are hard or easy together.",
        found=(
            f"{row.n_segments} segments are worth {row.n_effective:.0f} independent ones, so a "
            f"bootstrap of segments covers {row.coverage:.0%} instead of {1.0 - found.alpha:.0%}. "
            f"The planted {_points(truth.finest)} needs {documents} documents, not {row.n_documents}."
        ),
        agrees=row.design_effect > 1.0 and documents > row.n_documents,
    )


def translationese_chapter(
    found: Translationese, truth: PlantedTruth, commands: Sequence[str]
) -> Chapter:
    """Say by how much reverse documents flatter the systems."""
    rows = [row for row in found.effects if row.measure == RAW]
    low, high = (pick(row.difference for row in rows) for pick in (min, max))
    sure = sum(row.p_adjusted <= found.alpha for row in rows)
    kept, left = (found.part("judgments", half).n_segments for half in ("forward", "reverse"))
    return Chapter(
        title="Find translated sources",
        commands=tuple(commands),
        planted=f"half of the documents are translated back, which adds {truth.reverse:g} points.",
        found=(
            f"{_points(low)} to {_points(high)} points, significant for {sure} of "
            f"{count(len(rows), 'system')}. Leave them out: {kept} of {kept + left} segments "
            "remain."
        ),
        agrees=sure == len(rows)
        and all(row.interval.low <= truth.reverse <= row.interval.high for row in rows),
    )


def conclusion_chapter(
    conclusion: Conclusion, truth: PlantedTruth, commands: Sequence[str]
) -> Chapter:
    """Say every verdict of the plan, and whether the intervals hold what is true."""
    said = []
    for pair in conclusion.pairs:
        numbers = f"{_points(pair.estimate)} {interval(pair.interval, digits=1, sign=True)}"
        p = "" if pair.verdict == "undecided" else f", {p_statement(pair.p_adjusted)}"
        said.append(f"{pair.system} {pair.verdict} ({numbers}{p})")
    covered = [
        pair.interval is not None
        and pair.interval.low <= truth.difference(pair.system) <= pair.interval.high
        for pair in conclusion.pairs
    ]
    all_of = "Every interval holds" if all(covered) else f"{sum(covered)} intervals hold"
    right = [
        agrees(truth.difference(pair.system), pair.verdict, truth.finest)
        for pair in conclusion.pairs
    ]
    return Chapter(
        title="Conclude",
        commands=tuple(commands),
        planted=_against(truth),
        found=f"{_and(said)}. {all_of} what was planted.",
        agrees=all(covered) and all(right),
    )
