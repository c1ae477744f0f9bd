"""Cells of a table as numbers: a whole column, or one score."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import plain_digits
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
    wrong = np.abs(numbers) > LARGEST_SCORE
    if allowed is not None:
        fine = given & ~wrong
        wrong[fine] = ~allowed(numbers[fine])
    rows = np.flatnonzero(wrong)
    if rows.size:
        if allowed is None and abs(numbers[rows[0]]) < np.inf:
            must = f"{must} within ±{LARGEST_SCORE:g}"
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
    found = number_in(cell)
    return float("inf") if found is None else found


def number_in(cell: object) -> float | None:
    """Return the number that a cell holds; None for all else, true and false among it.

    Examples
    --------
    >>> number_in(" 1e3 "), number_in("1_000"), number_in(True)
    (1000.0, None, None)
    """
    if isinstance(cell, bool | np.bool_):
        return None
    try:
        return float(plain_digits(cell) if isinstance(cell, str) else cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):  # also what has no __float__
        return None


# --- One score as it stands in a file, as a number ---

_WORDS = {"true": 1.0, "false": 0.0}


def parse_score(
    value: object,
    path: FilePath,
    line: int | None = None,
    column: str | None = None,
    *,
    hint: str = "",
    truth: bool = True,
) -> float:
    """Return a score as a number: NaN where it is missing, 1 and 0 for true and false.

    What counts as missing says `is_missing`. Everything else that is not a finite number is an
    error that names its place and ends in `hint`. So are true and false unless `truth` is told:
    they say whether an answer is right, and not what a metric measured.

    Examples
    --------
    >>> parse_score(" 0.5 ", "a.csv"), parse_score("NA", "a.csv"), parse_score(True, "a.csv")
    (0.5, nan, 1.0)
    """
    number = _score_in(value)
    if number is None and (told := _truth_in(value)) is not None:
        if truth:
            return told
        raise DataError(
            f"{place(path, line, column)}: expected a number, found {quote(value)}: true and false "
            f"are no measurements. Write the score.{hint}"
        )
    if number is None or abs(number) > LARGEST_SCORE:
        remedy = "Write a finite number, or leave it empty if it is missing."
        if isinstance(value, str) and "," in value:
            remedy = "Write decimals with a point."
        raise DataError(
            f"{place(path, line, column)}: expected a score, found {quote(value)}. {remedy}{hint}"
        )
    return number


def is_score_cell(value: object) -> bool:
    """Return whether a cell holds a score, as `parse_score` reads it.

    Examples
    --------
    >>> [is_score_cell(cell) for cell in ("0.5", "true", "yes", "A")]
    [True, True, False, False]
    """
    return _score_in(value) is not None or _truth_in(value) is not None


def _score_in(value: object) -> float | None:
    if type(value) is float or type(value) is int:  # nearly all, and nothing can be wrong
        return (
            float(value) if -LARGEST_SCORE <= value <= LARGEST_SCORE or value != value else None
        )
    number = number_in(value)
    return math.nan if number is None and is_missing(value) else number


def _truth_in(value: object) -> float | None:
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower())
    return float(value) if isinstance(value, bool | np.bool_) else None
