"""How far raters agree, and metrics with people: alpha, pairs of raters, metrics, and by size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts.marks import (
    LABELS,
    Rows,
    Word,
    arranged,
    label,
    layer,
    level_title,
    panel,
    quantitative,
    upright_axis,
    vertical_line,
)
from detectable.report.charts.theme import (
    COLOUR,
    Spec,
    dodge,
    is_narrow,
    spec,
    text_width,
    widest,
)

NAMED = 24  # pairs up to which each has a row with its names
MOST = 500  # marks; of more pairs those with the most translations in common are drawn
_STEP = 20
_HEIGHT = 240
_END = 10


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters.

    Attributes
    ----------
    by_chance : Interval or None
        Where the correlation would lie if all pairs agreed alike.
    """

    name: str
    n: int
    pearson: float
    spearman: float
    by_chance: Interval | None


def pair_agreement(
    alpha: float,
    interval: Interval | None,
    pairs: Sequence[PairAgreement],
    *,
    marks: tuple[float, float],
    width: int,
) -> Spec:
    """Return alpha with its interval, and the correlations of pairs on the same scale.

    Parameters
    ----------
    marks : (float, float)
        From where on alpha allows tentative conclusions, and reliable ones.
    """
    narrow = is_narrow(width)
    shown = [pair for pair in pairs if not math.isnan(pair.pearson)][:MOST]
    named = len(shown) <= NAMED
    if named:
        shown.sort(key=lambda pair: -pair.pearson)
    names = [pair.name for pair in shown] if named else []
    numbers = [f"{pair.n:,}" for pair in shown] if named and not narrow else []
    rows = Rows(["α", *names], width * (0.36 if narrow else 0.3))
    left = rows.width if named else LABELS
    right = widest([*numbers, "shared"]) + 2 * _END if numbers else 2 * _END
    room = width - left - right
    x = quantitative(
        "value",
        scale={"domain": _domain(alpha, interval, shown), "nice": False},
        axis={"tickCount": 6, "labelFlush": False},
        title=None,
    )
    top = _alpha(alpha, interval, x, marks, room, left)
    if not shown:
        return arranged([top], narrow=True)
    below = _named(shown, x, room, left, numbers) if named else _cloud(shown, x, room)
    return arranged([top, below], narrow=True)


def _domain(
    alpha: float, interval: Interval | None, pairs: Sequence[PairAgreement]
) -> list[float]:
    values = [alpha, 0.0, *(v for p in pairs for v in (p.pearson, p.spearman) if v == v)]
    values += [] if interval is None else [interval.low]
    return [max(-1.0, math.floor(10.0 * min(values)) / 10.0), 1.0]


def _alpha(
    alpha: float,
    interval: Interval | None,
    x: Spec,
    marks: tuple[float, float],
    room: float,
    left: float,
) -> Spec:
    data = [{"value": alpha}]
    ends = [] if interval is None else [{"low": interval.low, "high": interval.high}]
    middle = {"value": 16}
    low, high = marks
    layers = [
        vertical_line(0.0, "ink"),
        vertical_line(low, "equal", dash=(3, 3)),
        vertical_line(high, "equal", dash=(3, 3)),
        label(low, {"value": 38}, "tentative", align="right", dx=-4, baseline="middle"),
        label(high, {"value": 38}, "reliable", dx=4, baseline="middle"),
        layer(
            ends,
            {"type": "rule", "strokeWidth": 3, "color": COLOUR["better"]},
            x={**x, "field": "low"},
            x2={"field": "high"},
            y=middle,
        ),
        layer(
            data,
            {"type": "point", "filled": True, "size": 95, "color": COLOUR["better"]},
            x=x,
            y=middle,
        ),
        # An empty axis as wide as that of the panel below keeps both in line.
        layer(
            [{"place": 0}],
            {"type": "point", "opacity": 0},
            y=quantitative(
                "place",
                scale={"domain": [0, 1]},
                axis={"labels": False, "grid": False, "minExtent": left - 6, "title": None},
            ),
        ),
    ]
    return panel(layers, width=room, height=48, title="Krippendorff's α", about="of all raters")


