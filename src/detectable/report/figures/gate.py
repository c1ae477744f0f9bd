"""The picture of a gate: every row with its interval, and the margin it must stay clear of."""

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, listing, number
from detectable.report.blocks import Chart
from detectable.report.charts.forest import Difference, Panel, forest, forest_panels
from detectable.report.gate.words import digits_of, level_of
from detectable.study.gate.result import Gate
from detectable.study.gate.row import GateRow

_MOST = 30  # rows that a picture can hold
_VERDICTS = {"pass": "equivalent", "fail": "worse", "inconclusive": "undecided"}
_SHAPES = {"pass": "◆ pass", "fail": "▼ fail", "inconclusive": "● inconclusive"}


def differences(gate: Gate) -> Iterator[Chart]:
    """Yield the differences of all tasks, a panel per metric."""
    rows = [row for row in gate.rows if not math.isnan(row.interval.low)]
    if not rows or len(gate.rows) > _MOST:
        return
    panels = [
        _panel(gate, metric, [row for row in rows if row.metric == metric])
        for metric in gate.metrics
        if any(row.metric == metric for row in rows)
    ]
    title = _title(gate)
    yield Chart(
        "differences",
        title,
        _caption(gate, rows),
        f"{title}. {_told(gate, rows)}",
        partial(_draw, tuple(panels)),
        "rows",
        key=True,
    )


def _draw(panels: tuple[Panel, ...], width: int) -> dict[str, object]:
    same = len({tuple(row.name for row in panel.rows) for panel in panels}) == 1
    if len(panels) > 1 and same:
        return forest_panels(panels, width=width)
    return forest(panels[0], width=width)


def _panel(gate: Gate, metric: str, rows: list[GateRow]) -> Panel:
    margin = gate.margin.get(metric)
    return Panel(
        metric,
        tuple(
            Difference(
                f"{row.task} (watched)" if row.watched else row.task,
                row.difference,
                row.interval,
                row.interval,
                _VERDICTS[row.outcome],
            )
            for row in rows
        ),
        digits=digits_of(gate)[metric],
        margins=() if margin is None else (-margin,),
    )


def _title(gate: Gate) -> str:
    found = Counter[str](row.outcome for row in gate.deciding)
    total = count(len(gate.deciding), "row")
    if found["pass"] == len(gate.deciding):
        return f"All {total} pass" if len(gate.deciding) > 1 else "The gate passes"
    parts = [
        f"{n} {one if n == 1 else many}"
        for n, one, many in (
            (found["fail"], "fails", "fail"),
            (found["inconclusive"], "cannot tell", "cannot tell"),
            (found["pass"], "passes", "pass"),
        )
        if n
    ]
    return f"Of {total}, {listing(parts)}"


def _caption(gate: Gate, rows: list[GateRow]) -> str:
    shapes = [_SHAPES[one] for one in _SHAPES if any(row.outcome == one for row in rows)]
    margin = {
        "non-inferiority": "Dotted: the margin, which an interval must stay clear of to pass.",
        "no-regression": "Dotted: the tolerance.",
        "superiority": "An interval right of zero passes.",
    }[gate.rule]
    return f"New − old, right is better, with {level_of(gate)}% intervals. {margin} {', '.join(shapes)}."


def _told(gate: Gate, rows: list[GateRow]) -> str:
    digits_by = digits_of(gate)

    def one(row: GateRow) -> str:
        digits = digits_by[row.metric]
        value, low, high = (
            number(x, digits=digits, sign=True)
            for x in (row.difference, row.interval.low, row.interval.high)
        )
        return f"{gate.label(row)}: {value}, from {low} to {high}, {row.outcome}."

    return " ".join(one(row) for row in rows)
