"""Differences with their intervals: beside what was too small, beside the truth, or in two ways."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.report.charts import theme
from detectable.report.charts.marks import (
    SIGNED,
    Focus,
    Rows,
    focus,
    layer,
    quantitative,
    verdict_colour,
    verdict_shape,
    vertical_line,
)

_STEP = 28  # pixels of a row
_PANEL_STEP = 24
_GUTTER = 22  # pixels between panels
_END = 12  # pixels to the right of a panel, for half of its last tick


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of a forest.

    Attributes
    ----------
    interval : Interval
        At the level of the verdict.
    alone : Interval
        Of this difference by itself; the same where nothing is corrected.
    mde : float
        Half the width of the bar of what is usually missed; nan for none.
    """

    name: str
    value: float
    interval: Interval
    alone: Interval
    verdict: str
    mde: float = math.nan


@dataclass(frozen=True, slots=True)
class Panel:
    """The differences on one scale.

    Attributes
    ----------
    label : str
        The metric, or the scale.
    margins : tuple of float
        Where dotted lines stand.
    reverse : bool
        Lower is better, so the axis runs the other way: right is always better.
    directed : bool
        Whether it is known what is better.
    """

    label: str
    rows: tuple[Difference, ...]
    digits: int = 2
    margins: tuple[float, ...] = ()
    reverse: bool = False
    directed: bool = True

    def focus(self) -> Focus:
        """Return the range to show."""
        blind = [0.0 if math.isnan(row.mde) else row.mde for row in self.rows]
        lows = [
            min(row.value, row.interval.low, -mde)
            for row, mde in zip(self.rows, blind, strict=True)
        ]
        highs = [
            max(row.value, row.interval.high, mde)
            for row, mde in zip(self.rows, blind, strict=True)
        ]
        found = focus(lows, highs)
        ends = [*self.margins, 0.0]
        return found._replace(low=min(found.low, *ends), high=max(found.high, *ends))


def sides(intervals: Iterable[Interval]) -> str:
    """Say how many intervals lie on which side of zero.

    Examples
    --------
    >>> sides([Interval(1, 3, 0.95), Interval(-1, 3, 0.95), Interval(2, 3, 0.95)])
    '2 above zero, 1 undecided'
    """
    found = Counter(
        "above zero" if one.low > 0.0 else "below zero" if one.high < 0.0 else "undecided"
        for one in intervals
    )
    order = ("above zero", "below zero", "undecided")
    return ", ".join(f"{found[side]} {side}" for side in order if found[side])


def forest(panel: Panel, *, width: int) -> theme.Spec:
    """Return one panel with the numbers beside it."""
    narrow = theme.is_narrow(width)
    rows = Rows([row.name for row in panel.rows], width * (0.36 if narrow else 0.34))
    numbers = [_numbers(row, panel.digits, narrow=narrow) for row in panel.rows]
    room = width - rows.width - theme.widest(numbers) - 2 * _END
    layers = _layers(panel, rows, room)
    layers.append(rows.beside(numbers, room, _END))
    return theme.spec(width=room, height={"step": _STEP}, layer=layers)


def forest_panels(panels: Sequence[Panel], *, width: int) -> theme.Spec:
    """Return a panel per metric, side by side, or below each other where it is narrow.

    Panels with other rows than the first stand below each other too, each with its own names.
    """
    names = [[row.name for row in panel.rows] for panel in panels]
    narrow = theme.is_narrow(width) or len(panels) > 4 or any(own != names[0] for own in names)
    rows = [Rows(own, width * (0.36 if narrow else 0.24)) for own in names]
    across = 1 if narrow else len(panels)
    left = max(own.width for own in rows)
    room = (width - left - (across - 1) * _GUTTER - _END) / across
    beside_reversed = not narrow and any(panel.reverse for panel in panels)
    drawn = []
    for place, panel in enumerate(panels):
        own = rows[place] if narrow or place == 0 else Rows(names[0], 0, shown=False)
        title = {"text": panel.label, "anchor": "start", "offset": 4}
        if panel.reverse:
            title["subtitle"] = "lower is better: reversed"
        elif beside_reversed:
            title["subtitle"] = "higher is better"
        drawn.append(
            {
                "width": room,
                "height": {"step": _PANEL_STEP},
                "title": title,
                "layer": _layers(panel, own, room, titled=False),
            }
        )
    return theme.spec(
        **{"vconcat" if narrow else "hconcat": drawn},
        resolve={"scale": {"x": "independent", "y": "independent"}},
    )


def _numbers(row: Difference, digits: int, *, narrow: bool) -> str:
    write = partial(number, digits=digits, sign=True, thousands=True)
    if narrow:
        return write(row.value)
    return f"{write(row.value)}  [{write(row.interval.low)}, {write(row.interval.high)}]"


