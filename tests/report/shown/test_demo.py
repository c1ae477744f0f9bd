"""What the demo shows, against a story made by hand."""

from detectable.report.blocks import Chart
from detectable.report.charts.theme import NARROW, WIDE
from tests.report import results
from tests.report.shown.shown import block_of


def test_the_chart_has_a_tick_where_the_truth_lies() -> None:
    chart = block_of(results.demo_story(), "chart planted")
    assert isinstance(chart, Chart)
    for width in (WIDE, NARROW):
        ticks = chart.make(width)["layer"][-1]
        assert ticks["mark"]["type"] == "tick"
        assert [row["planted"] for row in ticks["data"]["values"]] == [6.0, 1.0]
        assert ticks["encoding"]["x"]["field"] == "planted"
