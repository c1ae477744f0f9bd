"""What each document (or item) adds to the mean difference of a pair."""

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.swap_parts import SwapParts
from detectable.study.ranking.estimates import mean_parts, system_estimate


def pair_parts(
    differences: FloatArray, strata: IntArray | None, clusters: IntArray | None
) -> list[SwapParts]:
    """Return the parts of every pair, over the same clusters; 0 where a pair was not observed.

    With strata the difference is the mean of their means: an item counts with its weight there.
    """
    codes = np.arange(len(differences))
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
    size = int(codes.max()) + 1
    found = []
    for column in differences.T:
        weights = mean_parts(column, strata, None).weights
        known = np.where(np.isfinite(column), column, 0.0)
        parts = np.bincount(codes, weights=weights * known, minlength=size)
        shares = np.bincount(codes, weights=weights, minlength=size)
        value = system_estimate(column, strata, clusters).value
        found.append(SwapParts(value, parts.astype(np.float64), shares.astype(np.float64)))
    return found
