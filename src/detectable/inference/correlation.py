"""How far two lists of numbers go together: plain, weighted, and two correlations compared."""

import math

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.kernels.distributions import t_below


def pearson(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Pearson's correlation; NaN where one list is constant.

    Examples
    --------
    >>> float(pearson(np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 9.0])).round(6))
    1.0
    """
    x = first - first.mean(axis=-1, keepdims=True)
    y = second - second.mean(axis=-1, keepdims=True)
    scale = np.sqrt(np.square(x).sum(axis=-1) * np.square(y).sum(axis=-1))
    return _ratio((x * y).sum(axis=-1), scale)


def spearman(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Pearson's correlation of the ranks; equal numbers share the mean of their ranks.

    Examples
    --------
    >>> float(spearman(np.array([1.0, 2.0, 9.0]), np.array([5.0, 4.0, 6.0])).round(6))
    0.5
    """
    # Numbers below less numbers above are twice the rank, counted from the middle.
    return pearson(_signs(first).sum(axis=-1), _signs(second).sum(axis=-1))


def kendall(first: FloatArray, second: FloatArray) -> FloatArray:
    r"""Return Kendall's :math:`\tau_b`, which allows for ties in either list.

    .. math:: \tau_b = \frac{\sum_{i<j} s_{ij} t_{ij}}{\sqrt{\sum_{i<j} s_{ij}^2 \sum_{i<j} t_{ij}^2}}

    with the signs s and t of the differences in the two lists.

    References
    ----------
    Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33(3), 239–251.

    Examples
    --------
    >>> float(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).round(6))
    0.333333
    """
    s, t = _signs(first), _signs(second)
    scale = np.sqrt(np.square(s).sum(axis=(-2, -1)) * np.square(t).sum(axis=(-2, -1)))
    return _ratio((s * t).sum(axis=(-2, -1)), scale)


def _signs(values: FloatArray) -> FloatArray:
    """Return the sign of every number less every other; NaN stays NaN."""
    return np.sign(values[..., :, None] - values[..., None, :])


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    known = below > 0.0
    found: FloatArray = np.where(known, above, np.nan) / np.where(known, below, 1.0)
    return found


# --- Correlations of weighted members, for many rows of weights at once ---

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


# --- Two correlations with one list in common: Williams' test, as papers use it for metrics ---


def williams(first: float, second: float, between: float, n: int) -> float:
    r"""Return the one-sided p-value of «the first list correlates higher with the third».

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n - 1)(1 + r_{12})}
              {2 K (n-1)/(n-3) + (r_1 + r_2)^2 (1 - r_{12})^3 / 4}}, \quad
              K = 1 - r_1^2 - r_2^2 - r_{12}^2 + 2 r_1 r_2 r_{12}

    with n − 3 degrees of freedom. It takes the n pairs of numbers as independent, which
    (system, segment) scores are not: systems translate the same segments.

    Parameters
    ----------
    first, second, between : float
        Correlations of either list with the third, and of the two lists.

    References
    ----------
    Williams (1959), Regression Analysis; Graham and Baldwin (2014), "Testing for significance of
    increased correlation with human judgment", EMNLP.

    Examples
    --------
    >>> round(williams(0.6, 0.5, 0.7, 103), 4)
    0.0542
    """
    if n < 4:
        raise InputError(f"`n` must be at least 4 for Williams' test; got {n}.")
    determinant = 1.0 - first**2 - second**2 - between**2 + 2.0 * first * second * between
    mean = (first + second) / 2.0
    below = 2.0 * max(0.0, determinant) * (n - 1) / (n - 3) + mean**2 * (1.0 - between) ** 3
    if below <= 0.0:
        return 0.5 if first == second else float(first < second)
    return t_below(-(first - second) * math.sqrt((n - 1) * (1.0 + between) / below), n - 3)
