r"""Chances of single items, all of them the same: intervals that are not of zero width.

Where every item has the same value, its standard error is 0, and a t interval would be certain.
None of n items differs from the others, so the share of items that do is below
:math:`u = 1 - (\alpha/2)^{1/n}` [1]_. An item may lie anywhere on the scale, so the mean of values
v between a and b lies within :math:`[v - u(v - a),\; v + u(b - v)]`. For a share of right answers
that are all right this is the exact interval, :math:`[(\alpha/2)^{1/n}, 1]`.

References
----------
.. [1] Clopper and Pearson (1934), "The use of confidence or fiducial limits", Biometrika 26(4),
   404–413.
"""

from detectable.core.interval import Interval
from detectable.inference.delta import Estimate


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
