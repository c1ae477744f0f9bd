"""Standard errors from influence values: closed intervals, clusters, design effects, detectable effects."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.kernels import distributions
from detectable.kernels.means import exact_mean
from detectable.kernels.roots import bracketed_root

_MANY = 10.0  # degrees of freedom from which on many are solved together
_STEPS = 6
_HUGE = 1e4  # critical values beyond this have a closed form, right to 1e-8


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error and the degrees of freedom behind that error."""

    value: float
    standard_error: float
    df: float

    def interval(self, level: float) -> Interval:
        """Return the t interval at a confidence level."""
        # The lower tail: 1/2 + level/2 rounds to 1 where the tail is still a number.
        half = -self.standard_error * distributions.t_quantile(0.5 * (1.0 - level), self.df)
        return Interval(self.value - half, self.value + half, level)

    def p_value(self) -> float:
        """Return the two-sided p-value of “the true value is zero”."""
        if self.standard_error == 0.0:
            return 1.0 if self.value == 0.0 else 0.0
        return 2.0 * t_tail(abs(self.value) / self.standard_error, self.df)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true value is at most `bound`”: small if it is above."""
        if self.standard_error == 0.0:
            return 0.0 if self.value > bound else 1.0
        return t_tail((self.value - bound) / self.standard_error, self.df)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true value is at least `bound`”: small if it is below."""
        return Estimate(-self.value, self.standard_error, self.df).p_above(-bound)

    def equivalence_p(self, margin: float) -> float:
        """Return the p-value of two one-sided tests that the true value is within ±margin.

        References
        ----------
        Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
        approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.
        """
        return max(self.p_above(-margin), self.p_below(margin))

    @property
    def typical_error(self) -> float:
        """The standard error, median-unbiased: see `median_unbiased`. What an MDE is stated from."""
        return median_unbiased(self.standard_error, self.df)

    def detectable(self, *, alpha: float, power: float) -> float:
        """Return the smallest true difference that a two-sided test would find (the MDE).

        From the noncentral t distribution. It depends on the design and the noise of the data,
        not on the difference that was observed.
        """
        if not math.isfinite(self.standard_error):
            return math.nan
        return self.typical_error * detectable_shift(self.df, alpha=alpha, power=power)

    def units_needed(self, effect: float, n_units: int, *, alpha: float, power: float) -> int:
        """Return how many units would make `effect` detectable, all else equal."""
        ratio = self.detectable(alpha=alpha, power=power) / abs(effect)
        return max(2, math.ceil(n_units * ratio**2))


def estimate(value: float, influence: FloatArray) -> Estimate:
    r"""Return `value` with the delta-method standard error of its influence values.

    .. math:: s^2 = \frac{n}{n-1} \sum_i (\psi_i - \bar\psi)^2

    over n independent units; with documents as units, ψ is summed over a document first, so
    that sentences of a document may depend on each other. For a mean this is exactly the
    classical standard error. Degrees of freedom: n − 1.
    """
    n = influence.size
    if n < 2:
        return Estimate(value, math.nan, math.nan)
    squares = float(np.square(influence - influence.mean()).sum())
    return Estimate(value, math.sqrt(squares * n / (n - 1.0)), n - 1.0)


def median_unbiased(standard_error: float, df: float) -> float:
    r"""Return a standard error that is as often too large as too small.

    An estimated variance is about :math:`\sigma^2 \chi^2_\nu / \nu` with its degrees of freedom
    :math:`\nu`, and chi-square lies below its mean more often than above. Its median is exact in

    .. math:: P\Bigl(s \sqrt{\nu / \chi^2_\nu(\tfrac12)} \le \sigma\Bigr)
              = P\bigl(\chi^2_\nu \le \chi^2_\nu(\tfrac12)\bigr) = \tfrac12 .

    Whoever states an effect as detectable states a multiple of it. From s itself half of all users
    would read less than s's median, 6 % too little with 7 units, and an effect of that size is found
    in 75 % of cases instead of 80. A test and an interval keep s: the t distribution knows its
    scatter. Unchanged where the degrees of freedom are infinite.

    References
    ----------
    Lehmann (1951), "A general concept of unbiasedness", Annals of Mathematical Statistics 22(4),
    587–592, for the idea; for a variance, Johnson, Kotz and Balakrishnan (1994), Continuous
    Univariate Distributions 1, chapter 18.

    Examples
    --------
    >>> round(median_unbiased(1.0, 6.0), 4), median_unbiased(1.0, math.inf)
    (1.0592, 1.0)
    """
    if math.isinf(df):
        return standard_error
    return standard_error * math.sqrt(df / distributions.chi_square_median(df))


