"""Runs of systems, and the differences that single runs would have shown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.interval import Interval
from detectable.report.charts import marks
from detectable.report.charts.theme import (
    COLOUR,
    SERIES,
    Spec,
    is_narrow,
    shortened,
    spec,
    widest,
)

_STEP = 44  # pixels of a row
_RAISED = -10  # pixels: single runs stand above the mean
_GUTTER = 36
_END = 16  # the last label of an axis hangs over its end


@dataclass(frozen=True, slots=True)
class Runs:
    """The scores of the runs of one system, and of their mean."""

    name: str
    scores: tuple[float, ...]
    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class RunDifferences:
    """What each run against each run of the other would have shown, and what the means show."""

    name: str
    single: tuple[float, ...]
    value: float
    interval: Interval
    verdict: str


def runs(
    systems: tuple[Runs, ...],
    pairs: tuple[RunDifferences, ...],
    metric: str,
    *,
    reverse: bool,
    width: int,
) -> Spec:
    """Return scores on the left (above, where it is narrow), differences on the right."""
    narrow = is_narrow(width)
    room = width if narrow else (width - _GUTTER) / 2
    names = [marks.Rows([row.name for row in found], room * 0.36) for found in (systems, pairs)]
    least = max(rows.width for rows in names) if narrow else 0.0
    many = has_many(systems)
    panels = [
        _counted_scores(systems, metric, reverse=reverse, width=room, least=least)
        if many
        else _scores(systems, metric, reverse=reverse, width=room, least=least),
        _differences(pairs, metric, reverse=reverse, width=room, least=least),
    ]
    return spec(
        **{"vconcat" if narrow else "hconcat": panels},
        spacing=26 if narrow else _GUTTER,
        resolve={"scale": {"x": "independent", "y": "independent"}},
    )


_MANY = 20  # runs of a system: from here on single rings would run into each other
_BINS = 30
_HISTOGRAM = 150
_EACH = 84  # pixels of a panel of drawn runs
_CENTRAL = (0.025, 0.975)


def has_many(systems: Sequence[Runs]) -> bool:
    """Say whether runs are counted instead of drawn one by one."""
    return any(len(system.scores) > _MANY for system in systems)


def _counted_scores(
    systems: Sequence[Runs], metric: str, *, reverse: bool, width: float, least: float
) -> Spec:
    """Return one histogram over the other, so that their overlap is seen."""
    left = max(marks.LABELS, least)
    shown = systems[: len(SERIES)]
    every = [x for system in shown for x in system.scores]
    edges = np.histogram_bin_edges(every, bins=_BINS).tolist()
    x = marks.quantitative(
        "from",
        scale={"domain": [edges[0], edges[-1]], "nice": False, "reverse": reverse},
        axis={"tickCount": 4, "labelFlush": False, "grid": False},
        title=metric,
    )
    counts = [np.histogram(system.scores, bins=edges)[0].tolist() for system in shown]
    most = max(map(max, counts))
    y = marks.quantitative(
        "n",
        # Room above the bars for the names.
        scale={"domain": [0.0, (1.05 + 0.13 * len(shown)) * most], "nice": False},
        axis=marks.upright_axis(tickCount=4, format=",d", tickMinStep=1, minExtent=left - 6),
        title=None,
    )
    layers = []
    for place, found in enumerate(counts):
        bars = [
            {"from": low, "to": high, "n": n}
            for low, high, n in zip(edges, edges[1:], found, strict=False)
            if n
        ]
        mark = {"type": "rect", "color": SERIES[place], "opacity": 0.45}
        layers.append(marks.layer(bars, mark, x=x, x2={"field": "to"}, y=y, y2={"datum": 0}))
    names = [shortened(system.name, 0.4 * width) for system in shown]
    legend = [
        marks.label(
            {"value": 6},
            {"value": 8 + 16 * place},
            name,
            color=SERIES[place],
            fontWeight="bold",
        )
        for place, name in enumerate(names)
    ]
    room = width - left - _END
    return {
        "width": room,
        "height": _HISTOGRAM,
        "title": {"text": "Scores", "subtitle": "how many runs have them"},
        "layer": [*layers, *legend],
    }


@dataclass(frozen=True, slots=True)
class DrawnDifferences:
    """How often so many runs of each would have shown which difference."""

    title: str
    about: str
    counts: tuple[int, ...]


def drawn_differences(
    parts: Sequence[DrawnDifferences],
    edges: Sequence[float],
    whole: float,
    *,
    axis: str,
    width: int,
) -> Spec:
    """Return a histogram per number of runs, below each other on one axis.

    Parameters
    ----------
    whole : float
        The difference of all runs; bars on the other side of 0 are grey.
    """
    room = width - marks.LABELS - 3 * marks.END
    x = marks.quantitative(
        "from",
        scale={"domain": [edges[0], edges[-1]], "nice": False},
        axis={
            "tickCount": 4 if is_narrow(width) else 7,
            "labelExpr": marks.SIGNED,
            "labelFlush": False,
            "grid": False,
        },
        title=axis,
    )
    drawn = []
    for place, part in enumerate(parts):
        own = x if place == len(parts) - 1 else {**x, "title": None}
        total = sum(part.counts)
        bars = [
            {
                "from": low,
                "to": low + 0.92 * (high - low),
                "share": n / total,
                "same": (low + high) * whole > 0.0,
            }
            for low, high, n in zip(edges, edges[1:], part.counts, strict=False)
            if n
        ]
        y = marks.quantitative(
            "share",
            scale={"domainMin": 0.0, "nice": False},
            axis=marks.upright_axis(tickCount=3, format=".0%"),
            title=None,
        )
        colour = {
            "field": "same",
            "type": "nominal",
            "scale": {"domain": [True, False], "range": [COLOUR["better"], COLOUR["rule"]]},
            "legend": None,
        }
        mark = {"type": "rect"}
        layers = [
            marks.layer(
                bars, mark, x=own, x2={"field": "to"}, y=y, y2={"datum": 0}, color=colour
            ),
            marks.vertical_line(0.0, "ink"),
            marks.vertical_line(whole, "ink", dash=(3, 3)),
        ]
        drawn.append(
            marks.panel(
                layers,
                width=room,
                height=_EACH,
                title=part.title.capitalize(),
                about=part.about,
            )
        )
    return marks.arranged(drawn, narrow=True)


def _scores(
    systems: tuple[Runs, ...], metric: str, *, reverse: bool, width: float, least: float
) -> Spec:
    rows = marks.Rows([system.name for system in systems], width * 0.36, least=least)
    ends = [x for s in systems for x in (s.interval.low, s.interval.high, *s.scores)]
    shown = marks.focus([min(ends)], [max(ends)])
    means = [
        {"row": i, "mean": s.mean, "low": s.interval.low, "high": s.interval.high}
        for i, s in enumerate(systems)
    ]
    dots = [{"row": i, "score": x} for i, s in enumerate(systems) for x in s.scores]
    x = marks.quantitative(
        "low",
        scale={"domain": shown.domain(), "nice": False, "reverse": reverse},
        axis={"tickCount": 4, "labelFlush": False},
        title=metric,
    )
    line = {"type": "rule", "strokeWidth": 2.4, "color": COLOUR["better"]}
    tick = {"type": "tick", "thickness": 3, "size": 16, "color": COLOUR["better"]}
    return {
        "width": width - rows.width - _END,
        "height": {"step": _STEP},
        "title": {"text": "Scores", "subtitle": "○ a run; line: their mean"},
        "layer": [
            marks.layer(means, line, x=x, x2={"field": "high"}, y=rows.y),
            marks.layer(means, tick, x={**x, "field": "mean"}, y=rows.y),
            marks.layer(dots, _dot(), x={**x, "field": "score"}, y=rows.y),
        ],
    }


def _differences(
    pairs: tuple[RunDifferences, ...], metric: str, *, reverse: bool, width: float, least: float
) -> Spec:
    rows = marks.Rows([pair.name for pair in pairs], width * 0.36, least=least)
    ends = [x for p in pairs for x in (0.0, p.interval.low, p.interval.high, *p.single)]
    shown = marks.focus([min(ends)], [max(ends)])
    means = [
        {
            "row": i,
            "value": pair.value,
            "low": pair.interval.low,
            "high": pair.interval.high,
            "verdict": pair.verdict,
        }
        for i, pair in enumerate(pairs)
    ]
    many = any(len(pair.single) > _MANY**2 for pair in pairs)
    single = [pair.single if not many else () for pair in pairs]
    dots = [{"row": i, "score": x} for i, found in enumerate(single) for x in found]
    ranges = []
    for i, pair in enumerate(pairs if many else ()):
        low, high = np.quantile(pair.single, _CENTRAL).tolist()
        ranges.append({"row": i, "low": low, "high": high})
    x = marks.quantitative(
        "low",
        scale={"domain": shown.domain(), "nice": False, "reverse": reverse},
        axis={"tickCount": 4, "labelExpr": marks.SIGNED, "labelFlush": False},
        title=f"difference in {metric}",
    )
    point = {"type": "point", "filled": True, "size": 95}
    colour = marks.verdict_colour()
    return {
        "width": width - rows.width - _END,
        "height": {"step": _STEP},
        "title": {
            "text": "Differences",
            "subtitle": "grey: 95% of single runs"
            if many
            else "○ one run of each; line: means of the runs",
        },
        "layer": [
            marks.vertical_line(0.0, "ink"),
            marks.layer(
                ranges,
                {"type": "bar", "height": 14, "color": COLOUR["blind"], "cornerRadius": 2},
                x=x,
                x2={"field": "high"},
                y=rows.y,
            ),
            marks.layer(
                means,
                {"type": "rule", "strokeWidth": 2.4},
                x=x,
                x2={"field": "high"},
                y=rows.y,
                color=colour,
            ),
            marks.layer(
                means,
                point,
                x={**x, "field": "value"},
                y=rows.y,
                color=colour,
                shape=marks.verdict_shape(),
            ),
            marks.layer(dots, _dot(), x={**x, "field": "score"}, y=rows.y),
        ],
    }


def _dot() -> Spec:
    return {
        "type": "point",
        "filled": False,
        "size": 55,
        "strokeWidth": 1.6,
        "color": COLOUR["worse"],
        "yOffset": _RAISED,
    }


# --- Where values lie: counts on each side of a line, and a box for each kind ---

_BINS_OF_HISTOGRAM = 30
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
    step = end / _BINS_OF_HISTOGRAM
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

_STEP_OF_HISTOGRAM = 32
_THICK = 16
_END_OF_HISTOGRAM = 10


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
    room = width - rows.width - widest([one.beside for one in rows_]) - 2 * _END_OF_HISTOGRAM
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
        height={"step": _STEP_OF_HISTOGRAM},
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
                {"type": "text", "align": "left", "dx": _END_OF_HISTOGRAM},
                x={"value": room},
                y=rows.y,
                text={"field": "text"},
            ),
        ],
    )
