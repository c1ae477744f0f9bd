"""The decision chart of docs/which-test.md, drawn from the list below it: one source for both."""

import html
import re
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx

from detectable.report.charts.theme import TEXT, WIDE, text_width, wrapped

START, END = "<!-- decisions -->", "<!-- end decisions -->"
_ITEM = re.compile(
    r"^(?P<deep>  )?- \*\*(?P<answer>[^*]+)\*\*(?: — (?P<question>.+)|: `(?P<command>[^`]+)`.*)$"
)
_ROW = 30  # pixels of a command
_GAP = 10  # pixels between two groups
_COLUMNS = (0, 236, 430)  # where the answers, the second answers and the commands begin
_HEAD = 26


@dataclass
class Branch:
    """One thing that a person has, the question that follows, and its answers with commands."""

    answer: str
    question: str
    leaves: list[tuple[str, str]] = field(default_factory=list)


def branches(text: str) -> list[Branch]:
    """Return what the list says.

    A line that does not fit the form is an error: the chart would leave it out in silence.
    """
    found: list[Branch] = []
    for line in text.split(START)[1].split(END)[0].strip().splitlines():
        item = _ITEM.match(line)
        if item is None:
            raise ValueError(f"docs/which-test.md: this line is no decision: {line}")
        if item["deep"]:
            found[-1].leaves.append((item["answer"], item["command"]))
        else:
            found.append(Branch(item["answer"], item["question"]))
    return found


def chart(found: list[Branch]) -> str:
    """Return the chart as SVG in the colours of the page."""
    parts, top = [_heads()], float(_HEAD)
    for branch in found:
        height = _ROW * len(branch.leaves)
        middle = top + height / 2
        lines = wrapped(branch.question, _COLUMNS[1] - 60)
        parts.append(_text(_COLUMNS[0], middle - 8 * len(lines) + 4, branch.answer, bold=True))
        for place, line in enumerate(lines):
            parts.append(
                _text(
                    _COLUMNS[0], middle + 12 + 15 * place - 8 * (len(lines) - 1), line, "soft"
                )
            )
        for place, (answer, command) in enumerate(branch.leaves):
            y = top + _ROW * (place + 0.5)
            parts.append(_branch_line(_COLUMNS[1] - 46, middle, _COLUMNS[1] - 8, y))
            parts.append(_text(_COLUMNS[1], y + 4, answer))
            end = _COLUMNS[1] + text_width(answer) + 8
            parts.append(_line(end, y, _COLUMNS[2] - 8, y))
            parts.append(_text(_COLUMNS[2], y + 4, command, "better", mono=True))
        top += height + _GAP
    said = "; ".join(
        f"{b.answer}: " + ", ".join(f"{answer} → {command}" for answer, command in b.leaves)
        for b in found
    )
    return (
        f'<figure class="chart decisions"><svg class="wide" role="img" aria-label="{html.escape(said)}" '
        f'viewBox="0 0 {WIDE} {top:g}" width="{WIDE}" height="{top:g}" '
        f'font-size="{TEXT}px">{"".join(parts)}</svg></figure>'
    )


def _heads() -> str:
    heads = ("You have", "and", "type")
    return "".join(_text(x, 12, word, "soft") for x, word in zip(_COLUMNS, heads, strict=True))


def _text(
    x: float,
    y: float,
    text: str,
    colour: str = "ink",
    *,
    bold: bool = False,
    mono: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    family = ' font-family="monospace"' if mono else ""
    return f'<text x="{x:g}" y="{y:g}" fill="var(--{colour})"{weight}{family}>{html.escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:g},{y1:g}L{x2:g},{y2:g}" stroke="var(--grid)" fill="none"/>'


def _branch_line(x1: float, y1: float, x2: float, y2: float) -> str:
    half = (x1 + x2) / 2
    return f'<path d="M{x1:g},{y1:g}C{half:g},{y1:g} {half:g},{y2:g} {x2:g},{y2:g}" stroke="var(--rule)" fill="none"/>'


def _draw(_app: Sphinx, name: str, source: list[str]) -> None:
    if Path(name).name == "which-test":
        from charts import STYLE

        drawn = chart(branches(source[0]))
        source[0] = source[0].replace(START, f"```{{raw}} html\n{STYLE}{drawn}\n```", 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the step."""
    app.connect("source-read", _draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
