"""The difference of two estimates from independent data."""

import numpy as np
import pytest
from scipy import stats

from detectable.inference.standard_errors import Estimate, cluster_mean, independent_difference


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
