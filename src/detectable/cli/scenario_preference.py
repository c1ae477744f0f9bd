"""``detectable power preference`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(**settings: Any) -> "Scenario":
    from detectable.planning.preference import Preference

    return Preference(**settings)


SCENARIO = ScenarioCommand(
    name="preference",
    help="Which of two outputs is better, with or without ties; exact sign test.",
    effect="Chance to win a decided comparison; .5 is no preference.",
    size="Comparisons, ties included.",
    options=(
        click.option(
            "--ties", default=0.0, show_default=True, help="Expected share of ties, dropped."
        ),
    ),
    build=_build,
    example="--n 100 --effect .65",
)
