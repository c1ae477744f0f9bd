"""The mean of clustered units: by hand, against clubSandwich, and everywhere the same."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.inference.sign_flips import paired_permutation
from detectable.inference.standard_errors import (
    cluster_mean,
    cluster_means,
    cluster_sums,
    robust_variance,
    small_sample_factor,
)
from detectable.kernels.pairing import clustered_means
from detectable.sequential.look_statistic import paired_mean
from detectable.study.ranking.item_scores import system_estimate
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold

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
