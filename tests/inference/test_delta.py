"""Delta-method estimates against classical formulas."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import stdtr

from detectable.inference.standard_errors import (
    Estimate,
    detectable_shift,
    detectable_shifts,
    estimate,
    median_unbiased,
    shift_beyond,
)
from detectable.kernels.distributions import t_quantile
from tests.samples import mean_sample


def test_the_standard_error_of_a_mean_is_the_classical_one() -> None:
    scores = np.random.default_rng(1).normal(size=37)
    found = estimate(float(scores.mean()), mean_sample(scores).influence(0)[0])
    assert found.standard_error == pytest.approx(scores.std(ddof=1) / 37**0.5, rel=1e-9)
    low, high = stats.t.interval(0.95, 36, scores.mean(), scores.std(ddof=1) / 37**0.5)
    assert found.interval(0.95).to_json() == pytest.approx([low, high], rel=1e-8)


def test_the_p_value_is_that_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=25), rng.normal(size=25)
    sample = mean_sample(a, b)
    influence = sample.influence(0)[0] - sample.influence(1)[0]
    found = estimate(float((a - b).mean()), influence)
    assert found.p_value() == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-8)


@pytest.mark.golden
def test_equivalence_is_two_one_sided_tests() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(0.1, 1.0, 80)
    found = estimate(float(d.mean()), mean_sample(d).influence(0)[0])
    upper = stats.ttest_1samp(d, 0.5, alternative="less").pvalue
    lower = stats.ttest_1samp(d, -0.5, alternative="greater").pvalue
    assert found.equivalence_p(0.5) == pytest.approx(max(upper, lower), rel=1e-8)


def test_the_detectable_effect_has_the_stated_power() -> None:
    found = Estimate(0.0, 1.0, 1e6)
    mde = found.detectable(alpha=0.05, power=0.8)
    assert mde == pytest.approx(1.959964 + 0.841621, abs=1e-4)
    # Power of a two-sided z test at that effect; the other tail adds nothing visible.
    assert stats.norm.sf(1.959964 - mde) == pytest.approx(0.8, abs=1e-4)


def test_units_needed_follow_the_square_law() -> None:
    found = Estimate(0.0, 0.5, 1e9)
    mde = found.detectable(alpha=0.05, power=0.8)
    assert found.units_needed(mde, 1000, alpha=0.05, power=0.8) == 1000
    assert found.units_needed(-mde / 2, 1000, alpha=0.05, power=0.8) == pytest.approx(
        4000, abs=1
    )


def test_no_spread_means_certainty_not_an_error() -> None:
    assert Estimate(0.0, 0.0, 9).p_value() == 1.0
    assert Estimate(1.0, 0.0, 9).p_value() == 0.0
    assert Estimate(1.0, 0.0, 9).equivalence_p(2.0) == 0.0
    assert Estimate(3.0, 0.0, 9).equivalence_p(2.0) == 1.0


def test_one_unit_has_no_standard_error() -> None:
    assert np.isnan(estimate(1.0, np.zeros(1)).standard_error)


def test_influence_values_are_taken_about_their_mean() -> None:
    # Deviations −1, 0, 1: 3/2 · 2, and a shift of all of them changes nothing.
    for shift in (0.0, 5.0):
        found = estimate(7.0, np.array([-1.0, 0.0, 1.0]) + shift)
        assert (found.value, found.standard_error, found.df) == (7.0, 3.0**0.5, 2.0)
    assert estimate(1.0, np.array([0.0, 1.0])).standard_error == 1.0


def test_a_margin_that_is_just_reached_is_not_kept_for_certain() -> None:
    assert Estimate(2.0, 0.0, 9).equivalence_p(2.0) == 1.0
    assert Estimate(-1.0, 0.0, 9).equivalence_p(2.0) == 0.0


def test_what_cannot_be_had_is_not_a_number() -> None:
    for error in (float("nan"), float("inf")):
        assert np.isnan(Estimate(0.0, error, 9.0).detectable(alpha=0.05, power=0.8))


def test_few_degrees_of_freedom_need_the_noncentral_distribution() -> None:
    found = Estimate(0.0, 2.0, 3.0)
    shift = found.detectable(alpha=0.1, power=0.7) / found.typical_error
    assert stats.nct.sf(stats.t.ppf(0.95, 3), 3, shift) == pytest.approx(0.7, abs=1e-7)


def test_at_least_two_units_are_needed() -> None:
    assert Estimate(0.0, 1.0, 99.0).units_needed(1e6, 100, alpha=0.05, power=0.8) == 2


@pytest.mark.parametrize("df", [0.5, 1.0, 2.0, 3.0, 9.0, 99.0])
@pytest.mark.parametrize("alpha", [1e-12, 1e-16, 1e-30, 1e-300])
def test_the_smallest_levels_have_an_end(df: float, alpha: float) -> None:
    found = detectable_shift(df, alpha=alpha, power=0.8)
    critical = -t_quantile(alpha / 2, df)  # scipy's are infinite or wrong for the smallest
    # Where even the critical value is out of reach there is no answer, and no endless search.
    assert math.isnan(found) == (not math.isfinite(critical))
    if math.isfinite(critical):
        # P((Z + δ) / √(χ²/df) > c) over draws of both: the definition.
        rng = np.random.default_rng(1)
        t = (rng.normal(size=40_000) + found) / np.sqrt(rng.chisquare(df, 40_000) / df)
        assert np.mean(t > critical) == pytest.approx(0.8, abs=4 * (0.16 / 40_000) ** 0.5)


@pytest.mark.parametrize("df", [1.0, 2.0])
def test_the_closed_form_of_the_far_tail_goes_on_where_the_series_ends(df: float) -> None:
    alphas = [2 * float(stdtr(df, -cut)) for cut in (9_999.0, 10_001.0)]
    low, high = (detectable_shift(df, alpha=alpha, power=0.8) for alpha in alphas)
    assert high / low == pytest.approx(10_001 / 9_999, rel=1e-6)


@pytest.mark.parametrize(("critical", "df"), [(0.0, 3.0), (1.3, 4.0), (2.5, 2.7), (30.0, 9.0)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_shift_beyond_a_critical_value(critical: float, df: float, power: float) -> None:
    shift = shift_beyond(critical, df, power=power)
    assert stats.nct.sf(critical, df, shift) == pytest.approx(power, abs=1e-7)


@pytest.mark.parametrize("critical", [math.inf, math.nan])
def test_no_shift_goes_beyond_what_is_not_a_number(critical: float) -> None:
    assert math.isnan(shift_beyond(critical, 5.0, power=0.8))


def test_a_detectable_shift_is_that_beyond_the_two_sided_critical_value() -> None:
    critical = float(stats.t.isf(0.005, 7.3))
    expected = shift_beyond(critical, 7.3, power=0.9)
    assert detectable_shift(7.3, alpha=0.01, power=0.9) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bound", [-2.0, 0.3, 1.7, 9.0])
def test_one_sided_tests_are_those_of_scipy(bound: float) -> None:
    d = np.random.default_rng(4).normal(0.5, 1.0, 12)
    found = Estimate(float(d.mean()), float(stats.sem(d)), 11.0)
    for alternative, p in (("greater", found.p_above(bound)), ("less", found.p_below(bound))):
        expected = stats.ttest_1samp(d, bound, alternative=alternative).pvalue
        assert p == pytest.approx(expected, rel=1e-9)


def test_one_sided_tests_without_spread() -> None:
    found = Estimate(1.0, 0.0, 9.0)
    assert [found.p_above(b) for b in (0.9, 1.0, 1.1)] == [0.0, 1.0, 1.0]
    assert [found.p_below(b) for b in (0.9, 1.0, 1.1)] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.001, 0.95), (0.2, 0.5)])
def test_many_detectable_shifts_are_those_of_each(alpha: float, power: float) -> None:
    df = np.array([1.0, 9.0, 10.0, 11.5, 30.0, 500.0, 10.0, 4000.0, 1e5, np.inf])
    found = detectable_shifts(df, alpha=alpha, power=power)
    expected = [detectable_shift(one, alpha=alpha, power=power) for one in df[:-1].tolist()]
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-9)
    from scipy.special import ndtri

    assert found[-1] == pytest.approx(float(ndtri(1 - alpha / 2) + ndtri(power)), rel=1e-12)
    assert detectable_shifts(np.zeros(0), alpha=alpha, power=power).size == 0


@pytest.mark.parametrize("df", [1.0, 6.0, 7.0, 30.0])
def test_a_median_unbiased_error_is_too_small_as_often_as_too_large(df: float) -> None:
    """Counted over 20,000 estimated variances; the plain error of few units is mostly too small."""
    rng = np.random.default_rng(5)
    errors = np.sqrt(rng.chisquare(df, 20_000) / df)
    too_small = np.mean([median_unbiased(float(s), df) < 1.0 for s in errors])
    assert too_small == pytest.approx(0.5, abs=4 * 0.5 / 20_000**0.5)
    assert np.mean(errors < 1.0) > 0.5 + 0.02


@pytest.mark.golden
def test_the_factor_is_that_of_the_tables() -> None:
    # χ²₆(½) = 5.34812 and χ²₉(½) = 8.34283: Abramowitz and Stegun (1964), table 26.8.
    assert median_unbiased(2.0, 6.0) == pytest.approx(2.0 * (6.0 / 5.34812) ** 0.5, rel=1e-6)
    assert Estimate(0.0, 1.0, 9.0).typical_error == pytest.approx(
        (9 / 8.34283) ** 0.5, rel=1e-6
    )
    assert median_unbiased(2.0, math.inf) == 2.0


def test_a_stated_effect_is_a_multiple_of_the_typical_error() -> None:
    found = Estimate(3.0, 0.7, 6.0)
    shift = detectable_shift(6.0, alpha=0.05, power=0.8)
    assert found.detectable(alpha=0.05, power=0.8) == pytest.approx(found.typical_error * shift)
