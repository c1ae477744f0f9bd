"""The exact sign test against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.inference.classic_tests import _exact, critical_losses, sign_test_p


@given(st.integers(0, 400), st.integers(0, 400))
def test_equals_the_binomial_test(wins: int, losses: int) -> None:
    if wins + losses == 0:
        assert sign_test_p(wins, losses) == 1.0
        return
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert float(sign_test_p(wins, losses)) == pytest.approx(expected, rel=1e-9)
    assert sign_test_p(wins, losses) == sign_test_p(losses, wins)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2, 0.0625])
def test_critical_values_are_the_last_significant_ones(alpha: float) -> None:
    decided = np.arange(0, 3000)
    critical = critical_losses(0, 2999, alpha)
    some = critical >= 0
    tail = stats.binom.cdf(critical, decided, 0.5)
    assert (2 * tail[some] <= alpha * (1 + 1e-9)).all()
    assert (2 * stats.binom.cdf(critical + 1, decided, 0.5) > alpha).all()
    assert set(np.diff(critical)) <= {0, 1}
    if alpha == 0.0625:
        assert critical[5] == 0  # 2/32 is exactly alpha


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.001, 1e-8])
def test_the_approximation_is_trusted_only_where_it_is_right(alpha: float) -> None:
    decided = np.concatenate([np.arange(90, 1500), np.arange(20_000, 20_400)])
    near = np.maximum(critical_losses(0, 20_399, alpha)[decided] - 1, -1)
    assert (_exact(decided, near, alpha) == critical_losses(0, 20_399, alpha)[decided]).all()


def test_large_numbers_are_computed_without_a_table() -> None:
    window = critical_losses(200_000, 200_010, 0.05)
    assert (stats.binom.cdf(window, np.arange(200_000, 200_011), 0.5) <= 0.025).all()
    assert (stats.binom.cdf(window + 1, np.arange(200_000, 200_011), 0.5) > 0.025).all()
