"""What each task of a benchmark can show, beside what was claimed and what comes next."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.wording import number
from detectable.report.charts.lettering import widest
from detectable.report.charts.marks import (
    SIGNED,
    Rows,
    label,
    layer,
    quantitative,
    vertical_line,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

_STEP = 30
_END = 10
_TALL = 20  # pixels of the tick of what comes next
_LEFT_OF_IT = 1.6  # room before what is below zero, so that no tick stands at a name
_SPREAD = 2.0  # points, from which on a tenth stands too near to zero where it is narrow


@dataclass(frozen=True, slots=True)
class TaskLimit:
    """One task, in points of accuracy.

    Attributes
    ----------
    mde : float or None
        Smallest improvement that would be seen; None where there is not so much left to gain.
    left : float
        What is left to gain.
    claims : sequence of (float, bool or None)
        Past claims, and whether each would have been significant.
    following : float
        What is to be expected of the next system; nan where nothing is known.
    """

    name: str
    mde: float | None
    left: float
    claims: Sequence[tuple[float, bool | None]]
    following: float


def task_limits(tasks: Sequence[TaskLimit], *, width: int) -> Spec:
    """Return a row per task, on a scale of square roots: tasks differ a hundredfold."""
    narrow = is_narrow(width)
    rows = Rows([task.name for task in tasks], width * (0.32 if narrow else 0.26))
    texts = ["none" if task.mde is None else number(task.mde) for task in tasks]
    head = "MDE" if narrow else "smallest seen"
    room = width - rows.width - widest([*texts, head]) - 2 * _END
    low, high = _reach(tasks)
    x = quantitative(
        "from",
        scale={"type": "sqrt", "domain": [low, high], "nice": False},
        axis={
            "values": _ticks(low, high, few=narrow),
            "labelExpr": SIGNED,
            "format": "~g",
            "labelFlush": False,
        },
        title="points of accuracy (square-root scale)"
        if not narrow
        else "points (square-root scale)",
    )
    bars = [
        {"row": row, "from": 0.0, "to": min(high, task.left if task.mde is None else task.mde)}
        for row, task in enumerate(tasks)
    ]
    claims = [
        {"row": row, "from": gain, "significant": significant is True}
        for row, task in enumerate(tasks)
        for gain, significant in task.claims
        if low <= gain <= high
    ]
    expected = [
        {"row": row, "from": task.following}
        for row, task in enumerate(tasks)
        if not math.isnan(task.following)
    ]
    bar = {"type": "bar", "height": {"band": 0.66}, "color": COLOUR["blind"], "cornerRadius": 2}
    tick = {"type": "tick", "thickness": 2.6, "size": _TALL, "color": COLOUR["worse"]}
    return spec(
        width=room,
        height={"step": _STEP},
        layer=[
            layer(bars, bar, x=x, x2={"field": "to"}, y=rows.y),
            vertical_line(0.0, "ink"),
            layer(
                claims,
                {"type": "point", "size": 34, "strokeWidth": 1.2},
                x=x,
                y=rows.y,
                stroke={"value": COLOUR["better"]},
                fill=_filled(),
            ),
            layer(expected, tick, x=x, y=rows.y),
            layer(
                [{"row": row, "text": text} for row, text in enumerate(texts)],
                {"type": "text", "align": "left", "dx": _END},
                x={"value": room},
                y=rows.y,
                text={"field": "text"},
            ),
            label({"value": room}, {"value": -8}, head, dx=_END),
        ],
    )


def _reach(tasks: Sequence[TaskLimit]) -> tuple[float, float]:
    values = [gain for task in tasks for gain, _ in task.claims]
    values += [task.following for task in tasks if not math.isnan(task.following)]
    values += [task.mde for task in tasks if task.mde is not None]
    return min(0.0, *values, 0.0) * _LEFT_OF_IT, max(*values, 1.0) * 1.03


def _ticks(low: float, high: float, *, few: bool) -> list[float]:
    """Return round numbers that stand apart on a scale of square roots."""
    every = (0.1, 1.0, 5.0, 20.0, 50.0) if few else (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    if few and high > _SPREAD:
        every = every[1:]
    above = [tick for tick in every if tick <= high]
    below = [-tick for tick in every if tick <= -low]
    return [*below, 0.0, *above]


def _filled() -> Spec:
    return {
        "field": "significant",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": [COLOUR["better"], COLOUR["paper"]]},
        "legend": None,
    }
