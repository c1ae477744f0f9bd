"""Verdicts and cells of every two systems, whichever of the two is named first."""

from detectable.core.verdict import Verdict
from detectable.report.charts.matrix import Cell
from detectable.report.shown.matrix import cells_of, verdicts_of

Pair = tuple[str, str, float, float, Verdict]


def test_each_row_says_what_holds_of_its_system() -> None:
    said = verdicts_of(("a", "b", "c"), [("b", "a", "better"), ("a", "c", "equivalent")])
    assert said == (
        (None, "worse", "equivalent"),
        ("better", None, None),
        ("equivalent", None, None),
    )


def test_a_cell_is_turned_where_the_pair_stands_the_other_way_round() -> None:
    pairs: list[Pair] = [("a", "b", 1.5, 0.01, "better"), ("c", "a", 2.0, 0.02, "better")]
    assert cells_of(("a", "b", "c"), pairs) == {
        (0, 1): Cell(1.5, 0.01, "better"),
        (0, 2): Cell(-2.0, 0.02, "worse"),
    }


def test_systems_that_are_not_shown_have_no_cell() -> None:
    pairs: list[Pair] = [("a", "b", 1.5, 0.01, "better"), ("x", "a", 2.0, 0.02, "better")]
    assert set(cells_of(("a", "b"), pairs)) == {(0, 1)}
    assert set(cells_of(("a", "b"), [("a", "x", 2.0, 0.02, "better")])) == set()
