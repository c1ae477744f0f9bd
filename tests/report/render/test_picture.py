"""What becomes of a drawn chart on its way to a page."""

from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.charts.marks import label
from detectable.report.charts.theme import COLOUR, spec
from detectable.report.render.picture import inline_svg

SAID = '+0.0886 of #0067a5, class="x" 1.23456'


def chart() -> Chart:
    def make(width: int) -> dict[str, Any]:
        return spec(
            width=width,
            height=100,
            layer=[label({"value": 10.123456}, {"value": 20}, SAID, colour="better")],
        )

    return Chart("said", "title", "caption.", "alt 1", make, "twin")


def test_what_is_written_in_a_chart_is_never_cut() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(chart(), 400, name="wide")
    assert f">{SAID}<" in drawn.replace("&quot;", '"')


def test_coordinates_are_short_and_colours_are_those_of_the_page() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(chart(), 400, name="wide")
    assert "10.12," in drawn
    assert "10.123" not in drawn
    assert 'fill="var(--better)"' in drawn
    assert COLOUR["better"] not in drawn.replace(SAID, "")
