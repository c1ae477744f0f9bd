"""Answers that are impossible, and the numbers in those that are not."""

import math
from typing import Any

from detectable.core.errors import RefusedError


def wrong(message: str) -> RefusedError:
    """Return the refusal of an answer."""
    return RefusedError("wrong_answer", message)


def number(value: Any) -> float | None:
    """Return a finite number, or None for anything else.

    Examples
    --------
    >>> number(7), number(True), number("7"), number(float("nan"))
    (7.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:  # whole numbers of JSON have no end
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Return a whole number; to JSON 8618.0 is one.

    Examples
    --------
    >>> whole(8618.0), whole(1.5), whole(False)
    (8618, None, None)
    """
    found = number(value)
    return None if found is None or found != int(found) else int(found)
