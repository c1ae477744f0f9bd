"""What becomes of a drawn chart on its way to a page."""

import re
from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.charts.marks import label
from detectable.report.charts.theme import COLOUR, spec
from detectable.report.render.picture import inline_svg, render_picture

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


def lengths(drawn: str) -> dict[str, float]:
    """Return how long each text is said to be."""
    found = re.findall(r'<(?:text|tspan)[^>]*textLength="([\d.]+)"[^>]*>([^<]*)<', drawn)
    return {text: float(length) for length, text in found}


def texts(*said: str, **how: Any) -> Chart:
    def make(width: int) -> dict[str, Any]:
        words = [label({"value": 10}, {"value": 20}, text, **how) for text in said]
        return spec(width=width, height=100, layer=words)

    return Chart("said", "The title of it", "caption.", "alt 1", make, "twin")


def test_texts_are_as_wide_in_any_font_as_they_were_laid_out() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(texts("Online-W  [+1.30]", "M"), 400, name="wide")
    assert lengths(drawn) == {"Online-W  [+1.30]": 90.4}  # one space, as SVG shows two
    assert 'lengthAdjust="spacingAndGlyphs"' in drawn


def test_bold_texts_are_wider() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(texts("BLEU", fontWeight="bold"), 400, name="wide")
    assert lengths(drawn) == {"BLEU": 32.7}
    assert lengths(inline_svg(texts("BLEU"), 400, name="wide")) == {"BLEU": 31.3}


def test_a_text_whose_widths_are_not_known_keeps_its_own() -> None:
    pytest.importorskip("vl_convert")
    assert lengths(inline_svg(texts("日本語のシステム"), 400, name="wide")) == {}


def test_a_file_holds_the_lengths_of_its_title_too() -> None:
    pytest.importorskip("vl_convert")
    assert "The title of it" in lengths(str(render_picture(texts("one"), "svg")))
