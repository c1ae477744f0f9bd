"""Correlations of weighted members, for many rows of weights at once."""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray

# Sums of squares below this share of those of the values are rounding: the values are equal.
_EQUAL = 1e-24


def correlation_of_sums(sums: FloatArray, scale: FloatArray) -> FloatArray:
    """Return Pearson's correlation from weighted sums; NaN where one list is constant.

    Parameters
    ----------
    sums : array of shape (6, …)
        Of w, wx, wy, wxx, wyy and wxy, of values about their means.
    scale : array of shape (2, …)
        The sum of w times the largest square of x and of y before they were centred.
    """
    n, x, y, xx, yy, xy = sums
    safe = np.where(n > 0.0, n, 1.0)
    across, down = xx - x * x / safe, yy - y * y / safe
    known = (across > _EQUAL * scale[0]) & (down > _EQUAL * scale[1])
    product = np.where(known, across, 1.0) * np.where(known, down, 1.0)
    found: FloatArray = np.where(known, xy - x * y / safe, np.nan) / np.sqrt(product)
    return np.clip(found, -1.0, 1.0)


def moments(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what weights are multiplied with, (6, …), and the largest squares, (2,)."""
    known = np.isfinite(first) & np.isfinite(second)
    top = np.array([np.square(v[known]).max(initial=0.0) for v in (first, second)])
    x, y = (np.where(known, v - v[known].mean(), 0.0) for v in (first, second))
    ones = known.astype(np.float64)
    return np.stack([ones, x, y, x * x, y * y, x * y]), top


def weighted_ranks(
    weights: FloatArray, order: NDArray[np.int64], groups: tuple[NDArray[np.int64], ...]
) -> FloatArray:
    """Return the mid-rank of every member: weight below plus half the weight of its equals.

    Parameters
    ----------
    weights : array of shape (rows, members)
    order, groups
        As `rank_order` returns them.
    """
    starts, place = groups
    running = np.cumsum(weights[:, order], axis=1)
    running = np.concatenate([np.zeros((len(weights), 1)), running], axis=1)
    below, to = running[:, starts], running[:, np.append(starts[1:], order.size)]
    ranks = np.empty_like(weights)
    ranks[:, order] = ((below + to) / 2.0)[:, place]
    return ranks


def rank_order(values: FloatArray) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...]]:
    """Return the order of values, where each run of equals begins, and the run of each place."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = np.append(True, ordered[1:] != ordered[:-1])
    return order, (np.flatnonzero(new), np.cumsum(new) - 1)


def weighted_pearson(weights: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the weighted correlation along the last axis; NaN where one list is constant.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    >>> found = weighted_pearson(np.array([1.0, 2.0, 1.0]), x, y)
    >>> bool(np.isclose(found, np.corrcoef([1, 2, 2, 4], [1, 3, 3, 2])[0, 1]))
    True
    """
    total = weights.sum(axis=-1)
    safe = np.where(total > 0.0, total, 1.0)[..., None]
    used = weights > 0.0
    top = np.stack(
        [total * np.where(used, np.square(v), 0.0).max(axis=-1) for v in (first, second)]
    )
    x, y = (v - (weights * v).sum(axis=-1, keepdims=True) / safe for v in (first, second))
    zero = np.zeros_like(total)
    products = [(weights * a * b).sum(axis=-1) for a, b in ((x, x), (y, y), (x, y))]
    return correlation_of_sums(np.stack([total, zero, zero, *products]), top)
