"""Means with their influence values: scores of systems and differences of pairs."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.cluster_mean import cluster_sums, small_sample_factor
from detectable.inference.delta import Estimate
from detectable.kernels.exact_mean import exact_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanParts:
    """A mean, and what every unit has to do with it."""

    value: float
    weights: FloatArray  # of each unit; 0 where there is no value
    influence: FloatArray  # what each unit adds to the error, corrected for few clusters
    n_strata: int


def mean_parts(
    values: FloatArray, strata: IntArray | None = None, clusters: IntArray | None = None
) -> MeanParts:
    r"""Return a mean with its influence values.

    Without strata the mean of the known values; with strata (domains) the mean of the means of
    the strata. Unit i of a stratum of n units, one of D strata, has weight :math:`w_i = 1/(D n)`
    and influence

    .. math:: \psi_i = \sqrt{\frac{G}{G - 1}} \, w_i (x_i - \bar x)

    with the mean and the number of clusters G of its stratum (units, where there are no
    clusters). Then :math:`\sum_g (\sum_{i \in g} \psi_i)^2` is the cluster-robust squared error of
    a stratified mean; with one stratum it is that of `inference.cluster_mean`.
    """
    known = np.isfinite(values)
    stratum = np.zeros(values.size, dtype=np.int64) if strata is None else strata
    size = int(stratum.max()) + 1
    n = np.bincount(stratum[known], minlength=size)
    present = n > 0
    if not present.any():
        nothing = np.zeros(values.size)
        return MeanParts(value=math.nan, weights=nothing, influence=nothing, n_strata=0)
    # The sums are exact: a mean of the same differences is the same wherever it is reported.
    means = np.array([exact_mean(values[known & (stratum == level)]) for level in range(size)])
    means[~present] = 0.0
    groups = n if clusters is None else _clusters_of(stratum[known], clusters[known], size)
    few = np.sqrt(small_sample_factor(groups))
    weights = np.where(known, (1.0 / (present.sum() * np.maximum(n, 1)))[stratum], 0.0)
    apart = np.where(known, values, 0.0) - means[stratum]
    influence = np.where(known, few[stratum] * weights * apart, 0.0)
    return MeanParts(
        value=float(means[present].mean()),
        weights=weights,
        influence=influence,
        n_strata=int(present.sum()),
    )


def _clusters_of(stratum: IntArray, clusters: IntArray, size: int) -> IntArray:
    """Return the number of different clusters in each stratum."""
    codes = np.unique(clusters, return_inverse=True)[1]
    pairs = np.unique(stratum * (int(codes.max()) + 1) + codes)
    return np.bincount(pairs // (int(codes.max()) + 1), minlength=size)


def system_estimate(
    scores: FloatArray, strata: IntArray | None, clusters: IntArray | None
) -> Estimate:
    """Return the mean of scores, or of matched differences, with its standard error."""
    parts = mean_parts(scores, strata, clusters)
    return _clustered(parts.value, parts.influence, (parts,), clusters)


def unpaired_estimate(
    first: FloatArray,
    second: FloatArray,
    strata: IntArray | None,
    clusters: IntArray | None,
) -> Estimate:
    """Return the difference of two means over partly shared items.

    An item (or document) that both systems share adds the difference of its two influence
    values, so that what they have in common cancels; with no shared item the squared error is
    the sum of both, as in Welch's test.
    """
    parts = mean_parts(first, strata, clusters), mean_parts(second, strata, clusters)
    influence = parts[0].influence - parts[1].influence
    return _clustered(parts[0].value - parts[1].value, influence, parts, clusters)


def _clustered(
    value: float,
    influence: FloatArray,
    parts: tuple[MeanParts, ...],
    clusters: IntArray | None,
) -> Estimate:
    """Add influence values up by cluster; degrees of freedom: clusters less strata."""
    seen = np.any([part.weights > 0.0 for part in parts], axis=0)
    sums = cluster_sums(influence[seen], None if clusters is None else clusters[seen])
    df = float(sums.size - max(part.n_strata for part in parts))
    if df < 1.0:
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, math.sqrt(float(np.square(sums).sum())), df)
