"""Figures of wei2022: charts of commands, with the paper's counts and gold numbers in them."""

from collections.abc import Sequence
from typing import Any

import pytest

from replications.page import Figure
from replications.wei2022.figures import PLANNED, figures, needed, replayed
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

NUMBERS = ("2", "3", "4", "5", "6")


@pytest.fixture(scope="module")
def drawn() -> Sequence[Figure]:
    return tuple(figures(reference_data("data", "shipdata"), n_repeats=20))


def layers(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [one["data"]["values"] for one in spec["layer"]]


def test_every_figure_has_the_papers_number_and_a_table(drawn: Sequence[Figure]) -> None:
    assert [one.chart.id for one in drawn] == [f"figure-{number}" for number in NUMBERS]
    for number, one in zip(NUMBERS, drawn, strict=True):
        assert one.chart.twin == one.numbers.id
        assert one.chart.caption.startswith(f"Figure {number} has")
        assert one.numbers.rows
        check_readable(one.chart)


@pytest.mark.golden
def test_figure_2_has_the_comparisons_of_table_1(drawn: Sequence[Figure]) -> None:
    dots = layers(drawn[0].chart.make(720))[0]
    assert (len(dots), sum(one["significant"] for one in dots)) == (153, 30)
    line = layers(drawn[0].chart.make(720))[1]
    assert line[0]["size"] == pytest.approx(3.8, abs=0.05)
    assert all(300 < one["n"] < 800 for one in dots)  # judgments per system


@pytest.mark.golden
def test_figure_3_has_a_curve_for_each_language_pair(drawn: Sequence[Figure]) -> None:
    found = needed(reference_data("data", "shipdata", "shipdata_hist.npz"))
    curves = [rows for rows in layers(drawn[1].chart.make(720)) if len(rows) == 13][::2]
    assert len(curves) == len(found.groups) == 10
    for rows, group in zip(curves, found.groups, strict=True):
        sizes = [2 * (one.n_items or 0) for one in group.points if one is not None]
        assert [row["y"] for row in rows] == sizes
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.golden
def test_figures_4_to_6_are_of_one_replay(drawn: Sequence[Figure]) -> None:
    found = replayed(reference_data("data", "shipdata", "shipdata_hist.npz"), n_repeats=20)
    cost = found.same_cost()
    assert cost is not None
    assert (cost.fixed, cost.budget) == (1200, 2300)
    assert drawn[2].chart.title.startswith(
        "For about 1,200 judgments «interim-futility» has more"
    )
    assert drawn[3].chart.title.startswith("Of 1,200 planned «interim-futility» collects 71")
    panels = drawn[4].chart.make(720)["hconcat"]
    titles = [panel["vconcat"][0]["title"]["text"] for panel in panels]
    assert titles == [
        "All (4,004 comparisons)",
        "3 or more (1,342 comparisons)",
        "Below 3 (2,662 comparisons)",
    ]
    line = panels[0]["vconcat"][0]["layer"][0]["data"]["values"]
    assert [row["x"] for row in line] == list(PLANNED)  # fixed tests spend what is planned
    powers = {row["x"]: row["y"] for row in line}
    # 200 repetitions by another program, 20 here: .0004 and .0012.
    assert powers[1200] == pytest.approx(0.451, abs=0.0005 + 4 * 0.0013)
    assert powers[3600] == pytest.approx(0.593, abs=0.0005 + 4 * 0.0013)
