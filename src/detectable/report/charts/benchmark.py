"""Tasks of a benchmark and what each can show; error rates of tests beside what they promise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from detectable.core.wording import number
from detectable.report.blocks import Chart
from detectable.report.charts import marks
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest, wrapped

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
    rows = marks.Rows([task.name for task in tasks], width * (0.32 if narrow else 0.26))
    texts = ["none" if task.mde is None else number(task.mde) for task in tasks]
    head = "MDE" if narrow else "smallest seen"
    room = width - rows.width - widest([*texts, head]) - 2 * _END
    low, high = _reach(tasks)
    x = marks.quantitative(
        "from",
        scale={"type": "sqrt", "domain": [low, high], "nice": False},
        axis={
            "values": _ticks(low, high, few=narrow),
            "labelExpr": marks.SIGNED,
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
            marks.layer(bars, bar, x=x, x2={"field": "to"}, y=rows.y),
            marks.vertical_line(0.0, "ink"),
            marks.layer(
                claims,
                {"type": "point", "size": 34, "strokeWidth": 1.2},
                x=x,
                y=rows.y,
                stroke={"value": COLOUR["better"]},
                fill=_filled(),
            ),
            marks.layer(expected, tick, x=x, y=rows.y),
            rows.beside(texts, room, _END),
            marks.label({"value": room}, {"value": -8}, head, dx=_END),
        ],
    )


def _reach(tasks: Sequence[TaskLimit]) -> tuple[float, float]:
    values = [gain for task in tasks for gain, _ in task.claims]
    values += [task.following for task in tasks if not math.isnan(task.following)]
    values += [task.mde for task in tasks if task.mde is not None]
    return min(0.0, *values, 0.0) * _LEFT_OF_IT, max(*values, 1.0) * 1.03


def _ticks(low: float, high: float, *, few: bool) -> list[float]:
    """Return round numbers that stand apart on a scale of square roots."""
    every = [0.1, 1.0, 5.0, 20.0, 50.0] if few else [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
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


# --- How often tests of a true null reject it, beside how often they say they do ---

_PERCENT = "format(100 * datum.value, '~r') + '\N{NO-BREAK SPACE}%'"
_CALIBRATION_STEP = 22  # pixels of a row
_CALIBRATION_END = 18  # pixels to the right, for half of the last tick
_BAND = 2.0  # standard errors
_OURS, _OTHERS = "ours", "others"
_SIGN = "\N{NO-BREAK SPACE}%"
_TICKS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Rates:
    """A row: one test, and how often it rejected, once for each metric."""

    name: str
    values: tuple[float, ...]
    ours: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Tests of one kind of null.

    Attributes
    ----------
    standard_error : float
        Of a rate that is as it should be.
    """

    title: str
    rows: tuple[Rates, ...]
    nominal: float
    standard_error: float


def calibration_chart(groups: Sequence[Group], *, twin: str) -> Chart:
    """Return the block: rates with the line they should keep to, and the worst in words."""
    rows = [row for group in groups for row in group.rows]
    ours = [value for row in rows if row.ours for value in row.values]
    others = [value for row in rows if not row.ours for value in row.values]
    level = groups[0].nominal
    return Chart(
        id="calibration",
        title=(
            f"Ours reject a true null in {_range(ours)} of all cases, the others in {_range(others)}"
        ),
        caption=(
            "● ours, ▲ other tools and shortcuts; a mark per metric. "
            f"Grey: {_percent(level)} ± {_BAND:g} standard errors."
        ),
        alt=" ".join(_said(group) for group in groups),
        draw=partial(calibration, tuple(groups)),
        twin=twin,
    )


def calibration(groups: Sequence[Group], width: int) -> Spec:
    """Return a panel per group, one below the other, on one logarithmic axis."""
    names = [row.name for group in groups for row in group.rows]
    room = width * (0.48 if is_narrow(width) else 0.4)
    left = marks.Rows(names, room).width
    values = [value for group in groups for row in group.rows for value in row.values]
    bands = [
        group.nominal + side * _BAND * group.standard_error
        for group in groups
        for side in (-1, 1)
    ]
    low, high = min(*values, *bands) / 1.15, max(*values, *bands) * 1.15
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    if is_narrow(width):
        ticks = [tick for tick in ticks if tick in (0.01, 0.05, 0.2, 0.5)]
    panels = []
    for place, group in enumerate(groups):
        last = place == len(groups) - 1
        rows = marks.Rows([row.name for row in group.rows], room)
        rows.y["axis"]["minExtent"] = left - 6
        x = {
            "field": "rate",
            "type": "quantitative",
            "scale": {"type": "log", "domain": [low, high], "nice": False},
            "title": "rejected true nulls (log scale)" if last else None,
            "axis": {"values": ticks, "labelExpr": _PERCENT, "labelFlush": False},
        }
        panels.append(
            {
                "width": width - left - _CALIBRATION_END,
                "height": {"step": _CALIBRATION_STEP},
                "title": {
                    "text": wrapped(group.title, width - _CALIBRATION_END, 13, bold=True),
                    "anchor": "start",
                    "frame": "bounds",
                },
                "layer": _layers(group, rows, x),
            }
        )
    return spec(vconcat=panels, resolve={"scale": {"x": "shared", "y": "independent"}})


def _layers(group: Group, rows: marks.Rows, x: Spec) -> list[Spec]:
    points = [
        {"row": place, "rate": value, "who": _OURS if row.ours else _OTHERS}
        for place, row in enumerate(group.rows)
        for value in row.values
    ]
    half = _BAND * group.standard_error
    who = {"field": "who", "type": "nominal", "legend": None}
    band = {"x": {"datum": group.nominal - half}, "x2": {"datum": group.nominal + half}}
    return [
        marks.layer([{}], {"type": "rect", "color": COLOUR["blind"]}, **band),
        marks.vertical_line(group.nominal, "ink"),
        marks.layer(
            points,
            {"type": "point", "filled": True, "size": 55},
            x=x,
            y=rows.y,
            color={**who, "scale": _scale(COLOUR["better"], COLOUR["worse"])},
            shape={**who, "scale": _scale("circle", "triangle-up")},
        ),
    ]


def _scale(ours: str, others: str) -> Spec:
    return {"domain": [_OURS, _OTHERS], "range": [ours, others]}


def _said(group: Group) -> str:
    rows = ", ".join(f"{row.name} {_range(row.values)}" for row in group.rows)
    return f"{group.title}: {rows}."


def _range(values: Sequence[float]) -> str:
    """Return the lowest and the highest rate in percent; one where they are the same."""
    low, high = _percent(min(values)), _percent(max(values))
    return high if low == high else f"{low.removesuffix(_SIGN)} to {high}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}".removesuffix(".0") + _SIGN
