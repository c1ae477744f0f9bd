"""Weights are repetitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.inference.correlation import (
    correlation_of_sums,
    moments,
    rank_order,
    weighted_pearson,
    weighted_ranks,
)


@given(st.integers(0, 10_000))
def test_repeated_members_give_the_same_correlations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 9).astype(float), rng.normal(size=9)
    weights = rng.integers(0, 4, 9).astype(float)
    again = [np.repeat(v, weights.astype(int)) for v in (x, y)]
    if again[0].size < 3 or np.ptp(again[0]) == 0:
        assert np.isnan(weighted_pearson(weights, x, y)) or again[0].size >= 2
        return
    plain = float(np.corrcoef(again[0], again[1])[0, 1])
    assert weighted_pearson(weights, x, y) == pytest.approx(plain, abs=1e-9)
    ranks = [weighted_ranks(weights[None], *rank_order(v))[0] for v in (x, y)]
    want = stats.spearmanr(*again).statistic
    assert weighted_pearson(weights, *ranks) == pytest.approx(want, abs=1e-9)
    parts, top = moments(x, y)
    sums = parts @ weights
    assert correlation_of_sums(sums, top * sums[0]) == pytest.approx(plain, abs=1e-9)


def test_a_constant_list_has_no_correlation_whatever_its_digits() -> None:
    flat, other = np.full(7, 0.1), np.arange(7.0)
    assert np.isnan(weighted_pearson(np.ones(7), flat, other))
    assert np.isnan(weighted_pearson(np.ones(7), other, flat))
    parts, top = moments(flat, other)
    sums = parts.sum(axis=1)
    assert np.isnan(correlation_of_sums(sums, top * sums[0]))


def test_mid_ranks_count_half_of_their_equals() -> None:
    values = np.array([5.0, 1.0, 5.0, 2.0])
    ranks = weighted_ranks(np.array([[1.0, 2.0, 3.0, 1.0]]), *rank_order(values))
    assert ranks.tolist() == [[5.0, 1.0, 5.0, 2.5]]
