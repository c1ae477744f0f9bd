"""``detectable power arena`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import ArenaFamily, ArenaPairing

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(**settings: Any) -> "Scenario":
    from detectable.planning.arena import Arena

    return Arena(**settings)


SCENARIO = ScenarioCommand(
    name="arena",
    help="Votes on two systems at a time, among several; Bradley and Terry's model.",
    effect="Gap between two systems in points of Elo; 0 is no gap.",
    size="Votes in all, ties included.",
    options=(
        click.option("--systems", default=2, show_default=True, help="Systems in the arena."),
        options.choice(
            "--pairing",
            of=ArenaPairing,
            help="All votes on the two systems, or equally many on all pairs.",
        ),
        click.option("--ties", default=0.0, show_default=True, help="Expected share of ties."),
        click.option(
            "--design-effect",
            default=1.0,
            show_default=True,
            help="Variance beside that of independent votes; detectable arena measures it.",
        ),
        options.choice(
            "--family", of=ArenaFamily, help="Test the gap by itself, or with all pairs."
        ),
    ),
    build=_build,
    example="--n 10000 --effect 10",
)
