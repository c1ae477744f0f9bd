"""What a page shows of a table: which columns, how wide, which on a phone, and how many rows."""

from dataclasses import dataclass, replace
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


# --- What a page shows of a table: which columns, how wide, which on a phone, and how many rows ---

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


# --- Which columns of a table a phone has room for ---

_ALWAYS = 1  # columns of this `keep` stay, and the box scrolls if need be


@dataclass(frozen=True, slots=True)
class PhoneColumns:
    """What a phone shows of a table.

    Attributes
    ----------
    columns : list of Column
        Those that stand side by side.
    signs : tuple of str
        Verdicts of which the sign alone is shown, since there is no room for the words.
    """

    columns: list[Column]
    signs: tuple[str, ...]


def phone_columns(table: Table, columns: list[Column], *, broken: set[str]) -> PhoneColumns:
    """Return what stands side by side on a phone, as on a terminal that is too narrow.

    Columns with the largest `keep` are left out first; then verdicts are shown as signs.

    Parameters
    ----------
    columns : list of Column
        Those that a wide screen shows.
    broken : set of str
        Keys of columns whose cells may be broken into lines.
    """
    wide = PHONE.widths(table, columns, broken=broken)
    kept = list(columns)
    while not PHONE.fits([wide[column.key] for column in kept]):
        most = max(column.keep for column in kept)
        if most <= _ALWAYS:
            return PhoneColumns(kept, _said(table, kept))
        kept.remove([column for column in kept if column.keep == most][-1])
    return PhoneColumns(kept, ())


def _said(table: Table, columns: list[Column]) -> tuple[str, ...]:
    """Return every verdict that the columns show, once."""
    places = [table.columns.index(column) for column in columns if column.kind == "verdict"]
    rows = table.texts()
    return tuple(dict.fromkeys(row[place] for place in places for row in rows))


# --- How wide columns will be on a page, before a browser has laid them out ---

_FONT = 1.18  # the fonts of most systems are wider than Arial, DejaVu Sans by so much


@dataclass(frozen=True, slots=True)
class Setting:
    """How page.css sets a table on one kind of screen, in pixels.

    Attributes
    ----------
    room : float
        From margin to margin, less a little for rounding.
    size, gap : float
        Of the letters, and between columns.
    sentence : float
        The least that a column of sentences takes, which may be broken.
    short : bool
        Whether short headings are used.
    """

    room: float
    size: float
    gap: float
    sentence: float
    short: bool

    def widths(
        self, table: Table, columns: list[Column], *, broken: set[str]
    ) -> dict[str, float]:
        """Return the width of each column by its key.

        A column is as wide as its widest cell, or the widest word of its heading; `broken` names
        those whose cells may be broken into lines.
        """
        places = {column.key: place for place, column in enumerate(table.columns)}
        rows = table.texts()
        return {
            column.key: self.sentence
            if column.key in broken
            else self._width(column, [row[places[column.key]] for row in rows])
            for column in columns
        }

    def fits(self, widths: list[float]) -> bool:
        """Say whether columns of these widths stand side by side."""
        return sum(widths) - self.gap <= self.room

    def _width(self, column: Column, texts: list[str]) -> float:
        from detectable.report.charts.theme import text_width  # a terminal needs no charts

        bold = column.kind == "verdict"
        cells = max((text_width(text, self.size, bold=bold) for text in texts), default=0.0)
        heading = column.short if self.short and column.short else column.title
        head = max(
            (text_width(word, self.size, bold=True) for word in heading.split()), default=0.0
        )
        return max(cells, head) * _FONT + self.gap


PHONE = Setting(room=354.0, size=12.8, gap=7.0, sentence=128.0, short=True)
DESK = Setting(room=748.0, size=14.1, gap=12.8, sentence=224.0, short=False)
