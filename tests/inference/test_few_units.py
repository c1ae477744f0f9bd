"""Which test few units can bear: counted by hand, against the reference, and at the far ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.rng import BLOCK
from detectable.inference.few_units import (
    ENUMERATED,
    cannot_reject,
    choose_test,
    enumerable,
    p_in_words,
    rejecting_patterns,
    resample_count,
    sign_patterns,
    smallest_p,
    too_few_draws,
    too_few_to_swap,
    units_to_reject,
    units_to_swap,
)
from tests.inference.small_samples import gold

LEVELS = st.floats(1e-12, 0.5) | st.sampled_from([2.0**-k for k in range(1, 40)])


@pytest.mark.golden
def test_what_each_design_attains() -> None:
    rows = gold("attainable")["rows"]
    assert len(rows) == 35
    for row in rows:
        k = rejecting_patterns(row["G"], row["level"])
        assert k == row["k"]
        assert (k > 0) == row["possible"]
        assert smallest_p(row["G"]) == row["min_p"]
        assert k * smallest_p(row["G"]) == pytest.approx(row["attained"], abs=1e-15)
        assert units_to_reject(row["level"]) == row["documents_needed"]


@pytest.mark.parametrize(
    ("alpha", "units"), [(0.1, 6), (0.05, 7), (0.01, 10), (0.001, 13), (0.375, 4), (0.75, 3)]
)
def test_three_patterns_make_a_swap_test(alpha: float, units: int) -> None:
    assert units_to_swap(alpha) == units
    assert choose_test(units, alpha) == "swap"
    assert choose_test(units - 1, alpha) == "t"
    assert rejecting_patterns(units, alpha) >= 3 > rejecting_patterns(units - 1, alpha)


@given(LEVELS)
def test_the_units_that_are_needed_are_the_fewest(level: float) -> None:
    needed = units_to_reject(level)
    assert rejecting_patterns(needed, level) >= 1
    assert needed == 2 or rejecting_patterns(needed - 1, level) == 0
    enough = units_to_swap(level)
    assert choose_test(enough, level) == "swap"
    assert enough == 2 or choose_test(enough - 1, level) == "t"


@given(st.integers(2, 50), st.integers(1, 40))
def test_a_level_that_is_whole_but_for_rounding_is_whole(n_units: int, k: int) -> None:
    # A product such as (1/49) · 49 falls just short of 1 in doubles.
    level = k / 2.0 ** (n_units - 1)
    assert rejecting_patterns(n_units, level * (1.0 - 2e-16)) == k
    assert rejecting_patterns(n_units, level * (1.0 - 1e-6)) == k - 1


@pytest.mark.parametrize("level", [0.05, 1e-16, 1e-300, 1e-305, 1e-320])
def test_tiny_levels_have_an_end(level: float) -> None:
    units = units_to_swap(level)
    assert units == pytest.approx(1 + math.log2(3) - math.log2(level), abs=1.0)
    assert choose_test(units, level) == "swap"
    assert choose_test(units - 1, level) == "t"
    assert choose_test(10**9, level) == "swap"


def test_no_number_of_units_is_too_large() -> None:
    assert rejecting_patterns(10**6, 0.05) > 1e300
    assert 0.0 < smallest_p(10**6) < 1e-300
    assert smallest_p(10**6, 9_999) == 1e-4


def test_the_smallest_p_is_that_of_the_patterns_or_of_the_draws() -> None:
    assert smallest_p(5) == 1 / 16
    assert smallest_p(5, 9_999) == 1 / 16  # no draw makes a design finer
    assert smallest_p(20, 999) == 1 / 1000
    assert smallest_p(1) == 1.0


def test_up_to_fifteen_units_are_enumerated() -> None:
    assert [enumerable(n) for n in (1, 2, 14, 15, 16, 40)] == [True] * 4 + [False] * 2
    assert ENUMERATED == 2**14


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0625, ".063"),
        (0.03125, ".031"),
        (0.125, ".13"),
        (0.5, ".5"),
        (1.0, "1"),
        (2.0**-8, ".0039"),
        (1e-4, ".0001"),
        (0.99e-4, ".0001"),
        (2.0**-15, "3e-05"),
    ],
)
def test_small_p_values_in_words(p: float, words: str) -> None:
    assert p_in_words(p) == words


def test_the_sentence_for_a_t_test() -> None:
    assert too_few_to_swap(3, "document", 0.01, 1.249) == (
        "3 documents: too few to swap (the smallest possible p is .25). Tested by t over "
        "documents, 1.2 degrees of freedom; it assumes that document differences are roughly "
        "normal. Swapping needs 10 documents."
    )


def test_the_sentence_for_a_test_that_cannot_reject() -> None:
    assert cannot_reject(6, "document", 0.05 / 10, alpha=0.05, pairs=10) == (
        "This design cannot reject at .05 among 10 pairs: the smallest possible p of 6 documents "
        "is .31. It needs at least 9."
    )
    assert cannot_reject(4, "run", 0.01, alpha=0.01) == (
        "This design cannot reject at .01: the smallest possible p of 4 runs is .13. It needs at "
        "least 8."
    )
    assert "among 2 pairs" in cannot_reject(4, "run", 0.005, alpha=0.01, pairs=2)
    # Corrected p-values end at 1.
    assert "the smallest possible p of 5 documents is 1. It needs at least 11." in (
        cannot_reject(5, "document", 0.05 / 45, alpha=0.05, pairs=45)
    )


@pytest.mark.parametrize(
    ("n_resamples", "smallest", "alpha", "p", "needed"),
    [
        (9, 0.1, 0.05, ".1", "19"),
        (9, 0.3, 0.05, ".3", "59"),  # corrected for three pairs
        (999, 0.045, 0.01, ".045", "4,499"),
    ],
)
def test_the_sentence_for_too_few_draws(
    n_resamples: int, smallest: float, alpha: float, p: str, needed: str
) -> None:
    found = too_few_draws(n_resamples, "swap", alpha=alpha, smallest=smallest)
    assert found == (
        f"This test cannot reject at {str(alpha)[1:]}: the smallest possible p of {n_resamples} "
        f"swaps is {p}. It needs at least {needed}."
    )


# --- How many swaps a correction needs: the numbers of the reference, and what is refused ---


@pytest.mark.golden
def test_the_numbers_of_the_reference() -> None:
    rows = gold("resamples")["rows"]
    assert len(rows) == 6
    for row in rows:
        pairs, fewest = row["pairs"], row["smallest_possible_R"]
        assert resample_count(None, n_stepwise=pairs, alpha=0.05) == row["R_holm"]
        assert resample_count(fewest, n_stepwise=pairs, alpha=0.05) == fewest
        if pairs > 1:
            with pytest.raises(InputError, match=f"must be at least {fewest:,} for Holm"):
                resample_count(fewest - 1, n_stepwise=pairs, alpha=0.05)


@given(st.integers(2, 3_000), st.sampled_from([0.1, 0.05, 0.01, 0.001]))
def test_fifty_draws_are_expected_beyond_the_strictest_level(tests: int, alpha: float) -> None:
    found = resample_count(None, n_stepwise=tests, alpha=alpha)
    assert 9_999 <= found <= 2_000_000
    if 9_999 < found < 2_000_000:
        assert alpha * (found + 1) / tests == pytest.approx(50.0, rel=1e-3)
        assert alpha * (found + 1) / tests >= 50.0 - 1e-9


def test_very_many_pairs_do_not_take_for_ever() -> None:
    assert resample_count(None, n_stepwise=4_000, alpha=0.05) == 2_000_000
    assert resample_count(None, n_stepwise=1_999, alpha=0.05) == 1_998_999


def test_a_single_test_takes_what_it_is_given() -> None:
    assert resample_count(None, n_stepwise=1, alpha=1e-6) == 9_999
    assert resample_count(3, n_stepwise=1, alpha=0.05) == 3


def test_counted_patterns_are_no_draws() -> None:
    assert resample_count(10, n_stepwise=45, alpha=0.05, exact=True) == 10


def test_the_message_names_what_would_do() -> None:
    with pytest.raises(
        InputError,
        match=r"`n_resamples` must be at least 10,559 for Holm's correction over 528 tests: with "
        r"9,999 no pair can be significant\. Leave it out, or use `correction='max-t'`\.",
    ):
        resample_count(9_999, n_stepwise=528, alpha=0.05)


# --- All ways to swap a few units ---


@pytest.mark.parametrize("n_units", [1, 2, 5, 11, 12])
def test_each_way_to_swap_comes_once_and_none_is_the_mirror_of_another(n_units: int) -> None:
    blocks = list(sign_patterns(n_units))
    assert all(len(block) <= BLOCK for block in blocks)
    rows = np.concatenate(blocks)
    assert rows.shape == (2 ** (n_units - 1) - 1, n_units)
    assert set(np.unique(rows)) <= {0, 1}
    seen = {tuple(row) for row in rows.tolist()}
    mirrored = {tuple(1 - x for x in row) for row in seen}
    data, all_swapped = (0,) * n_units, (1,) * n_units
    # With the data and their mirror image these are all there are.
    assert len(seen | mirrored | {data, all_swapped}) == 2**n_units


def test_the_last_unit_stays() -> None:
    assert not np.concatenate(list(sign_patterns(6)))[:, -1].any()
