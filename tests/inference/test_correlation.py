"""Correlations of many lists at once."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.correlation import (
    correlation_of_sums,
    kendall,
    moments,
    pearson,
    rank_order,
    spearman,
    weighted_pearson,
    weighted_ranks,
    williams,
)
from tests.gold_evals import evals
from tests.helpers import reference_data


@pytest.mark.parametrize("ties", [False, True])
def test_they_are_those_of_scipy(ties: bool) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 20, 9))
    if ties:
        x, y = x.round(0), y.round(0)
    for row in range(20):
        assert pearson(x, y)[row] == pytest.approx(stats.pearsonr(x[row], y[row])[0])
        assert spearman(x, y)[row] == pytest.approx(stats.spearmanr(x[row], y[row])[0])
        assert kendall(x, y)[row] == pytest.approx(stats.kendalltau(x[row], y[row])[0])


def test_a_constant_list_goes_with_nothing() -> None:
    flat, steep = np.ones(4), np.arange(4.0)
    for correlate in (pearson, spearman, kendall):
        assert np.isnan(correlate(flat, steep))
        assert np.isnan(correlate(steep, flat))
        assert correlate(steep, steep) == pytest.approx(1.0)
        assert correlate(steep, -steep) == pytest.approx(-1.0)


def test_small_numbers_go_together_as_large_ones_do() -> None:
    x, y = np.random.default_rng(2).normal(size=(2, 9))
    assert pearson(1e-4 * x, 1e-3 * y) == pytest.approx(float(pearson(x, y)))


@pytest.mark.golden
@pytest.mark.parametrize("score", ["z", "raw"])
def test_forward_and_reverse_scores_of_hassan_2018(score: str) -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())["hassan2018"]
    forward, reverse = (gold[half]["systems"] for half in ("forward", "reverse"))
    x, y = (
        np.array([half[name][score] for name in sorted(forward)]) for half in (forward, reverse)
    )
    want = gold[f"fwd_rev_correlation_{score}"]
    assert pearson(x, y) == pytest.approx(want["pearson"], abs=1e-12)
    assert spearman(x, y) == pytest.approx(want["spearman"], abs=1e-12)
    assert kendall(x, y) == pytest.approx(want["kendall"], abs=1e-12)
    if score == "z":
        found = [float(f(x, y).round(3)) for f in (pearson, spearman, kendall)]
        assert found == [0.849, 0.783, 0.611]


# --- Weights are repetitions ---


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


# --- Williams' test against the unit test of mt-metrics-eval ---


@pytest.mark.golden
def test_the_unit_test_of_mt_metrics_eval() -> None:
    human = np.array([1.0, 2, 3, 4, 5])
    one, other = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    r = [
        float(np.corrcoef(a, b)[0, 1]) for a, b in ((one, human), (other, human), (one, other))
    ]
    found = [williams(r[0], r[1], r[2], 5), r[0], r[1]]
    assert found == pytest.approx(evals("mtme.williams_tiny"), rel=1e-6)


def test_both_sides_add_up_to_one() -> None:
    assert williams(0.6, 0.5, 0.7, 30) + williams(0.5, 0.6, 0.7, 30) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 30) == 0.5


def test_too_few() -> None:
    with pytest.raises(InputError, match="`n` must be at least 4"):
        williams(0.5, 0.4, 0.3, 3)
