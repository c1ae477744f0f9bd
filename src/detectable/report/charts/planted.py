"""Differences with their intervals, and a tick where the truth lies."""

from collections.abc import Sequence

from detectable.report.charts.forest import Panel, forest
from detectable.report.charts.marks import layer
from detectable.report.charts.theme import COLOUR, Spec


def planted_forest(panel: Panel, planted: Sequence[float], *, width: int) -> Spec:
    """Return a forest with what was planted in every row."""
    made = forest(panel, width=width)
    layers = [_reaching(one, planted) for one in made["layer"]]
    own = layers[0]["encoding"]  # the axes of the forest, so that there is one of each
    ticks = [{"row": row, "planted": value} for row, value in enumerate(planted)]
    mark = {"type": "tick", "thickness": 3, "size": 20, "color": COLOUR["ink"]}
    layers.append(layer(ticks, mark, x={**own["x"], "field": "planted"}, y=own["y"]))
    return {**made, "layer": layers}


def _reaching(one: Spec, planted: Sequence[float]) -> Spec:
    """Return a layer whose axis, if it has one, reaches as far as what was planted."""
    encoding = one["encoding"]
    x = encoding["x"]
    if "scale" not in x:
        return one
    low, high = x["scale"]["domain"]
    scale = {**x["scale"], "domain": [min(low, *planted), max(high, *planted)]}
    return {**one, "encoding": {**encoding, "x": {**x, "scale": scale}}}
