import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.data.files.parse_score import parse_score
from detectable.data.scores.cell_columns import Cell
from detectable.data.scores.score_cells import assemble
from tests.data.sample_files import fails


def cell(system: str, item: str, score: float, run: str = "1", doc: str | None = None) -> Cell:
    return Cell(system, run, item, score, "f.csv", 2, doc)


@given(st.permutations([("A", r, i, ord(r) + i) for r in "12" for i in range(4)]))
def test_the_order_of_the_cells_does_not_change_the_scores(
    order: list[tuple[str, str, int, int]],
) -> None:
    table = assemble(cell(s, str(i), v, r) for s, r, i, v in order).table
    for run, row in zip("12", table.systems["A"], strict=True):
        assert {int(i): v for i, v in zip(table.items, row, strict=True)} == {
            i: ord(run) + i for i in range(4)
        }


def test_run_labels_of_endless_digits_are_names() -> None:
    endless = "9" * 5000
    table = assemble([cell("A", "x", 1, endless), cell("A", "x", 2, "1")]).table
    assert table.systems["A"].tolist() == [[1], [2]]


def test_run_labels_that_are_no_numbers_keep_their_order() -> None:
    table = assemble([cell("A", "1", 5, "z"), cell("A", "1", 7, "a")]).table
    assert table.systems["A"].tolist() == [[5], [7]]


def test_systems_come_in_the_order_asked_for() -> None:
    cells = [cell("A", "1", 1), cell("B", "1", 2), cell("C", "1", 3)]
    loaded = assemble(cells, systems=["C", "A"], notes=["before."])
    assert list(loaded.table.systems) == ["C", "A"]
    assert loaded.notes == ("before.", "1 system left out as asked: B.")


def test_documents_are_known_for_all_items_or_for_none() -> None:
    with fails("f.csv, line 2: item '2' has no document, while others have one. Name the"):
        assemble([cell("A", "1", 1, doc="d"), cell("A", "2", 1)])
    with fails("f.csv, line 2: item '1' has no document here, while others have one."):
        assemble([cell("A", "1", 1, doc="d"), cell("B", "1", 1)])


def test_nothing_is_no_table() -> None:
    with fails("there is no score in the data. Give at least one."):
        assemble([])


@pytest.mark.parametrize("value", [None, "", " ", "NaN", "nan", "NA", "n/a", "None", "null"])
def test_missing_scores_are_nan(value: object) -> None:
    assert math.isnan(parse_score(value, "f"))


@given(st.floats(-1e100, 1e100))
def test_numbers_survive_as_text_and_as_numbers(value: float) -> None:
    assert parse_score(repr(value), "f") == value == parse_score(value, "f")


@pytest.mark.parametrize(
    "value", ["x", "1_0", "１", "0x1", "inf", float("inf"), [1], {}, 10**400]
)
def test_everything_else_is_refused(value: object) -> None:
    with fails("f.csv, line 3, column 'A': expected a score, found "):
        parse_score(value, "f.csv", 3, "A")


def test_a_long_value_is_cut_in_the_message() -> None:
    with fails("…'. Write a finite number"):
        parse_score("word " * 50, "f.csv")
    with fails("found [1, 1, 1,", "…. Write a finite"):
        parse_score([1] * 100, "f.csv")
