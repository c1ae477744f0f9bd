"""Scores on reverse against forward data, their differences, and how far the halves agree.

Graham et al. (2020), figures 1 to 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts import marks
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
