"""Correlations of many lists at once."""

import json

import numpy as np
import pytest
from scipy import stats

from detectable.inference.correlation import kendall, pearson, spearman
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
