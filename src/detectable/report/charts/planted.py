"""Differences with their intervals, and a tick where the truth lies."""

from collections.abc import Sequence

from detectable.report.charts.forest import Panel, forest
from detectable.report.charts.marks import layer
from detectable.report.charts.theme import COLOUR, Spec


def planted_forest(panel: Panel, planted: Sequence[float], *, width: int) -> Spec:
    """Return a forest with what was planted in every row."""
    made = forest(panel, width=width)
    own = made["layer"][0]["encoding"]  # the axes of the forest, so that there is one of each
    ticks = [{"row": row, "planted": value} for row, value in enumerate(planted)]
    mark = {"type": "tick", "thickness": 3, "size": 20, "color": COLOUR["ink"]}
    made["layer"].append(layer(ticks, mark, x={**own["x"], "field": "planted"}, y=own["y"]))
    return made
