"""Tests of one comparison: exact sign test, Mann-Whitney, Wilcoxon."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.kernels.distributions import binomial_at_most, normal_below, normal_quantile

_ROUNDING = 1e-12  # relative: a tail that equals alpha/2 up to this counts as equal
_SMALLEST_TABLE = 4096
_LARGEST_TABLE = 1 << 17  # larger numbers of decided items are computed, not remembered


def sign_test_p(wins: ArrayLike, losses: ArrayLike) -> FloatArray:
    r"""Return two-sided p-values of “a win is as likely as a loss”, over any shape.

    .. math:: p = \min(1, 2 P(X \le \min(W, L))), \qquad X \sim \text{Bin}(W + L, 1/2)

    Items without a decision do not count. With W and L the items that only one of two systems
    answers correctly, this is McNemar's exact test [1]_.

    Parameters
    ----------
    wins, losses : array_like of int
        Items won and lost.

    References
    ----------
    .. [1] McNemar (1947), "Note on the sampling error of the difference between correlated
       proportions or percentages", Psychometrika 12(2), 153–157.

    Examples
    --------
    >>> sign_test_p([8, 5], [1, 5]).round(4).tolist()
    [0.0391, 1.0]
    """
    from scipy.special import bdtr  # scipy.stats would triple the start-up time

    won, lost = np.asarray(wins, dtype=np.int64), np.asarray(losses, dtype=np.int64)
    tail = bdtr(np.minimum(won, lost).astype(np.float64), won + lost, 0.5)
    p_values: FloatArray = np.minimum(1.0, 2.0 * tail)
    return p_values


def critical_losses(low: int, high: int, alpha: float) -> IntArray:
    """Return for `low`, …, `high` decided items the most losses that are still significant.

    −1 where no result can be significant. The numbers only grow, by 0 or 1 at a time.
    """
    if high < _LARGEST_TABLE:
        size = max(_SMALLEST_TABLE, 1 << high.bit_length())
        return _table(size, alpha)[low : high + 1]
    return _critical(np.arange(low, high + 1), alpha)


@functools.lru_cache(maxsize=32)
def _table(size: int, alpha: float) -> IntArray:
    found = _critical(np.arange(size), alpha)
    found.setflags(write=False)
    return found


def _critical(decided: IntArray, alpha: float) -> IntArray:
    r"""Return the critical numbers by a normal approximation, and exactly where it is in doubt.

    With :math:`z = z_{\alpha/2}`, the tail of Bin(m, ½) equals α/2 at the real number
    :math:`m/2 - 1/2 + (\sqrt m/2)(z - (z^3 - z)/(12 m))`, up to terms in :math:`z^5 m^{-3/2}`
    (Edgeworth's expansion, for a lattice). Only where that falls next to a whole number is the
    distribution function itself needed.
    """
    z = normal_quantile(0.5 * alpha)
    m = np.maximum(decided, 1)
    place = 0.5 * decided - 0.5 + 0.5 * np.sqrt(m) * (z - (z**3 - z) / (12.0 * m))
    losses = np.clip(np.floor(place), -1, decided).astype(np.int64)
    doubt = (5.0 + abs(z) ** 5) / m**1.5
    unsure = np.flatnonzero((np.abs(place - np.round(place)) <= doubt) | (decided < 100))
    losses[unsure] = _exact(decided[unsure], losses[unsure], alpha)
    return losses


def _exact(decided: IntArray, losses: IntArray, alpha: float) -> IntArray:
    """Return the critical numbers, starting from a guess that is one or two off at most."""
    limit = 0.5 * alpha * (1.0 + _ROUNDING)
    while True:
        below = losses >= 0
        too_many = below & (_at_most(np.where(below, losses, 0), decided) > limit)
        if not too_many.any():
            break
        losses = losses - too_many
    while True:
        more = _at_most(np.minimum(losses + 1, decided), decided) <= limit
        if not more.any():
            return losses
        losses = losses + more


def _at_most(losses: IntArray, decided: IntArray) -> FloatArray:
    """Return the chance of at most so many losses, of fair coins."""
    pairs = zip(losses.tolist(), decided.tolist(), strict=True)
    return np.array([binomial_at_most(k, m, 0.5) for k, m in pairs])


# --- Rank tests of one comparison: Mann-Whitney for two samples, Wilcoxon for paired differences ---

_STEP = 0.5  # of the continuity correction: half the distance of two sums of ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTest:
    r"""A rank statistic, standardised.

    Attributes
    ----------
    z : float
        Without continuity correction; positive where the first sample is higher.
    z_corrected : float
        Moved half a step towards zero, from which the p-values are made.
    probability : float
        For two samples P(first > second) + ½ P(equal); for differences the same of their sign.
    effect, standard_error : float
        What the ranks estimate, 0 without a difference, and its error then; z is their ratio.
        For two samples `probability` − ½, for differences the rank-biserial correlation
        :math:`(T_+ - T_-) / \sum r_i`. The error is infinite where all values are equal.
    """

    z: float
    z_corrected: float
    p_greater: float
    p_two_sided: float
    probability: float
    effect: float
    standard_error: float
    n: tuple[int, int]  # sizes of the samples; for differences, all and those that are not zero


def rank_sum(first: ArrayLike, second: ArrayLike) -> RankTest:
    r"""Test whether one of two independent samples tends to be higher (Mann-Whitney).

    With :math:`U = \#\{x > y\} + \tfrac12 \#\{x = y\}` and groups of :math:`t_k` equal values,

    .. math:: z = \frac{U - nm/2}{s}, \qquad
              s^2 = \frac{nm}{12} \Bigl(N + 1 - \frac{\sum_k t_k^3 - t_k}{N (N - 1)}\Bigr).

    The p-values are those of R's ``wilcox.test(exact = FALSE)`` and of scipy's
    ``mannwhitneyu(method="asymptotic")``: continuity- and tie-corrected. They are what WMT
    publishes. One-sided, the correction is half a step towards a larger p.

    References
    ----------
    Mann and Whitney (1947), "On a test of whether one of two random variables is stochastically
    larger than the other", Annals of Mathematical Statistics 18(1), 50–60.

    Examples
    --------
    >>> test = rank_sum([1, 2, 3, 4], [0, 1, 2, 2])
    >>> round(test.probability, 3), round(test.p_two_sided, 4)
    (0.781, 0.2338)
    """
    x, y = check.vector(first, "first"), check.vector(second, "second")
    n, m = x.size, y.size
    total = n + m
    values, inverse, sizes = np.unique(
        np.concatenate([x, y]), return_inverse=True, return_counts=True
    )
    del values
    ranks = np.cumsum(sizes) - (sizes - 1.0) / 2.0
    u = float(ranks[inverse[:n]].sum()) - n * (n + 1.0) / 2.0
    cubes = float((sizes.astype(np.float64) ** 3 - sizes).sum())
    variance = n * m / 12.0 * (total + 1.0 - cubes / (total * (total - 1.0)))
    return _rank_test(u - n * m / 2.0, variance, n * m, u / (n * m), (n, m))


def signed_rank(differences: ArrayLike) -> RankTest:
    r"""Test whether paired differences tend to lie on one side of zero (Wilcoxon, Pratt).

    All differences are ranked by size, zeros included; then the zeros are dropped [1]_. With
    ranks :math:`r_i` of the others,

    .. math:: z = \frac{\sum_{d_i > 0} r_i - \tfrac12 \sum r_i}{s}, \qquad
              s^2 = \tfrac14 \sum r_i^2.

    Given the ranks this variance is exact. Identical outputs of two systems make zeros in a
    quarter of the segments; dropping them first (Wilcoxon's own rule) would rank the small
    differences too low. The p-values are those of scipy's
    ``wilcoxon(zero_method="pratt", correction=True, method="asymptotic")``.

    References
    ----------
    .. [1] Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed rank procedures",
       Journal of the American Statistical Association 54, 655–667.

    Examples
    --------
    >>> round(signed_rank([3, -1, 4, 0, 5, 2]).p_two_sided, 4)
    0.1138
    """
    d = check.vector(differences, "differences")
    ranks = pratt_ranks(d)
    centred = 0.5 * float((ranks * np.sign(d)).sum())
    wins = float((d > 0.0).sum() + 0.5 * (d == 0.0).sum())
    apart = int((d != 0.0).sum())
    variance = float((ranks * ranks).sum()) / 4.0
    scale = 0.5 * float(ranks.sum())
    return _rank_test(centred, variance, scale, wins / d.size, (d.size, apart))


def pratt_ranks(differences: FloatArray) -> FloatArray:
    """Return the ranks of sizes, zeros ranked with the others and then set to 0.

    Examples
    --------
    >>> pratt_ranks(np.array([0.0, -2.0, 2.0, 5.0])).tolist()
    [0.0, 2.5, 2.5, 4.0]
    """
    _, inverse, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1.0) / 2.0)[inverse]
    return np.where(differences == 0.0, 0.0, ranks)


def _rank_test(
    centred: float, variance: float, scale: float, probability: float, n: tuple[int, int]
) -> RankTest:
    """Standardise a statistic with mean zero; `scale` turns it into the effect."""
    if variance <= 0.0:  # all values equal: nothing speaks for either side
        return RankTest(
            z=0.0,
            z_corrected=0.0,
            p_greater=0.5,
            p_two_sided=1.0,
            probability=0.5,
            effect=0.0,
            standard_error=math.inf,
            n=n,
        )
    spread = math.sqrt(variance)
    corrected = math.copysign(max(abs(centred) - _STEP, 0.0), centred) / spread
    # One-sided, the correction always moves against the claim, as in R and scipy.
    greater = normal_below(-(centred - _STEP) / spread)
    return RankTest(
        z=centred / spread,
        z_corrected=corrected,
        p_greater=greater,
        p_two_sided=min(1.0, 2.0 * normal_below(-abs(corrected))),
        probability=probability,
        effect=centred / scale,
        standard_error=spread / scale,
        n=n,
    )
