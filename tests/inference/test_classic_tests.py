""""""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.classic_tests import (
    _exact,
    critical_losses,
    rank_sum,
    sign_test_p,
    signed_rank,
)


def _samples(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, 60).astype(float), rng.integers(1, 14, 45).astype(float)


@pytest.mark.golden
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("side", ["greater", "two-sided"])
def test_rank_sum_equals_scipy(seed: int, side: str) -> None:
    x, y = _samples(seed)
    expected = stats.mannwhitneyu(x, y, alternative=side, method="asymptotic")
    found = rank_sum(x, y)
    p = found.p_greater if side == "greater" else found.p_two_sided
    assert p == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.probability == pytest.approx(expected.statistic / (60 * 45), rel=1e-12)


@pytest.mark.golden
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("side", ["greater", "two-sided"])
def test_signed_rank_equals_scipy_with_zeros_and_ties(seed: int, side: str) -> None:
    x, y = _samples(seed)
    d = x[:45] - y
    assert (d == 0).any()
    expected = stats.wilcoxon(
        d, zero_method="pratt", correction=True, method="asymptotic", alternative=side
    )
    found = signed_rank(d)
    p = found.p_greater if side == "greater" else found.p_two_sided
    assert p == pytest.approx(expected.pvalue, rel=1e-12)


def test_order_of_the_samples_turns_the_sign() -> None:
    x, y = _samples(1)
    assert rank_sum(x, y).z == pytest.approx(-rank_sum(y, x).z)
    assert signed_rank(y).z == pytest.approx(-signed_rank(-y).z)


def test_equal_values_decide_nothing() -> None:
    assert rank_sum([5.0] * 4, [5.0] * 3).p_two_sided == 1.0
    found = signed_rank([0.0, 0.0])
    assert (found.p_two_sided, found.probability) == (1.0, 0.5)


def test_missing_scores_are_refused() -> None:
    with pytest.raises(InputError, match="`first` must be finite; got nan at position 1"):
        rank_sum([1.0, float("nan")], [2.0])


def test_effects_by_hand() -> None:
    # 3 > 1, 3 = 3, 2 > 1, 2 < 3: P(first > second) + ½ P(equal) is 2.5 of 4.
    two = rank_sum([3.0, 2.0], [1.0, 3.0])
    assert (two.probability, two.effect, two.n) == (0.625, 0.125, (2, 2))
    assert two.effect / two.standard_error == pytest.approx(two.z)
    # Sizes 0, 1, 2, 2 have ranks 1, 2, 3.5, 3.5, and the zero is dropped: (7 − 2) / 9.
    paired = signed_rank([0.0, -1.0, 2.0, 2.0])
    assert paired.effect == pytest.approx(5.0 / 9.0)
    assert paired.standard_error == pytest.approx((4.0 + 2 * 3.5**2) ** 0.5 / 9.0)
    assert (paired.probability, paired.n) == (0.625, (4, 3))
    assert paired.z == pytest.approx(5.0 / 28.5**0.5)
    assert paired.z_corrected == pytest.approx(4.0 / 28.5**0.5)


def test_the_correction_stops_at_the_middle() -> None:
    found = rank_sum([1.0, 4.0, 6.0], [2.0, 3.0, 5.0])  # U = 5, half a step from its middle
    assert (found.z_corrected, found.p_two_sided, found.p_greater) == (0.0, 1.0, 0.5)
    assert found.z > 0.0


def test_no_spread_has_no_standard_error() -> None:
    found = rank_sum([5.0] * 4, [5.0] * 3)
    assert (found.z, found.z_corrected, found.p_greater) == (0.0, 0.0, 0.5)
    assert (found.probability, found.effect, found.standard_error) == (0.5, 0.0, float("inf"))


# --- The exact sign test against scipy ---


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
