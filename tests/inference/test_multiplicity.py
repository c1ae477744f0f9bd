"""Corrections for several tests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.inference.multiplicity import (
    benjamini_hochberg,
    fixed_strata,
    holm,
    max_t,
    max_t_threshold,
    random_strata,
    stouffer,
    unsigned_stouffer,
)
from detectable.inference.standard_errors import Estimate
from tests.gold_evals import evals

P = st.lists(st.floats(0.0001, 1.0), min_size=1, max_size=12)


@pytest.mark.golden
def test_holm_equals_r() -> None:
    # R 4.2: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
    adjusted = holm(np.array([0.01, 0.02, 0.03, 0.04, 0.05]))
    assert adjusted == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])


@given(P)
def test_holm_lies_between_the_raw_p_and_bonferroni(p: list[float]) -> None:
    raw = np.array(p)
    adjusted = holm(raw)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(1.0, raw.size * raw) + 1e-15).all()


@given(P)
def test_holm_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    adjusted = holm(raw)
    assert (np.diff(adjusted[np.argsort(raw)]) >= 0).all()


def test_max_t_of_one_test_is_the_plain_p_value() -> None:
    null = np.random.default_rng(1).normal(size=(999, 1))
    expected = (np.sum(np.abs(null) >= 1.7) + 1) / 1000
    assert max_t(np.array([1.7]), null)[0] == pytest.approx(expected)


def test_max_t_of_copies_costs_nothing_and_of_independent_tests_is_like_holm() -> None:
    rng = np.random.default_rng(2)
    one = rng.normal(size=(20_000, 1))
    copies = max_t(np.array([2.2, 2.2, 2.2]), np.tile(one, 3))
    assert copies == pytest.approx(max_t(np.array([2.2]), one)[0])
    independent = max_t(np.array([2.2, 0.1, 0.2]), rng.normal(size=(20_000, 3)))
    single = 2 * 0.0139  # P(|Z| ≥ 2.2)
    # 1 − (1 − p)³ up to four standard errors of a share of 20,000
    exact = 1 - (1 - single) ** 3
    assert independent[0] == pytest.approx(exact, abs=4 * (exact / 20_000) ** 0.5)


def test_max_t_does_not_depend_on_the_scale_of_a_metric() -> None:
    null = np.random.default_rng(3).normal(size=(500, 2))
    scaled = null * np.array([1.0, 1000.0])
    assert np.array_equal(
        max_t(np.array([2.0, 1.0]), null), max_t(np.array([2.0, 1000.0]), scaled)
    )


def test_a_comparison_without_spread_has_p_one_and_does_not_disturb_the_others() -> None:
    null = np.random.default_rng(4).normal(size=(500, 1))
    both = max_t(np.array([2.5, 0.0]), np.hstack([null, np.zeros((500, 1))]))
    assert both[1] == 1.0
    assert both[0] == max_t(np.array([2.5]), null)[0]


def test_the_threshold_of_one_test_is_the_normal_quantile() -> None:
    null = np.random.default_rng(5).normal(size=(100_000, 1))
    # Standard error of the quantile: sqrt(.05 · .95 / R) / density, density 2 · .0584
    assert max_t_threshold(null, 0.05) == pytest.approx(1.96, abs=4 * 0.00069 / 0.1169)
    assert np.isnan(max_t_threshold(np.zeros((10, 2)), 0.05))


@given(st.lists(st.floats(0.0, 1.0, allow_subnormal=False), min_size=1, max_size=30))
def test_false_discovery_is_that_of_statsmodels(p: list[float]) -> None:
    expected = multipletests(p, method="fdr_bh")[1]
    np.testing.assert_allclose(benjamini_hochberg(p), expected, rtol=1e-12)


@pytest.mark.golden
def test_false_discovery_in_the_example_of_the_paper() -> None:
    # Benjamini and Hochberg (1995), section 3.2: 15 tests, of which 4 are found at .05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert int((benjamini_hochberg(p) <= 0.05).sum()) == 4


def test_no_p_value_lies_outside_zero_and_one() -> None:
    with pytest.raises(InputError, match="between 0 and 1; got"):
        benjamini_hochberg([0.5, 1.5])


def test_max_t_by_hand() -> None:
    # Both columns have a standard deviation of 1, so that differences are their own statistics.
    null = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert max_t(np.array([1.0, 2.0]), null).tolist() == [1.0, 1 / 5]
    # The less extreme one is compared with itself alone, but is not below the more extreme one.
    assert max_t(np.array([0.5, 0.9]), null).tolist() == [1.0, 1.0]
    wide = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 3.0], [0.0, -3.0]])
    # Standardised 3 / √4.5 = √2: one test alone has 2 of 4 as extreme, the larger of both all.
    assert max_t(np.array([3.0, 2.0]), wide).tolist() == [1.0, 1.0]
    assert max_t(np.array([3.0]), wide[:, :1]).tolist() == [3 / 5]


def test_the_threshold_by_hand() -> None:
    null = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 8.0], [0.0, -8.0], [0.0, 0.0]])
    # Standard deviations √1.6 and √25.6: the largest of a row is √2.5 in four rows, 0 in one.
    assert max_t_threshold(null, 0.5) == pytest.approx(2.5**0.5)
    assert max_t_threshold(null, 0.9) == pytest.approx(0.4 * 2.5**0.5)
    assert max_t_threshold(np.hstack([null, np.zeros((5, 1))]), 0.5) == pytest.approx(2.5**0.5)


@given(st.integers(0, 10_000))
def test_max_t_is_the_step_down_procedure_spelt_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    observed, null = rng.normal(0.0, 2.0, 4), rng.normal(size=(50, 4)) * [1.0, 5.0, 0.1, 2.0]
    t, drawn = np.abs(observed) / null.std(axis=0), np.abs(null) / null.std(axis=0)
    expected, so_far = np.empty(4), 0.0
    left = list(range(4))
    while left:
        first = max(left, key=lambda i: t[i])
        so_far = max(so_far, ((drawn[:, left].max(axis=1) >= t[first]).sum() + 1) / 51)
        expected[first] = so_far
        left.remove(first)
    assert max_t(observed, null).tolist() == pytest.approx(expected.tolist())


@given(st.integers(0, 10_000))
def test_columns_one_by_one_give_what_the_table_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    observed, null = rng.normal(0.0, 2.0, 5), rng.integers(-3, 4, (40, 5)) * [1.0, 5, 0.1, 2, 0]

    def column(i: int) -> FloatArray:
        return np.ascontiguousarray(null[:, i])

    assert max_t(observed, column).tolist() == max_t(observed, null).tolist()
    for alpha in (0.05, 0.4):
        asked = max_t_threshold(column, alpha, size=5)
        assert asked == max_t_threshold(null, alpha)
    assert np.isnan(max_t_threshold(lambda _: np.zeros(4), 0.05, size=2))


# --- Stouffer's method, with and without signs ---

P_OF_COMBINE = [0.01, 0.2, 0.4, 0.85]


def test_equals_scipy_on_one_sided_p_values() -> None:
    z = stats.norm.isf(P_OF_COMBINE)
    assert stouffer(z).p_greater == pytest.approx(
        stats.combine_pvalues(P_OF_COMBINE, method="stouffer").pvalue, rel=1e-12
    )


def test_equals_scipy_with_weights() -> None:
    weights = [1.0, 2.0, 3.0, 0.5]
    expected = stats.combine_pvalues(P_OF_COMBINE, method="stouffer", weights=weights).pvalue
    found = stouffer(stats.norm.isf(P_OF_COMBINE), weights=weights)
    assert found.p_greater == pytest.approx(expected, rel=1e-12)


def test_opposite_effects_cancel_with_signs_and_add_up_without() -> None:
    z = np.array([3.0, -3.0])
    assert stouffer(z).p_two_sided == 1.0
    assert unsigned_stouffer(2 * stats.norm.sf(np.abs(z))) < 0.001


def test_unsigned_equals_scipy_on_two_sided_p_values() -> None:
    assert unsigned_stouffer(P_OF_COMBINE) == pytest.approx(
        stats.combine_pvalues(P_OF_COMBINE, method="stouffer").pvalue, rel=1e-12
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
