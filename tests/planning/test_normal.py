"""Power of a normal estimate: against draws, and at the edges."""

import math

import numpy as np
import pytest

import detectable as dt
from detectable.planning.normal import normal_power
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
    assert math.isnan(normal_power(1.0, 1e-3, 5.0).type_s)


def test_the_normal_test_of_accuracy_can_be_simulated() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.8, method="normal")
    closed = dt.power(scenario, n_items=1000, effect=0.04)
    drawn = dt.power(scenario, n_items=1000, effect=0.04, simulate=True, rng=1)
    error = 4 * (drawn.standard_error or 0) + 0.005  # the formula fixes the disagreement
    assert drawn.power == pytest.approx(closed.power, abs=error)
    assert dt.sample_size(scenario, effect=0.04).method == "closed-form"


def test_the_smallest_difference_that_is_still_not_inferior() -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.02)
    found = dt.mde(scenario, n_items=2000)
    # -margin + (z_.95 + z_.80) · s, with s at the answer.
    spread = ((0.05 - found.effect**2) / 2000) ** 0.5
    assert found.effect == pytest.approx(-0.02 + 2.486475 * spread, abs=1e-6)


def test_a_scenario_need_not_be_a_dataclass() -> None:
    class Plain(dt.scenarios.Scenario):
        draw = PairedT(2.0).draw
        analyse = PairedT(2.0).analyse

    found = dt.power(Plain(), n_items=30, effect=1.0, n_trials=200, rng=1)
    assert "scenario:Plain" in str(found.signature)
