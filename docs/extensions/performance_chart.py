"""The ratios of docs/performance.md as a chart, read from its table."""

import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from detectable.report.blocks import Chart
from detectable.report.charts.lettering import widest
from detectable.report.charts.marks import Rows, layer, vertical_line
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

PAGE = Path(__file__).parent.parent / "performance.md"
_STEP = 22
_END = 14


class Ratio(NamedTuple):
    """A row: what is faster than what, and how many times."""

    what: str
    against: str
    times: float
    whole: bool  # a whole command, not a call in process


def ratios(text: str | None = None) -> list[Ratio]:
    """Return the rows of the table, the largest ratio first."""
    text = PAGE.read_text(encoding="utf-8") if text is None else text
    table = text.split("<!-- table ratios -->")[1].split("<!-- end ratios -->")[0]
    rows = re.findall(
        r"^\| ([^|]+?) \| ([^|]+?) \| ([\d.,]+) \| ?(whole command)?", table, flags=re.MULTILINE
    )
    found = [
        Ratio(what, against, float(times.replace(",", "")), bool(whole))
        for what, against, times, whole in rows
    ]
    return sorted(found, key=lambda row: -row.times)


def performance_chart(text: str | None = None) -> Chart:
    """Return the chart with the finding in its title."""
    rows = ratios(text)
    by_sacrebleu = [row.times for row in rows if row.against == "sacreBLEU" and row.whole]
    low, high = min(by_sacrebleu), max(by_sacrebleu)
    said = "; ".join(
        f"{row.what} ({_kind(row)}), against {row.against}: {row.times:,g}" for row in rows
    )
    return Chart(
        id="performance",
        title=f"Whole commands take {low:g} to {high:g} times less CPU than sacreBLEU's",
        caption=f"{len(rows)} tasks on a logarithmic scale; 1 would be no gain. Filled: whole commands; open: in process. The table says against what.",
        alt=f"Times less CPU. {said}.",
        make=partial(_make, rows),
        twin="ratios",
    )


def _kind(row: Ratio) -> str:
    return "whole command" if row.whole else "in process"


def _make(rows: list[Ratio], width: int) -> Spec:
    narrow = is_narrow(width)
    names = Rows([row.what for row in rows], width * (0.5 if narrow else 0.36))
    beside = [
        f"{row.times:,g}×" if narrow else f"{row.times:,g}×  {row.against}" for row in rows
    ]
    room = width - names.width - widest(beside) - 2 * _END
    data = [
        {"row": i, "times": row.times, "text": beside[i], "whole": row.whole}
        for i, row in enumerate(rows)
    ]
    ticks = [1, 100, 10000] if narrow else [1, 10, 100, 1000, 10000]
    x = {
        "field": "times",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [1, 20000], "nice": False},
        "title": "times less CPU (log scale)",
        "axis": {"values": ticks, "format": ",d", "labelFlush": False},
    }
    from_one = {"type": "rule", "strokeWidth": 2, "color": COLOUR["blind"]}
    point = {"type": "point", "size": 60, "color": COLOUR["better"]}
    fill = {
        "condition": {"test": "datum.whole", "value": COLOUR["better"]},
        "value": COLOUR["paper"],
    }
    text = {"type": "text", "align": "left", "dx": _END, "color": COLOUR["soft"]}
    layers = [
        vertical_line(1, "ink"),
        layer(data, from_one, x=x, x2={"datum": 1}, y=names.y),
        layer(data, point, x=x, y=names.y, fill=fill),
        layer(data, text, x={"value": room}, y=names.y, text={"field": "text"}),
    ]
    return spec(width=room, height={"step": _STEP}, layer=layers)
