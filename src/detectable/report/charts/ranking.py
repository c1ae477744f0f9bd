"""Rankings: scores with rank ranges, all pairs at a glance, and what a repeat would keep."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

from detectable.contrasts.contrast import Contrast
from detectable.core.interval import Interval
from detectable.core.verdict import opposite
from detectable.core.wording import number, pointed
from detectable.report.charts import theme
from detectable.report.charts.marks import (
    Rows,
    Word,
    focus,
    horizontal_line,
    label,
    layer,
    level_title,
    quantitative,
)
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


# --- All pairs at a glance: who differs significantly from whom, by how much, and with which p-value ---

_LOW = 20  # pixels: the least height of a row
_FLAT = 0.62  # height of a cell to its width
_SMALL = 11  # pixels: the size of numbers, and of symbols where it is narrow
_TINY = 10
_GAP = 20
_WIDEST = 72  # pixels of a cell, however few there are
_TWO_DIGITS = 13  # pixels
_ROOMY, _CLOSE = 21, 16  # pixels of a column, from which its number is written large, or small


C = TypeVar("C", bound=Contrast)


class Cell(NamedTuple):
    """A pair: the row's system against the column's."""

    difference: float
    p: float
    verdict: str


def cells_of(
    names: Sequence[str],
    pairs: Iterable[C],
    value: Callable[[C], float] = lambda pair: pair.difference,
) -> dict[tuple[int, int], Cell]:
    """Return the cells above the diagonal: what is said of the row against the column."""
    place = {name: i for i, name in enumerate(names)}
    cells: dict[tuple[int, int], Cell] = {}
    for pair in pairs:
        if pair.system not in place or pair.baseline not in place or pair.verdict is None:
            continue
        first, second = place[pair.system], place[pair.baseline]
        if first < second:
            cells[first, second] = Cell(value(pair), pair.p_adjusted, pair.verdict)
        else:
            cells[second, first] = Cell(-value(pair), pair.p_adjusted, opposite(pair.verdict))
    return cells


def matrix(
    names: tuple[str, ...],
    pairs: Iterable[C],
    *,
    digits: int,
    width: int,
    value: Callable[[C], float] = lambda pair: pair.difference,
) -> theme.Spec:
    """Return a triangle of pairs.

    Above the diagonal the difference, row − column, filled where the two differ significantly; below
    it the corrected p. Where the numbers do not fit: a symbol, and no p.

    Parameters
    ----------
    pairs : iterable of Contrast
        Whichever of the two is named first; those of other systems are left out.
    value : callable
        What is written of a pair, by default its difference; of the pair turned round, minus that.
    """
    cells = cells_of(names, pairs, value)
    numbered = [f"{place} {name}" for place, name in enumerate(names, 1)]
    labels = [theme.shortened(text, width * 0.32) for text in numbered]
    left = theme.widest(labels) + _GAP
    step = min((width - left - 4) / len(names), _WIDEST)
    differences = {
        key: _BESIDE_OF_MATRIX.get(_kind(cell.verdict), "") + _brief(cell.difference, digits)
        for key, cell in cells.items()
    }
    ps = {key: _brief_p(cell.p) for key, cell in cells.items()}
    with_numbers = not theme.is_narrow(width) and (
        theme.widest(list(differences.values()), _SMALL) + 2 <= step
    )
    with_p = with_numbers and theme.widest(list(ps.values()), _TINY) + 2 <= step
    upper = [
        {
            "row": row,
            "column": column,
            "kind": _kind(cell.verdict),
            "text": differences[row, column] if with_numbers else _SIGNS[_kind(cell.verdict)],
        }
        for (row, column), cell in cells.items()
    ]
    lower = [
        {"row": column, "column": row, "text": ps[row, column], "kind": _kind(cell.verdict)}
        for (row, column), cell in cells.items()
    ]
    x, y = _axes(labels, step)
    layers = [
        layer(upper, {"type": "rect", "cornerRadius": 2}, x=x, y=y, color=_fill()),
        layer(
            upper,
            {"type": "text", "fontSize": _SMALL},
            x=x,
            y=y,
            text={"field": "text"},
            color=_ink("paper", "soft"),
        ),
    ]
    if with_p:
        layers.append(
            layer(
                lower,
                {"type": "text", "fontSize": _TINY},
                x=x,
                y=y,
                text={"field": "text"},
                color=_ink("ink", "soft"),
            )
        )
    high = max(step * _FLAT, _LOW)
    return theme.spec(width=step * len(names), height=high * len(names), layer=layers)


_SIGNS = {"better": "▲", "worse": "▼", "alike": "=", "undecided": "·"}
_BESIDE_OF_MATRIX = {
    "worse": "▼",
    "alike": "=",
}  # before a number: a colour never carries it alone


def _kind(verdict: str) -> str:
    if verdict in ("better", "higher", "superior"):
        return "better"
    if verdict in ("worse", "lower", "inferior"):
        return "worse"
    return "alike" if verdict in ("equivalent", "non-inferior") else "undecided"


def _fill() -> theme.Spec:
    colours = [theme.COLOUR[name] for name in ("better", "worse", "equal", "band")]
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(_SIGNS), "range": colours},
        "legend": None,
    }


def _ink(decided: str, undecided: str) -> theme.Spec:
    told = {"test": "datum.kind != 'undecided'", "value": theme.COLOUR[decided]}
    return {"condition": told, "value": theme.COLOUR[undecided]}


def _axes(labels: list[str], step: float) -> tuple[theme.Spec, theme.Spec]:
    places = list(range(len(labels)))
    shared = {"type": "nominal", "sort": None, "title": None}
    scale = {"domain": places, "paddingInner": 0.06}
    axis = {
        "grid": False,
        "labelColor": theme.COLOUR["ink"],
        "labelLimit": 0,
        "labelOverlap": False,
    }
    x = {
        **shared,
        "field": "column",
        "scale": scale,
        "axis": {
            **axis,
            "orient": "top",
            "labelAngle": 0,
            # Where columns are narrower than two digits, every second one has its number.
            "labelExpr": "datum.value + 1"
            if step >= _TWO_DIGITS
            else "datum.value % 2 ? '' : datum.value + 1",
            "labelFontSize": theme.TEXT if step > _ROOMY else _TINY if step > _CLOSE else 9,
        },
    }
    y = {
        **shared,
        "field": "row",
        "scale": scale,
        "axis": {
            **axis,
            "labelExpr": f"{json.dumps(theme.visible(labels))}[datum.value]",
            # What draws may have no font for a name, and would leave too little room for it.
            "minExtent": theme.widest(labels) + 4.0,
        },
    }
    return x, y


def _brief(value: float, digits: int) -> str:
    """Return a number without the zero before its point."""
    text = number(value, digits=digits)
    return text.replace("0.", ".", 1) if abs(value) < 1.0 and digits else text


def _brief_p(p: float) -> str:
    """Return a p-value with two decimals, three where it is small."""
    if p < 0.001:
        return "<.001"
    if p > 0.995:
        return "1"
    return pointed(f"{p:.{3 if p < 0.01 else 2}f}")


# --- Whether a repeat would keep the claims: each of them, and all by the size of the repeat ---

_STEP_OF_CLAIMS = 22  # pixels of a row
_HALF = 0.5  # a claim that is kept by chance
_TALL, _LOWER = 300, 260
_AXIS = 50  # pixels for the upright axis
_LINE = 15  # pixels between two names


def kept_claims(claims: Sequence[tuple[str, float, str]], *, width: int) -> Spec:
    """Return a row per claim, (name, chance, chance as text), with a dot on an axis up to 100 %."""
    narrow = is_narrow(width)
    names = Rows([name for name, _, _ in claims], width * (0.5 if narrow else 0.45))
    room = width - names.width - widest([text for _, _, text in claims]) - 24
    low = min(_HALF, *(chance for _, chance, _ in claims))
    x = quantitative(
        "chance",
        scale={"domain": [low, 1.0], "nice": False},
        axis={"format": "%", "tickCount": 3 if narrow else 6, "labelFlush": False},
        title="kept in" if narrow else "share of repeats that keep the order",
    )
    rows = [{"row": i, "chance": chance, "end": 1.0} for i, (_, chance, _) in enumerate(claims)]
    stem = {"type": "rule", "strokeWidth": 1.6, "color": COLOUR["blind"]}
    dot = {"type": "point", "filled": True, "size": 75, "color": COLOUR["better"]}
    layers = [
        layer(rows, stem, x=x, x2={"field": "end"}, y=names.y),
        layer(rows, dot, x=x, y=names.y),
        names.beside([text for _, _, text in claims], room, 14),
    ]
    return spec(width=room, height=_STEP_OF_CLAIMS * len(claims), layer=layers)


@dataclass(frozen=True, slots=True)
class KeptLine:
    """The chance that all claims are kept, by the size of a repeat.

    Attributes
    ----------
    n_raters : int
        Of each document; it chooses the colour.
    solid : bool
        Whether one rater judges all systems of a document.
    """

    n_raters: int
    solid: bool
    points: tuple[tuple[int, float], ...]


def kept_by_size(lines: Sequence[KeptLine], unit: str, *, keep: float, width: int) -> Spec:
    """Return a line per number of raters, solid or dashed, with what is asked for as a rule."""
    narrow = is_narrow(width)
    texts = [str(line.n_raters) + ("" if line.solid else "*") for line in lines]
    beside = widest(texts, bold=True) + 24
    room, height = width - _AXIS - beside, _LOWER if narrow else _TALL
    sizes = [x for line in lines for x, _ in line.points]
    x = quantitative(
        "n",
        scale={"type": "log", "domain": [min(sizes), max(sizes)], "nice": False},
        axis={
            "values": [n for n in (5, 10, 20, 50, 100, 200, 500, 1000) if n <= max(sizes)],
            "grid": False,
            "labelFlush": False,
        },
        title=f"{unit}s of the repeat (log scale)",
    )
    y = quantitative(
        "chance",
        scale={"domain": [0, 1], "nice": False},
        axis=level_title(
            "chance that all claims are kept", format="%", tickCount=5, titleX=-36
        ),
    )
    layers = [horizontal_line(keep, "ink", dash=(4, 3))]
    ends = [(1.0 - line.points[-1][1]) * height for line in lines]
    places = theme.dodge(ends, _LINE)
    over = max(0.0, max(places) - height)
    for line, text, end, place in zip(lines, texts, ends, places, strict=True):
        colour = ("better", "worse", "equal")[(line.n_raters - 1) % 3]
        stroke: Spec = {
            "type": "line",
            "strokeWidth": 2.2,
            "color": COLOUR[colour],
            "interpolate": "monotone",
        }
        if not line.solid:
            stroke["strokeDash"] = [6, 3]
        rows = [{"n": n, "chance": chance} for n, chance in line.points]
        at = place - over
        lead = {"type": "rule", "color": COLOUR[colour], "strokeWidth": 0.8}
        between = {"x2": {"value": room + 12}, "y2": {"value": at}}
        layers += [
            layer(rows, stroke, x=x, y=y),
            layer([{}], lead, x={"value": room + 2}, y={"value": end}, **between),
            Word(text, colour, room + 14, at).drawn(),
        ]
    above = {"value": (1.0 - keep) * height - 8}
    layers.append(label({"value": 6}, above, f"{100 * keep:g}%", colour="ink"))
    return spec(width=room, height=height, layer=layers)
