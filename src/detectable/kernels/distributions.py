"""Probabilities and quantiles that every command needs: normal, t, binomial, chi-square, noncentral t."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import Floats, OutFloats, Size, check_shape, native

_ROOT_2 = math.sqrt(2.0)
_ROOT_2PI = math.sqrt(2.0 * math.pi)
_FAR = 37.0
_CENTRE = 0.25  # quantiles of probabilities this near to 1/2 are solved from the middle
_STEPS = 3  # each triples the digits, of which the start has two or more


def normal_below(x: float) -> float:
    """Return the chance that a standard normal variable is at most `x`.

    Within 1e-13 of scipy's ndtr, relative, down to 1e-300.

    Examples
    --------
    >>> round(normal_below(-1.959964), 6)
    0.025
    """
    return 0.5 * math.erfc(-x / _ROOT_2)


def normal_below_each(x: FloatArray | IntArray) -> FloatArray:
    """Return `normal_below` of every entry, in the same shape."""
    values = np.ascontiguousarray(x, dtype=np.float64)
    below = np.empty_like(values)
    each = native("normal_below_each", Floats, OutFloats, Size)
    if each is not None:
        each(values, below, values.size)
    else:
        below[...] = np.reshape(
            [normal_below(x) for x in values.ravel().tolist()], values.shape
        )
    return below.reshape(np.shape(x))


def normal_quantile(p: float) -> float:
    r"""Return the `p` quantile of the standard normal distribution.

    A rational start [1]_, then Halley's steps on the distribution function: with the error e in
    units of the density, :math:`x \leftarrow x - e / (1 + x e / 2)`. About the middle the steps
    are taken on :math:`p - 1/2`, which keeps the digits of small quantiles. Within 1e-15 of
    scipy's ndtri, relative.

    References
    ----------
    .. [1] Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.2.23.

    Examples
    --------
    >>> round(normal_quantile(0.975), 6), normal_quantile(0.5), normal_quantile(1.0)
    (1.959964, 0.0, inf)
    """
    if not 0.0 < p < 1.0:
        return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)
    if abs(p - 0.5) < _CENTRE:
        return _central_quantile(p - 0.5)
    # The tail that is small: its digits are the ones that count.
    return _tail_quantile(p) if p < 0.5 else -_tail_quantile(1.0 - p)


def _central_quantile(excess: float) -> float:
    """Return x with P(0 < Z < x) = `excess`, which may be negative."""
    x = excess * _ROOT_2PI
    for _ in range(_STEPS):
        error = (0.5 * math.erf(x / _ROOT_2) - excess) * _ROOT_2PI * math.exp(0.5 * x * x)
        x -= error / (1.0 + 0.5 * x * error)
    return x


@functools.lru_cache(maxsize=64)  # rows of one result ask for the same power
def _tail_quantile(p: float) -> float:
    t = math.sqrt(-2.0 * math.log(p))
    below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    x = (2.515517 + t * (0.802853 + t * 0.010328)) / below - t
    for _ in range(_STEPS):
        error = _excess(x, p)
        x -= error / (1.0 + 0.5 * x * error)
    return x


def _excess(x: float, p: float) -> float:
    """Return P(Z < x) − p in units of the density at x."""
    below = normal_below(x)
    if x > -_FAR:
        return (below - p) * _ROOT_2PI * math.exp(0.5 * x * x)
    # exp(x²/2) cannot be held there; the tail is 1 / (|x| + 1 / |x|) densities up to 1e-6.
    return (1.0 - p / below if below else -1.0) / (1.0 / abs(x) - x)


# --- Student's t distribution ---

_NORMAL = 1e15  # degrees of freedom from which on t is normal to the last digit
_T_CENTRE = 0.25  # quantiles of probabilities this near to 1/2 are solved from the middle
_T_STEPS = 200
_TERMS = 100_000  # of a continued fraction; some dozen as it is used
_EXACT = 1e-16
_MANY = 100.0  # degrees of freedom from which on the tail is integrated
_STEP, _FROM, _TO = 0.125, -3.75, 4.0
_SQUARED = 1e150  # what has a square that can be held
_LARGEST = 709.0  # the logarithm of the largest number
_CLOSE = 1e-9  # after a relative step this small, Newton's next would be below rounding


def t_below_each(x: FloatArray, df: float) -> FloatArray:
    """Return `t_below` of every entry, by scipy's stdtr: within 4e-13 of it."""
    from scipy.special import stdtr  # scipy.stats would triple the start-up time

    found: FloatArray = stdtr(df, x)
    return found


