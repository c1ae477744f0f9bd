"""Intervals hold a tested value if and only if the test did not reject it."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import stdtr

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.sign_flips import paired_permutation
from detectable.inference.standard_errors import (
    Estimate,
    agreeing_interval,
    cluster_mean,
    cluster_means,
    cluster_sums,
    design_effect,
    detectable_shift,
    detectable_shifts,
    estimate,
    independent_difference,
    median_unbiased,
    robust_variance,
    segment_coverage,
    shift_beyond,
    small_sample_factor,
)
from detectable.kernels.distributions import t_quantile
from detectable.kernels.pairing import clustered_means
from detectable.metrics.registry import metric
from detectable.sequential.look_statistic import paired_mean
from detectable.study.precision.variance_components import (
    jackknife_interval,
    share_back,
    share_interval,
    share_scale,
    variance_interval,
)
from detectable.study.ranking.item_scores import system_estimate
from tests.helpers import reference_data
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold
from tests.samples import mean_sample

NUMBERS = st.floats(-10.0, 10.0) | st.integers(-3, 3).map(float)
ENDS = st.floats(0.0, 10.0) | st.just(math.inf)


@given(NUMBERS, ENDS, ENDS, NUMBERS, st.booleans())
def test_the_interval_says_what_the_test_says(
    value: float, below: float, above: float, bound: float, rejected: bool
) -> None:
    given_ = Interval(value - below, value + above, 0.9)
    if rejected and value == bound:
        return  # no test rejects the estimate itself
    found = agreeing_interval(given_, value, rejected=rejected, bound=bound)
    assert (bound in found) == (not rejected)
    assert value in found
    assert found.level == 0.9
    # Values that were not tested stay where they were, on the side of the estimate.
    if (bound in given_) == (not rejected):
        assert found == given_


@pytest.mark.parametrize(
    ("low", "high", "value", "bound", "expected"),
    [
        (0.2, 3.0, 1.6, 0.0, [0.0, 3.0]),
        (-3.0, -0.2, -1.6, 0.0, [-3.0, 0.0]),
        (-1.0, 3.0, 1.6, 0.0, [-1.0, 3.0]),
        (-0.5, 3.0, 1.6, -1.0, [-1.0, 3.0]),
        (-0.5, 3.0, 1.6, 4.0, [-0.5, 4.0]),
    ],
)
def test_what_was_not_rejected_is_inside(
    low: float, high: float, value: float, bound: float, expected: list[float]
) -> None:
    found = agreeing_interval(Interval(low, high, 0.95), value, rejected=False, bound=bound)
    assert found.to_json() == expected


def test_what_was_rejected_is_just_outside() -> None:
    wide = Interval(-1.0, 3.0, 0.95)
    assert agreeing_interval(wide, 1.0, rejected=True).to_json() == [5e-324, 3.0]
    assert agreeing_interval(wide, -0.5, rejected=True).to_json() == [-1.0, -5e-324]
    found = agreeing_interval(wide, 1.0, rejected=True, bound=2.0)
    assert found.to_json() == [-1.0, math.nextafter(2.0, 0.0)]
    found = agreeing_interval(wide, 1.0, rejected=True, bound=-0.5)
    assert found.to_json() == [math.nextafter(-0.5, 0.0), 3.0]
    # Nothing to do: the bound is outside already.
    assert agreeing_interval(wide, 1.0, rejected=True, bound=-2.0) == wide
    assert agreeing_interval(wide, 1.0, rejected=True, bound=4.0) == wide


# --- The mean of clustered units: by hand, against clubSandwich, and everywhere the same ---

NAN = math.nan


def table(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return 40 values of which 7 are missing, in clusters with gaps between their numbers."""
    rng = np.random.default_rng(seed)
    values = rng.normal(60.0, 10.0, 40)
    values[rng.choice(40, 7, replace=False)] = NAN
    return values, rng.integers(0, 9, 40) * 5 + 2


