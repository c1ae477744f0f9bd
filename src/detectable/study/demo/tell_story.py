"""Go through the bundled campaign as its owner would: plan, looks, checks, verdicts."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from detectable.core.progress import Progress, silent
from detectable.core.result import Result, Signature
from detectable.core.wording import count
from detectable.data.example.example_campaign import ExampleCampaign, example_campaign
from detectable.data.files.place import FilePath
from detectable.study.comparison.compare import compare
from detectable.study.demo import chapters
from detectable.study.demo.planted_differences import planted_differences
from detectable.study.demo.story import DemoStory
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_result import Look
from detectable.study.monitoring.plan import Plan, plan
from detectable.study.monitoring.plan_history import PlanHistory, plan_history
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.raters.quality_control import quality_control
from detectable.study.reliability.reliability import reliability
from detectable.study.translationese.translationese import translationese

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
        f"detectable translationese --judgments good.tsv --language-pair qaa-eng {_SEEDED}",
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
        chapters.plan_chapter(planned, truth, COMMANDS["plan"]),
        chapters.look_chapter(looks, truth, COMMANDS["look"]),
        chapters.quality_chapter(
            checked, truth, COMMANDS["quality"], with_all=with_all, ranking=ranking
        ),
        chapters.rank_chapter(ranking, truth, COMMANDS["rank"]),
        chapters.compare_chapter(compared, truth, COMMANDS["compare"]),
        chapters.reliability_chapter(reliable, truth, COMMANDS["reliability"]),
        chapters.translationese_chapter(halves, truth, COMMANDS["translationese"]),
        chapters.conclusion_chapter(concluded, truth, COMMANDS["conclude"]),
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
    for number in range(1, campaign.n_looks + 1):
        looks.append(look(made, campaign.arrived(number)))
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
