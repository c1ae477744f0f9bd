"""Shares of the variance of one judgment: quality, rater against rater, rater against self."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts.marks import Rows, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

QUALITY, BETWEEN, WITHIN = "quality", "rater against rater", "rater against self"
_STEP = 34
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
        height={"step": _STEP},
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
