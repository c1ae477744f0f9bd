import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.rank_tests import rank_sum, signed_rank


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
