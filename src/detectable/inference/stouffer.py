"""Several tests of one claim, made into one: Stouffer's method, with the signs kept."""

from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike
from detectable.kernels.distributions.normal import normal_below, normal_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedTest:
    """One standard normal statistic made of several."""

    z: float  # positive where most speak for the first
    p_greater: float
    p_two_sided: float


def stouffer(z_values: ArrayLike, *, weights: ArrayLike | None = None) -> CombinedTest:
    r"""Combine signed z statistics of independent tests.

    .. math:: Z = \frac{\sum_k w_k z_k}{\sqrt{\sum_k w_k^2}}

    Effects of opposite sign cancel, as they should: two domains that disagree are no evidence
    for either system. Combining two-sided p-values instead (`unsigned_stouffer`) adds them up.

    Parameters
    ----------
    z_values : array_like
        One standardised statistic per part of the data, all with the same orientation.
    weights : array_like, optional
        Default: every part counts alike.

    References
    ----------
    Stouffer, Suchman, DeVinney, Star and Williams (1949), The American Soldier, vol. 1,
    Princeton University Press, p. 45.

    Examples
    --------
    >>> round(stouffer([1.5, 1.2, 0.8]).p_two_sided, 4)
    0.0433
    >>> stouffer([2.0, -2.0]).p_two_sided
    1.0
    """
    z = check.vector(z_values, "z_values")
    w = np.ones_like(z) if weights is None else check.vector(weights, "weights")
    if w.shape != z.shape or (w < 0.0).any() or not w.any():
        raise InputError(
            "`weights` must be one number ≥ 0 per statistic, not all 0; "
            f"got {w.tolist()} for {z.size}."
        )
    combined = float(w @ z / np.sqrt(w @ w))
    return CombinedTest(
        z=combined,
        p_greater=normal_below(-combined),
        p_two_sided=min(1.0, 2.0 * normal_below(-abs(combined))),
    )


def unsigned_stouffer(p_two_sided: ArrayLike) -> float:
    r"""Return the p-value that WMT24 made of two-sided p-values of several domains.

    :math:`Z = \sum_k \Phi^{-1}(1 - p_k) / \sqrt{K}`, :math:`p = 1 - \Phi(Z)`. The direction is
    lost: a domain in which the first system wins and one in which it loses add up. It is here
    to repeat published numbers; `stouffer` is the method to use.

    Examples
    --------
    >>> round(unsigned_stouffer([0.0455, 0.0455]), 4)  # z of +2 in one domain, −2 in the other
    0.0084
    """
    p = check.vector(p_two_sided, "p_two_sided")
    z = np.array([-normal_quantile(one) for one in np.clip(p, 1e-300, 1.0 - 1e-16).tolist()])
    return normal_below(float(-z.sum() / np.sqrt(z.size)))
