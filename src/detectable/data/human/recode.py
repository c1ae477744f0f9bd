"""Raters under codes in place of their names, in judgments and in the table that holds them.

A code says nothing but who is the same. Other columns stay as they are: a name in a comment or in the
number of a task is not found.
"""

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from detectable.core.errors import DataError
from detectable.data.factor import Factor
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import delimiter_of
from detectable.data.files.place import is_missing
from detectable.data.files.table import Table, read_table
from detectable.data.human.judgment_table import USUAL_NAMES
from detectable.data.human.judgments import Judgments

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