def t_below(x: float, df: float) -> float:
    r"""Return the chance that Student's t with `df` degrees of freedom is at most `x`.

    Half an incomplete beta function, :math:`P(T \le -x) = I_{df / (df + x^2)}(df/2, 1/2) / 2`, by
    its continued fraction [1]_. Within 4e-13 of scipy's stdtr, relative, for degrees of freedom
    from .5 to 1e7 and chances down to 1e-300.

    References
    ----------
    .. [1] Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.5.8 and 26.7.1.

    Examples
    --------
    >>> round(t_below(-2.0, 10.0), 6), t_below(0.0, 3.0)
    (0.036694, 0.5)
    """
    if math.isnan(x) or not df > 0.0:
        return math.nan
    if df >= _NORMAL:
        return normal_below(x)
    if math.isinf(x):
        return 1.0 if x > 0.0 else 0.0
    if _is_central(abs(x), df):
        return 0.5 + math.copysign(_between_zero(abs(x), df), x)
    tail = math.exp(_log_tail(abs(x), df))
    return tail if x < 0.0 else 1.0 - tail


def t_quantile(p: float, df: float) -> float:
    """Return the `p` quantile of Student's t with `df` degrees of freedom.

    Newton's method: in the tails on the logarithm of the chance against the logarithm of t, which
    is concave, about the middle on the chance between 0 and t, which is concave too, so neither
    can run away. Within 4e-13 of scipy's stdtrit, relative, for degrees of freedom from .5 to 1e7
    and chances from 1e-300 to 1 − 1e-16. Infinite where it cannot be held.

    Examples
    --------
    >>> round(t_quantile(0.975, 10.0), 6), t_quantile(0.5, 3.0)
    (2.228139, 0.0)
    """
    if not 0.0 < p < 1.0 or not df > 0.0:
        return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan) if df > 0.0 else math.nan
    if df >= _NORMAL:
        return normal_quantile(p)
    if abs(p - 0.5) < _T_CENTRE:
        return math.copysign(_central_t_quantile(abs(p - 0.5), df), p - 0.5)
    return -_tail_t_quantile(p, df) if p < 0.5 else _tail_t_quantile(1.0 - p, df)


def _central_t_quantile(excess: float, df: float) -> float:
    """Return t with P(0 < T < t) = `excess`."""
    t = excess * math.exp(-_log_density(0.0, df))
    for _ in range(_T_STEPS):
        step = (excess - _between_zero(t, df)) * math.exp(-_log_density(t, df))
        t += step
        if abs(step) <= _CLOSE * t:
            break
    return t


@functools.lru_cache(maxsize=4096)  # rows of one gate ask for few of them, many times each
def _tail_t_quantile(p: float, df: float) -> float:
    """Return t with P(T > t) = `p`, for p up to 1/4."""
    wanted, log_t = math.log(p), _log_start(p, df)
    for _ in range(_T_STEPS):
        if log_t > _LARGEST:
            return math.inf
        t = math.exp(log_t)
        log_tail = _log_tail(t, df)
        step = (log_tail - wanted) * math.exp(log_tail - log_t - _log_density(t, df))
        if abs(step) <= _CLOSE:
            return t + t * step  # a large logarithm has fewer digits than t itself
        log_t += step
    return math.exp(log_t)


