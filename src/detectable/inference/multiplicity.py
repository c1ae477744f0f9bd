"""Several tests at once: adjusted p-values, and which systems can be told apart."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.swaps import ROUNDING

# Draws of m differences that belong together: a table (R, m), or what gives one column of it, for
# the draws of all pairs of many systems need not lie in memory side by side.
Null: TypeAlias = FloatArray | Callable[[int], FloatArray]


def holm(p_values: FloatArray) -> FloatArray:
    r"""Return Holm's step-down adjusted p-values.

    :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`. It needs no
    assumption about dependence between the tests [1]_.

    References
    ----------
    .. [1] Holm (1979), "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6(2), 65–70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    adjusted = np.empty_like(p_values)
    adjusted[order] = stepped
    return adjusted


def max_t(observed: FloatArray, null: Null, *, slack: FloatArray | None = None) -> FloatArray:
    r"""Return step-down max-T adjusted p-values from a joint null distribution.

    Differences are divided by the standard deviation of their own null distribution, so
    that metrics on different scales can share one maximum. Hypotheses are ordered by
    :math:`|T|`; the i-th is compared with the maximum over itself and all less extreme ones
    [1]_. Correlated tests (several metrics, one baseline) cost less than with Holm.

    Parameters
    ----------
    observed : array of shape (m,)
        Differences.
    null : array of shape (R, m), or callable
        The same differences under random swaps that all m share; a callable gives those of one
        difference, by its position.
    slack : array of shape (m,), optional
        Differences that are closer than this are ties, as in the test that drew `null`. By
        default 1e-10 of the statistic, or of a standard deviation where it is smaller.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.
    """
    column = _column_of(null)
    spread = np.array([column(i).std() for i in range(observed.size)])
    known = spread > 0
    scale = np.where(known, spread, 1.0)
    statistic = np.where(known, np.abs(observed) / scale, 0.0)
    room = ROUNDING * np.maximum(1.0, statistic)
    if slack is not None:
        room = np.maximum(room, slack / scale)
    order = np.argsort(-statistic, kind="stable")
    # At column i: the largest statistic among hypothesis i and all that are less extreme.
    largest = np.zeros(column(0).size)
    p = np.empty(observed.size)
    for rank, i in reversed(list(enumerate(order.tolist()))):
        if known[i]:
            np.maximum(largest, np.abs(column(i)) / scale[i], out=largest)
        p[rank] = ((largest >= statistic[i] - room[i]).sum() + 1.0) / (largest.size + 1.0)
    adjusted = np.empty_like(statistic)
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted


def max_t_threshold(null: Null, alpha: float, *, size: int | None = None) -> float:
    """Return the value that the largest of all standardised statistics exceeds with chance α.

    `size` says how many there are, where `null` is a callable.
    """
    column = _column_of(null)
    n = len(null.T) if isinstance(null, np.ndarray) else size or 0
    spread = [float(column(i).std()) for i in range(n)]
    varies = [i for i in range(n) if spread[i] > 0]
    if not varies:
        return float("nan")
    largest = np.zeros(column(0).size)
    for i in varies:
        np.maximum(largest, np.abs(column(i)) / spread[i], out=largest)
    return float(np.quantile(largest, 1.0 - alpha))


def _column_of(null: Null) -> Callable[[int], FloatArray]:
    """Return what gives one column of the draws."""
    return null.T.__getitem__ if isinstance(null, np.ndarray) else null


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    r"""Return Benjamini-Hochberg adjusted p-values, in the order given.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\bigl(1, \tfrac{m}{j}\, p_{(j)}\bigr)

    Calling everything with :math:`\tilde p \le \alpha` a discovery keeps the expected share of
    false ones among them below :math:`\alpha`, if the tests are independent or positively
    dependent [1]_.

    References
    ----------
    .. [1] Benjamini and Hochberg (1995), "Controlling the false discovery rate", Journal of the
       Royal Statistical Society B 57(1), 289–300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    p = check.vector(p_values, "p_values")
    outside = (p < 0.0) | (p > 1.0)
    if outside.any():
        raise InputError(f"`p_values` must lie between 0 and 1; got {p[outside][0]}.")
    m = p.size
    descending = np.argsort(-p, kind="stable")
    scaled = p[descending] * (m / np.arange(m, 0, -1))  # never below p, to the last bit
    adjusted = np.empty_like(p)
    adjusted[descending] = np.minimum(1.0, np.minimum.accumulate(scaled))
    return adjusted


# --- Rank groups: which systems can be told apart ---


def rank_groups(order: list[int], better: NDArray[np.bool_]) -> list[list[int]]:
    """Split an ordered list of systems where everyone above beats everyone below.

    Parameters
    ----------
    order : list of int
        Systems from best to worst.
    better : array of shape (systems, systems)
        ``better[i, j]``: system i is significantly better than system j.

    Examples
    --------
    >>> beats = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> rank_groups([0, 1, 2], beats)
    [[0, 1], [2]]
    """
    groups: list[list[int]] = [[]]
    for position, system in enumerate(order):
        above, below = order[:position], order[position:]
        if above and all(better[i, j] for i in above for j in below):
            groups.append([])
        groups[-1].append(system)
    return groups
