"""Several runs: clark2011's standard deviations and the two-way analysis."""

import csv
import json
import math
from typing import Any

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.delta import Estimate
from detectable.inference.runs import RandomRuns, random_runs, run_spread
from detectable.inference.sample import Sample
from detectable.inference.swap_parts import swap_parts
from detectable.metrics.mean import Mean
from tests.helpers import reference_data
from tests.samples import mean_sample, noisy_runs


def _by_units(sample: Sample, system: int = 0, baseline: int = 1) -> Estimate:
    return swap_parts(sample, [(system, baseline)])[0].estimate()


def _random_runs(
    sample: Sample, system: int = 0, baseline: int = 1, **options: Any
) -> RandomRuns:
    units = [_by_units(sample, system, baseline)]
    return random_runs(sample, [(system, baseline)], units, **options)[0]


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
        found.append(_random_runs(mean_sample(*tables)).estimate.standard_error ** 2)
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
        two_way = _random_runs(sample).estimate
        fixed = _by_units(sample)
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
    two_way = _random_runs(sample)
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
    assert _random_runs(sample).estimate.standard_error == pytest.approx(
        _by_units(sample).standard_error
    )


def test_two_runs_each_by_hand() -> None:
    # Runs of S0: 1, 3 and 5, 7; of S1: 0, 0 and 2, 2. Scores 2, 6 and 0, 2.
    sample = mean_sample(np.array([[1.0, 3.0], [5.0, 7.0]]), np.array([[0.0, 0.0], [2.0, 2.0]]))
    found = _random_runs(sample)
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
    found = _random_runs(sample)
    # Within units Σ Var ψ = ½ + ½; s_test² = 0 is less, so nothing is left between runs.
    assert found.run_variances == pytest.approx((1.0, 0.0))
    assert (found.estimate.standard_error, found.item_variance) == (0.0, 0.0)
    assert found.estimate.df == 1.0  # nothing varies: that of the units


def test_runs_that_differ_less_than_their_units_keep_the_degrees_of_freedom_of_runs() -> None:
    """Nothing is left between runs, while s²_test alone would bring df to nearly zero."""
    rng = np.random.default_rng(1)
    low = math.inf
    for _ in range(200):
        noise = rng.normal(size=(2, 2, 4))
        shared = 0.01 * rng.normal(size=4)
        found = _random_runs(mean_sample(shared + noise[0], noise[1]))
        units = _by_units(mean_sample(shared + noise[0], noise[1]))
        assert found.estimate.df >= min(1.0, units.df)
        low = min(low, found.estimate.df)
    assert low == 1.0  # it happens


# Several pairs, one run, one variance for all


def _three(rng: np.random.Generator) -> Sample:
    return mean_sample(
        noisy_runs(3, 40, between=0.3, within=0.5, rng=rng),
        noisy_runs(2, 40, between=0.6, within=0.5, rng=rng),
        noisy_runs(4, 40, between=0.1, within=0.5, rng=rng),
    )


def test_every_pair_is_the_pair_by_itself() -> None:
    sample = _three(np.random.default_rng(5))
    pairs = [(1, 0), (2, 0), (2, 1)]
    together = random_runs(sample, pairs, [_by_units(sample, *pair) for pair in pairs])
    assert together == [_random_runs(sample, *pair) for pair in pairs]


def _parts(sample: Sample, system: int) -> tuple[float, float]:
    """Return s²_test and the variance within units, by hand."""
    s2_test = float(sample.run_scores(system).var(ddof=1))
    return s2_test, float(sample.influence(system).var(axis=0, ddof=1).sum())


def test_one_variance_for_all_systems_is_pooled_by_degrees_of_freedom() -> None:
    sample = _three(np.random.default_rng(6))
    found = _random_runs(sample, 0, 1, variance="pooled")
    df = np.array([2.0, 1.0, 3.0])
    s2_test, within = (
        df @ np.array([_parts(sample, s)[i] for s in range(3)]) / 6 for i in (0, 1)
    )
    units = _by_units(sample)
    total = units.standard_error**2 + max(0.0, s2_test - within) * (1 / 3 + 1 / 2)
    assert found.estimate.standard_error == pytest.approx(math.sqrt(total))
    # One variance estimate serves both systems: their errors go together.
    noise = units.standard_error**4 / units.df + (s2_test * (1 / 3 + 1 / 2)) ** 2 / 6
    assert found.estimate.df == pytest.approx(total**2 / noise)


