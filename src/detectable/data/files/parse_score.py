"""One score as it stands in a file, as a number."""

import math

from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError
from detectable.data.files.missing import is_missing
from detectable.data.files.place import FilePath, place, quote

_WORDS = {"true": 1.0, "false": 0.0}


def parse_score(
    value: object,
    path: FilePath,
    line: int | None = None,
    column: str | None = None,
    *,
    hint: str = "",
) -> float:
    """Return a score as a number: NaN where it is missing, 1 and 0 for true and false.

    What counts as missing says `is_missing`. Everything else that is not a finite number is an
    error that names its place and ends in `hint`.

    Examples
    --------
    >>> parse_score(" 0.5 ", "a.csv"), parse_score("NA", "a.csv"), parse_score(True, "a.csv")
    (0.5, nan, 1.0)
    """
    number = _number(value)
    if number is None or abs(number) > LARGEST_SCORE:
        remedy = "Write a finite number, or leave it empty if it is missing."
        if isinstance(value, str) and "," in value:
            remedy = "Write decimals with a point."
        raise DataError(
            f"{place(path, line, column)}: expected a score, found {quote(value)}. {remedy}{hint}"
        )
    return number


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # what has no __float__ is refused below
    except (TypeError, ValueError, OverflowError):
        if is_missing(value):
            return math.nan
        return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    # Python reads 1_000 and digits of other scripts; in a table they are mistakes.
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    return number
