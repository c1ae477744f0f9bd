"""Power of a normal estimate: against draws, at the edges, and beyond estimated thresholds."""

import math

import numpy as np
import pytest
from scipy import stats

import detectable as dt
from detectable.inference.shares import score_variance
from detectable.planning.closed_forms import (
    between,
    beyond,
    error_factors,
    graded_nodes,
    normal_power,
    unit_nodes,
)
from tests.planning.scenarios import PairedT


@pytest.mark.parametrize("distance", [0.2, 1.0, 3.0])
def test_equals_draws(distance: float) -> None:
    draws = np.random.default_rng(1).normal(distance, 1.0, 400_000)
    found = draws[np.abs(draws) >= 1.96]
    closed = normal_power(distance, 1.0, 1.96)
    assert closed.power == pytest.approx((draws >= 1.96).mean(), abs=0.004)
    assert closed.type_m == pytest.approx(np.abs(found).mean() / distance, rel=0.01)
    assert closed.type_s == pytest.approx((found < 0).mean(), abs=0.015)


def test_without_spread_the_answer_is_sure() -> None:
    assert normal_power(1.0, 0.0, 0.5).power == 1.0
    assert math.isnan(normal_power(0.1, 0.0, 0.5).type_m)


def test_out_of_reach_there_are_no_errors() -> None:
    found = normal_power(1.0, 1e-3, 5.0)
    assert found.power == 0.0
    assert math.isnan(found.type_m)
    assert math.isnan(found.type_s)


def test_the_normal_test_of_accuracy_can_be_simulated() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.8, method="normal")
    closed = dt.power(scenario, n_items=1000, effect=0.04)
    drawn = dt.power(scenario, n_items=1000, effect=0.04, simulate=True, rng=1)
    error = 4 * (drawn.standard_error or 0) + 0.005  # the formula fixes the disagreement
    assert drawn.power == pytest.approx(closed.power, abs=error)
    assert dt.sample_size(scenario, effect=0.04).method == "closed-form"


def test_the_smallest_difference_that_is_still_not_inferior() -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.02)
    found = dt.mde(scenario, n_items=20_000)
    assert found.method == "closed-form"
    # -margin + z_.95 · s at the margin + z_.80 · s, both with the shares of the answer.
    win, loss = 0.025 + found.effect / 2, 0.025 - found.effect / 2
    at_margin = float(score_variance(win, loss, 1.0, -0.02) / 20_000) ** 0.5
    spread = ((0.05 - found.effect**2) / 20_000) ** 0.5
    wanted = -0.02 + 1.6448536 * at_margin + 0.8416212 * spread
    assert found.effect == pytest.approx(wanted, abs=1e-9)


def test_a_scenario_need_not_be_a_dataclass() -> None:
    class Plain(dt.scenarios.Scenario):
        draw = PairedT(2.0).draw
        analyse = PairedT(2.0).analyse

    found = dt.power(Plain(), n_items=30, effect=1.0, n_trials=200, rng=1)
    assert "scenario:Plain" in str(found.signature)


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
