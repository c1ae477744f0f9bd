"""Colours of a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.report.render.text_table import painted, shorten, text_width


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
