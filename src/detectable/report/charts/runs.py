"""Runs of systems, and the differences that single runs would have shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.report.charts import marks
from detectable.report.charts.theme import COLOUR, SERIES, Spec, is_narrow, shortened, spec

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
