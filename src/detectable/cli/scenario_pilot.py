"""``detectable power pilot`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import model_judgments, options
from detectable.cli.command import note
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import PilotUnit, Plant, UnpairedTest

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.planning.pilot import Pilot
    from detectable.planning.scenario import Scenario


def _build(
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
        model_judgments.refuse(settings, "without --ratings no judgments are read")
        if n_raters is not None:
            raise click.UsageError("--raters has no effect without --ratings.")
        return _from_scores(scores, **settings)
    if (
        any(settings[n] for n in ("unpaired", "test"))
        or settings["unit"] != "auto"
        or settings["plant"] != "shift"
    ):
        raise click.UsageError(
            "--unpaired, --unit, --test and --plant have no effect on --ratings."
        )
    return Pilot.judgments(
        model_judgments.load_ordinary(ratings, settings),
        settings["system"],
        settings["baseline"],
        n_raters=n_raters,
    )


def _example() -> "Scores":
    """Return chrF of every segment of the bundled systems."""
    from detectable.data.scores.scores import Scores
    from detectable.data.texts.example_corpus import example_corpus
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
        loaded = read_scores(path, systems=[str(system), str(baseline)])
        table = loaded.table
        note(*loaded.notes)
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


SCENARIO = ScenarioCommand(
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
    build=_build,
    example="--example --n 30 --effect 2",
)
