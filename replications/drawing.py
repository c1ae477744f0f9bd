"""Lines, dots and bands in panels: what the figures of the papers are made of.

A `Panel` holds its marks as plain numbers and names, so that a test can compare them; `drawn` puts
panels side by side at a width, and below each other where it is narrow. Colours, type and
frame are those of all charts (``report/charts``).
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from detectable.core.wording import decimals
from detectable.report.charts.marks import horizontal_line, label, layer, quantitative
from detectable.report.charts.theme import (
    COLOUR,
    DASHES,
    TEXT,
    Box,
    Spec,
    boxes_along,
    dodge,
    is_narrow,
    place_labels,
    shortened,
    spec,
    text_width,
    widest,
    wrapped,
)

LINES = ("better", "worse", "equal", "look", "ink")  # colours, each with its dash
_GUTTER = 26  # pixels between panels
_GAP = 8  # between the end of a line and its label
_LINE = 15  # from one label to the next
_TOP = 6
_STEPS = (0.0, -0.1, 0.1, -0.2, 0.2, -0.3, 0.3, 0.4, 0.05, -0.05)  # of names on lines
_NAMES = 0.36  # of the width of a panel, at most
_SAME = 4  # pixels within which two dots are one
_SLACK = 6  # what the width of a text may be wrong by
_MARGIN = 6  # around every picture


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one kind of dots.

    Attributes
    ----------
    name : str
        Stands at the end of a line, or on it.
    points : tuple of (x, y)
        From left to right.
    look : int
        Which colour and dash of the house, from 0.
    dots : bool
        Dots instead of a line.
    hollow : bool
        Of dots: rings.
    band : tuple of (x, low, high)
        Filled behind it.
    shape : str
        Of dots.
    quiet : bool
        The name stands in the table of numbers only.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    look: int = 0
    dots: bool = False
    hollow: bool = False
    band: tuple[tuple[float, float, float], ...] = ()
    shape: str = "circle"
    size: int = 46
    thin: bool = False
    quiet: bool = False

    @property
    def token(self) -> str:
        """The name of its colour."""
        return LINES[self.look % len(LINES)]

    @property
    def colour(self) -> str:
        """Its colour on light paper."""
        return COLOUR[self.token]

    @property
    def dash(self) -> list[int]:
        """Its dash, which tells lines apart without colour."""
        # Where colours come back, they have other dashes.
        return list(DASHES[(self.look + self.look // len(LINES)) % len(DASHES)])


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a panel.

    Attributes
    ----------
    domain : (float, float)
        What is shown.
    ticks : tuple of float
        Where its labels stand.
    form : str
        How d3 writes them; ``"share"`` writes per cent.
    labels : tuple of str
        What stands there instead of the ticks' numbers.
    """

    title: str
    domain: tuple[float, float]
    ticks: tuple[float, ...]
    form: str = ""
    scale: Literal["linear", "log", "sqrt"] = "linear"
    labels: tuple[str, ...] = ()

    def pixel(self, value: float, length: float) -> float:
        """Return where a value stands on an axis of so many pixels, from its start."""
        low, high, at = (self._changed(x) for x in (*self.domain, value))
        return (at - low) / (high - low) * length

    def _changed(self, value: float) -> float:
        if self.scale == "log":
            return math.log(value)
        return math.sqrt(value) if self.scale == "sqrt" else value

    def texts(self) -> list[str]:
        """Return the labels nearly as they are drawn, to know their width."""
        if self.labels:
            return list(self.labels)
        if self.form == "share":
            return [f"{100 * tick:.3g} %" for tick in self.ticks]
        return [f"{tick:,.{self._digits}f}" for tick in self.ticks]

    @property
    def _digits(self) -> int:
        return max(decimals(tick) for tick in self.ticks)

    def channel(self, field: str, **axis: object) -> Spec:
        """Return the channel of a field on this axis."""
        # Vega thins values where there are more of them than its count of ticks.
        shown: Spec = {"values": list(self.ticks), "tickCount": 2 * len(self.ticks), **axis}
        if self.labels:
            places = dict(zip(map(str, self.ticks), self.labels, strict=True))
            shown |= {"labelExpr": f"{json.dumps(places)}[datum.value]", "grid": False}
        elif self.form == "share":
            shown["labelExpr"] = "format(100 * datum.value, '.3~g') + ' %'"
        else:
            shown["format"] = self.form or f",.{self._digits}f"
        scale: Spec = {"domain": list(self.domain), "nice": False, "zero": False}
        if self.scale != "linear":
            scale["type"] = self.scale
        return quantitative(field, scale=scale, axis=shown)


def around(title: str, low: float, high: float) -> Axis:
    """Return an axis with round ticks around two values."""
    step = 10.0 ** math.floor(math.log10((high - low) / 2.0))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) <= 7)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(round(i * step, 10) for i in range(first, last + 1))
    return Axis(title, (ticks[0], ticks[-1]), ticks)


