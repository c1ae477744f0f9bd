"""Agreement of raters beyond chance: Krippendorff's alpha, kappa, AC1, marked errors; what a judge hides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import AgreementLevel
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.distributions import normal_quantile


@dataclass(frozen=True, slots=True)
class AlphaSums:
    r"""What alpha is made of, one row per unit (or cluster of units).

    With :math:`m_u` values of unit u and n values in all (units with one value do not count),

    .. math::

        \alpha = 1 - \frac{D_o}{D_e}, \quad
        D_o = \frac1n \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta^2(v_{ui}, v_{uj}), \quad
        D_e = \frac{1}{n(n-1)} \sum_{a \ne b} \delta^2(v_a, v_b).

    This is the definition by the coincidence matrix, with its sums done first. For interval
    data sums of squared differences are sums of squares: :math:`\sum_{i \ne j} (v_i - v_j)^2 =
    2 m \sum_i (v_i - \bar v)^2`. Ordinal distances are differences of mid-ranks, so ordinal
    alpha is interval alpha of mid-ranks. For nominal data, pairs that differ are
    :math:`m^2 - \sum_c m_c^2`.

    Attributes
    ----------
    values : array
        Number of values.
    disagreement : array
        :math:`\sum_{i \ne j} \delta^2 / (m_u - 1)`.
    margin : array of shape (units, columns)
        Interval and ordinal: sum and sum of squares. Nominal: counts of the categories.
    nominal : bool
        Which of the two.
    """

    values: FloatArray
    disagreement: FloatArray
    margin: FloatArray
    nominal: bool

    def alpha(self) -> float:
        """Return alpha of all units."""
        return float(_alpha(self._columns().sum(axis=0)[None, :], self.nominal)[0])

    def without_each(self) -> FloatArray:
        """Return alpha without one unit (or cluster), for each of them.

        Mid-ranks stay those of the whole sample.
        """
        columns = self._columns()
        return _alpha(columns.sum(axis=0) - columns, self.nominal)

    def _columns(self) -> FloatArray:
        return np.column_stack([self.values, self.disagreement, self.margin])


def alpha_without_raters(
    values: FloatArray, unit: IntArray, rater: IntArray, *, level: AgreementLevel
) -> FloatArray:
    """Return alpha without one rater, for each of those who share a unit with another.

    Only the units of a rater are added up anew. Mid-ranks stay those of the whole sample.

    Parameters
    ----------
    values, unit, rater : array
        As of `alpha_sums`; one value per unit and rater.
    """
    pairable = np.bincount(unit)[unit] > 1
    values, unit, rater = values[pairable], unit[pairable], rater[pairable]
    order = np.argsort(unit, kind="stable")
    unit, rater = np.unique(unit[order], return_inverse=True)[1], rater[order]
    numbers = _numbers(values[order], level)
    nominal = level == "nominal"
    width = int(numbers.max()) + 1 if nominal else 0
    size = np.bincount(unit)
    start = np.cumsum(size) - size

    def sums(rows: IntArray) -> FloatArray:
        own = np.unique(unit[rows], return_inverse=True)[1]
        several = np.bincount(own)[own] > 1 if rows.size else np.zeros(0, dtype=bool)
        kept: AlphaSums = _sums(
            numbers[rows][several], np.unique(own[several], return_inverse=True)[1], width
        )
        return np.asarray(kept._columns().sum(axis=0))

    whole = sums(np.arange(unit.size))
    left = []
    for one in np.unique(rater):
        seen = unit[rater == one]
        first = np.repeat(start[seen] - np.cumsum(size[seen]) + size[seen], size[seen])
        rows = first + np.arange(int(size[seen].sum()))
        left.append(whole - sums(rows) + sums(rows[rater[rows] != one]))
    return _alpha(np.array(left), nominal)


def _alpha(sums: FloatArray, nominal: bool) -> FloatArray:  # noqa: FBT001 (private)
    n, disagreement, margin = sums[:, 0], sums[:, 1], sums[:, 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        if nominal:
            pairs = np.square(n) - np.square(margin).sum(axis=1)
        else:
            pairs = 2.0 * (n * margin[:, 1] - np.square(margin[:, 0]))
        expected = pairs / (n * (n - 1.0))
        # Where all values are the same, nothing could have disagreed: not a number.
        return 1.0 - np.where(expected > 0.0, disagreement / n / expected, np.nan)


def alpha_sums(
    values: FloatArray,
    unit: IntArray,
    *,
    level: AgreementLevel,
    cluster: IntArray | None = None,
) -> AlphaSums:
    """Return the sums behind Krippendorff's alpha.

    Parameters
    ----------
    values : array
        One per unit and rater who judged it; missing ones are simply not there.
    unit : array of int
        What was judged.
    level : {'interval', 'ordinal', 'nominal'}
        How values are compared.
    cluster : array of int, optional
        The cluster of each value, by which sums are added up; a unit lies in one cluster.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability", University of
    Pennsylvania; Krippendorff (2004), Content Analysis, chapter 11.

    Examples
    --------
    >>> scores, units = np.array([1.0, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2, 2])
    >>> alpha_sums(scores, units, level="nominal").alpha()
    1.0
    """
    size = np.bincount(unit)
    pairable = size[unit] > 1
    values, unit = values[pairable], unit[pairable]
    cluster = unit if cluster is None else cluster[pairable]
    _, unit = np.unique(unit, return_inverse=True)
    _, cluster = np.unique(cluster, return_inverse=True)
    width = np.unique(values).size if level == "nominal" else 0
    return _sums(_numbers(values, level), unit, width, cluster)


def _numbers(values: FloatArray, level: AgreementLevel) -> FloatArray:
    """Return what is compared: codes of categories, mid-ranks, or scores about their mean."""
    if level == "nominal":
        return np.unique(values, return_inverse=True)[1].astype(np.float64)
    return midranks(values) if level == "ordinal" else values - values.mean()


def _sums(
    numbers: FloatArray, unit: IntArray, width: int, cluster: IntArray | None = None
) -> AlphaSums:
    """Return the sums of units with two values or more; `width` categories, 0 if not nominal."""
    cluster = unit if cluster is None else cluster
    size = np.bincount(unit)
    n_clusters = int(cluster.max()) + 1 if cluster.size else 0
    home = np.zeros(size.size, np.int64)
    home[unit] = cluster
    if width:
        code = numbers.astype(np.int64)
        cell, counts = np.unique(unit * width + code, return_counts=True)
        same = np.bincount(cell // width, np.square(counts.astype(np.float64)), size.size)
        disagreement = (np.square(size.astype(np.float64)) - same) / (size - 1.0)
        counted = np.bincount(cluster * width + code, minlength=n_clusters * width)
        margin = counted.reshape(n_clusters, width).astype(np.float64)
    else:
        off = numbers - (np.bincount(unit, numbers) / size)[unit]
        disagreement = 2.0 * size * np.bincount(unit, np.square(off)) / (size - 1.0)
        margin = np.column_stack(
            [
                np.bincount(cluster, part, minlength=n_clusters)
                for part in (numbers, np.square(numbers))
            ]
        )
    return AlphaSums(
        values=np.bincount(cluster, minlength=n_clusters).astype(np.float64),
        disagreement=np.bincount(home, disagreement, n_clusters).astype(np.float64),
        margin=margin,
        nominal=width > 0,
    )


def midranks(values: FloatArray) -> FloatArray:
    """Return ranks about their mean, equal values sharing the middle of theirs.

    Examples
    --------
    >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
    [0.5, -1.0, 0.5]
    """
    _, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    above = np.cumsum(counts)
    ranks: FloatArray = (above - (counts - 1) / 2.0)[code] - (values.size + 1) / 2.0
    return ranks


# --- Agreement of two raters beyond chance: Cohen's kappa and Gwet's AC1 ---


@dataclass(frozen=True, slots=True)
class ChanceAgreement:
    """Two raters on the same items, answers compared as same and not same."""

    share: float
    kappa: float  # NaN where both always give one and the same answer
    ac1: float
    ac1_error: float


def chance_agreement(first: FloatArray, second: FloatArray) -> ChanceAgreement:
    r"""Return the share of equal answers, Cohen's κ and Gwet's AC1 with its standard error.

    Both are :math:`(p_a - p_e) / (1 - p_e)`, with :math:`p_e = \sum_k p_{1k} p_{2k}` for κ and
    :math:`p_e = \sum_k \pi_k (1 - \pi_k) / (q - 1)` for AC1, π the mean of both raters' shares of
    the q answers. Where almost all answers are one, κ is near 0 however often raters agree (118
    both yes, 5 and 2 apart, none both no: 94 % equal, κ −.02); AC1 is not.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20; Gwet (2008), "Computing inter-rater
    reliability and its variance in the presence of high agreement", British Journal of
    Mathematical and Statistical Psychology 61, 29–48 (the variance: equation for two raters).

    Examples
    --------
    >>> yes, no = np.ones(118), np.zeros(5)
    >>> one = np.concatenate([yes, np.ones(5), np.zeros(2)])
    >>> found = chance_agreement(one, np.concatenate([yes, no, np.ones(2)]))
    >>> round(found.share, 3), round(found.kappa, 4), round(found.ac1, 4)
    (0.944, -0.0234, 0.9408)
    """
    answers = np.unique(np.concatenate([first, second]))
    one, other = (values[:, None] == answers for values in (first, second))
    same = (first == second).astype(np.float64)
    share, n, q = float(same.mean()), first.size, answers.size
    if q < 2:
        return ChanceAgreement(share, math.nan, 1.0, math.nan)
    by_chance = float(one.mean(axis=0) @ other.mean(axis=0))
    kappa = (share - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else math.nan
    used = (one + other.astype(np.float64)) / 2.0
    mean = used.mean(axis=0)
    expected = float(mean @ (1.0 - mean)) / (q - 1)
    ac1 = (share - expected) / (1.0 - expected)
    own = used @ (1.0 - mean) / (q - 1)
    each = (same - expected) / (1.0 - expected)
    each -= 2.0 * (1.0 - ac1) * (own - expected) / (1.0 - expected)
    error = math.sqrt(float(np.square(each - ac1).sum()) / (n * (n - 1))) if n > 1 else math.nan
    return ChanceAgreement(share, float(kappa), float(ac1), error)


# --- The share of right answers behind what a judge says, by its sensitivity and specificity ---
#
# With p the share that the judge calls right, se that of right answers which it calls right and sp
# that of wrong ones which it calls wrong, the share is :math:`\theta = (p + sp - 1) / (se + sp - 1)`
# [1]_. All three are estimated, on samples of their own.
#
# References
# ----------
# .. [1] Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test",
# American Journal of Epidemiology 107(1), 71–76.
# .. [2] Lang and Reiczigel (2014), "Confidence limits for prevalence of disease adjusted for estimated
# sensitivity and specificity", Preventive Veterinary Medicine 113(1), 13–22; for judges of
# language models Lee et al. (2025), arXiv:2511.21140.
# .. [3] Agresti and Caffo (2000), "Simple and effective confidence intervals for proportions and
# differences of proportions result from adding two successes and two failures", The American
# Statistician 54(4), 280–288.


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """What a judge says of some items, and how it errs on labelled ones.

    Attributes
    ----------
    judged, sensitivity, specificity : float
        Shares: called right here; of right answers, called right; of wrong ones, called wrong.
    n_pool, n_right, n_wrong : float
        How many items each of them is a share of.
    """

    judged: float
    sensitivity: float
    specificity: float
    n_pool: float
    n_right: float
    n_wrong: float

    @property
    def power(self) -> float:
        """How far the judge tells right from wrong: se + sp − 1, 0 for a coin."""
        return self.sensitivity + self.specificity - 1.0

    @property
    def share(self) -> float:
        """The corrected share, which may lie outside of [0, 1].

        Examples
        --------
        >>> round(JudgedShare(0.69, 0.9, 0.8, 5000, 140, 60).share, 6)
        0.7
        """
        return (self.judged + self.specificity - 1.0) / self.power

    @property
    def _label_variances(self) -> tuple[float, float]:
        """Those of sensitivity and specificity."""
        se, sp = self.sensitivity, self.specificity
        return se * (1.0 - se) / self.n_right, sp * (1.0 - sp) / self.n_wrong

    def power_interval(self, level: float) -> Interval:
        """Return the interval of Agresti and Caffo [3]_ for `power`; a coin is below it or in it.

        Examples
        --------
        >>> found = JudgedShare(0.5, 0.9, 0.8, 1000, 20, 10).power_interval(0.95)
        >>> round(found.low, 3), round(found.high, 3)
        (0.33, 0.898)
        """
        z = normal_quantile(0.5 + 0.5 * level)
        more = self._with_more(0.0)
        half = z * math.sqrt(sum(more._label_variances))
        return Interval(more.power - half, more.power + half, level)

    def _with_more(self, items: float) -> "JudgedShare":
        """Add a right and a wrong answer of the judge to either kind of label, and some items."""
        return JudgedShare(
            judged=(self.n_pool * self.judged + 0.5 * items) / (self.n_pool + items),
            sensitivity=(self.n_right * self.sensitivity + 1.0) / (self.n_right + 2.0),
            specificity=(self.n_wrong * self.specificity + 1.0) / (self.n_wrong + 2.0),
            n_pool=self.n_pool + items,
            n_right=self.n_right + 2.0,
            n_wrong=self.n_wrong + 2.0,
        )

    @property
    def standard_error(self) -> float:
        r"""By the delta method.

        .. math:: Var = \frac{p(1-p)/N + (1-\theta)^2 sp(1-sp)/n_0 + \theta^2 se(1-se)/n_1}
                  {(se + sp - 1)^2}

        Examples
        --------
        >>> round(JudgedShare(0.69, 0.9, 0.8, 5000, 140, 60).standard_error, 6)
        0.034928
        """
        of_se, of_sp = self._label_variances
        own = self.judged * (1.0 - self.judged) / self.n_pool
        variance = own + (1.0 - self.share) ** 2 * of_sp + self.share**2 * of_se
        return math.sqrt(variance) / abs(self.power)

    def interval(self, level: float) -> Interval:
        r"""Return the interval of Lang and Reiczigel [2]_, which may reach beyond [0, 1].

        To either kind of label one that the judge calls right and one that it calls wrong are added,
        and z² items, half of them called right. With the share θ', its standard error s' and the variances of se' and sp' from
        these,

        .. math:: \theta' + 2 z^2 [\theta' Var(se') - (1 - \theta') Var(sp')] \pm z s'.

        A bootstrap over the three samples is too short where labels are few, and so are ± z standard
        errors near 0 and 1. Only for judges shown to be better than a coin (`power_interval`).

        Examples
        --------
        >>> found = JudgedShare(0.4, 0.9, 0.7, 1000, 200, 200).interval(0.95)
        >>> round(found.low, 4), round(found.high, 4)
        (0.0564, 0.2627)
        """
        z = normal_quantile(0.5 + 0.5 * level)
        more = self._with_more(z**2)
        of_se, of_sp = more._label_variances
        middle = more.share + 2.0 * z**2 * (more.share * of_se - (1.0 - more.share) * of_sp)
        half = z * more.standard_error
        return Interval(middle - half, middle + half, level)


# --- Errors that two raters marked in the same text ---

Marked = tuple[int, int, str]
"""Where an error begins and ends (in letters, the end exclusive), and how bad it is."""


def marked_letters(one: Sequence[Marked], other: Sequence[Marked]) -> tuple[int, int, int, int]:
    """Return the letters that each marked, those of both, and those of both as equally bad.

    A letter that somebody marked twice counts once, as bad as its last mark.

    Examples
    --------
    >>> marked_letters([(0, 4, "minor")], [(2, 6, "minor"), (8, 9, "major")])
    (4, 5, 2, 2)
    """
    first, second = (
        {n: severity for start, end, severity in marks for n in range(start, end)}
        for marks in (one, other)
    )
    both = first.keys() & second.keys()
    return len(first), len(second), len(both), sum(first[n] == second[n] for n in both)


def dissimilarity(one: Marked, other: Marked) -> float:
    r"""Return how far two marks are apart: 1 costs as much as a mark without a partner.

    .. math:: d(u, v) = \left(\frac{|s_u - s_v| + |e_u - e_v|}
        {(e_u - s_u) + (e_v - s_v)}\right)^2 + [c_u \ne c_v]

    with start s, end e and severity c.

    References
    ----------
    Mathet, Widlöcher and Métivier (2015), "The unified and holistic method gamma (γ) for
    inter-annotator agreement measure and alignment", Computational Linguistics 41(3), 437–479: the
    positional and the categorial dissimilarity, added with weights of 1.

    Examples
    --------
    >>> dissimilarity((1, 5, "minor"), (2, 6, "minor")), dissimilarity((6, 8, "a"), (7, 8, "b"))
    (0.0625, 1.1111111111111112)
    """
    apart = abs(one[0] - other[0]) + abs(one[1] - other[1])
    return (apart / (one[1] - one[0] + other[1] - other[0])) ** 2 + (one[2] != other[2])


def disorder(one: Sequence[Marked], other: Sequence[Marked]) -> float:
    """Return the cost of the best alignment: what pairs are apart, and 1 for every mark alone.

    It is a problem of assignment, solved exactly: with two raters an alignment is a matching.
    """
    n, m = len(one), len(other)
    if not n or not m:
        return float(n + m)
    if n == m == 1:
        return min(dissimilarity(one[0], other[0]), 2.0)
    from scipy.optimize import linear_sum_assignment

    # What two marks cost beyond being alone each: only pairs that save something are matched.
    saved = np.array([[min(dissimilarity(u, v) - 2.0, 0.0) for v in other] for u in one])
    rows, columns = linear_sum_assignment(saved)
    return float(n + m + saved[rows, columns].sum())
