r"""Shares of right answers: Tango's score test of two systems, and Wilson's interval of one.

With b items that only the system gets right (“fixed”), c that only the baseline does (“broken”)
and n items in all, the difference of the two shares is :math:`d = (b - c)/n`. Where b and c are
few, d over its own standard error (Wald) claims a margin far too often: with no discordant item
the standard error is even 0. The score statistic takes the variance that the difference in
question, :math:`\delta`, would have [1]_:

.. math::

    z(\delta) = \frac{b - c - n\delta}{\sqrt{n(2q + \delta(1 - \delta))}}, \qquad
    q = \frac{\sqrt{B^2 - 8nC} - B}{4n},

with :math:`B = -b - c + (2n - b + c)\delta` and :math:`C = -c\,\delta(1 - \delta)`; q is the
maximum likelihood estimate, under δ, of the chance that only the baseline is right. Its limits
never leave [−1, 1]. The test is not exact: where one item more has just made a claim possible, a margin
is claimed wrongly in up to .07 of cases at a level of .05 (docs/calibration.md).

In clusters (documents, questions with several sampled answers) b, c and n are divided by a design
effect, and t replaces the normal distribution. The design effect is the ratio of the
cluster-robust variance to that of independent items [2]_, where one wholly dependent discordant
cluster of typical size s is added to both: with few discordant items their ratio alone says
nothing, and calling it 1 makes false claims. With :math:`D_g = b_g - c_g` and
:math:`h_g = n_g / n`,

.. math::

    \text{deff} = \frac{\sum_g (D_g - n_g d)^2 / (1 - h_g) + s^2}{b + c - n d^2 + s}, \qquad
    s = \sum_g n_g^2 / n,

at least 1 and at most s. Degrees of freedom are those of Bell and McCaffrey [3]_.

Of several sampled answers to one question no pair belongs together. The question counts as k pairs
of answers, of which :math:`k \hat p_B (1 - \hat p_A)` are expected to be right for the system alone
and :math:`k \hat p_A (1 - \hat p_B)` for the baseline alone, whatever the order of the answers; all
questions count alike, so k is the harmonic mean of their numbers of answers.

References
----------
.. [1] Tango (1998), "Equivalence test and confidence interval for the difference in proportions
   for the paired-sample design", Statistics in Medicine 17(8), 891–908.
.. [2] Rao and Scott (1992), "A simple method for the analysis of clustered binary data",
   Biometrics 48(2), 577–585, who divide counts by a design effect; the addition is ours.
.. [3] Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
   multi-stage samples", Survey Methodology 28(2), 169–181.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from detectable.core import check
from detectable.core.choices import Target
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.inference.standard_errors import Estimate, robust_variance, t_tail
from detectable.kernels.distributions import log_factorials, normal_quantile, t_quantile
from detectable.kernels.roots import bracketed_root

_PRIOR = 1.0  # discordant clusters added: a quarter was too few on fresh settings, see the docs


def tango_z(b: ArrayLike, c: ArrayLike, n: ArrayLike, difference: ArrayLike) -> FloatArray:
    """Return the score statistic of “the shares differ by `difference`”, over any shape.

    Positive where the observed difference is above `difference`. Infinite where `difference` is
    impossible: beyond ±1, or with data that it rules out. Swapping the systems, and with them the
    sign of `difference`, changes exactly the sign.

    Parameters
    ----------
    b, c : array_like
        Items that only the system, only the baseline gets right. Need not be whole.
    n : array_like
        All items, those on which the systems agree among them.
    difference : array_like
        The difference of shares in question.

    Examples
    --------
    >>> tango_z([0, 2], [5, 6], [100, 200], -0.1).round(3).tolist()
    [1.667, 3.566]
    """
    above = np.subtract(b, c) - np.multiply(n, difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = above / np.sqrt(score_variance(b, c, n, difference))
    return np.where(above == 0.0, 0.0, z)


def score_variance(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Return the variance of b − c if the shares differ by `difference`, given b, c and n.

    That of the most likely shares under this difference: ``n (2q + δ(1 − δ))`` as above. 0 where
    the difference is impossible.

    Examples
    --------
    >>> float(score_variance(0, 0, 100, 0.05))
    4.75
    """
    wins, losses, items, delta = (
        np.asarray(value, dtype=np.float64) for value in (b, c, n, difference)
    )
    # Seen from the side where the difference is positive, nothing cancels below the root.
    up = delta >= 0.0
    gains, lost, delta = np.where(up, wins, losses), np.where(up, losses, wins), np.abs(delta)
    free = delta * (1.0 - delta)
    linear = (2.0 * items - gains + lost) * delta - gains - lost
    product = 8.0 * items * lost * free
    root = np.sqrt(np.maximum(linear * linear + product, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Both are 4nq; the second has no digits left where the root is close to `linear`.
        scaled = np.where(linear > 0.0, product / (linear + root), root - linear)
    return np.maximum(0.5 * scaled + items * free, 0.0)


@dataclass(frozen=True, slots=True)
class PairedShares:
    """The difference of two shares of right answers, with what its uncertainty rests on.

    Attributes
    ----------
    fixed, broken : float
        Items that only the system, only the baseline gets right; whole numbers, unless they are
        expected ones of sampled answers.
    n : float
        All items.
    design_effect : float
        By how much clusters inflate the variance; 1 where every cluster is one item.
    df : float
        Degrees of freedom; infinite where every cluster is one item, NaN with a single cluster,
        from which nothing follows.
    span : float
        The score of a right answer minus that of a wrong one: 100 for percentages. Differences,
        limits and margins are all in these units.
    touched : int or None
        Clusters with a discordant answer, even where wins and losses make up for each other; None
        where that is not known.

    Examples
    --------
    >>> shares = PairedShares.of_differences([0] * 98 + [1, -1])
    >>> shares.value, shares.interval(0.95)
    (0.0, Interval(low=-0.0456..., high=0.0456..., level=0.95))
    >>> round(shares.noninferiority_p(0.05), 4)
    0.0189
    """

    fixed: float
    broken: float
    n: float
    design_effect: float = 1.0
    df: float = math.inf
    span: float = 1.0
    touched: int | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "private"}
    )

    @classmethod
    def of(
        cls,
        system: ArrayLike,
        baseline: ArrayLike,
        clusters: IntArray | None = None,
        *,
        span: float = 1.0,
    ) -> "PairedShares":
        """Return what the scores of two systems on the same items say.

        Parameters
        ----------
        system, baseline : array_like of shape (items,)
            0, or `span` for a right answer.
        clusters : array of int of shape (items,), optional
            Which items depend on each other: those of a document, or the sampled answers to one
            question, each of them an item. By default every item stands alone.
        span : float
            The score of a right answer.
        """
        a, b = check.vector(system, "system"), check.vector(baseline, "baseline")
        if a.size != b.size:
            raise InputError(
                f"`system` and `baseline` must have one score per item each; got {a.size} and "
                f"{b.size}. Pair them by item first."
            )
        span = check.positive(span, "span")
        for name, scores in (("system", a), ("baseline", b)):
            wrong = np.flatnonzero((scores != 0.0) & (scores != span))
            if wrong.size:
                raise InputError(
                    f"`{name}` must hold 0 and {span:g} only; got {scores[wrong[0]]:g} at "
                    f"position {wrong[0]}. Means of several answers are not 0/1: give every "
                    "answer as an item, and its question as its cluster."
                )
        return cls.of_differences(a - b, clusters, span=span)

    @classmethod
    def of_differences(
        cls, differences: ArrayLike, clusters: IntArray | None = None, *, span: float = 1.0
    ) -> "PairedShares":
        """Return the same from the differences of the scores: 0, `span` or −`span` each."""
        d = check.vector(differences, "differences")
        span = check.positive(span, "span")
        wrong = np.flatnonzero((d != 0.0) & (np.abs(d) != span))
        if wrong.size:
            raise InputError(
                f"`differences` must be 0 or ±{span:g}, as scores of 0 and {span:g} have them; "
                f"got {d[wrong[0]]:g} at position {wrong[0]}. Use a test of means for other scores."
            )
        if clusters is None:
            return cls(int((d > 0.0).sum()), int((d < 0.0).sum()), d.size, span=span)
        codes = np.asarray(clusters)
        if codes.shape != d.shape:
            raise InputError(
                f"`clusters` must name the cluster of each of {d.size} items; got shape "
                f"{codes.shape}."
            )
        codes = np.unique(codes, return_inverse=True)[1]
        return cls.of_clusters(
            np.bincount(codes[d > 0.0], minlength=codes.max() + 1),
            np.bincount(codes[d < 0.0], minlength=codes.max() + 1),
            np.bincount(codes),
            span=span,
        )

    @classmethod
    def of_clusters(
        cls, fixed: ArrayLike, broken: ArrayLike, sizes: ArrayLike, *, span: float = 1.0
    ) -> "PairedShares":
        """Return the same from counts of every cluster; a cluster without items counts for nothing.

        Examples
        --------
        >>> shares = PairedShares.of_clusters([1, 0, 0, 2], [0, 0, 1, 0], [5, 5, 5, 5])
        >>> shares.value, round(shares.design_effect, 3), round(shares.df, 6)
        (0.1, 3.598, 3.0)
        """
        b, c, n = (np.asarray(value, dtype=np.int64) for value in (fixed, broken, sizes))
        if not (b.ndim == 1 and b.shape == c.shape == n.shape):
            raise InputError(
                "`fixed`, `broken` and `sizes` must have one number per cluster each; got shapes "
                f"{b.shape}, {c.shape} and {n.shape}."
            )
        if n.sum() < 1 or min(b.min(), c.min()) < 0 or bool((b + c > n).any()):
            raise InputError(
                "`fixed` and `broken` must count items out of `sizes`, of which there must be "
                "some; got more of them, fewer than none, or no items at all."
            )
        b, c, n = b[n > 0], c[n > 0], n[n > 0]
        counts = int(b.sum()), int(c.sum()), int(n.sum())
        if n.max() == 1:
            return cls(*counts, span=span)
        touched = int((b + c > 0).sum())
        return cls(*counts, *_clustered(b - c, n, counts[0] + counts[1]), span, touched)

    @classmethod
    def of_rates(
        cls,
        system: ArrayLike,
        baseline: ArrayLike,
        n_samples: ArrayLike,
        clusters: IntArray | None = None,
    ) -> "PairedShares":
        """Return the same from the rates at which questions are answered right.

        Parameters
        ----------
        system, baseline : array_like of shape (questions,)
            The share of right answers among the samples of each question.
        n_samples : array_like
            How many samples each rate comes from, of both systems; any shape.
        clusters : array of int of shape (questions,), optional
            Which questions depend on each other.

        Examples
        --------
        >>> shares = PairedShares.of_rates([1.0, 0.5, 0.5], [0.5, 0.5, 0.0], [2, 2])
        >>> round(shares.value, 6), shares.n, shares.fixed, shares.broken
        (0.333333, 6.0, 2.5, 0.5)
        """
        ours, theirs = check.vector(system, "system"), check.vector(baseline, "baseline")
        k = float(1.0 / np.mean(1.0 / np.asarray(n_samples, dtype=np.float64)))
        codes = np.arange(ours.size) if clusters is None else np.asarray(clusters)
        codes = np.unique(codes, return_inverse=True)[1]
        b, c, n = (
            np.bincount(codes, weights=k * weights)
            for weights in (ours * (1.0 - theirs), theirs * (1.0 - ours), np.ones(ours.size))
        )
        counts = float(b.sum()), float(c.sum()), float(n.sum())
        return cls(*counts, *_clustered(b - c, n, counts[0] + counts[1]))

    @property
    def value(self) -> float:
        """The observed difference, system − baseline."""
        return self.span * ((self.fixed - self.broken) / self.n)

    def score(self, difference: float) -> float:
        """Return the statistic of “the true difference is `difference`”, to be read as t with df.

        Positive where the observed difference is above.
        """
        if math.isnan(self.df):
            return math.nan
        return self._score(difference / self.span)

    def interval(self, level: float) -> Interval:
        """Return all differences that are not rejected, from above or from below.

        Never an interval of no width: without a discordant item it is ±z²/(n + z²).
        """
        low, high = self.limits(-t_quantile(0.5 * (1.0 - level), self.df))
        return Interval(low, high, level)

    def limits(self, critical: float) -> tuple[float, float]:
        """Return the least and the largest difference with a statistic of at most ±`critical`.

        NaN with a single cluster.
        """
        if math.isnan(self.df):
            return math.nan, math.nan
        return self.span * self._limit(-critical), self.span * self._limit(critical)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true difference is at most `bound`”: small if it is above."""
        return t_tail(self.score(bound), self.df)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”: small if it is below."""
        return t_tail(-self.score(bound), self.df)

    def noninferiority_p(self, margin: float) -> float:
        """Return the p-value of “the system is worse by `margin` or more”.

        Higher scores are better; where lower ones are, the claim is ``p_below(margin)``.
        """
        return self.p_above(-margin)

    def equivalence_p(self, margin: float) -> float:
        """Return the p-value of two one-sided tests that the true difference is within ±margin."""
        return max(self.p_above(-margin), self.p_below(margin))

    def _score(self, share: float) -> float:
        b, c, n = (count / self.design_effect for count in (self.fixed, self.broken, self.n))
        return float(tango_z(b, c, n, share))

    def _limit(self, critical: float) -> float:
        """Return where the statistic is −`critical`: above the estimate if that is positive."""
        end, value = math.copysign(1.0, critical), (self.fixed - self.broken) / self.n
        if value == end:
            return end
        # The statistic runs from 0 to infinity between them; its arc tangent is finite there.
        goal = math.atan(-critical)
        low, high = sorted((value, end))
        return bracketed_root(
            lambda share: math.atan(self._score(share)) - goal, low, high, tolerance=1e-15
        )


