"""The jackknife over one kind of units and over two."""

import numpy as np
import pytest
from scipy import stats

from detectable.study.precision.variance_components import (
    jackknife_interval,
    share_back,
    share_interval,
    share_scale,
    variance_interval,
)


def test_of_a_mean_it_is_the_t_interval() -> None:
    x = np.random.default_rng(1).normal(5.0, 2.0, 12)
    found = jackknife_interval(float(x.mean()), [(x.sum() - x) / 11], 0.9)
    assert found is not None
    ends = stats.t.interval(0.9, 11, x.mean(), stats.sem(x))
    assert (found.low, found.high) == pytest.approx(ends)


def test_two_kinds_add_up_with_satterthwaites_degrees_of_freedom() -> None:
    rng = np.random.default_rng(2)
    one, two = rng.normal(0.0, 0.1, 8), rng.normal(0.0, 0.3, 4)
    parts = [7 / 8 * ((one - one.mean()) ** 2).sum(), 3 / 4 * ((two - two.mean()) ** 2).sum()]
    df = sum(parts) ** 2 / (parts[0] ** 2 / 7 + parts[1] ** 2 / 3)
    found = jackknife_interval(0.0, [one, two], 0.95)
    assert found is not None
    assert found.high == pytest.approx(stats.t.ppf(0.975, df) * sum(parts) ** 0.5)
    assert found.low == -found.high


def test_shares_stay_below_one_and_variances_above_zero() -> None:
    left = np.array([0.9, 0.95, 0.99, 0.8])
    share = share_interval(0.93, [left], 0.95)
    assert share is not None
    assert share.low < 0.0 < 0.93 < share.high < 1.0  # alpha may be negative
    variance = variance_interval(2.0, [np.array([0.5, 8.0, 2.0, 1.0])], 0.95)
    assert variance is not None
    assert 0.0 < variance.low < 2.0 < variance.high
    assert share_back(float(share_scale(np.array([0.3]))[0])) == pytest.approx(0.3)


def test_what_cannot_be_told_has_no_interval() -> None:
    assert jackknife_interval(1.0, [], 0.95) is None
    assert jackknife_interval(1.0, [np.array([1.0, np.nan, 2.0, 1.0])], 0.95) is None
    assert variance_interval(0.0, [np.array([0.0, 1.0, 2.0, 1.0])], 0.95) is None
    same = jackknife_interval(1.0, [np.ones(5)], 0.95)
    assert same is not None
    assert (same.low, same.high) == (1.0, 1.0)
