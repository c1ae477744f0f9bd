"""Searching a noisy function: near the truth, with an honest error, or «not attainable»."""

import math
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.types import FloatArray
from detectable.planning.search import probit_line
from tests.planning.scenarios import Ceiling, PairedT, t_power


def test_a_third_party_scenario_has_a_detectable_effect() -> None:
    found = dt.mde(PairedT(), n_items=50, n_trials=2000, rng=1)
    assert (found.method, found.attainable) == ("simulated", True)
    assert found.effect_error is not None
    assert t_power(50, found.effect) == pytest.approx(0.8, abs=0.025)
    assert found.power == pytest.approx(0.8, abs=5 * (found.standard_error or 0))
    assert "±" in found.summary()


def test_a_third_party_scenario_has_a_sample_size() -> None:
    found = dt.sample_size(PairedT(), effect=0.3, n_trials=2000, rng=1)
    assert found.n_items is not None
    assert found.n_items_error is not None
    assert abs(found.n_items - 90) <= 5 * found.n_items_error
    assert t_power(90, 0.3) == pytest.approx(0.8, abs=0.005)


@pytest.mark.slow
def test_the_stated_error_is_the_real_one() -> None:
    wide = [dt.mde(PairedT(), n_items=30, n_trials=1000, rng=seed) for seed in range(60)]
    truth = 0.5295
    assert t_power(30, truth) == pytest.approx(0.8, abs=0.001)
    scores = [(found.effect - truth) / (found.effect_error or 1) for found in wide]
    assert abs(np.mean(scores)) < 4 / 60**0.5
    assert 0.7 < np.std(scores) < 1.35


def test_simulated_and_exact_searches_agree() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.9)
    exact = dt.mde(scenario, n_items=400)
    drawn = dt.mde(scenario, n_items=400, simulate=True, n_trials=4000, rng=3)
    assert drawn.effect == pytest.approx(exact.effect, abs=5 * (drawn.effect_error or 0))
    size = dt.sample_size(scenario, effect=0.05)
    noisy = dt.sample_size(scenario, effect=0.05, simulate=True, n_trials=4000, rng=3)
    assert abs((noisy.n_items or 0) - (size.n_items or 0)) <= 5 * (noisy.n_items_error or 0)


@pytest.mark.parametrize("n", [50, 777, 20_000])
def test_the_two_searches_are_inverse(n: int) -> None:
    scenario = dt.scenarios.RankSum()
    effect = dt.mde(scenario, n_items=n).effect
    found = dt.sample_size(scenario, effect=effect)
    assert found.n_items in (n, n + 1)  # rounding may fall on either side
    assert dt.power(scenario, n_items=n, effect=effect).power == pytest.approx(0.8, abs=1e-9)


def test_no_effect_is_large_enough() -> None:
    scenario = dt.scenarios.Accuracy(baseline_accuracy=0.945, prior="glue")
    found = dt.mde(scenario, n_items=147)
    assert not found.attainable
    assert math.isnan(found.effect)
    assert found.to_dict()["effect"] is None
    assert found.power < 0.8
    assert found.summary().startswith("not attainable: power is 0.654 at an effect of 0.0505")
    assert "a baseline that is right on 0.945" in found.limit


def test_no_size_is_large_enough() -> None:
    found = dt.sample_size(Ceiling(), effect=5.0, n_trials=4000, rng=1)
    assert (found.attainable, found.n_items) == (False, None)
    assert found.power == pytest.approx(0.5, abs=0.1)
    assert "larger sizes bring no gain" in found.limit
    assert found.summary().startswith("not attainable: power is at most")


def test_the_search_ends_somewhere() -> None:
    found = dt.sample_size(dt.scenarios.RankSum(), effect=0.5 + 1e-6)
    assert not found.attainable
    assert "the search ends at 100,000,000" in found.limit


def test_the_smallest_size_may_do() -> None:
    assert dt.sample_size(dt.scenarios.RankSum(), effect=1.0, power=0.2).n_items == 2
    found = dt.sample_size(PairedT(sd=0.01), effect=5.0, n_trials=500, rng=1)
    assert found.n_items == 2


def test_a_probit_line_is_found_again() -> None:
    from scipy.stats import norm

    xs = np.linspace(-1, 1, 9)
    trials = np.full(9, 1e6)
    line, covariance = probit_line(xs, norm.cdf(0.4 + 0.7 * xs), trials)
    assert line == pytest.approx([0.4, 0.7], abs=1e-4)
    assert covariance[0, 0] < 1e-6


def test_a_plateau_is_left_long_before_the_largest_size() -> None:
    """Three doublings without a gain are enough: a slow scenario could not afford the rest."""
    asked: list[int] = []

    class Watched(Ceiling):
        def draw(self, n_items: int, effect: float, **options: Any) -> FloatArray:
            asked.append(n_items)
            return super().draw(n_items, effect, **options)

    found = dt.sample_size(Watched(), effect=5.0, n_trials=2000, rng=1)
    assert not found.attainable
    assert max(asked) < Ceiling().largest_n() / 100


def test_power_that_is_still_near_the_level_is_no_plateau() -> None:
    """A tiny effect: the first doublings gain nothing, and the search must go on."""
    found = dt.sample_size(PairedT(), effect=0.05, n_trials=300, rng=2)
    assert found.attainable
    assert found.n_items == pytest.approx(3_142, rel=0.1)