def _clustered(
    differences: ArrayLike, sizes: ArrayLike, discordant: float
) -> tuple[float, float]:
    """Return the design effect, shrunk towards whole dependence, and the degrees of freedom."""
    differences = np.asarray(differences, dtype=np.float64)
    sizes = np.asarray(sizes, dtype=np.float64)
    n = float(sizes.sum())
    value = float(differences.sum()) / n
    variance, df = robust_variance((differences - sizes * value) / n, sizes / n)
    if math.isnan(df):  # a single cluster: nothing is known about its spread
        return n, math.nan
    independent = discordant - n * value**2
    typical = float(np.square(sizes).sum()) / n
    shrunk = (float(variance) * n**2 + _PRIOR * typical**2) / (independent + _PRIOR * typical)
    return min(max(shrunk, 1.0), typical), float(df)


# --- Mean answers of many evaluations at once: the counts of the score method ---
#
# `PairedShares.of_rates` for arrays: what it says of questions with several
# sampled answers, over any number of evaluations of the same questions. For Q questions in clusters of
# :math:`m_g`, each with K pairs of answers, where :math:`s = \sum_g m_g^2 / Q`, v is the variance of
# the difference of two independent answers and S the sum of squared residuals of the clusters, the
# design effect there is
#
# .. math:: \text{deff} = K\,\frac{S + s^2}{Q v + s}, \qquad 1 \le \text{deff} \le K s,
#
# and QK / deff the effective number of pairs. A test holds the two together.


