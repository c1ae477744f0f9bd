"""Blocks: values become text in one place, and nothing is shown in the wrong column."""

import math
from dataclasses import dataclass, fields

import pytest
from markupsafe import escape

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.report.blocks import (
    DATA_ONLY,
    SYMBOLS,
    Cell,
    Chart,
    Column,
    Examples,
    Kind,
    Matrix,
    Repeat,
    Table,
    Text,
    Verdict,
    cell,
    notes,
    plain,
    status_of,
    table,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text_table import Arranged
from detectable.report.several import report
from tests.report import results
from tests.report.results import RESULTS


@dataclass(frozen=True)
class Record:
    name: str
    size: float
    decimals: int = 1


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("name", "A & B", "A & B"),
        ("name", 3, "3"),
        ("text", "words", "words"),
        ("text", 1234567.891, "1.23457e+06"),
        ("text", 12345678, "12345678"),
        ("number", 1234.567, "1,234.57"),
        ("number", -0.5, "−0.50"),
        ("number", math.inf, "∞"),
        ("number", -math.inf, "−∞"),
        ("numbers", (1.5, -2.25), "1.50 −2.25"),
        ("interval", Interval(-1.0, 2.0, 0.95), "[−1.00, 2.00]"),
        ("interval", (0.5, math.inf), "[0.50, ∞]"),
        ("interval", (-math.inf, 0.5), "[−∞, 0.50]"),
        ("p", 0.04321, ".0432"),
        ("p", 1e-9, "<.0001"),
        ("p", 1.0, "1"),
        ("count", 1234567, "1,234,567"),
        ("share", 0.1234, "12.34%"),
        ("share", -0.05, "−5.00%"),
        ("shares", Interval(0.25, 0.5, 0.95), "[25.00, 50.00]%"),
        ("verdict", "better", "▲ better"),
        ("verdict", "worse", "▼ worse"),
        ("verdict", "higher", "▲ higher"),
        ("verdict", "lower", "▼ lower"),
        ("verdict", "equivalent", "◆ equivalent"),
        ("verdict", "non-inferior", "◆ non-inferior"),
        ("verdict", "undecided", "○ undecided"),
        ("verdict", "untestable", "untestable"),
    ],
)
def test_values_become_text(kind: Kind, value: object, text: str) -> None:
    assert cell(Column("key", "title", kind), value) == text


@pytest.mark.parametrize(
    "kind", ["name", "number", "interval", "p", "count", "share", "verdict"]
)
def test_what_is_not_known_is_a_dash(kind: Kind) -> None:
    assert cell(Column("key", "title", kind), None) == "–"
    assert cell(Column("key", "title", kind), Cell(None, 2)) == "–"


@pytest.mark.parametrize("kind", ["text", "number", "p", "share"])
def test_not_a_number_is_a_dash(kind: Kind) -> None:
    assert cell(Column("key", "title", kind), math.nan) == "–"


def test_signs_and_decimals_are_those_of_the_column() -> None:
    signed = Column("key", "title", digits=1, sign=True)
    assert cell(signed, 2.25) == "+2.2"
    assert cell(signed, -2.25) == "−2.2"
    assert cell(Column("k", "t", "interval", digits=0, sign=True), (1, 2)) == "[+1, +2]"
    assert cell(Column("k", "t", "share", digits=0, sign=True), 0.5) == "+50%"
    assert cell(Column("k", "t", "shares", digits=0, sign=True), (0.0, 1.0)) == "[+0, +100]%"


def test_a_row_may_have_decimals_of_its_own() -> None:
    column = Column("size", "size", digits=lambda record: record.decimals)
    made = table("t", "Sizes", [column], [Record("a", 1.25, 1), Record("b", 1.25, 3)])
    assert made.texts() == [("1.2",), ("1.250",)]
    assert made.column("size") == (1.25, 1.25)
    assert plain(made.rows[0][0]) == 1.25
    assert plain("as it is") == "as it is"


def test_a_table_is_made_of_records() -> None:
    made = table(
        "t",
        "Sizes",
        [
            Column("name", "name", "name"),
            None,
            Column("double", "twice", digits=0, of=lambda record: 2 * record.size),
        ],
        [Record("a", 1.0), Record("b", 2.0)],
        breaks=[1],
        note="How to read it.",
        folded=True,
    )
    assert [column.key for column in made.columns] == ["name", "double"]
    assert made.rows == (("a", 2.0), ("b", 4.0))
    assert made.column("double") == (2.0, 4.0)
    assert (made.id, made.title, made.breaks) == ("t", "Sizes", (1,))
    assert (made.note, made.folded) == ("How to read it.", True)


