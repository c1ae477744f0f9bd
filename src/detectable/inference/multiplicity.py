"""Several tests at once: adjusted p-values that keep the chance of any false alarm."""

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.holm import holm
from detectable.inference.randomization import ROUNDING

__all__ = ["holm", "max_t", "max_t_threshold"]


def max_t(observed: FloatArray, null: FloatArray) -> FloatArray:
    r"""Return step-down max-T adjusted p-values from a joint null distribution.

    Differences are divided by the standard deviation of their own null distribution, so
    that metrics on different scales can share one maximum. Hypotheses are ordered by
    :math:`|T|`; the i-th is compared with the maximum over itself and all less extreme ones
    [1]_. Correlated tests (several metrics, one baseline) cost less than with Holm.

    Parameters
    ----------
    observed : array of shape (m,)
        Differences.
    null : array of shape (R, m)
        The same differences under random swaps that all m share.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.
    """
    spread = null.std(axis=0)
    known = spread > 0
    scale = np.where(known, spread, 1.0)
    statistic = np.where(known, np.abs(observed) / scale, 0.0)
    drawn = np.where(known, np.abs(null) / scale, 0.0)
    order = np.argsort(-statistic, kind="stable")
    # Column i: the largest statistic among hypothesis i and all that are less extreme.
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    extreme = largest >= statistic[order] - ROUNDING * np.maximum(1.0, statistic[order])
    p = (extreme.sum(axis=0) + 1.0) / (len(null) + 1.0)
    adjusted = np.empty_like(statistic)
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted


def max_t_threshold(null: FloatArray, alpha: float) -> float:
    """Return the value that the largest of all standardised statistics exceeds with chance α."""
    spread = null.std(axis=0)
    drawn = np.abs(null[:, spread > 0]) / spread[spread > 0]
    if not drawn.size:
        return float("nan")
    return float(np.quantile(drawn.max(axis=1), 1.0 - alpha))
