"""Colours of a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.report.blocks import Column, Repeat, Table, Verdict
from detectable.report.render.page import render_page
from detectable.report.render.text_table import (
    arrange,
    painted,
    phone_columns,
    shorten,
    shown_columns,
    text_width,
)


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        *(("▲ better", 32), ("▲ higher", 32), ("▼ worse", 31), ("▼ lower", 31)),
        *(("◆ equivalent", 34), ("◆ non-inferior", 34), ("▲", 32), ("▼", 31), ("◆", 34)),
    ],
)
def test_a_decided_verdict_has_a_colour(verdict: str, code: int) -> None:
    assert painted(verdict) == f"\x1b[{code}m{verdict}\x1b[0m"


@pytest.mark.parametrize("text", ["○ undecided", "○", "·", "–", "go on"])
def test_nothing_else_has(text: str) -> None:
    assert painted(text) == text


# --- How many columns of a terminal a text takes, and names that are cut to fit ---


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("訳", 2), ("e\u0301", 1), ("ａ", 2), ("", 0), ("a\u200bb", 2), ("▲", 1)],
)
def test_widths_of_characters(text: str, width: int) -> None:
    assert text_width(text) == width


@pytest.mark.parametrize(
    ("name", "width", "short"),
    [
        ("system-with-a-long-name-01", 15, "system-…name-01"),
        ("system-with-a-long-name-01", 14, "system-…ame-01"),
        ("short", 5, "short"),
        ("shorter", 6, "sho…er"),
        ("機械翻訳システム", 11, "機械翻…テム"),
        ("機械翻訳システム", 10, "機械…テム"),
        ("機械翻訳システム", 16, "機械翻訳システム"),
        ("a機械翻訳", 6, "a機…訳"),
    ],
)
def test_names_are_cut_in_the_middle(name: str, width: int, short: str) -> None:
    assert shorten(name, width) == short
    assert text_width(short) <= width


@given(st.text(alphabet="ab訳ス1", min_size=1, max_size=40), st.integers(3, 30))
def test_a_cut_name_keeps_both_ends_and_fits(name: str, width: int) -> None:
    short = shorten(name, width)
    assert text_width(short) <= width
    head, _, tail = short.partition("…")
    assert name.startswith(head)
    assert name.endswith(tail)


# --- Which columns a phone shows: as many as fit, the least important left out first ---

NAME = Column("system", "system", "name")
COLUMNS = (
    NAME,
    Column("a", "mean", keep=3),
    Column("b", "mean", keep=2),
    Column("c", "mean", keep=2),
    Column("d", "mean"),
)


def kept(name: str, *, broken: set[str] | None = None) -> str:
    table = Table("t", "T", COLUMNS, ((name, 1.0, 2.0, 3.0, 4.0),))
    found = phone_columns(table, list(COLUMNS), broken=broken or set())
    return "".join(column.key for column in found.columns)


def test_all_are_kept_where_there_is_room() -> None:
    assert kept("short") == "systemabcd"


def test_the_largest_keep_goes_first_and_of_equal_ones_the_last() -> None:
    lengths = {kept("n" * letters) for letters in range(1, 60)}
    assert lengths == {"systemabcd", "systembcd", "systembd", "systemd"}


def test_how_many_letters_fit() -> None:
    # n is .556 of 12.8 pixels wide, «mean» in bold 2.612; all by 1.18, and 7 between columns:
    # 8.40 n + 4 (39.45 + 7) <= 354.
    assert kept("n" * 20) == "systemabcd"
    assert kept("n" * 21) == "systembcd"


def test_what_matters_most_stays_however_wide() -> None:
    assert kept("n" * 200) == "systemd"


def test_sentences_may_be_broken_and_take_little_room() -> None:
    assert kept("n" * 200, broken={"system"}) == "systemabcd"


def test_a_heading_is_as_wide_as_its_widest_word() -> None:
    def of(title: str) -> int:
        columns = [NAME, *(Column(f"c{i}", title, keep=2) for i in range(6))]
        table = Table("t", "T", tuple(columns), (("a", *range(6)),))
        return len(phone_columns(table, columns, broken=set()).columns)

    assert of("one two three four") == 7
    assert of("one-two-three-four") < 5


def verdicts(name: str) -> tuple[str, ...]:
    columns = [NAME, Column("more", "more", keep=2), Column("verdict", "verdict", "verdict")]
    rows = ((name, 1.0, "better"), (name, 2.0, "undecided"), (name, 3.0, "better"))
    found = phone_columns(Table("t", "T", tuple(columns), rows), columns, broken=set())
    assert (
        columns[1] in found.columns or len(name) > 20
    )  # what is left out goes before words do
    return found.signs


def test_verdicts_are_signs_where_nothing_else_can_be_left_out() -> None:
    assert verdicts("n" * 10) == verdicts("n" * 29) == ()
    assert verdicts("n" * 40) == ("▲ better", "○ undecided")


# --- What a page shows of a table: closer together where a desk has no room otherwise ---


def tight(name: str, heading: str = "mean") -> bool:
    columns = (NAME, *(Column(f"c{i}", heading) for i in range(8)))
    table = Table("t", "T", columns, ((name, *(float(i) for i in range(8))),))
    return shown_columns(table, arrange(table)).tight


def test_how_many_letters_fit_on_a_desk() -> None:
    # n is .556 of 14.1 pixels wide, «mean» in bold 2.612; all by 1.18, and 12.8 between columns:
    # 9.25 n + 8 (43.46 + 12.8) <= 748.
    assert not tight("n" * 32)
    assert tight("n" * 33)


def test_a_desk_shows_whole_headings() -> None:
    columns = (NAME, *(Column(f"c{i}", "considerably", short="c") for i in range(8)))
    table = Table("t", "T", columns, (("a", *(float(i) for i in range(8))),))
    assert shown_columns(table, arrange(table)).tight
    assert not tight("a", "c")


def test_the_page_says_so_of_the_table_alone() -> None:
    columns = (NAME, *(Column(f"c{i}", "mean") for i in range(8)))
    row = tuple(float(i) for i in range(8))
    wide = Table("wide", "T", columns, (("n" * 33, *row),))
    usual = Table("usual", "T", columns, (("n", *row),))
    page = render_page([Verdict("info", "A."), wide, usual, Repeat("sig")])
    assert '<table id="wide" class="tight">' in page
    assert '<table id="usual">' in page
