"""``detectable cheapest``: the cheapest raters × items that reach a power."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli import scenarios_of_ratings as scenario_likert
from detectable.cli import scenarios_of_ratings as scenario_ratings
from detectable.cli.command import command
from detectable.cli.command_table import Whole
from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.planning.cheapest import CheapestDesign

_KINDS = ("item", "judgment", "rater")
_PRICES = (
    click.option("--item-cost", type=float, help="Of one item: choosing, preparing it."),
    click.option(
        "--judgment-cost",
        type=float,
        help="Of one rating of one output (default without any cost: 0.25, and 5 a rater).",
    ),
    click.option("--rater-cost", type=float, help="Of one rater: finding, training, checking."),
)
_MAX_RATERS = click.option(
    "--max-raters", default=50, show_default=True, help="The most that can be had."
)
_PER_RATER = click.option(
    "--judgments-per-rater", type=int, help="What one rater gives; needed with --rater-cost."
)
_ASKED = ("effect", "power", "alpha", "max_raters", "judgments_per_rater", "rng")
# What a search has no room for: it prices differences only, and chooses the raters itself, so that
# any number of them will do.
_NOT_ASKED: dict[str, int | None] = {"n_raters": 2, "margin": None, "claim": None}


@click.group(cls=Whole)
def cheapest() -> None:
    """Cheapest raters and items that reach a power.

    Say the cheapest design that reaches a power: raters, items, judgments.
    """


def _command(scenario: ScenarioCommand, limit: Callable[[Any], Any]) -> click.Command:
    """Make the command that prices one scenario."""

    def run(*, progress: Any, **given: Any) -> "CheapestDesign":
        from detectable.planning.cheapest import Costs
        from detectable.planning.cheapest import cheapest as search

        prices = {name: given.pop(f"{name}_cost") for name in _KINDS}
        known = {name: price for name, price in prices.items() if price is not None}
        costs = Costs(**known) if known else None
        asked = {name: given.pop(name) for name in _ASKED if name in given}
        built: Any = scenario.build(**given, **absent)
        return search(built, costs=costs, progress=progress, **asked)

    effect = click.option("--effect", type=float, required=True, help=scenario.effect)
    parts = (effect, options.power, *_PRICES, limit, *scenario.options)
    for option in reversed((*parts, options.alpha, options.seed)):
        run = option(run)
    made: list[click.Parameter] = run.__click_params__  # type: ignore[attr-defined]  # click's
    run.__click_params__ = [one for one in made if one.name not in _NOT_ASKED]  # type: ignore[attr-defined]
    absent = {one.name: _NOT_ASKED[one.name] for one in made if one.name in _NOT_ASKED}
    run.__doc__ = scenario.help
    return command(scenario.name, charts=("designs",))(run)


cheapest.add_command(_command(scenario_likert.LIKERT, _MAX_RATERS))
cheapest.add_command(_command(scenario_ratings.RATINGS, _PER_RATER))