def test_by_hand() -> None:
    # Mean 3; residual sums −1 − 2 + 0 and 3 of clusters with shares ¾ and ¼: the squared error
    # is (3/4)² / ¼ + (3/4)² / ¾ = 3.
    found = cluster_mean(np.array([2.0, 1.0, 3.0, 6.0]), np.array([7, 7, 7, 2]))
    assert (found.value, found.df) == (3.0, 1.0)
    assert found.standard_error == pytest.approx(math.sqrt(3.0))


def test_degrees_of_freedom_by_hand() -> None:
    # Shares ½, ¼, ¼: squares 3/8 in all; weights ½, 1/12, 1/12, so (2/3)² − (¼ + 2/144).
    found = cluster_mean(np.array([1.0, 3.0, 4.0, 8.0]), np.array([0, 0, 1, 2]))
    assert found.df == pytest.approx(1.0 / (3 / 8 + 4 / 9 - 1 / 4 - 2 / 144))
    # Residual sums −4, 0, 4 over n = 4: 1 / ½ + 1 / ¾.
    assert found.standard_error == pytest.approx(math.sqrt(2.0 + 4.0 / 3.0))


@pytest.mark.golden
def test_clusters_are_those_of_clubsandwich() -> None:
    rows = gold("cluster_robust")["rows"]
    assert len(rows) == 5
    for row in rows:
        values = np.array(row["y"])
        clusters = np.repeat(np.arange(len(row["sizes"])), row["sizes"])
        found = cluster_mean(values, clusters)
        assert found.value == pytest.approx(row["mean"], rel=1e-12)
        assert found.standard_error == pytest.approx(row["se_CR2"], rel=1e-12)
        assert found.df == pytest.approx(row["df_BM"], rel=1e-12)
        assert found.p_value() == pytest.approx(row["p_CR2"], rel=1e-11)


def test_one_size_of_cluster_has_whole_degrees_of_freedom() -> None:
    for groups in (2, 3, 7, 49, 100):
        found = cluster_mean(np.arange(3.0 * groups), np.repeat(np.arange(groups), 3))
        assert found.df == groups - 1.0  # to the last bit, so that equal designs look equal


@given(
    st.lists(st.integers(1, 6), min_size=2, max_size=7),
    st.integers(0, 2**32 - 1),
)
def test_the_closed_form_is_that_of_the_matrices(sizes: list[int], seed: int) -> None:
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(size=clusters.size)
    error, df = matrix_cr2(values, clusters)
    found = cluster_mean(values, clusters)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.df == pytest.approx(df, rel=1e-9)


def test_without_clusters_it_is_the_classical_error() -> None:
    values, _ = table()
    known = values[~np.isnan(values)]
    found = cluster_mean(values)
    assert found.value == pytest.approx(known.mean(), rel=1e-14)
    assert found.standard_error == pytest.approx(stats.sem(known), rel=1e-12)
    assert found.df == 32.0


def test_with_clusters_of_one_size_it_is_that_of_statsmodels() -> None:
    # Statsmodels has no CR2; with equal sizes its formula is the same.
    sm = pytest.importorskip("statsmodels.api")
    values = table()[0][~np.isnan(table()[0])][:32]
    clusters = np.tile([5, 9, 2, 4, 30, 7, 1, 8], 4)
    fit = sm.OLS(values, np.ones(32)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}, use_t=True
    )
    found = cluster_mean(values, clusters)
    assert found.standard_error == pytest.approx(
        float(fit.bse[0]) * math.sqrt(8 / 7), rel=1e-10
    )
    assert found.df == 7.0


def test_missing_values_leave_their_clusters_smaller() -> None:
    values, clusters = table()
    known = ~np.isnan(values)
    found = cluster_mean(values, clusters)
    error, df = matrix_cr2(values[known], clusters[known])
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert found.df == pytest.approx(df, rel=1e-10)
    assert found.df < np.unique(clusters[known]).size - 1


