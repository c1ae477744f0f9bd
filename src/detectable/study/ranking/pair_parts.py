"""Mean differences of all pairs at once, and what each document (or item) adds to them."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.cluster_mean import robust_variance
from detectable.inference.delta import Estimate
from detectable.inference.swap_parts import SwapParts
from detectable.kernels.exact_mean import exact_mean

# Where units differ by the same amount but for rounding, a t test would take the rounding for their
# spread, and be certain.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMeans:
    """Mean differences of all pairs, over the same clusters.

    Attributes
    ----------
    estimates : list of Estimate
        With their cluster-robust errors: those of `estimates.system_estimate`, column by column.
    parts, shares : array of shape (clusters, pairs)
        What each cluster adds to a difference, and how much it weighs there; 0 where a pair was
        not observed.
    """

    estimates: list[Estimate]
    parts: FloatArray
    shares: FloatArray

    def swap_parts(self) -> list[SwapParts]:
        """Return the parts pair by pair."""
        return [
            SwapParts(estimate.value, self.parts[:, k], self.shares[:, k])
            for k, estimate in enumerate(self.estimates)
        ]


def pair_means(
    differences: FloatArray, strata: IntArray | None, clusters: IntArray | None
) -> PairMeans:
    """Return the mean difference of every pair with its error, and its parts.

    With strata (domains) the difference is the mean of their means: an item counts with its
    weight there. See `estimates.mean_parts` for the formulas.

    Parameters
    ----------
    differences : array of shape (items, pairs)
        NaN where a pair was not observed.
    """
    codes = np.arange(len(differences))
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
    levels = [np.arange(len(differences))]
    if strata is not None:
        levels = [np.flatnonzero(strata == level) for level in np.unique(strata)]
    present = np.sum([np.isfinite(differences[rows]).any(axis=0) for rows in levels], axis=0)
    of_all = 1.0 / np.maximum(present, 1)  # what a stratum counts for
    shape = int(codes.max()) + 1, differences.shape[1]
    parts, shares, influence = (np.zeros(shape) for _ in range(3))
    value, sizes, weighed = (np.zeros(shape[1]) for _ in range(3))
    for rows in levels:
        d = differences[rows]
        known = np.isfinite(d)
        n = known.sum(axis=0)
        mean = np.array([exact_mean(d[known[:, k], k]) for k in range(shape[1])])
        mean = np.where(n > 0, mean, 0.0)
        weight = of_all / np.maximum(n, 1)
        counts = _by_cluster(known.astype(np.float64), codes[rows], shape[0])
        sums = _by_cluster(np.where(known, d, 0.0), codes[rows], shape[0])
        apart = _by_cluster(np.where(known, d - mean, 0.0), codes[rows], shape[0])
        share = counts / np.maximum(n, 1)
        _, df = robust_variance(share, np.where(n > 0, share, 1.0 / shape[0]))
        value += of_all * mean
        parts += weight * sums
        shares += weight * counts
        with np.errstate(divide="ignore", invalid="ignore"):  # one cluster: df is NaN too
            influence += np.where(counts > 0.0, weight * apart / np.sqrt(1.0 - share), 0.0)
        size = np.where(n > 0, of_all**2 / np.maximum(n, 1), 0.0)
        sizes += size
        with np.errstate(divide="ignore"):
            weighed += np.where(n > 0, size**2 / df, 0.0)
    error = np.sqrt(np.square(influence).sum(axis=0))
    flat = error <= _SAME * np.abs(value)
    error, parts = np.where(flat, 0.0, error), np.where(flat, shares * value, parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = sizes**2 / weighed
    whole = np.rint(df)
    df = np.where(np.abs(df - whole) < _SAME * whole, whole, df)
    estimates = [
        Estimate(v, e, f) if f > 0.0 else Estimate(v if p else math.nan, math.nan, math.nan)
        for v, e, f, p in zip(
            value.tolist(), error.tolist(), df.tolist(), present.tolist(), strict=True
        )
    ]
    return PairMeans(estimates=estimates, parts=parts, shares=shares)


def _by_cluster(values: FloatArray, codes: IntArray, size: int) -> FloatArray:
    """Return the sums of rows of the same cluster."""
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    found = np.zeros((size, values.shape[1]))
    found[present] = np.add.reduceat(values[order], starts, axis=0)
    return found