def test_a_row_of_the_wrong_width_is_refused() -> None:
    columns = (Column("a", "a"), Column("b", "b"))
    for row in ((1,), (1, 2, 3)):
        with pytest.raises(
            InputError, match=rf"row 1 of table 't' must have 2 .* got {len(row)}"
        ):
            Table("t", "T", columns, ((1, 2), row))


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        *((kind, True) for kind in ("name", "text", "numbers", "verdict")),
        *((kind, False) for kind in ("number", "interval", "p", "count", "share", "shares")),
    ],
)
def test_words_stand_left_and_numbers_right(kind: Kind, left: bool) -> None:
    assert Column("key", "title", kind).left is left


def test_a_matrix_has_as_many_rows_and_columns_as_names() -> None:
    Matrix("m", "M", ("a", "b"), ((None, "better"), ("worse", None)))
    for verdicts in (((None, "better"),), ((None, "better"), ("worse",))):
        with pytest.raises(InputError, match="matrix 'm' must have 2 rows and columns"):
            Matrix("m", "M", ("a", "b"), verdicts)


def test_the_marks_of_a_matrix() -> None:
    verdicts = (
        ("better", "better", "undecided"),
        ("worse", None, None),
        (None, "higher", None),
    )
    made = Matrix("m", "M", ("a", "b", "c"), verdicts)
    assert [[made.mark(i, j) for j in range(3)] for i in range(3)] == [
        ["", "▲", "·"],
        ["▼", "", ""],
        ["", "▲", ""],
    ]


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("better", "better"),
        ("worse", "worse"),
        ("equivalent", "equivalent"),
        ("non-inferior", "equivalent"),
        ("superior", "better"),
        ("inferior", "worse"),
        ("undecided", "undecided"),
        ("higher", "info"),
        ("lower", "info"),
        ("", "info"),
    ],
)
def test_the_status_of_a_verdict(verdict: str, status: str) -> None:
    assert status_of(verdict) == status


def test_every_verdict_with_a_status_has_a_symbol() -> None:
    assert set(SYMBOLS) == {
        *("better", "worse", "higher", "lower", "equivalent", "non-inferior", "undecided"),
        *("superior", "inferior"),  # beyond the margin
    }


def test_notes_are_one_block_or_none() -> None:
    assert notes(()) == ()
    assert notes(("One.", "Two.")) == (
        Text("note", "Notes", points=(("plain", "One."), ("plain", "Two."))),
    )


@pytest.mark.parametrize(
    "block",
    [
        Verdict("info", "A."),
        Text("note", "Notes"),
        Column("a", "a"),
        Cell(1.0, 2),
        Table("t", "T", (), ()),
        Matrix("m", "M", (), ()),
        Examples("E", ()),
        Repeat("x"),
        Arranged("T", [], None),
    ],
    ids=lambda block: type(block).__name__,
)
def test_blocks_cannot_be_changed(block: object) -> None:
    name = block._fields[0] if isinstance(block, tuple) else fields(block)[0].name  # type: ignore[attr-defined, arg-type]
    with pytest.raises(AttributeError):  # of a frozen dataclass, and of a named tuple
        setattr(block, name, "other")
    assert not hasattr(block, "__dict__")


def test_spreadsheet_columns_come_after_all_others() -> None:
    assert max(Column("a", "a").keep, 6) < DATA_ONLY


# --- What a notebook shows of a result ---


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_notebook_shows_verdict_key_chart_and_first_table(name: str) -> None:
    made = RESULTS[name]._repr_html_()
    blocks = blocks_of(RESULTS[name])
    (verdict,) = (block for block in blocks if isinstance(block, Verdict))
    assert made.count('class="headline"') == 1
    assert made.count("<svg") == 2 * any(isinstance(b, Chart) and b.key for b in blocks)
    tables = [block for block in blocks if isinstance(block, Table)]
    assert made.count("<table") == min(1, len(tables))
    assert "<script" not in made
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")
    assert str(escape(verdict.headline.split()[0])) in made


def test_rules_and_ids_of_one_output_do_not_reach_another() -> None:
    first, second = results.comparison()._repr_html_(), results.comparison()._repr_html_()
    assert first != second
    id = first.partition('class="detectable ')[2].partition('"')[0]
    assert id.startswith("detectable-")
    # Three times: Jupyter turns all cells of tables to the right with a rule of two classes.
    assert f".detectable.{id}.{id}.{id} {{" in first
    assert f'id="{id}-chart-differences"' in first
    assert id not in second


def test_a_result_without_blocks_shows_its_summary_escaped() -> None:
    class Odd(Result):
        def summary(self) -> str:
            return "a < b"

    assert "a &lt; b" in Odd(signature=results.SIGNATURE)._repr_html_()


def test_several_results_follow_each_other() -> None:
    made = report(results.comparison(), results.ranking())._repr_html_()
    assert made.count('class="headline"') == 2
