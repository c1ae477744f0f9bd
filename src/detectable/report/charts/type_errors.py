"""What a significant result is worth: exaggeration (Type M) and wrong sign (Type S) against power."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from detectable.core.wording import share_text
from detectable.report.charts import theme
from detectable.report.charts.marks import Word, layer, quantitative

_LEFT = 54  # pixels for an axis, with the frame of every picture
_RIGHT = 16
_GUTTER = 22
_HEIGHT = 210
_LOW = 180
_MOST = 20.0  # times: what exaggerates more lies outside
_LEAST = 0.03  # power below which nothing is drawn
_TOLD = (0.1, 0.5)  # powers that are written besides the one asked for
_APART = 0.12  # of power, between two that are written


class Worth(NamedTuple):
    """At one power: how much significant results exaggerate, and how many point the wrong way."""

    power: float
    exaggeration: float
    wrong_sign: float


class _Panel(NamedTuple):
    title: str
    subtitle: str
    of: Callable[[Worth], float]
    write: Callable[[float], str]
    log: bool
    top: float
    axis: dict[str, Any]

    def down(self, value: float, height: float) -> float:
        share = math.log(value) / math.log(self.top) if self.log else value / self.top
        return (1.0 - min(max(share, 0.0), 1.0)) * height


def type_errors(
    points: Sequence[Worth], *, width: int, asked: Worth | None = None, target: float = 0.8
) -> theme.Spec:
    """Return two panels: exaggeration and wrong signs, with the answer's own power marked."""
    shown = sorted((p for p in points if p.power >= _LEAST), key=lambda p: p.power)
    narrow = theme.is_narrow(width)
    room = width - _LEFT - _RIGHT if narrow else (width - 2 * _LEFT - _GUTTER - _RIGHT) / 2
    height = _LOW if narrow else _HEIGHT
    wrong = max((p.wrong_sign for p in shown), default=0.0)
    panels = (
        _Panel(
            "Exaggeration (Type M)",
            "size of significant estimates ÷ truth",
            lambda p: p.exaggeration,
            lambda value: f"{value:.1f} ×",
            log=True,
            top=_MOST,
            axis={"values": [1, 2, 5, 10, 20], "labelExpr": "datum.value + ' ×'"},
        ),
        _Panel(
            "Wrong sign (Type S)",
            "share of significant estimates",
            lambda p: p.wrong_sign,
            share_text,
            log=False,
            top=0.5 if wrong > 0.2 else 0.2 if wrong > 0.04 else 0.05,
            axis={"format": "%", "tickCount": 5},
        ),
    )
    drawn = [_panel(panel, shown, asked, target, room, height) for panel in panels]
    return theme.spec(
        **{"vconcat" if narrow else "hconcat": drawn}, resolve={"scale": {"y": "independent"}}
    )


def _told(points: Sequence[Worth], asked: Worth | None) -> list[Worth]:
    """Return the points that are written: the one asked for, and two others where known."""
    told = [] if asked is None else [asked]
    for power in _TOLD:
        one = min(points, key=lambda p: abs(p.power - power), default=None)
        if (
            one is not None
            and abs(one.power - power) < 0.5 * _APART
            and all(abs(one.power - other.power) > _APART for other in told)
        ):
            told.append(one)
    return told


def _panel(
    panel: _Panel,
    points: Sequence[Worth],
    asked: Worth | None,
    target: float,
    room: float,
    height: float,
) -> theme.Spec:
    x = quantitative(
        "power",
        scale={"domain": [0, 1], "nice": False},
        title="power",
        axis={"format": "%", "tickCount": 5, "grid": False},
    )
    kind: theme.Spec = {"type": "log"} if panel.log else {}
    y = quantitative(
        "value",
        scale={**kind, "domain": [1 if panel.log else 0, panel.top], "nice": False},
        title=None,
        axis={**panel.axis, "minExtent": _LEFT - 16},
    )
    rows = [
        {"power": p.power, "value": panel.of(p)} for p in points if panel.of(p) <= panel.top
    ]
    told = [one for one in _told(points, asked) if panel.of(one) <= panel.top]
    line = {
        "type": "line",
        "strokeWidth": 2.2,
        "color": theme.COLOUR["worse"],
        "interpolate": "monotone",
    }
    dots = [{"power": one.power, "value": panel.of(one)} for one in told]
    dot = {"type": "point", "filled": True, "size": 50, "color": theme.COLOUR["worse"]}
    enough = {"x": {"datum": target}, "x2": {"datum": 1}}
    layers = [
        layer([{}], {"type": "rect", "color": theme.COLOUR["band"]}, **enough),
        layer(rows, line, x=x, y=y),
        layer(dots, dot, x=x, y=y),
    ]
    if asked is not None and told and told[0] is asked:
        ring = {"type": "point", "filled": True, "size": 110, "color": theme.COLOUR["ink"]}
        layers.append(layer(dots[:1], ring, x=x, y=y))
    layers += [word.drawn() for word in _tags(panel, rows, told, asked, room, height)]
    return {
        "width": room,
        "height": height,
        "title": {"text": panel.title, "subtitle": panel.subtitle},
        "layer": layers,
    }


def _tags(
    panel: _Panel,
    rows: Sequence[theme.Spec],
    told: Sequence[Worth],
    asked: Worth | None,
    room: float,
    height: float,
) -> list[Word]:
    """Return the values at the dots, off the line."""
    line: list[theme.Box] = theme.boxes_along(
        [(row["power"] * room, panel.down(row["value"], height)) for row in rows]
    )
    points = [
        (
            one.power * room,
            panel.down(panel.of(one), height),
            f"{panel.write(panel.of(one))} at {one.power:.0%}",
        )
        for one in told
    ]
    right = room + 6
    words: list[Word] = []
    for one, point in zip(told, points, strict=True):  # the one asked for comes first
        x, y, text = point
        taken = [*line, *(word.box for word in words)]
        others = [(at, down, "") for at, down, _ in points if (at, down) != (x, y)]
        size = 1.07 * theme.TEXT
        place = theme.place_labels([point, *others], right, height, size=size, taken=taken)[0]
        if place is not None:
            colour = "ink" if one is asked else "soft"
            words.append(Word(text, colour, x + place.dx, y + place.dy, place.align))
        elif one is asked:  # above the line, whatever that covers
            half = 0.5 * theme.text_width(text, theme.TEXT, bold=True)
            words.append(Word(text, "ink", min(x, right - half), y - 18, "center"))
    return words