def _log_start(p: float, df: float) -> float:
    """Return about the logarithm of t with P(T > t) = `p`."""
    z = -normal_quantile(p)
    if z * z < df:  # about normal: Cornish and Fisher's series
        return math.log(
            z
            + (z**3 + z) / (4.0 * df)
            + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * df * df)
        )
    # Far out the tail is a power of t, which is above it, so the start is too: the safe side.
    at_one = _log_density(0.0, df) + 0.5 * (df + 1.0) * math.log(df) - math.log(df)
    return (at_one - math.log(p)) / df


def _log_density(t: float, df: float) -> float:
    constant = _log_gamma_step(0.5 * df) - 0.5 * math.log(math.pi * df)
    return constant - 0.5 * (df + 1.0) * _log_spread(t, df)


def _log_spread(t: float, df: float) -> float:
    """Return log(1 + t² / df), even where t² cannot be held."""
    if t > _SQUARED:
        return 2.0 * math.log(t) - math.log(df)
    return math.log1p(t * t / df)


def _is_central(t: float, df: float) -> bool:
    """Say on which side of the middle of the beta distribution t is, where its fraction is short."""
    return 3.0 * df >= (df + 2.0) * t * t if t < _SQUARED else False


def _log_front(t: float, df: float) -> float:
    """Return the logarithm of what stands before the continued fraction."""
    spread = _log_spread(t, df)
    # y = t² / (df + t²); from whichever of the two keeps its digits.
    log_y = 2.0 * math.log(t) - math.log(df) - spread if t < _SQUARED else 0.0
    front = _log_gamma_step(0.5 * df) - 0.5 * math.log(math.pi)
    return front - 0.5 * df * spread + 0.5 * log_y


def _between_zero(t: float, df: float) -> float:
    """Return the chance between 0 and t."""
    if t == 0.0:
        return 0.0
    if not _is_central(t, df):
        return 0.5 - math.exp(_log_tail(t, df))
    y = t * t / (df + t * t)
    return math.exp(_log_front(t, df)) * _fraction(y, 0.5, 0.5 * df)


def _log_tail(t: float, df: float) -> float:
    """Return the logarithm of the chance above t, for t above 0."""
    if _is_central(t, df):
        return math.log(0.5 - _between_zero(t, df))
    if df > _MANY:
        return _log_density(t, df) + math.log(_tail_over_density(t, df))
    x = math.exp(-_log_spread(t, df))
    return _log_front(t, df) + math.log(_fraction(x, 0.5 * df, 0.5) / df)


def _tail_over_density(t: float, df: float) -> float:
    r"""Return the chance above t over the density at t, for many degrees of freedom.

    The continued fraction loses a digit with every tenfold of them, this integral none:

    .. math:: \int_0^\infty \Bigl(1 + \frac{v (2 t + v)}{df + t^2}\Bigr)^{-(df + 1) / 2} dv,

    by the trapezoidal rule after :math:`v \propto \exp(s - e^{-s})`, for which integrands that fall
    off exponentially are smooth on the whole line [1]_.

    References
    ----------
    .. [1] Takahasi and Mori (1974), "Double exponential formulas for numerical integration",
       Publications of the Research Institute for Mathematical Sciences 9(3), 721–741.
    """
    power, square = -0.5 * (df + 1.0), df + t * t
    scale = square / ((df + 1.0) * t)  # how far the density falls by a factor e
    return scale * sum(
        weight * math.exp(power * math.log1p(scale * v * (2.0 * t + scale * v) / square))
        for v, weight in _nodes()
    )


