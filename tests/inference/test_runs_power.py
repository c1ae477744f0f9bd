"""The detectable difference over units and few runs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from detectable.core.types import FloatArray
from detectable.inference.runs import RunNoise, detectable_over_runs
from detectable.inference.standard_errors import Estimate

WITHIN, UNITS = 0.0025, 0.0075  # variances: noise of units in one run, and of the difference


def noise(n_runs: int, s2: float, *, shared: bool = False, df: float | None = None) -> RunNoise:
    between = max(0.0, s2 - WITHIN)
    return RunNoise(n_runs, s2, between, WITHIN, df or n_runs - 1.0, shared)


def mde(first: RunNoise, second: RunNoise, n_runs: int | None = None) -> float:
    units = Estimate(0.0, math.sqrt(UNITS), 99.0)
    return detectable_over_runs(units, (first, second), alpha=0.05, power=0.8, n_runs=n_runs)


def reach(n_runs: int, s2: FloatArray, units: FloatArray) -> FloatArray:
    """Return what a difference must exceed to be found: the formula of `random_runs`."""
    variance = units + np.maximum(0.0, s2 - WITHIN).sum(axis=0) / n_runs
    df = variance**2 / (units**2 / 99.0 + ((s2 / n_runs) ** 2).sum(axis=0) / (n_runs - 1.0))
    found: FloatArray = -stdtrit(df, 0.025) * np.sqrt(variance)
    return found


@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_a_known_run_variance_is_found_with_the_asked_power(n_runs: int) -> None:
    # The observed variance is at the median of its distribution, so that the correction is right.
    rng = np.random.default_rng(1)
    true, trials = 0.04, 40_000
    df = 2.0 * (n_runs - 1.0)
    median = np.median(rng.chisquare(df, 1_000_000)) / df
    effect = mde(noise(n_runs, true * median), noise(n_runs, true * median))
    s2 = true * rng.chisquare(n_runs - 1.0, (2, trials)) / (n_runs - 1.0)
    units = UNITS * rng.chisquare(99.0, trials) / 99.0
    spread = math.sqrt(UNITS + 2.0 * (true - WITHIN) / n_runs)
    hits = effect + rng.normal(0.0, spread, trials) > reach(n_runs, s2, units)
    # Midpoints are a coarse grid for one degree of freedom: allow one point beside the noise.
    assert hits.mean() == pytest.approx(0.8, abs=0.01 + 3 * 0.4 / trials**0.5)


def test_many_runs_end_at_the_noncentral_t() -> None:
    many = noise(1000, 0.04)
    units = Estimate(0.0, math.sqrt(UNITS + 2.0 * (0.04 - WITHIN) / 1000), 99.0)
    assert mde(many, many) == pytest.approx(units.detectable(alpha=0.05, power=0.8), rel=0.01)


def test_few_units_keep_their_degrees_of_freedom() -> None:
    """With runs by the thousand only units are unsure, and theirs is the noncentral t."""
    many, units = noise(10_000, 0.04), Estimate(0.0, math.sqrt(UNITS), 5.0)
    found = detectable_over_runs(units, (many, many), alpha=0.05, power=0.8)
    whole = math.sqrt(UNITS + 2.0 * (0.04 - WITHIN) / 10_000)
    expected = Estimate(0.0, whole, 5.0).detectable(alpha=0.05, power=0.8)
    assert found == pytest.approx(expected, rel=0.03)  # six midpoints of a chi-square


def test_more_runs_lower_it() -> None:
    two = noise(2, 0.04)
    found = [mde(two, two, n_runs=n) for n in (2, 3, 5, 20, 400)]
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(mde(two, two))


def test_pooling_over_five_systems_lowers_it() -> None:
    own, pooled = noise(2, 0.04), noise(2, 0.04, shared=True, df=5.0)
    assert mde(pooled, pooled) < 0.6 * mde(own, own)


@pytest.mark.parametrize(("n_runs", "now"), [(2, None), (2, 3), (3, 5)])
def test_a_pooled_run_variance_is_found_with_the_asked_power(
    n_runs: int, now: int | None
) -> None:
    """One variance of all systems, of 5 degrees of freedom; with more runs of each it has more."""
    rng = np.random.default_rng(2)
    true, trials, df = 0.04, 40_000, 5.0
    median = np.median(rng.chisquare(df, 1_000_000)) / df
    pooled = noise(n_runs, true * median, shared=True, df=df)
    effect = mde(pooled, pooled, n_runs=now)
    runs = now or n_runs
    grown = df * (runs - 1.0) / (n_runs - 1.0)
    items = UNITS - 2.0 * WITHIN / n_runs + 2.0 * WITHIN / runs
    s2 = true * rng.chisquare(grown, trials) / grown
    units = items * rng.chisquare(99.0, trials) / 99.0
    variance = units + 2.0 * np.maximum(0.0, s2 - WITHIN) / runs
    freedom = variance**2 / (units**2 / 99.0 + (2.0 * s2 / runs) ** 2 / grown)
    must = -stdtrit(freedom, 0.025) * np.sqrt(variance)
    spread = math.sqrt(items + 2.0 * (true - WITHIN) / runs)
    hits = effect + rng.normal(0.0, spread, trials) > must
    assert hits.mean() == pytest.approx(0.8, abs=0.01 + 3 * 0.4 / trials**0.5)


def test_a_shortfall_of_one_system_makes_up_for_the_excess_of_the_other() -> None:
    median = np.log(2.0)  # of chi-square with two degrees of freedom, over them
    even = mde(noise(2, WITHIN * median), noise(2, WITHIN * median))
    uneven = mde(noise(2, 1.4 * WITHIN * median), noise(2, 0.6 * WITHIN * median))
    assert uneven == pytest.approx(even)
    # Both short: never less than the noise of units, which is in the error of the units already.
    assert mde(noise(2, 0.1 * WITHIN), noise(2, 0.3 * WITHIN)) == pytest.approx(even)
    assert mde(noise(2, 1.8 * WITHIN * median), noise(2, 0.6 * WITHIN * median)) > 1.01 * even
    # Fewer runs of one system weigh more.
    assert mde(noise(2, 1.4 * WITHIN), noise(5, 0.6 * WITHIN)) > mde(
        noise(2, 0.6 * WITHIN), noise(5, 1.4 * WITHIN)
    )


def test_runs_that_do_not_differ_are_not_taken_to() -> None:
    """Half of all data sets state less than the median, which is found in .80 to .86 of cases."""
    rng, trials = np.random.default_rng(3), 40_000
    drawn = WITHIN * rng.chisquare(1.0, (301, 2))
    effect = float(np.median([mde(noise(2, a), noise(2, b)) for a, b in drawn.tolist()]))
    s2 = WITHIN * rng.chisquare(1.0, (2, trials))
    units = UNITS * rng.chisquare(99.0, trials) / 99.0
    hits = effect + rng.normal(0.0, math.sqrt(UNITS), trials) > reach(2, s2, units)
    assert 0.80 < hits.mean() < 0.86


def test_a_system_with_one_run_takes_part_with_the_variance_of_the_others() -> None:
    lone = RunNoise(1, 0.04, 0.0375, WITHIN, 2.0, shared=False)
    assert mde(noise(3, 0.04), lone) > mde(noise(3, 0.04), noise(3, 0.04))
    assert math.isfinite(mde(noise(3, 0.04), lone, n_runs=4))


def test_systems_change_places() -> None:
    stable, unstable = noise(3, 0.01), noise(3, 0.09)
    assert mde(stable, unstable) == pytest.approx(mde(unstable, stable))


def test_units_without_spread_leave_the_excess_of_the_runs() -> None:
    """The test has a standard error then, so there is something that it finds."""
    units = Estimate(0.3, 0.0, 1.0)
    above = RunNoise(1, 0.113, 0.015, 0.12, 5.0, shared=False)
    below = RunNoise(4, 0.113, 0.0, 0.15, 3.0, shared=False)
    found = detectable_over_runs(units, (above, below), alpha=0.2, power=0.8)
    twice = detectable_over_runs(
        units, (replace(above, between=0.06), below), alpha=0.2, power=0.8
    )
    assert 0.3 < found < twice < 4.0


def test_nothing_varies() -> None:
    still = RunNoise(2, 0.0, 0.0, 0.0, 1.0, shared=False)
    units = Estimate(1.0, 0.0, 99.0)
    found = detectable_over_runs(units, (still, still), alpha=0.05, power=0.8)
    assert math.isnan(found)
