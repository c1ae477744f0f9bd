"""The root of a function between two points, by Brent's method."""

import sys
from collections.abc import Callable

from detectable.core.errors import DetectableError

_EPSILON = sys.float_info.epsilon
_STEPS = 500


def bracketed_root(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    tolerance: float = 2e-12,
    relative: float = 4.0 * _EPSILON,
) -> float:
    """Return where a continuous function crosses zero between two points of opposite sign.

    Inverse quadratic interpolation where it is safe, a step of halving where it is not [1]_. The
    root is within `tolerance` + `relative` · |root|, and mostly far closer.

    References
    ----------
    .. [1] Brent (1973), Algorithms for Minimization without Derivatives, Prentice-Hall, chapter 4.

    Examples
    --------
    >>> round(bracketed_root(lambda x: x * x - 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    before, now = low, high
    f_before, f_now = function(before), function(now)
    if f_before == 0.0:
        return before
    if f_now != 0.0 and (f_before > 0.0) == (f_now > 0.0):
        raise DetectableError(
            f"there is no root between {low:g} and {high:g}: the function is {f_before:g} and "
            f"{f_now:g} there. Please report this."
        )
    opposite, f_opposite = before, f_before
    step = earlier = now - before
    for _ in range(_STEPS):
        if (f_now > 0.0) == (f_opposite > 0.0):
            opposite, f_opposite = before, f_before
            step = earlier = now - before
        if abs(f_opposite) < abs(f_now):  # the best guess is always `now`
            before, now, opposite = now, opposite, now
            f_before, f_now, f_opposite = f_now, f_opposite, f_now
        smallest = 0.5 * (tolerance + relative * abs(now))
        middle = 0.5 * (opposite - now)
        if abs(middle) <= smallest or f_now == 0.0:
            return now
        tried = _interpolated((before, now, opposite), (f_before, f_now, f_opposite))
        shrinks = abs(earlier) >= smallest and abs(f_before) > abs(f_now)
        within = 2.0 * abs(tried) < min(3.0 * abs(middle) - smallest, abs(earlier))
        if shrinks and within and (tried > 0.0) == (middle > 0.0):
            earlier, step = step, tried
        else:
            earlier = step = middle
        before, f_before = now, f_now
        now += step if abs(step) > smallest else (smallest if middle > 0.0 else -smallest)
        f_now = function(now)
    return now


def _interpolated(at: tuple[float, float, float], values: tuple[float, float, float]) -> float:
    """Return the step from the second of three points to where their inverse parabola is zero."""
    (a, b, c), (fa, fb, fc) = at, values
    if a == c or fa in (fb, fc):  # two points only: the secant
        return fb * (c - b) / (fb - fc)
    r, s, t = fb / fc, fb / fa, fa / fc
    upper = s * (t * (r - t) * (c - b) - (1.0 - r) * (b - a))
    return upper / ((t - 1.0) * (r - 1.0) * (s - 1.0))
