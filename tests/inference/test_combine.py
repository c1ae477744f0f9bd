"""Stouffer's method, with and without signs."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.multiplicity import (
    fixed_strata,
    random_strata,
    stouffer,
    unsigned_stouffer,
)
from detectable.inference.standard_errors import Estimate
from tests.gold_evals import evals

P = [0.01, 0.2, 0.4, 0.85]


def test_equals_scipy_on_one_sided_p_values() -> None:
    z = stats.norm.isf(P)
    assert stouffer(z).p_greater == pytest.approx(
        stats.combine_pvalues(P, method="stouffer").pvalue, rel=1e-12
    )


def test_equals_scipy_with_weights() -> None:
    weights = [1.0, 2.0, 3.0, 0.5]
    expected = stats.combine_pvalues(P, method="stouffer", weights=weights).pvalue
    found = stouffer(stats.norm.isf(P), weights=weights)
    assert found.p_greater == pytest.approx(expected, rel=1e-12)


def test_opposite_effects_cancel_with_signs_and_add_up_without() -> None:
    z = np.array([3.0, -3.0])
    assert stouffer(z).p_two_sided == 1.0
    assert unsigned_stouffer(2 * stats.norm.sf(np.abs(z))) < 0.001


def test_unsigned_equals_scipy_on_two_sided_p_values() -> None:
    assert unsigned_stouffer(P) == pytest.approx(
        stats.combine_pvalues(P, method="stouffer").pvalue, rel=1e-12
    )


def test_a_p_value_of_one_is_finite() -> None:
    assert 0.0 < unsigned_stouffer([1.0, 0.5]) <= 1.0


def test_weights_are_checked() -> None:
    with pytest.raises(InputError, match="`weights` must be one number ≥ 0 per statistic"):
        stouffer([1.0, 2.0], weights=[0.0, 0.0])


def test_by_hand() -> None:
    found = stouffer([1.0, 3.0], weights=[4.0, 3.0])
    assert found.z == pytest.approx(13.0 / 5.0)
    assert found.p_greater == pytest.approx(stats.norm.sf(2.6))
    assert found.p_two_sided == pytest.approx(2 * stats.norm.sf(2.6))
    turned = stouffer([-1.0, -3.0], weights=[4.0, 3.0])
    assert (turned.z, turned.p_two_sided) == pytest.approx((-2.6, found.p_two_sided))
    assert turned.p_greater == pytest.approx(stats.norm.cdf(2.6))
    assert stouffer([2.0, 5.0], weights=[1.0, 0.0]).z == 2.0  # a part may weigh nothing


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0]])
def test_bad_weights(weights: list[float]) -> None:
    with pytest.raises(InputError, match=r"not all 0; got .* for 2"):
        stouffer([1.0, 2.0], weights=weights)


def test_unsigned_ends_are_finite() -> None:
    assert unsigned_stouffer([0.0]) == pytest.approx(0.0, abs=1e-299)
    assert unsigned_stouffer([0.0, 0.5]) > 0.0
    assert unsigned_stouffer([1.0]) == pytest.approx(1.0)
    assert unsigned_stouffer([0.5]) == 0.5


def test_a_p_value_of_one_does_not_drown_the_others() -> None:
    assert unsigned_stouffer([1.0, 1e-12]) == pytest.approx(0.80, abs=0.01)


# --- test_strata ---


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