def test_a_system_with_one_run_is_given_the_mean_variance_of_the_others() -> None:
    rng = np.random.default_rng(7)
    tables = [noisy_runs(n, 40, between=0.5, within=0.5, rng=rng) for n in (3, 5, 1)]
    sample = mean_sample(*tables)
    found = _random_runs(sample, 2, 0)
    df = np.array([2.0, 4.0])
    parts = np.array([_parts(sample, s) for s in (0, 1)])
    between = np.maximum(0.0, parts[:, 0] - parts[:, 1])
    units = _by_units(sample, 2, 0)
    total = units.standard_error**2 + df @ between / 6 + between[0] / 3
    assert found.estimate.standard_error == pytest.approx(math.sqrt(total))
    noise = units.standard_error**4 / units.df
    noise += (df @ parts[:, 0] / 6) ** 2 / 6 + (parts[0, 0] / 3) ** 2 / 2
    assert found.estimate.df == pytest.approx(total**2 / noise)


# Against R


def _gold_sample() -> tuple[Sample, dict[str, Any]]:
    path = reference_data("data", "small_samples", "small_samples_runs.csv")
    gold: dict[str, Any] = json.loads(
        reference_data("gold", "small_samples.json").read_text(encoding="utf-8")
    )["runs"]
    cells: dict[str, dict[tuple[int, int], float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, place = row["system"], (int(row["run"]), int(row["item"]))
            cells.setdefault(name, {})[place] = float(row["y"])
    tables: dict[str, FloatArray] = {}
    for name, found in cells.items():
        shape = max(run for run, _ in found), max(item for _, item in found)
        tables[name] = np.array(
            [[found[r + 1, i + 1] for i in range(shape[1])] for r in range(shape[0])]
        )
    scores = Scores.build(tables)
    runs = tuple(scores.n_runs(name) for name in scores.systems)
    return Sample(Mean(), tuple(scores.systems), runs, Mean().statistics(scores)), gold


@pytest.mark.golden
@pytest.mark.parametrize("variance", ["own", "pooled"])
def test_the_two_way_test_equals_the_formulas_in_r(variance: Any) -> None:
    """But for one detail: R's code leaves the effect of a run in what varies within its units.

    Then σ²_u is estimated by σ²_u (1 − 1/n). Influence values are centred in each run, so ours is
    not; lmerTest agrees with ours (standard errors 1.897, 1.921 and 1.918).
    """
    sample, gold = _gold_sample()
    found = _random_runs(sample, 1, 0, variance=variance).estimate
    parts = [_parts(sample, s) for s in (0, 1)]
    assert [s2 for s2, _ in parts] == pytest.approx(gold["s2_test"], rel=1e-10)
    left_in = [within + s2 / sample.n_units for s2, within in parts]
    assert left_in == pytest.approx(gold["within"], rel=1e-9)
    assert abs(found.value) == pytest.approx(gold["difference"], rel=1e-10)
    # Their error plus what they took out twice, over three runs of either system.
    more = sum(gold["s2_test"]) / sample.n_units / 3
    total = gold[variance]["se"] ** 2 + more
    assert found.standard_error == pytest.approx(math.sqrt(total), rel=1e-9)
    noise = gold[variance]["se"] ** 4 / gold[variance]["df"]
    assert found.df == pytest.approx(total**2 / noise, rel=1e-9)
    assert found.standard_error == pytest.approx(gold["lmerTest"]["se"], rel=0.002)
    assert found.p_value() == pytest.approx(gold["lmerTest"]["p"], abs=0.01)


@pytest.mark.golden
def test_the_runs_at_hand_equal_the_formulas_in_r() -> None:
    sample, gold = _gold_sample()
    units = _by_units(sample, 1, 0)
    assert units.standard_error == pytest.approx(gold["fixed"]["se"], rel=1e-9)
    assert (units.df, units.p_value()) == (29, pytest.approx(gold["fixed"]["p"], rel=1e-9))


def test_the_runs_needed_are_the_fewest_that_suffice() -> None:
    rng = np.random.default_rng(9)
    sample = mean_sample(
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
        noisy_runs(3, 200, between=0.5, within=0.2, rng=rng),
    )
    found = _random_runs(sample)
    for runs in (2, 3, 5, 8):
        reach = found.with_runs(runs).detectable(alpha=0.05, power=0.8)
        assert found.runs_needed(reach, alpha=0.05, power=0.8) == runs
        assert found.runs_needed(-reach * 0.999, alpha=0.05, power=0.8) == runs + 1
    assert found.runs_needed(1e9, alpha=0.05, power=0.8) == 2
