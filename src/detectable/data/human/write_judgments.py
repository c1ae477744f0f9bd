"""Judgments into a file of our own format."""

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import for_spreadsheet
from detectable.core.write import refuse_existing, write_whole
from detectable.data.factor import Factor
from detectable.data.files.place import FilePath, quote
from detectable.data.human.columns import KINDS
from detectable.data.human.judgment_table import SCALE_COLUMNS
from detectable.data.human.judgments import ROLES, Judgments
from detectable.data.human.scale import SCALE, is_taken_as_percent

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
_REMEDY = "Choose another name, or allow overwriting."


def write_judgments(judgments: Judgments, path: FilePath, *, overwrite: bool = False) -> None:
    """Write judgments as CSV, TSV, JSON lines or Parquet; `read_judgments` gives them back.

    There is one column for each role that the judgments have. In CSV and TSV a name that a
    spreadsheet would take for a formula begins with an apostrophe, which is taken off when the
    file is read. A scale other than 0 to 100, or one that the scores would not show, stands in two
    more columns, ``scale_low`` and ``scale_high``, which are empty where there is no bound.

    Parameters
    ----------
    judgments : Judgments
        What to write.
    path : path
        The file; its ending (``.csv``, ``.tsv``, ``.jsonl``, ``.parquet``) chooses the format.
    overwrite : bool
        Whether a file that exists may be replaced.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"`path` must end in {', '.join(ENDINGS)}; got {str(path)!r}.")
    if not overwrite:
        refuse_existing(target, remedy=_REMEDY)
    write_whole(target, _encoded(judgments, ending), new=not overwrite, remedy=_REMEDY)


def judgments_csv(judgments: Judgments) -> str:
    """Return the text that `write_judgments` writes into a ``.csv`` file."""
    return _encoded(judgments, ".csv").decode()


def _frame(judgments: Judgments, *, for_people: bool) -> "pl.DataFrame":
    """Return the columns; `for_people` in a form that a spreadsheet can open without harm."""
    import polars as pl

    columns = {}
    for role in ROLES:
        value = getattr(judgments, role)
        if role == "kind":
            columns[role] = pl.Series(KINDS).gather(value)
        elif isinstance(value, Factor):
            levels = [for_spreadsheet(one) if for_people else one for one in value.levels]
            columns[role] = pl.Series(levels, dtype=pl.String).gather(value.codes)
        elif value is not None:
            columns[role] = _numbers(pl.Series(value))
    if judgments.scale != SCALE or not is_taken_as_percent(judgments.score):
        for name, end in zip(SCALE_COLUMNS, judgments.scale, strict=True):
            bound = end if math.isfinite(end) else None
            values: list[Any] = [bound] * judgments.n_judgments
            columns[name] = pl.Series(values, dtype=pl.Float64)
    return pl.DataFrame(columns)


def _numbers(values: "pl.Series") -> "pl.Series":
    """Return whole numbers without a decimal point, and nothing where a time is not known."""
    import polars as pl

    values = values.fill_nan(None)
    known = values.drop_nulls()
    whole = known.is_finite().all() and bool((known == known.floor()).all())
    small = not known.len() or bool((known.abs() < 2**53).all())
    # A minus zero would lose its sign as a whole number.
    return values.cast(pl.Int64) if whole and small and not _minus_zero(known) else values


def _minus_zero(values: "pl.Series") -> bool:
    import numpy as np

    numbers = values.to_numpy()
    return bool(np.any((numbers == 0.0) & np.signbit(numbers)))


def _encoded(judgments: Judgments, ending: str) -> bytes:
    if ending in (".csv", ".tsv"):
        _refuse_breaks(judgments, "\n\r\t" if ending == ".tsv" else "\n\r", ending)
    frame = _frame(judgments, for_people=ending in (".csv", ".tsv"))
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    elif ending == ".jsonl":
        frame.write_ndjson(buffer)
    else:
        frame.write_csv(
            buffer,
            separator="," if ending == ".csv" else "\t",
            quote_style="necessary" if ending == ".csv" else "never",
        )
    return buffer.getvalue()


def _refuse_breaks(judgments: Judgments, marks: str, ending: str) -> None:
    """Refuse names that would be cut in two when the file is read."""
    for role in ROLES:
        column = getattr(judgments, role)
        for level in column.levels if isinstance(column, Factor) else ():
            if any(mark in level for mark in marks):
                raise DataError(
                    f"the {role} {quote(level)} holds a line break or a tab, which a {ending} "
                    "file cannot hold. Write .jsonl or .parquet."
                )
