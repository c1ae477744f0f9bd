"""Text for a terminal: no line is wider than it, no cell is broken, and what is missing is said."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.report.blocks import (
    Block,
    Column,
    Examples,
    Mark,
    Matrix,
    Repeat,
    Table,
    Text,
    Verdict,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import GLANCE, SCREEN, matrix_text, render_text
from detectable.report.render.text_table import (
    MOST_ROWS,
    one_line,
    painted,
    prose,
    table_text,
    text_width,
)
from tests.report import results
from tests.report.results import RESULTS

GOLDEN = Path(__file__).parent.parent / "golden"
WIDTHS = (46, 60, 80, 120)
JAPANESE = "機械翻訳システム第{:02d}号"


def widest(text: str) -> int:
    """Return the widest line, apart from lines that are a single unbreakable word."""
    lines = [line for line in text.splitlines() if len(line.split()) > 1]
    return max(map(text_width, lines), default=0)


def compared(names: Sequence[str]) -> Table:
    columns = (
        Column("metric", "metric", "name"),
        Column("system", "system", "name"),
        Column("difference", "difference", sign=True, short="diff."),
        Column("interval", "joint 95 % interval", "interval", sign=True, short="joint 95 %"),
        Column("p", "p (Holm)", "p", short="p Holm"),
        Column("mde", "MDE 80 %", keep=3, short="MDE"),
        Column("verdict", "verdict", "verdict"),
    )
    words = ("better", "undecided", "worse")
    rows = [
        (metric, name, 1.25 - i, (0.5 - i, 2.0 - i), 0.0015 * (i + 1), 2.2, words[i % 3])
        for metric in ("BLEU", "chrF")
        for i, name in enumerate(names)
    ]
    return Table("pairs", "Differences to Online-B", columns, tuple(rows), (len(names),))


NAMES = ("Online-W", "NT5", "LanguageX")


# Prose


def test_prose_breaks_between_words_at_the_width() -> None:
    text = "With 321 documents a true-to-life difference is found four times in five."
    assert prose(text, 24).splitlines() == [
        "With 321 documents a",
        "true-to-life difference",
        "is found four times in",
        "five.",
    ]


def test_prose_is_never_wider_than_eighty() -> None:
    lines = prose("word " * 100, 200).splitlines()
    assert {len(line) for line in lines[:-1]} == {79}


def test_a_line_may_be_exactly_as_wide_as_the_width() -> None:
    assert prose("abc defg", 8) == "abc defg"
    assert prose("abc defgh", 8) == "abc\ndefgh"


def test_words_that_do_not_fit_stand_alone() -> None:
    assert prose("a https://example.org/long/path b", 10).splitlines() == [
        "a",
        "https://example.org/long/path",
        "b",
    ]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("it was p = .0312 here", 11, ["it was", "p = .0312", "here"]),
        ("it was p < .0001.", 15, ["it was", "p < .0001."]),
        ("so [−0.28, +0.85] it", 16, ["so", "[−0.28, +0.85]", "it"]),
        ("so [81.5%, 86.7%] it", 16, ["so", "[81.5%, 86.7%]", "it"]),
        ("only 5, 10 and 20", 8, ["only 5,", "10 and", "20"]),  # no interval
        ("p = .0312 as it is", 6, ["p =", ".0312", "as it", "is"]),  # too narrow to hold it
    ],
)
def test_a_comparison_and_an_interval_stay_in_one_line(
    text: str, width: int, lines: list[str]
) -> None:
    assert prose(text, width).splitlines() == lines


def test_a_mark_stands_before_the_first_line() -> None:
    assert prose("one two three", 9, "! ").splitlines() == ["! one two", "  three"]


def test_a_long_mark_does_not_push_all_lines_to_the_right() -> None:
    found = prose("one two three four", 20, "    a-very-long-name: ").splitlines()
    assert found == ["    a-very-long-name:", "      one two three", "      four"]


def test_nothing_becomes_nothing() -> None:
    assert prose("") == prose(" \n ") == ""


def test_line_breaks_and_tabs_of_the_text_are_spaces() -> None:
    assert prose("one\ntwo\t three", 80) == "one two three"
    assert one_line("a\x1b[31m b\r\nc") == "a [31m b c"


def test_text_without_spaces_breaks_between_characters_but_not_before_a_comma() -> None:
    assert prose("今日は、良い天気です。", 8).splitlines() == ["今日は、", "良い天気", "です。"]
    assert prose("今日は良、天気", 8).splitlines() == ["今日は", "良、天気"]
    assert prose("訳sys-1訳", 6).splitlines() == ["訳", "sys-1", "訳"]


@given(st.text(alphabet="ab é訳。-\n=1,]", max_size=80), st.integers(8, 90))
def test_no_line_of_prose_is_too_wide_and_nothing_is_lost(text: str, width: int) -> None:
    found = prose(text, width)
    assert "".join(found.split()) == "".join(text.split())
    for line in found.splitlines():
        words = line.split()
        # A word of letters, or closing marks, cannot be broken.
        assert text_width(line) <= min(width, 80) or len(words) == 1


# Widths and names


# Tables


def test_a_table_at_full_width() -> None:
    assert table_text(compared(NAMES), 80) == (
        "Differences to Online-B\n"
        "system     difference  joint 95 % interval  p (Holm)  MDE 80 %  verdict\n"
        "── BLEU ───────────────────────────────────────────────────────────────────\n"
        "Online-W        +1.25       [+0.50, +2.00]     .0015      2.20  ▲ better\n"
        "NT5             +0.25       [−0.50, +1.00]     .0030      2.20  ○ undecided\n"
        "LanguageX       −0.75       [−1.50, +0.00]     .0045      2.20  ▼ worse\n"
        "── chrF ───────────────────────────────────────────────────────────────────\n"
        "Online-W        +1.25       [+0.50, +2.00]     .0015      2.20  ▲ better\n"
        "NT5             +0.25       [−0.50, +1.00]     .0030      2.20  ○ undecided\n"
        "LanguageX       −0.75       [−1.50, +0.00]     .0045      2.20  ▼ worse"
    )


def test_first_the_headings_become_short() -> None:
    lines = table_text(compared(NAMES), 60).splitlines()
    assert lines[1] == "system     diff.      joint 95 %  p Holm   MDE  verdict"
    assert not lines[-1].startswith("(")


def test_then_columns_go_and_a_line_says_which() -> None:
    lines = table_text(compared(NAMES), 54).splitlines()
    assert lines[1] == "system     diff.      joint 95 %  p Holm  verdict"
    assert lines[3] == "Online-W   +1.25  [+0.50, +2.00]   .0015  ▲ better"
    assert lines[-1] == "(not shown at this width: MDE 80 %)"


def test_columns_go_by_what_they_matter_before_verdicts_become_symbols() -> None:
    columns = (
        Column("s", "system", "name"),
        *(Column(f"k{keep}", f"keep {keep}", "count", keep=keep) for keep in (2, 4, 3, 2)),
        Column("v", "verdict", "verdict"),
    )
    table = Table("t", "T", columns, (("a", 1, 2, 3, 4, "better"), ("b", 5, 6, 7, 8, "worse")))
    heads = {width: table_text(table, width).splitlines()[1] for width in (48, 47, 40, 39, 31)}
    assert heads == {
        48: "system  keep 2  keep 4  keep 3  keep 2  verdict",
        47: "system  keep 2  keep 3  keep 2  verdict",
        40: "system  keep 2  keep 3  keep 2  verdict",
        39: "system  keep 2  keep 2  verdict",
        31: "system  verdict",
    }
    same = Table("t", "T", columns[1:2], ((1,), (2,)))
    assert table_text(same, 3).splitlines()[1] == "keep 2"  # nothing matters more


def test_then_verdicts_become_symbols() -> None:
    lines = table_text(compared(NAMES), 46).splitlines()
    assert lines[1] == "system     diff.      joint 95 %  p Holm"
    assert lines[3:6] == [
        "Online-W   +1.25  [+0.50, +2.00]   .0015  ▲",
        "NT5        +0.25  [−0.50, +1.00]   .0030  ○",
        "LanguageX  −0.75  [−1.50, +0.00]   .0045  ▼",
    ]


def test_then_names_are_cut_but_never_below_twelve() -> None:
    long = [f"system-with-a-long-name-{i:02d}" for i in range(3)]
    lines = table_text(compared(long), 50).splitlines()
    assert lines[3] == "system-w…name-00  +1.25  [+0.50, +2.00]   .0015  ▲"
    lines = table_text(compared(long), 46).splitlines()
    assert lines[3] == "system…me-00  +1.25  [+0.50, +2.00]   .0015  ▲"


def test_last_of_all_intervals_go_and_names_come_back() -> None:
    long = [f"system-with-a-long-name-{i:02d}" for i in range(3)]
    lines = table_text(compared(long), 45).splitlines()
    assert lines[1] == "system                      diff.  p Holm"
    assert lines[3] == "system-with-a-long-name-00  +1.25   .0015  ▲"
    assert lines[-2:] == ["(not shown at this width: joint 95 %", "interval, MDE 80 %)"]


def test_then_the_last_column_that_is_not_the_answer() -> None:
    lines = table_text(compared(NAMES), 22).splitlines()
    assert lines[2] == "system     diff."
    assert lines[4] == "Online-W   +1.25  ▲"


def test_two_columns_are_the_least() -> None:
    verdicts = [Column(f"m{i}", f"metric-{i}", "verdict") for i in range(3)]
    table = Table(
        "t", "T", (Column("s", "system", "name"), *verdicts), (("abc",) + ("better",) * 3,)
    )
    assert table_text(table, 4).splitlines()[1:4] == [
        "system",
        "─────────",
        "abc     ▲",
    ]


def test_a_heading_longer_than_its_names_does_not_stop_the_search() -> None:
    columns = (Column("a", "a heading of its own", "name"), Column("b", "number", digits=0))
    table = Table("t", "T", columns, (("x", 1), ("y", 2)))
    assert table_text(table, 20).splitlines()[1] == "a heading of its own  number"


def test_a_column_for_spreadsheets_is_neither_shown_nor_missed() -> None:
    table = compared(NAMES)
    hidden = replace(table.columns[5], keep=9)
    text = table_text(replace(table, columns=(*table.columns[:5], hidden, *table.columns[6:])))
    assert "MDE" not in text
    assert "not shown" not in text


def test_shared_names_move_to_the_title() -> None:
    table = compared(["only"])
    lines = table_text(table, 80).splitlines()
    assert lines[0] == "Differences to Online-B (system only)"
    assert lines[1].startswith("difference")


def test_breaks_without_names_are_dashed_rules() -> None:
    columns = (Column("cluster", "cluster", "count"), Column("system", "system", "name"))
    table = Table("t", "Ranking", columns, ((1, "a"), (1, "b"), (2, "c")), (2,))
    assert table_text(table).splitlines() == [
        "Ranking",
        "cluster  system",
        "───────────────",
        "      1  a",
        "      1  b",
        "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
        "      2  c",
    ]


def test_headings_of_blocks_are_cut_to_the_width_and_have_no_blanks_at_the_end() -> None:
    columns = (Column("b", "block", "name"), Column("n", "n", "count"))
    rows = (("a block with a rather long name", 1), ("b", 2), ("機械", 3))
    lines = table_text(Table("t", "T", columns, rows, (1, 2)), 20).splitlines()
    assert lines[2:] == ["── a block …ng name", "1", "── b", "2", "── 機械", "3"]
    wide = table_text(
        Table("t", "T", (columns[0], Column("n", "number of them", "count")), rows, (1, 2)), 40
    )
    assert wide.splitlines()[2] == "── a block with a rather long name"
    assert wide.splitlines()[4] == "── b ─────────"
    assert wide.splitlines()[6] == "── 機械 ──────"


def test_notes_stand_below_a_table() -> None:
    table = replace(compared(NAMES), note="Read it from left to right, and mind the gap.")
    assert table_text(table, 60).splitlines()[-1] == table.note
    assert table_text(table, 30).splitlines()[-4:-2] == [
        "Read it from left to right,",
        "and mind the gap.",
    ]


def test_cells_stay_in_one_line() -> None:
    columns = (Column("a", "a", "name"), Column("b", "b", "text"))
    table = Table("t", "T", columns, (("two\nlines", "tab\there"), ("x", "y")))
    assert table_text(table).splitlines()[3] == "two lines  tab here"


def test_japanese_names_are_as_wide_as_they_look() -> None:
    names = [JAPANESE.format(i) for i in range(1, 4)]
    lines = table_text(compared(names), 80).splitlines()
    assert {text_width(line) for line in (lines[2], lines[6])} == {text_width(lines[2])}
    edges = [text_width(line[: line.index("+1.25") + 5]) for line in lines if "+1.25" in line]
    assert len(set(edges)) == 1
    assert max(map(text_width, lines)) <= 80


# Rows


def many(n: int, **changes: bool) -> Table:
    columns = (Column("name", "name", "name"), Column("n", "n", "count"))
    return Table("all", "Everything", columns, tuple((f"r{i}", i) for i in range(n)), **changes)  # type: ignore[arg-type]


def test_twenty_rows_are_shown_and_more_are_counted() -> None:
    assert MOST_ROWS == 20
    whole = table_text(many(20)).splitlines()
    assert whole[-1] == "r19   19"
    cut = table_text(many(21)).splitlines()
    assert cut[-2:] == ["r19   19", "(1 more row: --all, or --csv all:FILE)"]
    assert table_text(many(1091)).splitlines()[-1] == (
        "(1,071 more rows: --all, or --csv all:FILE)"
    )
    assert table_text(many(21), most=None).splitlines()[-1] == "r20   20"


def test_missing_rows_and_columns_are_said_together() -> None:
    table = compared([f"s{i}" for i in range(21)])
    assert table_text(table, 46).splitlines()[-2:] == [
        "(22 more rows: --all, or --csv pairs:FILE; not",
        "shown at this width: MDE 80 %)",
    ]


def test_the_width_is_that_of_the_rows_that_are_shown() -> None:
    rows = (*(("r", 1) for _ in range(20)), ("a-name-that-is-not-shown", 2))
    columns = (Column("name", "name", "name"), Column("n", "n", "count"))
    assert table_text(Table("t", "T", columns, rows)).splitlines()[1] == "name  n"


def test_a_folded_table_is_named_in_the_last_line() -> None:
    blocks = (Verdict("info", "A."), many(13, folded=True), Repeat("x"))
    assert (
        render_text(blocks) == "A.\n\nMore with --all: all (13 rows). Tables: --csv NAME:FILE."
    )
    assert render_text(blocks, width=40).splitlines()[2:] == [
        "More with --all: all (13 rows). Tables:",
        "--csv NAME:FILE.",
    ]


def test_a_folded_table_opens_by_name_or_with_everything() -> None:
    blocks = (Verdict("info", "A."), many(30, folded=True), many(25), Repeat("x"))
    short = render_text(blocks)
    assert "More with --all: all (30 rows)." in short
    assert "(5 more rows" in short
    for opened in (
        render_text(blocks, everything=True),
        render_text(blocks, unfold=["all"]),
    ):
        assert "more rows" not in opened
        assert "More" not in opened
        assert "r29   29" in opened
    assert render_text(blocks, unfold=["other"]) == short


# Other blocks


def test_the_verdict_comes_first_and_the_signature_is_left_to_stderr() -> None:
    blocks = (Verdict("better", "B is better.", ("By far.", "Really.")), Repeat("sig", "cmd"))
    assert render_text(blocks) == "B is better.\nBy far.\nReally."


def test_blocks_are_parted_by_an_empty_line_and_notes_are_left_out() -> None:
    blocks: tuple[Block, ...] = (
        Verdict("info", "A."),
        Text("note", "Notes", points=(("plain", "Left out."),)),
        Text("limits", "Limits", "Little.", (("plain", "A point."), ("ok", "Fine."))),
        Text("limits", "Empty"),
        Repeat("sig"),
    )
    assert render_text(blocks) == "A.\n\nLimits\nLittle.\n· A point.\n✓ Fine."


def test_of_checks_a_terminal_shows_what_to_look_at() -> None:
    points: tuple[tuple[Mark, str], ...] = (
        ("ok", "Fine."),
        ("look", "Mind this."),
        ("plain", "So so."),
    )
    blocks = (Text("checks", "Checks", points=points),)
    assert render_text(blocks) == "! Mind this."
    assert render_text(blocks, everything=True) == "Checks\n✓ Fine.\n! Mind this.\n· So so."
    assert render_text((Text("checks", "Checks", points=points[:1]),)) == ""


def test_points_to_look_at_fill_a_screen_and_one_is_always_there() -> None:
    points: tuple[tuple[Mark, str], ...] = tuple(("look", f"Point {i}.") for i in range(9))
    checks = Text("checks", "Checks", points=points)
    limits = Text("limits", "Limits", points=tuple(("plain", f"l{i}") for i in range(47)))
    short = render_text((Verdict("info", "A."), limits, checks)).splitlines()
    assert short[-3:] == ["! Point 4.", "", "More with --all: 4 points to look at."]
    assert len(short) == SCREEN
    longer = limits._replace(points=limits.points * 2)
    lines = render_text((Verdict("info", "A."), longer, checks)).splitlines()
    assert lines[-3:] == ["! Point 0.", "", "More with --all: 8 points to look at."]
    assert "More" not in render_text((Verdict("info", "A."), checks))


def test_what_there_is_to_read_comes_with_everything() -> None:
    items = tuple((f"segment {i}", (("source", "Guten Tag."),)) for i in range(1, 9))
    assert render_text((Examples("To read", items),)) == "More with --all: 8 examples."
    lines = render_text((Examples("To read", items),), everything=True).splitlines()
    assert lines[:3] == ["To read", "segment 1", "    source: Guten Tag."]
    assert len(lines) == 17


def test_only_the_verdict_is_painted() -> None:
    blocks = (Verdict("better", "B is better."), compared(NAMES))
    plain = render_text(blocks)
    coloured = render_text(blocks, colour=painted)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain
    assert set(re.findall("\x1b\\[[0-9]+m([^\x1b]+)\x1b\\[0m", coloured)) == {
        "▲ better",
        "▼ worse",
    }
    assert "\x1b" in render_text(blocks, everything=True, colour=painted)
    symbols = render_text(blocks, width=40, colour=painted)
    assert "\x1b[31m▼\x1b[0m" in symbols


# Matrices


def square(n: int, name: str = "system-{:02d}") -> Matrix:
    def verdict(i: int, j: int) -> str | None:
        return (
            None
            if i == j
            else "undecided"
            if abs(i - j) < 3
            else "better"
            if i < j
            else "worse"
        )

    names = tuple(name.format(i) for i in range(1, n + 1))
    verdicts = tuple(tuple(verdict(i, j) for j in range(n)) for i in range(n))
    return Matrix("matrix", f"All pairs of {n}", names, verdicts)


LEGEND = "▲ row better than column, ▼ worse, ◆ equivalent, · undecided."


def test_a_small_matrix() -> None:
    made = Matrix(
        "m",
        "All pairs",
        ("a", "longer", "c", "d"),
        (
            (None, "better", "undecided", None),
            ("worse", None, "equivalent", "higher"),
            ("undecided", "equivalent", None, "lower"),
            (None, "lower", "higher", None),
        ),
        "As of today.",
    )
    assert matrix_text(made).splitlines() == [
        "All pairs",
        "            1  2  3  4",
        " 1  a          ▲  ·",
        " 2  longer  ▼     ◆  ▲",
        " 3  c       ·  ◆     ▼",
        " 4  d          ▼  ▲",
        LEGEND,
        "As of today.",
    ]


def test_thirteen_systems_have_three_columns_each() -> None:
    lines = matrix_text(square(13)).splitlines()
    assert lines[1] == " " * 13 + "  1  2  3  4  5  6  7  8  9 10 11 12 13"
    assert lines[2] == " 1  system-01     ·  ·  ▲  ▲  ▲  ▲  ▲  ▲  ▲  ▲  ▲  ▲"
    assert lines[-1] == LEGEND


def test_twenty_four_systems_have_two_columns_each_and_tens_over_units() -> None:
    lines = matrix_text(square(24, "a-rather-long-name-{:02d}")).splitlines()
    title = "All pairs of 24"  # over the first nine columns nothing else stands
    assert lines[0] == title + " " * (25 + 18 - len(title)) + " 1" * 10 + " 2" * 5
    assert lines[1] == " " * 25 + "".join(f"{i % 10:>2}" for i in range(1, 25))
    assert lines[25].startswith("24  a-rather-long-name-24 ▼")
    assert len(lines) == 2 + 24 + 1
    assert max(map(text_width, lines)) <= 80


def test_of_forty_systems_the_first_twenty_four_are_shown() -> None:
    lines = matrix_text(square(40)).splitlines()
    assert lines[-1] == "(the first 24 of 40 systems)"
    assert lines[-2] == LEGEND
    assert lines[-3].startswith("24  system-24")
    assert matrix_text(square(40), 120).splitlines()[-1] == "(the first 24 of 40 systems)"


def test_a_narrow_matrix_cuts_names_then_systems() -> None:
    lines = matrix_text(square(13, "a-rather-long-name-{:02d}"), 46).splitlines()
    assert lines[2].startswith(" 1  a-rather…name-01   · ·")
    assert lines[1].endswith(" 1 2 3")
    long = replace(
        square(13, "a-rather-long-name-{:02d}"), title="A title that is too long to stand there"
    )
    assert matrix_text(long, 46).splitlines()[:2] == [
        "A title that is too long to stand there",
        " " * (46 - 8) + " 1 1 1 1",
    ]
    lines = matrix_text(square(24), 46).splitlines()
    assert "(the first 16 of 24 systems)" in lines
    lines = matrix_text(square(24, "a-rather-long-name-{:02d}"), 46).splitlines()
    assert "(the first 15 of 24 systems)" in lines


def test_names_beside_a_matrix_take_twenty_two_columns_at_most() -> None:
    lines = matrix_text(square(4, "a-name-longer-than-twenty-two-{:02d}"), 120).splitlines()
    assert lines[2] == " 1  a-name-long…nty-two-01     ·  ·  ▲"
    exact = matrix_text(square(4, "x" * 20 + "{:02d}"), 120).splitlines()
    assert exact[2].startswith(" 1  " + "x" * 20 + "01 ")


def test_a_matrix_takes_three_columns_where_they_just_fit() -> None:
    # 2 for the number, 2 between, 9 for the name, 3 for each of 4
    assert matrix_text(square(4), 25).splitlines()[1].strip() == "1  2  3  4"
    assert matrix_text(square(4), 24).splitlines()[1].strip() == "1 2 3 4"


def scored(n: int, name: str = "system-{:02d}") -> Table:
    columns = (
        Column("cluster", "cluster", "count", keep=2),
        Column("system", "system", "name"),
        Column("score", "score"),
    )
    rows = tuple((1, name.format(i), 80.0 - i) for i in range(1, n + 1))
    return Table("systems", "Ranking", columns, rows)


def test_marks_stand_beside_what_is_said_of_a_system() -> None:
    lines = matrix_text(square(4), beside=scored(4)).splitlines()
    assert lines == [
        "All pairs of 4",
        "    cluster  system     score  1  2  3  4",
        " 1        1  system-01  79.00     ·  ·  ▲",
        " 2        1  system-02  78.00  ·     ·  ·",
        " 3        1  system-03  77.00  ·  ·     ·",
        " 4        1  system-04  76.00  ▼  ·  ·",
        LEGEND,
    ]
    longer = scored(24, "a-longer-name-{:02d}")
    many_lines = matrix_text(square(24), beside=longer).splitlines()
    assert many_lines[1].startswith("    system            score 1 2 3")
    assert max(map(text_width, many_lines)) <= 80


def joined(n: int, *, folded: bool = False) -> tuple[Block, ...]:
    matrix = replace(square(n), beside=scored(n))
    shown = Table("systems", "Ranking", scored(n).columns, scored(n).rows, folded=folded)
    return (Verdict("info", "A."), shown, matrix, replace(matrix, id="second"))


def test_a_table_that_would_not_be_shown_whole_stands_beside_the_marks() -> None:
    twenty = render_text(joined(20))
    assert "Ranking\ncluster  system     score\n" in twenty
    assert "system     score 1 2" not in twenty
    more = render_text(joined(21))
    assert "Ranking\n" not in more
    assert "system     score 1 2" in more
    assert "More with --all: systems (21 rows), second. Tables: --csv NAME:FILE." in more
    folded = render_text(joined(13, folded=True))
    assert "system     score  1  2" in folded
    assert "systems (13 rows)" in folded
    whole = render_text(joined(21), everything=True)
    assert "Ranking\n" in whole
    assert whole.count("All pairs of 21") == 2


def test_of_few_systems_every_matrix_is_shown() -> None:
    assert render_text(joined(12)).count("All pairs of 12") == 2
    assert render_text(joined(13)).count("All pairs of 13") == 1


def test_points_to_look_at_stay_out_of_a_long_matrix() -> None:
    points: tuple[tuple[Mark, str], ...] = tuple(("look", f"Point {i}.") for i in range(30))
    checks = Text("checks", "Checks", points=points)
    lines = render_text((*joined(24), checks)).splitlines()
    assert len(lines) == GLANCE
    few = render_text((*joined(24), checks._replace(points=(("look", "x " * 600),))))
    assert "! x" not in few
    assert "More with --all: 1 point to look at, systems (24 rows)" in few


@pytest.mark.parametrize("n", [4, 13, 24, 40])
@pytest.mark.parametrize("name", ["s{}", "a-rather-long-system-name-{:02d}", JAPANESE])
def test_no_matrix_is_wider_than_the_terminal(n: int, name: str) -> None:
    made = replace(square(n, name), title="All pairs in some metric: 12 of 34 told apart")
    for width in WIDTHS:
        assert widest(matrix_text(made, width)) <= width
        assert widest(matrix_text(made, width, beside=scored(n, name))) <= width


# Whole results


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_result_fits_and_no_cell_is_broken(name: str) -> None:
    blocks = blocks_of(RESULTS[name])
    tables = [replace(one, folded=False) for one in blocks if isinstance(one, Table)]
    for width in WIDTHS:
        for everything in (False, True):
            text = render_text(blocks, width=width, everything=everything)
            assert widest(text) <= width
            assert not re.search(r"[ \t]+$", text, flags=re.MULTILINE)
        for one in tables:
            check_no_cell_is_broken(one, width)


def check_no_cell_is_broken(table: Table, width: int) -> None:
    lines = table_text(table, width, most=None).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("──"))
    body = [line for line in lines[start:] if not line.startswith(("──", "╌", "("))]
    known = {text for texts in table.texts() for text in texts} | set("▲▼◆○·")
    for line in body[: len(table.rows)]:
        cells = re.split(r" {2,}", line.strip())
        assert all(cell in known or "…" in cell for cell in cells)


@pytest.mark.parametrize("name", ["system-with-a-name-of-forty-characters{:02d}", JAPANESE])
def test_no_line_of_a_long_ranking_is_too_wide(name: str) -> None:
    blocks = blocks_of(results.long_ranking(14, name=name))
    for width in WIDTHS:
        assert widest(render_text(blocks, width=width, everything=True)) <= width


@pytest.mark.parametrize(
    ("name", "width"),
    [
        *(("comparison", 80), ("comparison-narrow", 46)),
        *(("ranking", 80), ("ranking-narrow", 46)),
        *(("reliability", 80), ("reliability-narrow", 46)),
        *(("translationese", 80), ("translationese-narrow", 46)),
        *(("archive_audit", 80), ("benchmark_audit", 80), ("survey_audit", 80)),
    ],
)
def test_golden_text(name: str, width: int) -> None:
    made = {
        **RESULTS,
        "comparison": results.many_pairs("▲▲○▼▼▼", ("bleu", "chrf", "ter")),
        "ranking": results.long_ranking(13),
    }[name.partition("-")[0]]
    text = render_text(blocks_of(made), width=width) + "\n"
    assert text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
