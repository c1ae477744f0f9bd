"""The data of a plan, read with the options of the command line."""

from typing import TYPE_CHECKING, Any

from detectable.cli.judgment_options import refuse

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.study.monitoring.plan import Plan


def read_for_plan(plan: "Plan", path: str, **reading: Any) -> "Judgments":
    """Return the judgments of a file; for plans by preference, from its ``winner`` column."""
    from detectable.data.human.preferences import read_preferences
    from detectable.data.human.read_judgments import read_judgments
    from detectable.study.monitoring.plan_options import PREFERENCES

    if plan.test in PREFERENCES:
        refuse(reading, "preferences are read from the columns item and winner")
        return read_preferences(path, plan.systems)
    refuse(reading, "the plan fixes the scale", ["scale"])
    chosen = {**reading, "columns": reading["columns"] or None, "scale": plan.scale}
    return read_judgments(path, **chosen)
