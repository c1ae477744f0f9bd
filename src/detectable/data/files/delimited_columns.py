"""Delimited text by columns, fast where it is well formed.

Polars reads a million rows in a fraction of a second, and fills a short row with nulls without
a word. So the separators of every line are counted first, and a row of another length is refused
with its line. Where there are quotation marks, the careful reader takes over.
"""

import io
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_bytes import decode_text
from detectable.data.files.read_table import read_table

_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons"}
_OTHERS = {"|": "vertical bars", " ": "spaces", ":": "colons", "^": "carets", "~": "tildes"}


def delimited_columns(path: FilePath, data: bytes) -> tuple[dict[str, Any], Any]:
    """Return the columns of a file with a header by name, and the line of each row.

    Parameters
    ----------
    path : path
        The file, for messages and for the careful reader.
    data : bytes
        Its content, decompressed.
    """
    decode_text(data, path)  # mis-encoded text is refused with its line
    lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").rstrip(b"\n")
    header = lines.split(b"\n", 1)[0].decode()
    delimiter = header_delimiter(path, header)
    if delimiter is None:
        raise DataError(_one_column(path, header))
    separators = _separators(lines, delimiter)
    _refuse_other_rows(path, lines, delimiter, separators)
    if separators.size > 1 and (delimiter == "\t" or b'"' not in lines):
        rows = lines.split(b"\n", 1)[1]
        return even_columns(path, header.split(delimiter), rows, delimiter), range(
            2, separators.size + 1
        )
    table = read_table(path)
    return dict(table.columns), table.lines


def even_columns(
    path: FilePath, names: Sequence[str], rows: bytes, delimiter: str
) -> dict[str, Any]:
    """Return columns of plain rows below a header that was read already, in line 1."""
    separators = _separators(rows, delimiter)
    wrong = np.flatnonzero(separators != len(names) - 1)
    if wrong.size:
        more = f" ({count(wrong.size, 'row')} in all)" if wrong.size > 1 else ""
        raise DataError(
            f"{place(path, int(wrong[0]) + 2)}: the header has {count(len(names), 'column')}, "
            f"this row has {int(separators[wrong[0]]) + 1}{more}. Columns must be separated by "
            f"{_NAMES[delimiter]}."
        )
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataError(f"{place(path, 1)}: the column name {quote(twice)} appears twice.")
    header = delimiter.join(names).encode()
    return _read(header + b"\n" + rows, delimiter)


def header_delimiter(path: FilePath, header: str) -> str | None:
    """Return what separates the columns: what the ending says, if it occurs in the header."""
    tabs_first = not any(suffix == ".csv" for suffix in PurePath(path).suffixes)
    order = "\t,;" if tabs_first else ",;\t"
    return next((delimiter for delimiter in order if delimiter in header), None)


def _separators(lines: bytes, delimiter: str) -> Any:
    """Return the number of delimiters in each line."""
    content = np.frombuffer(lines, dtype=np.uint8)
    ends = np.append(np.flatnonzero(content == ord("\n")), content.size)
    before = np.searchsorted(np.flatnonzero(content == ord(delimiter)), ends)
    return np.diff(before, prepend=0)


def _read(lines: bytes, delimiter: str) -> dict[str, Any]:
    import polars as pl

    frame = pl.read_csv(
        io.BytesIO(lines),
        separator=delimiter,
        quote_char=None,
        infer_schema=False,
    )
    return {name: frame[name].fill_null("") for name in frame.columns}


def _refuse_other_rows(path: FilePath, lines: bytes, delimiter: str, separators: Any) -> None:
    """Refuse rows none of which is cut by what cuts the header."""
    if separators.size < 2 or separators[1:].any():
        return
    first = lines.split(b"\n", 2)[1].decode()
    found = next((name for mark, name in _NAMES.items() if mark in first), None)
    raise DataError(
        f"{place(path, 2)}: the whole line is one column, {quote(first)}, while the header has "
        f"{count(int(separators[0]) + 1, 'column')} separated by {_NAMES[delimiter]}. Use one "
        f"delimiter throughout{'' if found is None else f' (the rows use {found})'}."
    )


def _one_column(path: FilePath, header: str) -> str:
    found = next((name for mark, name in _OTHERS.items() if mark in header), None)
    guess = "" if found is None else f" This file seems to use {found}."
    return (
        f"{place(path, 1)}: the whole line is one column, {quote(header)}. Expected a header "
        f"with columns separated by commas, semicolons or tabs.{guess}"
    )
