"""How wide columns will be on a page, before a browser has laid them out."""

from dataclasses import dataclass

from detectable.report.blocks import Column, Table
from detectable.report.charts.lettering import text_width

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
        bold = column.kind == "verdict"
        cells = max((text_width(text, self.size, bold=bold) for text in texts), default=0.0)
        heading = column.short if self.short and column.short else column.title
        head = max(
            (text_width(word, self.size, bold=True) for word in heading.split()), default=0.0
        )
        return max(cells, head) * _FONT + self.gap


PHONE = Setting(room=354.0, size=12.8, gap=7.0, sentence=128.0, short=True)
DESK = Setting(room=748.0, size=14.1, gap=12.8, sentence=224.0, short=False)
