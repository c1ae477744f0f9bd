"""A raw table: columns with names, from a file or from memory.

All readers of texts, scores and judgments start here. A table does not know what its columns
mean; it knows where every cell stands.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from detectable.core.errors import DataError, InputError
from detectable.core.wording import listing
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import read_delimited
from detectable.data.files.json_entries import json_entries
from detectable.data.files.memory_table import memory_columns
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines

_FIRST = re.compile(rb"[^\xef\xbb\xbf \t\r\n]")  # byte after a byte-order mark and space
TableSource: TypeAlias = FilePath | Mapping[str, Sequence[Any]] | Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Whole columns by name.

    Attributes
    ----------
    path : str
        The file; empty for a table in memory.
    columns : mapping of str to polars series, array or list
        The values of each column: text in delimited files, else what the file holds.
    lines : sequence of int or None
        The line in which each row begins; its number in a Parquet file, which has no lines. None
        in memory, where rows are counted from 0.
    """

    path: str
    columns: Mapping[str, Any]
    lines: Sequence[int] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows below the header."""
        rows = next(iter(self.columns.values()), ()) if self.lines is None else self.lines
        return len(rows)

    @property
    def subject(self) -> str:
        """What a message is about."""
        return self.path or "the table"

    def cells(self, column: str) -> list[Any]:
        """Return the cells of one column as plain values."""
        values = self.columns[column]
        plain = getattr(values, "to_list", None) or getattr(values, "tolist", None)
        return list(values if plain is None else plain())

    def place(self, row: int, column: str | None = None) -> str:
        """Return where a cell stands, for messages."""
        if self.path:
            return place(
                self.path, None if self.lines is None else int(self.lines[row]), column
            )
        return f"row {row:,} (from 0)" + ("" if column is None else f", column {column!r}")

    def find(self, names: Sequence[str]) -> list[str]:
        """Return the columns that go by one of the names, in the order of the names."""
        known = {name.strip().casefold(): name for name in reversed(list(self.columns))}
        return [known[name] for name in names if name in known]

    def take(self, rows: Sequence[int]) -> "Table":
        """Return the table cut to some rows, which keep their lines."""
        columns = {}
        for name in self.columns:
            cells = self.cells(name)
            columns[name] = [cells[row] for row in rows]
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return Table(path=self.path, columns=columns, lines=lines)

    def missing(self, what: str) -> DataError:
        """Return the error that a column is missing, with what was found instead."""
        return DataError(
            f"{self.subject}: there is no column for {what}. "
            f"Found: {listing(list(self.columns), most=20)}."
        )


def is_path(source: object) -> TypeGuard[FilePath]:
    """Return whether a source is a file or folder, and not a table in memory."""
    return isinstance(source, str) or hasattr(source, "__fspath__")


def read_table(
    source: TableSource, *, quoted: bool | None = None, several: bool = False
) -> Table:
    """Return a table with a header; first bytes, ending and header line tell its format.

    Parameters
    ----------
    source : path, mapping of str to sequence, or data frame
        A CSV, TSV, JSON, JSON-lines or Parquet file, which may be compressed; or a table in
        memory.
    quoted : bool, optional
        Whether quotation marks enclose cells of delimited text, as in `read_delimited`.
    several : bool
        Whether delimited text with one column alone is refused.

    Examples
    --------
    >>> read_table({"system": ["A", "B"], "score": [1, 2]}).cells("score")
    [1, 2]
    """
    if not is_path(source):
        table = Table(path="", columns=memory_columns(source))
    else:
        table = _read_file(FileContent.of(source), quoted=quoted, several=several)
    if table.n_rows == 0:
        where, header = (f"{table.path}: ", "a header and ") if table.path else ("", "")
        raise DataError(f"{where}the table has {header}no row. Give at least one row.")
    return table


def _read_file(content: FileContent, *, quoted: bool | None, several: bool) -> Table:
    first = _FIRST.search(content.data)
    if first is None:
        raise DataError(f"{content}: the file is empty. Give a table with a header and rows.")
    start = first.group()
    columns: Mapping[str, Any]
    lines: Sequence[int]
    if quoted is not None and (content.is_parquet or start in (b"{", b"[")):
        raise InputError(f"`quoted` applies to CSV and TSV only; {content} is neither.")
    if content.is_parquet:
        frame = parquet_frame(content, content.data)
        columns = {name: frame[name] for name in frame.columns}
        lines = range(1, frame.height + 1)
    elif start in (b"{", b"["):
        columns, lines = _json_rows(content, start)
    else:
        columns, lines = read_delimited(content, quoted=quoted, several=several)
    return Table(path=str(content), columns=columns, lines=lines)


def _json_rows(content: FileContent, start: bytes) -> tuple[dict[str, Any], list[int]]:
    listed = start == b"["
    rows = list(json_entries(content.text, content) if listed else read_json_lines(content))
    for line, row in rows:
        if not isinstance(row, dict):
            raise DataError(
                f"{place(content, line)}: expected an object with named values, found {quote(row)}."
            )
    names = dict.fromkeys(key for _, row in rows for key in row)
    columns = {name: [row.get(name) for _, row in rows] for name in names}
    return columns, [line for line, _ in rows]


def find_column(
    table: Table, role: str, names: Sequence[str], columns: Mapping[str, str]
) -> str | None:
    """Return the column with a role: the one that was chosen, or the first known name present."""
    if role in columns:
        if columns[role] not in table.columns:
            raise DataError(
                f"{table.subject}: there is no column {columns[role]!r} for the {role}. "
                f"Found: {listing(list(table.columns), most=20)}."
            )
        return columns[role]
    return next(iter(table.find(names)), None)


def check_roles(columns: Mapping[str, str], roles: Iterable[str]) -> None:
    """Refuse a choice of column for a role that the reader does not have."""
    known = list(roles)
    for role in columns:
        if role not in known:
            raise InputError(f"`columns` must choose {', '.join(known)}; got {role!r}.")
