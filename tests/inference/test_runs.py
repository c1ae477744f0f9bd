"""Runs as a sample: the two-way analysis."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from detectable.core.choices import RunVariance
from detectable.core.types import FloatArray
from detectable.inference.randomization import swap_parts
from detectable.inference.runs import (
    RandomRuns,
    RunNoise,
    detectable_over_runs,
    deviation,
    random_runs,
    run_spread,
)
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from tests.helpers import reference_data
from tests.inference.small_samples import gold
from tests.samples import mean_sample, noisy_runs


def fixed_runs(sample: Sample) -> Estimate:
    """Return the difference of the first two systems, with the runs at hand taken as they are."""
    return swap_parts(sample, [(0, 1)])[0].estimate()


def both_random(sample: Sample, variance: RunVariance = "own") -> RandomRuns:
    """Return the same with units and runs as random."""
    return random_runs(sample, [(0, 1)], [fixed_runs(sample)], variance=variance)[0]


@pytest.mark.slow
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
        found.append(both_random(mean_sample(*tables)).estimate.standard_error ** 2)
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
        two_way = both_random(sample).estimate
        fixed = fixed_runs(sample)
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
    two_way = both_random(sample)
    floor = math.sqrt(two_way.item_variance)
    few, many = (two_way.detectable(alpha=0.05, power=0.8, n_runs=n) for n in (3, 1000))
    assert few > many > 2.8 * floor
    reachable = two_way.detectable(alpha=0.05, power=0.8, n_runs=12)
    needed = two_way.runs_needed(reachable, alpha=0.05, power=0.8)
    assert needed == 12
    assert two_way.runs_needed(floor, alpha=0.05, power=0.8) is None


def test_identical_runs_add_no_variance_between_runs() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=60), rng.normal(size=60)
    sample = mean_sample(np.tile(a, (3, 1)), np.tile(b, (3, 1)))
    assert both_random(sample).estimate.standard_error == pytest.approx(
        fixed_runs(sample).standard_error
    )


def test_two_runs_each_by_hand() -> None:
    # Runs of S0: 1, 3 and 5, 7; of S1: 0, 0 and 2, 2. Scores 2, 6 and 0, 2.
    sample = mean_sample(np.array([[1.0, 3.0], [5.0, 7.0]]), np.array([[0.0, 0.0], [2.0, 2.0]]))
    found = both_random(sample)
    # Influence values are (x − mean)/2: ∓½ in both runs of S0, 0 in S1. Nothing within units.
    assert found.estimate.value == 3.0
    unit = 2.0 * (0.25 + 0.25)  # n/(n − 1) Σψ²
    between = 8.0 / 2.0 + 2.0 / 2.0  # variances over runs 8 and 2, two runs each
    assert found.estimate.standard_error == pytest.approx(math.sqrt(unit + between))
    spread = unit**2 / 1.0 + (8.0 / 2.0) ** 2 + (2.0 / 2.0) ** 2
    assert found.estimate.df == pytest.approx((unit + between) ** 2 / spread)
    assert found.item_variance == pytest.approx(unit)
    assert found.run_variances == pytest.approx((8.0, 2.0))
    assert found.n_units == 2
    assert found.units.standard_error == pytest.approx(math.sqrt(unit))
    for noise, variance in zip(found.noise, (8.0, 2.0), strict=True):
        known = (noise.n_runs, noise.s2_test, noise.within, noise.df)
        assert known == pytest.approx((2, variance, 0.0, 1.0))


def test_what_runs_share_with_units_is_counted_once() -> None:
    # Both runs score 2, but their units differ: ψ is ∓½ in one and ±½ in the other.
    sample = mean_sample(np.array([[1.0, 3.0], [3.0, 1.0]]), np.zeros((2, 2)))
    found = both_random(sample)
    # Within units Σ Var ψ / (1 − h) = (½ + ½) / ½; s_test² = 0 is less: nothing between runs.
    assert found.run_variances == pytest.approx((2.0, 0.0))
    assert (found.estimate.standard_error, found.item_variance) == (0.0, 0.0)
    assert found.estimate.df == 1.0  # nothing varies: that of the units


def test_the_runs_needed_are_the_fewest_that_suffice() -> None:
    rng = np.random.default_rng(9)
    sample = mean_sample(
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
    )
    found = both_random(sample)
    for runs in (2, 3, 5, 8):
        reach = found.detectable(alpha=0.05, power=0.8, n_runs=runs)
        assert found.runs_needed(reach, alpha=0.05, power=0.8) == runs
        assert found.runs_needed(-reach * 0.999, alpha=0.05, power=0.8) == runs + 1
    assert found.runs_needed(1e9, alpha=0.05, power=0.8) == 2


@pytest.mark.golden
def test_the_formulas_of_the_reference() -> None:
    import polars as pl

    known = gold("runs")
    table = pl.read_csv(reference_data("data", "small_samples", "small_samples_runs.csv"))
    tables = [
        np.array(
            [
                own.filter(pl.col("run") == run).sort("item")["y"].to_list()
                for run in sorted(own["run"].unique())
            ]
        )
        for _, own in sorted(table.group_by("system"))
    ]
    sample = mean_sample(*tables[::-1])  # the second system less the first
    fixed = fixed_runs(sample)
    assert fixed.value == pytest.approx(known["difference"], rel=1e-9)
    assert fixed.standard_error == pytest.approx(known["fixed"]["se"], rel=1e-9)
    assert fixed.df == known["fixed"]["df"]
    assert fixed.standard_error**2 == pytest.approx(known["units_variance"], rel=1e-9)
    assert fixed.p_value() == pytest.approx(known["fixed"]["p"], rel=1e-8)
    # The reference takes what varies within units from raw scores, which leaves a share of 1/n of
    # the run effect in it; here it comes from influences, without, and 1/n is made up for, as lme4
    # does. All else is the same.
    within = [table.var(axis=0, ddof=1).sum() / 30**2 for table in tables]
    assert within == pytest.approx(known["within"], rel=1e-9)
    centred = [
        (table - table.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).sum() / (30 * 29)
        for table in tables
    ]
    more = (sum(within) - sum(centred)) / 3.0
    for variance in ("own", "pooled"):
        found = both_random(sample, variance).estimate
        square = known[variance]["se"] ** 2 + more
        assert found.standard_error**2 == pytest.approx(square, rel=1e-9)
        ratio = square / known[variance]["se"] ** 2
        assert found.df == pytest.approx(known[variance]["df"] * ratio**2, rel=1e-9)
    # The error that lmerTest finds in the same data, where all variances are above zero.
    pooled = both_random(sample, "pooled").estimate
    assert pooled.standard_error == pytest.approx(known["lmerTest"]["se"], rel=1e-5)
    assert pooled.df == pytest.approx(known["lmerTest"]["df"], rel=1e-3)


def test_one_variance_for_all_systems_by_hand() -> None:
    # Scores of runs 2, 6 and 0, 2, and of a third system 1, 2, 3; nothing within units.
    sample = mean_sample(
        np.array([[1.0, 3.0], [5.0, 7.0]]),
        np.array([[0.0, 0.0], [2.0, 2.0]]),
        np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]),
    )
    found = both_random(sample, "pooled")
    pooled = (8.0 + 2.0 + 2.0 * 1.0) / 4.0  # variances 8, 2 and 1 with 1, 1 and 2 degrees
    between = pooled / 2.0 + pooled / 2.0
    assert found.estimate.standard_error == pytest.approx(math.sqrt(1.0 + between))
    # One variance: the two terms rise and fall together, with four degrees of freedom.
    noise = 1.0**2 / 1.0 + between**2 / 4.0
    assert found.estimate.df == pytest.approx((1.0 + between) ** 2 / noise)
    assert found.run_variances == pytest.approx((pooled, pooled))
    # With their own variances the third system does not matter.
    own, without = (
        both_random(sample),
        both_random(
            Sample(sample.metric, sample.systems[:2], sample.runs[:2], sample.statistics[:4])
        ),
    )
    assert own == without


def test_a_system_with_one_run_is_given_what_is_known_of_the_others() -> None:
    sample = mean_sample(
        np.array([[1.0, 3.0], [5.0, 7.0]]),
        np.array([[0.0, 0.0]]),
        np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]),
    )
    found = both_random(sample)
    others = (8.0 + 2.0 * 1.0) / 3.0  # variances 8 and 1 with 1 and 2 degrees of freedom
    assert found.run_variances == pytest.approx((8.0, others))
    total = 1.0 + 8.0 / 2.0 + others / 1.0
    assert found.estimate.standard_error == pytest.approx(math.sqrt(total))
    noise = 1.0**2 / 1.0 + (8.0 / 2.0) ** 2 / 1.0 + others**2 / 3.0
    assert found.estimate.df == pytest.approx(total**2 / noise)


def test_degrees_of_freedom_are_never_fewer_than_those_of_the_least_known_part() -> None:
    # Runs that differ less than their units do: nothing is left between them.
    rng = np.random.default_rng(11)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sample = mean_sample(rng.normal(size=(3, 20)), rng.normal(size=(2, 20)))
        assert both_random(sample).estimate.df >= 1.0
        assert both_random(sample, "pooled").estimate.df >= 3.0


def test_pairs_are_answered_in_their_order() -> None:
    rng = np.random.default_rng(12)
    sample = mean_sample(
        *(noisy_runs(3, 30, between=0.5, within=0.3, rng=rng) for _ in range(3))
    )
    pairs = [(2, 0), (1, 2)]
    units = [part.estimate() for part in swap_parts(sample, pairs)]
    found = random_runs(sample, pairs, units)
    assert [f.estimate.value for f in found] == pytest.approx(
        [sample.score(2) - sample.score(0), sample.score(1) - sample.score(2)]
    )
    spread = [run_spread(sample, s).s_test ** 2 for s in range(3)]
    for (system, baseline), one in zip(pairs, found, strict=True):
        for side, own in enumerate((system, baseline)):
            assert one.run_variances[side] >= spread[own] - 1e-12


# --- Several runs: clark2011's standard deviations ---


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


def test_two_runs_have_a_deviation() -> None:
    assert deviation(np.array([1.0, 3.0])) == pytest.approx(math.sqrt(2.0))
    assert math.isnan(deviation(np.array([1.0])))


# --- The detectable difference over units and few runs ---

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


@pytest.mark.slow
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
        units, (above._replace(between=0.06), below), alpha=0.2, power=0.8
    )
    assert 0.3 < found < twice < 4.0


def test_nothing_varies() -> None:
    still = RunNoise(2, 0.0, 0.0, 0.0, 1.0, shared=False)
    units = Estimate(1.0, 0.0, 99.0)
    found = detectable_over_runs(units, (still, still), alpha=0.05, power=0.8)
    assert math.isnan(found)
