"""Means with their influence values: scores of systems and differences of pairs."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.inference.cluster_mean import cluster_sums, robust_variance
from detectable.inference.delta import Estimate
from detectable.kernels.exact_mean import exact_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanParts:
    """A mean, and what every unit has to do with it."""

    value: float
    weights: FloatArray  # of each unit; 0 where there is no value
    influence: FloatArray  # what each unit adds to the error, corrected for few clusters
    sizes: FloatArray  # variance of the mean of each stratum, if units were alike: weight² / n
    df: FloatArray  # behind the variance of each stratum


def mean_parts(
    values: FloatArray, strata: IntArray | None = None, clusters: IntArray | None = None
) -> MeanParts:
    r"""Return a mean with its influence values.

    Without strata the mean of the known values; with strata (domains) the mean of the means of
    the strata. Unit i of a stratum of n units, one of D strata, has weight :math:`w_i = 1/(D n)`
    and influence

    .. math:: \psi_i = w_i (x_i - \bar x) / \sqrt{1 - h_g}

    with the mean of its stratum and the share :math:`h_g` of the stratum that is in its cluster
    (1/n, where there are no clusters). Then :math:`\sum_g (\sum_{i \in g} \psi_i)^2` is the
    cluster-robust squared error of a stratified mean; with one stratum it is that of
    `inference.cluster_mean`.
    """
    known = np.isfinite(values)
    stratum = np.zeros(values.size, dtype=np.int64) if strata is None else strata
    size = int(stratum.max()) + 1
    n = np.bincount(stratum[known], minlength=size)
    present = n > 0
    if not present.any():
        nothing, none = np.zeros(values.size), np.zeros(0)
        return MeanParts(
            value=math.nan, weights=nothing, influence=nothing, sizes=none, df=none
        )
    # The sums are exact: a mean of the same differences is the same wherever it is reported.
    means = np.array([exact_mean(values[known & (stratum == level)]) for level in range(size)])
    means[~present] = 0.0
    weights = np.where(known, (1.0 / (present.sum() * np.maximum(n, 1)))[stratum], 0.0)
    apart = np.where(known, values, 0.0) - means[stratum]
    rest, df = np.ones(values.size), []
    for level in np.flatnonzero(present):
        inside = known & (stratum == level)
        groups = np.arange(n[level]) if clusters is None else clusters[inside]
        codes = np.unique(groups, return_inverse=True)[1]
        shares = np.bincount(codes) / n[level]
        rest[inside] = 1.0 - shares[codes] if shares.size > 1 else np.nan
        df.append(float(robust_variance(shares, shares)[1]))
    return MeanParts(
        value=float(means[present].mean()),
        weights=weights,
        influence=np.where(known, weights * apart / np.sqrt(rest), 0.0),
        sizes=1.0 / (np.square(present.sum()) * n[present]),
        df=np.array(df),
    )


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
    """Add influence values up by cluster."""
    seen = np.any([part.weights > 0.0 for part in parts], axis=0)
    within = None if clusters is None else clusters[seen]
    sums = cluster_sums(influence[seen], within)
    df = _degrees(parts, seen, within)
    if not df > 0.0:
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, math.sqrt(float(np.square(sums).sum())), df)


def _degrees(
    parts: tuple[MeanParts, ...], seen: NDArray[np.bool_], clusters: IntArray | None
) -> float:
    """Return the degrees of freedom of a sum of variances, by Satterthwaite.

    Each stratum has its own, and counts with the variance it would have if units were alike: the
    working model of Bell and McCaffrey. Clusters that both systems share are not counted twice.
    """
    sizes = np.concatenate([part.sizes for part in parts])
    df = np.concatenate([part.df for part in parts])
    if not sizes.size or np.isnan(df).any():
        return math.nan
    apart = float(sizes.sum() ** 2 / (sizes**2 / df).sum())
    if len(parts) == 1:
        return apart
    weights = np.mean([part.weights for part in parts], axis=0)[seen]
    shares = cluster_sums(weights, clusters)
    return min(apart, float(robust_variance(shares, shares)[1]))
