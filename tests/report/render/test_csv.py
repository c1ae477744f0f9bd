"""CSV: what is written reads back equal, with full precision."""

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.wording import for_spreadsheet
from detectable.report.blocks import Cell, Column, Repeat, Table, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.csv import render_csv, table_csv, to_csv
from tests.report.results import RESULTS

COLUMNS = (
    Column("name", "the name", "name"),
    Column("size", "size", digits=1),
    Column("interval", "95% interval", "interval", digits=0),
    Column("share", "share of all", "shares"),
    Column("n", "n", "count", keep=9),
)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_keys_head_the_columns_and_intervals_take_two() -> None:
    third = 1.0 / 3.0
    row = ("a", third, Interval(-third, third, 0.95), (0.25, 0.5), 12345)
    found = read(table_csv(Table("t", "T", COLUMNS, (row,))))
    assert found[0] == [
        *("name", "size", "interval_low", "interval_high", "share_low", "share_high", "n"),
    ]
    assert found[1] == ["a", repr(third), repr(-third), repr(third), "0.25", "0.5", "12345"]


def test_what_is_not_known_is_empty_and_what_has_no_end_is_infinite() -> None:
    rows = (
        ("a", None, None, None, None),
        ("b", math.nan, (math.nan, math.inf), (0.0, 1.0), Cell(7, 2)),
        ("c", Cell(math.nan, 2), Cell(None, 2), Cell((0.5, 0.75), 1), 0),
    )
    assert read(table_csv(Table("t", "T", COLUMNS, rows)))[1:] == [
        ["a", "", "", "", "", "", ""],
        ["b", "", "", "inf", "0.0", "1.0", "7"],
        ["c", "", "", "", "0.5", "0.75", "0"],
    ]


def test_several_numbers_share_a_cell() -> None:
    table = Table("t", "T", (Column("runs", "runs", "numbers"),), (((0.1, 1.0 / 3.0),),))
    assert read(table_csv(table))[1] == ["0.1 0.3333333333333333"]


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.floats()),
        max_size=5,
    )
)
def test_names_and_numbers_read_back_equal(rows: list[tuple[str, float]]) -> None:
    columns = (Column("name", "n", "name"), Column("value", "v", digits=1))
    found = read(table_csv(Table("t", "T", columns, tuple(rows))))[1:]
    assert [name for name, _ in found] == [for_spreadsheet(name) for name, _ in rows]
    for (_, text), (_, value) in zip(found, rows, strict=True):
        assert (text == "") if math.isnan(value) else float(text) == value


def test_lines_end_as_the_standard_wants() -> None:
    assert to_csv(("a", "b"), [(1, "x,y"), (2, 'say "no"')]) == (
        'a,b\r\n1,"x,y"\r\n2,"say ""no"""\r\n'
    )


@pytest.mark.parametrize("row", [(1,), (1, 2, 3)])
def test_a_row_of_the_wrong_width_is_refused(row: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=rf"row 1 must have 2 cells.* got {len(row)}"):
        to_csv(("a", "b"), [(1, 2), row])


def _table(id: str) -> Table:
    return Table(id, id.title(), (Column(id, id),), ((1.0,),))


BLOCKS = (Verdict("info", "A."), _table("pairs"), _table("systems"), Repeat("x"))


def test_the_first_table_is_written_unless_another_is_named() -> None:
    assert render_csv(BLOCKS) == "pairs\r\n1.0\r\n"
    assert render_csv(BLOCKS, "pairs") == "pairs\r\n1.0\r\n"
    assert render_csv(BLOCKS, "systems") == "systems\r\n1.0\r\n"


def test_an_unknown_table_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"no table 'rows' in this result. It has pairs, systems"
    ):
        render_csv(BLOCKS, "rows")


def test_a_result_without_tables_is_refused() -> None:
    with pytest.raises(InputError, match=r"no table to write as CSV\. Use --json"):
        render_csv((BLOCKS[0], BLOCKS[-1]))


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_table_has_as_many_lines_as_rows(name: str) -> None:
    for block in blocks_of(RESULTS[name]):
        if isinstance(block, Table):
            found = read(table_csv(block))
            assert len(found) == 1 + len(block.rows)
            assert len({len(row) for row in found}) == 1


def test_text_is_no_formula_and_numbers_stay_numbers() -> None:
    columns = (
        Column("name", "n", "name"),
        Column("value", "v", digits=1),
        Column("all", "a", "numbers"),
        Column("ci", "c", "interval"),
    )
    rows = (('=HYPERLINK("http://x")', -1.5, (-1.0, 2.0), (-3.0, -2.0)),)
    found = read(table_csv(Table("t", "T", columns, rows)))[1]
    assert found == ['\'=HYPERLINK("http://x")', "-1.5", "-1.0 2.0", "-3.0", "-2.0"]