def test_every_place_has_the_same_numbers() -> None:
    values, clusters = table(2)
    known = ~np.isnan(values)
    x, g = values[known], clusters[known]
    expected = cluster_mean(values, clusters)
    kernel = clustered_means(np.array([0, x.size]), g, x, 50)
    flips = paired_permutation(values, clusters, n_resamples=1, rng=1)
    look = paired_mean(x, g)
    ranked = system_estimate(values, None, clusters)
    for mean, error, df in (
        (kernel[0][0], kernel[1][0], kernel[2][0]),
        (flips.differences[0], flips.standard_errors[0], flips.df[0]),
        (look.estimate, look.standard_error, look.df),
        (ranked.value, ranked.standard_error, ranked.df),
    ):
        assert mean == pytest.approx(expected.value, rel=1e-12)
        assert error == pytest.approx(expected.standard_error, rel=1e-12)
        assert df == pytest.approx(expected.df, rel=1e-12)


def test_what_cannot_be_had_is_nan() -> None:
    nothing = cluster_mean(np.array([NAN, NAN]), np.array([0, 1]))
    assert all(math.isnan(x) for x in (nothing.value, nothing.standard_error, nothing.df))
    one = cluster_mean(np.array([1.0, 3.0, NAN]), np.array([4, 4, 5]))
    assert one.value == 2.0
    assert math.isnan(one.standard_error)
    assert math.isnan(one.df)


@pytest.mark.parametrize("n", [3, 10, 1000])
def test_equal_values_have_no_spread_at_all(n: int) -> None:
    # 0.1 added up is not a multiple of 0.1, so that x − mean would leave a trace.
    found = cluster_mean(np.full(n, 0.1), np.arange(n) // 2)
    assert found.standard_error == 0.0
    assert found.value == pytest.approx(0.1)


def test_many_columns() -> None:
    # Clusters of 2 and 1 units; the second column has one cluster, the third none.
    sums = np.array([[2.0, 5.0, 0.0], [4.0, 0.0, 0.0]])
    sizes = np.array([[2, 2, 0], [1, 0, 0]])
    mean, error, df = cluster_means(sums, sizes)
    assert mean[:2].tolist() == [2.0, 2.5]
    # Residual sums −2 and 2 of clusters with 2 and 1 of 3 units: (4/9) / ⅓ + (4/9) / ⅔ = 2.
    assert error[0] == pytest.approx(math.sqrt(2.0))
    assert np.isnan([mean[2], error[1], error[2]]).all()
    assert df[0] == 1.0
    assert np.isnan(df[1:]).all()


def test_many_columns_are_each_as_one() -> None:
    rng = np.random.default_rng(3)
    clusters, columns = rng.integers(0, 6, 50), rng.normal(size=(50, 4))
    columns[rng.random((50, 4)) < 0.3] = NAN
    columns[clusters == 2, 1] = NAN  # a cluster that one column lacks
    names = range(6)
    sums = np.array([np.nansum(columns[clusters == g], axis=0) for g in names])
    sizes = np.array([(~np.isnan(columns[clusters == g])).sum(axis=0) for g in names])
    mean, error, df = cluster_means(sums, sizes)
    for c in range(4):
        one = cluster_mean(columns[:, c], clusters)
        assert mean[c] == pytest.approx(one.value, rel=1e-12)
        assert error[c] == pytest.approx(one.standard_error, rel=1e-12)
        assert df[c] == pytest.approx(one.df, rel=1e-12)


def test_a_cluster_that_is_all_there_is_has_no_spread() -> None:
    variance, df = robust_variance(np.array([0.0, 0.0]), np.array([1.0 - 1e-13, 1e-13]))
    assert np.isnan(variance)
    assert np.isnan(df)
    variance, df = robust_variance(np.array([0.5, -0.5]), np.array([0.999, 0.001]))
    assert variance == pytest.approx(0.25 / 0.001 + 0.25 / 0.999)
    assert df == 1.0


def test_factor_and_sums() -> None:
    assert small_sample_factor(np.array([2, 5])).tolist() == [2.0, 1.25]
    assert np.isnan(small_sample_factor(np.array([0, 1]))).all()
    values = np.array([1.0, 2.0, 4.0])
    assert cluster_sums(values, np.array([30, 10, 30])).tolist() == [2.0, 5.0]
    assert cluster_sums(values, None) is values


# --- Delta-method estimates against classical formulas ---


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


# --- Design effects: the gold of WMT21 ru-en, analyses of variance by hand, and special cases ---

METRICS = {
    "BLEU": "bleu",
    "NIST": "nist",
    "mWER": "mwer",
    "mPER": "mper",
    "GTM": "gtm",
    "chrF": "chrf",
}


def ruen() -> Any:
    return np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))


