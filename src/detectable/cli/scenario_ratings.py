"""``detectable power ratings`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(
    *,
    test: str | None,
    correlation: float | None,
    margin: float | None,
    goal: str | None,
    **settings: Any,
) -> "Scenario":
    """Choose the test that fits what was given, and build the scenario."""
    from detectable.planning.margins import RatingsMargin
    from detectable.planning.ratings import Ratings

    unpaired = "mann-whitney" if margin is None else "welch"
    test = test or (unpaired if correlation is None else "paired-t")
    ratings = Ratings(test=test, correlation=correlation, **settings)  # type: ignore[arg-type]
    if margin is None:
        if goal is not None:
            raise click.UsageError("--goal has no effect without --margin.")
        return ratings
    return RatingsMargin(ratings, margin, goal or "non-inferiority")  # type: ignore[arg-type]


SCENARIO = ScenarioCommand(
    name="ratings",
    help="Ratings from 0 to 100 of two systems, each on items of its own; Mann-Whitney test.",
    effect="True difference of the mean ratings, in points.",
    size="Judgments per system.",
    options=(
        click.option("--mean", type=float, required=True, help="Of the better system."),
        click.option("--sd", type=float, required=True, help="Of the better system's ratings."),
        click.option(
            "--second",
            type=click.Choice(["same-variance", "same-shape", "same-scale", "shift"]),
            default="same-variance",
            show_default=True,
            help="What the worse system shares with the better one.",
        ),
        click.option(
            "--continuous", is_flag=True, help="Neither round nor cut ratings, as in the paper."
        ),
        click.option(
            "--test",
            type=click.Choice(["mann-whitney", "welch", "paired-t", "signed-rank"]),
            help="Default: mann-whitney; with --correlation paired-t, with --margin welch.",
        ),
        click.option(
            "--correlation", type=float, help="Of the two ratings of an item, for paired tests."
        ),
        click.option(
            "--method",
            type=click.Choice(["simulated", "closed-form"]),
            default="simulated",
            show_default=True,
            help="Simulate, or use the normal approximation.",
        ),
        click.option("--margin", type=float, help="Difference in points that does not matter."),
        click.option(
            "--goal",
            type=click.Choice(["non-inferiority", "equivalence"]),
            help="What to show with --margin (default: non-inferiority); give --effect 0.",
        ),
    ),
    build=_build,
    example="--n 600 --effect 2 --mean 80 --sd 20",
)
