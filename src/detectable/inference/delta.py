"""Standard errors from influence values: intervals and detectable effects in closed form."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.kernels.distributions.chi_square import chi_square_median
from detectable.kernels.distributions.noncentral import noncentral_t_below
from detectable.kernels.distributions.student import t_below, t_quantile
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
        half = -self.standard_error * t_quantile(0.5 * (1.0 - level), self.df)
        return Interval(self.value - half, self.value + half, level)

    def p_value(self) -> float:
        """Return the two-sided p-value of «the true value is zero»."""
        if self.standard_error == 0.0:
            return 1.0 if self.value == 0.0 else 0.0
        return 2.0 * t_tail(abs(self.value) / self.standard_error, self.df)

    def p_above(self, bound: float) -> float:
        """Return the p-value of «the true value is at most `bound`»: small if it is above."""
        if self.standard_error == 0.0:
            return 0.0 if self.value > bound else 1.0
        return t_tail((self.value - bound) / self.standard_error, self.df)

    def p_below(self, bound: float) -> float:
        """Return the p-value of «the true value is at least `bound`»: small if it is below."""
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
    return standard_error * math.sqrt(df / chi_square_median(df))


def t_tail(value: float, df: float) -> float:
    """Return the chance that Student's t exceeds `value`."""
    return t_below(-value, df)


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
    return shift_beyond(-t_quantile(alpha / 2.0, df), df, power=power)


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
        return noncentral_t_below(critical, df, shift) - 1.0 + power

    if missed(0.0) <= 0.0:
        return 0.0  # chance alone exceeds it as often
    high = critical + 1.0
    while missed(high) > 0.0:
        high *= 1.5
    return bracketed_root(missed, 0.0, high)