def t_tail(value: float, df: float) -> float:
    """Return the chance that Student's t exceeds `value`."""
    return distributions.t_below(-value, df)


def detectable_shift(df: float, *, alpha: float, power: float) -> float:
    r"""Return the effect, in standard errors, that a two-sided t test finds with a given power.

    The :math:`\delta` with :math:`P(T_{df}(\delta) > t_{1-\alpha/2}) = \text{power}`, T being
    noncentral t. The second tail is left out: finding an effect with the wrong sign is not
    finding it. With many degrees of freedom this is the sum of two normal quantiles; with few,
    the sum of two t quantiles would be too small: by 14 % with one degree, 5 % with two.

    Where the critical value c is huge (few degrees, a tiny level), the normal numerator of T is
    its shift, so :math:`\delta = c \sqrt{\chi^2_{df}(\text{power}) / df}` with the quantile of
    chi-square: the relative error is below 1/c², and the series of the noncentral t gives up
    there. Not a number where not even c can be held.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 31:
    T is (Z + δ) / √(χ²/df).

    Examples
    --------
    >>> round(detectable_shift(2.0, alpha=0.05, power=0.8), 3)
    5.653
    >>> round(detectable_shift(1e6, alpha=0.05, power=0.8), 3)
    2.802
    >>> round(detectable_shift(99.0, alpha=1e-16, power=0.8), 3)
    11.024
    """
    # The lower tail: 1 - alpha/2 is 1 for the smallest levels, and its quantile infinite.
    return shift_beyond(-distributions.t_quantile(alpha / 2.0, df), df, power=power)


def detectable_shifts(df: FloatArray, *, alpha: float, power: float) -> FloatArray:
    """Return `detectable_shift` for many degrees of freedom at once; infinite ones are normal.

    The secant method from the normal approximation of the noncentral t [1]_, on all of them
    together; few degrees of freedom, where that is poor, are solved one by one.

    References
    ----------
    .. [1] Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, 31.6.

    Examples
    --------
    >>> detectable_shifts(np.array([30.0, np.inf]), alpha=0.05, power=0.8).round(4).tolist()
    [2.8954, 2.8016]
    """
    from scipy.special import nctdtr, ndtri, stdtrit

    different, place = np.unique(df, return_inverse=True)
    shifts = np.full(different.shape, float(ndtri(1.0 - 0.5 * alpha) + ndtri(power)))
    few = different < _MANY
    shifts[few] = [
        detectable_shift(one, alpha=alpha, power=power) for one in different[few].tolist()
    ]
    some = ~few & np.isfinite(different)
    many = different[some]
    critical = -stdtrit(many, 0.5 * alpha)
    now = critical + float(ndtri(power)) * np.sqrt(1.0 + critical**2 / (2.0 * many))
    before = now + 0.01
    missed = nctdtr(many, before, critical) - 1.0 + power
    for _ in range(_STEPS):
        miss = nctdtr(many, now, critical) - 1.0 + power
        rise = miss - missed  # none where the answer was hit before
        step = np.divide(miss * (now - before), rise, out=np.zeros_like(now), where=rise != 0.0)
        before, now, missed = now, now - step, miss
    shifts[some] = now
    return shifts[place]


def shift_beyond(critical: float, df: float, *, power: float) -> float:
    """Return the noncentrality at which t exceeds a critical value with a given chance.

    See `detectable_shift`. Not a number where the critical value is not.
    """
    if not math.isfinite(critical):
        return math.nan
    if critical > _HUGE:
        from scipy.special import gammaincinv

        return critical * math.sqrt(2.0 * float(gammaincinv(df / 2.0, power)) / df)

    def missed(shift: float) -> float:
        return distributions.noncentral_t_below(critical, df, shift) - 1.0 + power

    if missed(0.0) <= 0.0:
        return 0.0  # chance alone exceeds it as often
    high = critical + 1.0
    while missed(high) > 0.0:
        high *= 1.5
    return bracketed_root(missed, 0.0, high)


