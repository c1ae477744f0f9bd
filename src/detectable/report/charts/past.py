"""Past comparisons and studies: size of their effects, and from where on they were found.

Wei et al. (2022), figure 2: filled is significant, a tick is the observed detectable difference.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from detectable.core.wording import number
from detectable.report.blocks import Chart
from detectable.report.charts import marks
from detectable.report.charts.marks import (
    SIGNED,
    Rows,
    horizontal_line,
    label,
    layer,
    level_title,
    quantitative,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest, wrapped

MOST = 500  # dots; more comparisons are drawn as bars of how many there are
ROWS = 12  # groups
_STEP = 32  # pixels of a row
_ALONE = 96  # of a single one
_FREE = 8  # pixels between rows
_DOT = 4.5  # pixels that a dot takes
_BINS = 60
_END = 10


@dataclass(frozen=True, slots=True)
class PastGroup:
    """The comparisons of one group.

    Attributes
    ----------
    sizes : sequence of float
        Sizes of the differences.
    significant : sequence of bool
        Of each.
    mde : float or None
        From where on differences were found.
    above : int
        How many there are: what it stands on.
    """

    name: str
    sizes: Sequence[float]
    significant: Sequence[bool]
    mde: float | None
    above: int


def are_bars(groups: Sequence[PastGroup]) -> bool:
    """Say whether there are too many comparisons for a dot each."""
    return sum(len(group.sizes) for group in groups) > MOST


def reach(groups: Sequence[PastGroup]) -> float:
    """Return the end of the axis: beyond nearly all differences and all ticks."""
    sizes = sorted(size for group in groups for size in group.sizes)
    most = sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))]
    marks = [group.mde for group in groups if group.mde is not None]
    wanted = max([most, *(1.1 * mark for mark in marks)]) or 1.0
    step = 10.0 ** math.floor(math.log10(wanted)) / 2.0
    return step * math.ceil(wanted / step - 1e-9)


def past_comparisons(
    groups: Sequence[PastGroup], *, digits: int, width: int, unit: str = ""
) -> Spec:
    """Return a row per group."""
    narrow = is_narrow(width)
    rows = Rows([group.name for group in groups], width * (0.3 if narrow else 0.26))
    texts = [_text(group, digits, narrow=narrow) for group in groups]
    head = "MDE" if narrow else "observed MDE"
    room = width - rows.width - widest([*texts, head]) - 2 * _END
    end = reach(groups)
    beyond = any(size > end for group in groups for size in group.sizes)
    x = quantitative(
        "size",
        scale={"domain": [0.0, end], "nice": False},
        axis={"tickCount": 4 if narrow else 6, "labelFlush": False},
        title=_title(end, unit, narrow=narrow, beyond=beyond),
    )
    step = _ALONE if len(groups) == 1 else _STEP
    bars = are_bars(groups)
    drawn = _bars(groups, end, step, x) if bars else _dots(groups, end, room, step, x)
    ticks = [
        {
            "size": group.mde,
            "top": step * row + _FREE / 2,
            "bottom": step * (row + 1) - _FREE / 2,
        }
        for row, group in enumerate(groups)
        if group.mde is not None
    ]
    return spec(
        width=room,
        height=step * len(groups),
        layer=[
            *drawn,
            layer(
                ticks,
                {"type": "rule", "strokeWidth": 2.6, "color": COLOUR["ink"]},
                x=x,
                y=_pixels("top"),
                y2={"field": "bottom"},
            ),
            rows.beside(texts, room, _END),
            label({"value": room}, {"value": -8}, head, dx=_END),
        ],
    )


def _title(end: float, unit: str, *, narrow: bool, beyond: bool) -> str:
    said = f"size of the difference{f' in {unit}' if unit else ''}"
    if not beyond:
        return said
    return f"{said} ({'→' if narrow else f'over {end:g} drawn at {end:g}'})"


def _text(group: PastGroup, digits: int, *, narrow: bool) -> str:
    if group.mde is None:
        return "none"
    said = number(group.mde, digits=digits)
    return f"{said} ({group.above:,})" if narrow else f"{said} ({group.above:,} above)"


def _pixels(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def _dots(
    groups: Sequence[PastGroup], end: float, room: float, step: float, x: Spec
) -> list[Spec]:
    """Return a dot for each comparison, beside the others of about its size."""
    data = []
    for row, group in enumerate(groups):
        taken: Counter[int] = Counter()
        ordered = sorted(zip(group.sizes, group.significant, strict=True))
        for size, significant in ordered:
            shown = min(size, end)
            place = round(room * shown / end / _DOT)
            # Around the middle of the row: 0, up, down, up…
            number_ = taken[place]
            taken[place] += 1
            off = (number_ + 1) // 2 * (-1) ** number_ * _DOT
            most = (step - _FREE) / 2.0
            y = (row + 0.5) * step + max(-most, min(most, off))
            data.append({"size": shown, "y": y, "significant": significant})
    colour = _channel([COLOUR["better"], COLOUR["undecided"]])
    fill = _channel([COLOUR["better"], COLOUR["paper"]])
    mark = {"type": "point", "size": 15, "strokeWidth": 1}
    return [layer(data, mark, x=x, y=_pixels("y"), stroke=colour, fill=fill)]


def _bars(groups: Sequence[PastGroup], end: float, step: float, x: Spec) -> list[Spec]:
    """Return how many comparisons there are of each size, the significant ones below."""
    counts: list[Counter[tuple[int, bool]]] = [
        Counter(
            (min(_BINS - 1, int(_BINS * min(size, end) / end)), bool(significant))
            for size, significant in zip(group.sizes, group.significant, strict=True)
        )
        for group in groups
    ]
    data = []
    for row, found in enumerate(counts):
        # Each group has a height of its own: small groups would be flat beside large ones.
        tallest = max(found[place, True] + found[place, False] for place in range(_BINS)) or 1
        for place in range(_BINS):
            bottom = step * (row + 1) - _FREE / 2
            for significant in (True, False):
                height = (step - _FREE) * found[place, significant] / tallest
                if height:
                    data.append(
                        {
                            "size": end * place / _BINS,
                            "to": end * (place + 0.88) / _BINS,
                            "top": bottom - height,
                            "bottom": bottom,
                            "significant": significant,
                        }
                    )
                bottom -= height
    return [
        layer(
            data,
            {"type": "rect"},
            x=x,
            x2={"field": "to"},
            y=_pixels("top"),
            y2={"field": "bottom"},
            color=_channel([COLOUR["better"], COLOUR["rule"]]),
        )
    ]


def _channel(values: list[str]) -> Spec:
    return {
        "field": "significant",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": values},
        "legend": None,
    }


# --- Differences of comparisons against the judgments behind them: Wei et al. (2022), figure 2 ---


def differences_by_size(
    group: PastGroup, n: Sequence[float], *, counted: str, digits: int, width: int
) -> Spec:
    """Return a dot per comparison, and a line at the observed detectable difference."""
    narrow = is_narrow(width)
    room = width - _LEFT - _STUDIES_END
    far = max((*group.sizes, 1.1 * (group.mde or 0.0)))
    x = quantitative(
        "size",
        scale={"domain": [0.0, 1.02 * far or 1.0], "nice": False},
        axis={"tickCount": 4 if narrow else 8, "labelFlush": False},
        title="size of the difference",
    )
    y = quantitative(
        "n",
        scale={"domain": [0.0, 1.08 * max(n)], "nice": False},
        axis=level_title(f"{counted} per system", tickCount=6, format=",d"),
    )
    data = [
        {"size": size, "n": many, "significant": bool(found)}
        for size, many, found in zip(group.sizes, n, group.significant, strict=True)
    ]
    colour = _channel([COLOUR["better"], COLOUR["undecided"]])
    fill = _channel([COLOUR["better"], COLOUR["paper"]])
    mark = {"type": "point", "size": 30 if len(data) <= MOST else 8, "strokeWidth": 1}
    layers = [layer(data, mark, x=x, y=y, stroke=colour, fill=fill)]
    if group.mde is not None:
        line = {"type": "rule", "strokeWidth": 2.2, "color": COLOUR["ink"]}
        layers.append(layer([{"size": group.mde}], line, x=x))
        right = group.mde > 0.6 * far
        layers.append(
            label(
                group.mde,
                {"value": 8},
                f"observed MDE {number(group.mde, digits=digits)}",
                colour="ink",
                align="right" if right else "left",
                dx=-6 if right else 6,
                fontWeight="bold",
            )
        )
    return spec(width=room, height=_HEIGHT, layer=layers)


# --- Effects of studies against their sizes, and what a significant one exaggerates ---
#
# Card et al. (2020), figure 5.

MOST_STUDIES = 500  # dots
_HEIGHT = 280
_LEFT = 46
_STUDIES_END = 14


@dataclass(frozen=True, slots=True)
class Exaggerated:
    """What a significant result of a study of this size shows on average."""

    size: float
    effect: float


def study_effects(
    sizes: Sequence[float],
    effects: Sequence[float],
    *,
    assumed: float,
    exaggerated: Sequence[Exaggerated],
    width: int,
) -> Spec:
    """Return a dot per study, the assumed effect, and the line of significant results."""
    narrow = is_narrow(width)
    room = width - _LEFT - _STUDIES_END
    every = math.ceil(len(sizes) / MOST_STUDIES)
    data = [{"n": n, "effect": e} for n, e in zip(sizes, effects, strict=True)][::every]
    low, high = min(0.0, *effects), max(*effects, assumed, 0.0)
    pad = 0.06 * (high - low or 1.0)
    domain = [low - pad, high + pad]
    x = quantitative(
        "n",
        scale={"type": "log", "domain": _decades(sizes), "nice": False},
        axis={"tickCount": 3 if narrow else 6, "format": ",d", "labelFlush": False},
        title="items (log scale)",
    )
    y = quantitative(
        "effect",
        scale={"domain": domain, "nice": False},
        axis=level_title("effect", tickCount=6, labelExpr=SIGNED),
    )
    curve = [
        {"n": one.size, "effect": one.effect}
        for one in exaggerated
        if math.isfinite(one.effect) and one.size > 0.0
    ]
    point = {
        "type": "point",
        "size": 38,
        "strokeWidth": 1.2,
        "stroke": COLOUR["better"],
        "fill": COLOUR["paper"],
    }
    layers = [horizontal_line(0.0, "ink")]
    if assumed > 0.0 and curve:
        layers += [
            horizontal_line(assumed, "equal", dash=(4, 3), width=1.6),
            layer(
                curve,
                {
                    "type": "line",
                    "color": COLOUR["worse"],
                    "strokeWidth": 2.2,
                    "clip": True,
                    "point": {"filled": True, "color": COLOUR["worse"], "size": 30},
                },
                x=x,
                y=y,
            ),
        ]
    layers.append(layer(data, point, x=x, y=y))
    return spec(width=room, height=_HEIGHT, layer=layers)


def _decades(sizes: Sequence[float]) -> list[float]:
    low, high = min(sizes), max(sizes)
    return [0.8 * low, 1.25 * high if high > low else 2.0 * high]


# --- Pairs of systems on development data and on the test set: Card et al. (2020), figure 9 ---

_SIDE_OF_SETS = 300  # pixels


@dataclass(frozen=True, slots=True)
class SetCells:
    """Cells of a grid: value on development data, value on the test set, number of pairs."""

    title: str
    cells: Sequence[tuple[float, float, int]]
    signed: bool


def two_sets(panels: Sequence[SetCells], *, width: int) -> Spec:
    """Return a panel for each measure: a dot per cell, its area the number of pairs."""
    narrow = is_narrow(width)
    side = float(_SIDE_OF_SETS)
    if narrow or len(panels) == 1:
        side = min(side, width - marks.LABELS - 2 * marks.END)
    else:
        side = min(side, (width - len(panels) * (marks.LABELS + marks.END) - marks.GUTTER) / 2)
    return marks.arranged([_two_sets(one, side) for one in panels], narrow=narrow)


def _two_sets(one: SetCells, side: float) -> Spec:
    every = [value for a, b, _ in one.cells for value in (a, b)]
    low, high = min(every), max(every)
    pad = 0.04 * (high - low or 1.0)
    scale = {"domain": [low - pad, high + pad], "nice": False, "zero": False}
    expr = {"labelExpr": SIGNED} if one.signed else {}
    x = quantitative(
        "development",
        scale=scale,
        axis={"tickCount": 5, "labelFlush": False, **expr},
        title="on development data",
    )
    y = quantitative(
        "test", scale=scale, axis=marks.upright_axis(tickCount=5, **expr), title=None
    )
    data = [{"development": a, "test": b, "pairs": n} for a, b, n in one.cells]
    line = {"type": "line", "color": COLOUR["rule"], "strokeDash": [4, 3]}
    dot = {"type": "circle", "color": COLOUR["better"], "opacity": 0.75}
    area = {
        "field": "pairs",
        "type": "quantitative",
        "scale": {"range": [4, 110]},
        "legend": None,
    }
    ends = [{"development": end, "test": end} for end in scale["domain"]]  # type: ignore[attr-defined]  # a list
    return marks.panel(
        [layer(ends, line, x=x, y=y), layer(data, dot, x=x, y=y, size=area)],
        width=side,
        height=side,
        title=one.title,
        about="up: on the test set",
    )


# --- Tasks of a benchmark and what each can show; error rates of tests beside what they promise ---

_STEP_OF_BENCHMARK = 30
_END_OF_BENCHMARK = 10
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
    room = width - rows.width - widest([*texts, head]) - 2 * _END_OF_BENCHMARK
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
        height={"step": _STEP_OF_BENCHMARK},
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
            rows.beside(texts, room, _END_OF_BENCHMARK),
            marks.label({"value": room}, {"value": -8}, head, dx=_END_OF_BENCHMARK),
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
            f"Grey: {_percent(level)}{_SIGN} ± {_BAND:g} standard errors."
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
    return f"{high if low == high else f'{low} to {high}'}{_SIGN}"


def _percent(rate: float) -> str:
    return f"{round(100.0 * rate, 1):g}"
