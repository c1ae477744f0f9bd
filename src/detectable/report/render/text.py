"""Blocks as text for a terminal of any width: no cell is ever broken, columns give way instead.

Written by hand: rich folds cells and cannot choose columns.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core.harmless import in_one_line
from detectable.core.wording import count
from detectable.report.blocks import (
    DATA_ONLY,
    LEGEND,
    SYMBOLS,
    Block,
    Column,
    Examples,
    Matrix,
    Section,
    Table,
    Text,
    Verdict,
    cell,
    plain,
)
from detectable.report.render.arrange import arrange, constant
from detectable.report.render.terminal_width import character_columns, shorten, text_width
from detectable.report.sections import sections_of

WIDTH = 80  # where the terminal does not say, and the widest prose
MOST_ROWS = 20
MOST_EXAMPLES = 6
MOST_SYSTEMS = 24  # of a matrix in 80 columns
_GAP = "  "
_FEWEST = 12  # characters that remain of a name
_LONGEST = 22  # characters of a name beside a matrix
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
    sections = sections_of(blocks)
    parts = [overview(sections, width)] if sections else []
    for block in blocks:
        if isinstance(block, Section):
            inside = render_text(block.blocks, width=width, everything=everything, unfold=whole)
            parts.append(f"{_heading(block.name, width)}\n\n{inside}")
        elif isinstance(block, Table) and (everything or block.id in whole):
            parts.append(table_text(replace(block, folded=False), width, most=None))
        else:
            parts.append(_block(block, width, everything=everything))
    return "\n\n".join(part for part in parts if part)


def overview(sections: Sequence[Section], width: int) -> str:
    """Return a line or more for each of several results."""
    return "\n".join(
        prose(section.verdict.headline, width, f"{one_line(section.name)}: ")
        for section in sections
    )


def _heading(name: str, width: int) -> str:
    limit = min(width, WIDTH)
    line = f"══ {shorten(one_line(name), max(limit - 6, _FEWEST))} "
    return line + "═" * max(limit - text_width(line), 2)


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
    """Break text between words, with `mark` before the first line.

    Text without spaces (Chinese, Japanese) breaks between its characters. A long mark does not
    push all lines to the right.
    """
    limit = min(width, WIDTH)
    indent = " " * min(text_width(mark), limit // 3)
    lines, line, empty = [], mark, True
    for space, piece in _pieces(text):
        gap = " " if space and not empty else ""
        if text_width(line + gap + piece) > limit and (not empty or len(mark) > len(indent)):
            lines.append(line.rstrip())
            line, gap = indent, ""
        line += gap + piece
        empty = False
    return "\n".join([*lines, line.rstrip()]) if line.strip() else ""


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield what no line may break, and whether a space stands before it."""
    for word in one_line(text).split(" "):
        piece, space = "", True
        for character in word:
            # A line may begin with a wide character, but not with a comma or closing bracket.
            closes = unicodedata.category(character) in ("Po", "Pe", "Pf")
            wide = character_columns(character) == 2 or (
                piece and character_columns(piece[-1]) == 2
            )
            if piece and wide and not closes:
                yield space, piece
                piece, space = "", False
            piece += character
        yield space, piece


def one_line(text: str) -> str:
    """Return text without line breaks, tabs and what else moves the cursor of a terminal."""
    return in_one_line(text)


def _text(block: Text, width: int, *, everything: bool) -> str:
    if block.role == "note":
        return ""  # the command line says these on stderr
    points = [
        prose(text, width, _MARKS[mark])
        for mark, text in block.points
        if everything or block.role != "checks" or mark == "look"
    ]
    if block.role == "story" and block.text:  # what was typed stands beside the heading
        return "\n".join([prose(f"{block.title}: {block.text}", width), *points])
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


def table_text(table: Table, width: int = WIDTH, *, most: int | None = MOST_ROWS) -> str:
    """Return a table, giving up columns rather than breaking cells.

    In this order: a name that is the same in all rows goes into the title; a first column that
    only names blocks becomes a heading of each; headings become short; columns with the largest
    `keep` go; verdicts become symbols; names are cut in the middle; and where all that is not
    enough, intervals go, then columns from the right. A line says what is missing.
    """
    if table.folded and most is not None and len(table.rows) > most:
        size = count(len(table.rows), "row")
        return prose(
            f"{table.title}: {size}; --all shows them, --csv {table.id}:FILE keeps them.", width
        )
    arranged = arrange(table)
    rows = table.rows if most is None else table.rows[:most]
    layout = _fit(arranged.columns, table, rows, width)
    lines = [prose(arranged.title, width), *_lines(layout, table, arranged.group, width)]
    lines += [prose(table.note, width)] if table.note else []
    return "\n".join([*lines, *_missing(table, layout.columns, arranged.group, rows, width)])


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
        elif names > _FEWEST:
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


def _lines(layout: _Layout, table: Table, group: Column | None, width: int) -> list[str]:
    lines = [layout.line(layout.heads)]
    if group is None:
        lines.append("─" * layout.width)
    names = [] if group is None else [one_line(str(v)) for v in table.column(group.key)]
    for number, cells in enumerate(layout.body):
        if names and (number == 0 or number in table.breaks):
            heading = f"── {shorten(names[number], max(_FEWEST, width - 4))}"
            line = "─" * (layout.width - text_width(heading) - 1)
            lines.append(f"{heading} {line}".rstrip())
        elif number in table.breaks:
            lines.append("╌" * layout.width)
        lines.append(layout.line(cells))
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


def matrix_text(matrix: Matrix, width: int = WIDTH) -> str:
    """Return one symbol for every two systems; the first that fit, where there are many."""
    names = [one_line(name) for name in matrix.names[:MOST_SYSTEMS]]
    widest = min(_LONGEST, max(map(text_width, names)))
    room = width - 2 - len(_GAP)  # beside the number and before the marks
    step = 3 if widest + 3 * len(names) <= room else 2
    widest = min(widest, max(_FEWEST, room - step * len(names)))
    names = names[: max(1, (room - widest) // step)]
    n = len(names)
    head = " " * (widest + 2 + len(_GAP))
    numbers = range(1, n + 1)
    if step == 3:
        top = [head + "".join(f"{i:>3}" for i in numbers)]
    else:  # tens over units where the columns are narrow
        top = [
            head + "".join(f"{i // 10 if i > 9 else '':>2}" for i in numbers),
            head + "".join(f"{i % 10:>2}" for i in numbers),
        ]
    lines = [prose(matrix.title, width), *(line.rstrip() for line in top if line.strip())]
    for i, name in enumerate(names):
        short = shorten(name, widest)
        space = " " * (widest - text_width(short))
        marks = "".join(f"{matrix.mark(i, j):>{step}}" for j in range(n))
        lines.append(f"{i + 1:>2}{_GAP}{short}{space}{marks}".rstrip())
    lines.append(prose(LEGEND, width))
    if n < len(matrix.names):
        lines.append(prose(f"(the first {n} of {len(matrix.names)} systems)", width))
    return "\n".join([*lines, *([prose(matrix.note, width)] if matrix.note else [])])
