"""The ratios of docs/performance.md as a chart, read from its table."""

import math
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from detectable.report.blocks import Chart
from detectable.report.charts.marks import Rows, layer, vertical_line
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

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


def performance_chart(text: str | None = None, *, whole: bool = True) -> Chart:
    """Return the chart of whole commands, or of calls in process, with the finding in its title."""
    rows = [row for row in ratios(text) if row.whole is whole]
    by_sacrebleu = [row.times for row in rows if row.against == "sacreBLEU"]
    low, high = min(by_sacrebleu), max(by_sacrebleu)
    said = "; ".join(f"{row.what}, against {row.against}: {_times(row)}" for row in rows)
    title = "Whole commands take {} to {} times less CPU than sacreBLEU's"
    if not whole:
        title = "In process, calls take {} to {} times less CPU than sacreBLEU's"
    kind = "whole commands" if whole else "calls in process"
    return Chart(
        id="performance" if whole else "performance-in-process",
        title=title.format(f"{low:g}", f"{high:g}"),
        caption=f"{len(rows)} {kind} on a logarithmic scale; 1 would be no gain. The table says how each was measured.",
        alt=f"Times less CPU of {kind}. {said}.",
        draw=partial(_make, rows),
        twin="ratios",
    )


def _times(row: Ratio) -> str:
    return f"{row.times:g}" if row.times < 10 else f"{row.times:,.0f}"


def _make(rows: list[Ratio], width: int) -> Spec:
    narrow = is_narrow(width)
    names = Rows([row.what for row in rows], width * (0.5 if narrow else 0.36))
    beside = [f"{_times(row)}×" if narrow else f"{_times(row)}×  {row.against}" for row in rows]
    room = width - names.width - widest(beside) - 2 * _END
    data = [{"row": i, "times": row.times, "text": beside[i]} for i, row in enumerate(rows)]
    top = math.ceil(math.log10(1.2 * max(row.times for row in rows)))
    low = math.floor(math.log10(min(1.0, *(row.times for row in rows))))
    ticks = [
        10.0**power
        for power in range(low, top + 1, 2 if top - low > (3 if narrow else 5) else 1)
    ]
    x = {
        "field": "times",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [10.0**low, 10.0**top], "nice": False},
        "title": "times less CPU (log scale)",
        "axis": {"values": ticks, "format": ",~g", "labelFlush": False},
    }
    from_one = {"type": "rule", "strokeWidth": 2, "color": COLOUR["blind"]}
    point = {"type": "point", "size": 60, "color": COLOUR["better"], "filled": True}
    text = {"type": "text", "align": "left", "dx": _END, "color": COLOUR["soft"]}
    layers = [
        vertical_line(1, "ink"),
        layer(data, from_one, x=x, x2={"datum": 1}, y=names.y),
        layer(data, point, x=x, y=names.y),
        layer(data, text, x={"value": room}, y=names.y, text={"field": "text"}),
    ]
    return spec(width=room, height={"step": _STEP}, layer=layers)
