"""Forward against reverse data in several campaigns: gains, changes of two systems, correlations, preferences.

Graham et al. (2020), figures 1 to 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts.halves import box_layers, box_of
from detectable.report.charts.marks import (
    END,
    GUTTER,
    LABELS,
    SIGNED,
    Rows,
    arranged,
    layer,
    panel,
    quantitative,
    upright_axis,
    vertical_line,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, shortened, widest

_SIDE = 300  # pixels of a square of changes
_STEP = 30  # of a row
_PADDING = 0.06  # of a range, on both sides
_LOOKS = {  # of correlations
    "pearson": ("better", "circle"),
    "spearman": ("worse", "diamond"),
    "kendall": ("ink", "triangle-up"),
}


@dataclass(frozen=True, slots=True)
class Gains:
    """Reverse − forward of the systems of one campaign."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """By how much each of two systems changes from forward to reverse data: all pairs, one measure."""

    label: str
    pairs: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Correlations:
    """How far the halves of one campaign score the systems alike."""

    name: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Preferred:
    """The share of wins of one system against another, on one half."""

    name: str
    half: str
    share: float
    interval: Interval


def gains(campaigns: Sequence[Gains], *, unit: str, width: int) -> Spec:
    """Return a box for each campaign: quartiles, with a dot for every system."""
    room = width * (0.3 if is_narrow(width) else 0.24)
    rows = Rows([one.name for one in campaigns], room)
    every = [value for one in campaigns for value in one.values]
    x = quantitative(
        "low",
        scale={"domain": _ends([0.0, *every]), "nice": False},
        axis={"tickCount": 6, "labelExpr": SIGNED, "labelFlush": False},
        title=shortened(f"reverse − forward, {unit}", width - rows.width),
    )
    boxes = [
        box_of(row, one.values) for row, one in enumerate(campaigns) if len(one.values) > 3
    ]
    dots = [
        {"row": row, "low": value} for row, one in enumerate(campaigns) for value in one.values
    ]
    dot = {
        "type": "point",
        "filled": True,
        "size": 36,
        "color": COLOUR["better"],
        "stroke": COLOUR["paper"],
        "strokeWidth": 0.8,
    }
    layers = [
        vertical_line(0.0, "ink"),
        *box_layers(boxes, x, rows.y, 16),
        layer(dots, dot, x=x, y=rows.y),
    ]
    found = panel(
        layers,
        width=width - rows.width - 2 * END,
        height={"step": _STEP},
        title="",
        about="right of the line: higher on reverse data",
    )
    return arranged([found], narrow=is_narrow(width))


def _ends(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    pad = _PADDING * (high - low or 1.0)
    return [low - pad, high + pad]


def changes(measures: Sequence[Changes], *, width: int) -> Spec:
    """Return a dot for every two systems: the change of one against that of the other.

    Upper left and lower right, drawn as hollow triangles: one is raised, the other lowered.
    """
    narrow = is_narrow(width)
    shown = list(measures)
    side = float(_SIDE)
    if not narrow and len(shown) > 1:
        side = min(side, (width - len(shown) * (LABELS + END) - GUTTER) / len(shown))
    elif narrow:
        side = min(side, width - LABELS - 2 * END)
    return arranged([_changes(one, side) for one in shown], narrow=narrow)


def _changes(one: Changes, side: float) -> Spec:
    every = [value for pair in one.pairs for value in pair]
    domain = _ends([0.0, *every])
    scale = {"domain": domain, "nice": False, "zero": False}
    x = quantitative(
        "a",
        scale=scale,
        axis={"tickCount": 5, "labelExpr": SIGNED, "labelFlush": False},
        title="reverse − forward of one system",
    )
    y = quantitative(
        "b",
        scale=scale,
        axis=upright_axis(tickCount=5, labelExpr=SIGNED, minExtent=LABELS - 6),
        title=None,
    )
    looks = []
    for opposite in (False, True):
        data = [{"a": a, "b": b} for a, b in one.pairs if (a * b < 0.0) == opposite]
        mark = {
            "type": "point",
            "size": 46,
            "filled": not opposite,
            "shape": "triangle-up" if opposite else "circle",
            "color": COLOUR["worse" if opposite else "better"],
            "opacity": 0.85,
        }
        looks.append(layer(data, mark, x=x, y=y))
    line = {"type": "line", "color": COLOUR["rule"], "strokeDash": [4, 3]}
    zero = {"type": "rule", "color": COLOUR["rule"]}
    return panel(
        [
            layer([{}], zero, x={"datum": 0.0}),
            layer([{}], zero, y={"datum": 0.0}),
            layer([{"a": end, "b": end} for end in domain], line, x=x, y=y),
            *looks,
        ],
        width=side,
        height=side,
        title=one.label,
        about="up: the other system",
    )


def correlations(campaigns: Sequence[Correlations], *, width: int) -> Spec:
    """Return Pearson's r, Spearman's ρ and Kendall's τ of every campaign, a row each."""
    rows = Rows([one.name for one in campaigns], width * (0.3 if is_narrow(width) else 0.24))
    data = [
        {"row": row, "value": value, "kind": kind}
        for row, one in enumerate(campaigns)
        for kind, value in one.values.items()
        if value == value
    ]
    known = [value for one in campaigns for value in one.values.values() if value == value]
    low = min([0.0, *known])
    x = quantitative(
        "value",
        scale={"domain": [low, 1.0], "nice": False},
        axis={"tickCount": 6, "labelFlush": False},
        title="correlation of forward and reverse scores",
    )
    kinds = list(_LOOKS)
    ends = [
        {"row": row, "from": min(own), "to": max(own)}
        for row, one in enumerate(campaigns)
        for own in [[value for value in one.values.values() if value == value]]
        if own
    ]
    look = {
        "color": _channel(kinds, [COLOUR[_LOOKS[kind][0]] for kind in kinds]),
        "shape": _channel(kinds, [_LOOKS[kind][1] for kind in kinds]),
    }
    mark = {"type": "point", "filled": True, "size": 90}
    span = {"type": "rule", "color": COLOUR["rule"]}
    found = panel(
        [
            layer(ends, span, x={**x, "field": "from"}, x2={"field": "to"}, y=rows.y),
            layer(data, mark, x=x, y=rows.y, **look),
        ],
        width=width - rows.width - 2 * END,
        height={"step": _STEP},
        title="",
        about="a row for each campaign",
    )
    return arranged([found], narrow=is_narrow(width))


