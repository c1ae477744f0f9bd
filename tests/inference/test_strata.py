import math

import numpy as np
import pytest

from detectable.inference.combine import fixed_strata, random_strata
from detectable.inference.standard_errors import Estimate
from tests.gold_evals import evals


@pytest.mark.golden
def test_the_mean_of_a_large_and_a_small_task() -> None:
    tasks = [Estimate(0.5, 0.02, 999.0), Estimate(0.7, 0.06, 49.0)]
    macro = fixed_strata(tasks, np.full(2, 0.5))
    assert macro.standard_error == pytest.approx(evals("lmeval.right_macro"), rel=1e-6)
    sizes = np.array([1000.0, 50.0]) / 1050.0
    by_size = fixed_strata(tasks, sizes).standard_error
    assert by_size == pytest.approx(evals("lmeval.right_size_weighted"), rel=1e-6)
    # What lm-eval prints for either is neither: variances of answers, pooled by degrees of freedom.
    n, errors = np.array([1000, 50]), np.array([0.02, 0.06])
    pooled = math.sqrt(((n - 1) * n * errors**2).sum() / (n.sum() - 2) / n.sum())
    assert pooled == pytest.approx(evals("lmeval.pooled_stderr"), rel=1e-6)
    assert macro.standard_error > 1.6 * pooled


def test_degrees_of_freedom_lie_between_the_least_and_the_sum() -> None:
    tasks = [Estimate(0.0, 1.0, 5.0), Estimate(0.0, 1.0, 7.0)]
    found = fixed_strata(tasks, np.array([0.5, 0.5]))
    assert found.df == pytest.approx(4 / (1 / 5 + 1 / 7))
    assert 5.0 < found.df < 12.0
    one = fixed_strata([Estimate(1.0, 1.0, 5.0), Estimate(3.0, 0.0, 7.0)], np.array([0.5, 0.5]))
    assert (one.value, one.standard_error, one.df) == pytest.approx((2.0, 0.5, 5.0))


def test_without_spread_there_is_none() -> None:
    found = fixed_strata(
        [Estimate(1.0, 0.0, 5.0), Estimate(2.0, 0.0, 7.0)], np.array([0.5, 0.5])
    )
    assert (found.value, found.standard_error, found.df) == (1.5, 0.0, 5.0)
    unknown = fixed_strata([Estimate(1.0, math.nan, math.nan)] * 2, np.array([0.5, 0.5]))
    assert math.isnan(unknown.standard_error)


def test_what_strata_share_is_added_and_never_takes_all_away() -> None:
    tasks = [Estimate(0.0, 3.0, 9.0), Estimate(0.0, 4.0, 9.0)]
    weights = np.array([0.5, 0.5])
    assert fixed_strata(tasks, weights).standard_error == pytest.approx(2.5)
    more = fixed_strata(tasks, weights, shared=6.0)
    assert more.standard_error == pytest.approx(math.sqrt(6.25 + 6.0))
    less = fixed_strata(tasks, weights, shared=-6.0)
    assert less.standard_error == pytest.approx(2.0)  # that of the larger part alone


def test_tasks_as_a_sample_of_tasks() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.6, 0.2])
    found = random_strata(values)
    assert found.value == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(5))
    assert found.df == 4.0
