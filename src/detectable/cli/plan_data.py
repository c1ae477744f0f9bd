"""The data of a plan, read with the options of the command line."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.study.monitoring.plan import Plan


def read_for_plan(plan: "Plan", path: str, **reading: Any) -> "Judgments":
    """Return the judgments of a file; for plans by preference, from its ``winner`` column."""
    from detectable.data.human.preferences import read_preferences
    from detectable.data.human.read_judgments import read_judgments
    from detectable.study.monitoring.plan_options import PREFERENCES

    if plan.test in PREFERENCES:
        return read_preferences(path, plan.systems)
    scale = reading.pop("scale", None) or plan.scale
    reading["columns"] = reading.get("columns") or None
    return read_judgments(path, scale=scale, **reading)
