"""What raters make of degraded copies: the gap of each, and how severe each is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts import marks
from detectable.report.charts.marks import Rows, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

NAMED = 16  # raters up to which each has a row with its name
MOST = 500  # marks; beyond that every second rater is left out, or third…
_HEIGHT = 230
_STEP = 22
_PASSES, _FAILS, _WEAK = "passes", "does not pass", "tested too little"
_COLOURS = [COLOUR["better"], COLOUR["worse"], COLOUR["undecided"]]
_FILLS = [COLOUR["better"], COLOUR["worse"], COLOUR["paper"]]
_SHAPES = ["circle", "triangle-down", "circle"]
_BEYOND = 0.35  # of the range of gaps: how far an interval is drawn


@dataclass(frozen=True, slots=True)
class RaterGap:
    """A rater that could be tested.

    Attributes
    ----------
    gap : float
        Original − degraded copy.
    mean : float
        Mean score of ordinary items; nan where there are none.
    weak : bool
        Whether the check had too little power for a failure to say much.
    """

    name: str
    gap: float
    interval: Interval | None
    mean: float
    passes: bool
    weak: bool

    @property
    def kind(self) -> str:
        """What the mark means."""
        if self.passes:
            return _PASSES
        return _WEAK if self.weak else _FAILS


def reach(raters: Sequence[RaterGap]) -> tuple[float, float]:
    """Return the ends of the axis of gaps: all gaps and zero, and much of the intervals."""
    gaps = [rater.gap for rater in raters]
    ends = [
        e for r in raters if r.interval is not None for e in (r.interval.low, r.interval.high)
    ]
    span = max(*gaps, 0.0) - min(*gaps, 0.0) or max(map(abs, ends), default=1.0) or 1.0
    low = max(min([*gaps, *ends, 0.0]), min(*gaps, 0.0) - _BEYOND * span)
    high = min(max([*gaps, *ends, 0.0]), max(*gaps, 0.0) + _BEYOND * span)
    return low, high


def is_cut(raters: Sequence[RaterGap]) -> bool:
    """Say whether some interval leaves the axis."""
    low, high = reach(raters)
    return any(
        r.interval is not None and (r.interval.low < low or r.interval.high > high)
        for r in raters
    )


def rater_gaps(raters: Sequence[RaterGap], *, level: float, width: int) -> Spec:
    """Return gaps with intervals beside mean scores; a row per rater where there are few."""
    ordered = sorted(raters, key=lambda rater: rater.gap)
    if len(ordered) <= NAMED:
        return _in_rows(ordered[::-1], level, width)
    return _in_line(ordered[:: math.ceil(len(ordered) / MOST)], level, width)


def _in_line(raters: Sequence[RaterGap], level: float, width: int) -> Spec:
    """Return raters side by side, sorted by gap, and a cloud of gap against mean score."""
    narrow = is_narrow(width)
    room = (
        width - marks.LABELS - marks.END
        if narrow
        else width - 2 * marks.LABELS - 2 * marks.END - marks.GUTTER
    )
    data = _data(raters)
    gaps = {"scale": {"domain": list(reach(raters)), "nice": False, "clamp": True}}
    y = marks.quantitative("gap", axis=marks.upright_axis(tickCount=6), title=None, **gaps)
    place = marks.quantitative(
        "row",
        scale={"domain": [-1, len(raters)], "nice": False},
        axis={"grid": False, "labels": False},
        title="raters, by gap",
    )
    rule = {"type": "rule", "strokeWidth": 1.1, "opacity": 0.6, "clip": True}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "x": place}
    first = marks.panel(
        [
            marks.horizontal_line(0.0, "ink"),
            marks.layer(data, rule, **ends, color=_channel(_COLOURS)),
            marks.layer(data, _mark(30), x=place, y=y, **_looks()),
        ],
        width=room if narrow else room * 0.58,
        height=_HEIGHT,
        title="Do degraded copies score lower?",
        about=f"original − copy, points, with {level:.0%} interval",
    )
    x = marks.quantitative(
        "mean",
        scale={"zero": False, "nice": True},
        axis={"tickCount": 5, "labelFlush": False},
        title="mean score of systems",
    )
    second = marks.panel(
        [
            marks.horizontal_line(0.0, "ink"),
            marks.layer(
                [row for row in data if not math.isnan(row["mean"])],
                _mark(38),
                x=x,
                y=y,
                **_looks(),
            ),
        ],
        width=room if narrow else room * 0.42,
        height=_HEIGHT,
        title="How severe is each rater?",
        about="the same gap, by mean score",
    )
    return marks.arranged([first, second], narrow=narrow)


def _in_rows(raters: Sequence[RaterGap], level: float, width: int) -> Spec:
    """Return a row per rater: its gap, and beside it its mean score."""
    narrow = is_narrow(width)
    names = [rater.name for rater in raters]
    rows = marks.Rows(names, width * (0.36 if narrow else 0.26))
    other = rows if narrow else marks.Rows(names, 0, shown=False)
    room = width - rows.width - (2 * marks.END if narrow else marks.GUTTER + 3 * marks.END)
    data = _data(raters)
    low, high = reach(raters)
    pad = 0.03 * (high - low or 1.0)
    x = marks.quantitative(
        "low",
        scale={"domain": [low - pad, high + pad], "nice": False, "clamp": True},
        axis={"tickCount": 5, "labelExpr": marks.SIGNED, "labelFlush": False},
        title="points",
    )
    means = marks.quantitative(
        "mean",
        scale={"zero": False, "nice": True},
        axis={"tickCount": 4, "labelFlush": False},
        title="points",
    )
    rule = {"type": "rule", "strokeWidth": 2, "clip": True}
    known = [row for row in data if not math.isnan(row["low"])]
    first = marks.panel(
        [
            marks.vertical_line(0.0, "ink"),
            marks.layer(
                known, rule, x=x, x2={"field": "high"}, y=rows.y, color=_channel(_COLOURS)
            ),
            marks.layer(data, _mark(80), x={**x, "field": "gap"}, y=rows.y, **_looks()),
        ],
        width=room if narrow else room * 0.62,
        height={"step": _STEP},
        title="Do degraded copies score lower?",
        about=f"original − copy, with {level:.0%} interval",
    )
    second = marks.panel(
        [
            marks.layer(
                [row for row in data if not math.isnan(row["mean"])],
                _mark(80),
                x=means,
                y=other.y,
                **_looks(),
            )
        ],
        width=room if narrow else room * 0.38,
        height={"step": _STEP},
        title="How severe is each rater?",
        about="mean score of systems",
    )
    return marks.arranged([first, second], narrow=narrow)


def _data(raters: Sequence[RaterGap]) -> list[Spec]:
    return [
        {
            "row": place,
            "gap": rater.gap,
            "low": math.nan if rater.interval is None else rater.interval.low,
            "high": math.nan if rater.interval is None else rater.interval.high,
            "mean": rater.mean,
            "kind": rater.kind,
        }
        for place, rater in enumerate(raters)
    ]


def _mark(size: int) -> Spec:
    return {"type": "point", "size": size, "strokeWidth": 1.2}


def _channel(values: list[str]) -> Spec:
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": [_PASSES, _FAILS, _WEAK], "range": values},
        "legend": None,
    }


def _looks() -> Spec:
    return {
        "stroke": _channel(_COLOURS),
        "fill": _channel(_FILLS),
        "shape": _channel(_SHAPES),
    }


# --- Shares of the variance of one judgment: quality, rater against rater, rater against self ---

QUALITY, BETWEEN, WITHIN = "quality", "rater against rater", "rater against self"
_STEP_OF_VARIANCE = 34
_END = 10


@dataclass(frozen=True, slots=True)
class Split:
    """One way to split the variance.

    Attributes
    ----------
    quality : float
        Its share, from 0 to 1.
    within : float
        Share of what the same rater varies by; nan where it is not known.
    negative : bool
        Whether the estimate was below zero, and cut.
    """

    name: str
    quality: float
    interval: Interval | None
    within: float = math.nan
    negative: bool = False

    def text(self) -> str:
        """Return the share of quality in numbers."""
        if self.negative:
            return "0% (est. < 0)"
        said = f"{self.quality:.0%}"
        if self.interval is None:
            return said
        low, high = (
            number(100.0 * end, digits=0) for end in (self.interval.low, self.interval.high)
        )
        return f"{said} [{low}, {high}]"


def variance_shares(splits: Sequence[Split], *, width: int) -> Spec:
    """Return a bar of 100 % for each split, with the interval of quality on it."""
    narrow = is_narrow(width)
    rows = Rows([split.name for split in splits], width * (0.34 if narrow else 0.3))
    numbers = [split.text() for split in splits]
    room = width - rows.width - widest(numbers) - 2 * _END
    known = any(not math.isnan(split.within) for split in splits)
    names = [QUALITY, BETWEEN, WITHIN] if known else [QUALITY, "noise between raters"]
    colours = [COLOUR["better"], COLOUR["blind"], COLOUR["rule"]][: len(names)]
    colour = {
        "field": "part",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": {
            "title": None,
            "symbolType": "square",
            "offset": 8,
            "direction": "vertical" if narrow else "horizontal",
        },
    }
    x = quantitative(
        "from",
        scale={"domain": [0, 1], "nice": False},
        axis={
            "format": "%",
            "tickCount": 3 if narrow else 5,
            "grid": False,
            "labelFlush": False,
        },
        title="share of variance" if narrow else "share of the variance of one judgment",
    )
    bar = {"type": "bar", "height": {"band": 0.62}}
    ends = [
        {"row": i, "low": split.interval.low, "high": split.interval.high}
        for i, split in enumerate(splits)
        if split.interval is not None and not split.negative
    ]
    between = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": rows.y}
    return spec(
        width=room,
        height={"step": _STEP_OF_VARIANCE},
        layer=[
            layer(_bars(splits, names), bar, x=x, x2={"field": "to"}, y=rows.y, color=colour),
            layer(
                ends, {"type": "rule", "strokeWidth": 5, "color": COLOUR["paper"]}, **between
            ),
            layer(ends, {"type": "rule", "strokeWidth": 2, "color": COLOUR["ink"]}, **between),
            rows.beside(numbers, room, _END),
        ],
    )


def _bars(splits: Sequence[Split], names: Sequence[str]) -> list[Spec]:
    bars = []
    for row, split in enumerate(splits):
        within = 0.0 if math.isnan(split.within) else min(split.within, 1.0 - split.quality)
        cuts = [0.0, split.quality, 1.0 - within, 1.0]
        for name, start, end in zip(names, cuts, cuts[1:], strict=False):
            bars.append({"row": row, "part": name, "from": start, "to": end})
        if len(names) == 2:
            bars[-1]["to"] = 1.0
    return bars