def preferred(rows: Sequence[Preferred], *, width: int) -> Spec:
    """Return the share of wins of every pair on each half, with its interval."""
    shares = [f"{number(100 * one.share, digits=1)}%" for one in rows]
    names = [f"{one.name}, {one.half}" for one in rows]
    places = Rows(names, width * (0.46 if is_narrow(width) else 0.34))
    room = width - places.width - widest(shares) - 3 * END
    ends = [end for one in rows for end in (one.interval.low, one.interval.high)]
    data = [
        {
            "row": row,
            "value": one.share,
            "low": one.interval.low,
            "high": one.interval.high,
            "kind": one.half,
            "text": text,
        }
        for row, (one, text) in enumerate(zip(rows, shares, strict=True))
    ]
    x = quantitative(
        "low",
        scale={"domain": _ends([0.5, *ends]), "nice": False, "zero": False},
        axis={"tickCount": 5, "format": ".0%", "labelFlush": False},
        title="wins, a tie as half of one",
    )
    halves = ["forward", "reverse", "both"]
    colours = {"color": _channel(halves, [COLOUR["better"], COLOUR["worse"], COLOUR["soft"]])}
    rule = {"type": "rule", "strokeWidth": 2.2}
    text = {"type": "text", "align": "left", "dx": END}
    found = panel(
        [
            vertical_line(0.5, "ink"),
            layer(data, rule, x=x, x2={"field": "high"}, y=places.y, **colours),
            layer(
                data,
                {"type": "point", "filled": True, "size": 64},
                x={**x, "field": "value"},
                y=places.y,
                **colours,
            ),
            layer(data, text, x={"value": room}, y=places.y, text={"field": "text"}),
        ],
        width=room,
        height={"step": 26},
        title="",
        about="right of the line: the first is preferred",
    )
    return arranged([found], narrow=is_narrow(width))


def _channel(names: Sequence[str], values: Sequence[str]) -> Spec:
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(names), "range": list(values)},
        "legend": None,
    }