@functools.cache
def _nodes() -> tuple[tuple[float, float], ...]:
    """Return nodes and weights of integrals from 0 to infinity of what falls off as exp(−v)."""
    steps = [_STEP * k for k in range(round(_FROM / _STEP), round(_TO / _STEP) + 1)]
    nodes = [math.exp(s - math.exp(-s)) for s in steps]
    return tuple(
        (v, _STEP * v * (1.0 + math.exp(-s))) for s, v in zip(steps, nodes, strict=True)
    )


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, from its front on.

    Lentz's method, as modified by Thompson and Barnett (1986), Journal of Computational Physics
    64, 490–509.
    """
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _TERMS):
        term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d, c = 1.0 / (1.0 + term * d), 1.0 + term / c
        value *= d * c
        term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d, c = 1.0 / (1.0 + term * d), 1.0 + term / c
        value *= d * c
        if abs(d * c - 1.0) < _EXACT:
            break
    return value


def _log_gamma_step(a: float) -> float:
    """Return log Γ(a + 1/2) − log Γ(a), to rounding even where both are huge.

    The series in 1/a [1]_, from 20 on; below, by the recurrence.

    References
    ----------
    .. [1] Tricomi and Erdélyi (1951), "The asymptotic expansion of a ratio of gamma functions",
       Pacific Journal of Mathematics 1(1), 133–142.
    """
    lower = 1.0
    while a < 20.0:
        lower *= a / (a + 0.5)
        a += 1.0
    i = 1.0 / (a * a)
    series = 1 / 8 - (1 / 192 - (1 / 640 - (17 / 14336 - 31 / 18432 * i) * i) * i) * i
    return math.log(lower) + 0.5 * math.log(a) - series / a


# --- The binomial distribution ---

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_SMALL = 16  # below this, factorials are multiplied out; from here on by Stirling's series
_ENOUGH = 1e-17  # a term this small beside the sum no longer counts
_NEAR = 0.1  # of the mean: where a logarithm would lose digits


def log_factorials(k: IntArray | FloatArray | int) -> FloatArray:
    r"""Return log k! of whole numbers from 0 on.

    By Stirling's series for :math:`x = k + 1`,

    .. math:: (x - \tfrac12) \log x - x + \tfrac12 \log 2π + \frac1{12 x} - \frac1{360 x^3} + \cdots,

    to the last digit or two of scipy's gammaln.

    Examples
    --------
    >>> log_factorials([0, 1, 3]).round(6).tolist()
    [0.0, 0.0, 1.791759]
    """
    x = np.asarray(k, dtype=np.float64) + 1.0
    large = np.maximum(x, _SMALL)
    found: FloatArray = (large - 0.5) * np.log(large) - large + _HALF_LOG_2PI + _series(large)
    few = x < _SMALL
    if few.any():
        place = np.where(few, x, 1.0).astype(np.int64) - 1
        found = np.where(few, _small_log_factorials()[place], found)
    return found


def binomial_at_most(k: int, n: int, share: float) -> float:
    r"""Return the chance of at most `k` successes out of `n`, each with chance `share`.

    The chance of exactly k without loss of digits [1]_, times the sum of the ratios of the chances
    of k − 1, k − 2, … to it, which fall; above the mean the sum of k + 1, k + 2, … from 1. Within
    1e-12 of scipy's bdtr, relative, for n up to a million and chances down to 1e-200.

    References
    ----------
    .. [1] Loader (2000), "Fast and accurate computation of binomial probabilities".

    Examples
    --------
    >>> round(binomial_at_most(1, 9, 0.5), 12)
    0.01953125
    """
    if k >= n:
        return 1.0
    if k < 0:
        return 0.0
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 else 0.0
    if k < n * share:
        odds = (1.0 - share) / share
        ratios = (j / (n - j + 1.0) * odds for j in range(k, 0, -1))
        return min(1.0, _exactly(k, n, share) * _sum_of_products(ratios))
    odds = share / (1.0 - share)
    ratios = ((n - j) / (j + 1.0) * odds for j in range(k + 1, n))
    return max(0.0, 1.0 - _exactly(k + 1, n, share) * _sum_of_products(ratios))


def _sum_of_products(ratios: Iterator[float]) -> float:
    """Return 1 + r₁ + r₁r₂ + … of ratios that fall, until nothing is added."""
    total = term = 1.0
    for ratio in ratios:
        term *= ratio
        total += term
        if term < _ENOUGH * total:
            break
    return total


def _exactly(k: int, n: int, share: float) -> float:
    """Return the chance of exactly `k` successes."""
    if k == 0:
        return math.exp(n * math.log1p(-share))
    if k == n:
        return math.exp(n * math.log(share))
    rest = n - k
    log = _beyond_stirling(n) - _beyond_stirling(k) - _beyond_stirling(rest)
    log -= _deviance(k, n * share) + _deviance(rest, n * (1.0 - share))
    return math.exp(log) * math.sqrt(n / (2.0 * math.pi * k * rest))


def _deviance(k: float, mean: float) -> float:
    """Return k log(k / mean) + mean − k; by a series where that would lose digits."""
    v = (k - mean) / (k + mean)
    if abs(v) >= _NEAR:
        return k * math.log(k / mean) + mean - k
    total, term, square = (k - mean) * v, 2.0 * k * v, v * v
    for odd in range(3, 40, 2):
        term *= square
        total += term / odd
        if abs(term) < _ENOUGH * total:
            break
    return total


@functools.lru_cache(maxsize=4096)
def _beyond_stirling(n: int) -> float:
    """Return log n! less Stirling's n log n − n + log(2πn) / 2."""
    if n < _SMALL:
        return math.log(math.factorial(n)) - (
            n * math.log(n) - n + 0.5 * math.log(n) + _HALF_LOG_2PI
        )
    return float(_series(float(n)))


