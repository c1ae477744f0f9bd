r"""The smallest difference of two shares of right answers that swaps find.

Swapping the answers of single items is McNemar's exact test: only the m discordant items count, and
of those the losses L. Its power at a difference :math:`\delta` is a sum over both,

.. math:: P(\delta) = \sum_m \text{Bin}(m; n, w + l)\, P(L \le k_m \mid m, l/(w + l)), \qquad
          w = \tfrac12 (q + \delta), \quad l = \tfrac12 (q - \delta),

where q is the discordance that was observed and :math:`k_m` the most losses that the test rejects.
A standard error cannot say this: with five discordant items of 100 it calls 6.4 points detectable,
and such a difference is found in 62 % of cases.

With few discordant items not even :math:`\delta = q`, all of them won, may be found. Then the
discordance must grow with the difference, :math:`w = \delta` and :math:`l = 0`: the answer is the
smallest difference that is found if nothing is broken.

**In clusters** whole documents are swapped, and neither is right by itself. Standard error times shift,
:math:`M`, takes the spread of equal systems for that of systems that differ; but the variance of
an answer falls with the difference, from q to :math:`q - \delta^2`. So with d the observed difference

.. math:: \delta^2 = M^2\, \frac{q - \delta^2}{q - d^2} .

Where :math:`\delta` would reach q, all discordant answers are won, no document speaks against the system,
and the swap test rejects if and only if so many documents differ that all their signs agreeing is
rare enough. Whatever the difference, that many must differ, of the G documents of which a share r
has a discordant answer at discordance q. Standard error times shift knows neither: with 20 documents of five answers its
difference was found in .95 of cases, with 20 wholly dependent ones in .58.

References
----------
McNemar (1947), "Note on the sampling error of the difference between correlated proportions or
percentages", Psychometrika 12(2), 153–157.
"""

import functools
import math

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.sign_test import critical_losses
from detectable.kernels.distributions.binomial import binomial_at_most
from detectable.kernels.roots import bracketed_root

_SPREADS = 7.5  # standard deviations of the number of discordant items that are summed over
_ROUNDING = 1e-9
_EXACT = 1e-4  # relative: a detectable difference is an estimate anyway


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
        lambda chance: 1.0 - power - binomial_at_most(least - 1, n_units, chance), 0.0, 1.0
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