def _layers(panel: Panel, rows: Rows, room: float, *, titled: bool = True) -> list[theme.Spec]:
    shown = panel.focus()
    axis = {
        "tickCount": max(3, min(6, int(room / 45))),
        "labelExpr": SIGNED,
        "labelFlush": False,
    }
    x = quantitative(
        "low",
        scale={"domain": shown.domain(), "nice": False, "reverse": panel.reverse},
        axis=axis,
        title=_title(panel, room) if titled else None,
    )
    colour = verdict_colour()
    inside = [
        {
            "row": i,
            "value": row.value,
            "low": row.interval.low,
            "high": row.interval.high,
            "low alone": row.alone.low,
            "high alone": row.alone.high,
            "verdict": row.verdict,
        }
        for i, row in enumerate(panel.rows)
        if i not in shown.outside
    ]
    blind = [
        {"row": i, "low": max(-row.mde, shown.low), "high": min(row.mde, shown.high)}
        for i, row in enumerate(panel.rows)
        if not math.isnan(row.mde)
    ]
    bar = {
        "type": "bar",
        "height": {"band": 0.62},
        "color": theme.COLOUR["blind"],
        "cornerRadius": 2,
    }
    point = {
        "type": "point",
        "filled": True,
        "size": 95,
        "stroke": theme.COLOUR["paper"],
        "strokeWidth": 0.8,
    }
    ends = {"x": x, "x2": {"field": "high"}, "y": rows.y}
    alone = {"x": {**x, "field": "low alone"}, "x2": {"field": "high alone"}, "y": rows.y}
    return [
        layer(blind, bar, **ends),
        *(vertical_line(margin, "equal", dash=(3, 3)) for margin in panel.margins),
        vertical_line(0.0, "ink"),
        layer(inside, {"type": "rule", "strokeWidth": 1}, **ends, color=colour),
        layer(inside, {"type": "rule", "strokeWidth": 3}, **alone, color=colour),
        layer(
            inside,
            point,
            x={**x, "field": "value"},
            y=rows.y,
            color=colour,
            shape=verdict_shape(),
        ),
        *_arrows(panel, rows, shown, room),
    ]


def _title(panel: Panel, room: float) -> str:
    if not panel.directed:
        plain = f"difference in {panel.label}"
        return plain if theme.text_width(plain) <= room else theme.shortened(panel.label, room)
    long = f"← worse · difference in {panel.label} · better →"
    return long if theme.text_width(long) <= room else f"← worse · {panel.label} · better →"


def _arrows(panel: Panel, rows: Rows, shown: Focus, room: float) -> list[theme.Spec]:
    """Put rows that would squeeze the others at the edge, with their number."""
    left, right = shown.below, shown.above
    if panel.reverse:
        left, right = right, left
    layers = []
    for side, found in (("left", left), ("right", right)):
        if not found:
            continue
        texts = []
        for i in sorted(found):
            value = number(panel.rows[i].value, digits=panel.digits, sign=True)
            text = f"← {value}" if side == "left" else f"{value} →"
            texts.append({"row": i, "text": text, "verdict": panel.rows[i].verdict})
        moved = 4 if side == "left" else -4
        mark = {"type": "text", "align": side, "fontWeight": "bold", "dx": moved}
        layers.append(
            layer(
                texts,
                mark,
                x={"value": 0 if side == "left" else room},
                y=rows.y,
                text={"field": "text"},
                color=verdict_colour(),
            )
        )
    return layers


# --- Differences with their intervals, and a tick where the truth lies ---


def planted_forest(panel: Panel, planted: Sequence[float], *, width: int) -> theme.Spec:
    """Return a forest with what was planted in every row."""
    made = forest(panel, width=width)
    layers = [_reaching(one, planted) for one in made["layer"]]
    own = layers[0]["encoding"]  # the axes of the forest, so that there is one of each
    ticks = [{"row": row, "planted": value} for row, value in enumerate(planted)]
    mark = {"type": "tick", "thickness": 3, "size": 20, "color": theme.COLOUR["ink"]}
    layers.append(layer(ticks, mark, x={**own["x"], "field": "planted"}, y=own["y"]))
    return {**made, "layer": layers}


def _reaching(one: theme.Spec, planted: Sequence[float]) -> theme.Spec:
    """Return a layer whose axis, if it has one, reaches as far as what was planted."""
    encoding = one["encoding"]
    x = encoding["x"]
    if "scale" not in x:
        return one
    low, high = x["scale"]["domain"]
    scale = {**x["scale"], "domain": [min(low, *planted), max(high, *planted)]}
    return {**one, "encoding": {**encoding, "x": {**x, "scale": scale}}}


# --- The same numbers estimated in two ways, one interval above the other ---

_TWO_WAYS_STEP = 34  # pixels of a row
_APART = 6  # pixels of either interval from the middle of its row
_TWO_WAYS_END = 10
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
    rows: Sequence[TwoWays], *, width: int, title: str, unit: str = "", difference: bool = True
) -> theme.Spec:
    """Return both estimates of every row.

    Parameters
    ----------
    title, unit : str
        Of the axis; the unit stands in brackets where there is room.
    difference : bool
        Whether zero is a line that matters, and numbers have signs.
    """
    narrow = theme.is_narrow(width)
    names = Rows([row.name for row in rows], width * (0.36 if narrow else 0.34))
    beside = [row.beside for row in rows]
    room = width - names.width - theme.widest(beside) - 2 * _TWO_WAYS_END - _SLACK
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
        title=_fitted(title, unit, room),
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
            point |= {"fill": theme.COLOUR["paper"], "strokeWidth": 1.6, "size": 46}
        layers += [
            layer(data, line, x=x, x2={"field": "high"}, y=names.y, color=colour),
            layer(data, point, x={**x, "field": "value"}, y=names.y, color=colour, shape=shape),
        ]
    layers.append(names.beside(beside, room, _TWO_WAYS_END))
    return theme.spec(width=room, height={"step": _TWO_WAYS_STEP}, layer=layers)


def _fitted(title: str, unit: str, room: float) -> str:
    """Return a title that fits below the axis: without its unit, then cut."""
    whole = f"{title} ({unit})" if unit else title
    return whole if theme.text_width(whole) <= room else theme.shortened(title, room)


def _plain(filled: bool) -> str:  # noqa: FBT001 (which of the two ways)
    return theme.COLOUR["better" if filled else "undecided"]


def _ends(value: float, interval: Interval | None) -> tuple[float, float]:
    """Return the ends of an interval; one without an end, or none, is drawn to the value."""
    low, high = (value, value) if interval is None else (interval.low, interval.high)
    return low if math.isfinite(low) else value, high if math.isfinite(high) else value
