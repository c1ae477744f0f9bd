"""``detectable power pilot`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli.column_option import column_names
from detectable.cli.judgment_options import ROLES
from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.planning.pilot import Pilot
    from detectable.planning.scenario import Scenario


def _build(
    *,
    scores: str | None,
    ratings: str | None,
    column: dict[str, str],
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
        if column or n_raters is not None:
            raise click.UsageError("--column and --raters have no effect without --ratings.")
        return _from_scores(scores, **settings)
    if (
        any(settings[n] for n in ("unpaired", "by_item", "test"))
        or settings["plant"] != "shift"
    ):
        raise click.UsageError(
            "--unpaired, --by-item, --test and --plant have no effect on --ratings."
        )
    return Pilot.judgments(
        ratings, settings["system"], settings["baseline"], n_raters=n_raters, columns=column
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
    by_item: bool,
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
        for note in loaded.notes:
            click.echo(f"Warning: {note}", err=True)
    if not unpaired:
        if test is not None:
            raise click.UsageError("--test has no effect without --unpaired.")
        return Pilot.from_scores(
            table,
            str(system),
            str(baseline),
            by_document=not by_item,
            plant=plant,  # type: ignore[arg-type]
        )
    sides = [table.systems[str(name)].ravel() for name in (system, baseline)]
    first, second = (side[~np.isnan(side)] for side in sides)
    return Pilot.unpaired(first, second, test=test or "mann-whitney", plant=plant)  # type: ignore[arg-type]


SCENARIO = ScenarioCommand(
    name="pilot",
    help="Your own scores or judgments, drawn again at another size with a planted effect.",
    effect="True difference to plant; not the one that the pilot showed.",
    size="Units: documents where known, else items; per system if unpaired.",
    options=(
        click.option("--scores", help="Table of segment scores (see docs/data.md)."),
        click.option("--ratings", help="Table of judgments: score, system, rater, item."),
        click.option("--example", is_flag=True, help="chrF of the bundled example instead."),
        click.option("--system", help="The system whose effect is planted."),
        click.option("--baseline", help="The system it is compared with."),
        click.option("--unpaired", is_flag=True, help="Take each score as an item of its own."),
        click.option("--by-item", is_flag=True, help="Ignore documents."),
        click.option(
            "--test",
            type=click.Choice(["mann-whitney", "welch"]),
            help="With --unpaired (default: mann-whitney).",
        ),
        click.option(
            "--plant",
            type=click.Choice(["shift", "tilt"]),
            default="shift",
            show_default=True,
            help="Move all scores, or draw the higher ones more often.",
        ),
        click.option("--raters", "n_raters", type=int, help="Raters, with --ratings."),
        click.option(
            "--column",
            multiple=True,
            metavar="ROLE=NAME",
            callback=column_names(ROLES),
            help="Which column is what, where its name is unusual: rater=who (repeatable).",
        ),
    ),
    build=_build,
    example="--example --n 30 --effect 2",
)
