"""Names without the mark that keeps a spreadsheet from taking them for formulas."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from detectable.core.harmless import from_spreadsheet
from detectable.data.files.content import FileContent
from detectable.data.files.table import Table

_JSON = (b"{", b"[")


def unmarked(table: Table, source: Any, columns: Iterable[str]) -> Table:
    """Return a table whose names are as they were before `write_judgments` marked them.

    Only CSV and TSV have marks.

    Parameters
    ----------
    source
        What the table was read from.
    columns : iterable of str
        Those that hold names.
    """
    if not isinstance(source, FileContent) or source.is_parquet:
        return table
    if source.data.lstrip()[:1] in _JSON:
        return table
    changed = {}
    for name in columns:
        names = {cell: from_spreadsheet(cell) for cell in _different(table.columns[name])}
        marked = {cell: plain for cell, plain in names.items() if plain != cell}
        if marked:
            changed[name] = [marked.get(cell, cell) for cell in table.cells(name)]
    return replace(table, columns={**table.columns, **changed}) if changed else table


def _different(values: Any) -> list[str]:
    """Return the different texts of a column that begin with an apostrophe."""
    unique = values.unique().to_list() if hasattr(values, "unique") else set(values)
    return [one for one in unique if isinstance(one, str) and one.startswith("'")]
