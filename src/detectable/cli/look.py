"""``detectable look``: look at the data of a plan, and write it into the ledger."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options

if TYPE_CHECKING:
    from detectable.study.monitoring.look_result import Look


@command(repeats=False)
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("data")
@click.option("--final", is_flag=True, help="Declare this the last look.")
@click.option(
    "--overrule-futility",
    is_flag=True,
    help="Go on although the last look advised to give up; the ledger keeps note.",
)
@judgment_options
def look(
    plan: Path, data: str, *, final: bool, overrule_futility: bool, **reading: Any
) -> "Look":
    """Look at DATA, all judgments so far, under PLAN, and decide whether to stop.

    The look is added to the ledger beside the plan. A look that the plan forbids is refused,
    and nothing is written.

    \b
    Example:
        detectable look ship.json judgments.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.cli.plan_data import read_for_plan
    from detectable.study.monitoring.look import look as look_at

    return look_at(
        plan,
        lambda frozen: read_for_plan(frozen, data, **reading),
        final=final,
        overrule_futility=overrule_futility,
    )
