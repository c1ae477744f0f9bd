"""Which columns of a table a phone has room for."""

from detectable.report.blocks import Column, Table
from detectable.report.charts.lettering import text_width

_ROOM = 358.0  # pixels: a screen of 390 without its margins
_SIZE = 12.8  # of the letters, as page.css has it for phones
_FONT = 1.18  # the fonts of most systems are wider than Arial, DejaVu Sans by so much
_GAP = 7.0  # between columns
_SENTENCE = 144.0  # the least that a column of sentences takes, which may be broken
_ALWAYS = 1  # columns of this `keep` stay, and the box scrolls if need be


def phone_columns(table: Table, columns: list[Column], *, broken: set[str]) -> list[Column]:
    """Return the columns that stand side by side on a phone, those with the largest `keep` left out first.

    Parameters
    ----------
    columns : list of Column
        Those that a wide screen shows.
    broken : set of str
        Keys of columns whose cells may be broken into lines.
    """
    places = {column.key: place for place, column in enumerate(table.columns)}
    rows = table.texts()
    wide = {
        column.key: _SENTENCE
        if column.key in broken
        else _width(column, [row[places[column.key]] for row in rows])
        for column in columns
    }
    kept = list(columns)
    while sum(wide[column.key] for column in kept) - _GAP > _ROOM:
        most = max(column.keep for column in kept)
        if most <= _ALWAYS:
            break
        kept.remove([column for column in kept if column.keep == most][-1])
    return kept


def _width(column: Column, texts: list[str]) -> float:
    """Return the pixels of a column: its widest cell, or the widest word of its heading."""
    bold = column.kind == "verdict"
    cells = max((text_width(text, _SIZE, bold=bold) for text in texts), default=0.0)
    words = (column.short or column.title).split()
    head = max((text_width(word, _SIZE, bold=True) for word in words), default=0.0)
    return max(cells, head) * _FONT + _GAP
