"""How far two lists of numbers go together: many lists at once, over the last axis."""

import numpy as np

from detectable.core.types import FloatArray


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
