"""Cells of a table as numbers: a whole column, or one score."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.data.files.place import FilePath, Problems, is_missing, place, quote
from detectable.data.files.table import Table


def number_column(
    table: Table,
    column: str,
    problems: Problems,
    *,
    must: str = "a finite number",
    allowed: Callable[[FloatArray], NDArray[np.bool_]] | None = None,
    remedy: str = "Leave it empty where it is not known.",
) -> FloatArray:
    """Return the numbers of a column, NaN where one is missing.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        The name of the column.
    problems : Problems
        Where cells are noted that hold something else, or a number that is not allowed.
    must : str
        What every cell must hold, for the message.
    allowed : callable, optional
        Takes finite numbers and says which are allowed; by default all.
    remedy : str
        What to do about one that is not.

    Examples
    --------
    >>> table = Table(path="", columns={"n": ["100", "", "2e3"]})
    >>> number_column(table, "n", Problems("")).tolist()
    [100.0, nan, 2000.0]
    """
    cells = table.cells(column)
    numbers = np.array([_number(cell) for cell in cells], dtype=np.float64)
    given = ~np.isnan(numbers)
    wrong = np.isinf(numbers)
    if allowed is not None:
        fine = given & ~wrong
        wrong[fine] = ~allowed(numbers[fine])
    rows = np.flatnonzero(wrong)
    if rows.size:
        problems.add_rows(
            rows.tolist(),
            lambda row: table.place(row, column),
            f"expected {must}, found {quote(cells[int(rows[0])])}",
            remedy,
        )
    return numbers


def _number(cell: object) -> float:
    """Return a number, NaN where there is none, and infinity for what cannot be read."""
    if is_missing(cell):
        return float("nan")
    try:
        number = float(cell)  # type: ignore[arg-type]  # what has no __float__ is refused
    except (TypeError, ValueError, OverflowError):
        return float("inf")
    # Python reads 1_000 and digits of other scripts; in a table they are mistakes.
    if isinstance(cell, str) and ("_" in cell or not cell.isascii()):
        return float("inf")
    return number


# --- One score as it stands in a file, as a number ---

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
    number = _score_in(value)
    if number is None or abs(number) > LARGEST_SCORE:
        remedy = "Write a finite number, or leave it empty if it is missing."
        if isinstance(value, str) and "," in value:
            remedy = "Write decimals with a point."
        raise DataError(
            f"{place(path, line, column)}: expected a score, found {quote(value)}. {remedy}{hint}"
        )
    return number


def _score_in(value: object) -> float | None:
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
