"""``detectable power rank-sum`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import RankAlternative

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(**settings: Any) -> "Scenario":
    from detectable.planning.rank_sum import RankSum

    return RankSum(**settings)


SCENARIO = ScenarioCommand(
    name="rank-sum",
    help="Human scores of two systems on different items; Wilcoxon–Mann–Whitney test.",
    effect="P(A < B): the chance that a score of B beats one of A; .5 is no difference.",
    size="Judgments per system.",
    options=(
        click.option(
            "--levels", type=int, help="Equally frequent score levels (default: no ties)."
        ),
        options.choice(
            "--alternative",
            of=RankAlternative,
            help="WMT tests one-sided in the observed order, at twice the stated level.",
        ),
    ),
    build=_build,
    example="--n 1500 --effect .47",
)
