"""What a result shows, as a list of blocks. A renderer turns blocks into a form; nothing else prints.

A function in ``report/shown`` returns the blocks of each result type; `report.blocks_of` lists
these functions. One `Verdict` stands first, and then what a person may want to read, in that order;
the `Repeat` at the end is added for all of them. No result knows a renderer, and no renderer a result.

Cells of a table keep their values. `cell` is the one place where they become text, for the
terminal, Markdown, LaTeX and pages; CSV writes them with full precision.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from detectable.core import wording
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.registry import at

if TYPE_CHECKING:
    from detectable.report.paper_table import PairNumbers, PaperTable

Kind: TypeAlias = Literal[
    "name",
    "text",
    "number",
    "numbers",
    "interval",
    "p",
    "count",
    "share",
    "shares",  # an interval of shares
    "verdict",
]
Status: TypeAlias = Literal["better", "worse", "equivalent", "undecided", "info", "warning"]
Mark: TypeAlias = Literal["ok", "look", "plain"]

DATA_ONLY = 9  # `keep` of a column that is for spreadsheets: no other form shows it
LONG = 12  # rows beyond which a table that is not the answer is folded

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys(("better", "higher", "superior"), "▲"),
    **dict.fromkeys(("worse", "lower", "inferior"), "▼"),
    **dict.fromkeys(("equivalent", "non-inferior"), "◆"),
    "undecided": "○",
}
LEGEND = "▲ row better than column, ▼ worse, ◆ equivalent, · undecided."
_STATUS: Mapping[str, Status] = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "non-inferior": "equivalent",
    "superior": "better",
    "inferior": "worse",
    "undecided": "undecided",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first block of every result: the answer in one sentence, and what it rests on."""

    status: Status
    headline: str
    detail: tuple[str, ...] = ()  # sentences or short paragraphs

    def __post_init__(self) -> None:
        """Begin every sentence with a capital, unless it begins with a name."""
        object.__setattr__(self, "detail", tuple(map(wording.begun, self.detail)))


