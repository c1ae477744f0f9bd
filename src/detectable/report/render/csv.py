"""A table as comma-separated values, with full precision."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from detectable.core import check
from detectable.core.errors import InputError, MissingExtraError
from detectable.core.wording import for_spreadsheet
from detectable.report.blocks import Block, Table, ends, plain, sections_of, unsectioned

_TWO_ENDS = ("interval", "shares")


def render_csv(blocks: Iterable[Block], id: str | None = None) -> str:
    """Return one table of a result: the first, or the one called `id`."""
    return table_csv(_chosen(blocks, id, "write as CSV. Use --json."))


def render_frame(
    blocks: Iterable[Block], id: str | None = None, backend: str = "polars"
) -> Any:
    """Return one table as a frame of polars or pandas, with the columns of `render_csv`."""
    check.one_of(backend, ("polars", "pandas"), "backend")
    table = _chosen(blocks, id, "make a frame of. Use `to_dict()`.")
    rows = [_cells(table, row) for row in table.rows]
    columns = {
        name: [None if row[i] == "" else row[i] for row in rows]
        for i, name in enumerate(_header(table))
    }
    if backend == "pandas":
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(
                "`backend='pandas'` needs pandas. Install it (pip install pandas), or take "
                "'polars'."
            ) from error
        return pd.DataFrame(columns)
    import polars as pl

    return pl.DataFrame(columns, strict=False)


def _chosen(blocks: Iterable[Block], id: str | None, to: str) -> Table:
    every = list(blocks)
    tables = [block for block in unsectioned(every) if isinstance(block, Table)]
    if not tables:
        raise InputError(f"this result has no table to {to}")
    if sections_of(every):
        refuse_ambiguous("table", id, [table.id for table in tables])
    if id is None:  # the answer; the scores that it is about have to be named
        return next((table for table in tables if not table.key), tables[0])
    found = next((table for table in tables if table.id == id), None)
    if found is None:
        known = ", ".join(table.id for table in tables)
        raise InputError(f"there is no table {id!r} in this result. It has {known}.")
    return found


def refuse_ambiguous(what: str, id: str | None, ids: Sequence[str]) -> None:
    """Refuse to choose among several results, unless only one has what is asked for."""
    alone = sorted(known for known in ids if ids.count(known) == 1)
    if id is None or ids.count(id) > 1:
        asked = f"several results have a {what} {id!r}" if id else f"several {what}s are here"
        choice = f"Name one that a single result has ({', '.join(alone)})" if alone else "Show"
        rest = ", or show one result by itself" if alone else " one result by itself"
        raise InputError(f"{asked}. {choice}{rest}.")


def table_csv(table: Table) -> str:
    """Return a table with a header; an interval takes two columns, a missing value is empty."""
    return to_csv(_header(table), (_cells(table, row) for row in table.rows))


def _header(table: Table) -> list[str]:
    header: list[str] = []
    for column in table.columns:
        if column.kind in _TWO_ENDS:
            header += [f"{column.key}_low", f"{column.key}_high"]
        else:
            header.append(column.key)
    return header


def _cells(table: Table, row: Sequence[Any]) -> list[Any]:
    cells: list[Any] = []
    for column, value in zip(table.columns, map(plain, row), strict=True):
        if column.kind in _TWO_ENDS:
            cells += map(_bare, (None, None) if value is None else ends(value))
        else:
            cells.append(_bare(value))
    return cells


def _bare(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "" if value is None or value != value else value  # only NaN differs from itself


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return comma-separated values, as RFC 4180 wants them.

    Text that a spreadsheet would take for a formula is made harmless; numbers stay numbers.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise InputError(
                f"row {number} must have {len(header)} cells, as the header; got {len(row)}."
            )
        writer.writerow([for_spreadsheet(v) if isinstance(v, str) else v for v in row])
    return out.getvalue()
