"""Score and spread as documents are added, with what is read off them, and how work arrives."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.report.charts import theme
from detectable.report.charts.marks import (
    END,
    GUTTER,
    LABELS,
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

FROM = 2  # documents: the first one alone would stretch the axis
_HEIGHT = 220
_DOTS = 40  # points of a curve that are drawn as dots
_SETTLED = 5  # documents from which on the axis shows all of the bands
_BEYOND = 3.0  # times the documents: how far x_max is drawn where it is
_STEPS = 120


@dataclass(frozen=True, slots=True)
class Band:
    """Two ends for each number of documents; nan where there is nothing to say."""

    documents: Sequence[int]
    low: Sequence[float]
    high: Sequence[float]

    def data(self, first: int = FROM) -> list[theme.Spec]:
        """Return the known points from some number of documents on."""
        return [
            {"k": k, "low": low, "high": high}
            for k, low, high in zip(self.documents, self.low, self.high, strict=True)
            if k >= first and math.isfinite(low) and math.isfinite(high)
        ]


@dataclass(frozen=True, slots=True)
class DocumentCurve:
    """One system under one measure.

    Attributes
    ----------
    by_documents, by_segments : Band
        Intervals of the score.
    spread, orders : sequence of float, Band
        Standard deviation in the given order, and over most random orders.
    share : bool
        Whether the spread is a share of the score, or in points.
    x_max : float or None
        Where the power law is flat.
    """

    label: str
    documents: Sequence[int]
    mean: Sequence[float]
    by_documents: Band
    by_segments: Band
    spread: Sequence[float]
    orders: Band
    power: PowerLaw | None
    cubic: CubicCurve | None
    x_min: float | None
    x_max: float | None
    share: bool = True


def document_curve(curve: DocumentCurve, *, width: int) -> theme.Spec:
    """Return score and spread side by side."""
    narrow = theme.is_narrow(width)
    room = width - LABELS - 2 * END if narrow else (width - 2 * LABELS - 4 * END - GUTTER) / 2
    return arranged([score_panel(curve, room), spread_panel(curve, room)], narrow=narrow)


def score_panel(curve: DocumentCurve, room: float) -> theme.Spec:
    """Return the score of the first documents with both bands."""
    wide, close = curve.by_documents.data(), curve.by_segments.data()
    x = quantitative(
        "k",
        scale={"domain": [0, curve.documents[-1]], "nice": False},
        axis={"grid": False, "tickCount": 5, "labelFlush": False},
        title="documents",
    )
    y = quantitative(
        "low",
        scale={"domain": _reach(wide, close), "nice": False, "zero": False},
        axis=upright_axis(tickCount=5),
        title=None,
    )
    ends = {"x": x, "y": y, "y2": {"field": "high"}}
    line = [
        {"k": k, "mean": m}
        for k, m in zip(curve.documents, curve.mean, strict=True)
        if k >= FROM
    ]
    area = {"type": "area", "clip": True}
    return panel(
        [
            layer(wide, {**area, "color": theme.COLOUR["blind"]}, **ends),
            layer(close, {**area, "color": theme.COLOUR["better"], "opacity": 0.3}, **ends),
            layer(
                line,
                {
                    "type": "line",
                    "color": theme.COLOUR["better"],
                    "strokeWidth": 2.2,
                    "clip": True,
                },
                x=x,
                y={**y, "field": "mean"},
            ),
        ],
        width=room,
        height=_HEIGHT,
        title=f"{curve.label} on the first documents",
        about="outer band: documents resampled; inner: segments",
    )


def _reach(wide: list[theme.Spec], close: list[theme.Spec]) -> list[float]:
    """Return the ends of the axis: all that is drawn once a few documents are in."""
    drawn = [row for row in (*wide, *close) if row["k"] >= _SETTLED] or [*wide, *close]
    low, high = min(row["low"] for row in drawn), max(row["high"] for row in drawn)
    pad = 0.08 * (high - low or abs(high) or 1.0)
    return [low - pad, high + pad]


def spread_panel(curve: DocumentCurve, room: float) -> theme.Spec:
    """Return the measured spread, both fits, and what is read off them."""
    last = float(curve.documents[-1])
    end = last
    if curve.x_max is not None and curve.x_max <= _BEYOND * last:
        end = max(last, 1.05 * curve.x_max)
    measured = [
        {"k": k, "y": s}
        for k, s in zip(curve.documents, curve.spread, strict=True)
        if math.isfinite(s)
    ]
    orders = curve.orders.data(first=1)
    top = 1.15 * max((row["y"] for row in measured), default=1.0) or 1.0
    x = quantitative(
        "k",
        scale={"domain": [0, end], "nice": False},
        axis={"grid": False, "tickCount": 5, "labelFlush": False},
        title="documents",
    )
    axis = upright_axis(
        tickCount=5, **({"format": ".0%"} if curve.share and top > 0.05 else {})
    )
    if curve.share and top <= 0.05:
        axis["format"] = ".1%"
    y = quantitative("y", scale={"domain": [0, top], "nice": False}, axis=axis, title=None)
    dot = {
        "type": "point",
        "size": 30,
        "strokeWidth": 1.3,
        "color": theme.COLOUR["ink"],
        "clip": True,
    }
    layers = [
        layer(
            orders,
            {"type": "area", "color": theme.COLOUR["blind"], "clip": True},
            x=x,
            y={**y, "field": "low"},
            y2={"field": "high"},
        ),
    ]
    if curve.power is not None:
        at = np.linspace(1.0, end, _STEPS)
        points = _points(at.tolist(), curve.power.at(at).tolist())
        mark = {
            "type": "line",
            "color": theme.COLOUR["better"],
            "strokeWidth": 2.2,
            "clip": True,
        }
        layers.append(layer(points, mark, x=x, y=y))
    if curve.cubic is not None:
        steps = np.linspace(1.0, last, _STEPS).tolist()
        points = _points(steps, [curve.cubic.at(k) for k in steps])
        mark = {
            "type": "line",
            "color": theme.COLOUR["worse"],
            "strokeWidth": 1.8,
            "strokeDash": [5, 3],
            "clip": True,
        }
        layers.append(layer(points, mark, x=x, y=y))
    layers += [layer(_thinned(measured), dot, x=x, y=y), *_marks(curve, end, room)]
    return panel(
        layers,
        width=room,
        height=_HEIGHT,
        title="Relative spread" if curve.share else "Spread in points",
        about=_about(curve),
    )


def _about(curve: DocumentCurve) -> str:
    said = ["dots measured"]
    if curve.power is not None:
        said.append("line a·k^−b")
    if curve.cubic is not None:
        said.append("dashed cubic")
    return "; ".join(said)


def _points(at: Sequence[float], heights: Sequence[float]) -> list[theme.Spec]:
    return [{"k": k, "y": height} for k, height in zip(at, heights, strict=True)]


def _thinned(points: list[theme.Spec]) -> list[theme.Spec]:
    """Return at most some points, denser where the curve falls."""
    if len(points) <= _DOTS:
        return points
    at = np.unique(np.rint(np.geomspace(1, len(points), _DOTS)).astype(int)) - 1
    return [points[place] for place in at.tolist()]


def _marks(curve: DocumentCurve, end: float, room: float) -> list[theme.Spec]:
    """Return lines at x_min and x_max with their names; x_max may lie beyond the axis."""
    made = []
    taken = 0.0  # pixels to the left that the first label takes
    if curve.x_min is not None and curve.x_min <= end:
        text = f"x_min {curve.x_min:.1f}"
        made += [
            vertical_line(curve.x_min, "ink", dash=(3, 3)),
            label(curve.x_min, {"value": 8}, text, colour="ink", dx=5),
        ]
        taken = room * curve.x_min / end + 5 + theme.text_width(text)
    if curve.x_max is None:
        return made
    beyond = curve.x_max > end
    text = f"x_max {curve.x_max:,.0f}{' →' if beyond else ''}"
    place = room if beyond else room * curve.x_max / end
    if not beyond:
        made.append(vertical_line(curve.x_max, "ink", dash=(3, 3)))
    fits_left = place - 5 - theme.text_width(text) > taken + 6
    y = {"value": 8 if fits_left else 26}
    left = place - 5 - theme.text_width(text) > 0.0
    made.append(
        label(
            {"value": place},
            y,
            text,
            colour="ink",
            align="right" if left else "left",
            dx=-5 if left else 5,
        )
    )
    return made


# --- How early something is complete as work goes on ---

_ARRIVAL_LEFT = 46  # pixels for the vertical axis, with the frame of every picture
_RIGHT = 24
_ARRIVAL_HEIGHT, _LOW = 230, 210


def arrival(
    points: Sequence[tuple[float, float, str]], *, width: int, done: str, work: str
) -> theme.Spec:
    """Return the share that is complete after each share of the work, beside the diagonal.

    Parameters
    ----------
    points : sequence of (work, complete, text)
        Shares, and what is written at the point.
    done, work : str
        What the two axes count.
    """
    room = width - _ARRIVAL_LEFT - _RIGHT
    height = _LOW if theme.is_narrow(width) else _ARRIVAL_HEIGHT
    share = {"domain": [0, 1], "nice": False}
    x = quantitative(
        "x", scale=share, title=work, axis={"format": "%", "tickCount": 5, "grid": False}
    )
    y = quantitative(
        "y", scale=share, axis=level_title(done, format="%", tickCount=5, titleX=-36)
    )
    rows = [{"x": 0.0, "y": 0.0}, *({"x": a, "y": b} for a, b, _ in points)]
    even = {
        "type": "line",
        "color": theme.COLOUR["rule"],
        "strokeWidth": 1.2,
        "strokeDash": [4, 3],
    }
    line = {"type": "line", "color": theme.COLOUR["better"], "strokeWidth": 2.4}
    dot = {"type": "point", "filled": True, "size": 60, "color": theme.COLOUR["better"]}
    placed = [(a * room, (1 - b) * height, text) for a, b, text in points]
    diagonal = theme.boxes_along([(0, height), (room, 0)])
    own = theme.boxes_along([(0, height), *((a, b) for a, b, _ in placed)])
    places = theme.place_labels(
        placed, room + _RIGHT - 8, height, size=1.07 * theme.TEXT, taken=[*own, *diagonal]
    )
    words = [
        Word(text, "better", at + place.dx, down + place.dy, place.align)
        for (at, down, text), place in zip(placed, places, strict=True)
        if place is not None
    ]
    return theme.spec(
        width=room,
        height=height,
        layer=[
            layer([{"x": 0, "y": 0}, {"x": 1, "y": 1}], even, x=x, y=y),
            layer(rows, line, x=x, y=y),
            layer(rows[1:], dot, x=x, y=y),
            *(word.drawn() for word in words),
        ],
    )


# --- Lines over the first 1, 2, … documents: figures 1 to 11 of Estrella et al. (2007), and rankings ---

MOST = len(SERIES)  # lines with a name: as many as there are colours
_HEIGHT_OF_FIRST_DOCUMENTS = 250
_LEFT = 44  # pixels of the upright axis
_RIGHT_OF_FIRST_DOCUMENTS = 20  # beside the names
_GAP = 15  # pixels between names
_ALL_TICKS = 20  # documents up to which some of them are ticks by hand
_STEPS_OF_FIRST_DOCUMENTS = 60


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
    room = width - _LEFT - widest(names) - _RIGHT_OF_FIRST_DOCUMENTS
    layers = list(_layers(lines, height, names, room, level=True))
    return spec(width=room, height=_HEIGHT_OF_FIRST_DOCUMENTS, layer=layers)


def side_by_side(panels: Sequence[tuple[str, Sequence[Line], Height]], *, width: int) -> Spec:
    """Return panels with a title each, below each other where it is narrow."""
    narrow = is_narrow(width)
    across = 1 if narrow else len(panels)
    names = _names(panels[0][1], width / across)
    whole = (width - (across - 1) * GUTTER) / across
    room = whole - LABELS - widest(names) - _RIGHT_OF_FIRST_DOCUMENTS
    made = [
        panel(
            list(_layers(lines, height, names, room, level=False)),
            width=room,
            height=_HEIGHT_OF_FIRST_DOCUMENTS,
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
    ends = [
        _HEIGHT_OF_FIRST_DOCUMENTS * (high - line.points()[-1][1]) / (high - low)
        for line in shown
    ]
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
    steps = np.linspace(1.0, last, _STEPS_OF_FIRST_DOCUMENTS)
    yield _line(list(zip(steps.tolist(), law.at(steps).tolist(), strict=True)), x, y, **looks)
    shape = ("circle", "square", "diamond", "triangle-up", "triangle-down")[place]
    dot = {"type": "point", "size": 30, "color": colour, "shape": shape, "strokeWidth": 1.3}
    yield layer([{"k": k, "y": height} for k, height in line.points()], dot, x=x, y=y)
    if law.x_min is not None:
        yield _line([(1.0, law.a), (law.x_min, 0.0)], x, y, color=colour, strokeWidth=1.2)


def _line(points: Sequence[tuple[float, float]], x: Spec, y: Spec, **looks: object) -> Spec:
    mark = {"type": "line", "clip": True, **looks}
    return layer([{"k": k, "y": value} for k, value in points], mark, x=x, y=y)