def ruen_gold() -> dict[str, Any]:
    path = reference_data("gold", "reliability_study_ru-en21.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.golden
@pytest.mark.parametrize("name", METRICS)
def test_wmt21_ruen(name: str) -> None:
    data, stored = ruen(), ruen_gold()["variance_components"][name]
    documents = data["docidx"].astype(np.int64)
    one = metric(METRICS[name])
    influence = [one.influence(table) for table in data[name].astype(np.float64)]
    alone = [design_effect(values, documents) for values in influence]
    assert np.median([x.icc for x in alone]) == pytest.approx(stored["icc_median"], abs=1e-6)
    assert np.median([x.design_effect for x in alone]) == pytest.approx(
        stored["deff_median"], abs=1e-6
    )
    assert (min(x.icc for x in alone), max(x.icc for x in alone)) == pytest.approx(
        stored["icc_range"], abs=1e-6
    )
    apart = [
        design_effect(influence[a] - influence[b], documents).design_effect
        for a in range(10)
        for b in range(a)
    ]
    assert np.median(apart) == pytest.approx(stored["deff_of_difference"], abs=1e-6)


def _toy() -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(4)
    documents = np.repeat(np.arange(6), [1, 4, 2, 7, 3, 5])
    values = rng.normal(size=22) + rng.normal(size=6)[documents]
    return values - values.mean(), documents


def test_the_analysis_of_variance_by_hand() -> None:
    values, documents = _toy()
    groups = [values[documents == d] for d in range(6)]
    between = sum(g.size * g.mean() ** 2 for g in groups) / 5
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / 16
    typical = (22 - sum(g.size**2 for g in groups) / 22) / 5
    found = design_effect(values, documents)
    assert found.icc == pytest.approx((between - within) / (between + (typical - 1) * within))
    sums = np.array([g.sum() for g in groups])
    assert found.sd_document == pytest.approx(estimate(0.0, sums).standard_error)
    assert found.sd_segment == pytest.approx(math.sqrt((values**2).sum()))
    assert found.design_effect == pytest.approx(found.sd_document**2 / found.sd_segment**2)
    assert found.n_effective == pytest.approx(22 / found.design_effect)


def test_documents_of_one_segment() -> None:
    values, _ = _toy()
    found = design_effect(values, np.arange(22))
    assert found.sd_document == pytest.approx(found.sd_segment * math.sqrt(22 / 21))
    assert math.isnan(found.icc)


def test_nothing_that_varies() -> None:
    found = design_effect(np.zeros(6), np.array([0, 0, 1, 1, 2, 2]))
    assert all(math.isnan(x) for x in (found.icc, found.design_effect, found.n_effective))
    assert (found.sd_segment, found.sd_document) == (0.0, 0.0)


def test_documents_that_are_all_alike_are_worth_more_than_their_segments() -> None:
    documents = np.array([0, 0, 1, 1])
    found = design_effect(np.array([1.0, -0.95, -1.0, 0.95]), documents)
    assert found.design_effect == pytest.approx(0.01 / 3.805)
    assert found.n_effective == pytest.approx(4 * 380.5)
    equal = design_effect(np.array([1.0, -1.0, -1.0, 1.0]), documents)
    assert equal.design_effect == 0.0
    assert math.isnan(equal.n_effective)  # no number is large enough


def test_coverage_of_intervals_that_are_too_narrow() -> None:
    # .76 of the true standard deviation covers 86 %: reference page, section 1.
    assert segment_coverage(1 / 0.76**2, 0.95) == pytest.approx(0.864, abs=5e-4)
    assert segment_coverage(4.0, 0.9) == pytest.approx(0.589, abs=5e-4)
    assert math.isnan(segment_coverage(math.nan, 0.95))
    assert math.isnan(segment_coverage(0.0, 0.95))
    assert segment_coverage(0.005, 0.95) == pytest.approx(1.0)


# --- The difference of two estimates from independent data ---


def test_without_clusters_it_is_welchs_test() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(0, 1, 12), rng.normal(1, 4, 5)
    found = independent_difference(cluster_mean(x), cluster_mean(y))
    want = stats.ttest_ind(x, y, equal_var=False)
    assert found.value == pytest.approx(x.mean() - y.mean())
    assert found.df == pytest.approx(want.df)
    assert found.p_value() == pytest.approx(want.pvalue)


def test_where_nothing_varies_the_smaller_number_counts() -> None:
    found = independent_difference(Estimate(2.0, 0.0, 7.0), Estimate(1.0, 0.0, 3.0))
    assert (found.value, found.standard_error, found.df) == (1.0, 0.0, 3.0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_degrees_of_freedom_do_not_depend_on_the_unit(scale: float) -> None:
    found = independent_difference(
        Estimate(2.0, 3.0 * scale, 7.0), Estimate(1.0, 4.0 * scale, 3.0)
    )
    assert found.standard_error == pytest.approx(5.0 * scale)
    assert found.df == pytest.approx(625.0 / (81.0 / 7.0 + 256.0 / 3.0))


def test_one_that_does_not_vary_leaves_the_other() -> None:
    found = independent_difference(Estimate(2.0, 0.0, 7.0), Estimate(1.0, 0.5, 3.0))
    assert (found.standard_error, found.df) == pytest.approx((0.5, 3.0))


# --- The jackknife over one kind of units and over two ---


def test_of_a_mean_it_is_the_t_interval() -> None:
    x = np.random.default_rng(1).normal(5.0, 2.0, 12)
    found = jackknife_interval(float(x.mean()), [(x.sum() - x) / 11], 0.9)
    assert found is not None
    ends = stats.t.interval(0.9, 11, x.mean(), stats.sem(x))
    assert (found.low, found.high) == pytest.approx(ends)


def test_two_kinds_add_up_with_satterthwaites_degrees_of_freedom() -> None:
    rng = np.random.default_rng(2)
    one, two = rng.normal(0.0, 0.1, 8), rng.normal(0.0, 0.3, 4)
    parts = [7 / 8 * ((one - one.mean()) ** 2).sum(), 3 / 4 * ((two - two.mean()) ** 2).sum()]
    df = sum(parts) ** 2 / (parts[0] ** 2 / 7 + parts[1] ** 2 / 3)
    found = jackknife_interval(0.0, [one, two], 0.95)
    assert found is not None
    assert found.high == pytest.approx(stats.t.ppf(0.975, df) * sum(parts) ** 0.5)
    assert found.low == -found.high


def test_shares_stay_below_one_and_variances_above_zero() -> None:
    left = np.array([0.9, 0.95, 0.99, 0.8])
    share = share_interval(0.93, [left], 0.95)
    assert share is not None
    assert share.low < 0.0 < 0.93 < share.high < 1.0  # alpha may be negative
    variance = variance_interval(2.0, [np.array([0.5, 8.0, 2.0, 1.0])], 0.95)
    assert variance is not None
    assert 0.0 < variance.low < 2.0 < variance.high
    assert share_back(float(share_scale(np.array([0.3]))[0])) == pytest.approx(0.3)


def test_what_cannot_be_told_has_no_interval() -> None:
    assert jackknife_interval(1.0, [], 0.95) is None
    assert jackknife_interval(1.0, [np.array([1.0, np.nan, 2.0, 1.0])], 0.95) is None
    assert variance_interval(0.0, [np.array([0.0, 1.0, 2.0, 1.0])], 0.95) is None
    same = jackknife_interval(1.0, [np.ones(5)], 0.95)
    assert same is not None
    assert (same.low, same.high) == (1.0, 1.0)
