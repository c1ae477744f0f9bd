"""Columns with names, from a file or from a table in memory."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.delimited_columns import delimited_columns
from detectable.data.files.json_entries import json_entries
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_bytes import decode_text, read_bytes
from detectable.data.files.read_table import PARQUET, read_table

if TYPE_CHECKING:
    import polars as pl

JudgmentsSource: TypeAlias = FilePath | Mapping[str, Sequence[Any]] | Any


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedColumns:
    """Whole columns by name: polars series, arrays or lists.

    Attributes
    ----------
    path : str
        The file; empty for a table in memory.
    columns : mapping of str to sequence
        The values of each column.
    lines : sequence of int or None
        The line, or the row of a Parquet file, of each row.
    """

    path: str
    columns: Mapping[str, Any]
    lines: Sequence[int] | None = None

    @property
    def subject(self) -> str:
        """What a message is about."""
        return self.path or "the table"

    def find(self, names: Sequence[str]) -> list[str]:
        """Return the columns that go by one of the names, in the order of the names."""
        known = {name.strip().casefold(): name for name in reversed(list(self.columns))}
        return [known[name] for name in names if name in known]

    def missing(self, what: str) -> DataError:
        """Return the error that a column is missing, with what was found instead."""
        return DataError(
            f"{self.subject}: there is no column for {what}. "
            f"Found: {listing(list(self.columns), most=20)}."
        )


def is_path(source: object) -> TypeGuard[FilePath]:
    """Return whether a source is a file or folder, and not a table in memory."""
    return isinstance(source, str) or hasattr(source, "__fspath__")


def load_columns(source: JudgmentsSource) -> NamedColumns:
    """Return the columns of a CSV, TSV, JSON, JSON-lines or Parquet file, or of a data frame."""
    if not is_path(source):
        return _in_memory(source)
    data = read_bytes(source)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if data.startswith(PARQUET):
        frame = parquet_frame(source, data)
        columns: Mapping[str, Any] = {name: frame[name] for name in frame.columns}
        lines: Sequence[int] = range(1, frame.height + 1)
    elif start == b"{":
        table = read_table(source)
        columns, lines = table.columns, table.lines
    elif start == b"[":
        columns, lines = _json_rows(source, decode_text(data, source))
    elif not start:
        raise DataError(f"{source}: the file is empty. Give a file with judgments.")
    else:
        columns, lines = delimited_columns(source, data)
    if not len(lines):
        raise DataError(f"{source}: the table has no row. Give at least one judgment.")
    return NamedColumns(path=str(source), columns=columns, lines=lines)


def parquet_frame(path: FilePath, data: bytes) -> "pl.DataFrame":
    """Return a Parquet file as a frame."""
    import polars as pl

    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{path}: the Parquet file cannot be read ({error}). Copy it again."
        ) from error


def _json_rows(path: FilePath, text: str) -> tuple[dict[str, Any], Sequence[int]]:
    rows = list(json_entries(text, path))
    for line, row in rows:
        if not isinstance(row, dict):
            raise DataError(
                f"{place(path, line)}: expected an object with named values, found {quote(row)}."
            )
    names = dict.fromkeys(str(key) for _, row in rows for key in row)
    columns = {name: [row.get(name) for _, row in rows] for name in names}
    return columns, [line for line, _ in rows]


def _in_memory(source: Any) -> NamedColumns:
    if isinstance(source, Mapping):
        columns = {str(name): _column(values) for name, values in source.items()}
    elif hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        columns = {str(name): _column(source[name]) for name in source.columns}
    elif hasattr(source, "collect") or hasattr(source, "__arrow_c_stream__"):
        columns = _arrow(source)
    else:
        raise InputError(
            "`source` must be a file, a mapping of columns or a data frame (pandas, polars, "
            f"Arrow); got {type(source).__name__}."
        )
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {count(n, 'row')}" for name, n in sizes.items())
        raise DataError(f"the columns of a table must have one length: {listed}.")
    if not any(sizes.values()):
        raise DataError("the table has no row. Give at least one judgment.")
    return NamedColumns(path="", columns=columns)


def _arrow(source: Any) -> dict[str, Any]:
    import polars as pl

    frame = source.collect() if isinstance(source, pl.LazyFrame) else pl.DataFrame(source)
    return {name: frame[name] for name in frame.columns}


def _column(values: Any) -> Any:
    import polars as pl

    if isinstance(values, pl.Series):
        return values
    array = values if isinstance(values, np.ndarray) else getattr(values, "values", None)
    if isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in "iufbU":
        return array
    return [None if _missing(value) else value for value in _listed(values)]


def _listed(values: Any) -> Iterable[Any]:
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"`source` must map names to sequences; got {quote(values)}.")
    return list(values)


def _missing(value: object) -> bool:
    """Return whether pandas or numpy call a value missing."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def line_of(named: NamedColumns, row: int, column: str | None = None) -> str:
    """Return where a row stands, for messages."""
    if not named.path:
        return f"row {row:,} (from 0)" + ("" if column is None else f", column {column!r}")
    return place(named.path, None if named.lines is None else int(named.lines[row]), column)
