"""Power without simulation: normal estimates, the sign test, and margins."""

import functools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.classic_tests import critical_losses
from detectable.kernels.distributions import (
    binomial_at_most,
    log_factorials,
    normal_below,
    normal_below_each,
    normal_quantile,
)
from detectable.planning.scenario import Closed


def normal_power(distance: float, standard_error: float, critical: float) -> Closed:
    r"""Return the answer for :math:`\hat\Delta \sim N(\Delta, s^2)`, significant beyond ±c.

    With :math:`a = (\Delta - c)/s` and :math:`b = (-\Delta - c)/s`,

    .. math:: \text{power} = \Phi(a), \quad \text{Type-S} = \frac{\Phi(b)}{\Phi(a) + \Phi(b)},
       \quad \text{Type-M} = \frac{\Delta (\Phi(a) - \Phi(b)) + s (\varphi(a) + \varphi(b))}
       {\Delta (\Phi(a) + \Phi(b))}.

    Parameters
    ----------
    distance : float
        The true effect Δ as a distance from the null effect, above 0.
    standard_error : float
        The spread s of the estimate.
    critical : float
        The distance c from the null effect at which the estimate becomes significant.

    References
    ----------
    Lu, Qiu and Deng (2019), "A note on Type S/M errors in hypothesis testing", British Journal
    of Mathematical and Statistical Psychology 72(1), 1–17.
    """
    if standard_error == 0.0:
        sure = distance >= critical
        return Closed(float(sure), 1.0 if sure else math.nan, 0.0, "closed-form")
    right = (distance - critical) / standard_error
    wrong = (-distance - critical) / standard_error
    p_right, p_wrong = normal_below(right), normal_below(wrong)
    any_sign = p_right + p_wrong
    if any_sign == 0.0:
        return Closed(0.0, math.nan, math.nan, "closed-form")
    size = distance * (p_right - p_wrong) + standard_error * (density(right) + density(wrong))
    return Closed(p_right, size / (distance * any_sign), p_wrong / any_sign, "closed-form")


def beyond(
    effect: float, sd: float, cuts: FloatArray, weights: FloatArray | None = None
) -> Closed:
    r"""Return power and errors of an estimate :math:`X \sim N(Δ, s^2)` significant at |X| > c.

    Threshold and estimate are independent, so that with the threshold's distribution (values
    `cuts`, chances `weights`) everything is a mean over it of

    .. math:: P(X > c) = Φ\Bigl(\frac{Δ - c}{s}\Bigr), \qquad
              E[X; X > c] = Δ\,P(X > c) + s\,φ\Bigl(\frac{Δ - c}{s}\Bigr).
    """
    size = abs(effect)
    if weights is None:
        weights = np.full(cuts.size, 1.0 / cuts.size)
    above, below = (size - cuts) / sd, (-size - cuts) / sd
    right, wrong = (
        float(weights @ normal_below_each(above)),
        float(weights @ normal_below_each(below)),
    )
    heights = np.exp(-0.5 * above**2) + np.exp(-0.5 * below**2)
    spread = sd / math.sqrt(2.0 * math.pi) * float(weights @ heights)
    significant = right + wrong
    if size == 0.0 or significant == 0.0:
        return Closed(right, math.nan, math.nan if size else 0.5, "closed-form")
    excess = (size * (right - wrong) + spread) / size
    return Closed(right, excess / significant, wrong / significant, "closed-form")


