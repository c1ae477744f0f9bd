"""The mean of clustered units: by hand, against statsmodels, and everywhere the same."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.inference.cluster_mean import (
    cluster_mean,
    cluster_means,
    cluster_sums,
    small_sample_factor,
)
from detectable.inference.paired_permutation import paired_permutation
from detectable.kernels.pairing import clustered_means
from detectable.sequential.look_statistic import paired_mean
from detectable.study.ranking.estimates import system_estimate

NAN = math.nan


def table(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return 40 values of which 7 are missing, in clusters with gaps between their numbers."""
    rng = np.random.default_rng(seed)
    values = rng.normal(60.0, 10.0, 40)
    values[rng.choice(40, 7, replace=False)] = NAN
    return values, rng.integers(0, 9, 40) * 5 + 2


def test_by_hand() -> None:
    # Mean 3; residual sums −1 − 2 + 0 and 3: the error is √(2/1 · (3² + 3²)) / 4.
    found = cluster_mean(np.array([2.0, 1.0, 3.0, 6.0]), np.array([7, 7, 7, 2]))
    assert (found.value, found.df) == (3.0, 1.0)
    assert found.standard_error == pytest.approx(1.5)


def test_without_clusters_it_is_the_classical_error() -> None:
    values, _ = table()
    known = values[~np.isnan(values)]
    found = cluster_mean(values)
    assert found.value == pytest.approx(known.mean(), rel=1e-14)
    assert found.standard_error == pytest.approx(stats.sem(known), rel=1e-12)
    assert found.df == 32.0


def test_with_clusters_it_is_that_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    values, clusters = table()
    known = ~np.isnan(values)
    fit = sm.OLS(values[known], np.ones(known.sum())).fit(
        cov_type="cluster", cov_kwds={"groups": clusters[known]}, use_t=True
    )
    found = cluster_mean(values, clusters)
    assert found.standard_error == pytest.approx(float(fit.bse[0]), rel=1e-10)
    assert found.df == np.unique(clusters[known]).size - 1


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
        assert df == expected.df


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
    # Residual sums −2 and 2 of 3 units in 2 clusters.
    assert error[0] == pytest.approx(math.sqrt(2.0 * 8.0 / 9.0))
    assert np.isnan([mean[2], error[1], error[2]]).all()
    assert df.tolist() == [1, 0, 0]


def test_factor_and_sums() -> None:
    assert small_sample_factor(np.array([2, 5])).tolist() == [2.0, 1.25]
    assert np.isnan(small_sample_factor(np.array([0, 1]))).all()
    values = np.array([1.0, 2.0, 4.0])
    assert cluster_sums(values, np.array([30, 10, 30])).tolist() == [2.0, 5.0]
    assert cluster_sums(values, None) is values
