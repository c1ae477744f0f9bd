"""``detectable power ratings``, ``likert``, ``rank-sum``, ``pilot`` and their like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options as model_judgments
from detectable.cli import options
from detectable.cli.command import note
from detectable.cli.scenario import (
    DOCUMENT_OPTIONS,
    ScenarioCommand,
    plainly,
    with_documents,
)
from detectable.core.choices import PilotUnit, Plant, UnpairedTest
from detectable.planning.options import LikertOptions, RankSumOptions, RatingsOptions

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.planning.likert import Likert
    from detectable.planning.pilot import Pilot
    from detectable.planning.scenario import Scenario


def _build(
    *,
    mean: float | None,
    sd: float | None,
    test: str | None,
    correlation: float | None,
    margin: float | None,
    claim: str | None,
    **settings: Any,
) -> "Scenario":
    """Choose the test that fits what was given, and build the scenario."""
    for name, value in (("mean", mean), ("sd", sd)):
        if value is None:
            raise click.UsageError(f"--{name} is missing: how ratings lie and spread.")
    from detectable.planning.margins import RatingsMargin
    from detectable.planning.ratings import Ratings

    # The same kind of test with and without pairs, so that the two can be compared.
    test = test or ("two-means" if correlation is None else "paired-mean")
    ratings = Ratings(mean=mean, sd=sd, test=test, correlation=correlation, **settings)  # type: ignore[arg-type]
    if margin is None:
        if claim is not None:
            raise click.UsageError("--claim has no effect without --margin.")
        return ratings
    return RatingsMargin(ratings, margin, claim or "non-inferior")  # type: ignore[arg-type]


RATINGS = ScenarioCommand(
    name="ratings",
    help="Ratings from 0 to 100 of two systems, on the same items or on items of their own.",
    effect="True difference of the mean ratings, in points.",
    size="Judgments per system.",
    options=(
        options.of(RatingsOptions),
        click.option("--margin", type=float, help="Difference in points that does not matter."),
        options.margin_claim,
    ),
    build=_build,
    example="--n 600 --effect 2 --mean 80 --sd 20",
)


# --- ``detectable power likert`` and its like ---

# What pilot ratings say themselves.
_SPREAD = (
    *("preset", "rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd"),
    *("raters_per_item", "missing"),
)


def _build_likert(
    *,
    ratings: str | None,
    per_document: float | None,
    icc: float | None,
    unit: str,
    **settings: Any,
) -> "Scenario":
    """Build the scenario from a preset, from SDs, or from pilot ratings."""
    made = _likert(ratings, unit, **settings)
    return with_documents(
        made, per_document=per_document, icc=icc, unit=unit, pilot=ratings is not None
    )


def _likert(ratings: str | None, unit: str, *, test: str, **settings: Any) -> "Likert":
    from detectable.planning.likert import Likert

    if ratings is None:
        model_judgments.refuse_for_model(settings, "without --ratings no judgments are read")
        if settings["n_raters"] is None:
            raise click.UsageError("--raters is missing.")
        return Likert(test=test, **settings)  # type: ignore[arg-type]
    if any(settings[name] not in (None, 0.0) for name in _SPREAD):
        raise click.UsageError(
            "--ratings says how ratings spread; drop --preset, the SDs, --raters-per-item and "
            "--missing."
        )
    return Likert.from_ratings(
        model_judgments.load_ordinary(ratings, settings),
        n_raters=settings["n_raters"],
        test=test,  # type: ignore[arg-type]
        unit=unit,  # type: ignore[arg-type]
    )


LIKERT = ScenarioCommand(
    name="likert",
    help="All raters rate all items of two systems; mixed model with rater and item slopes.",
    effect="True difference of the mean ratings (twice the β of card2020).",
    size="Items.",
    options=(
        options.of(LikertOptions, "n_raters", "residual_sd"),
        click.option(
            "--ratings",
            metavar="FILE",
            help="Judgments of a pilot to take the SDs from (see docs/judgments.md).",
        ),
        model_judgments.model_judgment_options,
        options.of(LikertOptions, "test", "missing"),
        *DOCUMENT_OPTIONS,
    ),
    build=_build_likert,
    counts_documents=True,
    example="--raters 3 --items 100 --effect .4 \\\n        --preset card-high",
    size_names=("--items", "--n"),
    ranges=("preset", "n_raters", "test"),
)


# --- ``detectable power rank-sum`` and its like ---


RANK_SUM = ScenarioCommand(
    name="rank-sum",
    help="Human scores of two systems on different items; Wilcoxon–Mann–Whitney test.",
    effect="P(A < B): the chance that a score of B beats one of A; .5 is no difference.",
    size="Judgments per system.",
    options=(options.of(RankSumOptions),),
    build=plainly("rank_sum:RankSum"),
    example="--n 1500 --effect .47",
)


# --- ``detectable power pilot`` and its like ---


def _build_pilot(
    *,
    scores: str | None,
    ratings: str | None,
    n_raters: int | None,
    **settings: Any,
) -> "Scenario":
    """Read segment scores or judgments, and build the scenario."""
    from detectable.planning.pilot import Pilot

    example = settings.pop("example")
    if sum((scores is not None, ratings is not None, example)) != 1:
        raise click.UsageError("give --scores, --ratings or --example, one of the three.")
    if not example and (settings["system"] is None or settings["baseline"] is None):
        raise click.UsageError("give --system and --baseline.")
    if ratings is None:
        model_judgments.refuse_for_model(settings, "without --ratings no judgments are read")
        if n_raters is not None:
            raise click.UsageError("--raters has no effect without --ratings.")
        return _from_scores(scores, **settings)
    if any(settings[n] for n in ("unpaired", "test")) or settings["plant"] != "shift":
        raise click.UsageError("--unpaired, --test and --plant have no effect on --ratings.")
    return Pilot.judgments(
        model_judgments.load_ordinary(ratings, settings),
        settings["system"],
        settings["baseline"],
        n_raters=n_raters,
        unit=settings["unit"],
    )


def _example() -> "Scores":
    """Return chrF of every segment of the bundled systems."""
    from detectable.data.example.bundled import example_corpus
    from detectable.data.scores.scores import Scores
    from detectable.metrics.chrf import Chrf

    corpus, chrf = example_corpus(), Chrf()
    segments = chrf.score(chrf.statistics(corpus))
    rows: dict[str, list[Any]] = {}
    for (name, _), scores in zip(corpus.outputs, segments, strict=True):
        rows.setdefault(name, []).append(scores)
    return Scores.build(rows, documents=corpus.documents, metric="chrf")


def _from_scores(
    path: str | None,
    *,
    system: str | None,
    baseline: str | None,
    unpaired: bool,
    unit: str,
    test: str | None,
    plant: str,
) -> "Pilot":
    import numpy as np

    from detectable.data.scores.read_scores import read_scores
    from detectable.planning.pilot import Pilot

    if path is None:
        system, baseline = system or "contender", baseline or "baseline"
        table = _example()
    else:
        table = read_scores(path, systems=[str(system), str(baseline)])
        note(*table.notes)
    if not unpaired:
        if test is not None:
            raise click.UsageError("--test has no effect without --unpaired.")
        return Pilot.from_scores(
            table,
            str(system),
            str(baseline),
            unit=unit,  # type: ignore[arg-type]
            plant=plant,  # type: ignore[arg-type]
        )
    if unit != "auto":
        raise click.UsageError("--unit has no effect with --unpaired: each score stands alone.")
    sides = [
        table.of_one_task().averaged().systems[str(name)].ravel() for name in (system, baseline)
    ]
    first, second = (side[~np.isnan(side)] for side in sides)
    return Pilot.unpaired(first, second, test=test or "two-means", plant=plant)  # type: ignore[arg-type]


PILOT = ScenarioCommand(
    name="pilot",
    help="Your own scores or judgments, drawn again at another size with a planted effect.",
    effect="True difference to plant; not the one that the pilot showed.",
    size="Units: documents where known, else items; per system if unpaired.",
    options=(
        click.option("--scores", help="Table of segment scores (see docs/data.md)."),
        click.option(
            "--ratings", metavar="FILE", help="Judgments of a pilot (see docs/judgments.md)."
        ),
        click.option("--example", is_flag=True, help="chrF of the bundled example instead."),
        click.option("--system", help="The system whose effect is planted."),
        click.option("--baseline", help="The system it is compared with."),
        click.option("--unpaired", is_flag=True, help="Take each score as an item of its own."),
        options.choice(
            "--unit",
            of=PilotUnit,
            help="What is drawn; auto: documents where known, else items.",
        ),
        options.choice(
            "--test",
            of=UnpairedTest,
            help="With --unpaired (default: two-means).",
            optional=True,
        ),
        options.choice(
            "--plant", of=Plant, help="Move all scores, or draw the higher ones more often."
        ),
        click.option("--raters", "n_raters", type=int, help="Raters, with --ratings."),
        model_judgments.model_judgment_options,
    ),
    build=_build_pilot,
    counts_documents=True,
    example="--example --n 30 --effect 2",
)