class QuestionCounts(NamedTuple):
    """Shares of fixed and broken answers, and how many independent pairs they are worth.

    Arrays have the leading shape of the mean answers; `df` is one number, for it depends on the
    sizes of clusters only: infinite where every question stands alone with one answer each.
    """

    fixed: FloatArray
    broken: FloatArray
    effective: FloatArray
    df: float


def question_counts(
    system: FloatArray,
    baseline: FloatArray,
    *,
    answers: float = 1.0,
    clusters: IntArray | None = None,
) -> QuestionCounts:
    """Return what the score method needs of mean answers of shape (…, questions).

    Parameters
    ----------
    system, baseline : arrays of shape (…, questions)
        Mean answers between 0 and 1.
    answers : float
        K above: pairs of answers of a question that are independent.
    clusters : array of int of shape (questions,), optional
        Codes from 0 on of what groups questions. By default every question stands alone.

    Examples
    --------
    >>> found = question_counts(np.array([1.0, 0.5, 0.0]), np.array([0.5, 0.5, 0.0]), answers=2.0)
    >>> round(float(found.fixed), 4), round(float(found.broken), 4), found.df
    (0.25, 0.0833, 2.0)
    """
    n = system.shape[-1]
    difference = system - baseline
    value = difference.mean(axis=-1)
    fixed = (system * (1.0 - baseline)).mean(axis=-1)
    broken = (baseline * (1.0 - system)).mean(axis=-1)
    residuals, sizes = _gathered(difference - value[..., np.newaxis], clusters)
    if answers == 1.0 and sizes.max() == 1:
        return QuestionCounts(fixed, broken, np.full(value.shape, float(n)), math.inf)
    shares = (sizes / n).reshape((-1,) + (1,) * value.ndim)
    variance, df = robust_variance(np.moveaxis(residuals, -1, 0) / n, shares)
    known = float(df.reshape(-1)[0])
    if math.isnan(known):  # a single cluster: nothing is known about its spread
        return QuestionCounts(fixed, broken, np.ones(value.shape), math.nan)
    typical = float(np.square(sizes).sum()) / n
    independent = n * (fixed + broken - value**2)
    effective = n * (independent + typical) / (variance * n**2 + typical**2)
    most = n * answers
    return QuestionCounts(fixed, broken, np.clip(effective, n / typical, most), known)


