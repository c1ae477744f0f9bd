"""Numbers into words."""

import pytest

from detectable.core import wording
from detectable.core.interval import Interval


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
