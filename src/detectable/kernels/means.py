"""Means that do not depend on the order of what is added: at large, by group, and by rater."""

import math

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray

_SPLIT = float((1 << 27) + 1)


def exact_mean(values: FloatArray) -> float:
    """Return the mean, its sum rounded once; NaN without values.

    Studies hold the same differences in different orders: by item, by document, as a histogram.
    A plain sum would give each of them another last digit.

    Examples
    --------
    >>> exact_mean(np.array([1e16, 1.0, -1e16, 1.0]))
    0.5
    """
    return math.fsum(values.tolist()) / values.size if values.size else math.nan


def exact_histogram_means(counts: IntArray, values: FloatArray) -> FloatArray:
    """Return `exact_mean` of each row of counts of values, without writing the values out.

    A value is split into two halves of 26 bits (Veltkamp), so that its product with a count below
    67 million is exact.

    Examples
    --------
    >>> exact_histogram_means(np.array([[2, 1]]), np.array([0.1, 0.7])).tolist()
    [0.3]
    >>> exact_mean(np.array([0.1, 0.7, 0.1]))
    0.3
    """
    large = _SPLIT * values
    high = large - (large - values)
    low = values - high
    sums = [math.fsum([*(row * high).tolist(), *(row * low).tolist()]) for row in counts]
    means: FloatArray = np.array(sums) / counts.sum(axis=1)
    return means


# --- Means by group, where values may be missing ---


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


# --- Mean and standard deviation of every rater, in one order of adding however many the rows are ---

_ROUNDING = 1e-12  # a spread below this share of the mean is rounding of equal scores
_ROWS = 1 << 20  # that are looked at together; does not change a digit


def rater_spread(
    rater: NDArray[np.integer],
    score: FloatArray,
    n_raters: int,
    counted: NDArray[np.bool_] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the standard deviation (n − 1) of the scores of each rater.

    The standard deviation is NaN for one score, or where all are equal: there is no z. Sums are
    carried on from row to row, so that memory does not grow with them.

    Parameters
    ----------
    rater : array of int
        Of each row, in as few bytes as it likes.
    score : array
    n_raters : int
    counted : array of bool, optional
        Rows that count; all by default.

    Examples
    --------
    >>> rater_spread(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), 2)[1].round(3).tolist()
    [1.414, nan]
    """
    n = np.zeros(n_raters, dtype=np.int64)
    total, squares = np.zeros(n_raters), np.zeros(n_raters)
    parts = [slice(start, start + _ROWS) for start in range(0, score.size, _ROWS)]
    for part in parts:
        who, value = _taken(rater, score, counted, part)
        n += np.bincount(who, minlength=n_raters)
        np.add.at(total, who, value)
    mean = total / np.maximum(n, 1)
    for part in parts:
        who, value = _taken(rater, score, counted, part)
        np.add.at(squares, who, (value - mean[who]) ** 2)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    usable = (n > 1) & (spread > _ROUNDING * np.maximum(1.0, np.abs(mean)))
    return mean, np.where(usable, spread, np.nan)


def _taken(
    rater: NDArray[np.integer],
    score: FloatArray,
    counted: NDArray[np.bool_] | None,
    part: slice,
) -> tuple[NDArray[np.int64], FloatArray]:
    who, value = rater[part], score[part]
    if counted is not None:
        who, value = who[counted[part]], value[counted[part]]
    return who.astype(np.int64), value