def _named(
    pairs: Sequence[PairAgreement], x: Spec, room: float, left: float, numbers: list[str]
) -> Spec:
    rows = Rows([pair.name for pair in pairs], left - 14)
    y = {**rows.y, "axis": {**rows.y["axis"], "minExtent": left - 6}}
    layers = [
        layer(
            [
                {"row": i, "low": p.by_chance.low, "high": p.by_chance.high}
                for i, p in enumerate(pairs)
                if p.by_chance is not None
            ],
            {"type": "bar", "height": {"band": 0.62}, "color": COLOUR["blind"], "clip": True},
            x={**x, "field": "low"},
            x2={"field": "high"},
            y=y,
        ),
        vertical_line(0.0, "ink"),
        layer(
            [
                {"row": i, "value": p.spearman}
                for i, p in enumerate(pairs)
                if p.spearman == p.spearman
            ],
            _open(60),
            x=x,
            y=y,
        ),
        layer(
            [{"row": i, "value": p.pearson} for i, p in enumerate(pairs)],
            {"type": "point", "filled": True, "size": 70, "color": COLOUR["better"]},
            x=x,
            y=y,
        ),
    ]
    if numbers:
        beside = {"type": "text", "align": "right", "dx": widest([*numbers, "shared"]) + _END}
        layers.append(
            layer(
                [{"row": i, "text": text} for i, text in enumerate(numbers)],
                beside,
                x={"value": room},
                y=y,
                text={"field": "text"},
            )
        )
        layers.append(
            label({"value": room}, {"value": -8}, "shared", align="right", dx=beside["dx"])
        )
    return panel(
        layers,
        width=room,
        height={"step": _STEP},
        title="Correlation of two raters",
        about="● scores, ○ ranks",
    )


def _cloud(pairs: Sequence[PairAgreement], x: Spec, room: float) -> Spec:
    """Return pairs by how much they share, inside the funnel that chance draws."""
    y = quantitative(
        "n",
        scale={"type": "log", "nice": False, "padding": 8},
        axis=upright_axis(tickCount=4, format=",d"),
        title=None,
    )
    funnel = sorted(
        {(p.n, p.by_chance.low, p.by_chance.high) for p in pairs if p.by_chance is not None}
    )
    data = [{"n": n, "low": low, "high": high} for n, low, high in funnel]
    layers = [
        layer(
            data,
            {"type": "area", "color": COLOUR["blind"], "orient": "horizontal", "clip": True},
            x={**x, "field": "low"},
            x2={"field": "high"},
            y=y,
        ),
        vertical_line(0.0, "ink"),
        layer(
            [{"n": pair.n, "value": pair.pearson} for pair in pairs],
            {"type": "point", "filled": True, "size": 34, "color": COLOUR["better"]},
            x=x,
            y=y,
        ),
    ]
    return panel(
        layers,
        width=room,
        height=_HEIGHT,
        title="Correlation of two raters",
        about="by translations in common (log scale)",
    )


def _open(size: int) -> Spec:
    return {
        "type": "point",
        "size": size,
        "fill": COLOUR["paper"],
        "stroke": COLOUR["better"],
        "strokeWidth": 1.4,
    }


# --- How far metrics agree with people: a dot and an interval each, and what silence would get ---

_STEP_OF_METRICS = 24  # pixels of a row
_BESIDE = 14


@dataclass(frozen=True, slots=True)
class MetricDot:
    """A metric; `marked` if it is not shown to be above the floor."""

    name: str
    value: float
    interval: Interval | None
    floor: float
    marked: bool


def metric_dots(rows: Sequence[MetricDot], title: str, *, digits: int, width: int) -> Spec:
    """Return a row per metric, the best on top, with a line where a silent metric would be."""
    narrow = is_narrow(width)
    names = Rows([row.name for row in rows], width * (0.3 if narrow else 0.36))
    values = [number(row.value, digits=digits) for row in rows]
    beside = widest(values) + _BESIDE
    room = width - names.width - beside - 8
    ends = [row.interval for row in rows if row.interval is not None]
    floor = rows[0].floor
    low = min([floor, *(row.value for row in rows), *(end.low for end in ends)])
    high = max([floor, *(row.value for row in rows), *(end.high for end in ends)])
    margin = 0.05 * (high - low or 1.0)
    domain = [low - margin, high + margin]
    x = quantitative(
        "value",
        scale={"domain": domain, "nice": False},
        axis={"tickCount": max(3, min(6, int(room / 60))), "labelFlush": False},
        title=title,
    )
    lines = [
        {"row": i, "low": row.interval.low, "high": row.interval.high}
        for i, row in enumerate(rows)
        if row.interval is not None
    ]
    dots = {
        marked: [
            {"row": i, "value": row.value} for i, row in enumerate(rows) if row.marked is marked
        ]
        for marked in (False, True)
    }
    open_dot = {
        "type": "point",
        "size": 75,
        "fill": COLOUR["paper"],
        "stroke": COLOUR["better"],
        "strokeWidth": 1.6,
    }
    word = "an uninformative metric"
    at = (floor - domain[0]) / (domain[1] - domain[0]) * room
    # By pixels: a line without the scale of the others would pull 0 into the picture.
    start = max(0.0, min(at, room + beside - text_width(word)))
    line = {"type": "rule", "color": COLOUR["worse"], "strokeWidth": 1.4, "strokeDash": [4, 3]}
    layers = [
        layer([{}], line, x={"value": at}),
        label({"value": start}, {"value": -9}, word, colour="worse"),
        layer(
            lines,
            {"type": "rule", "strokeWidth": 2.4, "color": COLOUR["better"]},
            x={**x, "field": "low"},
            x2={"field": "high"},
            y=names.y,
        ),
        layer(
            dots[False],
            {"type": "point", "filled": True, "size": 80, "color": COLOUR["better"]},
            x=x,
            y=names.y,
        ),
        layer(dots[True], open_dot, x=x, y=names.y),
        layer(
            [{"row": i, "text": text} for i, text in enumerate(values)],
            {"type": "text", "align": "right"},
            x={"value": room + beside},
            y=names.y,
            text={"field": "text"},
        ),
    ]
    return spec(width=room, height=_STEP_OF_METRICS * len(rows), layer=layers)


