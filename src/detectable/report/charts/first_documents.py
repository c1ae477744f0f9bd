"""Lines over the first 1, 2, … documents: figures 1 to 11 of Estrella et al. (2007), and rankings."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from detectable.inference.curves import PowerLaw
from detectable.report.charts.marks import (
    GUTTER,
    LABELS,
    arranged,
    label,
    layer,
    level_title,
    panel,
    quantitative,
)
from detectable.report.charts.theme import (
    COLOUR,
    DASHES,
    SERIES,
    TEXT,
    Spec,
    dodge,
    is_narrow,
    shortened,
    spec,
    widest,
)

MOST = len(SERIES)  # lines with a name: as many as there are colours
_HEIGHT = 250
_LEFT = 44  # pixels of the upright axis
_RIGHT = 20  # beside the names
_GAP = 15  # pixels between names
_ALL_TICKS = 20  # documents up to which some of them are ticks by hand
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes
    ----------
    documents, values : sequence
        Its points; those that are not known are left out.
    low, high : sequence of float
        Ends of the band behind it; empty without one.
    quiet : bool
        Thin and grey, without a name.
    law : PowerLaw or None
        Through its points, which are then dots, with the tangent at 1 down to the axis.
    """

    name: str
    documents: Sequence[int]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    quiet: bool = False
    law: PowerLaw | None = None

    def points(self) -> list[tuple[int, float]]:
        """Return the points that are known."""
        found = zip(self.documents, self.values, strict=True)
        return [(k, value) for k, value in found if math.isfinite(value)]

    def reach(self) -> list[float]:
        """Return all heights that are drawn."""
        known = [value for _, value in self.points()]
        known += [end for end in (*self.low, *self.high) if math.isfinite(end)]
        return known + ([self.law.a] if self.law is not None else [])


@dataclass(frozen=True, slots=True)
class Height:
    """The upright axis: what it counts, and where it begins and ends if that is not left open."""

    title: str
    share: bool = False
    low: float | None = None
    high: float | None = None

    def ends(self, lines: Sequence[Line]) -> tuple[float, float]:
        """Return both ends."""
        drawn = [value for line in lines for value in line.reach()]
        low, high = min(drawn, default=0.0), max(drawn, default=1.0)
        pad = 0.06 * (high - low or abs(high) or 1.0)
        return (
            low - pad if self.low is None else min(self.low, low),
            high + pad if self.high is None else self.high,
        )


def first_documents(lines: Sequence[Line], height: Height, *, width: int) -> Spec:
    """Return the lines with their names at the right."""
    names = _names(lines, width)
    room = width - _LEFT - widest(names) - _RIGHT
    layers = list(_layers(lines, height, names, room, level=True))
    return spec(width=room, height=_HEIGHT, layer=layers)


def side_by_side(panels: Sequence[tuple[str, Sequence[Line], Height]], *, width: int) -> Spec:
    """Return panels with a title each, below each other where it is narrow."""
    narrow = is_narrow(width)
    across = 1 if narrow else len(panels)
    names = _names(panels[0][1], width / across)
    whole = (width - (across - 1) * GUTTER) / across
    room = whole - LABELS - widest(names) - _RIGHT
    made = [
        panel(
            list(_layers(lines, height, names, room, level=False)),
            width=room,
            height=_HEIGHT,
            title=title,
            about=height.title,
        )
        for title, lines, height in panels
    ]
    return arranged(made, narrow=narrow)


def settling(lines: Sequence[Line], *, width: int) -> Spec:
    """Return how rankings settle: Kendall's τ, a line per measure."""
    drawn = lines[:MOST]
    low = min(0.0, *(tau for line in drawn for _, tau in line.points()))
    return first_documents(
        drawn,
        Height("Kendall's τ to the ranking by the rest", low=low, high=1.0),
        width=width,
    )


def _names(lines: Sequence[Line], width: float) -> list[str]:
    most = width * (0.25 if is_narrow(width) else 0.3)
    return [shortened(line.name, most) for line in lines if not line.quiet]


def _layers(
    lines: Sequence[Line], height: Height, names: Sequence[str], room: float, *, level: bool
) -> Iterator[Spec]:
    low, high = height.ends(lines)
    last = max(k for line in lines for k, _ in line.points())
    laws = any(line.law is not None for line in lines)
    first = 0 if laws or last > _ALL_TICKS else 1
    x = quantitative(
        "k",
        scale={"domain": [first, last], "nice": False},
        axis={"grid": False, "labelFlush": False, **_ticks(last, room)},
        title="documents",
    )
    form: Spec = {"format": ".1%" if high <= 0.1 else ".0%"} if height.share else {}
    axis = (
        level_title(height.title, tickCount=6, **form)
        if level
        else {"minExtent": LABELS - 6, "title": None, "tickCount": 5, **form}
    )
    y = quantitative(
        "y", scale={"domain": [low, high], "nice": False, "zero": False}, axis=axis
    )
    if not level:
        y["title"] = None
    shown = [line for line in lines if not line.quiet]
    for line in lines:
        if line.quiet:
            yield _line(line.points(), x, y, color=COLOUR["rule"], strokeWidth=1)
    for place, line in enumerate(shown):
        yield from _shown(line, place, x, y)
    ends = [_HEIGHT * (high - line.points()[-1][1]) / (high - low) for line in shown]
    for place, pixel in enumerate(dodge(ends, _GAP)):
        at = room * (shown[place].points()[-1][0] - first) / (last - first or 1)
        yield label(
            {"value": at},
            {"value": pixel},
            names[place],
            dx=8,
            color=SERIES[place],
            fontSize=TEXT,
        )


def _ticks(last: int, room: float) -> Spec:
    """Return odd documents where there are few, as the paper has them."""
    if last > _ALL_TICKS or room < 20 * last / 2:
        return {"tickCount": 5}
    return {"values": list(range(1, last + 1, 2)), "format": "d"}


def _shown(line: Line, place: int, x: Spec, y: Spec) -> Iterator[Spec]:
    colour = SERIES[place]
    if line.low:
        rows = [
            {"k": k, "y": low, "high": high}
            for k, low, high in zip(line.documents, line.low, line.high, strict=True)
            if math.isfinite(low) and math.isfinite(high)
        ]
        band = {"type": "area", "color": colour, "opacity": 0.16, "clip": True}
        yield layer(rows, band, x=x, y=y, y2={"field": "high"})
    looks: Spec = {"color": colour, "strokeDash": DASHES[place], "strokeWidth": 2.2}
    if line.law is None:
        yield _line(line.points(), x, y, **looks)
        return
    law, last = line.law, line.points()[-1][0]
    steps = np.linspace(1.0, last, _STEPS)
    yield _line(list(zip(steps.tolist(), law.at(steps).tolist(), strict=True)), x, y, **looks)
    shape = ("circle", "square", "diamond", "triangle-up", "triangle-down")[place]
    dot = {"type": "point", "size": 30, "color": colour, "shape": shape, "strokeWidth": 1.3}
    yield layer([{"k": k, "y": height} for k, height in line.points()], dot, x=x, y=y)
    if law.x_min is not None:
        yield _line([(1.0, law.a), (law.x_min, 0.0)], x, y, color=colour, strokeWidth=1.2)


def _line(points: Sequence[tuple[float, float]], x: Spec, y: Spec, **looks: object) -> Spec:
    mark = {"type": "line", "clip": True, **looks}
    return layer([{"k": k, "y": value} for k, value in points], mark, x=x, y=y)
