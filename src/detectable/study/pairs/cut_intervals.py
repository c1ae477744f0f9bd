"""A note about intervals that end at 0 because a later step of a correction decided the pair."""

import math
from collections.abc import Iterable

from detectable.core.interval import Interval
from detectable.core.wording import listing

_NEXT_TO_ZERO = math.nextafter(0.0, math.inf)  # as `agreeing_interval` cuts


def cut_intervals(pairs: Iterable[tuple[str, Interval]]) -> tuple[str, ...]:
    """Name the pairs whose interval was cut to agree with its verdict, and what that costs.

    How often all intervals hold is measured in docs/calibration.md (families, one better).

    Examples
    --------
    >>> cut_intervals([("B − A", Interval(0.1, 1.0, 0.95))])
    ()
    """
    cut = [name for name, one in pairs if _NEXT_TO_ZERO in (one.low, -one.high)]
    if not cut:
        return ()
    ends = "ends" if len(cut) == 1 else "end"
    intervals = "The interval of" if len(cut) == 1 else "The intervals of"
    return (
        f"{intervals} {listing(cut, most=3)} {ends} at 0: a later step of the correction decides "
        "there, and the interval follows the verdict. Where one system is far ahead, all 95 % "
        "intervals together hold in 92 to 95 % of evaluations; verdicts keep their level.",
    )