# --- How often people agreed with a metric difference, by its size ---

_UPRIGHT = 46  # pixels for the axis
_CURVE, _LOW_CURVE = 300, 250


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """A curve of (difference, share), and its band of (difference, low, high)."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


def agreement_curve(
    own: AgreementLine,
    others: Sequence[AgreementLine],
    ticks: Sequence[float],
    axis: str,
    *,
    width: int,
    marks: Sequence[tuple[float, float, str]] = (),
) -> Spec:
    """Return a curve with its band, others dashed, and ticks where sevenths of the data end.

    Parameters
    ----------
    marks : sequence of (difference, share, text)
        Differences to show on the curve.
    """
    narrow = is_narrow(width)
    lines = [own, *others]
    beside = widest([line.name for line in lines], bold=True) + 26
    room, height = width - _UPRIGHT - beside, _LOW_CURVE if narrow else _CURVE
    end = own.points[-1][0]
    x = quantitative(
        "x",
        scale={"domain": [0, end], "nice": False},
        axis={"grid": False, "tickCount": 5 if narrow else 10},
        title=axis,
    )
    y = quantitative(
        "y",
        scale={"domain": [0.5, 1.0], "nice": False},
        axis=level_title("people agreed", format="%", tickCount=5, titleX=-36),
    )
    band = [{"x": at, "low": low, "high": high} for at, low, high in own.band]
    area = {"type": "area", "color": COLOUR["better"], "opacity": 0.16, "clip": True}
    layers = [
        layer(band, area, x=x, y={**y, "field": "low"}, y2={"field": "high"}),
        layer(
            [{"x": at} for at in ticks],
            {"type": "tick", "color": COLOUR["soft"], "size": 9, "yOffset": -5},
            x=x,
            y={"datum": 0.5},
        ),
    ]
    ends = [(1.0 - line.points[-1][1]) * 2.0 * height for line in lines]
    for k, (line, place) in enumerate(zip(lines, dodge(ends, 15), strict=True)):
        colour = "better" if k == 0 else "worse"
        rows = [{"x": at, "y": share} for at, share in line.points]
        stroke: Spec = {"type": "line", "color": COLOUR[colour], "strokeWidth": 2.6}
        if k:
            stroke = {**stroke, "strokeWidth": 1.4, "strokeDash": [5, 3]}
        layers += [
            layer(rows, {**stroke, "clip": True}, x=x, y=y),
            Word(line.name, colour, room + 8, place).drawn(),
        ]
    for at, share, text in marks:
        dot = {"type": "point", "filled": True, "size": 95, "color": COLOUR["ink"]}
        layers.append(layer([{"x": at, "y": share}], dot, x=x, y=y))
        layers.append(_beside_curves(text, at, lines, (room / end, room, height)))
    return spec(width=room, height=height, layer=layers)


def _beside_curves(
    text: str,
    at: float,
    lines: Sequence[AgreementLine],
    frame: tuple[float, float, float],
) -> Spec:
    """Return a text above all lines near the start, where they rise, and below them further on."""
    scale, room, height = frame
    left, wide = at * scale, text_width(text, bold=True)
    side = "left" if left + wide + 8 < room else "right"
    begin, stop = (left, left + wide) if side == "left" else (left - wide, left)
    near = [
        share
        for line in lines
        for x, *shares in (*line.points, *line.band)
        if begin - 14 <= x * scale <= stop + 14
        for share in shares
    ]
    above = left < 0.4 * room
    share = max(near) if above else min(near)
    place = (1.0 - share) * 2.0 * height + (-14 if above else 16)
    return Word(text, "ink", left, max(8.0, place), side).drawn()
