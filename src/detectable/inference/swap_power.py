r"""The smallest effect that a test of few units finds: at the level that it really attains.

All shifts are in standard errors of the difference.

**Swap test of one pair**, or of each pair at level :math:`\ell = \alpha / m` (Holm). It rejects k
of :math:`2^{G-1}` patterns, so its level is :math:`\ell' = k / 2^{G-1}`. With k = 1 all signs must
agree, and the shift follows exactly from :math:`\Phi(\mu / \sigma)^G = \text{power}`. Between k = 1
and many patterns

.. math:: \delta = \delta_t(G - 1, \ell') \, (1 + a k^{-b}), \qquad
          a = \frac{\sqrt G\, \Phi^{-1}(\text{power}^{1/G})}{\delta_t(G - 1, 2^{1-G})} - 1, \qquad
          b = \max(0.6,\; 1.94 - 0.08\, G),

where :math:`\delta_t` is that of a t test. Against quadrature for k ≤ 3 it is off by at most 0.5 %,
against enumeration of simulated data (G = 6 … 16, k = 1 … 1,638) by at most 1.3 %; at 90 and 95 %
power by at most 3.5 %, because b was fitted at 80 %.

**max-T**: the critical value c of the largest T is that of a t statistic,
:math:`t_c = c \sqrt{(G - 1)/(G - c^2)}`. Stepping down finds a little more: .80 to .86.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.few_units import choose_test, rejecting_patterns, units_to_reject
from detectable.inference.standard_errors import detectable_shift, shift_beyond
from detectable.kernels import distributions
from detectable.kernels.roots import bracketed_root

_MANY = 60  # units from which on one pattern more or less is nothing
_MOST = 1 << 40  # units at which a search gives up


@functools.lru_cache(maxsize=4096)  # pairs of one family ask the same
def swap_shift(n_units: int, *, level: float, power: float) -> float:
    """Return the shift that a swap test finds; not a number where it cannot reject.

    Examples
    --------
    >>> round(swap_shift(7, level=0.05, power=0.8) / 7**0.5, 2)  # in standard deviations of a unit
    1.33
    >>> swap_shift(5, level=0.05, power=0.8)
    nan
    """
    df = n_units - 1.0
    k = rejecting_patterns(n_units, level)
    if k == 0:
        return math.nan
    if n_units > _MANY:
        return detectable_shift(df, alpha=level, power=power)
    smallest = 2.0 ** (1 - n_units)
    exact = math.sqrt(n_units) * distributions.normal_quantile(power ** (1.0 / n_units))
    by_t = detectable_shift(df, alpha=smallest, power=power)
    if by_t == 0.0:
        return 0.0  # chance alone rejects as often
    a = exact / by_t - 1.0
    b = max(0.6, 1.94 - 0.08 * n_units)
    factor = 1.0 + a * math.pow(k, -b)
    return factor * detectable_shift(df, alpha=k * smallest, power=power)


def t_of_largest(critical: float, n_units: int) -> float:
    """Return the t statistic at a critical value of T; infinite where T cannot reach it."""
    square = critical**2
    if not square < n_units:
        return math.inf
    return critical * math.sqrt((n_units - 1.0) / (n_units - square))


@functools.lru_cache(maxsize=4096)
def max_t_shift(critical: float, n_units: int, *, power: float) -> float:
    """Return the shift at which T exceeds its critical value; not a number where it cannot."""
    return shift_beyond(t_of_largest(critical, n_units), n_units - 1.0, power=power)


@functools.lru_cache(maxsize=4096)
def max_t_level(critical: float, n_units: int) -> float:
    """Return the two-sided level of one pair that a critical value of the largest T stands for."""
    return 2.0 * distributions.t_below(-t_of_largest(critical, n_units), n_units - 1.0)


def largest_of_level(level: float, n_units: int) -> float:
    """Return the critical value of the largest T that a level of one pair stands for.

    Examples
    --------
    >>> round(largest_of_level(max_t_level(2.5, 20), 20), 6)
    2.5
    """
    square = distributions.t_quantile(0.5 * level, n_units - 1.0) ** 2
    return math.sqrt(square * n_units / (n_units - 1.0 + square))


def units_needed(
    effect: float,
    standard_error: float,
    n_units: int,
    *,
    alpha: float,
    level: float,
    power: float,
    swap: bool | None = None,
    swaps_find: Callable[[int, float], bool] | None = None,
) -> int | None:
    """Return how many units of the same kind would find an effect; None where no number is known.

    Parameters
    ----------
    standard_error : float
        With `n_units` units; it shrinks with their root.
    alpha, level : float
        Of all pairs together, which chooses the test, and of this pair.
    swap : bool, optional
        Whether the test is fixed to be the swap test (True) or t (False). By default it is the
        one that so many units are given.
    swaps_find : callable, optional
        Whether swaps of so many units find the effect, where standard error times shift, its
        second argument, is not all that matters. Units that are too few to swap find nothing then.
    """
    if not (math.isfinite(standard_error) and standard_error > 0.0):
        return None

    def enough(n: int) -> bool:
        error = standard_error * math.sqrt(n_units / n)
        flips = choose_test(n, alpha) == "swap" if swap is None else swap
        shift = (
            swap_shift(n, level=level, power=power)
            if flips
            else detectable_shift(n - 1.0, alpha=level, power=power)
        )
        if swaps_find is not None:
            return flips and swaps_find(n, error * shift)
        return error * shift <= abs(effect)  # not a number is never enough

    high = units_to_reject(level) if swap else 2
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


# --- The smallest mean difference of mostly tied scores that swaps find ---
#
# Units that do not differ cannot flip. Of n units k differ, by A on average. An effect e needs either
# more wins among them or more units that differ:
#
# .. math:: e \le qA:\; q = k/n \text{ differ}, \; \pi = \tfrac12 (1 + e/(qA)); \qquad
#           e > qA:\; e/A \text{ differ}, \; \pi = 1 .
#
# Where all units that differ do so by the same amount, the swap test is the sign test, and its power the
# sum over Bin(j; n, share) that stands below for shares of right answers, in units of A. Else the
# power is that of data sets drawn from the sizes that were seen. Standard error times shift calls
# differences detectable that are found in 9 to 58 % of cases: it does not know that with few
# differing units hardly any p-value is small enough.
#
# References
# ----------
# Dixon and Mood (1946), "The statistical sign test", Journal of the American Statistical Association
# 41(236), 557–566; Dwass (1957), "Modified randomization tests for nonparametric hypotheses", Annals
# of Mathematical Statistics 28(1), 181–187, for flips that are drawn.

_TIED = 3  # from one in so many ties on, or where the units that differ can reject nothing
# Four hundred data sets would leave an error of .02 in the power, the same in every answer.
_DATA_SETS, _FLIPS = 1_000, 499
_SEED = 41  # one for all effects: more wins of the same data sets, so that the power only grows
_FLIPPED = 200  # units that differ, from which on T is compared with its critical value
_MANY_DIFFER = 2_000  # from which on the standard error says the same
_HALVINGS = 20
_EQUAL = 1e-9  # sizes that differ by less than this, relatively, are one size


def is_tied(n_units: int, differing: int, level: float) -> bool:
    """Return whether so many units are ties that only those that differ say what can be found.

    Examples
    --------
    >>> is_tied(40, 30, 0.05), is_tied(40, 26, 0.05), is_tied(7, 5, 0.05)
    (False, True, True)
    """
    if differing == n_units or differing > _MANY_DIFFER:
        return False
    return _TIED * (n_units - differing) >= n_units or rejecting_patterns(differing, level) == 0


def detectable_tied(
    n_units: int,
    sizes: FloatArray,
    *,
    power: float,
    level: float | None = None,
    critical: float | None = None,
) -> float:
    """Return the smallest mean difference of mostly tied units that is found.

    Not a number where no unit differs, because then nobody knows by how much they could, and where
    not even n differing units can reject.

    Parameters
    ----------
    n_units : int
        All units, ties among them.
    sizes : array
        By how much each unit that differs does so; their signs do not count.
    level : float, optional
        Two-sided level of the swap test.
    critical : float, optional
        Instead of it, max-T: rejected is a sum over its root of squares of at least `critical`.

    Examples
    --------
    >>> round(detectable_tied(40, np.full(8, 1.0), level=0.05, power=0.8), 3)
    0.195
    >>> round(detectable_tied(40, np.array([1, 1, 1, 1, 1, 2, 2, 5]), level=0.05, power=0.8), 2)
    0.34
    """
    sizes = np.sort(np.abs(np.asarray(sizes, dtype=np.float64)))
    if not sizes.size or critical == math.inf:
        return math.nan
    average = float(sizes.mean())
    if sizes[-1] - sizes[0] <= _EQUAL * sizes[-1]:
        return average * detectable_share(
            n_units, sizes.size, power=power, level=level, critical=critical
        )
    found = _drawn_power(n_units, sizes, level=level, critical=critical)
    low, high = 0.0, average
    if found(high) < power:
        return math.nan
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (low, middle) if found(middle) >= power else (middle, high)
    return high


def _drawn_power(
    n_units: int, sizes: FloatArray, *, level: float | None, critical: float | None
) -> Callable[[float], float]:
    """Return the power at an effect, of the same data sets and flips at every effect."""
    rng = np.random.default_rng(_SEED)
    share, average = sizes.size / n_units, float(sizes.mean())
    # A unit differs where its place between 0 and 1 is below the share that does. Only the smallest
    # of n places are drawn: all of twice as many as are needed winning is rejected anyway. They are
    # shuffled, so that data sets do not share the flips of those that differ.
    needed = max(sizes.size, _least(n_units, level=level, critical=critical))
    columns = min(n_units, 2 * needed + 50)
    shape = (_DATA_SETS, columns)
    gaps = rng.standard_exponential(shape) / (n_units - np.arange(columns))
    places = rng.permuted(-np.expm1(-gaps.cumsum(axis=1)), axis=1)
    wins, drawn = rng.random(shape), rng.choice(sizes, shape)
    if critical is None and sizes.size > _FLIPPED:
        critical = largest_of_level(float(level or 0.0), n_units)
    flips = None if critical is not None else rng.choice([-1.0, 1.0], (columns, _FLIPS))

    def power(effect: float) -> float:
        top = share * average
        win = min(1.0, 0.5 + 0.5 * effect / top)
        chance = max(share, effect / average)
        data = np.where(places < chance, np.where(wins < win, drawn, -drawn), 0.0)
        total = data.sum(axis=1)
        slack = _ROUNDING * np.abs(data).sum(axis=1)
        if flips is None:
            least = (critical or 0.0) * np.sqrt(np.square(data).sum(axis=1))
            return float(np.mean((total >= least - slack) & (total > 0.0)))
        extreme = np.abs(data @ flips) >= (np.abs(total) - slack)[:, np.newaxis]
        p_values = (1.0 + extreme.sum(axis=1)) / (1.0 + _FLIPS)
        return float(np.mean((p_values <= float(level or 0.0) + _ROUNDING) & (total > 0.0)))

    return power


def _least(n_units: int, *, level: float | None, critical: float | None) -> int:
    """Return how many units must differ for a rejection if all of them favour one system."""
    if critical is None:
        return min(n_units, units_to_reject(float(level or 0.0)))
    return min(n_units, math.ceil(critical**2))  # T of equal units is the root of their number


# --- The smallest difference of two shares of right answers that swaps find ---
#
# Swapping the answers of single items is McNemar's exact test: only the m discordant items count, and
# of those the losses L. Its power at a difference :math:`\delta` is a sum over both,
#
# .. math:: P(\delta) = \sum_m \text{Bin}(m; n, w + l)\, P(L \le k_m \mid m, l/(w + l)), \qquad
# w = \tfrac12 (q + \delta), \quad l = \tfrac12 (q - \delta),
#
# where q is the discordance that was observed and :math:`k_m` the most losses that the test rejects.
# A standard error cannot say this: with five discordant items of 100 it calls 6.4 points detectable,
# and such a difference is found in 62 % of cases.
#
# With few discordant items not even :math:`\delta = q`, all of them won, may be found. Then the
# discordance must grow with the difference, :math:`w = \delta` and :math:`l = 0`: the answer is the
# smallest difference that is found if nothing is broken.
#
# **In clusters** whole documents are swapped, and neither is right by itself. Standard error times shift,
# :math:`M`, takes the spread of equal systems for that of systems that differ; but the variance of
# an answer falls with the difference, from q to :math:`q - \delta^2`. So with d the observed difference
#
# .. math:: \delta^2 = M^2\, \frac{q - \delta^2}{q - d^2} .
#
# Where :math:`\delta` would reach q, all discordant answers are won, no document speaks against the system,
# and the swap test rejects if and only if so many documents differ that all their signs agreeing is
# rare enough. Whatever the difference, that many must differ, of the G documents of which a share r
# has a discordant answer at discordance q. Standard error times shift knows neither: with 20 documents of five answers its
# difference was found in .95 of cases, with 20 wholly dependent ones in .58.
#
# References
# ----------
# McNemar (1947), "Note on the sampling error of the difference between correlated proportions or
# percentages", Psychometrika 12(2), 153–157.

_SPREADS = 7.5  # standard deviations of the number of discordant items that are summed over
_ROUNDING = 1e-9
_EXACT = 1e-9  # relative


@functools.lru_cache(maxsize=4096)  # pairs of one family often have as many discordant items
def detectable_share(
    n_items: int,
    discordant: int,
    *,
    power: float,
    level: float | None = None,
    critical: float | None = None,
) -> float:
    r"""Return the smallest difference of shares that is found; not a number where none is.

    Parameters
    ----------
    n_items, discordant : int
        All items, and those that exactly one system has right.
    level : float, optional
        Two-sided level of the exact test.
    critical : float, optional
        Instead of it, max-T: rejected is :math:`|b - c| / \sqrt{b + c} \ge` `critical`.

    Examples
    --------
    >>> round(detectable_share(100, 5, level=0.05, power=0.8), 3)
    0.078
    >>> round(detectable_share(400, 80, level=0.05, power=0.8), 3)
    0.064
    >>> detectable_share(5, 2, level=0.05, power=0.8)  # five signs never reach .05
    nan
    """
    from scipy.optimize import brentq

    share = discordant / n_items

    def lacking(difference: float) -> float:
        found = share_power(n_items, share, difference, level=level, critical=critical)
        return found - power

    if lacking(1.0) < 0.0:
        return math.nan
    return float(brentq(lacking, 1e-12, 1.0, rtol=_EXACT))


def share_power(
    n_items: int,
    discordance: float,
    difference: float,
    *,
    level: float | None = None,
    critical: float | None = None,
) -> float:
    """Return how often a difference of shares is found, by a level or a critical value of max-T.

    Examples
    --------
    >>> round(share_power(100, 0.05, 0.078, level=0.05), 2)
    0.8
    """
    win = max(0.5 * (discordance + difference), difference)
    loss = max(0.5 * (discordance - difference), 0.0)
    return _found(n_items, win, loss, level, critical)


def detectable_in_clusters(
    by_error: float,
    discordance: float,
    difference: float,
    *,
    n_units: int,
    differing: float,
    least: int,
    power: float,
) -> float:
    """Return the smallest difference of shares that swaps of whole clusters find.

    Parameters
    ----------
    by_error : float
        Standard error times shift.
    discordance, difference : float
        Share of answers that exactly one system has right, and the observed difference.
    n_units, differing : int, float
        Clusters, and those with a discordant answer: on average, where they are not yet drawn.
    least : int
        How many must differ for a rejection if all of them favour one system.

    Examples
    --------
    >>> round(detectable_in_clusters(
    ...     0.19, 0.2, 0.0, n_units=20, differing=13, least=6, power=0.8), 3)
    0.175
    >>> round(detectable_in_clusters(  # four clusters of 20 differ, each as a whole
    ...     0.30, 0.2, 0.0, n_units=20, differing=4, least=6, power=0.8), 3)
    0.366
    """
    varying = discordance - difference**2
    if not (by_error > 0.0 and varying > 0.0 and differing > 0 and n_units >= least):
        return math.nan
    ratio = by_error**2 / varying
    spread = math.sqrt(discordance * ratio / (1.0 + ratio))
    # Clusters that differ become more only if more answers do.
    growth = max(1.0, _share_to_differ(n_units, least, power) * n_units / differing)
    enough = discordance * growth if growth > 1.0 else 0.0
    return min(1.0, max(min(spread, discordance), enough))


@functools.lru_cache(maxsize=4096)
def _share_to_differ(n_units: int, least: int, power: float) -> float:
    """Return the chance of a cluster to differ at which enough do, as often as the power says."""
    return bracketed_root(
        lambda chance: 1.0 - power - distributions.binomial_at_most(least - 1, n_units, chance),
        0.0,
        1.0,
    )


def _found(
    n_items: int, win: float, loss: float, level: float | None, critical: float | None
) -> float:
    """Return the chance that the test finds the better system."""
    from scipy.special import bdtr

    counts, weights = _discordant(n_items, win + loss)
    most = _most_losses(counts, level, critical)
    possible = most >= 0
    tails = bdtr(np.where(possible, most, 0) * 1.0, counts, loss / (win + loss))
    return float(weights @ np.where(possible, tails, 0.0))


def _most_losses(counts: IntArray, level: float | None, critical: float | None) -> IntArray:
    if critical is None:
        from detectable.inference.classic_tests import critical_losses

        return critical_losses(int(counts[0]), int(counts[-1]), float(level or 0.0))
    most = np.floor(0.5 * (counts - critical * np.sqrt(counts)) + _ROUNDING)
    found: IntArray = np.where(counts > 0, most, -1.0).astype(np.int64)
    return found


def _discordant(n_items: int, share: float) -> tuple[IntArray, FloatArray]:
    """Return the numbers of discordant items that matter, and their probabilities."""
    from scipy.special import gammaln, xlog1py, xlogy

    mean, spread = n_items * share, math.sqrt(n_items * share * max(0.0, 1.0 - share))
    low = max(0, math.floor(mean - _SPREADS * spread) - 5)
    high = min(n_items, math.ceil(mean + _SPREADS * spread) + 20)
    counts = np.arange(low, high + 1)
    rest = n_items - counts
    logs = -gammaln(counts + 1.0) - gammaln(rest + 1.0)
    logs += xlogy(counts, share) + xlog1py(rest, -min(share, 1.0))
    weights = np.exp(logs - logs.max())
    return counts, weights / weights.sum()
