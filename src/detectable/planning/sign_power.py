"""The exact power of the sign test, without simulation and without a sum over all tables."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.sign_test import critical_losses
from detectable.kernels.distributions.binomial import binomial_at_most, log_factorials

_SPREADS = 7.5  # standard deviations of the number of decided items that are summed over


@dataclass(frozen=True, slots=True)
class SignPower:
    """Chances of a significant result, and the sizes of the differences among them.

    Attributes
    ----------
    right, wrong : float
        Chance of significance in favour of the system that is better, and of the other.
    per_item : float
        Mean over all trials of |wins − losses| / items where significant, else 0.
    per_decided : float
        The same per decided item.
    """

    right: float
    wrong: float
    per_item: float
    per_decided: float


def sign_power(n_items: int, win: float, loss: float, *, alpha: float) -> SignPower:
    r"""Enumerate the exact two-sided sign test of `n_items` items.

    Of n items, :math:`m \sim \text{Bin}(n, w + l)` are decided, and of those :math:`L \sim
    \text{Bin}(m, l / (w + l))` are lost. With :math:`k_m` the most losses that are significant,

    .. math:: P(\text{right}) = \sum_m P(m) F_m(k_m), \qquad
       F_{m+1}(k) = F_m(k) - \tfrac{l}{w + l} f_m(k),

    so that the distribution functions of all m follow from one of them and a cumulative sum of
    point probabilities. The partial means follow from :math:`E(L; L \le k) = m \tfrac{l}{w+l}
    F_{m-1}(k - 1)`.

    Parameters
    ----------
    n_items : int
        Items, decided or not.
    win, loss : float
        Chance of an item to be won or lost by the better system; `win` ≥ `loss`.
    alpha : float
        Level of the test, which is significant at :math:`p \le \alpha`.
    """
    decided = win + loss
    share = loss / decided
    counts, weights = decided_counts(n_items, decided)
    critical = critical_losses(int(counts[0]), int(counts[-1]), alpha)
    ways = _log_choose(counts, np.maximum(critical, 0))
    lost = _tails(counts, critical, ways, share)
    won = _tails(counts, critical, ways, 1.0 - share)
    sizes = weights * (lost[1] + won[1])
    return SignPower(
        right=float(weights @ lost[0]),
        wrong=float(weights @ won[0]),
        per_item=float(sizes.sum()) / n_items,
        per_decided=float((sizes / np.maximum(counts, 1)).sum()),
    )


def decided_counts(n_items: int, decided: float) -> tuple[IntArray, FloatArray]:
    """Return the numbers of decided items that matter, and their probabilities."""
    if decided >= 1.0:
        return np.array([n_items]), np.ones(1)
    mean, spread = n_items * decided, math.sqrt(n_items * decided * (1.0 - decided))
    low = max(0, math.floor(mean - _SPREADS * spread) - 5)
    high = min(n_items, math.ceil(mean + _SPREADS * spread) + 20)
    counts = np.arange(low, high + 1)
    logs = _log_choose(n_items, counts) + counts * math.log(decided / (1.0 - decided))
    weights = np.exp(logs - logs.max())
    return counts, weights / weights.sum()


def _tails(
    counts: IntArray, critical: IntArray, ways: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return :math:`F_m(k_m)` and :math:`E(m - 2L; L \le k_m)` for every m in `counts`."""
    significant = critical >= 0
    if share in (0.0, 1.0):  # k_m < m always: the level is below 1
        tail = np.where(significant & (share == 0.0), 1.0, 0.0)
        return tail, tail * counts
    k = np.maximum(critical, 0)
    logs = ways + k * math.log(share) + (counts - k) * math.log1p(-share)
    point = np.where(significant, np.exp(logs), 0.0)
    steps = -share * point[:-1]
    jumped = np.flatnonzero(np.diff(critical))
    steps[jumped] += point[jumped + 1]  # F rises by f(k + 1) where the critical value does
    first = binomial_at_most(int(k[0]), int(counts[0]), share) if significant[0] else 0.0
    tail = np.concatenate([[first], first + np.cumsum(steps)])
    tail = np.maximum(tail, 0.0)  # rounding
    lower = tail - point * (counts - k) / np.maximum(counts, 1)  # F_{m-1}(k - 1)
    return tail, counts * (tail - 2.0 * share * lower)


def _log_choose(n: IntArray | int, k: IntArray) -> FloatArray:
    return log_factorials(n) - log_factorials(k) - log_factorials(n - k)
