"""The exact power of Tango's tests of a margin, without a sum over all tables."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.paired_shares import tango_z
from detectable.kernels.distributions.normal import normal_quantile
from detectable.planning.sign_power import decided_counts


@dataclass(frozen=True, slots=True)
class MarginPower:
    """The chance of a claim, and the mean difference among the claims (0 without any)."""

    power: float
    mean: float


def margin_power(
    n_items: int, win: float, loss: float, *, margin: float, alpha: float, both: bool
) -> MarginPower:
    r"""Add up the chances of all tables in which a margin is shown.

    Of n items, :math:`m \sim \text{Bin}(n, w + l)` are decided, and of those :math:`b \sim
    \text{Bin}(m, w / (w + l))` are won. Tango's statistic grows with b, so that with m decided
    items «not worse» is claimed from some :math:`b_m` on, «equivalent» up to
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
    """Return for each number of decided items the fewest wins that show «not worse».

    One more than there are decided items where not even winning all of them would do.
    """
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
