"""A table for a terminal of any width: no cell is ever broken, columns give way instead.

Written by hand: rich folds cells and cannot choose columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from detectable.core.wording import count
from detectable.report.blocks import DATA_ONLY, SYMBOLS, Column, Table, cell, plain
from detectable.report.render.arrange import arrange, constant
from detectable.report.render.prose import WIDTH, one_line, prose
from detectable.report.render.terminal_width import shorten, text_width

MOST_ROWS = 20
GAP = "  "
FEWEST = 12  # characters that remain of a name


def table_text(
    table: Table,
    width: int = WIDTH,
    *,
    most: int | None = MOST_ROWS,
    colour: Callable[[str], str] = str,
) -> str:
    """Return a table, giving up columns rather than breaking cells.

    In this order: a name that is the same in all rows goes into the title; a first column that
    only names blocks becomes a heading of each; headings become short; columns with the largest
    `keep` go; verdicts become symbols; names are cut in the middle; and where all that is not
    enough, intervals go, then columns from the right. A line says what is missing.

    Parameters
    ----------
    most : int or None
        Rows to show.
    colour : callable
        Paints a verdict.
    """
    arranged = arrange(table)
    rows = table.rows if most is None else table.rows[:most]
    layout = fit(arranged.columns, table, rows, width)
    lines = [
        prose(arranged.title, width),
        *_lines(layout, table, arranged.group, width, colour),
    ]
    lines += [prose(table.note, width)] if table.note else []
    return "\n".join([*lines, *_missing(table, layout.columns, arranged.group, rows, width)])


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells of a table as text, and how wide each column is."""

    columns: list[Column]
    heads: list[str]
    body: list[list[str]]
    widths: list[int]

    @property
    def width(self) -> int:
        """The columns of a terminal that a row takes."""
        return sum(self.widths) + len(GAP) * (len(self.widths) - 1)

    def line(
        self,
        cells: Sequence[str],
        *,
        padded: bool = False,
        colour: Callable[[str], str] = str,
    ) -> str:
        """Return a row; `padded` to the full width where more stands behind it."""
        made = []
        for text, width, column in zip(cells, self.widths, self.columns, strict=True):
            space = " " * (width - text_width(text))
            shown = colour(text) if column.kind == "verdict" else text
            made.append(shown + space if column.left else space + shown)
        line = GAP.join(made)
        return line if padded else line.rstrip()


def fit(
    columns: list[Column], table: Table, rows: Sequence[tuple[Any, ...]], width: int
) -> Layout:
    """Return the fullest layout that fits."""
    places = {column.key: i for i, column in enumerate(table.columns)}
    short = symbols = False
    longest = max(WIDTH, width)
    while True:
        heads = [_head(column, short=short, symbols=symbols) for column in columns]
        body = [
            [_cell(c, row[places[c.key]], symbols=symbols, longest=longest) for c in columns]
            for row in rows
        ]
        widths = [max(map(text_width, cells)) for cells in zip(heads, *body, strict=True)]
        layout = Layout(columns, heads, body, widths)
        if layout.width <= width:
            return layout
        worst = max(column.keep for column in columns)
        names = _widest_name(columns, body)
        if not short:
            short = True
        elif any(column.keep < worst for column in columns):
            columns = [column for column in columns if column.keep < worst]
        elif not symbols and any(column.kind == "verdict" for column in columns):
            symbols = True
        elif names > FEWEST:
            longest = names - 1
        elif len(columns) > 2:
            columns = _without_one(columns)
            longest = max(WIDTH, width)
        else:
            return layout


def _widest_name(columns: list[Column], body: list[list[str]]) -> int:
    cut = [i for i, column in enumerate(columns) if column.kind in ("name", "text")]
    return max((text_width(row[i]) for row in body for i in cut), default=0)


def _without_one(columns: list[Column]) -> list[Column]:
    """Drop an interval, else the last column that is not the answer."""
    later = columns[1:]
    wide = [column for column in later if column.kind in ("interval", "shares")]
    others = [column for column in later if column.kind != "verdict"]
    last = (wide or others or later)[-1]
    return [column for column in columns if column is not last]


def _head(column: Column, *, short: bool, symbols: bool) -> str:
    if symbols and column.kind == "verdict":
        return ""
    return (column.short or column.title) if short else column.title


def _cell(column: Column, value: Any, *, symbols: bool, longest: int) -> str:
    if symbols and column.kind == "verdict":
        return SYMBOLS.get(plain(value), "·")
    text = one_line(cell(column, value))
    return shorten(text, longest) if column.kind in ("name", "text") else text


def _lines(
    layout: Layout,
    table: Table,
    group: Column | None,
    width: int,
    colour: Callable[[str], str],
) -> list[str]:
    lines = [layout.line(layout.heads)]
    if group is None:
        lines.append("─" * layout.width)
    names = [] if group is None else [one_line(str(v)) for v in table.column(group.key)]
    for number, cells in enumerate(layout.body):
        if names and (number == 0 or number in table.breaks):
            heading = f"── {shorten(names[number], max(FEWEST, width - 4))}"
            line = "─" * (layout.width - text_width(heading) - 1)
            lines.append(f"{heading} {line}".rstrip())
        elif number in table.breaks:
            lines.append("╌" * layout.width)
        lines.append(layout.line(cells, colour=colour))
    return lines


def _missing(
    table: Table,
    shown: Sequence[Column],
    group: Column | None,
    rows: Sequence[tuple[Any, ...]],
    width: int,
) -> list[str]:
    """Say which rows and columns are not there."""
    said = []
    if len(rows) < len(table.rows):
        more = count(len(table.rows) - len(rows), "more row")
        said.append(f"{more}: --all, or --csv {table.id}:FILE")
    there = {column.key for column in shown} | ({group.key} if group else set())
    gone = [
        column.title
        for column in table.columns
        if column.key not in there and column.keep < DATA_ONLY and not constant(table, column)
    ]
    if gone:
        said.append(f"not shown at this width: {', '.join(gone)}")
    return [prose(f"({'; '.join(said)})", width)] if said else []
