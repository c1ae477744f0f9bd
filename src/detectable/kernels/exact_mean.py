"""Means that do not depend on the order of what is added."""

import math

import numpy as np

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
