"""Wilson's interval against statsmodels and scipy, at its ends, and for any number of trials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.inference.shares import wilson_interval, wilson_limits
from tests.gold_evals import evals


@pytest.mark.golden
def test_27_of_30_are_those_of_statsmodels() -> None:
    found = wilson_interval(27, 30, alpha=0.05)
    assert [found.low, found.high] == pytest.approx(evals("ci.wilson_27_30"), rel=1e-6)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.5, 0.99))
def test_the_interval_is_that_of_scipy(n: int, k: int, level: float) -> None:
    k = min(k, n)
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    ours = wilson_interval(k, n, alpha=1.0 - level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_ends_are_exact() -> None:
    assert wilson_interval(0, 7, alpha=0.05).low == 0.0
    assert wilson_interval(7, 7, alpha=0.05).high == 1.0
    assert wilson_limits(0.01, 100.0, 1.96)[0] > 0.0
    assert wilson_limits(0.99, 100.0, 1.96)[1] < 1.0


def test_trials_need_not_be_whole() -> None:
    # By hand: p = ½, n = 2.5, z = 1: (½ + .2 ∓ √(.1 + .04)) / 1.4.
    low, high = wilson_limits(0.5, 2.5, 1.0)
    assert (low, high) == pytest.approx((0.7 / 1.4 - 0.14**0.5 / 1.4, 0.5 + 0.14**0.5 / 1.4))
