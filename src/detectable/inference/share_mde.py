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
        win = max(0.5 * (share + difference), difference)
        loss = max(0.5 * (share - difference), 0.0)
        return _found(n_items, win, loss, level, critical) - power

    if lacking(1.0) < 0.0:
        return math.nan
    return float(brentq(lacking, 1e-12, 1.0, rtol=_EXACT))


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
