"""The chi-square distribution: its median."""

import functools
import math

_MANY = 100.0  # degrees of freedom from which on the series is exact to 1e-13
_STEPS = 60
_TERMS = 500  # of a power series; some dozen as it is used
_EXACT = 1e-17
_CLOSE = 1e-9  # after a step this small, Newton's next would be below rounding


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
    if df >= _MANY:
        return 2.0 * _by_series(a)
    # On the scale of log x the chance is concave, so that Newton's steps from the left stay there.
    x = a * math.exp(-1.0 / (3.0 * a)) if a > 0.5 else (0.5 * math.gamma(a + 1.0)) ** (1.0 / a)
    for _ in range(_STEPS):
        below = _gamma_below(a, x)
        density = math.exp(a * math.log(x) - x - math.lgamma(a))  # of log x
        step = (0.5 - below) / density
        x *= math.exp(step)
        if abs(step) < _CLOSE:
            break
    return 2.0 * x


def _by_series(a: float) -> float:
    i = 1.0 / a
    series = 8 / 405 + (184 / 25515 + (2248 / 3444525 - 19006408 / 15345358875 * i) * i) * i
    return a - 1.0 / 3.0 + series * i


def _gamma_below(a: float, x: float) -> float:
    """Return the chance that a gamma variable of shape `a` is at most `x`."""
    term = total = 1.0
    for n in range(1, _TERMS):
        term *= x / (a + n)
        total += term
        if term < _EXACT * total:
            break
    return math.exp(a * math.log(x) - x - math.lgamma(a + 1.0)) * total
