"""All forms of a report in one text, so that one file shows what a change does to them."""

import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import singledispatch
from html.parser import HTMLParser

from detectable.report.blocks import (
    Block,
    Chart,
    Column,
    Examples,
    Matrix,
    Methods,
    Table,
    Text,
    Verdict,
)
from detectable.report.paper_table import PaperTable
from detectable.report.several import Report

_NUMBER = re.compile(r"(?<![\w.])-?\d*\.\d+(?:e[+-]?\d+)?(?![\w.])|\b\d+e-\d+\b")
_WIDTHS = (720, 340)  # of a chart on a desk and on a phone
_UNSEEN = {"style", "script", "svg", "head"}
_EMPTY = {"br", "hr", "img", "input", "link", "meta", "wbr", "col"}


def forms(report: Report) -> dict[str, str]:
    """Return a report as text at two widths, Markdown, LaTeX, CSV, page and charts, by name."""
    parts = {
        "terminal, 80 columns": report.text(width=80),
        "terminal, 120 columns, everything": report.text(width=120, everything=True),
        "Markdown": report.markdown(),
        "LaTeX, everything": report.latex(everything=True),
    }
    blocks = [block for section in report.sections() for block in section.blocks]
    if len(report.names) == 1:
        for block in blocks:
            if isinstance(block, Table):
                parts[f"CSV, {block.id}"] = rounded(report.csv(block.id))
    parts["page"] = skeleton(report.page())
    charts = [block for block in blocks if isinstance(block, Chart)]
    if charts:
        parts["charts"] = "\n".join(_chart(chart) for chart in charts)
    return parts


def together(parts: dict[str, str]) -> str:
    """Return texts as one, each below its name."""
    return "\n".join(f"════ {name} ════\n{text.rstrip()}\n" for name, text in parts.items())


def rounded(text: str) -> str:
    """Return a text whose numbers have six digits: another BLAS changes the last ones."""
    return _NUMBER.sub(lambda found: f"{round(float(found[0]), 9) + 0.0:.6g}", text)


def _declared(block: Table | Chart) -> str:
    """Return what no form shows whole: the columns of a table, and the place of a chart."""
    if isinstance(block, Chart):
        return f"chart {block.id}{', key' * block.key} → {block.twin}"
    return "\n".join([f"table {block.id}", *(_column(one) for one in block.columns)])


def _column(column: Column) -> str:
    short = f" / {column.short}" if column.short else ""
    keep = f", keep {column.keep}" if column.keep != 1 else ""
    about = f" ({column.help})" if column.help else ""
    sign = "signed " if column.sign else ""
    return f"  {column.key}: {column.title}{short}, {sign}{column.kind}{keep}{about}"


def outline(blocks: Sequence[Block]) -> list[str]:
    """Return every word of every block once: what all forms are made of, and so a small text.

    A table is two paragraphs: how it is declared, and its rows.
    """
    made: list[str] = []
    for block in blocks:
        made += [_declared(block)] if isinstance(block, Table | Chart) else []
        made.append("\n".join(_outlined(block)))
    return [text for text in made if text]


def beside(paragraphs: Sequence[str], others: Sequence[str]) -> str:
    """Return an outline that tells only what does not stand in another word for word."""
    known = {text.splitlines()[0]: text for text in others}
    return "\n\n".join(
        _beside(text, known.get(text.splitlines()[0], "")) for text in paragraphs
    )


def _beside(text: str, other: str) -> str:
    if text == other:
        return f"= {text.splitlines()[0][:60]}"
    first, *lines = text.splitlines()
    found = difflib.ndiff(other.splitlines()[1:], lines)
    changed = "\n".join([first, *(line for line in found if line[0] in "+-")])
    return changed if other and len(changed) < len(text) else text


@singledispatch
def _outlined(block: Block) -> Iterator[str]:
    """Yield the lines of a block; nothing of how to repeat it, which no result decides."""
    yield from ()


@_outlined.register
def _verdict(block: Verdict) -> Iterator[str]:
    yield f"[{block.status}] {block.headline}"
    yield from block.detail


@_outlined.register
def _text(block: Text) -> Iterator[str]:
    yield f"[{block.role}] {block.title}"
    yield from filter(None, [block.text])
    yield from (f"{mark}: {text}" for mark, text in block.points)


