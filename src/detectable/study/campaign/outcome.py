"""How a campaign ended: one object behind monitor, report, chart and methods.

What is counted is counted here and nowhere else: every judgment that raters gave is in exactly one
part of `JudgmentCounts`, so that no two pages can mean different things by “judgments”.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from detectable.core.choices import Claim
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.verdict import Verdict
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.human.cells import ORDINARY
from detectable.data.store.records import JudgmentRow, Segment
from detectable.data.store.store import Store
from detectable.inference.standard_errors import cluster_mean
from detectable.study.campaign.answers import CHANGED, KEPT, OWN, SUGGESTED
from detectable.study.campaign.campaigns import RaterLine, campaigns, erased_judgments
from detectable.study.campaign.close import conclude_campaign, counted_units
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import CampaignWork, Unit, campaign_ledger
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.plan import Plan

LEVEL = 0.95  # of the intervals of single systems
N_EXAMPLES = 3  # of every claim
_APART = 0.1  # of the scale: an example differs by so much, where there are such
_MISSING = "missing"
_ORDER = ("critical", "major", "minor", "neutral", _MISSING)  # kinds of errors, the worst first


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentCounts:
    """Where every judgment of a campaign went; a choice between two texts is one.

    Attributes
    ----------
    decided : int
        Of systems, in the decision; with what a rater said of a text that came again, which is
        averaged.
    beside : int
        Of systems, admitted, and not in the decision: another system of the line was not judged, or
        the plan had ended.
    repeats : int
        Admitted, by a second rater.
    controls : int
        Admitted with their work, but for repeats that are in the decision.
    refused : int
        Of work that does not count: its rater failed the controls, or it was voided.
    waiting : int
        Of finished work that nobody has decided.
    unfinished : int
        Of work that was not finished.
    late : int
        Of work that had gone to somebody else.
    skipped : int
        Texts that a rater could not judge, wherever they stood.
    erased : int
        That were deleted on a rater's request. They are paid like all others.
    """

    decided: int = 0
    beside: int = 0
    repeats: int = 0
    controls: int = 0
    refused: int = 0
    waiting: int = 0
    unfinished: int = 0
    late: int = 0
    skipped: int = 0
    erased: int = 0

    @property
    def given(self) -> int:
        """All that raters gave: what is paid."""
        return sum(getattr(self, one.name) for one in fields(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcludedPair:
    """What the conclusion says about one pair of systems."""

    system: str
    baseline: str
    verdict: Verdict
    estimate: float
    interval: Interval | None
    scale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a concluded plan, in numbers."""

    question: str
    pairs: tuple[ConcludedPair, ...]
    claim: Claim
    margin: float | None
    sided: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean score of a system over the lines of the decision."""

    system: str
    n_lines: int
    mean: float
    interval: Interval | None  # None for one line, or one document


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How many errors of one kind raters marked in 100 lines of a system."""

    system: str
    severity: str
    category: str  # nothing where raters choose none
    n: int
    per_100: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """What became of the errors that were marked before raters came, in the decision's lines."""

    shown: int
    kept: int
    changed: int
    added: int  # by raters

    @property
    def removed(self) -> int:
        """Suggested errors that raters took away."""
        return self.shown - self.kept - self.changed


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """How often a system was chosen over another."""

    system: str
    baseline: str
    wins: int
    ties: int
    losses: int
    identical: int = 0  # of the ties: both texts were the same, and nobody was asked


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedError:
    """A marked error: places in code points, or None for what is missing."""

    start: int | None
    end: int | None
    severity: str
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """A text that was judged."""

    system: str
    text: str
    score: float
    errors: tuple[MarkedError, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleLine:
    """A line with the outputs of two systems."""

    item: str
    source: str | None
    reference: str | None
    texts: tuple[ShownText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimExamples:
    """Lines to read for one pair, drawn at random from those that show its direction.

    Attributes
    ----------
    least : float
        By how much the scores of each line differ at least, in the direction of the estimate.
    n_such : int
        How many such lines there are.
    """

    system: str
    baseline: str
    least: float
    n_such: int
    lines: tuple[ExampleLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOutcome(Result):
    """How a campaign ended.

    Attributes
    ----------
    answer : Answer
        What the conclusion says; `conclusion` has the statistics behind it.
    began, ended : float or None
        When it opened and was concluded, in unix seconds.
    n_lines : int
        In the decision.
    price : float or None
        Of one judgment, in any currency.
    seconds : float
        That raters took, all together.
    """

    name: str
    protocol: str
    source_language: str
    target_language: str
    began: float | None
    ended: float | None
    systems: tuple[str, ...]
    answer: Answer
    conclusion: Conclusion
    n_lines: int
    judgments: JudgmentCounts
    price: float | None
    budget: int | None
    seconds: float
    raters: tuple[RaterLine, ...]
    scores: tuple[SystemMean, ...] = ()
    errors: tuple[ErrorRate, ...] = ()
    wins: tuple[WinRate, ...] = ()
    examples: tuple[ClaimExamples, ...] = ()
    seed: int = 0  # of the examples
    suggestions: Suggestions | None = None

    @property
    def cost(self) -> float | None:
        """What the judgments cost, whether they count or not."""
        return None if self.price is None else self.price * self.judgments.given


def campaign_outcome(
    store: Store,
    name: str,
    *,
    plan: FilePath | None = None,
    conclusion: Conclusion | None = None,
    rng: int = 0,
) -> CampaignOutcome:
    """Return how a concluded campaign ended.

    Parameters
    ----------
    conclusion : Conclusion, optional
        If it is at hand; otherwise it is computed again from the same judgments.
    rng : int
        Which lines are shown as examples.
    """
    row = store.campaign(name)
    if row.state != "concluded":
        raise DataError(
            f"{name} is {row.state}: there is no report before its conclusion. Conclude it first "
            f"(detectable campaign conclude {name})."
        )
    state = campaign_ledger(store, name, plan)
    if not state.entries:
        raise DataError(
            f"{name} was closed before any look, so there is no conclusion to report. Export its "
            "judgments instead."
        )
    made = conclude_campaign(store, name, plan=plan) if conclusion is None else conclusion
    settings = CampaignSettings.from_json(row.settings)
    work = CampaignWork.read(store, name, state.plan.scale)
    units = counted_units(state, work)
    counts = count_judgments(work, units, erased=erased_judgments(store, name))
    if settings.asks.together:  # a choice is one judgment here, and a row of each text in looks
        saved = None if made.saved is None else made.saved // 2
        made = replace(made, judgments=counts.decided, saved=saved)
    lines = _Lines(store, name, work, units)
    times = {event: at for at, event, _ in reversed(store.events(name))}
    raters = campaigns(store, name, plan=plan).raters
    return CampaignOutcome(
        name=name,
        protocol=settings.protocol,
        source_language=settings.source_language,
        target_language=settings.target_language,
        began=times.get("open"),
        ended=times.get("concluded"),
        systems=row.systems,
        answer=answer_of(made),
        conclusion=made,
        n_lines=len(
            {row.line or item for item, line in lines.rows.items() for row in line.values()}
        ),
        judgments=counts,
        price=state.plan.cost_per_judgment,
        budget=settings.budget,
        seconds=sum(60.0 * one.minutes for one in raters),
        raters=raters,
        scores=() if settings.asks.together else tuple(lines.means(row.systems)),
        errors=tuple(lines.errors(row.systems)) if settings.asks.spans else (),
        wins=tuple(lines.wins(made)) if settings.asks.together else (),
        examples=tuple(lines.examples(made, settings.scale, rng)),
        seed=rng,
        suggestions=lines.suggestions(row.systems) if settings.suggested else None,
        signature=Signature(
            "campaign-outcome", {"plan": state.plan.fingerprint[:12]}, str(rng)
        ),
    )


def answer_of(made: Conclusion) -> Answer:
    """Return the numbers of the answer."""
    pairs = tuple(
        ConcludedPair(
            system=one.system,
            baseline=one.baseline,
            verdict=one.verdict,
            estimate=one.estimate,
            interval=one.interval,
            scale=one.scale,
        )
        for one in made.pairs
    )
    return Answer(
        question=made.question,
        pairs=pairs,
        claim=made.claim,
        margin=made.margin,
        sided=made.sided,
    )


def read_answer(plan: Plan) -> Answer | None:
    """Return the answer as the conclusion beside a plan has it; None before there is one."""
    try:
        kept = read_json(plan.conclusion_path)
    except DataError:
        return None
    pairs = tuple(
        ConcludedPair(
            system=one["system"],
            baseline=one["baseline"],
            verdict=one["verdict"],
            estimate=_number(one["estimate"]),
            interval=_interval(one["interval"], one["interval_level"]),
            scale=one["scale"],
        )
        for one in kept["pairs"]
    )
    return Answer(
        question=kept["question"],
        pairs=pairs,
        claim=kept["claim"],
        margin=kept["margin"],
        sided=kept["sided"],
    )


def _number(kept: float | None) -> float:
    return math.nan if kept is None else kept


def _interval(kept: Sequence[float | None] | None, level: float | None) -> Interval | None:
    """Return an interval; an end that JSON could not hold is open."""
    if kept is None:
        return None
    low, high = kept
    return Interval(
        -math.inf if low is None else low, math.inf if high is None else high, level or math.nan
    )


def count_judgments(
    work: CampaignWork, units: Sequence[Unit], *, erased: int = 0
) -> JudgmentCounts:
    """Say of every judgment where it went; `units` are those of the decision."""
    chosen = {(unit.rater, unit.item) for unit in units}
    found = Counter(_part_of(row, work, chosen) for row in _each_once(work.rows))
    return JudgmentCounts(**found, erased=erased)


def _each_once(rows: Iterable[JudgmentRow]) -> Iterator[JudgmentRow]:
    """Give every answer once: a choice is stored as a judgment of each of its two texts."""
    last: tuple[str, str] | None = None
    for row in rows:
        if (row.page, row.item) != last:
            yield row
        last = row.page, row.item


def _part_of(row: JudgmentRow, work: CampaignWork, chosen: set[tuple[str, str]]) -> str:
    if row.score is None:
        return "skipped"
    if row.orphan:
        return "late"
    if row.admitted is None:
        return "unfinished" if row.done_at is None else "waiting"
    if not row.admitted or (row.work, row.epoch) in work.voided:
        return "refused"  # what a look had seen of voided work stays admitted
    if row.wave == 1 and row.kind in ORDINARY and (row.rater, row.item) in chosen:
        return "decided"
    if row.kind != "system":
        return "controls"
    return "repeats" if row.wave > 1 else "beside"


class _Lines:
    """The lines of the decision: scores, errors and texts by line and system."""

    def __init__(
        self, store: Store, name: str, work: CampaignWork, units: Sequence[Unit]
    ) -> None:
        chosen = {(unit.rater, unit.item): unit.systems for unit in units}
        self._store, self._name, self._weights = store, name, work.weights
        self.rows: dict[str, dict[str, JudgmentRow]] = {}
        self._scores: dict[tuple[str, str], list[float]] = {}
        for row in work.rows:
            systems = chosen.get((row.rater, row.item), frozenset())
            counts = row.wave == 1 and bool(row.admitted) and row.score is not None
            if not counts or row.kind not in ORDINARY or row.system not in systems:
                continue
            if row.kind == "system":
                self.rows.setdefault(row.item, {})[row.system] = row
            self._scores.setdefault((row.item, row.system), []).append(_score(row))

    def _of(self, system: str) -> list[JudgmentRow]:
        return [line[system] for line in self.rows.values() if system in line]

    def means(self, systems: Sequence[str]) -> Iterator[SystemMean]:
        """Give the mean of every system; lines of a document are not independent."""
        for system in systems:
            rows = self._of(system)
            numbers: dict[str, int] = {}
            documents = [
                numbers.setdefault(row.document or f"\0{row.item}", len(numbers))
                for row in rows
            ]
            # As in the analysis of pairs: what was judged twice by its rater is averaged.
            scores = np.array([np.mean(self._scores[row.item, system]) for row in rows])
            weights = None
            if self._weights:
                weights = np.array([self._weights[row.item] for row in rows])
            found = cluster_mean(scores, np.array(documents, dtype=np.int64), weights)
            known = math.isfinite(found.standard_error)
            yield SystemMean(
                system=system,
                n_lines=len(rows),
                mean=found.value,
                interval=found.interval(LEVEL) if known else None,
            )

    def errors(self, systems: Sequence[str]) -> Iterator[ErrorRate]:
        """Give the errors of every system: the worst first, the most frequent categories first."""
        for system in systems:
            rows = self._of(system)
            found: Counter[tuple[str, str]] = Counter(
                (one.severity if one.start is not None else _MISSING, one.category)
                for row in rows
                for one in _errors(row)
            )
            order = sorted(found, key=lambda one: (_place(one[0]), -found[one], one[1]))
            for severity, category in order:
                n = found[severity, category]
                yield ErrorRate(
                    system=system,
                    severity=severity,
                    category=category,
                    n=n,
                    per_100=100.0 * n / len(rows),
                )

    def suggestions(self, systems: Sequence[str]) -> Suggestions:
        """Count what raters kept, changed and added."""
        found: Counter[str] = Counter()
        for row in (row for system in systems for row in self._of(system)):
            told = (row.extra or {}).get(SUGGESTED, {})
            found["shown"] += told.get("shown", 0)
            found.update(told.get("origins", ()))
        return Suggestions(
            shown=found["shown"], kept=found[KEPT], changed=found[CHANGED], added=found[OWN]
        )

    def wins(self, made: Conclusion) -> Iterator[WinRate]:
        """Give how often each system of a pair was chosen."""
        for pair in made.pairs:
            scores = [
                line[pair.system].score for line in self._both(pair.system, pair.baseline)
            ]
            yield WinRate(
                system=pair.system,
                baseline=pair.baseline,
                wins=sum(score == 1.0 for score in scores),
                ties=sum(score == 0.5 for score in scores),
                losses=sum(score == 0.0 for score in scores),
            )

    def _both(self, system: str, baseline: str) -> list[Mapping[str, JudgmentRow]]:
        return [line for line in self.rows.values() if system in line and baseline in line]

    def examples(
        self, made: Conclusion, scale: tuple[float, float], seed: int
    ) -> Iterator[ClaimExamples]:
        """Give lines to read for every pair, in the direction of its mean difference."""
        low, high = scale
        least = _APART * (high - low) if math.isfinite(high - low) else 1.0
        for pair in made.pairs:
            generator, _ = resolve(seed)
            both = self._both(pair.system, pair.baseline)
            ahead = [_score(line[pair.system]) - _score(line[pair.baseline]) for line in both]
            sign = -1.0 if sum(ahead) < 0.0 else 1.0
            apart = [(sign * by, line) for by, line in zip(ahead, both, strict=True)]
            if sum(by >= least for by, _ in apart) < N_EXAMPLES:
                bound = min((by for by, _ in apart if by > 0.0), default=math.inf)
            else:
                bound = least
            such = [line for by, line in apart if by >= bound]
            if not such:
                continue
            picked = generator.choice(len(such), min(N_EXAMPLES, len(such)), replace=False)
            yield ClaimExamples(
                system=pair.system,
                baseline=pair.baseline,
                least=bound,
                n_such=len(such),
                lines=tuple(
                    self._example(such[i], (pair.system, pair.baseline)) for i in sorted(picked)
                ),
            )

    def _example(self, line: Mapping[str, JudgmentRow], pair: tuple[str, str]) -> ExampleLine:
        first = line[pair[0]]
        segment = self._segment(first)
        return ExampleLine(
            item=first.line or first.item,
            source=segment.source,
            reference=segment.reference,
            texts=tuple(
                ShownText(
                    system=system,
                    text=segment.outputs[system],
                    score=_score(line[system]),
                    errors=_errors(line[system]),
                )
                for system in pair
            ),
        )

    def _segment(self, row: JudgmentRow) -> Segment:
        (part,) = self._store.parts(self._name, [row.part])
        return next(one for one in part.segments if one.item == (row.line or row.item))


def _score(row: JudgmentRow) -> float:
    return math.nan if row.score is None else row.score


def _errors(row: JudgmentRow) -> tuple[MarkedError, ...]:
    spans: Sequence[Mapping[str, Any]] = (row.extra or {}).get("spans", ())
    return tuple(
        MarkedError(
            start=one.get("start"),
            end=one.get("end"),
            severity=str(one["severity"]),
            category=str(one.get("category") or ""),
        )
        for one in spans
    )


def _place(severity: str) -> int:
    return _ORDER.index(severity) if severity in _ORDER else len(_ORDER)
