"""Numbers into words."""

from typing import Any

import pytest

from detectable.core import wording
from detectable.core.interval import Interval
from detectable.core.wording import (
    for_runner,
    for_spreadsheet,
    for_terminal,
    from_spreadsheet,
    in_one_line,
    plain_digits,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.5, ".5000"),
        (1 / 10_001, ".0001"),
        (0.00001, "<.0001"),
        (float("nan"), "–"),
    ],
)
def test_a_p_value_is_never_printed_as_zero(value: float, text: str) -> None:
    assert wording.p_value(value) == text


def test_numbers_and_their_absence() -> None:
    assert wording.number(1.234) == "1.23"
    assert wording.number(1.234, digits=1, sign=True) == "+1.2"
    assert wording.number(None) == wording.number(float("nan")) == "–"
    assert wording.interval(Interval(-1, 2, 0.95), sign=True) == "[−1.00, +2.00]"
    assert wording.interval(None) == "–"


def test_counts_and_lists() -> None:
    assert wording.count(1, "line") == "1 line"
    assert wording.count(1002, "line") == "1,002 lines"
    assert wording.count(2, "entry", "entries") == "2 entries"
    assert wording.listing(["a", "b"]) == "a, b"
    assert wording.listing(list("abcdefg"), most=2) == "a, b and 5 more"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.99994, ".9999"),
        (0.99995, "1"),
        (0.00005, ".0001"),
        (0.000049, "<.0001"),
        (0.0, "<.0001"),
        (0.05, ".0500"),
    ],
)
def test_a_p_value_has_four_decimals_on_either_side_of_a_border(
    value: float, text: str
) -> None:
    assert wording.p_value(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123, "p = .0123"), (1.0, "p = 1"), (1e-9, "p < .0001"), (float("nan"), "p = –")],
)
def test_a_p_value_in_a_sentence(value: float, text: str) -> None:
    assert wording.p_statement(value) == text


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (0.0, {"sign": True}, "+0.00"),
        (-0.005, {"digits": 1}, "0.0"),
        (2.0, {"digits": 0}, "2"),
        (-1.25, {"sign": True, "digits": 1}, "−1.2"),
    ],
)
def test_numbers_with_and_without_a_sign(value: float, options: Any, text: str) -> None:
    assert wording.number(value, **options) == text


def test_an_interval_has_the_decimals_of_its_numbers() -> None:
    assert wording.interval(Interval(0.12345, 0.5, 0.95), digits=3) == "[0.123, 0.500]"
    assert wording.interval(Interval(float("nan"), 1.0, 0.95)) == "[–, 1.00]"


@pytest.mark.parametrize(
    ("n", "text"),
    [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (1_234_567, "1,234,567 lines")],
)
def test_one_is_singular_and_nothing_else(n: int, text: str) -> None:
    assert wording.count(n, "line") == text


def test_a_plural_of_its_own_is_not_used_for_one() -> None:
    assert wording.count(1, "entry", "entries") == "1 entry"


@pytest.mark.parametrize(
    ("n", "text"),
    [(0, ""), (1, "a"), (5, "a, b, c, d, e"), (6, "a, b, c, d, e and 1 more")],
)
def test_five_names_are_listed(n: int, text: str) -> None:
    assert wording.listing(list("abcdefgh")[:n]) == text


# --- Text of others, where it is shown ---


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain – ä 日本\n  two", "plain – ä 日本\n  two"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\rb\tc", r"a\rb\tc"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb", r"a\u202eb"),
        ("\ud800", r"\ud800"),
        ("\x7f", r"\x7f"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
    ],
)
def test_a_terminal_gets_no_commands(given: str, shown: str) -> None:
    assert for_terminal(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\n\\input{x}", "a \\input{x}"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\rg", "a b c d e f g"),
        ("a\x1bb\u2067c", "a b c"),
        ("  a  b ", "a b"),
    ],
)
def test_one_line_is_one_line(given: str, shown: str) -> None:
    assert in_one_line(given) == shown


@pytest.mark.parametrize(
    "text", ["=1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "-1+2", "＝1"]
)
def test_a_formula_becomes_text(text: str) -> None:
    assert for_spreadsheet(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=1", "", "-1", "+0.5", "-1e-05 2", "-.5", "− 1", "'tis"])
def test_other_text_and_numbers_stay(text: str) -> None:
    assert for_spreadsheet(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "=1+2",
        "'=1+2",
        "''=1",
        "-1",
        "'-1",
        "''-1.5",
        "'tis",
        "a=1",
        "",
        "'",
        "@x",
        "'@x",
        "\t-1",
        "+",
    ],
)
def test_a_cell_comes_back_as_it_was(text: str) -> None:
    cell = for_spreadsheet(text)
    assert not cell.startswith(("=", "@", "+", "\t"))
    assert from_spreadsheet(cell) == text


@pytest.mark.parametrize(
    "text",
    [
        "::stop-commands::x",
        " \t::error::x",
        "a\n::x",
        "a ##[error]b",
        "\x85::x\n::y",
        "a\r ::x",
    ],
)
def test_no_line_is_a_command_to_a_runner(text: str) -> None:
    for shown in (for_runner(text), for_terminal(text)):
        lines = shown.replace("\r", "\n").split("\n")
        assert not any(line.lstrip().startswith("::") for line in lines)
        assert "##[" not in shown
        assert shown.replace("\u200b", "") in (
            text,
            text.replace("\t", "\\t").replace("\x85", "\\x85").replace("\r", "\\r"),
        )


def test_other_colons_stay() -> None:
    assert for_runner("std::vector a::b ## [x]") == "std::vector a::b ## [x]"


@pytest.mark.parametrize("text", ["1_000", "١٢", "１２", "5\u00a0", "1_0.5", "²", "−5"])
def test_what_only_python_reads_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="digits"):
        plain_digits(text)


@pytest.mark.parametrize("text", ["12", " 0.5 ", "-1e-5", "+3", ".5", "inf", "word"])
def test_other_texts_are_left_to_who_reads_them(text: str) -> None:
    assert plain_digits(text) == text
