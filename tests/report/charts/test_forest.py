"""A tick where the truth lies, on the axis of the forest."""

from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.charts.forest import Difference, Panel, forest, planted_forest
from detectable.report.charts.theme import COLOUR, NARROW, WIDE

INTERVAL = Interval(-1.0, 3.0, 0.95)
PANEL = Panel("points", (Difference("a", 1.0, INTERVAL, INTERVAL, "undecided"),) * 2)


def domains(spec: dict[str, Any]) -> list[list[float]]:
    channels = [layer["encoding"]["x"] for layer in spec["layer"] if "x" in layer["encoding"]]
    return [x["scale"]["domain"] for x in channels if "scale" in x]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_ticks_in_the_rows_of_the_forest(width: int) -> None:
    plain, made = forest(PANEL, width=width), planted_forest(PANEL, [0.5, -0.5], width=width)
    assert made["layer"][:-1] == plain["layer"]
    ticks = made["layer"][-1]
    assert ticks["data"]["values"] == [
        {"row": 0, "planted": 0.5},
        {"row": 1, "planted": -0.5},
    ]
    assert ticks["mark"] == {
        "type": "tick",
        "thickness": 3,
        "size": 20,
        "color": COLOUR["ink"],
    }
    own = plain["layer"][0]["encoding"]
    assert ticks["encoding"] == {"x": {**own["x"], "field": "planted"}, "y": own["y"]}


@pytest.mark.parametrize(("planted", "end"), [(9.0, 1), (-9.0, 0)])
def test_the_axis_reaches_what_was_planted(planted: float, end: int) -> None:
    plain, made = forest(PANEL, width=WIDE), planted_forest(PANEL, [0.0, planted], width=WIDE)
    before, after = domains(plain)[0], domains(made)
    assert len(after) == len(domains(plain)) + 1
    for domain in after:
        assert domain[end] == planted
        assert domain[1 - end] == before[1 - end]