# --- The mean of units that come in clusters, with a standard error that knows of the clusters ---
#
# Units of a cluster (the sentences of a document, the judgments of a rater) may depend on each
# other; clusters are independent. With residual sums :math:`e_g = \sum_{i \in g} (x_i - \bar x)`
# over G clusters of n units in all, and :math:`h_g = n_g / n` the share of a cluster,
#
# .. math:: s^2 = \sum_g \frac{e_g^2 / n^2}{1 - h_g}, \qquad
# \frac{1}{\text{df}} = \sum_g h_g^2 + \Bigl(\sum_g w_g\Bigr)^2 - \sum_g w_g^2, \qquad
# w_g = \frac{h_g^2}{1 - h_g}.
#
# This is the CR2 variance with the degrees of freedom of Bell and McCaffrey, in closed form for a
# mean; clubSandwich gives the same to 1e-13. With clusters of one size df is G − 1 and s² the
# variance of their means over G; with unequal ones the plain formula errs in 9 to 13 % of cases at
# .05 with 3 to 10 documents, this one in 4 to 8 %. Where every unit is a cluster it is the classical
# standard error. There is no mean without a unit, and no standard error with one cluster: both are
# NaN.
#
# This is the only place of the formula; `kernels.pairing.clustered_means` is the same for the
# pairs of a whole archive at once, and a test holds the two together.
#
# References
# ----------
# Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
# multi-stage samples", Survey Methodology 28(2), 169–181. Pustejovsky and Tipton (2018),
# "Small-sample methods for cluster-robust variance estimation", Journal of Business and Economic
# Statistics 36(4), 672–683.

_ROUNDING = 1e-9
_ALONE = 1e-12  # a share of 1 but for rounding: that cluster stands alone


def cluster_mean(
    values: FloatArray, clusters: IntArray | None = None, weights: FloatArray | None = None
) -> Estimate:
    """Return the mean of the known values with its cluster-robust standard error.

    Parameters
    ----------
    values : array of shape (units,)
        NaN where a unit was not observed; such units count for nothing.
    clusters : array of int of shape (units,), optional
        Which units belong together. By default every unit stands alone.
    weights : array of shape (units,), optional
        What each unit stands for: the mean is Hájek's, and shares are those of the weights.

    Examples
    --------
    >>> found = cluster_mean(np.array([1.0, 2.0, 3.0, 6.0]), np.array([0, 0, 1, 1]))
    >>> found.value, round(found.standard_error, 6), round(found.df, 6)
    (3.0, 1.5, 1.0)
    """
    known = ~np.isnan(values)
    x = values[known]
    if not x.size:
        return Estimate(math.nan, math.nan, math.nan)
    # Counted from one of the values, equal values have a spread of exactly zero.
    apart = x - x[0]
    within = None if clusters is None else clusters[known]
    if weights is not None:
        w = weights[known] / float(weights[known].sum())
        middle = float(w @ apart)
        parts, shares = (cluster_sums(one, within) for one in (w * (apart - middle), w))
        variance, df = robust_variance(parts, shares)
        return Estimate(float(x[0]) + middle, math.sqrt(variance), float(df))
    residuals = cluster_sums(apart - apart.mean(), within)
    sizes = cluster_sums(np.ones(x.size), within)
    variance, df = robust_variance(residuals / x.size, sizes / x.size)
    return Estimate(exact_mean(x), math.sqrt(variance), float(df))


