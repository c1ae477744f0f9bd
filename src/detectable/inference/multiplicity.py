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
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.standard_errors import Estimate
from detectable.inference.swaps import ROUNDING
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


class CombinedTest(NamedTuple):
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


# --- Several tests at once: adjusted p-values, and which systems differ significantly ---

# Draws of m differences that belong together: a table (R, m), or what gives one column of it, for
# the draws of all pairs of many systems need not lie in memory side by side.
Null: TypeAlias = FloatArray | Callable[[int], FloatArray]


def holm(p_values: FloatArray) -> FloatArray:
    r"""Return Holm's step-down adjusted p-values.

    :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`. It needs no
    assumption about dependence between the tests [1]_.

    References
    ----------
    .. [1] Holm (1979), "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6(2), 65–70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    adjusted = np.empty_like(p_values)
    adjusted[order] = stepped
    return adjusted


def max_t(observed: FloatArray, null: Null, *, slack: FloatArray | None = None) -> FloatArray:
    r"""Return step-down max-T adjusted p-values from a joint null distribution.

    Differences are divided by the standard deviation of their own null distribution, so
    that metrics on different scales can share one maximum. Hypotheses are ordered by
    :math:`|T|`; the i-th is compared with the maximum over itself and all less extreme ones
    [1]_. Correlated tests (several metrics, one baseline) cost less than with Holm.

    Parameters
    ----------
    observed : array of shape (m,)
        Differences.
    null : array of shape (R, m), or callable
        The same differences under random swaps that all m share; a callable gives those of one
        difference, by its position.
    slack : array of shape (m,), optional
        Differences that are closer than this are ties, as in the test that drew `null`. By
        default 1e-10 of the statistic, or of a standard deviation where it is smaller.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.
    """
    column = _column_of(null)
    spread = np.array([column(i).std() for i in range(observed.size)])
    known = spread > 0
    scale = np.where(known, spread, 1.0)
    statistic = np.where(known, np.abs(observed) / scale, 0.0)
    room = ROUNDING * np.maximum(1.0, statistic)
    if slack is not None:
        room = np.maximum(room, slack / scale)
    order = np.argsort(-statistic, kind="stable")
    # At column i: the largest statistic among hypothesis i and all that are less extreme.
    largest = np.zeros(column(0).size)
    p = np.empty(observed.size)
    for rank, i in reversed(list(enumerate(order.tolist()))):
        if known[i]:
            np.maximum(largest, np.abs(column(i)) / scale[i], out=largest)
        p[rank] = ((largest >= statistic[i] - room[i]).sum() + 1.0) / (largest.size + 1.0)
    adjusted = np.empty_like(statistic)
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted


def max_t_threshold(null: Null, alpha: float, *, size: int | None = None) -> float:
    """Return the value that the largest of all standardised statistics exceeds with chance α.

    `size` says how many there are, where `null` is a callable.
    """
    column = _column_of(null)
    n = len(null.T) if isinstance(null, np.ndarray) else size or 0
    spread = [float(column(i).std()) for i in range(n)]
    varies = [i for i in range(n) if spread[i] > 0]
    if not varies:
        return float("nan")
    largest = np.zeros(column(0).size)
    for i in varies:
        np.maximum(largest, np.abs(column(i)) / spread[i], out=largest)
    return float(np.quantile(largest, 1.0 - alpha))


def _column_of(null: Null) -> Callable[[int], FloatArray]:
    """Return what gives one column of the draws."""
    return null.T.__getitem__ if isinstance(null, np.ndarray) else null


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    r"""Return Benjamini-Hochberg adjusted p-values, in the order given.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\bigl(1, \tfrac{m}{j}\, p_{(j)}\bigr)

    Calling everything with :math:`\tilde p \le \alpha` a discovery keeps the expected share of
    false ones among them below :math:`\alpha`, if the tests are independent or positively
    dependent [1]_.

    References
    ----------
    .. [1] Benjamini and Hochberg (1995), "Controlling the false discovery rate", Journal of the
       Royal Statistical Society B 57(1), 289–300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    p = check.vector(p_values, "p_values")
    outside = (p < 0.0) | (p > 1.0)
    if outside.any():
        raise InputError(f"`p_values` must lie between 0 and 1; got {p[outside][0]}.")
    m = p.size
    descending = np.argsort(-p, kind="stable")
    scaled = p[descending] * (m / np.arange(m, 0, -1))  # never below p, to the last bit
    adjusted = np.empty_like(p)
    adjusted[descending] = np.minimum(1.0, np.minimum.accumulate(scaled))
    return adjusted


# --- Rank groups: which systems differ significantly ---


def rank_groups(order: list[int], better: NDArray[np.bool_]) -> list[list[int]]:
    """Split an ordered list of systems where everyone above beats everyone below.

    Parameters
    ----------
    order : list of int
        Systems from best to worst.
    better : array of shape (systems, systems)
        ``better[i, j]``: system i is significantly better than system j.

    Examples
    --------
    >>> beats = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> rank_groups([0, 1, 2], beats)
    [[0, 1], [2]]
    """
    groups: list[list[int]] = [[]]
    for position, system in enumerate(order):
        above, below = order[:position], order[position:]
        if above and all(better[i, j] for i in above for j in below):
            groups.append([])
        groups[-1].append(system)
    return groups
