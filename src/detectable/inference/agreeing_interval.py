"""Intervals that say the same as the test beside them."""

import math

from detectable.core.interval import Interval


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
