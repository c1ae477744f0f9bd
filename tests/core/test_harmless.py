"""Text of others, where it is shown."""

import pytest

from detectable.core.wording import for_spreadsheet, for_terminal, from_spreadsheet, in_one_line


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
