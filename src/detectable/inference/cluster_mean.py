r"""The mean of units that come in clusters, with a standard error that knows of the clusters.

Units of a cluster (the sentences of a document, the judgments of a rater) may depend on each
other; clusters are independent. With residual sums :math:`e_g = \sum_{i \in g} (x_i - \bar x)`
over G clusters of n units in all,

.. math:: s^2 = \frac{G}{G - 1} \sum_g \frac{e_g^2}{n^2}, \qquad \text{df} = G - 1.

Where every unit is a cluster this is the classical standard error. There is no mean without a
unit, and no standard error with one cluster: both are NaN.

This is the only place of the formula; `kernels.pairing.clustered_means` is the same for the
pairs of a whole archive at once, and a test holds the two together.

References
----------
Liang and Zeger (1986), "Longitudinal data analysis using generalized linear models", Biometrika
73(1), 13–22; the factor G/(G − 1) is that of Cochran (1977), Sampling Techniques, section 9.
"""

import math

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.delta import Estimate
from detectable.kernels.exact_mean import exact_mean


def cluster_mean(values: FloatArray, clusters: IntArray | None = None) -> Estimate:
    """Return the mean of the known values with its cluster-robust standard error.

    Parameters
    ----------
    values : array of shape (units,)
        NaN where a unit was not observed; such units count for nothing.
    clusters : array of int of shape (units,), optional
        Which units belong together. By default every unit stands alone.

    Examples
    --------
    >>> found = cluster_mean(np.array([1.0, 2.0, 3.0, 6.0]), np.array([0, 0, 1, 1]))
    >>> found.value, found.standard_error, found.df
    (3.0, 1.5, 1.0)
    """
    known = ~np.isnan(values)
    x = values[known]
    if not x.size:
        return Estimate(math.nan, math.nan, math.nan)
    # Counted from one of the values, equal values have a spread of exactly zero.
    apart = x - x[0]
    within = None if clusters is None else clusters[known]
    residuals = cluster_sums(apart - apart.mean(), within)
    error = robust_error(residuals, np.array(x.size), np.array(residuals.size))
    df = residuals.size - 1.0 if residuals.size > 1 else math.nan
    return Estimate(exact_mean(x), float(error), df)


def cluster_means(sums: FloatArray, sizes: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return mean, standard error and degrees of freedom of many columns at once.

    Parameters
    ----------
    sums, sizes : arrays of shape (clusters, columns)
        Sum and number of the known values of a cluster; a cluster without any counts for nothing.
    """
    n, present = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    mean = sums.sum(axis=0) / np.where(n > 0, n, np.nan)
    # A column that was never observed has no mean; its residuals are not used.
    residuals = sums - sizes * np.where(n > 0, mean, 0.0)
    return mean, robust_error(residuals, n, present), np.maximum(present - 1, 0)


def robust_error(residuals: FloatArray, n_units: IntArray, n_clusters: IntArray) -> FloatArray:
    """Return the standard error from residual sums, one row per cluster; NaN for one cluster."""
    units = np.where(n_units > 0, n_units, np.nan)
    squares = np.square(residuals / units).sum(axis=0)
    error: FloatArray = np.sqrt(small_sample_factor(n_clusters) * squares)
    return error


def small_sample_factor(n_clusters: IntArray) -> FloatArray:
    """Return G / (G − 1), by which few clusters understate their spread; NaN for one."""
    groups = np.where(n_clusters > 1, n_clusters, np.nan)
    return groups / (groups - 1.0)


def cluster_sums(values: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return the sum of every cluster, whatever its number; the values where there are none."""
    if clusters is None:
        return values
    codes = np.unique(clusters, return_inverse=True)[1]
    return np.bincount(codes, weights=values).astype(np.float64)