@dataclass(frozen=True, slots=True)
class Panel:
    """One frame of a figure.

    Attributes
    ----------
    lines : tuple of (float, str)
        Levels of y, dotted, with what they are.
    diagonal : bool
        Whether a line of equal x and y is drawn.
    named : tuple of (x, y, str)
        Names of dots, placed where there is room.
    notes : tuple of (x, y, str)
        Words that begin there.
    at : float, optional
        The level of y at which lines carry their names, where they lie farthest apart; those that do
        not reach it, and all without it, have theirs at the end.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    lines: tuple[tuple[float, str], ...] = ()
    diagonal: bool = False
    named: tuple[tuple[float, float, str], ...] = ()
    notes: tuple[tuple[float, float, str], ...] = ()
    at: float | None = None

    def fitted(self, room: float) -> "Panel":
        """Return the same with names that take no more room than that."""
        series = (replace(one, name=shortened(one.name, room)) for one in self.series)
        labels = tuple(shortened(text, room) for text in self.y.labels)
        return replace(self, series=tuple(series), y=replace(self.y, labels=labels))

    def quietly(self) -> "Panel":
        """Return the same without names at its lines."""
        return replace(self, series=tuple(replace(one, quiet=True) for one in self.series))

    def at_end(self) -> list[Series]:
        """Return the lines whose name stands at the right of the panel."""
        return [one for one in self._lines() if self._crossing(one, self.at) is None]

    def on_line(self, plot: float, height: float) -> list[tuple[Series, float, float]]:
        """Return the lines that carry their name, and the pixels where: no two names collide."""
        low, high = self.y.domain
        middle = low if self.at is None else self.at
        levels = [middle + step * (high - low) for step in _STEPS]
        taken: list[tuple[float, float, float]] = []
        found = []
        for one in self._lines():
            if self._crossing(one, self.at) is None:
                continue
            crossings = [(self._crossing(one, level), level) for level in levels]
            pixels = [
                (self.x.pixel(x, plot), height - self.y.pixel(level, height))
                for x, level in crossings
                if x is not None
            ]
            half = text_width(one.name) / 2 + 4
            free = [at for at in pixels if not _covered(at, half, taken, plot)]
            x, y = (free or pixels)[0]
            taken.append((x, y, half))
            found.append((one, x, y))
        return found

    def _lines(self) -> list[Series]:
        return [one for one in self.series if not (one.quiet or one.dots)]

    def _crossing(self, series: Series, level: float | None) -> float | None:
        if level is None:
            return None
        for (x, y), (after, above) in pairwise(series.points):
            if min(y, above) <= level <= max(y, above) and y != above:
                return x + (level - y) / (above - y) * (after - x)
        return None

    def values(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield panel, series, x and y of every point."""
        for series in self.series:
            for x, y in series.points:
                yield self.title, series.name, x, y


def _covered(
    at: tuple[float, float], half: float, taken: list[tuple[float, float, float]], plot: float
) -> bool:
    """Say whether a name would cover another one, or leave the panel."""
    x, y = at
    if x < half or x > plot - half:
        return True
    return any(
        abs(x - other) < half + its and abs(y - below) < _LINE for other, below, its in taken
    )


def drawn(
    panels: Sequence[Panel],
    *,
    width: int,
    columns: int = 1,
    height: int = 230,
    once: bool = False,
) -> Spec:
    """Return the panels in so many columns, in one where it is narrow.

    Parameters
    ----------
    once : bool
        Lines have their names in the last panel of a row only: they are the same in all.
    """
    across = 1 if is_narrow(width) else columns
    panels = [panel.fitted(_NAMES * width / across) for panel in panels]
    if once and across > 1:
        panels = [
            panel if i % across == across - 1 else panel.quietly()
            for i, panel in enumerate(panels)
        ]
    extent = max(widest(panel.y.texts()) + 6 + _SLACK for panel in panels)
    rooms = [max(_ends(panel) for panel in panels[i::across]) for i in range(across)]
    plot = (width - 2 * _MARGIN - (across - 1) * _GUTTER - sum(rooms)) / across - extent
    rows = [
        {
            "hconcat": [
                _panel(panel, plot, height, extent) for panel in panels[i : i + across]
            ],
            "spacing": _GUTTER,
        }
        for i in range(0, len(panels), across)
    ]
    return spec(
        vconcat=rows, spacing=20, resolve={"scale": {"x": "independent", "y": "independent"}}
    )


def _ends(panel: Panel) -> float:
    """Return the room that labels take to the right of a panel."""
    last = text_width(panel.x.texts()[-1]) / 2
    names = [one.name for one in panel.at_end()]
    return max(widest(names) + _GAP + _SLACK, last) if names else max(8.0, last)


def _panel(panel: Panel, plot: float, height: int, extent: float) -> Spec:
    titles: Spec = {"anchor": "start", "offset": _TOP}
    if panel.title:
        titles |= {
            "text": wrapped(panel.title, plot, 13, bold=True),
            "subtitle": wrapped(panel.y.title, plot),
            "subtitleFontSize": TEXT,
            "subtitlePadding": 4,
        }
    else:
        titles |= {
            "text": wrapped(panel.y.title, plot),
            "fontSize": TEXT,
            "fontWeight": "normal",
            "color": COLOUR["soft"],
        }
    return {
        "width": plot,
        "height": height,
        "title": titles,
        "layer": list(_layers(panel, plot, height, extent)),
    }