class Text(NamedTuple):
    """Prose under a heading, and points below it.

    `story`: what was typed, as the text, and what it found, as points. `limits`: what could not have been seen. `checks`: assumptions and what a simpler analysis
    would have said; a terminal shows only the points to look at. `note`: what was left out or
    changed on the way; the command line says it on stderr.
    """

    role: Literal["story", "limits", "checks", "note"]
    title: str
    text: str = ""
    points: tuple[tuple[Mark, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, declared once for all forms.

    Attributes
    ----------
    key : str
        Its name in CSV, and the attribute of a record that it shows, unless `of` says otherwise.
    title, short : str
        Its heading, and the one for narrow places.
    kind, digits, sign
        How values become text.
    keep : int
        1 is always shown; where space is short, larger numbers go first. `DATA_ONLY` is for
        spreadsheets.
    help : str
        What it means, for a page.
    of : callable, optional
        Takes a record and returns the value.
    none : str
        What is shown where there is no value.
    """

    key: str
    title: str
    kind: Kind = "number"
    digits: int | Callable[[Any], int] = 2
    sign: bool = False
    short: str = ""
    keep: int = 1
    help: str = ""
    of: Callable[[Any], Any] | None = None
    none: str = "–"

    def value(self, record: Any) -> Any:
        """Return what the column shows of a record."""
        return getattr(record, self.key) if self.of is None else self.of(record)

    @property
    def left(self) -> bool:
        """Whether its cells stand to the left."""
        return self.kind in ("name", "text", "numbers", "verdict")


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with the number of decimals that make sense for its row."""

    value: Any
    digits: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns.

    Attributes
    ----------
    id : str
        By which ``--csv ID:FILE`` and ``--all`` know it.
    rows : tuple of tuple
        One value per column.
    breaks : tuple of int
        Rows above which a rule is drawn: clusters, metrics.
    note : str
        How to read it.
    folded : bool
        Long, and not the answer: closed on a page; a terminal only says that it is there.
    caption : str
        What a paper says of it, in place of the title.
    key : bool
        The scores that the verdict is about: a page has it right below, a terminal shows it even
        if it is long.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    breaks: tuple[int, ...] = ()
    note: str = ""
    folded: bool = False
    caption: str = ""
    key: bool = False

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InputError(
                    f"row {number} of table {self.id!r} must have {len(self.columns)} cells, "
                    f"one per column; got {len(row)}."
                )

    def column(self, key: str) -> tuple[Any, ...]:
        """Return the values of one column."""
        place = next(i for i, column in enumerate(self.columns) if column.key == key)
        return tuple(plain(row[place]) for row in self.rows)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the rows as text."""
        return [
            tuple(cell(column, value) for column, value in zip(self.columns, row, strict=True))
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A verdict for every two of some systems: of the row against the column.

    `verdicts[i][j]` is None where the two were not compared. A paper prints the numbers. Where
    there are many systems, a terminal sets the marks beside the rows of a table, in place of it.
    """

    id: str
    title: str
    names: tuple[str, ...]
    verdicts: tuple[tuple[str | None, ...], ...]
    note: str = ""
    numbers: "PairNumbers | None" = None
    beside: Table | None = None  # a row per name, in their order

    def __post_init__(self) -> None:
        n = len(self.names)
        if len(self.verdicts) != n or any(len(row) != n for row in self.verdicts):
            raise InputError(f"matrix {self.id!r} must have {n} rows and columns, as names.")
        if self.beside is not None and len(self.beside.rows) != n:
            raise InputError(f"what stands beside matrix {self.id!r} must have {n} rows.")

    def mark(self, row: int, column: int) -> str:
        """Return the symbol of a cell; nothing on the diagonal and where nothing was compared."""
        verdict = self.verdicts[row][column]
        if row == column or verdict is None:
            return ""
        return "·" if verdict == "undecided" else SYMBOLS[verdict]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of the result.

    Attributes
    ----------
    id : str
        By which ``--chart ID:FILE`` knows it.
    title, caption : str
        The finding, computed from the result; and how to read it.
    alt : str
        The finding with its numbers, for those who cannot see it.
    draw : callable
        Takes `width` in pixels, by its name, and returns a Vega-Lite dict.
    twin : str
        The table that holds its numbers.
    key : bool
        Whether it stands right below the verdict: the first of its kind.
    """

    id: str
    title: str
    caption: str
    alt: str
    draw: Callable[..., dict[str, Any]]
    twin: str
    key: bool = False

    def make(self, width: int) -> dict[str, Any]:
        """Draw it at a width."""
        return self.draw(width=width)


@dataclass(frozen=True, slots=True)
class Pictures:
    """Charts that are made where a form draws them: a terminal loads nothing of charts.

    Attributes
    ----------
    place : str
        The function of ``report/shown`` that makes them: ``"comparison_pictures:all_pairs"``.
    of
        What it takes: the result.
    """

    place: str
    of: Any

    def made(self) -> "Iterable[Block]":
        """Make them."""
        made: Iterable[Block] = at(f"detectable.report.shown.{self.place}")(self.of)
        return made


class Papers(Pictures):
    """Tables as papers print them, which LaTeX alone shows: no other form loads what makes them."""

    __slots__ = ()


class Examples(NamedTuple):
    """Things to read by hand: a heading and labelled texts each."""

    title: str
    items: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class Methods(NamedTuple):
    """What a paper says of how it was done, and whom to cite (keys of the bibliography)."""

    paragraph: str
    cite: tuple[str, ...] = ()


class Repeat(NamedTuple):
    """The last block of every result: what it takes to get the same numbers again."""

    signature: str
    command: str = ""


class Section(NamedTuple):
    """One result among several that are shown together: its name, and its blocks as by itself."""

    name: str
    blocks: tuple["Block", ...]


Block: TypeAlias = "Verdict | Text | Chart | Pictures | Table | Matrix | PaperTable | Examples | Methods | Repeat | Section"


def table(
    id: str,
    title: str,
    columns: Iterable[Column | None],
    records: Iterable[Any],
    *,
    breaks: Sequence[int] = (),
    note: str = "",
    folded: bool = False,
    caption: str = "",
) -> Table:
    """Return a table with a row per record; columns that are None are left out.

    Examples
    --------
    >>> made = table("t", "Sizes", [Column("real", "size", digits=1)], [1.5, -2.0])
    >>> made.texts()
    [('1.5',), ('−2.0',)]
    """
    used = tuple(column for column in columns if column is not None)
    rows = tuple(tuple(_value(column, record) for column in used) for record in records)
    return Table(id, title, used, rows, tuple(breaks), note, folded, caption)


# What the table of contrasts of every study says, beside what each says by itself.
OF_EVERY_CONTRAST: tuple[Column, ...] = ()


def contrasts(
    id: str,
    title: str,
    columns: Iterable[Column | None],
    rows: Sequence[Any],
    *,
    folded: bool | None = None,
    **more: Any,
) -> Table:
    """Return the table of a study with a row per contrast; one that is long is folded.

    A column for all studies is a line of `OF_EVERY_CONTRAST`.
    """
    folded = len(rows) > LONG if folded is None else folded
    every = (*columns, *OF_EVERY_CONTRAST)
    return table(id, title, every, rows, folded=folded, **more)


def _value(column: Column, record: Any) -> Any:
    value = column.value(record)
    return Cell(value, column.digits(record)) if callable(column.digits) else value


def plain(value: Any) -> Any:
    """Return a value without the decimals that belong to its row."""
    return value.value if isinstance(value, Cell) else value


def notes(texts: Sequence[str]) -> tuple[Text, ...]:
    """Return the notes of a result as a block, if there are any."""
    points: tuple[tuple[Mark, str], ...] = tuple(("plain", text) for text in texts)
    return (Text("note", "Notes", points=points),) if points else ()


def status_of(verdict: str) -> Status:
    """Return the status that goes with a verdict; one without a direction only informs."""
    return _STATUS.get(verdict, "info")


def cell(column: Column, value: Any) -> str:
    """Return a value as text.

    Examples
    --------
    >>> cell(Column("d", "difference", sign=True), -0.25)
    '−0.25'
    >>> cell(Column("p", "p", "p"), 1e-9), cell(Column("n", "n", "count"), 12345)
    ('<.0001', '12,345')
    >>> cell(Column("mde", "MDE", none="none"), None)
    'none'
    """
    digits = value.digits if isinstance(value, Cell) else column.digits
    value = plain(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return column.none
    return _TEXTS[column.kind](value, digits, column.sign)


def _number(value: float, digits: Any, sign: bool) -> str:  # noqa: FBT001 (of one table below)
    if isinstance(value, Percent):
        return f"{wording.number(100.0 * value, digits=1, sign=sign)}%"
    return wording.number(value, digits=digits, sign=sign, thousands=True)


class Percent(float):
    """A share among numbers of other kinds: text says it in percent, data hold it as it is."""


def ends(value: Any) -> tuple[float, float]:
    """Return both ends of an interval."""
    return (value.low, value.high) if isinstance(value, Interval) else value


def _interval(value: Any, digits: Any, sign: bool) -> str:  # noqa: FBT001
    low, high = ends(value)
    return f"[{_number(low, digits, sign)}, {_number(high, digits, sign)}]"


def _share(value: float, digits: Any, sign: bool) -> str:  # noqa: FBT001
    return f"{_number(100.0 * value, digits, sign)}%"


def _shares(value: Any, digits: Any, sign: bool) -> str:  # noqa: FBT001
    low, high = ends(value)
    return f"{_interval((100.0 * low, 100.0 * high), digits, sign)}%"


def _verdict(value: str, *_: Any) -> str:
    return f"{SYMBOLS[value]} {value}" if value in SYMBOLS else value


_TEXTS: Mapping[Kind, Callable[[Any, Any, bool], str]] = {
    "name": lambda value, *_: str(value),
    "text": lambda value, *_: f"{value:.6g}" if isinstance(value, float) else str(value),
    "number": _number,
    "numbers": lambda values, *form: " ".join(_number(value, *form) for value in values),
    "interval": _interval,
    "p": lambda value, *_: wording.p_value(value),
    "count": lambda value, *_: f"{value:,}",
    "share": _share,
    "shares": _shares,
    "verdict": _verdict,
}


# --- Blocks of several results: taken apart, and one after another ---


def sections_of(blocks: Sequence[Block]) -> list[Section]:
    """Return the results that are shown together; none where there is one by itself."""
    return [block for block in blocks if isinstance(block, Section)]


def unsectioned(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks of all results, one after another."""
    return [
        inner
        for block in blocks
        for inner in (block.blocks if isinstance(block, Section) else (block,))
    ]


def drawn(blocks: Iterable[Block], kind: type[Pictures] = Pictures) -> tuple[Block, ...]:
    """Return the blocks with all of a kind made: charts and tables of papers, or these alone."""
    made: list[Block] = []
    for block in blocks:
        if isinstance(block, kind):
            made += block.made()
        elif isinstance(block, Section):
            made.append(block._replace(blocks=drawn(block.blocks, kind)))
        else:
            made.append(block)
    return tuple(made)


def headline_of(section: Section) -> str:
    """Return the answer of a result in one sentence."""
    return next(block.headline for block in section.blocks if isinstance(block, Verdict))
