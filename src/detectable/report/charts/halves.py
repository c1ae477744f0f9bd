"""Scores on reverse against forward data, their differences, and how far the halves agree.

Graham et al. (2020), figures 1 to 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts import marks
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
from detectable.report.charts.theme import (
    COLOUR,
    Place,
    Spec,
    boxes_along,
    is_narrow,
    place_labels,
    shortened,
    widest,
)

MACHINE, HUMAN = "systems", "human"
_SIDE = 290  # pixels of the square of scores
_SIZE = 11  # of the names in it
_PADDING = 0.08  # of the range of scores, on both sides


@dataclass(frozen=True, slots=True)
class HalfScore:
    """A system on both halves."""

    name: str
    forward: float
    reverse: float
    human: bool = False

    @property
    def kind(self) -> str:
        """What the mark means."""
        return HUMAN if self.human else MACHINE


@dataclass(frozen=True, slots=True)
class Agreement:
    """A correlation between the halves, beside that of random halves."""

    name: str
    value: float
    interval: Interval
    random: Interval


def halves(
    scores: Sequence[HalfScore], agreement: Sequence[Agreement], *, unit: str, width: int
) -> Spec:
    """Return all panels; without correlations where there are none.

    Parameters
    ----------
    unit : str
        What the scores are.
    """
    narrow = is_narrow(width)
    # The same room for names in all panels that stand below each other keeps them in line.
    names = widest([MACHINE, HUMAN, *(one.name for one in agreement)]) + 14
    left = names if narrow else marks.LABELS
    room = (
        width - left - 2 * marks.END
        if narrow
        else 0.56 * (width - left - marks.GUTTER) - marks.LABELS
    )
    side = width if narrow else width - room - left - marks.GUTTER - marks.END
    panels = [score_panel(scores, room=room, left=left)]
    right = [difference_panel(scores, unit=unit, width=side, left=names)]
    if agreement:
        right.append(agreement_panel(agreement, width=side, left=names))
    if narrow:
        return marks.arranged([*panels, *right], narrow=True)
    beside = {
        "vconcat": right,
        "spacing": marks.GUTTER,
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }
    return marks.arranged([*panels, beside], narrow=False)


def score_panel(
    scores: Sequence[HalfScore], *, room: float, left: float = marks.LABELS
) -> Spec:
    """Return a dot per system, reverse against forward, with names that keep off the diagonal."""
    values = [value for score in scores for value in (score.forward, score.reverse)]
    low, high = min(values), max(values)
    pad = _PADDING * (high - low or abs(high) or 1.0)
    domain = [low - pad, high + pad]
    scale = {"domain": domain, "nice": False, "zero": False}
    x = marks.quantitative(
        "forward",
        scale=scale,
        axis={"tickCount": 5, "labelFlush": False},
        title="on forward data",
    )
    y = marks.quantitative(
        "reverse",
        scale=scale,
        axis=marks.upright_axis(tickCount=5, minExtent=left - 6),
        title=None,
    )
    data = [_datum(score) for score in scores]
    line = [{"forward": end, "reverse": end} for end in domain]
    mark = {"type": "line", "color": COLOUR["rule"], "strokeDash": [4, 3]}
    return marks.panel(
        [
            marks.layer(line, mark, x=x, y=y),
            marks.layer(data, _point(75), x=x, y=y, **_looks()),
            *_names(scores, domain, room, x, y),
        ],
        width=room,
        height=_SIDE,
        title="Scores on reverse against forward data",
        about="above the line: higher on reverse data",
    )


def _names(
    scores: Sequence[HalfScore], domain: list[float], room: float, x: Spec, y: Spec
) -> list[Spec]:
    """Return the names, a layer for each way in which they stand beside their dots."""
    span = domain[1] - domain[0]
    cut = [shortened(score.name, 0.42 * room, _SIZE) for score in scores]
    points = [
        (
            room * (score.forward - domain[0]) / span,
            _SIDE * (domain[1] - score.reverse) / span,
            name,
        )
        for score, name in zip(scores, cut, strict=True)
    ]
    diagonal = boxes_along([(0.0, float(_SIDE)), (room, 0.0)])
    # The human translation is what people look for: it chooses first.
    order = sorted(range(len(scores)), key=lambda k: not scores[k].human)
    chosen = place_labels([points[k] for k in order], room, _SIDE, size=_SIZE, taken=diagonal)
    found = dict(zip(order, chosen, strict=True))
    placed: list[tuple[Place, Spec]] = [
        (place, {**_datum(score), "text": name})
        for k, (score, name) in enumerate(zip(scores, cut, strict=True))
        if (place := found[k]) is not None
    ]
    placed.sort(key=lambda one: one[0])
    layers = []
    for place, texts in groupby(placed, key=lambda one: one[0]):
        mark = {
            "type": "text",
            "align": place.align,
            "dx": place.dx,
            "dy": place.dy,
            "fontSize": _SIZE,
        }
        layers.append(
            marks.layer([one for _, one in texts], mark, x=x, y=y, text={"field": "text"})
        )
    return layers


def difference_panel(
    scores: Sequence[HalfScore], *, unit: str, width: float, left: float
) -> Spec:
    """Return reverse − forward as a box with a dot for each system; people in a row of their own."""
    kinds = [kind for kind in (MACHINE, HUMAN) if any(score.kind == kind for score in scores)]
    rows = _rows(kinds, left)
    differences = {
        kind: [score.reverse - score.forward for score in scores if score.kind == kind]
        for kind in kinds
    }
    every = [value for found in differences.values() for value in found]
    low, high = min(0.0, *every), max(0.0, *every)
    pad = _PADDING * (high - low or 1.0)
    x = marks.quantitative(
        "low",
        scale={"domain": [low - pad, high + pad], "nice": False},
        axis={"tickCount": 4, "labelExpr": marks.SIGNED, "labelFlush": False},
        title=shortened(unit, width - left),
    )
    boxes = [box_of(row, differences[kind]) for row, kind in enumerate(kinds)]
    boxes = [box for box, kind in zip(boxes, kinds, strict=True) if len(differences[kind]) > 3]
    dots = [
        {"row": row, "low": value, "kind": kind}
        for row, kind in enumerate(kinds)
        for value in differences[kind]
    ]
    return marks.panel(
        [
            marks.vertical_line(0.0, "ink"),
            *box_layers(boxes, x, rows.y, 20),
            marks.layer(dots, _point(42), x=x, y=rows.y, **_looks()),
        ],
        width=width - left - 2 * marks.END,
        height={"step": 40},
        title="Reverse − forward",
        about="dots: systems; box: quartiles" if boxes else "dots: systems",
    )


def box_layers(boxes: Sequence[Spec], x: Spec, y: Spec, height: int) -> list[Spec]:
    """Return whiskers, quartiles and median of boxes that `box_of` made; x is of the field `low`."""
    bar = {"type": "bar", "height": height, "color": COLOUR["band"], "stroke": COLOUR["rule"]}
    middle = {"type": "tick", "thickness": 2, "size": height, "color": COLOUR["ink"]}
    whisker = {"type": "rule", "color": COLOUR["rule"]}
    return [
        marks.layer(boxes, whisker, x={**x, "field": "least"}, x2={"field": "most"}, y=y),
        marks.layer(boxes, bar, x=x, x2={"field": "high"}, y=y),
        marks.layer(boxes, middle, x={**x, "field": "median"}, y=y),
    ]


def box_of(row: int, values: Sequence[float]) -> Spec:
    """Return the box of a row: extremes, quartiles and median."""
    least, low, median, high, most = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return {
        "row": row,
        "least": least,
        "low": low,
        "median": median,
        "high": high,
        "most": most,
    }


def agreement_panel(agreement: Sequence[Agreement], *, width: float, left: float) -> Spec:
    """Return the correlations with their intervals over what random halves show."""
    numbers = [number(one.value) for one in agreement]
    rows = _rows([one.name for one in agreement], left)
    room = width - left - widest(numbers) - 3 * marks.END
    ends = [end for one in agreement for end in (one.interval.low, one.random.low)]
    low = min([0.0, *(end for end in ends if end == end)])
    x = marks.quantitative(
        "low",
        scale={"domain": [low, 1.0], "nice": False},
        axis={"tickCount": 4, "labelFlush": False},
        title=None,
    )
    data = [
        {
            "row": row,
            "value": one.value,
            "low": one.interval.low,
            "high": one.interval.high,
            "from": one.random.low,
            "to": one.random.high,
            "text": text,
        }
        for row, (one, text) in enumerate(zip(agreement, numbers, strict=True))
    ]
    bar = {"type": "bar", "height": {"band": 0.6}, "color": COLOUR["blind"], "cornerRadius": 2}
    rule = {"type": "rule", "strokeWidth": 2.2, "color": COLOUR["better"], "clip": True}
    point = {"type": "point", "filled": True, "size": 70, "color": COLOUR["better"]}
    return marks.panel(
        [
            marks.layer(data, bar, x={**x, "field": "from"}, x2={"field": "to"}, y=rows.y),
            marks.layer(data, rule, x=x, x2={"field": "high"}, y=rows.y),
            marks.layer(data, point, x={**x, "field": "value"}, y=rows.y),
            marks.layer(
                data,
                {"type": "text", "align": "left", "dx": marks.END},
                x={"value": room},
                y=rows.y,
                text={"field": "text"},
            ),
        ],
        width=room,
        height={"step": 26},
        title="Do both halves score alike?",
        about="correlation; grey: random halves",
    )


def _rows(names: Sequence[str], left: float) -> marks.Rows:
    rows = marks.Rows(names, left)
    rows.y["axis"]["minExtent"] = left - 6
    return rows


def _datum(score: HalfScore) -> Spec:
    return {"forward": score.forward, "reverse": score.reverse, "kind": score.kind}


def _point(size: int) -> Spec:
    return {
        "type": "point",
        "filled": True,
        "size": size,
        "stroke": COLOUR["paper"],
        "strokeWidth": 0.8,
    }


def _looks() -> Spec:
    return {
        "color": _channel([COLOUR["better"], COLOUR["worse"]]),
        "shape": _channel(["circle", "diamond"]),
    }


def _channel(values: list[str]) -> Spec:
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": [MACHINE, HUMAN], "range": values},
        "legend": None,
    }


# --- Forward against reverse data in several campaigns: gains, changes of two systems, correlations, preferences ---
#
# Graham et al. (2020), figures 1 to 4.

_SIDE_OF_CAMPAIGN_HALVES = 300  # pixels of a square of changes
_STEP = 30  # of a row
_PADDING_OF_CAMPAIGN_HALVES = 0.06  # of a range, on both sides
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
    pad = _PADDING_OF_CAMPAIGN_HALVES * (high - low or 1.0)
    return [low - pad, high + pad]


def changes(measures: Sequence[Changes], *, width: int) -> Spec:
    """Return a dot for every two systems: the change of one against that of the other.

    Upper left and lower right, drawn as hollow triangles: one is raised, the other lowered.
    """
    narrow = is_narrow(width)
    shown = list(measures)
    side = float(_SIDE_OF_CAMPAIGN_HALVES)
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
        "color": _channel_of_campaign_halves(
            kinds, [COLOUR[_LOOKS[kind][0]] for kind in kinds]
        ),
        "shape": _channel_of_campaign_halves(kinds, [_LOOKS[kind][1] for kind in kinds]),
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
    colours = {
        "color": _channel_of_campaign_halves(
            halves, [COLOUR["better"], COLOUR["worse"], COLOUR["soft"]]
        )
    }
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


def _channel_of_campaign_halves(names: Sequence[str], values: Sequence[str]) -> Spec:
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(names), "range": list(values)},
        "legend": None,
    }
