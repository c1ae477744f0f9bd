"""Bars of counts, on either side of a line."""

import re

import pytest

from detectable.report.charts.runs import Values, histograms
from detectable.report.charts.theme import NARROW, WIDE


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
