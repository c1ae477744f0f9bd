"""Blocks as text for a terminal of any width: no cell is ever broken, columns give way instead.

Written by hand: rich folds cells and cannot choose columns.
"""

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from detectable.core.wording import count
from detectable.report.blocks import (
    DATA_ONLY,
    SYMBOLS,
    Block,
    Column,
    Examples,
    Matrix,
    Table,
    Text,
    Verdict,
    cell,
    plain,
)

WIDTH = 80  # where the terminal does not say, and the widest prose
MOST_ROWS = 20
MOST_EXAMPLES = 6
MOST_SYSTEMS = 24  # of a matrix in 80 columns
_GAP = "  "
_FEWEST = 12  # characters that remain of a name
_MARKS = {"ok": "✓ ", "look": "! ", "plain": "· "}


def render_text(
    blocks: Sequence[Block],
    *,
    width: int = WIDTH,
    everything: bool = False,
    unfold: Iterable[str] = (),
) -> str:
    """Return what a terminal shows, verdict first.

    Parameters
    ----------
    width : int
        Of the terminal.
    everything : bool
        Show every table and every row.
    unfold : iterable of str
        Tables to show whole.
    """
    whole = set(unfold)
    parts = []
    for block in blocks:
        if isinstance(block, Table) and (everything or block.id in whole):
            parts.append(table_text(replace(block, folded=False), width, most=None))
        else:
            parts.append(_block(block, width, everything=everything))
    return "\n\n".join(part for part in parts if part)


def _block(block: Block, width: int, *, everything: bool) -> str:
    if isinstance(block, Verdict):
        return "\n".join(
            [prose(block.headline, width), *(prose(s, width) for s in block.detail)]
        )
    if isinstance(block, Text):
        return _text(block, width, everything=everything)
    if isinstance(block, Table):
        return table_text(block, width)
    if isinstance(block, Matrix):
        return matrix_text(block, width)
    if isinstance(block, Examples):
        return _examples(block, width, everything=everything)
    return ""


