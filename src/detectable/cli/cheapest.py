"""``detectable cheapest``: the cheapest raters × items that reach a power."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli import scenarios_of_ratings as scenario_likert
from detectable.cli import scenarios_of_ratings as scenario_ratings
from detectable.cli.command import command
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
# What a search has no room for: it chooses the raters itself and prices differences only.
_NOT_ASKED = ("n_raters", "margin", "claim")


@click.group()
def cheapest() -> None:
    """Say the cheapest design that reaches a power: raters, items, judgments."""


def _command(scenario: ScenarioCommand, limit: Callable[[Any], Any]) -> click.Command:
    """Make the command that prices one scenario."""

    def run(*, progress: Any, **given: Any) -> "CheapestDesign":
        from detectable.planning.cheapest import Costs
        from detectable.planning.cheapest import cheapest as search

        prices = {name: given.pop(f"{name}_cost") for name in _KINDS}
        known = {name: price for name, price in prices.items() if price is not None}
        costs = Costs(**known) if known else None
        asked = {name: given.pop(name) for name in _ASKED if name in given}
        absent: dict[str, int | None] = {
            name: None for name in _NOT_ASKED if name in _names(scenario)
        }
        if "n_raters" in absent:
            absent["n_raters"] = 2  # any number will do: it is what is searched for
        built: Any = scenario.build(**given, **absent)
        return search(built, costs=costs, progress=progress, **asked)

    effect = click.option("--effect", type=float, required=True, help=scenario.effect)
    kept = [option for option in scenario.options if not _dropped(option)]
    parts = (effect, options.power, *_PRICES, limit, *kept, options.alpha, options.seed)
    for option in reversed(parts):
        run = option(run)
    run.__doc__ = scenario.help
    return command(scenario.name, charts=("designs",))(run)


def _option_name(option: Callable[[Any], Any]) -> str:
    """Return the name of the value that a click option gives to its command."""

    def probe() -> None: ...

    parameter: click.Parameter = option(probe).__click_params__[0]
    return parameter.name or ""


def _names(scenario: ScenarioCommand) -> list[str]:
    return [_option_name(option) for option in scenario.options]


def _dropped(option: Callable[[Any], Any]) -> bool:
    return _option_name(option) in _NOT_ASKED


cheapest.add_command(_command(scenario_likert.LIKERT, _MAX_RATERS))
cheapest.add_command(_command(scenario_ratings.RATINGS, _PER_RATER))
