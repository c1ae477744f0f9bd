"""How far metrics agree with people: a dot and an interval each, and what silence would get."""

from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts.marks import Rows, label, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, text_width, widest

_STEP = 24  # pixels of a row
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
    word = "a metric that says nothing"
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
    return spec(width=room, height=_STEP * len(rows), layer=layers)