def _series(x: Any) -> Any:
    """Return what Stirling's formula leaves out, of numbers from 16 on."""
    i = 1.0 / (x * x)
    return (
        1 / 12
        - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 * i) * i) * i) * i) * i
    ) / x


@functools.cache
def _small_log_factorials() -> FloatArray:
    return np.array([math.log(math.factorial(k)) for k in range(_SMALL)])


# --- The chi-square distribution: its median ---

_CHI_SQUARE_MANY = 100.0  # degrees of freedom from which on the series is exact to 1e-13
_CHI_SQUARE_STEPS = 60
_CHI_SQUARE_TERMS = 500  # of a power series; some dozen as it is used
_CHI_SQUARE_EXACT = 1e-17
_CHI_SQUARE_CLOSE = 1e-9  # after a step this small, Newton's next would be below rounding


@functools.lru_cache(maxsize=4096)  # pairs of one family have the same degrees of freedom
def chi_square_median(df: float) -> float:
    r"""Return the median of chi-square with `df` degrees of freedom.

    Half of it is the median of a gamma variable of shape :math:`a = df / 2`. For large a that is a
    series [1]_, :math:`a - \tfrac13 + \tfrac{8}{405 a} + \dots`; else Newton's method on the power
    series of the incomplete gamma function [2]_. Within 1e-12 of scipy's gammaincinv, relative.

    References
    ----------
    .. [1] Choi (1994), "On the medians of gamma distributions and an equation of Ramanujan",
       Proceedings of the American Mathematical Society 121(1), 245–251.
    .. [2] Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 6.5.29.

    Examples
    --------
    >>> round(chi_square_median(1.0), 6), round(chi_square_median(10.0), 6)
    (0.454936, 9.341818)
    """
    if not df > 0.0:
        return math.nan
    if math.isinf(df):
        return math.inf
    a = 0.5 * df
    if df >= _CHI_SQUARE_MANY:
        return 2.0 * _by_series(a)
    # On the scale of log x the chance is concave, so that Newton's steps from the left stay there.
    x = a * math.exp(-1.0 / (3.0 * a)) if a > 0.5 else (0.5 * math.gamma(a + 1.0)) ** (1.0 / a)
    for _ in range(_CHI_SQUARE_STEPS):
        below = _gamma_below(a, x)
        density = math.exp(a * math.log(x) - x - math.lgamma(a))  # of log x
        step = (0.5 - below) / density
        x *= math.exp(step)
        if abs(step) < _CHI_SQUARE_CLOSE:
            break
    return 2.0 * x


def _by_series(a: float) -> float:
    i = 1.0 / a
    series = 8 / 405 + (184 / 25515 + (2248 / 3444525 - 19006408 / 15345358875 * i) * i) * i
    return a - 1.0 / 3.0 + series * i


