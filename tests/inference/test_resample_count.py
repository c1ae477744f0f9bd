"""How many swaps a correction needs: the numbers of the reference, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.inference.few_units import resample_count
from tests.inference.small_samples import gold


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
