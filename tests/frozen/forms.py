"""All forms of a report in one text, so that one file shows what a change does to them."""

import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from detectable.report.blocks import Chart, Table
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
