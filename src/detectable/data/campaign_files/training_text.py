"""Texts to try a page on, which are never counted."""

import math
from dataclasses import dataclass

from detectable.core.errors import DataError, InputError
from detectable.data.files.missing import is_missing
from detectable.data.files.place import FilePath, quote
from detectable.data.files.table import Table, read_table

_TEXTS = ("text", "source", "reference", "hint")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingText:
    """A text to try the page on.

    `low` and `high` are the scores that are expected of it, and `hint` is said after the answer.
    """

    text: str
    source: str | None = None
    reference: str | None = None
    low: float | None = None
    high: float | None = None
    hint: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError("`text` must not be empty; got a training text without words.")
        ends = [end for end in (self.low, self.high) if end is not None]
        if len(ends) == 1 or not all(map(math.isfinite, ends)) or ends != sorted(ends):
            raise InputError(
                f"`low` and `high` must be two numbers in order, or none; got {self.low} and "
                f"{self.high}."
            )


def read_training(path: FilePath) -> tuple[TrainingText, ...]:
    """Read a table with the columns ``text``, and ``source, reference, low, high, hint`` if known."""
    table = read_table(path)
    if "text" not in table.columns:
        raise table.missing("a column 'text'")
    made = []
    for row in range(table.n_rows):
        cells = {name: _cell(table, row, name) for name in _TEXTS}
        try:
            made.append(
                TrainingText(
                    text=cells["text"] or "",
                    source=cells["source"],
                    reference=cells["reference"],
                    low=_number(table, row, "low"),
                    high=_number(table, row, "high"),
                    hint=cells["hint"] or "",
                )
            )
        except InputError as error:
            raise DataError(f"{table.place(row)}: {error}") from error
    return tuple(made)


def _cell(table: Table, row: int, name: str) -> str | None:
    if name not in table.columns:
        return None
    value = table.cells(name)[row]
    return None if is_missing(value) else str(value)


def _number(table: Table, row: int, name: str) -> float | None:
    text = _cell(table, row, name)
    try:
        return None if text is None else float(text)
    except ValueError:
        raise DataError(
            f"{table.place(row, name)}: expected a number, found {quote(text)}."
        ) from None
