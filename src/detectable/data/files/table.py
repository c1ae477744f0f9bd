"""A raw table: columns with names, from a file or from memory.

All readers of texts, scores and judgments start here. A table does not know what its columns
mean; it knows where every cell stands.
"""

import io
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np

from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import read_delimited
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import FilePath, is_missing, place, quote
from detectable.data.files.read_json import json_entries, read_json_lines
from detectable.data.files.size_limit import refuse_columns

if TYPE_CHECKING:
    import polars as pl

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
            row_or_line = None if self.lines is None else int(self.lines[row])
            return place(self.path, row_or_line, column)
        return place("", row, column)

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


class _Noted(Protocol):
    """A table with what its reader left out."""

    @property
    def notes(self) -> tuple[str, ...]: ...


N = TypeVar("N", bound=_Noted)


def given(data: object, kind: type[N], read: Callable[[Any], N], wanted: str) -> N:
    """Return a table that a study is given: as it is, or read from a file or a frame.

    What reading leaves out is a warning here, since nobody else will tell.

    Parameters
    ----------
    wanted : str
        The opening of the message if it is none of these: ```data` must be scores``.
    """
    if isinstance(data, kind):
        return data
    check_given(data, wanted)
    found = read(data)
    for note in found.notes:
        warnings.warn(note, DetectableWarning, stacklevel=4)
    return found


def check_given(data: object, wanted: str) -> None:
    """Refuse what is no file and no frame, with a message that begins as told."""
    frame = any(hasattr(data, mark) for mark in ("iloc", "collect", "__arrow_c_stream__"))
    if not (frame or is_path(data) or isinstance(data, Mapping)):
        raise InputError(f"{wanted}, a file or a frame; got {type(data).__name__}.")


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
        content = FileContent.of(source)
        key = f"table, quoted {quoted}, several {several}"
        if key not in content.kept:  # a suite reads it once for every metric
            content.kept[key] = _read_file(content, quoted=quoted, several=several)
        table = content.kept[key]
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
    refuse_columns(len(names), str(content))
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


# --- Tables in memory: a mapping of columns, or a frame of pandas, polars or Arrow ---


def memory_columns(source: Any) -> dict[str, Any]:
    """Return the columns of a table in memory: polars series, arrays or lists of one length."""
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
    return columns


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
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"`source` must map names to sequences; got {quote(values)}.")
    # A word that means “missing” stays as it is, to be quoted where it is refused.
    return [
        value if isinstance(value, str) or not is_missing(value) else None for value in values
    ]


# --- Tables whose columns are separated by any white space, as WMT writes averages of segments ---

# Headers of files that are really published so; any other text with spaces is no table.
_HEADERS = (
    frozenset(("sys", "sid", "raw.scr")),  # ad-seg-scores-cs-en.csv
    frozenset(("sys", "sid", "z.scr")),
    frozenset(("system", "seg_id", "mqm_avg_score")),  # avg_seg_scores.tsv of Google
)


def is_spaced(content: FileContent) -> bool:
    """Tell by a header that is known, and that neither commas nor tabs separate alone."""
    if "," in content.first_line:
        return False
    names = {word.casefold() for word in content.first_line.split()}
    return any(names >= header for header in _HEADERS)


def read_spaced(content: FileContent) -> Table:
    """Return the table; every row must have as many words as the header.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "s.csv"
    ...     _ = path.write_text("SYS SID RAW.SCR N " + chr(10) + "A 17 55.5 2" + chr(10))
    ...     read_spaced(FileContent(path)).cells("RAW.SCR")
    ['55.5']
    """
    header, *rows = content.lines
    names = header.split()
    refuse_columns(len(names), place(content, 1))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(
            f"{place(content, 1)}: the column name {quote(twice[0])} appears twice. Rename one."
        )
    columns: dict[str, list[str]] = {name: [] for name in names}
    lines = []
    for number, row in enumerate(rows, start=2):
        cells = row.split()
        if not cells:
            continue
        if len(cells) != len(names):
            raise DataError(
                f"{place(content, number)}: the header has {len(names)} columns, this row has "
                f"{len(cells)}, cut at spaces: {quote(row)}. Names must not hold spaces."
            )
        for name, cell in zip(names, cells, strict=True):
            columns[name].append(cell)
        lines.append(number)
    if not lines:
        raise DataError(f"{content}: the table has a header and no row. Give at least one row.")
    return Table(path=str(content), columns=columns, lines=lines)


# What says how many items of a pool one stands for, and its inverse. Never “weight”: in files of MQM
# that word means severity.
SAMPLING_WEIGHT = ("sampling_weight", "inclusion_probability")


# --- The language pair of each row of a table, and the rows of one of them ---