def prose(text: str, width: int = WIDTH, mark: str = "") -> str:
    """Break text between words, with `mark` before the first line."""
    lines = textwrap.wrap(
        text,
        min(width, WIDTH),
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _text(block: Text, width: int, *, everything: bool) -> str:
    if block.role == "note":
        return ""  # the command line says these on stderr
    points = [
        prose(text, width, _MARKS[mark])
        for mark, text in block.points
        if everything or block.role != "checks" or mark == "look"
    ]
    said = [prose(block.text, width)] if block.text else []
    return "\n".join([block.title, *said, *points]) if said or points else ""


def _examples(block: Examples, width: int, *, everything: bool) -> str:
    lines = [block.title]
    shown = block.items if everything else block.items[:MOST_EXAMPLES]
    for heading, texts in shown:
        lines.append(prose(heading, width))
        lines += [prose(text, width, f"    {label}: ") for label, text in texts]
    if len(shown) < len(block.items):
        lines.append(f"({len(block.items) - len(shown):,} more: --all)")
    return "\n".join(lines)


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shorten(name: str, width: int) -> str:
    """Cut a name in the middle: the ends of system names tell them apart.

    Examples
    --------
    >>> shorten("system-with-a-long-name-01", 15)
    'system-…name-01'
    """
    if text_width(name) <= width:
        return name
    end = (width - 1) // 2
    tail = name[len(name) - end :]
    while text_width(tail) > end:
        tail = tail[1:]
    head = name[: width - 1 - end]
    while text_width(head) > width - 1 - text_width(tail):
        head = head[:-1]
    return f"{head}…{tail}"


def table_text(table: Table, width: int = WIDTH, *, most: int | None = MOST_ROWS) -> str:
    """Return a table, giving up columns rather than breaking cells.

    In this order: a name that is the same in all rows goes into the title; a first column that
    only names blocks becomes a heading of each; headings become short; columns with the largest
    `keep` go; verdicts become symbols; names are cut in the middle. A line says what is missing.
    """
    if table.folded and most is not None and len(table.rows) > most:
        size = count(len(table.rows), "row")
        return prose(
            f"{table.title}: {size}; --all shows them, --csv {table.id}:FILE keeps them."
        )
    title, columns = _into_title(table)
    group = _group(table, columns)
    shown = [column for column in columns if column is not group]
    rows = table.rows if most is None else table.rows[:most]
    layout = _fit(shown, table, rows, width)
    lines = [prose(title, width), *_lines(layout, table, rows, group), *_notes(table, width)]
    return "\n".join([*lines, *_missing(table, layout.columns, group, len(rows), width)])


@dataclass(frozen=True, slots=True)
class _Layout:
    columns: list[Column]
    heads: list[str]
    body: list[list[str]]
    widths: list[int]

    @property
    def width(self) -> int:
        return sum(self.widths) + len(_GAP) * (len(self.widths) - 1)

    def line(self, cells: Sequence[str]) -> str:
        padded = []
        for text, width, column in zip(cells, self.widths, self.columns, strict=True):
            space = " " * (width - text_width(text))
            padded.append(text + space if column.left else space + text)
        return _GAP.join(padded).rstrip()


def _into_title(table: Table) -> tuple[str, list[Column]]:
    """Move names that are the same in every row into the title."""
    columns = [column for column in table.columns if column.keep < DATA_ONLY]
    names = [column for column in columns if column.kind == "name"]
    same = [
        column
        for column in names
        if len(table.rows) > 1 and len(set(map(str, table.column(column.key)))) == 1
    ]
    if len(same) == len(columns) or not same:
        return table.title, columns
    said = ", ".join(f"{column.title} {table.column(column.key)[0]}" for column in same)
    return f"{table.title} ({said})", [column for column in columns if column not in same]


def _group(table: Table, columns: list[Column]) -> Column | None:
    """Return the first column if it only says to which block a row belongs."""
    if not table.breaks or len(columns) < 2 or columns[0].kind != "name":
        return None
    values = table.column(columns[0].key)
    edges = [0, *table.breaks, len(table.rows)]
    constant = all(len(set(values[start:end])) == 1 for start, end in pairwise(edges))
    return columns[0] if constant else None


def _fit(
    columns: list[Column], table: Table, rows: Sequence[tuple[Any, ...]], width: int
) -> _Layout:
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
        layout = _Layout(columns, heads, body, widths)
        worst = max(column.keep for column in columns)
        names = [w for w, c in zip(widths, columns, strict=True) if c.kind in ("name", "text")]
        if layout.width <= width:
            return layout
        if not short:
            short = True
        elif worst > 1 and len(columns) > 1:
            columns = [column for column in columns if column.keep < worst]
        elif not symbols and any(column.kind == "verdict" for column in columns):
            symbols = True
        elif names and max(names) > _FEWEST:
            longest = max(names) - 1
        else:
            return layout


def _head(column: Column, *, short: bool, symbols: bool) -> str:
    if symbols and column.kind == "verdict":
        return ""
    return (column.short or column.title) if short else column.title


def _cell(column: Column, value: Any, *, symbols: bool, longest: int) -> str:
    if symbols and column.kind == "verdict":
        return SYMBOLS.get(plain(value), "·")
    text = cell(column, value).replace("\n", " ")
    return shorten(text, longest) if column.kind in ("name", "text") else text


def _lines(
    layout: _Layout, table: Table, rows: Sequence[tuple[Any, ...]], group: Column | None
) -> list[str]:
    lines = [layout.line(layout.heads)]
    if group is None:
        lines.append("─" * layout.width)
    names = [] if group is None else [str(value) for value in table.column(group.key)]
    for number, cells in enumerate(layout.body[: len(rows)]):
        if names and (number == 0 or number in table.breaks):
            lines.append(f"── {names[number]} ".ljust(layout.width, "─"))
        elif number in table.breaks:
            lines.append("╌" * layout.width)
        lines.append(layout.line(cells))
    return lines


def _notes(table: Table, width: int) -> list[str]:
    return [prose(table.note, width)] if table.note else []


def _missing(
    table: Table, shown: Sequence[Column], group: Column | None, rows: int, width: int
) -> list[str]:
    """Say which rows and columns are not there."""
    said = []
    if rows < len(table.rows):
        more = count(len(table.rows) - rows, "more row")
        said.append(f"{more}: --all, or --csv {table.id}:FILE")
    there = {column.key for column in shown} | ({group.key} if group else set())
    gone = [
        column.title
        for column in table.columns
        if column.key not in there and column.keep < DATA_ONLY and not _constant(table, column)
    ]
    if gone:
        said.append(f"not shown at this width: {', '.join(gone)}")
    return [prose(f"({'; '.join(said)})", width)] if said else []


def _constant(table: Table, column: Column) -> bool:
    values = table.column(column.key)
    return column.kind == "name" and len(values) > 1 and len(set(map(str, values))) == 1


def matrix_text(matrix: Matrix, width: int = WIDTH) -> str:
    """Return one symbol for every two systems; the best that fit, where there are many."""
    n = min(len(matrix.names), MOST_SYSTEMS)
    names = [name.replace("\n", " ") for name in matrix.names[:n]]
    widest = min(22, max(map(text_width, names)))
    step = 3 if widest + 4 + 3 * n <= width else 2
    head = " " * (widest + 4)
    numbers = range(1, n + 1)
    if step == 3:
        top = [head + "".join(f"{i:>3}" for i in numbers)]
    else:  # tens over units where the columns are narrow
        top = [
            head + "".join(f"{i // 10 if i > 9 else '':>2}" for i in numbers),
            head + "".join(f"{i % 10:>2}" for i in numbers),
        ]
    lines = [matrix.title, *(line.rstrip() for line in top)]
    for i, name in enumerate(names):
        marks = (_mark(matrix, i, j) for j in range(n))
        short = shorten(name, widest)
        space = " " * (widest - text_width(short))
        row = f"{i + 1:>2}  {short}{space}" + "".join(f"{mark:>{step}}" for mark in marks)
        lines.append(row.rstrip())
    lines.append(
        prose("▲ row better than column   ▼ worse   ◆ equivalent   · undecided", width)
    )
    if n < len(matrix.names):
        lines.append(prose(f"(the first {n} of {len(matrix.names)} systems)", width))
    return "\n".join([*lines, *([prose(matrix.note, width)] if matrix.note else [])])


def _mark(matrix: Matrix, i: int, j: int) -> str:
    verdict = matrix.verdicts[i][j]
    if i == j or verdict is None:
        return ""
    return "·" if verdict == "undecided" else SYMBOLS[verdict]
