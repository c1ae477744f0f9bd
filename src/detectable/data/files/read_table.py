"""Tables with a header: CSV, TSV, JSON lines and Parquet.

Delimited text is read by the standard library and not by polars, because every message must
name the line: polars fills a short row with nulls without a word, and an error of its CSV
reader names no line. Parquet has no lines, and polars reads it.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_bytes import decode_text, read_bytes
from detectable.data.files.read_json import parse_json_lines
from detectable.data.files.read_lines import split_lines

PARQUET = b"PAR1"
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t,;", ".tab": "\t,;"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cells of a file by column.

    Attributes
    ----------
    path : str
        The file.
    columns : mapping of str to sequence
        The values of each column: text in delimited files, JSON values or what polars gives.
    lines : sequence of int
        The line in which each row begins; its number in a Parquet file, which has no lines.
    """

    path: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int]

    @property
    def n_rows(self) -> int:
        """The number of rows below the header."""
        return len(self.lines)

    def place(self, row: int, column: str | None = None) -> str:
        """Return where a cell stands, for messages."""
        return place(self.path, self.lines[row], column)


def read_table(path: FilePath, *, quoted: bool | None = None) -> Table:
    """Read a table with a header; first bytes, ending and header line tell its format.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSON-lines or Parquet file; all but Parquet may be compressed.
    quoted : bool, optional
        Whether quotation marks enclose cells of delimited text. By default they do if the
        delimiter is a comma or semicolon, and are plain characters if it is a tab, where a
        single quotation mark in a sentence would otherwise swallow the rows that follow.
    """
    data = read_bytes(path)
    if data.startswith(PARQUET):
        table = _read_parquet(path, data)
    elif data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        table = _read_json_lines(path, split_lines(decode_text(data, path), path))
    else:
        lines = split_lines(decode_text(data, path), path)
        table = _read_delimited(path, lines, quoted=quoted)
        quoted = None
    if quoted is not None:
        raise InputError(f"`quoted` applies to CSV and TSV only; {path} is neither.")
    if table.n_rows == 0:
        raise DataError(f"{path}: the table has a header and no row. Give at least one row.")
    return table


def find_column(
    table: Table, role: str, names: Sequence[str], columns: Mapping[str, str]
) -> str | None:
    """Return the column with a role: the one that was chosen, or the first known name present."""
    if role in columns:
        if columns[role] not in table.columns:
            raise DataError(
                f"{table.path}: there is no column {columns[role]!r} for the {role}. "
                f"Found: {listing(list(table.columns), most=20)}."
            )
        return columns[role]
    known = {name.strip().casefold(): name for name in reversed(list(table.columns))}
    return next((known[name] for name in names if name in known), None)


def check_roles(columns: Mapping[str, str], roles: Iterable[str]) -> None:
    """Refuse a choice of column for a role that the reader does not have."""
    known = list(roles)
    for role in columns:
        if role not in known:
            raise InputError(f"`columns` must choose {', '.join(known)}; got {role!r}.")


def _read_parquet(path: FilePath, data: bytes) -> Table:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{path}: the Parquet file cannot be read ({error}). Copy it again."
        ) from error
    columns = {name: frame[name].to_list() for name in frame.columns}
    return Table(path=str(path), columns=columns, lines=range(1, frame.height + 1))


def _read_json_lines(path: FilePath, lines: Sequence[str]) -> Table:
    rows = list(parse_json_lines(lines, path))
    names = dict.fromkeys(key for _, row in rows for key in row)
    columns = {name: [row.get(name) for _, row in rows] for name in names}
    return Table(path=str(path), columns=columns, lines=[number for number, _ in rows])


def _read_delimited(path: FilePath, lines: Sequence[str], *, quoted: bool | None) -> Table:
    delimiter = _delimiter(path, lines[0])
    if quoted if quoted is not None else delimiter != "\t":
        rows = list(_quoted_rows(path, lines, delimiter))
    else:
        rows = [(number, line.split(delimiter)) for number, line in enumerate(lines, start=1)]
    header = rows[0][1]
    _check_header(path, header)
    body = _without_blank_end(rows[1:])
    for number, cells in body:
        if len(cells) != len(header):
            raise DataError(
                f"{place(path, number)}: the header has {count(len(header), 'column')}, this "
                f"row has {len(cells)}. Look for a {_NAMES[delimiter]} too many or too few."
            )
    columns = {name: [cells[i] for _, cells in body] for i, name in enumerate(header)}
    return Table(path=str(path), columns=columns, lines=[number for number, _ in body])


_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}


def _delimiter(path: FilePath, header: str) -> str:
    ending = next((s for s in reversed(PurePath(path).suffixes) if s in _DELIMITERS), ".tsv")
    for delimiter in _DELIMITERS[ending]:
        if delimiter in header:
            return delimiter
    return _DELIMITERS[ending][0]


def _quoted_rows(
    path: FilePath, lines: Sequence[str], delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    start = 1
    try:
        for cells in reader:
            yield start, cells or [""]
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{place(path, start)}: the row cannot be read ({error}). Look for an unclosed "
            "quotation mark; if quotation marks are plain characters, use quoted=False."
        ) from error


def _without_blank_end(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Drop empty lines below a table of several columns; elsewhere they are errors."""
    while rows and len(rows[0][1]) > 1 and rows[-1][1] == [""]:
        rows = rows[:-1]
    return rows


def _check_header(path: FilePath, header: Sequence[str]) -> None:
    for index, name in enumerate(header):
        if name in header[:index]:
            raise DataError(
                f"{place(path, 1)}: the column name {quote(name)} appears twice, as column "
                f"{header.index(name) + 1} and {index + 1}. Rename one."
            )
