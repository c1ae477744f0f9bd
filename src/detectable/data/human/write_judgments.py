"""Judgments into a file of our own format."""

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import for_spreadsheet
from detectable.core.write import refuse_existing, write_whole
from detectable.data.factor import Factor
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import delimiter_of
from detectable.data.files.place import FilePath, is_missing, quote
from detectable.data.files.table import Table, TableSource, frame_bytes, read_table
from detectable.data.human.columns import KINDS
from detectable.data.human.judgment_table import SCALE_COLUMNS, USUAL_NAMES
from detectable.data.human.judgments import ROLES, Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.data.human.scale import SCALE, is_taken_as_percent

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
_REMEDY = "Choose another name, or allow overwriting."
_BLOCK = 1 << 16  # rows that are written together; does not change the file


def write_judgments(
    judgments: Judgments | TableSource, path: FilePath, *, overwrite: bool = False
) -> None:
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
    judgments = judgments_of(judgments)
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"`path` must end in {', '.join(ENDINGS)}; got {str(path)!r}.")
    if not overwrite:
        refuse_existing(target, remedy=_REMEDY)
    write_whole(target, _encoded(judgments, ending), new=not overwrite, remedy=_REMEDY)


def judgments_csv(judgments: Judgments) -> str:
    """Return the text that `write_judgments` writes into a ``.csv`` file."""
    return b"".join(_encoded(judgments, ".csv")).decode()


def _frames(judgments: Judgments, *, for_people: bool) -> "Callable[[int, int], pl.DataFrame]":
    """Return what makes the columns from one row to another.

    With `for_people` they are in a form that a spreadsheet can open without harm. How numbers are
    written is decided by all rows.
    """
    import polars as pl

    known: dict[str, tuple[pl.Series, Any]] = {}
    for role in ROLES:
        value = getattr(judgments, role)
        if role == "kind":
            known[role] = pl.Series(KINDS), value
        elif isinstance(value, Factor):
            levels = [for_spreadsheet(one) if for_people else one for one in value.levels]
            known[role] = pl.Series(levels, dtype=pl.String), value.codes
        elif value is not None:
            known[role] = _numbers(pl.Series(value)), None
    bounds: dict[str, float | None] = {}
    if judgments.scale != SCALE or not is_taken_as_percent(judgments.score):
        for name, end in zip(SCALE_COLUMNS, judgments.scale, strict=True):
            bounds[name] = end if math.isfinite(end) else None

    def frame(start: int, stop: int) -> pl.DataFrame:
        columns = {
            role: values.slice(start, stop - start)
            if codes is None
            else values.gather(codes[start:stop])
            for role, (values, codes) in known.items()
        }
        for name, bound in bounds.items():
            columns[name] = pl.Series([bound] * (stop - start), dtype=pl.Float64)
        return pl.DataFrame(columns)

    return frame


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


def _encoded(judgments: Judgments, ending: str) -> Iterator[bytes]:
    """Give a file piece by piece; Parquet, which is small, at once."""
    if ending in (".csv", ".tsv"):
        _refuse_breaks(judgments, "\n\r\t" if ending == ".tsv" else "\n\r", ending)
    frame = _frames(judgments, for_people=ending in (".csv", ".tsv"))
    n = judgments.n_judgments
    step = max(n, 1) if ending == ".parquet" else _BLOCK
    for start in range(0, max(n, 1), step):
        yield frame_bytes(frame(start, min(start + step, n)), ending, header=start == 0)


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


# --- Raters under codes in place of their names, in judgments and in the table that holds them ---
#
# A code says nothing but who is the same. Other columns stay as they are: a name in a comment or in the
# number of a task is not found.

# Who judged, in tables of judgments and of battles.
RATERS = (*USUAL_NAMES["rater"], "voter", "voter_id")


class RaterCodes:
    """A code for every name, in the order in which names are met: R001, R002 and so on.

    Examples
    --------
    >>> codes = RaterCodes()
    >>> codes.of("ada@example.org"), codes.of("ben"), codes.of("ada@example.org"), codes.n
    ('R001', 'R002', 'R001', 2)
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the code of a name."""
        return self._known.setdefault(name, f"R{len(self._known) + 1:03}")

    @property
    def n(self) -> int:
        """How many names were met."""
        return len(self._known)


def recoded(judgments: Judgments) -> Judgments:
    """Return judgments whose raters have codes in place of names.

    Examples
    --------
    >>> from detectable.data.human.read_judgments import read_judgments
    >>> table = {"system": ["A", "B"], "item": [1, 1], "score": [70, 80], "rater": ["ada", "ben"]}
    >>> recoded(read_judgments(table)).rater.levels
    ('R001', 'R002')
    """
    if judgments.rater is None:
        raise DataError(
            f"{judgments.path or 'the judgments'}: there are no raters to recode. Leave it out."
        )
    codes = RaterCodes()
    levels = tuple(codes.of(name) for name in judgments.rater.levels)
    rater = Factor(name="rater", levels=levels, codes=judgments.rater.codes)
    return replace(judgments, rater=rater)


def recoded_table(
    content: FileContent, codes: RaterCodes, columns: Mapping[str, str]
) -> bytes | None:
    """Return the bytes of a table whose raters have codes; None where no column names raters.

    The file keeps its format and its other columns. `columns` may choose the one of the raters.
    """
    try:
        table = read_table(content)
    except DataError:  # a text, or a log: no table with a header
        return None
    name = columns.get("rater") or next(iter(table.find(RATERS)), None)
    if name is None or name not in table.columns or len(table.columns) < 2:
        return None
    cells = [
        cell if is_missing(cell) else codes.of(str(cell).strip()) for cell in table.cells(name)
    ]
    changed = {**{one: table.cells(one) for one in table.columns}, name: cells}
    made = _written(content, table, changed)
    with open(content.path, "rb") as opened:
        start = opened.read(2)
    if start == b"\x1f\x8b":
        return gzip.compress(made, mtime=0)
    if made and start and not content.data.startswith(start):
        raise DataError(
            f"{content}: only tables that are plain or packed by gzip can be recoded. Unpack it."
        )
    return made


def _written(content: FileContent, table: Table, columns: Mapping[str, Sequence[Any]]) -> bytes:
    if content.is_parquet:
        import polars as pl

        frame = pl.DataFrame({name: columns[name] for name in table.columns}, strict=False)
        packed = io.BytesIO()
        frame.write_parquet(packed)
        return packed.getvalue()
    rows = list(zip(*columns.values(), strict=True))
    first = content.text.lstrip("\ufeff \t\r\n")[:1]
    if first in ("{", "["):
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        if first == "[":
            return json.dumps(objects, ensure_ascii=False).encode()
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode()
    header = content.text.split("\n", 1)[0]
    delimiter = delimiter_of(content.path, header)
    text = io.StringIO()
    if delimiter == "\t" and '"' not in content.text:
        text.writelines("\t".join(map(str, row)) + "\n" for row in (list(columns), *rows))
    else:
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
            [list(columns), *rows]
        )
    return text.getvalue().encode()
