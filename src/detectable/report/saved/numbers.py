"""Numbers in a file: JSON has no word for what is no number and for what has no end."""

import math
from typing import Any

from detectable.report.saved.damaged import Damaged

_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def written_number(value: float) -> float | str:
    """Return a number as JSON can hold it.

    Examples
    --------
    >>> written_number(0.1), written_number(-math.inf), written_number(3)
    (0.1, '-inf', 3)
    """
    if isinstance(value, int) or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def read_number(value: Any, where: str) -> float:
    """Return the number that stands in a file; a whole one stays whole."""
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise Damaged(where, 'a number, "nan", "inf" or "-inf"', value)