def between(
    effect: float, sd: float, lows: FloatArray, highs: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return the chance that a normal estimate lies between two thresholds, and its mean there.

    Where the low threshold is above the high one, nothing lies between them.
    """
    some = weights * (lows < highs)
    below, above = (lows - effect) / sd, (highs - effect) / sd
    chance = float(some @ (normal_below_each(above) - normal_below_each(below)))
    heights = np.exp(-0.5 * below**2) - np.exp(-0.5 * above**2)
    moment = effect * chance + sd / math.sqrt(2.0 * math.pi) * float(some @ heights)
    return chance, moment / chance if chance > 0.0 else math.nan


@lru_cache(maxsize=256)  # a search over effects of paired ratings asks for one df
def error_factors(df: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of estimated / true standard error with `df` degrees of freedom."""
    from scipy.special import gammaincinv

    nodes, weights = graded_nodes()
    factors = np.sqrt(gammaincinv(0.5 * df, nodes) / (0.5 * df))
    factors.setflags(write=False)
    return factors, weights


def density(x: float) -> float:
    """Return the standard normal density."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


# --- Nodes and weights for integrals over (0, 1) ---

_PANELS = 30  # between the logistic of −15 and of 15: from 3e-7 to 1 − 3e-7, and the two ends


@functools.lru_cache(maxsize=8)
def unit_nodes(n: int = 32) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on (0, 1), for smooth functions."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (nodes + 1.0), 0.5 * weights


@functools.lru_cache(maxsize=1)
def graded_nodes() -> tuple[FloatArray, FloatArray]:
    """Return nodes that crowd at both ends, for functions of quantiles, which are steep there."""
    inner = 1.0 / (1.0 + np.exp(-np.linspace(-15.0, 15.0, _PANELS - 1)))
    edges = np.concatenate([[0.0], inner, [1.0]])
    nodes, weights = unit_nodes(16)
    widths = np.diff(edges)[:, None]
    return (edges[:-1, None] + widths * nodes).ravel(), (widths * weights).ravel()


# --- The exact power of the sign test, without simulation and without a sum over all tables ---

_SPREADS = 7.5  # standard deviations of the number of decided items that are summed over


class SignPower(NamedTuple):
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


# --- The exact power of Tango's tests of a margin, without a sum over all tables ---


class MarginPower(NamedTuple):
    """The chance of a claim, and the mean difference among the claims (0 without any)."""

    power: float
    mean: float


def margin_power(
    n_items: int, win: float, loss: float, *, margin: float, alpha: float, both: bool
) -> MarginPower:
    r"""Add up the chances of all tables in which a margin is shown.

    Of n items, :math:`m \sim \text{Bin}(n, w + l)` are decided, and of those :math:`b \sim
    \text{Bin}(m, w / (w + l))` are won. Tango's statistic grows with b, so that with m decided
    items “not worse” is claimed from some :math:`b_m` on, “equivalent” up to
    :math:`m - b_m` too: one distribution function or two per m. The partial means follow from
    :math:`E(b; b \le k) = m \tfrac{w}{w+l} F_{m-1}(k - 1)`.

    Numbers of decided items that have a chance below 1e-12 together are left out.

    Parameters
    ----------
    n_items : int
        Items, decided or not.
    win, loss : float
        Chance that only the system, only the baseline gets an item right.
    margin : float
        The difference of shares that does not matter.
    alpha : float
        One-sided level.
    both : bool
        Whether equivalence is to be shown, or only that the system is not worse.

    References
    ----------
    Liu, Hsueh, Hsieh and Chen (2002), "Tests for equivalence or non-inferiority for paired binary
    data", Statistics in Medicine 21(2), 231–245, who add up all tables.
    """
    decided = win + loss
    counts, weights = decided_counts(n_items, decided)
    low = fewest_wins(counts, n_items, margin=margin, alpha=alpha)
    high = counts - low if both else counts
    share = win / decided
    chance = np.where(low <= high, _between(low, high, counts, share), 0.0)
    wins = np.where(
        low <= high, counts * share * _between(low - 1, high - 1, counts - 1, share), 0.0
    )
    power = float(weights @ chance)
    if power <= 0.0:
        return MarginPower(0.0, 0.0)
    return MarginPower(power, float(weights @ (2.0 * wins - counts * chance)) / n_items / power)


def fewest_wins(counts: IntArray, n_items: int, *, margin: float, alpha: float) -> IntArray:
    """Return for each number of decided items the fewest wins that show “not worse”.

    One more than there are decided items where not even winning all of them would do.
    """
    from detectable.inference.shares import tango_z  # for margins alone

    critical = normal_quantile(1.0 - alpha)
    low, high = np.zeros_like(counts), counts + 1
    while (open_ := low < high).any():
        middle = (low + high) // 2
        shown = tango_z(middle, counts - middle, n_items, -margin) >= critical
        high = np.where(open_ & shown, middle, high)
        low = np.where(open_ & ~shown, middle + 1, low)
    return low


def _between(low: IntArray, high: IntArray, n: IntArray, share: float) -> FloatArray:
    """Return the chance of `low` to `high` successes out of n, each with chance `share`."""
    from scipy.special import bdtr

    n = np.maximum(n, 0)

    def up_to(k: IntArray) -> FloatArray:
        known = bdtr(np.clip(k, 0, n).astype(np.float64), n, share)
        return np.where(k < 0, 0.0, known)

    return np.maximum(up_to(high) - up_to(low - 1), 0.0)
