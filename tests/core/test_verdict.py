"""One rule and one wording for all that is said about two systems."""

import math
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict, could_have_seen, decide, in_numbers, in_words

AT = 0.05


class TestTheRule:
    @pytest.mark.parametrize(
        ("difference", "p", "expected"),
        [
            (1.0, 0.04, "better"),
            (-1.0, 0.04, "worse"),
            (1e-9, 0.04, "better"),  # only the sign counts
            (1.0, AT, "better"),  # exactly alpha decides
            (1.0, math.nextafter(AT, 1.0), "undecided"),
            (0.0, 0.001, "undecided"),  # no direction to claim
            (1.0, math.nan, "undecided"),
        ],
    )
    def test_two_sided(self, difference: float, p: float, expected: Verdict) -> None:
        assert decide(difference, p=p, alpha=AT) == expected

    @pytest.mark.parametrize(
        ("higher_is_better", "up", "down"),
        [(True, "better", "worse"), (False, "worse", "better"), (None, "higher", "lower")],
    )
    def test_the_metric_says_which_way_is_good(
        self, up: str, down: str, *, higher_is_better: bool | None
    ) -> None:
        found = [
            decide(d, p=0.01, alpha=AT, higher_is_better=higher_is_better)
            for d in (1e-9, -1e-9)
        ]
        assert found == [up, down]

    @pytest.mark.parametrize(
        ("p", "p_against", "expected"),
        [
            (AT, 0.95, "better"),
            (0.951, AT, "worse"),
            (0.06, 0.94, "undecided"),
            (math.nan, math.nan, "undecided"),
        ],
    )
    def test_one_sided_tests_carry_the_direction(
        self, p: float, p_against: float, expected: Verdict
    ) -> None:
        for difference in (-1.0, 0.0, 1.0):
            assert decide(difference, p=p, p_against=p_against, alpha=AT) == expected

    def test_equivalence_comes_first(self) -> None:
        assert decide(0.1, p=0.001, alpha=AT, p_equivalence=AT) == "equivalent"
        above = math.nextafter(AT, 1.0)
        assert decide(0.1, p=0.001, alpha=AT, p_equivalence=above) == "better"
        assert decide(0.1, p=0.2, alpha=AT, p_equivalence=above) == "undecided"


class TestTheWords:
    @pytest.mark.parametrize(
        ("verdict", "words"),
        [
            ("better", "new is better than old"),
            ("worse", "new is worse than old"),
            ("higher", "new is higher than old"),
            ("lower", "new is lower than old"),
            ("equivalent", "new and old are equivalent within ±0.50"),
            ("non-inferior", "new is not worse than old by more than 0.50"),
            ("undecided", "undecided between new and old"),
        ],
    )
    def test_every_verdict_has_its_words(self, verdict: Verdict, words: str) -> None:
        assert in_words(verdict, "new", "old", margin="0.50") == words

    def test_a_margin_that_is_not_at_hand_is_named(self) -> None:
        assert in_words("equivalent", "a", "b") == "a and b are equivalent within the margin"
        assert in_words("non-inferior", "a", "b") == (
            "a is not worse than b by more than the margin"
        )

    @pytest.mark.parametrize(
        ("claim", "margin", "words"),
        [
            ("non-inferior", "0.5", "not shown that a is not worse than b by more than 0.5"),
            (
                "non-inferior",
                None,
                "not shown that a is not worse than b by more than the margin",
            ),
            ("equivalent", "0.5", "not shown that a and b are equivalent within ±0.5"),
            ("equivalent", None, "not shown that a and b are equivalent within the margin"),
            ("better", "0.5", "undecided between a and b"),
        ],
    )
    def test_what_was_not_shown_is_the_claim(
        self, claim: Any, margin: str | None, words: str
    ) -> None:
        assert in_words("undecided", "a", "b", claim=claim, margin=margin) == words

    def test_one_sided(self) -> None:
        assert in_words("undecided", "a", "b", sided=1) == "not shown that a is better than b"
        assert in_words("better", "a", "b", sided=1) == "a is better than b"

    def test_a_verb_takes_a_place_and_leaves_the_rest(self) -> None:
        assert in_words("higher", "a", "b", verb="rated") == "a is rated above b"
        assert in_words("lower", "a", "b", verb="rated") == "a is rated below b"
        assert in_words("better", "a", "b", verb="rated") == "a is better than b"
        assert in_words("undecided", "a", "b", verb="rated") == "undecided between a and b"


def test_numbers_leave_out_what_there_is_none_of() -> None:
    band = Interval(0.0712, 0.5123, 0.95)
    assert in_numbers(0.2949, band, p=0.0121, scale="bleu") == (
        "+0.29 bleu [+0.07, +0.51], p = .0121"
    )
    assert in_numbers(0.2949, band, digits=3) == "+0.295 [+0.071, +0.512]"
    assert in_numbers(-1.0, None, p=1e-9) == "−1.00, p < .0001"


def test_an_interval_at_another_level_than_the_test_says_at_which() -> None:
    at_90 = Interval(-0.31, 0.42, 1 - 2 * 0.05)
    assert in_numbers(0.1, at_90, p=0.01, scale="bleu", alpha=0.05) == (
        "+0.10 bleu, 90% interval [−0.31, +0.42], p = .0100"
    )
    assert in_numbers(0.1, at_90, alpha=0.1) == "+0.10 [−0.31, +0.42]"
    assert in_numbers(0.1, at_90) == "+0.10 [−0.31, +0.42]"


def test_what_could_have_been_seen() -> None:
    assert could_have_seen(0.4149, power=0.9, digits=3, needs="0.2 needs more") == (
        "This evaluation could have detected 0.415 or more (90% power); 0.2 needs more."
    )
    assert could_have_seen(math.nan, power=0.9) == ""
