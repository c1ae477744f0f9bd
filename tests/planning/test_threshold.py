"""Thresholds that are themselves estimated, against scipy's noncentral t distribution."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.planning.quadrature import graded_nodes, unit_nodes
from detectable.planning.threshold import between, beyond, error_factors


@pytest.mark.golden
@pytest.mark.parametrize("df", [1.0, 3.0, 20.0, 500.0])
@pytest.mark.parametrize("effect", [0.3, 2.5])
def test_power_is_that_of_the_noncentral_t(df: float, effect: float) -> None:
    factors, weights = error_factors(df)
    critical = stats.t.ppf(0.975, df)
    found = beyond(effect, 1.0, critical * factors, weights)
    right, wrong = stats.nct.sf(critical, df, effect), stats.nct.cdf(-critical, df, effect)
    assert found.power == pytest.approx(right, abs=1e-9)
    assert found.type_s == pytest.approx(wrong / (right + wrong), abs=1e-8)


def test_errors_are_those_of_a_simulation() -> None:
    draws = np.random.default_rng(1).normal(1.0, 1.0, 400_000)
    found = beyond(-1.0, 1.0, np.array([1.5]))
    significant = draws[np.abs(draws) > 1.5]
    assert found.power == pytest.approx((draws > 1.5).mean(), abs=0.003)
    assert found.type_m == pytest.approx(np.abs(significant).mean(), rel=0.005)
    assert found.type_s == pytest.approx((significant < 0).mean(), abs=0.003)


def test_no_effect_has_no_exaggeration() -> None:
    found = beyond(0.0, 1.0, np.array([1.96]))
    assert 2 * found.power == pytest.approx(0.05, abs=1e-4)
    assert math.isnan(found.type_m)
    assert found.type_s == 0.5
    assert math.isnan(beyond(1.0, 1.0, np.array([60.0])).type_s)


def test_between_two_thresholds() -> None:
    one = np.ones(1)
    chance, mean = between(0.5, 2.0, -one, 3.0 * one, one)
    normal = stats.truncnorm(-0.75, 1.25, loc=0.5, scale=2.0)
    assert chance == pytest.approx(stats.norm.cdf(1.25) - stats.norm.cdf(-0.75), abs=1e-12)
    assert mean == pytest.approx(normal.mean(), abs=1e-9)
    assert between(0.5, 2.0, one, -one, one)[0] == 0.0


def test_nodes_integrate_steep_functions() -> None:
    nodes, weights = graded_nodes()
    assert weights @ nodes**0.3 == pytest.approx(1 / 1.3, abs=1e-10)
    assert weights @ stats.norm.ppf(nodes) ** 2 == pytest.approx(1.0, abs=1e-7)
    nodes, weights = unit_nodes(8)
    assert weights @ nodes**5 == pytest.approx(1 / 6, abs=1e-14)
