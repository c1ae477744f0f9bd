"""Runs as a sample: the two-way analysis."""

import math

import numpy as np
import pytest

from detectable.core.choices import RunVariance
from detectable.inference.randomization import swap_parts
from detectable.inference.runs import RandomRuns, random_runs, run_spread
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