LANGUAGE = ("language", "language_pair", "lp", "langs", "lang_pair", "langpair")
# Not “src” and “source”: in tables of texts these are the sentences.
_SOURCE = ("source_lang", "src_lang", "source_language", "sourcelang", "srclang")
_TARGET = (
    *("target_lang", "tgt_lang", "trg_lang", "target_language", "targetlang", "tgtlang"),
    "trglang",
)
PARTS = (*_SOURCE, *_TARGET)
ORIGINAL_LANGUAGE = ("origlang", "orig_lang", "original_language")
CAMPAIGN = ("campaign", "campaign_id", "test_set", "testset", "set_id")


def with_language(table: Table) -> Table:
    """Return the table with a column ``language``, where source and target stand apart.

    Examples
    --------
    >>> table = Table(path="", columns={"source_lang": ["en"], "target_lang": ["cs"]})
    >>> with_language(table).columns["language"]
    ['en-cs']
    """
    parts = [found[0] for names in (_SOURCE, _TARGET) if (found := table.find(names))]
    if not parts or table.find(LANGUAGE):
        return table
    cells = zip(*(table.cells(name) for name in parts), strict=True)
    joined = ["-".join(str(part).strip() for part in row) for row in cells]
    return replace(table, columns={**table.columns, "language": joined})


def one_language(table: Table, wanted: str | None) -> tuple[Table, tuple[str, ...]]:
    """Return the rows of one language pair; several are refused unless one was chosen.

    Several campaigns or test sets are refused, too: scores of different ones are not comparable.

    Examples
    --------
    >>> table = Table(path="a.csv", columns={"lp": ["en-cs", "en-de"]}, lines=[2, 3])
    >>> cut, notes = one_language(table, "en-de")
    >>> cut.lines, notes
    ([3], ('a.csv: 1 row of other language pairs left out as asked.',))
    """
    cut, notes = chosen_language(table, wanted)
    column = several_languages(cut)
    if column is not None:
        found = list(dict.fromkeys(str(value).strip() for value in cut.cells(column)))
        raise _several(cut, column, found, "language pairs", "Choose one: --language")
    return cut, notes


def chosen_language(table: Table, wanted: str | None) -> tuple[Table, tuple[str, ...]]:
    """Return the rows of one language pair where it was chosen, else all; one campaign only."""
    table = with_language(table)
    notes: tuple[str, ...] = ()
    column = next(iter(table.find(LANGUAGE)), None)
    if column is None and wanted is not None and not table.find(ORIGINAL_LANGUAGE):
        raise InputError(
            f"`language_pair` must be left out: {table.subject} has no column of the language "
            f"pair. Found: {listing(list(table.columns), most=20)}."
        )
    if column is not None and wanted is not None:
        cells = [str(value).strip() for value in table.cells(column)]
        rows = [row for row, cell in enumerate(cells) if cell == wanted]
        if not rows:
            raise DataError(
                f"{table.subject}: column {column!r} holds no language pair {wanted!r}. "
                f"Found: {listing(list(dict.fromkeys(cells)), most=20)}."
            )
        if len(rows) < len(cells):
            left = count(len(cells) - len(rows), "row")
            notes = (f"{table.subject}: {left} of other language pairs left out as asked.",)
            table = table.take(rows)
    for column in table.find(CAMPAIGN):
        found = list(dict.fromkeys(str(value).strip() for value in table.cells(column)))
        if len(found) > 1:
            raise _several(table, column, found, "campaigns", "Give a table of one of them")
    return table, notes


def pair_of(table: Table, wanted: str | None) -> str | None:
    """Return the language pair of a table: the only one that it names, or the one that was said.

    Examples
    --------
    >>> pair_of(Table(path="", columns={"lp": ["en-cs", "en-cs"]}), None)
    'en-cs'
    """
    column = next(iter(with_language(table).find(LANGUAGE)), None)
    if column is None:
        return wanted
    found = {str(value).strip() for value in with_language(table).cells(column)}
    return found.pop() if len(found) == 1 else None


def several_languages(table: Table) -> str | None:
    """Return the column of the language pair, where it holds more than one.

    Examples
    --------
    >>> several_languages(Table(path="", columns={"lp": ["en-cs", "en-de"]}))
    'lp'
    """
    column = next(iter(with_language(table).find(LANGUAGE)), None)
    if column is None:
        return None
    cells = with_language(table).cells(column)
    return column if len({str(value).strip() for value in cells}) > 1 else None


def _several(table: Table, column: str, found: list[str], what: str, remedy: str) -> DataError:
    return DataError(
        f"{table.subject}, column {column!r}: {len(found)} {what}: {listing(found, most=20)}. "
        f"Scores of different ones are not comparable. {remedy}."
    )


def frame_bytes(frame: "pl.DataFrame", ending: str, *, header: bool = True) -> bytes:
    """Return a frame as a file with an ending: .csv, .tsv, .jsonl or .parquet."""
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    elif ending == ".jsonl":
        frame.write_ndjson(buffer)
    else:
        frame.write_csv(
            buffer,
            include_header=header,
            separator="," if ending == ".csv" else "\t",
            quote_style="necessary" if ending == ".csv" else "never",
        )
    return buffer.getvalue()
