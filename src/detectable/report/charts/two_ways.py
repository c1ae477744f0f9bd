"""The same numbers estimated in two ways, one interval above the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.report.charts.lettering import shortened, text_width, widest
from detectable.report.charts.marks import (
    SIGNED,
    Rows,
    layer,
    quantitative,
    verdict_colour,
    verdict_shape,
    vertical_line,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

_STEP = 34  # pixels of a row
_APART = 6  # pixels of either interval from the middle of its row
_END = 10
_SLACK = 4  # pixels that names are wider than computed, at most
_PADDING = 0.04  # of the range, on both sides


@dataclass(frozen=True, slots=True)
class TwoWays:
    """One number by two methods.

    Attributes
    ----------
    before, after : float, Interval
        By the first method, drawn above and hollow; and by the second, drawn below and filled.
    verdict : str
        By the second method.
    beside : str
        What stands to the right of the row.
    """

    name: str
    before: tuple[float, Interval | None]
    after: tuple[float, Interval | None]
    verdict: str = ""
    beside: str = ""


def two_ways(
    rows: Sequence[TwoWays], *, width: int, title: str, difference: bool = True
) -> Spec:
    """Return both estimates of every row.

    Parameters
    ----------
    title : str
        Of the axis.
    difference : bool
        Whether zero is a line that matters, and numbers have signs.
    """
    narrow = is_narrow(width)
    names = Rows([row.name for row in rows], width * (0.36 if narrow else 0.34))
    beside = [row.beside for row in rows]
    room = width - names.width - widest(beside) - 2 * _END - _SLACK
    ends = [_ends(*way) for row in rows for way in (row.before, row.after)]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if difference:
        low, high = min(low, 0.0), max(high, 0.0)
    edge = _PADDING * ((high - low) or 1.0)
    axis = {"tickCount": max(3, min(6, int(room / 55))), "labelFlush": False}
    x = quantitative(
        "low",
        scale={"domain": [low - edge, high + edge], "nice": False, "zero": False},
        axis={**axis, "labelExpr": SIGNED} if difference else axis,
        title=_fitted(title, room),
    )
    verdicts = [row.verdict for row in rows]
    known = difference and all(verdicts)
    layers = [vertical_line(0.0, "ink")] if difference else []
    for part, (filled, moved) in {"before": (False, -_APART), "after": (True, _APART)}.items():
        data = [
            {"row": i, "value": value, "low": ends[0], "high": ends[1], "verdict": row.verdict}
            for i, row in enumerate(rows)
            for value, interval in (getattr(row, part),)
            for ends in (_ends(value, interval),)
        ]
        colour = verdict_colour() if filled and known else {"value": _plain(filled)}
        shape = verdict_shape() if filled and known else {"value": "circle"}
        line = {"type": "rule", "strokeWidth": 2.4 if filled else 1.6, "yOffset": moved}
        point = {"type": "point", "filled": filled, "size": 80, "yOffset": moved}
        if not filled:
            point |= {"fill": COLOUR["paper"], "strokeWidth": 1.6, "size": 46}
        layers += [
            layer(data, line, x=x, x2={"field": "high"}, y=names.y, color=colour),
            layer(data, point, x={**x, "field": "value"}, y=names.y, color=colour, shape=shape),
        ]
    texts = [{"row": i, "text": text} for i, text in enumerate(beside)]
    mark = {"type": "text", "align": "left", "dx": _END}
    layers.append(layer(texts, mark, x={"value": room}, y=names.y, text={"field": "text"}))
    return spec(width=room, height={"step": _STEP}, layer=layers)


def _fitted(title: str, room: float) -> str:
    """Return a title that fits below the axis: without what stands in brackets, then cut."""
    if text_width(title) > room:
        title = title.partition(" (")[0]
    return shortened(title, room)


def _plain(filled: bool) -> str:  # noqa: FBT001 (which of the two ways)
    return COLOUR["better" if filled else "undecided"]


def _ends(value: float, interval: Interval | None) -> tuple[float, float]:
    """Return the ends of an interval; one without an end, or none, is drawn to the value."""
    low, high = (value, value) if interval is None else (interval.low, interval.high)
    return low if math.isfinite(low) else value, high if math.isfinite(high) else value
