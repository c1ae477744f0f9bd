"""What of a table need not be a column: names that are the same in all rows, or in all of a block.

A terminal and a page say such a name once, in the title or above its block.
"""

from dataclasses import dataclass
from itertools import pairwise

from detectable.report.blocks import DATA_ONLY, Column, Table


@dataclass(frozen=True, slots=True)
class Arranged:
    """A table as people see it.

    Attributes
    ----------
    title : str
        With the names that all rows share.
    columns : list of Column
        What is left to be shown as columns.
    group : Column or None
        What is said above each block instead of in every row.
    """

    title: str
    columns: list[Column]
    group: Column | None

    @property
    def said(self) -> list[Column]:
        """The columns, and the one above the blocks."""
        return self.columns if self.group is None else [self.group, *self.columns]


def arrange(table: Table) -> Arranged:
    """Return title, columns and headings of blocks."""
    columns = [column for column in table.columns if column.keep < DATA_ONLY]
    same = [column for column in columns if constant(table, column)]
    title = table.title
    if same and len(same) < len(columns):
        said = ", ".join(f"{column.title} {table.column(column.key)[0]}" for column in same)
        title = f"{table.title} ({said})"
        columns = [column for column in columns if column not in same]
    group = _group(table, columns)
    return Arranged(title, [column for column in columns if column is not group], group)


def constant(table: Table, column: Column) -> bool:
    """Say whether a column names the same in every one of several rows."""
    values = table.column(column.key)
    return column.kind == "name" and len(values) > 1 and len(set(map(str, values))) == 1


def _group(table: Table, columns: list[Column]) -> Column | None:
    """Return the first column if it only says to which block a row belongs."""
    if not table.breaks or len(columns) < 2 or columns[0].kind != "name":
        return None
    values = table.column(columns[0].key)
    edges = [0, *table.breaks, len(table.rows)]
    blocks = [set(values[start:end]) for start, end in pairwise(edges)]
    return columns[0] if all(len(block) == 1 for block in blocks) else None
