"""Where values lie: counts on each side of a line, and a box for each kind."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.report.charts import marks
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

_BINS = 30
_HEIGHT = 120


@dataclass(frozen=True, slots=True)
class Values:
    """Values under one heading."""

    title: str
    about: str
    values: Sequence[float]


def histograms(
    parts: Sequence[Values],
    *,
    cut: float,
    said: str,
    axis: str,
    good: str,
    width: int,
    end: float | None = None,
    **form: Any,
) -> Spec:
    """Return the parts below each other on one axis that starts at zero.

    Parameters
    ----------
    cut : float
        Where the line stands; bars do not cross it.
    said : str
        What is written beside the line.
    good : {'below', 'above'}
        On which side of it values are as they should be.
    end : float, optional
        Of the axis; by default nearly all values lie on it, and the others at its end.
    form
        More about the axis, such as a format.
    """
    room = width - marks.LABELS - 3 * marks.END
    known = sorted(value for part in parts for value in part.values if math.isfinite(value))
    last = end
    if last is None:
        most = known[min(len(known) - 1, int(0.98 * len(known)))]
        last = max(most, 1.25 * cut)
    edges = _edges(cut, last)
    x = marks.quantitative(
        "from",
        scale={"domain": [0.0, last], "nice": False},
        axis={
            "tickCount": 4 if is_narrow(width) else 7,
            "labelFlush": False,
            "grid": False,
            **form,
        },
        title=axis,
    )
    bare = {**x, "title": None}
    left = cut > 0.7 * last
    drawn = []
    for place, part in enumerate(parts):
        layers = [
            _bars(part.values, edges, cut, good, x if place == len(parts) - 1 else bare),
            marks.vertical_line(cut, "ink", dash=(3, 3)),
        ]
        if place == 0:
            layers.append(
                marks.label(
                    cut,
                    {"value": 8},
                    said,
                    colour="ink",
                    align="right" if left else "left",
                    dx=-5 if left else 5,
                )
            )
        drawn.append(
            marks.panel(layers, width=room, height=_HEIGHT, title=part.title, about=part.about)
        )
    return marks.arranged(drawn, narrow=True)


def _edges(cut: float, end: float) -> list[float]:
    """Return the edges of the bars; one of them is the line."""
    step = end / _BINS
    below = max(1, round(cut / step))
    above = max(1, round((end - cut) / step))
    return [
        *np.linspace(0.0, cut, below + 1).tolist(),
        *np.linspace(cut, end, above + 1)[1:].tolist(),
    ]


def _bars(values: Sequence[float], edges: list[float], cut: float, good: str, x: Spec) -> Spec:
    shown = [min(value, edges[-1]) for value in values if math.isfinite(value)]
    counts = np.histogram(shown, bins=edges)[0].tolist()
    data = [
        {
            "from": low,
            "to": low + 0.92 * (high - low),
            "n": n,
            "good": (high <= cut + 1e-12) == (good == "below"),
        }
        for low, high, n in zip(edges, edges[1:], counts, strict=False)
        if n
    ]
    colour = {
        "field": "good",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": [COLOUR["better"], COLOUR["rule"]]},
        "legend": None,
    }
    y = marks.quantitative(
        "n",
        # Room above the bars for what is written beside the line.
        scale={"domain": [0.0, 1.3 * max(counts, default=1)], "nice": False},
        axis=marks.upright_axis(values=_whole_ticks(max(counts, default=1)), format=",d"),
        title=None,
    )
    return marks.layer(
        data, {"type": "rect"}, x=x, x2={"field": "to"}, y=y, y2={"datum": 0}, color=colour
    )


def _whole_ticks(most: int) -> list[int]:
    """Return up to four counts to write beside the bars, in steps of 1, 2 or 5 tens.

    Examples
    --------
    >>> _whole_ticks(1), _whole_ticks(4), _whole_ticks(40)
    ([0, 1], [0, 2, 4], [0, 20, 40])
    """
    steps = (first * 10**tens for tens in range(10) for first in (1, 2, 5))
    step = next(step for step in steps if most <= 3 * step)
    return list(range(0, most + 1, step))


# --- Where scores lie: a box for each kind of them ---

_STEP = 32
_THICK = 16
_END = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """One box: lowest, lower quartile, median, upper quartile, highest; and what stands beside."""

    name: str
    quartiles: tuple[float, float, float, float, float]
    beside: str


def spreads(rows_: Sequence[Spread], *, title: str, width: int) -> Spec:
    """Return the boxes with a number beside each."""
    narrow = is_narrow(width)
    rows = marks.Rows([one.name for one in rows_], width * (0.34 if narrow else 0.3))
    room = width - rows.width - widest([one.beside for one in rows_]) - 2 * _END
    names = ("least", "low", "median", "high", "most")
    data = [
        {"row": row, "text": one.beside, **dict(zip(names, one.quartiles, strict=True))}
        for row, one in enumerate(rows_)
    ]
    x = marks.quantitative(
        "least",
        scale={"zero": False, "nice": True},
        axis={"tickCount": 4 if narrow else 6, "labelFlush": False},
        title=title,
    )
    return spec(
        width=room,
        height={"step": _STEP},
        layer=[
            marks.layer(
                data,
                {"type": "rule", "color": COLOUR["rule"], "strokeWidth": 1.5},
                x=x,
                x2={"field": "most"},
                y=rows.y,
            ),
            marks.layer(
                data,
                {"type": "bar", "height": _THICK, "color": COLOUR["blind"], "cornerRadius": 2},
                x={**x, "field": "low"},
                x2={"field": "high"},
                y=rows.y,
            ),
            marks.layer(
                data,
                {"type": "tick", "thickness": 3, "size": _THICK, "color": COLOUR["better"]},
                x={**x, "field": "median"},
                y=rows.y,
            ),
            marks.layer(
                data,
                {"type": "text", "align": "left", "dx": _END},
                x={"value": room},
                y=rows.y,
                text={"field": "text"},
            ),
        ],
    )