def cluster_means(
    sums: FloatArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, standard error and degrees of freedom of many columns at once.

    Parameters
    ----------
    sums, sizes : arrays of shape (clusters, columns)
        Sum and number of the known values of a cluster; a cluster without any counts for nothing.
    """
    n = sizes.sum(axis=0)
    units = np.where(n > 0, n, np.nan)
    mean = sums.sum(axis=0) / units
    # A column that was never observed has no mean; its residuals are not used.
    residuals = sums - sizes * np.where(n > 0, mean, 0.0)
    variance, df = robust_variance(residuals / units, sizes / units)
    return mean, np.sqrt(variance), df


def robust_variance(residuals: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the CR2 variance and its degrees of freedom, over the first axis.

    Parameters
    ----------
    residuals : array of shape (clusters, …)
        What each cluster adds to the error of the mean: :math:`e_g / n`, or the influence values
        of any other score.
    shares : array of shape (clusters, …)
        Share of each cluster in what is averaged; they add up to 1. Clusters with a share of 0
        count for nothing. NaN where there is only one cluster.
    """
    alone = shares.max(axis=0) > 1.0 - _ALONE
    rest = np.where(alone, np.nan, 1.0 - shares)
    variance = (np.square(residuals) / rest).sum(axis=0)
    squares = np.square(shares)
    weights = squares / rest
    precision = (
        squares.sum(axis=0) + np.square(weights.sum(axis=0)) - np.square(weights).sum(axis=0)
    )
    df = 1.0 / precision
    whole = np.rint(df)  # clusters of one size: G − 1 but for rounding
    return variance, np.where(np.abs(df - whole) < _ROUNDING * whole, whole, df)


def small_sample_factor(n_clusters: IntArray) -> FloatArray:
    """Return G / (G − 1), by which few clusters understate their spread; NaN for one."""
    groups = np.where(n_clusters > 1, n_clusters, np.nan)
    return groups / (groups - 1.0)


def cluster_sums(values: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return the sum of every cluster, whatever its number; the values where there are none."""
    if clusters is None:
        return values
    codes = np.unique(clusters, return_inverse=True)[1]
    return np.bincount(codes, weights=values).astype(np.float64)


# --- How much segments of a document resemble each other, and what that costs ---
#
# With influence values :math:`\psi_i` of n segments on a score (`metrics.base`), summed to
# :math:`\Psi_d` over the K documents, the variance of the score is
#
# .. math:: s^2_{segment} = \sum_i \psi_i^2, \qquad
# s^2_{document} = \frac{K}{K-1} \sum_d \Psi_d^2,
#
# if segments, or only documents, are independent. Their ratio is the design effect: the interval of
# a bootstrap over segments is too narrow by its square root, and n segments are worth
# n / design effect independent ones. The intraclass correlation is that of a one-way analysis of
# variance of the influence values by document,
#
# .. math:: \rho = \frac{MS_b - MS_w}{MS_b + (n_0 - 1) MS_w}, \qquad
# n_0 = \frac{n - \sum_d n_d^2 / n}{K - 1}.
#
# It needs some document with two segments; it is below zero where segments of a document differ
# more than segments of different documents. For differences of two systems, ψ is the difference of
# their influence values.
#
# References
# ----------
# Kish (1965), Survey Sampling, chapters 5 and 8 (design effect). Donner (1986), "A review of
# inference procedures for the intraclass correlation coefficient in the one-way random effects
# model", International Statistical Review 54(1), 67–82.


class DesignEffect(NamedTuple):
    """What clustering does to the error of one score.

    Attributes
    ----------
    icc : float
        Intraclass correlation; nan where all documents have one segment, or nothing varies.
    design_effect : float
        Variance over documents divided by variance over segments; nan where nothing varies.
    sd_segment, sd_document : float
        Standard errors of the score if segments, or documents, are independent.
    n_effective : float
        Independent segments that would give the same standard error.
    """

    icc: float
    design_effect: float
    sd_segment: float
    sd_document: float
    n_effective: float


def design_effect(influence: FloatArray, documents: IntArray) -> DesignEffect:
    """Return the design effect of a score from the influence values of its segments.

    Parameters
    ----------
    influence : array of shape (segments,)
        They add up to zero.
    documents : array of int of shape (segments,)
        The document of each segment, 0, 1, …; at least two.

    Examples
    --------
    >>> found = design_effect(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]))
    >>> found.icc, found.design_effect, found.n_effective
    (1.0, 4.0, 1.0)
    """
    sizes: FloatArray = np.bincount(documents).astype(np.float64)
    n, n_documents = influence.size, sizes.size
    sums: FloatArray = np.bincount(documents, weights=influence).astype(np.float64)
    within_segments = float(np.square(influence).sum())
    between = float(np.square(sums).sum()) * n_documents / (n_documents - 1.0)
    ratio = between / within_segments if within_segments > 0.0 else math.nan
    return DesignEffect(
        icc=_intraclass(influence, documents, sizes, sums),
        design_effect=ratio,
        sd_segment=math.sqrt(within_segments),
        sd_document=math.sqrt(between),
        n_effective=n / ratio if ratio > 0.0 else math.nan,
    )


def _intraclass(
    influence: FloatArray, documents: IntArray, sizes: FloatArray, sums: FloatArray
) -> float:
    n, n_documents = influence.size, sizes.size
    if n == n_documents:
        return math.nan
    means = sums / sizes
    between = float((sizes * np.square(means)).sum()) / (n_documents - 1.0)
    within = float(np.square(influence - means[documents]).sum()) / (n - n_documents)
    typical = (n - float(np.square(sizes).sum()) / n) / (n_documents - 1.0)
    below = between + (typical - 1.0) * within
    return (between - within) / below if below > 0.0 else math.nan


def segment_coverage(design_effect: float, level: float) -> float:
    r"""Return how often an interval covers that takes segments for independent.

    It is too narrow by the square root of the design effect, so it covers
    :math:`2 \Phi(z_{level} / \sqrt{\text{design effect}}) - 1`.

    Examples
    --------
    >>> round(segment_coverage(1.0, 0.95), 3), round(segment_coverage(2.0, 0.95), 3)
    (0.95, 0.834)
    """
    if not design_effect > 0.0:
        return math.nan
    critical = distributions.normal_quantile(0.5 + level / 2.0)
    return 2.0 * distributions.normal_below(critical / math.sqrt(design_effect)) - 1.0


# --- The difference of two estimates from independent data ---


def independent_difference(first: Estimate, second: Estimate) -> Estimate:
    r"""Return first − second, of estimates that share no unit.

    Squared errors add up, and the degrees of freedom are Satterthwaite's,

    .. math:: \text{df} = \frac{(s_1^2 + s_2^2)^2}{s_1^4 / \text{df}_1 + s_2^4 / \text{df}_2},

    as in Welch's test, with the degrees of freedom of Bell and McCaffrey for clusters of unequal
    size in place of n − 1. Where neither varies, the smaller of the two counts.

    References
    ----------
    Welch (1947), "The generalization of Student's problem when several different population
    variances are involved", Biometrika 34, 28–35.

    Examples
    --------
    >>> independent_difference(Estimate(5.0, 3.0, 9.0), Estimate(1.0, 4.0, 9.0)).standard_error
    5.0
    """
    one, two = first.standard_error**2, second.standard_error**2
    noise = one**2 / first.df + two**2 / second.df
    df = (one + two) ** 2 / noise if noise > 0.0 else min(first.df, second.df)
    return Estimate(first.value - second.value, math.sqrt(one + two), df)


# --- Intervals that say the same as the test beside them ---


def agreeing_interval(
    interval: Interval, value: float, *, rejected: bool, bound: float = 0.0
) -> Interval:
    """Return the interval with a tested value inside if and only if it was not rejected.

    A test decides about one value, often by more than an interval does: a later step of a
    correction, swapped texts instead of halves, an exact count. Every value then still has a
    test at the level of the interval: the bound its own, all others that of the interval. Where
    the bound was rejected, the end that passes it becomes the number next to it; where it was
    not, the end that misses it becomes the bound.

    Parameters
    ----------
    value : float
        The estimate, which says on which side of a rejected bound the interval lies.
    bound : float
        The value that was tested.

    Examples
    --------
    >>> agreeing_interval(Interval(0.2, 3.0, 0.95), 1.6, rejected=False).to_json()
    [0.0, 3.0]
    >>> agreeing_interval(Interval(-0.5, 3.0, 0.95), 1.6, rejected=True, bound=-1.0).to_json()
    [-0.5, 3.0]
    """
    low, high = interval.low, interval.high
    if not rejected:
        return Interval(min(low, bound), max(high, bound), interval.level)
    if value > bound:
        return Interval(max(low, math.nextafter(bound, math.inf)), high, interval.level)
    return Interval(low, min(high, math.nextafter(bound, -math.inf)), interval.level)
