"""A table for a terminal of any width, and the prose around it.

Written by hand: rich folds cells and cannot choose columns.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from detectable.core.wording import count, in_one_line
from detectable.report.blocks import DATA_ONLY, SYMBOLS, Column, Table, cell, plain

WIDTH = 80  # where the terminal does not say, and the widest prose

# Spaces at which a number would lose its meaning: “p = .03”, “α ≤ .05”, “[−0.28, +0.85]”.
_HELD = re.compile(r" (?=[=<>≤≥±] )|(?<= [=<>≤≥±]) |(?<=[\d%],) (?=[−+]?[\d.]+%?\])")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def prose(text: str, width: int = WIDTH, mark: str = "") -> str:
    """Break text between words, with `mark` before the first line.

    Signs stay with what they compare, intervals with their brackets. Text without spaces (Chinese, Japanese) breaks between its characters. A long mark does not
    push all lines to the right.
    """
    limit = min(width, WIDTH)
    indent = " " * min(text_width(mark), limit // 3)
    lines, line, empty = [], mark, True
    for space, piece in _pieces(text, limit - len(indent)):
        gap = " " if space and not empty else ""
        if text_width(line + gap + piece) > limit and (not empty or len(mark) > len(indent)):
            lines.append(line.rstrip())
            line, gap = indent, ""
        line += gap + piece.replace(_NO_BREAK, " ")
        empty = False
    return "\n".join([*lines, line.rstrip()]) if line.strip() else ""


def _pieces(text: str, room: int) -> Iterator[tuple[bool, str]]:
    """Yield what no line may break, and whether a space stands before it."""
    for word in _words(text, room):
        if word.isascii():  # no wide characters
            yield True, word
            continue
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


def _words(text: str, room: int) -> Iterator[str]:
    for word in _HELD.sub(_NO_BREAK, one_line(text)).split(" "):
        if text_width(word) > room:  # held together it would stand out
            yield from word.split(_NO_BREAK)
        else:
            yield word


def one_line(text: str) -> str:
    """Return text without line breaks, tabs and what else moves the cursor of a terminal."""
    return in_one_line(text)


# --- A table for a terminal of any width: no cell is ever broken, columns give way instead ---
#
# Written by hand: rich folds cells and cannot choose columns.

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


class Layout(NamedTuple):
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


# --- How many columns of a terminal a text takes, and names that are cut to fit ---


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(character_columns, text))


@functools.cache
def character_columns(character: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(name: str, width: int) -> str:
    """Cut a name in the middle: the ends of system names distinguish them.

    Examples
    --------
    >>> shorten("system-with-a-long-name-01", 15)
    'system-…name-01'
    """
    if text_width(name) <= width:
        return name
    head = tail = name
    while text_width(tail) > (width - 1) // 2:
        tail = tail[1:]
    while text_width(head) > width - 1 - text_width(tail):
        head = head[:-1]
    return f"{head}…{tail}"


# --- Colours of a terminal: of the verdict word only, which is there without them too ---

_CODES = {"▲": 32, "▼": 31, "◆": 34}  # green, red, blue; what is undecided has none


def painted(verdict: str) -> str:
    r"""Return a verdict as a terminal with colours shows it.

    Examples
    --------
    >>> painted("▲ better")
    '\x1b[32m▲ better\x1b[0m'
    >>> painted("○ undecided")
    '○ undecided'
    """
    code = _CODES.get(verdict[:1])
    return verdict if code is None else f"\x1b[{code}m{verdict}\x1b[0m"


# --- What a page shows of a table: which columns, how wide, which on a phone, and how many rows ---


class Arranged(NamedTuple):
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


class ShownColumns(NamedTuple):
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


class PhoneColumns(NamedTuple):
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


class Setting(NamedTuple):
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
