"""``detectable cheapest``: the cheapest raters × items that reach a power."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli import scenarios_of_ratings as scenario_likert
from detectable.cli import scenarios_of_ratings as scenario_ratings
from detectable.cli.command import command
from detectable.cli.command_table import Whole
from detectable.cli.scenario import ScenarioCommand
from detectable.core.options import declared
from detectable.planning.options import CheapestSettings, Prices

if TYPE_CHECKING:
    from detectable.planning.cheapest import CheapestDesign

_ASKED = ("effect", "power", "alpha", "max_raters", "judgments_per_rater", "rng")
# What a search has no room for: it prices differences only, and chooses the raters itself, so that
# any number of them will do.
_NOT_ASKED: dict[str, int | None] = {"n_raters": 2, "margin": None, "claim": None}


@click.group(cls=Whole)
def cheapest() -> None:
    """Cheapest raters and items that reach a power.

    Say the cheapest design that reaches a power: raters, items, judgments.
    """


def _command(scenario: ScenarioCommand, limit: str) -> click.Command:
    """Make the command that prices one scenario."""

    def run(*, progress: Any, **given: Any) -> "CheapestDesign":
        from detectable.planning.cheapest import Costs
        from detectable.planning.cheapest import cheapest as search

        prices = {one.name: given.pop(one.name) for one in declared(Prices)}
        known = {name: price for name, price in prices.items() if price is not None}
        costs = Costs(**known) if known else None
        asked = {name: given.pop(name) for name in _ASKED if name in given}
        built: Any = scenario.build(**given, **absent)
        return search(built, costs=costs, progress=progress, **asked)

    effect = click.option("--effect", type=float, required=True, help=scenario.effect)
    asked_for = [options.of(CheapestSettings, "power"), options.of(Prices)]
    parts = (effect, *asked_for, options.of(CheapestSettings, limit), *scenario.options)
    for option in reversed((*parts, options.alpha, options.seed)):
        run = option(run)
    made: list[click.Parameter] = run.__click_params__  # type: ignore[attr-defined]  # click's
    run.__click_params__ = [one for one in made if one.name not in _NOT_ASKED]  # type: ignore[attr-defined]
    absent = {one.name: _NOT_ASKED[one.name] for one in made if one.name in _NOT_ASKED}
    run.__doc__ = scenario.help
    return command(scenario.name, charts=("designs",))(run)


cheapest.add_command(_command(scenario_likert.LIKERT, "max_raters"))
cheapest.add_command(_command(scenario_ratings.RATINGS, "judgments_per_rater"))
