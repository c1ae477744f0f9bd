"""Several runs: clark2011's standard deviations and the two-way analysis."""

import math

import numpy as np
import pytest

from detectable.inference.runs import fixed_runs, random_runs, run_spread
from tests.samples import mean_sample, noisy_runs


def test_the_spread_of_known_runs() -> None:
    runs = np.array([[1.0, 3.0], [2.0, 6.0], [0.0, 2.0]])
    spread = run_spread(mean_sample(runs), 0, dev_scores=np.array([1.0, 2.0, 3.0]))
    assert spread.runs.tolist() == [2.0, 4.0, 1.0]
    assert spread.s_test == pytest.approx(np.std([2, 4, 1], ddof=1))
    assert spread.s_dev == 1.0
    assert spread.s_sel == pytest.approx(np.mean([1.0, 2.0, 1.0]))
    assert spread.median_run == 0


def test_of_two_runs_the_higher_is_the_median_as_in_multeval() -> None:
    assert run_spread(mean_sample(np.array([[5.0, 5.0], [1.0, 1.0]])), 0).median_run == 0


def test_one_run_has_no_spread_over_runs() -> None:
    spread = run_spread(mean_sample([1.0, 2.0]), 0)
    assert math.isnan(spread.s_test)
    assert math.isnan(spread.s_dev)


def test_the_two_way_error_recovers_known_components() -> None:
    # Score of a run: unit mean (sd 1/√n, shared: it cancels in the difference) + run effect
    # + noise. The variance of the difference of two means over R runs is
    # 2 (between² + within²/n) / R.
    rng = np.random.default_rng(1)
    between, within, n, runs = 0.2, 1.0, 400, 40
    found = []
    for _ in range(60):
        shared = rng.normal(size=n)
        tables = [
            shared + between * rng.normal(size=(runs, 1)) + within * rng.normal(size=(runs, n))
            for _ in range(2)
        ]
        found.append(random_runs(mean_sample(*tables), 0, 1).estimate.standard_error ** 2)
    truth = 2 * (between**2 + within**2 / n) / runs
    # A variance estimated from about 2 (R − 1) values has a relative error of √(2/78); 60 of
    # them average it down, and four standard errors are allowed.
    assert np.mean(found) == pytest.approx(truth, rel=4 * (2 / 78 / 60) ** 0.5)


def test_random_runs_are_never_less_uncertain_than_fixed_ones() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        sample = mean_sample(
            noisy_runs(3, 50, between=0.3, within=0.5, rng=rng),
            noisy_runs(2, 50, between=0.3, within=0.5, rng=rng),
        )
        two_way = random_runs(sample, 0, 1).estimate
        fixed = fixed_runs(sample, 0, 1)
        assert two_way.standard_error >= fixed.standard_error
        assert two_way.df <= fixed.df + 1e-9
        assert two_way.value == fixed.value


def test_more_runs_help_down_to_the_floor_of_the_test_set() -> None:
    rng = np.random.default_rng(3)
    units = rng.normal(size=100)
    sample = mean_sample(
        units + noisy_runs(4, 100, between=0.5, within=0.2, rng=rng),
        noisy_runs(4, 100, between=0.5, within=0.2, rng=rng),
    )
    two_way = random_runs(sample, 0, 1)
    floor = math.sqrt(two_way.item_variance)
    small, large = two_way.with_runs(3), two_way.with_runs(1000)
    assert small.standard_error > large.standard_error > floor
    reachable = two_way.with_runs(12).detectable(alpha=0.05, power=0.8)
    needed = two_way.runs_needed(reachable, alpha=0.05, power=0.8)
    assert needed == 12
    assert two_way.runs_needed(floor, alpha=0.05, power=0.8) is None


def test_identical_runs_add_no_variance_between_runs() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=60), rng.normal(size=60)
    sample = mean_sample(np.tile(a, (3, 1)), np.tile(b, (3, 1)))
    assert random_runs(sample, 0, 1).estimate.standard_error == pytest.approx(
        fixed_runs(sample, 0, 1).standard_error
    )


def test_two_runs_each_by_hand() -> None:
    # Runs of S0: 1, 3 and 5, 7; of S1: 0, 0 and 2, 2. Scores 2, 6 and 0, 2.
    sample = mean_sample(np.array([[1.0, 3.0], [5.0, 7.0]]), np.array([[0.0, 0.0], [2.0, 2.0]]))
    found = random_runs(sample, 0, 1)
    # Influence values are (x − mean)/2: ∓½ in both runs of S0, 0 in S1. Nothing within units.
    assert found.estimate.value == 3.0
    unit = 2.0 * (0.25 + 0.25)  # n/(n − 1) Σψ²
    between = 8.0 / 2.0 + 2.0 / 2.0  # variances over runs 8 and 2, two runs each
    assert found.estimate.standard_error == pytest.approx(math.sqrt(unit + between))
    noise = unit**2 / 1.0 + (8.0 / 2.0) ** 2 + (2.0 / 2.0) ** 2
    assert found.estimate.df == pytest.approx((unit + between) ** 2 / noise)
    assert found.item_variance == pytest.approx(unit)
    assert found.run_variances == pytest.approx((8.0, 2.0))
    assert found.n_units == 2
    more = found.with_runs(4)
    assert more.standard_error == pytest.approx(math.sqrt(unit + 10.0 / 4.0))
    noise = unit**2 / 1.0 + (2.0**2 + 0.5**2) / 3.0
    assert more.df == pytest.approx((unit + 2.5) ** 2 / noise)


def test_what_runs_share_with_units_is_counted_once() -> None:
    # Both runs score 2, but their units differ: ψ is ∓½ in one and ±½ in the other.
    sample = mean_sample(np.array([[1.0, 3.0], [3.0, 1.0]]), np.zeros((2, 2)))
    found = random_runs(sample, 0, 1)
    # Within units Σ Var ψ = ½ + ½; s_test² = 0 is less, so nothing is left between runs.
    assert found.run_variances == pytest.approx((1.0, 0.0))
    assert (found.estimate.standard_error, found.item_variance) == (0.0, 0.0)
    assert found.estimate.df == 1.0  # nothing varies: that of the units


def test_the_runs_needed_are_the_fewest_that_suffice() -> None:
    rng = np.random.default_rng(9)
    sample = mean_sample(
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
    )
    found = random_runs(sample, 0, 1)
    for runs in (2, 3, 5, 8):
        reach = found.with_runs(runs).detectable(alpha=0.05, power=0.8)
        assert found.runs_needed(reach, alpha=0.05, power=0.8) == runs
        assert found.runs_needed(-reach * 0.999, alpha=0.05, power=0.8) == runs + 1
    assert found.runs_needed(1e9, alpha=0.05, power=0.8) == 2
