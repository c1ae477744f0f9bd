"""The power of a one-sided t test of a margin, and the data that it needs."""

import math

from detectable.inference.delta import Estimate, shift_beyond
from detectable.kernels.distributions.noncentral import noncentral_t_below
from detectable.kernels.distributions.student import t_quantile
from detectable.kernels.roots import bracketed_root


def non_inferiority_power(found: Estimate, margin: float, *, alpha: float) -> float:
    r"""Return the chance to show that an equal system is not worse by more than the margin.

    With the standard error s of the difference and its degrees of freedom, non-inferiority is
    shown where :math:`(\hat D + m) / s > t_{1-\alpha}`. If the systems are equal, the statistic is
    noncentral t with shift :math:`m / s`.

    Examples
    --------
    >>> round(non_inferiority_power(Estimate(0.0, 1.0, 99.0), 2.5, alpha=0.05), 3)
    0.799
    """
    if not (found.standard_error > 0.0 and found.df > 0.0):
        return math.nan
    critical = t_quantile(1.0 - alpha, found.df)
    return 1.0 - noncentral_t_below(critical, found.df, margin / found.standard_error)


def growth_for_margin(found: Estimate, margin: float, *, alpha: float, power: float) -> float:
    r"""Return how many times as much data shows the margin, if the systems are equal.

    With c times the documents, alike in size and spread, the error is :math:`s / \sqrt c` and the
    degrees of freedom are c times as many, and at least one. Below 1 where less data would do.

    Examples
    --------
    >>> round(growth_for_margin(Estimate(0.0, 1.0, 99.0), 1.25, alpha=0.05, power=0.8), 2)
    3.97
    """
    if not (found.standard_error > 0.0 and found.df > 0.0):
        return math.nan

    def excess(log_growth: float) -> float:
        growth = math.exp(log_growth)
        df = found.df * growth
        shift = shift_beyond(t_quantile(1.0 - alpha, df), df, power=power)
        return shift * found.standard_error / math.sqrt(growth) - margin

    low = high = -math.log(found.df)  # one degree of freedom is the least
    if excess(low) <= 0.0:
        return math.exp(low)
    while excess(high) > 0.0:
        high += 2.0
    return math.exp(bracketed_root(excess, low, high))