def _gathered(values: FloatArray, clusters: IntArray | None) -> tuple[FloatArray, IntArray]:
    """Return the sums of clusters over the last axis, and their sizes."""
    if clusters is None:
        return values, np.ones(values.shape[-1], dtype=np.int64)
    order = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters)
    sizes = sizes[sizes > 0]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.add.reduceat(values[..., order], starts, axis=-1), sizes


# --- Chances of single items, all of them the same: intervals that are not of zero width ---
#
# Where every item has the same value, its standard error is 0, and a t interval would be certain.
# None of n items differs from the others, so the share of items that do is below
# :math:`u = 1 - (\alpha/2)^{1/n}` [1]_. An item may lie anywhere on the scale, so the mean of values
# v between a and b lies within :math:`[v - u(v - a),\; v + u(b - v)]`. For a share of right answers
# that are all right this is the exact interval, :math:`[(\alpha/2)^{1/n}, 1]`.
#
# References
# ----------
# .. [1] Clopper and Pearson (1934), "The use of confidence or fiducial limits", Biometrika 26(4),
# 404–413.


def equal_values_interval(
    value: float, n: float, level: float, scale: tuple[float, float]
) -> Interval:
    """Return the interval of a mean whose n items all have the same value.

    Examples
    --------
    >>> equal_values_interval(1.0, 50, 0.95, (0.0, 1.0)).low
    0.9288...
    """
    low, high = scale
    share = 1.0 - (0.5 * (1.0 - level)) ** (1.0 / n)
    return Interval(value - share * (value - low), value + share * (high - value), level)