def _gamma_below(a: float, x: float) -> float:
    """Return the chance that a gamma variable of shape `a` is at most `x`."""
    term = total = 1.0
    for n in range(1, _CHI_SQUARE_TERMS):
        term *= x / (a + n)
        total += term
        if term < _CHI_SQUARE_EXACT * total:
            break
    return math.exp(a * math.log(x) - x - math.lgamma(a + 1.0)) * total


# --- The noncentral t distribution ---

_NONCENTRAL_NORMAL = (
    1e15  # degrees of freedom from which on the estimated error is the true one
)
_FINE = 0.7  # step over the narrowest feature: the rule then errs by exp(−2π² / .7²), 1e-17
_TAILS = 9.0  # standard deviations that are integrated over on either side
_MOST = 20_000  # nodes; more are needed only by critical values of hundreds


def noncentral_t_below(x: float, df: float, shift: float) -> float:
    r"""Return the chance that noncentral t with `df` degrees of freedom is at most `x`.

    T is :math:`(Z + \delta) / S` with :math:`S = \sqrt{\chi^2_{df} / df}`, so that

    .. math:: P(T \le x) = E\,\Phi(x S - \delta),

    a mean over S. On the scale of log S the density of S and Φ are smooth, and both fall off
    quickly, so that the trapezoidal rule is exact to rounding [1]_ once its step is below the width
    of the narrower of the two. Within 1e-13 of scipy's nctdtr, absolute.

    References
    ----------
    .. [1] Trefethen and Weideman (2014), "The exponentially convergent trapezoidal rule", SIAM
       Review 56(3), 385–458.

    Examples
    --------
    >>> round(noncentral_t_below(2.228139, 10.0, 3.0), 6)
    0.2286
    """
    if math.isnan(x) or math.isnan(shift) or not df > 0.0:
        return math.nan
    if df >= _NONCENTRAL_NORMAL:
        return normal_below(x - shift)
    lowest = -_TAILS / math.sqrt(2.0 * df) - 40.0 / df
    highest = min(_TAILS / math.sqrt(2.0 * df) + 3.0 / df, 3.2)
    step = _FINE / math.hypot(abs(shift) + _TAILS, math.sqrt(2.0 * df))
    n = math.ceil((highest - lowest) / step)
    if n > _MOST:
        from scipy.special import nctdtr

        return float(nctdtr(df, shift, x))
    nodes, weights = _error_factors(df, lowest, highest, n)
    return float(weights @ normal_below_each(x * nodes - shift))


@functools.lru_cache(maxsize=64)  # a search for a shift asks for the same ones at every step
def _error_factors(
    df: float, lowest: float, highest: float, n: int
) -> tuple[FloatArray, FloatArray]:
    r"""Return values of S and their chances, evenly spaced in u = log S.

    The density of u is proportional to :math:`\exp(df\,u - df\,(e^{2u} - 1) / 2)`.
    """
    u = np.linspace(lowest, highest, n + 1)
    logs = df * u - 0.5 * df * np.expm1(2.0 * u)
    weights = np.exp(logs)
    return np.exp(u), weights / weights.sum()


# --- The largest difference of two of many normal numbers ---


def largest_gaps(values: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the largest |difference| of two columns, times its scale, of every row.

    Parameters
    ----------
    values : array of shape (rows, columns)
    scales : array of shape (columns, columns)
        What is above the diagonal counts.

    Examples
    --------
    >>> largest_gaps(np.array([[1.0, 4.0, 2.0]]), np.array([[0, 1.0, 9.0], [0, 0, 2.0], [0, 0, 0]]))
    array([9.])
    """
    rows, columns = values.shape
    largest = np.zeros(rows)
    gaps = native("largest_gaps", Floats, Size, Size, Floats, OutFloats)
    if gaps is not None:
        check_shape(scales, (columns, columns), "scales")
        gaps(
            np.ascontiguousarray(values.T), columns, rows, np.ascontiguousarray(scales), largest
        )
        return largest
    for i in range(columns - 1):
        apart = np.abs(values[:, i + 1 :] - values[:, i, None])
        apart *= scales[i, i + 1 :]
        np.maximum(largest, apart.max(axis=1), out=largest)
    return largest
