"""``detectable power likert`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli.column_option import RATING_ROLES, column_names
from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(
    *, ratings: str | None, column: dict[str, str], test: str, **settings: Any
) -> "Scenario":
    """Build the scenario from a preset, from SDs, or from pilot ratings."""
    from detectable.planning.likert import Likert

    if ratings is None:
        if column:
            raise click.UsageError("--column has no effect without --ratings.")
        if settings["n_raters"] is None:
            raise click.UsageError("--raters is missing.")
        return Likert(test=test, **settings)  # type: ignore[arg-type]
    others = {name: value for name, value in settings.items() if name != "n_raters"}
    if any(value not in (None, 0.0) for value in others.values()):
        raise click.UsageError(
            "--ratings says how ratings spread; drop --preset, the SDs, --raters-per-item and "
            "--missing."
        )
    return Likert.from_ratings(
        ratings,
        n_raters=settings["n_raters"],
        test=test,  # type: ignore[arg-type]
        **column,
    )


def _sd(name: str, of: str) -> Any:
    return click.option(f"--{name}-sd", type=float, help=f"SD of {of}.")


SCENARIO = ScenarioCommand(
    name="likert",
    help="All raters rate all items of two systems; mixed model with rater and item slopes.",
    effect="True difference of the mean ratings (twice the β of card2020).",
    size="Items.",
    options=(
        click.option("--raters", "n_raters", type=int, help="Raters."),
        click.option(
            "--preset",
            type=click.Choice(["card-high", "card-low"]),
            help="The two settings of card2020, on a scale from 0 to 1.",
        ),
        _sd("rater", "raters' levels"),
        _sd("rater-slope", "half the difference between the systems, by rater"),
        _sd("item", "items' levels"),
        _sd("item-slope", "half the difference between the systems, by item"),
        _sd("residual", "everything else"),
        click.option("--ratings", help="Pilot ratings to take the SDs from (a table)."),
        click.option(
            "--column",
            multiple=True,
            callback=column_names(RATING_ROLES),
            help="role=name where columns are not score, system, rater, item (repeatable).",
        ),
        click.option(
            "--test",
            type=click.Choice(["satterthwaite", "card"]),
            default="satterthwaite",
            show_default=True,
            help="REML with Satterthwaite's df, or the authors' ML with t > 1.96.",
        ),
        click.option("--raters-per-item", type=int, help="Fewer than all, in rotation."),
        click.option(
            "--missing", type=float, default=0.0, help="Share of ratings that get lost."
        ),
    ),
    build=_build,
    example="--raters 3 --items 100 --effect .4 --preset card-high",
    size_names=("--items", "--n"),
)