def chance_interval(found: Estimate, level: float, scale: tuple[float, float]) -> Interval:
    """Return the t interval of a mean of chances, on their scale and never of zero width.

    Where nothing varies, the degrees of freedom say how many units there are: their number less
    one, or fewer where units are of unequal size.
    """
    if not found.standard_error > 0.0:
        return equal_values_interval(found.value, found.df + 1.0, level, scale)
    interval = found.interval(level)
    return Interval(max(interval.low, scale[0]), min(interval.high, scale[1]), level)


# --- Wilson's interval of a share ---


def wilson_interval(successes: int, trials: int, *, alpha: float) -> Interval:
    r"""Return Wilson's (1927) interval of a share.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}
              {1 + z^2 / n}

    Examples
    --------
    >>> wilson_interval(1, 1, alpha=0.05).to_json()
    [0.206..., 1.0]
    """
    low, high = wilson_limits(successes / trials, trials, normal_quantile(1.0 - 0.5 * alpha))
    return Interval(low, high, 1.0 - alpha)


def wilson_limits(share: float, trials: float, critical: float) -> tuple[float, float]:
    """Return the limits of Wilson's interval at a critical value, for any number of trials."""
    square = critical * critical / trials
    middle = share + 0.5 * square
    half = critical * math.sqrt(share * (1.0 - share) / trials + 0.25 * square / trials)
    low, high = (middle - half) / (1.0 + square), (middle + half) / (1.0 + square)
    # At the ends the formula is exact; only rounding leaves [0, 1].
    return 0.0 if share == 0.0 else low, 1.0 if share == 1.0 else high


# --- A share from groups that were judged in different parts: all failures and some passes ---


