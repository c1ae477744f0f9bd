"""Times of judgments as numbers."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.files.missing import is_missing
from detectable.data.files.place import quote
from detectable.data.files.problems import Problems


def judgment_seconds(values: Any, problems: Problems, where: Any) -> FloatArray:
    """Return times in seconds, NaN where one is missing; others must be numbers from 0 on."""
    try:
        seconds = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        seconds = np.array([])
    if seconds.shape != (len(values),):
        seconds = np.array([_seconds(value) for value in values])
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero((seconds < 0) | np.isinf(seconds))
    if bad.size:
        problems.add_rows(
            bad.tolist(),
            lambda row: where(row, "seconds"),
            f"the time must be a number of seconds, found {quote(values[int(bad[0])])}",
            "Leave it empty where it is not known.",
        )
    return seconds


def _seconds(value: Any) -> float:
    """Return a time, NaN where it is missing, and a negative number where it is none."""
    if is_missing(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return -1.0


def elapsed(times: Iterable[Any]) -> float | None:
    """Return the seconds from the first to the last of some times; None if that makes no sense.

    Examples
    --------
    >>> elapsed([100.0, 103.5]), elapsed([5, 4]), elapsed(["?", 1]), elapsed([])
    (3.5, None, None, None)
    """
    try:
        numbers = [float(time) for time in times]
    except (TypeError, ValueError, OverflowError):
        return None
    spent = numbers[-1] - numbers[0] if numbers else -1.0
    return spent if 0.0 <= spent < float("inf") else None