@_outlined.register
def _table(block: Table) -> Iterator[str]:
    breaks = f", breaks {block.breaks}" if block.breaks else ""
    yield f"{block.id}: {block.title}{', folded' * block.folded}{breaks}"
    yield from some([" | ".join(texts) for texts in block.texts()])
    yield from (f"→ {text}" for text in (block.note, block.caption) if text)


@_outlined.register
def _matrix(block: Matrix) -> Iterator[str]:
    yield f"matrix {block.id}: {block.title}"
    yield from some([" | ".join(one or "" for one in row) for row in block.verdicts])
    if block.numbers is not None:
        said = block.numbers
        yield f"→ {said.told}; {said.same}; {said.digits} digits; {said.caption}"
        for values in (said.differences, said.p_values):
            yield from some([_values(row) for row in values])
    if block.beside is not None:
        yield f"beside: {_declared(block.beside)}"
        yield from _table(block.beside)


def _values(row: Sequence[float | None]) -> str:
    return " | ".join("" if one is None else f"{one:.6g}" for one in row)


@_outlined.register
def _paper_table(block: PaperTable) -> Iterator[str]:
    yield f"paper table {block.id}{f', breaks {block.breaks}' if block.breaks else ''}"
    yield " | ".join(f"{one.over} {one.title} ({one.kind})".lstrip() for one in block.columns)
    cells = [
        " | ".join(f"{'*' * c.bold}{c.text} {c.beside}{c.mark}".rstrip() for c in row)
        for row in block.rows
    ]
    yield from some(cells)
    yield f"→ {block.caption}"


@_outlined.register
def _drawn(block: Chart) -> Iterator[str]:
    yield _chart(block)
    yield block.caption


@_outlined.register
def _examples(block: Examples) -> Iterator[str]:
    yield f"examples: {block.title}"
    for title, texts in block.items:
        yield f"{title}: {texts}"


@_outlined.register
def _methods(block: Methods) -> Iterator[str]:
    yield f"methods: {block.paragraph}"
    yield f"→ {', '.join(block.cite)}"


_FIRST, _LAST = 5, 2  # rows that are shown of a long table


def some(rows: list[str]) -> list[str]:
    """Return the first and last rows of a long table: what is in between looks like them."""
    if len(rows) <= _FIRST + _LAST + 1:
        return rows
    return [*rows[:_FIRST], f"… {len(rows) - _FIRST - _LAST} more", *rows[-_LAST:]]


def _chart(chart: Chart) -> str:
    """Return what a chart says, and a fingerprint of what is drawn at each width."""
    drawn = (rounded(json.dumps(chart.make(width), sort_keys=True)) for width in _WIDTHS)
    prints = (hashlib.sha256(text.encode()).hexdigest()[:16] for text in drawn)
    return f"{chart.id}: {chart.title}\n{chart.alt}\n→ {chart.twin}; {' '.join(prints)}"


def skeleton(page: str) -> str:
    """Return the tags of a page with their classes, and the texts in them."""
    reader = _Skeleton()
    reader.feed(page)
    return "\n".join(filter(None, reader.lines()))


class _Skeleton(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._found: list[tuple[str, list[str]]] = [("page", [])]
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif not self._unseen and tag not in _EMPTY:
            named = dict(attrs)
            kind = "".join(f".{word}" for word in (named.get("class") or "").split())
            self._found.append((f"{tag}{kind}", []))

    def handle_endtag(self, tag: str) -> None:
        if self._unseen and self._unseen[-1] == tag:
            self._unseen.pop()

    def handle_data(self, data: str) -> None:
        if not self._unseen and data.strip():
            self._found[-1][1].append(" ".join(data.split()))

    def lines(self) -> Iterator[str]:
        """Yield a line for every tag; cells of a row of a table share one."""
        cells: list[str] = []
        for tag, texts in self._found:
            said = " ".join([tag, *texts])
            if not re.match(r"t[dh]\b", tag):
                yield " | ".join(cells)
                cells = []
            cells.append(said)
        yield " | ".join(cells)


def plain_text(text: str) -> str:
    """Return a text without what differs from run to run or from one machine to the next.

    These are secret links, the version, and fingerprints of ledgers: they hold every digit.
    """
    text = re.sub(r"/a#[\w-]{22}\b", "/a#SECRET", text)
    text = re.sub(
        r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12}(?:[0-9a-f]{52})?\b",
        "FINGERPRINT",
        text,
    )
    return re.sub(r"detectable:\d+\.\d+\.\d+", "detectable", text)
