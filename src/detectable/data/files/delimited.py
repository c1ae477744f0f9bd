"""Delimited text by columns: fast where it is plain, careful where cells are quoted.

Polars reads a million rows in a fraction of a second, but it fills a short row with nulls without
a word, and its errors name no line. So the separators of every line are counted first, and a row
of another length is refused with its line. Small files are split without polars, whose loading
takes longer than they do; where quotation marks enclose cells, the standard library reads row by
row.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.size_limit import MOST_COLUMNS, refuse_columns

_LARGE = 1 << 22  # bytes from which on the speed of polars is worth its loading
_LONGEST_CELL = 2**31 - 1  # the standard library refuses cells of more than 131,072 letters
_MOST_MARKS = 10 * MOST_COLUMNS  # delimiters of a line with enclosed cells, which may hold some
_CELL = re.compile(rb'"(?:[^"]|"")*+"')
_ANY_CELL = _CELL.pattern + rb'|[^"\t\n]*+'
_ENCLOSED = re.compile(rb"(?:%b)(?:[\t\n](?:%b))*+" % (_ANY_CELL, _ANY_CELL))
_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}
_UNNAMED = "\0"  # no name begins so
_OTHERS = {"|": "vertical bars", " ": "spaces", ":": "colons", "^": "carets", "~": "tildes"}


class Delimited(NamedTuple):
    """The columns of a file with a header by name, and the line of each row."""

    columns: dict[str, Any]
    lines: Sequence[int]


def read_delimited(
    content: FileContent, *, quoted: bool | None = None, several: bool = False
) -> Delimited:
    """Return the columns of CSV or TSV text.

    Parameters
    ----------
    content : FileContent
        The file.
    quoted : bool, optional
        Whether quotation marks enclose cells. By default they do if the delimiter is a comma or
        semicolon. With tabs they are plain characters, because a single quotation mark in a
        sentence would otherwise swallow the rows that follow, unless the whole file can only be
        the work of a program that encloses cells (`_encloses`).
    several : bool
        Whether one column alone is refused, as a sign of a delimiter that we do not know.
    """
    path = content.path
    _ = content.text  # mis-encoded text is refused with its line
    body = content.data.removeprefix(b"\xef\xbb\xbf")
    body = (body.replace(b"\r\n", b"\n") if b"\r" in body else body).removesuffix(b"\n")
    header = body.split(b"\n", 1)[0].decode()
    if "\r" in header:
        raise DataError(
            f"{place(path, 1)}: the line ends of this table are mixed: some are a carriage return "
            "alone. Save it with one kind of them (mac2unix, dos2unix)."
        )
    delimiter = delimiter_of(path, header)
    if delimiter not in header and several:
        raise DataError(_one_column(path, header))
    if '"' not in header:
        refuse_columns(header.count(delimiter) + 1, place(path, 1))
    if delimiter in header:
        body = body.rstrip(b"\n")  # blank lines below a table of several columns are no rows
        if '"' not in header:
            _refuse_other_rows(path, body, delimiter)
    if quoted is None:
        quoted = delimiter != "\t" or _encloses(body)
    if quoted and b'"' in body:
        return _quoted(path, content.lines, delimiter)
    _, _, rows = body.partition(b"\n")
    names = header.split(delimiter)
    if b"\n" not in body:
        return Delimited(dict.fromkeys(_unique(path, names), ()), ())
    columns = _named(path, plain_columns(path, names, rows, delimiter))
    return Delimited(columns, range(2, len(next(iter(columns.values()))) + 2))


def plain_columns(
    path: FilePath, names: Sequence[str], rows: bytes, delimiter: str, *, line: int = 2
) -> dict[str, Any]:
    """Return the columns of rows without quotation below a header; `line` is that of the first."""
    names = _unique(path, names)
    separators = _separators(rows, delimiter)
    wrong = np.flatnonzero(separators != len(names) - 1)
    if wrong.size:
        row, found = int(wrong[0]), int(separators[wrong[0]]) + 1
        raise DataError(
            _another_length(path, row + line, len(names), found, int(wrong.size), delimiter)
        )
    if len(rows) < _LARGE or len(names) == 1:  # polars takes a blank line for no row
        cells = zip(*(line.split(delimiter) for line in rows.decode().split("\n")), strict=True)
        return dict(zip(names, map(list, cells), strict=True))
    import polars as pl

    frame = pl.read_csv(
        io.BytesIO(rows),
        separator=delimiter,
        quote_char=None,
        has_header=False,
        schema={str(number): pl.String for number in range(len(names))},
    )
    return {n: c.fill_null("") for n, c in zip(names, frame.get_columns(), strict=True)}


def _encloses(body: bytes) -> bool:
    """Say whether quotation marks enclose cells between tabs, as spreadsheets and pandas write them.

    They do if every cell with a mark is enclosed, with all marks inside doubled, and this is no
    accident: some mark is doubled, an enclosed cell holds a tab or a line's end, or the whole
    header is enclosed. Sentences that people put between quotation marks pass the first test,
    and none of the others.
    """
    if b'"' not in body or _ENCLOSED.fullmatch(body) is None:
        return False
    header = body.split(b"\n", 1)[0].split(b"\t")
    if all(name.startswith(b'"') for name in header):
        return True
    cells = _CELL.findall(body)
    return any(mark in cell[1:-1] for cell in cells for mark in (b'"', b"\t", b"\n"))


def _quoted(path: FilePath, lines: Sequence[str], delimiter: str) -> Delimited:
    starts, rows = csv_rows(path, lines, delimiter)
    header = _unique(path, rows[0])
    while len(header) > 1 and rows[-1] == [""]:
        rows.pop()  # blank lines at the end
    body = rows[1:]
    wrong = [row for row, cells in enumerate(body, start=1) if len(cells) != len(header)]
    if wrong:
        line, found = starts[wrong[0]], len(rows[wrong[0]])
        raise DataError(_another_length(path, line, len(header), found, len(wrong), delimiter))
    columns = {name: [cells[i] for cells in body] for i, name in enumerate(header)}
    return Delimited(_named(path, columns), starts[1 : len(rows)])


def csv_rows(
    path: FilePath, lines: Sequence[str], delimiter: str
) -> tuple[list[int], list[list[str]]]:
    r"""Return the line in which each row begins, and its cells, which marks may enclose.

    A ``\r`` within a line is a character like others, as in `read_lines`; the standard library
    would take it for the end of a line.
    """
    stand_in = ""
    if any("\r" in line for line in lines):
        private = map(chr, range(0xE000, 0xF900))
        stand_in = next(one for one in private if not any(one in line for line in lines))
        lines = [line.replace("\r", stand_in) for line in lines]
    for number, line in enumerate(lines, start=1):
        if len(line) > _MOST_MARKS and (found := line.count(delimiter)) > _MOST_MARKS:
            refuse_columns(found + 1, place(path, number))
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    starts, rows, start = [], [], 1
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        for cells in reader:
            starts.append(start)
            rows.append(cells or [""])
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{place(path, start)}: {_quotation(str(error))}") from error
    finally:
        csv.field_size_limit(limit)
    if stand_in:
        rows = [[cell.replace(stand_in, "\r") for cell in cells] for cells in rows]
    return starts, rows


def _quotation(error: str) -> str:
    """Say in our words what is wrong with the quotation marks of a row, and what helps."""
    where = {
        "unexpected end of data": "a quotation mark opens a cell in this row, and none closes it. Is "
        "the file cut short?",
    }.get(error, "the quotation marks of this row enclose no whole cell.")
    return (
        f'{where} Write "" for a mark inside an enclosed cell, or separate columns by tabs, where '
        "marks are plain characters."
    )


def delimiter_of(path: FilePath, header: str) -> str:
    """Return what separates the columns: what the ending says, if it occurs in the header."""
    endings = [suffix.lower() for suffix in PurePath(path).suffixes]
    order = ",;\t" if ".csv" in endings else "\t,;"
    return next((delimiter for delimiter in order if delimiter in header), order[0])


def _separators(lines: bytes, delimiter: str) -> Any:
    """Return the number of delimiters in each line."""
    content = np.frombuffer(lines, dtype=np.uint8)
    marks = np.flatnonzero((content == ord("\n")) | (content == ord(delimiter)))
    ends = np.flatnonzero(content[marks] == ord("\n"))
    return np.diff(np.append(ends, marks.size), prepend=-1) - 1


def _unique(path: FilePath, names: Sequence[str]) -> Sequence[str]:
    """Return the names of columns, all different; what has none after the first gets a stand-in."""
    refuse_columns(len(names), place(path, 1))
    if names.count("") > 1:
        first = names.index("")
        names = [name or (_UNNAMED + str(i + 1)) * (i > first) for i, name in enumerate(names)]
    if len(set(names)) < len(names):
        index, name = next((i, name) for i, name in enumerate(names) if name in names[:i])
        raise DataError(
            f"{place(path, 1)}: the column name {quote(name)} appears twice, as column "
            f"{names.index(name) + 1} and {index + 1}. Rename one."
        )
    return names


def _named(path: FilePath, columns: dict[str, Any]) -> dict[str, Any]:
    """Drop columns without name and content, which spreadsheets leave behind at the right."""
    for name in [name for name in columns if name.startswith(_UNNAMED)]:
        cells = columns.pop(name)
        if any(cell != "" for cell in cells):
            raise DataError(
                f"{place(path, 1)}: column {name.removeprefix(_UNNAMED)} has cells and no name, and "
                "it is not the only one. Name it, or drop it."
            )
    return columns


def _another_length(
    path: FilePath, line: int, n_columns: int, found: int, rows: int, delimiter: str
) -> str:
    more = f" ({count(rows, 'row')} in all)" if rows > 1 else ""
    name = _NAMES[delimiter]
    return (
        f"{place(path, line)}: the header has {count(n_columns, 'column')}, this row has "
        f"{found}{more}. Columns are separated by {name}s here. Look for a {name} too many or too "
        "few."
    )


def _refuse_other_rows(path: FilePath, body: bytes, delimiter: str) -> None:
    """Refuse rows none of which is cut by what cuts the header."""
    header, _, rows = body.partition(b"\n")
    if not rows or delimiter.encode() in rows:
        return
    first = rows.split(b"\n", 1)[0].decode()
    found = next((name for mark, name in _NAMES.items() if mark in first), None)
    raise DataError(
        f"{place(path, 2)}: the whole line is one column, {quote(first)}, while the header has "
        f"{count(header.decode().count(delimiter) + 1, 'column')} separated by "
        f"{_NAMES[delimiter]}s. Use one delimiter throughout"
        f"{'' if found is None else f' (the rows use {found}s)'}."
    )


def _one_column(path: FilePath, header: str) -> str:
    found = next((name for mark, name in _OTHERS.items() if mark in header), None)
    guess = "" if found is None else f" This file seems to use {found}."
    return (
        f"{place(path, 1)}: the whole line is one column, {quote(header)}. Expected a header "
        f"with columns separated by commas, semicolons or tabs.{guess}"
    )
