"""Which columns of a table a phone has room for."""

from dataclasses import dataclass

from detectable.report.blocks import Column, Table
from detectable.report.charts.lettering import text_width

_ROOM = 354.0  # pixels: a screen of 390 without its margins, and a little for rounding
_SIZE = 12.8  # of the letters, as page.css has it for phones
_FONT = 1.18  # the fonts of most systems are wider than Arial, DejaVu Sans by so much
_GAP = 7.0  # between columns
_SENTENCE = 128.0  # the least that a column of sentences takes, which may be broken
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
    places = {column.key: place for place, column in enumerate(table.columns)}
    rows = table.texts()
    cells = {column.key: [row[places[column.key]] for row in rows] for column in columns}
    wide = {
        column.key: _SENTENCE if column.key in broken else _width(column, cells[column.key])
        for column in columns
    }
    kept = list(columns)
    while not _fits([wide[column.key] for column in kept]):
        most = max(column.keep for column in kept)
        if most <= _ALWAYS:
            said = [text for c in kept if c.kind == "verdict" for text in cells[c.key]]
            return PhoneColumns(kept, tuple(dict.fromkeys(said)))
        kept.remove([column for column in kept if column.keep == most][-1])
    return PhoneColumns(kept, ())


def _fits(widths: list[float]) -> bool:
    return sum(widths) - _GAP <= _ROOM


def _width(column: Column, texts: list[str]) -> float:
    """Return the pixels of a column: its widest cell, or the widest word of its heading."""
    bold = column.kind == "verdict"
    cells = max((text_width(text, _SIZE, bold=bold) for text in texts), default=0.0)
    words = (column.short or column.title).split()
    head = max((text_width(word, _SIZE, bold=True) for word in words), default=0.0)
    return max(cells, head) * _FONT + _GAP
