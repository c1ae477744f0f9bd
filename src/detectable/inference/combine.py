r"""Several strata with an estimate or a test each, made into one.

.. math::

    \theta = \sum_t w_t \theta_t, \qquad s^2 = \sum_t w_t^2 s_t^2, \qquad
    \text{df} = \frac{(\sum_t v_t)^2}{\sum_t v_t^2 / \text{df}_t}, \quad v_t = w_t^2 s_t^2,

with the degrees of freedom of Welch [1]_ and Satterthwaite [2]_. The strata are fixed: the spread
between them is no error, because the claim is about these tasks. Of tasks that stand for others
like them, the spread is the error, :math:`s = \operatorname{sd}(\theta_t) / \sqrt T` with T − 1
degrees of freedom, whatever was measured within.

References
----------
.. [1] Welch (1947), "The generalization of Student's problem when several different population
   variances are involved", Biometrika 34, 28–35.
.. [2] Satterthwaite (1946), "An approximate distribution of estimates of variance components",
   Biometrics Bulletin 2, 110–114.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.standard_errors import Estimate
from detectable.kernels.distributions import normal_below, normal_quantile


def fixed_strata(
    estimates: Sequence[Estimate], weights: FloatArray, *, shared: float = 0.0
) -> Estimate:
    """Return the weighted mean of strata that are all there is.

    Parameters
    ----------
    estimates : sequence of Estimate
        Of every stratum.
    weights : array
        They add up to 1.
    shared : float
        What clusters that several strata share (one document in two languages) add to the
        variance: twice the sum of products of what a cluster adds to each of two strata.

    Examples
    --------
    >>> found = fixed_strata([Estimate(0.5, 0.02, 999), Estimate(0.7, 0.06, 49)], np.full(2, 0.5))
    >>> round(found.value, 3), round(found.standard_error, 6), round(found.df, 1)
    (0.6, 0.031623, 60.5)
    """
    value = float(sum(w * one.value for w, one in zip(weights, estimates, strict=True)))
    parts = np.array(
        [w**2 * one.standard_error**2 for w, one in zip(weights, estimates, strict=True)]
    )
    df = np.array([one.df for one in estimates])
    total = float(parts.sum())
    if not total > 0.0 or np.isnan(total):
        return Estimate(value, math.sqrt(total) if total == 0.0 else math.nan, float(df.min()))
    used = parts > 0.0
    freedom = total**2 / float((parts[used] ** 2 / df[used]).sum())
    # A shared cluster that helps one stratum and harms another may take nearly all away: chance.
    variance = max(total + shared, float(parts.max()))
    return Estimate(value, math.sqrt(variance), freedom)


def random_strata(values: FloatArray) -> Estimate:
    """Return the mean of strata that are a sample of others like them.

    Examples
    --------
    >>> round(random_strata(np.array([0.1, 0.2, 0.3, 0.2, 0.2])).standard_error, 6)
    0.031623
    """
    n = values.size
    error = float(values.std(ddof=1)) / math.sqrt(n)
    return Estimate(float(values.mean()), error, n - 1.0)


# --- Several tests of one claim, made into one: Stouffer's method, with the signs kept ---


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
