"""What a plan shows, against one made by hand."""

from detectable.report.blocks import Chart
from tests.report import results
from tests.report.shown.shown import block_of, table_of


def test_the_boundaries_of_several_pairs_are_those_of_the_first_decision() -> None:
    made = results.plan(systems=("new", "third", "old"))
    assert table_of(made, "looks").note == (
        "Boundaries of the first decision among 2 pairs; each decision lowers them for the others."
    )
    chart = block_of(made, "chart boundaries")
    assert isinstance(chart, Chart)
    assert chart.caption.endswith(
        "Boundaries for 2 pairs together; each decision lowers them for the others."
    )
    half = made.design_at(0.025).z[0]
    assert table_of(made, "looks").column("z") == (half, half)
    assert half > table_of(results.plan(), "looks").column("z")[0]
