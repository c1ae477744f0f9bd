"""``detectable conclude``: the verdict of a plan that has stopped."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.command import Output, command
from detectable.cli.judgment_options import judgment_options, refuse

if TYPE_CHECKING:
    from detectable.study.monitoring.conclusion import Conclusion


@command(repeats=False)
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("data", required=False)
@judgment_options
def conclude(plan: Path, data: str | None, *, output: Output, **reading: Any) -> "Conclusion":
    """Give the verdict of PLAN, with p-values and intervals that know of all looks.

    DATA is needed only if judgments came in after the stop: they are counted in, not dropped.
    The verdict is also written beside the plan, as ….conclusion.json.

    \b
    Example:
        detectable conclude ship.json
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.cli.plan_data import read_for_plan
    from detectable.study.monitoring.conclude import conclude as conclude_plan

    if data is None:
        refuse(reading, "there is no DATA to read")
        return conclude_plan(plan, force=output.force)
    return conclude_plan(
        plan, lambda frozen: read_for_plan(frozen, data, **reading), force=output.force
    )
