"""The exact sign test: McNemar's test of paired answers, and the test of preferences."""

import functools

import numpy as np

from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.kernels.distributions.binomial import binomial_at_most
from detectable.kernels.distributions.normal import normal_quantile

_ROUNDING = 1e-12  # relative: a tail that equals alpha/2 up to this counts as equal
_SMALLEST_TABLE = 4096
_LARGEST_TABLE = 1 << 17  # larger numbers of decided items are computed, not remembered


def sign_test_p(wins: ArrayLike, losses: ArrayLike) -> FloatArray:
    r"""Return two-sided p-values of «a win is as likely as a loss», over any shape.

    .. math:: p = \min(1, 2 P(X \le \min(W, L))), \qquad X \sim \text{Bin}(W + L, 1/2)

    Items without a decision do not count. With W and L the items that only one of two systems
    answers correctly, this is McNemar's exact test [1]_.

    Parameters
    ----------
    wins, losses : array_like of int
        Items won and lost.

    References
    ----------
    .. [1] McNemar (1947), "Note on the sampling error of the difference between correlated
       proportions or percentages", Psychometrika 12(2), 153–157.

    Examples
    --------
    >>> sign_test_p([8, 5], [1, 5]).round(4).tolist()
    [0.0391, 1.0]
    """
    from scipy.special import bdtr  # scipy.stats would triple the start-up time

    won, lost = np.asarray(wins, dtype=np.int64), np.asarray(losses, dtype=np.int64)
    tail = bdtr(np.minimum(won, lost).astype(np.float64), won + lost, 0.5)
    p_values: FloatArray = np.minimum(1.0, 2.0 * tail)
    return p_values


def critical_losses(low: int, high: int, alpha: float) -> IntArray:
    """Return for `low`, …, `high` decided items the most losses that are still significant.

    −1 where no result can be significant. The numbers only grow, by 0 or 1 at a time.
    """
    if high < _LARGEST_TABLE:
        size = max(_SMALLEST_TABLE, 1 << high.bit_length())
        return _table(size, alpha)[low : high + 1]
    return _critical(np.arange(low, high + 1), alpha)


@functools.lru_cache(maxsize=32)
def _table(size: int, alpha: float) -> IntArray:
    found = _critical(np.arange(size), alpha)
    found.setflags(write=False)
    return found


def _critical(decided: IntArray, alpha: float) -> IntArray:
    r"""Return the critical numbers by a normal approximation, and exactly where it is in doubt.

    With :math:`z = z_{\alpha/2}`, the tail of Bin(m, ½) equals α/2 at the real number
    :math:`m/2 - 1/2 + (\sqrt m/2)(z - (z^3 - z)/(12 m))`, up to terms in :math:`z^5 m^{-3/2}`
    (Edgeworth's expansion, for a lattice). Only where that falls next to a whole number is the
    distribution function itself needed.
    """
    z = normal_quantile(0.5 * alpha)
    m = np.maximum(decided, 1)
    place = 0.5 * decided - 0.5 + 0.5 * np.sqrt(m) * (z - (z**3 - z) / (12.0 * m))
    losses = np.clip(np.floor(place), -1, decided).astype(np.int64)
    doubt = (5.0 + abs(z) ** 5) / m**1.5
    unsure = np.flatnonzero((np.abs(place - np.round(place)) <= doubt) | (decided < 100))
    losses[unsure] = _exact(decided[unsure], losses[unsure], alpha)
    return losses


def _exact(decided: IntArray, losses: IntArray, alpha: float) -> IntArray:
    """Return the critical numbers, starting from a guess that is one or two off at most."""
    limit = 0.5 * alpha * (1.0 + _ROUNDING)
    while True:
        below = losses >= 0
        too_many = below & (_at_most(np.where(below, losses, 0), decided) > limit)
        if not too_many.any():
            break
        losses = losses - too_many
    while True:
        more = _at_most(np.minimum(losses + 1, decided), decided) <= limit
        if not more.any():
            return losses
        losses = losses + more


def _at_most(losses: IntArray, decided: IntArray) -> FloatArray:
    """Return the chance of at most so many losses, of fair coins."""
    pairs = zip(losses.tolist(), decided.tolist(), strict=True)
    return np.array([binomial_at_most(k, m, 0.5) for k, m in pairs])
