"""What a group of comparisons could detect, by formula and by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.core.types import FloatArray
from detectable.inference.standard_errors import median_unbiased
from detectable.study.audit.archive_audit import (
    Aim,
    GroupTally,
    Limits,
    detectable_differences,
    needed_judgments,
    tally,
)
from detectable.study.audit.past_comparisons import SeenDifferences

AIM = Aim(alpha=0.05, power=0.8, target=2.0)


def seen(
    difference: list[float],
    p: list[float],
    error: list[float],
    *,
    df: float = math.inf,
    n: float = 100.0,
) -> SeenDifferences:
    return SeenDifferences(
        test="reported",
        difference=np.array(difference),
        p_value=np.array(p),
        standard_error=np.array(error),
        df=np.full(len(p), df),
        n=np.full(len(p), n),
    )


def tallied(
    table: SeenDifferences, aim: Aim = AIM, rows: list[int] | None = None
) -> GroupTally:
    chosen = np.arange(table.p_value.size) if rows is None else np.array(rows)
    return tally("g", table, Limits.of(table, aim), chosen)


def test_a_group_by_hand() -> None:
    table = seen([5, -3, 2, 0.5], [0.001, 0.01, 0.2, 0.6], [1.0, 0.5, 0.7, 2.0])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    np.testing.assert_allclose(limits, z * table.standard_error)
    found = tallied(table)
    assert (found.significant, found.total, found.observed_mde, found.above) == (2, 4, 3.0, 2)
    assert found.median_difference == 2.5
    assert found.n == 100.0
    assert found.detectable == pytest.approx(z * 0.85)
    assert found.underpowered == 0.5  # 2.80 and 5.60 are above 2, 1.40 and 1.96 below
    assert found.budget == math.ceil(100 * np.median((z * table.standard_error / 2.0) ** 2))
    assert found.above_interval is not None
    assert found.above_interval.low == pytest.approx(1 / (1 + 1.959964**2 / 2))


def test_only_the_chosen_count() -> None:
    table = seen([5, 1, 4], [0.001, 0.9, 0.3], [1.0, 9.0, 0.1])
    found = tallied(table, rows=[0])
    assert (found.significant, found.total, found.underpowered) == (1, 1, 1.0)
    assert found.budget == math.ceil(100 * (2.801585 / 2.0) ** 2)


def test_significance_is_below_alpha_and_nothing_found_is_none() -> None:
    table = seen([5, 1], [0.05, 0.01], [1.0, 1.0])
    found = tallied(table)
    assert (found.significant, found.observed_mde, found.above) == (1, None, 0)
    assert found.above_interval is None
    later = tallied(table, Aim(alpha=0.06, power=0.8, target=2.0))
    assert (later.significant, later.observed_mde) == (2, 1.0)


def test_unknown_errors_are_left_out_of_power_and_budget() -> None:
    table = seen([5, 1, 2], [0.001, 0.5, 0.1], [math.nan, 0.0, 1.0])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    assert np.isnan(limits).tolist() == [True, True, False]
    found = tallied(table)
    assert (found.total, found.underpowered) == (3, 1.0)
    assert found.budget == math.ceil(100 * (2.801585 / 2.0) ** 2)  # of the last alone
    nothing = seen([5], [0.001], [math.nan])
    found = tallied(nothing)
    assert math.isnan(found.detectable)
    assert math.isnan(found.underpowered)
    assert found.budget is None


def test_what_is_just_enough_is_enough() -> None:
    table = seen([1, 2, 2], [0.5, 0.5, 0.5], [0.004, 0.7, 0.8])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    assert not np.isnan(limits).any()  # small errors are known errors
    aim = Aim(alpha=0.05, power=0.8, target=float(limits[1]))
    assert tallied(table, aim).underpowered == pytest.approx(1 / 3)
    needed = needed_judgments(table, alpha=0.05, power=0.8, target=float(limits[1]))
    assert needed[0] > 0.0
    assert needed[1] == pytest.approx(100.0)


@pytest.mark.parametrize("df", [4.0, 30.0, 1000.0])
def test_few_degrees_of_freedom_detect_less(df: float) -> None:
    table = seen([1], [0.5], [1.0], df=df)
    [limit] = detectable_differences(table, alpha=0.05, power=0.8)
    power = stats.nct.sf(stats.t.ppf(0.975, df), df, limit / median_unbiased(1.0, df))
    assert power == pytest.approx(0.8, abs=1e-9)


def _known_archive(rng: np.random.Generator, k: int) -> tuple[FloatArray, FloatArray]:
    """Return judgments per system and the true SD of one judgment, of k comparisons."""
    return rng.integers(40, 900, k).astype(np.float64), rng.uniform(8.0, 28.0, k)


def test_the_underpowered_share_is_that_of_the_truth() -> None:
    """2,000 comparisons of known SD and size; their standard errors are estimated from data."""
    rng, k = np.random.default_rng(8), 2000
    n, sd = _known_archive(rng, k)
    df = 2.0 * n - 2.0
    true_error = sd * np.sqrt(2.0 / n)
    estimated = true_error * np.sqrt(rng.chisquare(df) / df)
    observed = 2.0 + true_error * rng.normal(size=k)
    table = SeenDifferences(
        test="rank-sum",
        difference=observed,
        p_value=2.0 * stats.t.sf(np.abs(observed / estimated), df),
        standard_error=estimated,
        df=df,
        n=n,
    )
    found = tallied(table)
    power = stats.nct.sf(stats.t.ppf(0.975, df), df, 2.0 / true_error)
    truth = float((power < 0.8).mean())
    assert found.underpowered == pytest.approx(
        truth, abs=4 * math.sqrt(truth * (1 - truth) / k)
    )
    # And the power behind it: the significant ones are as many as the powers add up to.
    right = (table.p_value < 0.05) & (observed > 0.0)
    spread = math.sqrt(float((power * (1.0 - power)).sum()))
    assert abs(right.sum() - power.sum()) < 4 * spread


@pytest.mark.parametrize("target", [2.0, 12.0])
def test_the_budget_decides_half_of_the_comparisons(target: float) -> None:
    """At the budget, simulated two-sample t tests have the power in half of the comparisons.

    A target of 12 needs some 35 judgments, where estimating the SD costs one more.
    """
    rng, k, trials = np.random.default_rng(12), 400, 2000
    n, sd = _known_archive(rng, k)
    table = SeenDifferences(
        test="rank-sum",
        difference=np.zeros(k),
        p_value=np.ones(k),
        standard_error=sd * np.sqrt(2.0 / n),
        df=2.0 * n - 2.0,
        n=n,
    )
    needed = needed_judgments(table, alpha=0.05, power=0.8, target=target)
    budget = tallied(table, Aim(alpha=0.05, power=0.8, target=target)).budget
    assert budget == math.ceil(float(np.median(needed)))
    # Each comparison at its own need: the power is what was asked for.
    power = _simulated(rng, needed, sd, target, trials)
    assert power.mean() == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / (k * trials)))
    # All at the budget: half of them reach it.
    reached = _simulated(rng, np.full(k, float(budget)), sd, target, trials) >= 0.8
    assert reached.mean() == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / k))


def _simulated(
    rng: np.random.Generator, n: FloatArray, sd: FloatArray, target: float, trials: int
) -> FloatArray:
    """Return how often two-sample t tests find the target, for each comparison."""
    df = 2.0 * n - 2.0
    error = sd * np.sqrt(2.0 / n)
    observed = target + error * rng.normal(size=(trials, n.size))
    estimated = error * np.sqrt(rng.chisquare(df, (trials, n.size)) / df)
    hits = observed / estimated > stats.t.ppf(0.975, df)
    powers: FloatArray = hits.mean(axis=0)
    return powers
