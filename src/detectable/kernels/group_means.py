"""Means by group, where values may be missing."""

import numpy as np

from detectable.core.types import FloatArray, IntArray


def group_means(values: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return the mean of the known values of every group; NaN where a group has none.

    Examples
    --------
    >>> group_means(np.array([1.0, 3.0, np.nan]), np.array([0, 0, 1]), 2).tolist()
    [2.0, nan]
    """
    known = np.isfinite(values)
    n = np.bincount(group[known], minlength=n_groups)
    total = np.bincount(group[known], values[known], n_groups)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
