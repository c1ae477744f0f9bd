"""Runs of systems, and the differences that single runs would have shown."""

from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.report.charts import marks
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

_STEP = 44  # pixels of a row
_RAISED = -10  # pixels: single runs stand above the mean
_GUTTER = 36
_END = 12


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
    panels = [
        _scores(systems, metric, reverse=reverse, width=room, least=least),
        _differences(pairs, metric, reverse=reverse, width=room, least=least),
    ]
    return spec(
        **{"vconcat" if narrow else "hconcat": panels},
        spacing=26 if narrow else _GUTTER,
        resolve={"scale": {"x": "independent", "y": "independent"}},
    )


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
    dots = [{"row": i, "score": x} for i, pair in enumerate(pairs) for x in pair.single]
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
            "subtitle": "○ one run of each; line: means of the runs",
        },
        "layer": [
            marks.vertical_line(0.0, "ink"),
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
