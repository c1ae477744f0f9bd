"""A paper's page: its numbers beside ours, and its figures drawn from public data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from detectable.core.result import Result
from detectable.report.blocks import (
    Block,
    Chart,
    Column,
    Mark,
    Repeat,
    Table,
    Text,
    Verdict,
    table,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.theme import Spec
from replications.drawing import Panel, drawn
from replications.listed import KINDS, Compared, Kind, Number, Total

_COUNTED: Mapping[Kind, str] = {
    "paper": "numbers printed in the paper come out",
    "authors": "of its authors' code and data",
    "others": "of other published results",
}
_TITLES: Mapping[Kind, str] = {
    "paper": "Numbers printed in the paper, and ours",
    "authors": "Numbers of the authors' code and data, and ours",
    "others": "Other published results, and ours",
}
_TOLERANCE = "Tolerance: how far rounding or chance in the published number reaches; four standard errors of ours are added."


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the paper, drawn again, and the numbers in it."""

    chart: Chart
    numbers: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What a figure is made of.

    Attributes
    ----------
    number : str
        Of the paper's figure; ours where it is not known which one it was.
    title : str
        What is to be seen.
    showed : str
        What the paper's figure showed.
    data : str
        What is drawn here instead of it, from which data.
    told : str
        The finding with its numbers, for those who cannot see it.
    panels : tuple of Panel
        Its numbers, and how they are drawn.
    columns, height, once
        As `drawn` has them.
    made : callable, optional
        A chart of ``report/charts`` where that is the same picture: takes a width.
    names : (str, str, str)
        What series, x and y are called in the table of its numbers.
    """

    number: str
    title: str
    showed: str
    data: str
    told: str
    panels: tuple[Panel, ...]
    columns: int = 1
    height: int = 230
    once: bool = False
    made: Callable[[int], Spec] | None = None
    names: tuple[str, str, str] = ("series", "x", "y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the replication of a paper found.

    Attributes
    ----------
    about_figures : str
        How far they are those of the paper.
    not_drawn : tuple of (str, str)
        Figures that public data do not allow, and why.
    remarks : tuple of str
        What else a reader should know of the numbers.
    """

    paper: str
    citation: str
    command: str
    rows: tuple[Compared, ...]
    figures: tuple[Figure, ...]
    about_figures: str
    not_drawn: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()

    def total(self, kind: Kind) -> Total:
        """Count the numbers of a kind that come out as published, also those that could not be run."""
        own = [row for row in self.rows if row.kind == kind]
        return Total(sum(row.matches is True for row in own), len(own))

    @property
    def not_run(self) -> int:
        """Published numbers that could not be computed here."""
        return sum(row.ours is None and row.kind is not None for row in self.rows)

    @property
    def problems(self) -> list[str]:
        """What is not as the lists say."""
        return [row.problem for row in self.rows if row.problem]

    def blocks(self) -> list[Block]:
        """Return the page as blocks."""
        return list(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        said = [self.citation, *self.remarks]
        if self.not_run:
            said.append(f"{self.not_run} could not be run here; the table says why.")
        said += [f"Not as listed: {problem}." for problem in self.problems]
        headline = self._headline()
        yield Verdict("warning" if self.problems else "info", headline, tuple(said))
        yield Text("limits", "What the figures are", self.about_figures, self._left_out())
        yield from self._tables()
        for figure in self.figures:
            yield figure.chart
        for figure in self.figures:
            yield figure.numbers
        yield Repeat(f"replications/{self.paper}", self.command)

    def _left_out(self) -> tuple[tuple[Mark, str], ...]:
        return tuple(("plain", f"Not drawn, {what}: {why}") for what, why in self.not_drawn)

    def _headline(self) -> str:
        counts = {kind: self.total(kind) for kind in KINDS}
        first, *others = (
            f"{counts[kind]} {_COUNTED[kind]}"
            for kind in KINDS
            if counts[kind].stated or kind == "paper"
        )
        if not counts["paper"].stated:
            first = "No number printed in the paper can be computed again"
        return "; ".join([first, *others]) + "."

    def _tables(self) -> Iterator[Table]:
        beside = [row for row in self.rows if row.kind is None and row.published is not None]
        ours = [row for row in self.rows if row.published is None and row.ours is not None]
        for kind, what in _TITLES.items():
            own = [row for row in self.rows if row.kind == kind]
            if own:
                # What differs is what people look for.
                own.sort(key=lambda row: row.matches is True)
                yield numbers(f"numbers-{kind}", what, own, note=_TOLERANCE)
        if beside:
            note = "The paper's data are not public: there is nothing to match, only something to read."
            yield numbers(
                "beside",
                "What the paper found on its data, and ours on public ones",
                beside,
                note=note,
            )
        if ours:
            yield numbers("ours", "Numbers that nobody else has published", ours)


def numbers(id: str, title: str, rows: Sequence[Compared], *, note: str = "") -> Table:
    """Return rows as a table."""
    columns = (
        Column("name", "number", "text"),
        Column("source", "where", "text", keep=2, none=""),
        Column("published", "published", "text", of=lambda row: _shown(row.published), none=""),
        Column("ours", "ours", "text", of=lambda row: _shown(row.ours), none=""),
        Column(
            "tolerance",
            "tolerance",
            "text",
            of=lambda row: _shown(row.tolerance),
            keep=2,
            none="",
        ),
        Column("state", "result", "text", of=lambda row: row.state),
        Column("why", "why", "text", keep=3),
    )
    empty = {
        "tolerance": all(row.tolerance is None for row in rows),
        "state": all(not row.state for row in rows),
        "why": all(not row.why for row in rows),
        "published": all(row.published is None for row in rows),
        "source": all(not row.source for row in rows),
    }
    used = [column for column in columns if not empty.get(column.key)]
    folded = len(rows) > 60 or id == "ours"
    return table(id, title, used, rows, note=note, folded=folded)


def _shown(value: float | str | Number | None) -> str | None:
    if isinstance(value, Number):
        return value.shown()
    return f"{value:.6g}" if isinstance(value, int | float) else value


def figure(drawing: Drawing) -> Figure:
    """Return a figure with the table of its numbers."""
    id = f"figure-{drawing.number}"
    caption = f"{drawing.showed} {drawing.data}"

    def make(width: int) -> Spec:
        if drawing.made is not None:
            return drawing.made(width)
        return drawn(
            drawing.panels,
            width=width,
            columns=drawing.columns,
            height=drawing.height,
            once=drawing.once,
        )

    chart = Chart(id, drawing.title, caption, drawing.told, make, f"{id}-numbers")
    return Figure(chart, _numbers(drawing, f"{id}-numbers"))


def charted(
    result: Result, chart: str = "", *, number: str, said: str, better: str = "", rows: str = ""
) -> Figure:
    """Return a chart that users have as a figure of the paper, with its numbers.

    Parameters
    ----------
    chart : str
        Its name, as ``--chart`` takes it; the first of the result by default.
    number : str
        Of the paper's figure.
    said : str
        What the paper shows, and from which data it is drawn here.
    better : str
        What says more, in one line.
    rows : str
        Which rows of the table of its numbers, by their first column; all by default.
    """
    shown = blocks_of(result)
    own = next(one for one in shown if isinstance(one, Chart) and chart in ("", one.id))
    twin = next(one for one in shown if isinstance(one, Table) and one.id == own.twin)
    id = f"figure-{number}"
    numbers = replace(
        twin,
        id=f"{id}-numbers",
        title=f"Numbers of figure {number}",
        rows=tuple(row for row in twin.rows if rows in ("", row[0])),
        breaks=() if rows else twin.breaks,
        folded=True,
        key=False,
    )
    caption = " ".join(filter(None, (said, own.caption, better)))
    return Figure(replace(own, id=id, caption=caption, twin=numbers.id, key=False), numbers)


def _numbers(drawing: Drawing, id: str) -> Table:
    points = [point for panel in drawing.panels for point in panel.values()]
    several = len(drawing.panels) > 1
    series, x, y = drawing.names
    columns = (
        Column("panel", "panel", "name", of=lambda p: p[0]) if several else None,
        Column("series", series, "name", of=lambda p: p[1]),
        Column("x", x, "text", of=lambda p: p[2]),
        Column("y", y, "text", of=lambda p: p[3]),
    )
    return table(id, f"Numbers of figure {drawing.number}", columns, points, folded=True)
