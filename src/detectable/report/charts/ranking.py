"""Scores with intervals, rank ranges, and lines where all pairs support one."""

from dataclasses import dataclass
from itertools import pairwise

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts.marks import Rows, focus, label, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

_STEP = 22  # pixels of a row
_BESIDE = 16  # pixels between columns


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of a ranking; `ranks` and `cluster` are written beside it."""

    name: str
    score: float
    interval: Interval
    ranks: str
    cluster: int


def ranking(rows: tuple[Ranked, ...], scale: str, *, digits: int, width: int) -> Spec:
    """Return systems from best to worst, with a band and a rule per cluster."""
    narrow = is_narrow(width)
    names = Rows([row.name for row in rows], width * 0.36)
    heads = ("ranks", "clust." if narrow else "cluster")
    first = widest([heads[0], *(row.ranks for row in rows)]) + _BESIDE
    second = widest([heads[1]]) + _BESIDE
    room = width - names.width - first - second - 11
    shown = focus(
        [min(row.score, row.interval.low) for row in rows],
        [max(row.score, row.interval.high) for row in rows],
    )
    x = quantitative(
        "low",
        scale={"domain": shown.domain(0.06), "nice": False},
        axis={"tickCount": max(3, min(6, int(room / 55))), "labelFlush": False},
        title=f"score in {scale}",
    )
    inside = [
        {"row": i, "score": row.score, "low": row.interval.low, "high": row.interval.high}
        for i, row in enumerate(rows)
        if i not in shown.outside
    ]
    line = {"type": "rule", "strokeWidth": 2.2, "color": COLOUR["better"]}
    point = {"type": "point", "filled": True, "size": 70, "color": COLOUR["better"]}
    begins = [0, *_cuts(rows), len(rows)]
    bands = [
        {"top": top * _STEP, "bottom": bottom * _STEP}
        for place, (top, bottom) in enumerate(pairwise(begins))
        if place % 2 == 0
    ]
    right = room + first + second
    layers = [
        layer(
            bands,
            {"type": "rect", "color": COLOUR["band"]},
            y=quantitative("top", scale=None),
            y2={"field": "bottom"},
            x={"value": 0},
            x2={"value": right},
        ),
        layer(inside, line, x=x, x2={"field": "high"}, y=names.y),
        layer(inside, point, x={**x, "field": "score"}, y=names.y),
        _column([row.ranks for row in rows], names, room + first),
        _column(_numbers_of(rows), names, right - 4),
        _head(room + first, heads[0]),
        _head(right - 4, heads[1]),
    ]
    for side, far in (("left", shown.below), ("right", shown.above)):
        layers += [_arrow(rows[i], i, names, side, room, digits) for i in sorted(far)]
    layers += [_rule(cut * _STEP, -names.width + 4, right) for cut in _cuts(rows)]
    return spec(width=room, height=_STEP * len(rows), layer=layers)


def _cuts(rows: tuple[Ranked, ...]) -> list[int]:
    """Return the rows above which a line is drawn."""
    return [i for i in range(1, len(rows)) if rows[i].cluster != rows[i - 1].cluster]


def _numbers_of(rows: tuple[Ranked, ...]) -> list[str]:
    """Return the number of each cluster at its first row."""
    first = {0, *_cuts(rows)}
    return [str(row.cluster) if i in first else "" for i, row in enumerate(rows)]


def _column(texts: list[str], names: Rows, x: float) -> Spec:
    data = [{"row": i, "text": text} for i, text in enumerate(texts)]
    mark = {"type": "text", "align": "right"}
    return layer(data, mark, x={"value": x}, y=names.y, text={"field": "text"})


def _head(x: float, text: str) -> Spec:
    return label({"value": x}, {"value": 0}, text, align="right", dy=-9)


def _arrow(row: Ranked, place: int, names: Rows, side: str, room: float, digits: int) -> Spec:
    value = number(row.score, digits=digits)
    text = f"← {value}" if side == "left" else f"{value} →"
    mark = {
        "type": "text",
        "align": side,
        "dx": 4 if side == "left" else -4,
        "color": COLOUR["better"],
        "fontWeight": "bold",
    }
    x = {"value": 0 if side == "left" else room}
    return layer([{"row": place, "text": text}], mark, x=x, y=names.y, text={"field": "text"})


def _rule(y: float, left: float, right: float) -> Spec:
    mark = {"type": "rule", "color": COLOUR["ink"], "strokeWidth": 1}
    return layer([{}], mark, y={"value": y}, x={"value": left}, x2={"value": right})
