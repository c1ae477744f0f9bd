"""Every chart of every result is readable at both widths."""

import re
from pathlib import Path
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.forest import Difference, Panel, forest, planted_forest
from detectable.report.charts.runs import Values, histograms
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.saved.load import load
from detectable.report.saved.save import save
from tests.helpers import spread
from tests.report.charts.drawn import check
from tests.report.charts.overlap import problems
from tests.report.results import RESULTS


@pytest.mark.parametrize("name", spread(RESULTS))
def test_every_chart_can_be_read(name: str) -> None:
    check(blocks_of(RESULTS[name]))


def test_a_planted_fault_is_found() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">'
        '<text transform="translate(5,20)" font-size="12px">one</text>'
        '<text transform="translate(10,22)" font-size="12px">two</text>'
        '<text transform="translate(80,40)" font-size="12px">outside</text></svg>'
    )
    assert problems(svg) == ["«outside» leaves the picture", "«one» covers «two»"]


# --- A result that was saved and loaded draws the same pictures ---


@pytest.mark.parametrize("name", RESULTS)
def test_the_same_pictures(name: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    save(RESULTS[name], path)
    before, after = (
        [block for block in blocks_of(result) if isinstance(block, Chart)]
        for result in (RESULTS[name], load(path))
    )
    assert [chart.id for chart in before] == [chart.id for chart in after]
    for one, other in zip(before, after, strict=True):
        assert (one.title, one.caption, one.alt) == (other.title, other.caption, other.alt)
        assert repr(one.make(WIDE)) == repr(other.make(WIDE))


# --- A tick where the truth lies, on the axis of the forest ---

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


# --- Bars of counts, on either side of a line ---


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("values", [(0.1, 0.9), (0.1, 0.1, 0.9), (0.1,) * 40])
def test_no_count_stands_twice_beside_the_bars(width: int, values: tuple[float, ...]) -> None:
    """Ticks at halves were printed as the whole number above: 0, 1, 1."""
    converter = pytest.importorskip("vl_convert")
    made = histograms(
        [Values("Claims", "by power", values)],
        cut=0.8,
        said="four in five",
        axis="power",
        good="above",
        width=width,
        end=1.0,
        format=".0%",
    )
    counts = re.findall(r">(\d+)</text>", converter.vegalite_to_svg(made))
    assert "0" in counts
    assert len(counts) == len(set(counts)) > 1