def _layers(panel: Panel, plot: float, height: int, extent: float) -> Iterator[Spec]:
    x = panel.x.channel("x", labelFlush=False, labelOverlap=False)
    y = panel.y.channel(
        "y", minExtent=extent, maxExtent=extent, labelOverlap=False, labelLimit=0
    )
    x["title"], y["title"] = panel.x.title, None
    yield layer([], {"type": "point", "opacity": 0}, x=x, y=y)
    for level, said in panel.lines:
        yield horizontal_line(level, "rule", dash=(2, 3))
        if said:
            yield label(
                {"value": 4}, {"value": height - panel.y.pixel(level, height) - 8}, said
            )
    if panel.diagonal:
        low, high = panel.x.domain
        ends = [{"x": low, "y": low}, {"x": high, "y": high}]
        mark = {"type": "line", "color": COLOUR["rule"], "strokeWidth": 1, "clip": True}
        yield layer(ends, mark, x=x, y=y)
    own = {"x": {**x, "title": panel.x.title}, "y": y}
    for series in panel.series:
        yield from _series(series, own)
    yield from _names(panel, plot, height)
    yield from _dots(panel, plot, height)
    for right, up, said in panel.notes:
        at = {"value": panel.x.pixel(right, plot)}
        yield label(at, {"value": height - panel.y.pixel(up, height)}, said)


def _series(series: Series, own: Spec) -> Iterator[Spec]:
    if series.band:
        rows = [{"x": x, "y": low, "high": high} for x, low, high in series.band]
        mark: Spec = {"type": "area", "color": series.colour, "opacity": 0.16, "clip": True}
        yield layer(rows, mark, **own, y2={"field": "high"})
    rows = [{"x": x, "y": y} for x, y in series.points]
    if series.dots:
        mark = {
            "type": "point",
            "shape": series.shape,
            "size": series.size,
            "filled": not series.hollow,
            "color": series.colour,
            "strokeWidth": 1.2,
        }
        yield layer(rows, mark, **own)
        return
    mark = {
        "type": "line",
        "color": series.colour,
        "strokeWidth": 1 if series.thin else 1.8,
        "strokeDash": series.dash,
        "clip": True,
    }
    yield layer(rows, mark, **own)


def _names(panel: Panel, plot: float, height: int) -> Iterator[Spec]:
    """Yield the names of the lines: on the line, or at the right, none over another."""
    for one, x, y in panel.on_line(plot, height):
        half = text_width(one.name) / 2 + 2
        behind = {"type": "rect", "color": COLOUR["paper"]}
        ends = {
            "x": {"value": x - half},
            "x2": {"value": x + half},
            "y": {"value": y - 7},
            "y2": {"value": y + 7},
        }
        yield layer([{}], behind, **ends)
        yield label({"value": x}, {"value": y}, one.name, colour=one.token, align="center")
    shown = panel.at_end()
    low, high = sorted(panel.y.domain)
    places = [
        height - panel.y.pixel(min(max(one.points[-1][1], low), high), height) for one in shown
    ]
    moved = dodge(places, _LINE)
    # All stay beside the panel: a name above it would push its title up.
    shift = max(height - 6.0, *moved, 0.0) - height + 6.0 + min(6.0, *moved, 6.0) - 6.0
    if shown:
        # What draws may have no font for a name, and would leave too little room for it.
        end = plot + _GAP + widest([one.name for one in shown])
        beyond = {"x": {"value": plot}, "x2": {"value": end}, "y": {"value": 0}}
        yield layer([{}], {"type": "rule", "opacity": 0}, **beyond)
    for one, place in zip(shown, moved, strict=True):
        yield label(
            {"value": plot + _GAP}, {"value": place - shift}, one.name, colour=one.token
        )


def _dots(panel: Panel, plot: float, height: int) -> Iterator[Spec]:
    """Yield the names of dots, where there is room; dots that coincide share a place."""
    points: list[tuple[float, float, str]] = []
    for right, up, name in panel.named:
        x, y = panel.x.pixel(right, plot), height - panel.y.pixel(up, height)
        near = [i for i, (a, b, _) in enumerate(points) if math.hypot(a - x, b - y) < _SAME]
        if near:
            a, b, other = points[near[0]]
            points[near[0]] = (a, b, f"{other}, {name}")
        else:
            points.append((x, y, name))
    line: list[Box] = []
    if panel.diagonal:
        ends = [height - panel.y.pixel(end, height) for end in panel.x.domain]
        line = boxes_along([(0.0, ends[0]), (plot, ends[1])])
    places = place_labels(points, plot, height, taken=line)
    for (x, y, name), place in zip(points, places, strict=True):
        if place is not None:
            yield label(
                {"value": x + place.dx},
                {"value": y + place.dy},
                name,
                colour="ink",
                align=place.align,
                fontSize=11,
            )
