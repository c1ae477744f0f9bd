"""What a page shows of a table: which columns, which of them on a phone, and how many rows."""

from dataclasses import dataclass, replace

from detectable.report.blocks import Column, Table
from detectable.report.render.arrange import Arranged
from detectable.report.render.column_widths import DESK
from detectable.report.render.phone_columns import phone_columns

_SENTENCE = 30  # characters that may be broken into lines


@dataclass(frozen=True, slots=True)
class ShownColumns:
    """What a page shows of a table.

    Attributes
    ----------
    columns : list of (int, Column, str)
        Place, column and class.
    hidden : str
        The headings that a phone has no room for.
    signs : str
        What the signs mean that a phone shows in place of verdicts, if it does.
    tight : bool
        Whether a desk has room only if the columns stand closer together.
    """

    columns: list[tuple[int, Column, str]]
    hidden: str
    signs: str
    tight: bool


def shown_columns(table: Table, arranged: Arranged) -> ShownColumns:
    """Return the columns of a table that is cut already, and which of them a phone leaves out."""
    places = {column.key: place for place, column in enumerate(table.columns)}
    broken = {column.key for column in arranged.columns if _long(table, column)}
    phone = phone_columns(table, arranged.columns, broken=broken)
    shown = []
    for column in arranged.columns:
        classes = (
            *(("left",) if column.left else ()),
            *(("optional",) if column not in phone.columns else ()),
            *(("wrap",) if column.key in broken else ()),
        )
        shown.append((places[column.key], column, " ".join(classes)))
    hidden = [column.title for column in arranged.columns if column not in phone.columns]
    wide = DESK.widths(table, arranged.columns, broken=broken)
    tight = not DESK.fits(list(wide.values()))
    return ShownColumns(shown, ", ".join(hidden), ", ".join(phone.signs), tight)


def cut_rows(table: Table, most: int) -> Table:
    """Return a table with its first rows."""
    return table if len(table.rows) <= most else replace(table, rows=table.rows[:most])


def _long(table: Table, column: Column) -> bool:
    """Say whether a column holds sentences, which may be broken, rather than words."""
    texts = (str(value) for value in table.column(column.key) if value is not None)
    return column.kind == "text" and any(len(text) > _SENTENCE for text in texts)
