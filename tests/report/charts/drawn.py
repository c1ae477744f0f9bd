"""What every chart must be: drawn at both widths, readable, labelled, with its numbers in a table."""

import re
from collections.abc import Sequence

import pytest

from detectable.report.blocks import Block, Chart, Matrix, Table
from detectable.report.charts.theme import NARROW, WIDE
from detectable.report.render.picture import render_picture
from tests.report.charts.overlap import problems

LONG = "a-system-with-a-very-long-name-of-40-let"
JAPANESE = "日本語の長い名前を持つ翻訳システム"


def charts_of(blocks: Sequence[Block]) -> list[Chart]:
    return [block for block in blocks if isinstance(block, Chart)]


def check(blocks: Sequence[Block]) -> None:
    """Check all charts of a result."""
    charts = charts_of(blocks)
    assert len({chart.id for chart in charts}) == len(charts)
    assert sum(chart.key for chart in charts) <= 1
    tables = {block.id for block in blocks if isinstance(block, Table | Matrix)}
    for chart in charts:
        assert chart.twin in tables, f"{chart.id} has no table {chart.twin}"
        assert re.search(r"\d", chart.alt), f"the alt text of {chart.id} has no number"
        assert not chart.title.endswith("."), chart.title
        assert chart.caption.endswith("."), chart.caption
        check_readable(chart)


def check_readable(chart: Chart) -> None:
    """Check that no text of a chart covers another, at both widths, alone and on a page."""
    converter = pytest.importorskip("vl_convert")
    for width in (WIDE, NARROW):
        drawn = converter.vegalite_to_svg(chart.make(width))
        assert problems(drawn) == [], (chart.id, width)
        size = re.search(r'width="([\d.]+)"', drawn)
        assert size is not None
        assert float(size[1]) <= width + 1.0, (chart.id, width, size[1])
        assert problems(str(render_picture(chart, "svg", width=width))) == [], chart.id