class JudgedGroup(NamedTuple):
    """A group of a pool: its items, how many of them were judged, and how many of these are ones."""

    size: int
    judged: int
    ones: int

    @property
    def share(self) -> float:
        """The share of ones among the judged."""
        return self.ones / self.judged


def grouped_share(
    groups: Sequence[JudgedGroup], *, alpha: float, target: Target = "domain"
) -> tuple[float, Interval]:
    r"""Return the share of ones in a pool whose groups were judged in different parts.

    With :math:`W_h = N_h/N` and the shares :math:`p_h` of the judged, :math:`p = \sum W_h p_h` and

    .. math:: L = p - \sqrt{\sum_h W_h^2 (p_h - l_h)^2 + B}, \qquad
              U = p + \sqrt{\sum_h W_h^2 (u_h - p_h)^2 + B}

    from the limits :math:`l_h, u_h` of each group (MOVER). For the domain these are Wilson's, and
    :math:`B = z^2 \sum W_h (p_h - p)^2 / N`, since the groups' sizes are those of a sample, too. For
    this test set they are the exact hypergeometric ones and B = 0: a group judged whole adds
    nothing.

    References
    ----------
    Zou and Donner (2008), "Construction of confidence limits about effect measures", Statistics in
    Medicine 27(10), 1693–1702. Wilson (1927), JASA 22, 209–212.

    Examples
    --------
    >>> share, interval = grouped_share([JudgedGroup(150, 150, 105), JudgedGroup(850, 170, 7)], alpha=0.05)
    >>> round(share, 3), [round(end, 3) for end in interval.to_json()]
    (0.14, [0.114, 0.179])
    """
    size = sum(group.size for group in groups)
    critical = normal_quantile(1.0 - 0.5 * alpha)
    value = sum(group.size * group.share for group in groups) / size
    below = above = 0.0
    for group in groups:
        if target == "domain":
            low, high = wilson_limits(group.share, group.judged, critical)
        else:
            low, high = hypergeometric_limits(group, alpha=alpha)
        below += (group.size / size * (group.share - low)) ** 2
        above += (group.size / size * (high - group.share)) ** 2
    if target == "domain":
        apart = sum(group.size * (group.share - value) ** 2 for group in groups) / size
        below, above = (part + critical**2 * apart / size for part in (below, above))
    low, high = max(0.0, value - math.sqrt(below)), min(1.0, value + math.sqrt(above))
    return value, Interval(low, high, 1.0 - alpha)


def hypergeometric_limits(group: JudgedGroup, *, alpha: float) -> tuple[float, float]:
    """Return the exact limits of the share of ones among all items of a group.

    The smallest and the largest number of ones with which as many, or as few, among the judged
    would have had a chance of more than α/2.

    Examples
    --------
    >>> hypergeometric_limits(JudgedGroup(10, 10, 4), alpha=0.05)
    (0.4, 0.4)
    """
    size, judged, ones = group
    least, most = ones, size - (judged - ones)

    def first(holds: Callable[[int], bool]) -> int:
        """Return the first number of ones from which on `holds` is true."""
        low, high = least, most
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle + 1, high)
        return low

    def chance(true: int, counts: FloatArray) -> float:
        """Return the chance of some numbers of ones among the judged, with so many in the group."""
        other, zeros = size - true, judged - counts
        known = (counts <= true) & (zeros <= other) & (zeros >= 0)
        k, rest = counts[known], zeros[known]
        logs = _log_chosen(true, k) + _log_chosen(other, rest) - _log_chosen(size, judged)
        return float(np.exp(logs).sum())

    as_many = np.arange(ones, judged + 1, dtype=np.float64)
    as_few = np.arange(ones + 1, dtype=np.float64)
    low = first(lambda true: chance(true, as_many) > 0.5 * alpha)
    beyond = first(lambda true: not chance(true, as_few) > 0.5 * alpha)
    high = beyond if chance(beyond, as_few) > 0.5 * alpha else beyond - 1
    return low / size, high / size


def _log_chosen(n: float, k: FloatArray | float) -> FloatArray:
    """Return the logarithm of the number of ways to choose k of n."""
    ways: FloatArray = (
        log_factorials(np.asarray(n))
        - log_factorials(np.asarray(k))
        - log_factorials(np.asarray(n) - np.asarray(k))
    )
    return ways
