"""Which columns of a table a phone has room for."""

from dataclasses import dataclass

from detectable.report.blocks import Column, Table
from detectable.report.render.column_widths import PHONE

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
