"""``detectable power ratings`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import RatingMethod, RatingTest, SecondRule

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(
    *,
    test: str | None,
    correlation: float | None,
    margin: float | None,
    claim: str | None,
    **settings: Any,
) -> "Scenario":
    """Choose the test that fits what was given, and build the scenario."""
    from detectable.planning.margins import RatingsMargin
    from detectable.planning.ratings import Ratings

    # The same kind of test with and without pairs, so that the two can be compared.
    test = test or ("two-means" if correlation is None else "paired-mean")
    ratings = Ratings(test=test, correlation=correlation, **settings)  # type: ignore[arg-type]
    if margin is None:
        if claim is not None:
            raise click.UsageError("--claim has no effect without --margin.")
        return ratings
    return RatingsMargin(ratings, margin, claim or "non-inferior")  # type: ignore[arg-type]


SCENARIO = ScenarioCommand(
    name="ratings",
    help="Ratings from 0 to 100 of two systems, on the same items or on items of their own.",
    effect="True difference of the mean ratings, in points.",
    size="Judgments per system.",
    options=(
        click.option("--mean", type=float, required=True, help="Of the better system."),
        click.option("--sd", type=float, required=True, help="Of the better system's ratings."),
        options.choice(
            "--second", of=SecondRule, help="What the worse system shares with the better one."
        ),
        click.option(
            "--continuous", is_flag=True, help="Neither round nor cut ratings, as in the paper."
        ),
        options.named_test(
            of=RatingTest,
            help="Default: two-means; with --correlation paired-mean.",
            optional=True,
        ),
        click.option(
            "--correlation", type=float, help="Of the two ratings of an item, for paired tests."
        ),
        options.choice(
            "--method", of=RatingMethod, help="Simulate, or use the normal approximation."
        ),
        click.option("--margin", type=float, help="Difference in points that does not matter."),
        options.margin_claim,
    ),
    build=_build,
    example="--n 600 --effect 2 --mean 80 --sd 20",
)
