"""Parts that several charts are made of: rows, lines, labels, verdicts, panels, bars."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, get_args

from detectable.core.verdict import Verdict
from detectable.core.wording import capital
from detectable.report.blocks import status_of
from detectable.report.charts.theme import (
    COLOUR,
    TEXT,
    Box,
    Spec,
    is_narrow,
    shortened,
    spec,
    text_width,
    visible,
    widest,
    wrapped,
)

SIGNED = "datum.value == 0 ? '0' : datum.value > 0 ? '+' + datum.label : datum.label"
_SHAPES = {
    "better": "triangle-up",
    "worse": "triangle-down",
    "equivalent": "diamond",
    "undecided": "circle",
    "info": "circle",
}
_COLOURS = {"equivalent": "equal", "info": "undecided"}
# Told apart, without a better side: the shape says which is higher.
_UNDIRECTED = {"higher": "triangle-up", "lower": "triangle-down"}
_GAP = 14  # pixels between a name and the chart


def quantitative(field: str, **channel: Any) -> Spec:
    """Return a channel of numbers. A later layer must not say `title`: it would win."""
    return {"field": field, "type": "quantitative", **channel}


def level_title(title: str, **axis: Any) -> Spec:
    """Return an axis whose title stands level above it, instead of turned by 90 degrees."""
    return {
        "title": title,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleY": -10,
        "titleX": -34,
        "titleBaseline": "bottom",
        **axis,
    }


class Rows:
    """A row per name: the channel `y`, and the room that the names take to the left.

    Rows are known by their number, so that two names that are cut alike stay two rows. Data give
    it as the field `row`. Panels below each other are in line if all have `least` room for names.
    """

    def __init__(
        self, names: Sequence[str], room: float, *, shown: bool = True, least: float = 0.0
    ) -> None:
        import json  # a terminal draws no chart

        cut = [shortened(name, room) for name in names]
        self.width = max(widest(cut) + _GAP, least) if shown else 0.0
        axis = {
            "labels": shown,
            "labelExpr": f"{json.dumps(visible(cut))}[datum.value]",
            "labelColor": COLOUR["ink"],
            "labelLimit": 0,
            "labelOverlap": False,
            "grid": False,
            # The names' own width keeps panels that stand below each other in line.
            "minExtent": self.width - 6 if shown else 0,
        }
        self.y: Spec = {
            "field": "row",
            "type": "nominal",
            "sort": None,
            "scale": {"domain": list(range(len(names)))},
            "title": None,
            "axis": axis,
        }

    def beside(self, texts: Iterable[str], x: float, end: int) -> Spec:
        """Return a text to the right of every row, `end` pixels from `x`."""
        data = [{"row": row, "text": text} for row, text in enumerate(texts)]
        mark = {"type": "text", "align": "left", "dx": end}
        return layer(data, mark, x={"value": x}, y=self.y, text={"field": "text"})


def layer(data: Iterable[Spec], mark: Spec | str, **encoding: Any) -> Spec:
    """Return a layer with data of its own."""
    return {"data": {"values": list(data)}, "mark": mark, "encoding": encoding}


def vertical_line(
    x: float, colour: str = "rule", *, dash: Sequence[int] = (), width: float = 1
) -> Spec:
    """Return a line at a value of x."""
    return layer([{}], _line(colour, dash, width), x={"datum": x})


def horizontal_line(
    y: float, colour: str = "rule", *, dash: Sequence[int] = (), width: float = 1
) -> Spec:
    """Return a line at a value of y."""
    return layer([{}], _line(colour, dash, width), y={"datum": y})


def _line(colour: str, dash: Sequence[int], width: float) -> Spec:
    mark: Spec = {"type": "rule", "color": COLOUR[colour], "strokeWidth": width}
    return {**mark, "strokeDash": list(dash)} if dash else mark


def label(x: Any, y: Any, text: str, *, colour: str = "soft", **mark: Any) -> Spec:
    """Return a text at values of x and y, or at pixels: ``{"value": 10}``."""
    drawn = {
        "type": "text",
        "align": "left",
        "baseline": "middle",
        "color": COLOUR[colour],
        "fontSize": TEXT,
        **mark,
    }
    where = {
        name: place if isinstance(place, dict) else {"datum": place}
        for name, place in (("x", x), ("y", y))
    }
    return layer([{}], drawn, text={"value": text}, **where)


class Word(NamedTuple):
    """A bold word at pixels, with the box that it takes."""

    text: str
    colour: str
    x: float
    y: float
    align: str = "left"

    @property
    def box(self) -> Box:
        """Where it stands."""
        wide = text_width(self.text, TEXT, bold=True)
        left = self.x - {"left": 0.0, "right": wide, "center": wide / 2}[self.align]
        return left, self.y - 0.55 * TEXT, left + wide, self.y + 0.55 * TEXT

    def drawn(self) -> Spec:
        """Return its layer."""
        where = {"value": self.x}, {"value": self.y}
        return label(*where, self.text, colour=self.colour, align=self.align, fontWeight="bold")


def verdict_colour() -> Spec:
    """Return the channel of the colours of verdicts, for the field `verdict`.

    It names all verdicts, so that panels of one picture, which share it, mean the same by it.
    """
    return _verdict_channel(_colour)


def verdict_shape() -> Spec:
    """Return the channel of the shapes of verdicts, for the field `verdict`."""
    return _verdict_channel(_shape)


def _verdict_channel(look: Callable[[str], str]) -> Spec:
    words = _unique(get_args(Verdict))
    return {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": words, "range": [look(word) for word in words]},
        "legend": None,
    }


def _shape(verdict: str) -> str:
    return _UNDIRECTED.get(verdict) or _SHAPES[status_of(verdict)]


def _colour(verdict: str) -> str:
    if verdict in _UNDIRECTED:
        return COLOUR["ink"]
    status = status_of(verdict)
    return COLOUR[_COLOURS.get(status, status)]


def _unique(verdicts: Sequence[str]) -> list[str]:
    order = [*_UNDIRECTED, *_SHAPES]
    place = {
        verdict: verdict if verdict in order else status_of(verdict) for verdict in verdicts
    }
    return sorted(place, key=lambda verdict: (order.index(place[verdict]), verdict))


def said_shapes(verdicts: Sequence[str]) -> str:
    """Return what the shapes of some verdicts mean, for a caption.

    Examples
    --------
    >>> said_shapes(["undecided", "better", "better"])
    '▲ better, ● undecided.'
    >>> said_shapes(["undecided", "lower", "higher"])
    '▲ higher, ▼ lower, ● undecided.'
    """
    signs = {"triangle-up": "▲", "triangle-down": "▼", "diamond": "diamond:", "circle": "●"}
    told = ", ".join(f"{signs[_shape(verdict)]} {verdict}" for verdict in _unique(verdicts))
    return f"{capital(told)}."


# --- The range that a chart shows, so that one far value does not squeeze all others ---

_ENOUGH = 5  # rows below which every one is shown where it is
_SQUEEZED = 0.5  # of the range is what the others would be left with
_MOST = 0.25  # of the rows may stand at the edge


class Focus(NamedTuple):
    """What a chart shows: from `low` to `high`, with some rows at the edge."""

    low: float
    high: float
    below: frozenset[int]
    above: frozenset[int]

    @property
    def outside(self) -> frozenset[int]:
        """The rows that are drawn at the edge, as an arrow with a number."""
        return self.below | self.above

    def domain(self, padding: float = 0.04) -> list[float]:
        """Return the ends of the axis; wider where an arrow needs room."""
        span = (self.high - self.low) or 1.0
        before = 3 * padding if self.below else padding
        after = 3 * padding if self.above else padding
        return [self.low - before * span, self.high + after * span]


def focus(lows: Sequence[float], highs: Sequence[float]) -> Focus:
    """Return the range that shows most rows well.

    A row is put at the edge if without it the range is under half, one at a time, and never
    more than a quarter of all rows.

    Examples
    --------
    >>> focus([0, 1, 2, 1, -90], [3, 4, 5, 4, -80]).below
    frozenset({4})
    """
    below: set[int] = set()
    above: set[int] = set()
    rows = set(range(len(lows)))
    most = max(1, int(_MOST * len(lows))) if len(lows) >= _ENOUGH else 0
    while len(below) + len(above) < most:
        low, high = _range(rows, lows, highs)
        lowest = min(rows, key=lambda row: lows[row])
        highest = max(rows, key=lambda row: highs[row])
        spans = {row: _span(rows - {row}, lows, highs) for row in (lowest, highest)}
        far = min(spans, key=lambda row: spans[row])
        if spans[far] >= _SQUEEZED * (high - low):
            break
        (below if far == lowest else above).add(far)
        rows.remove(far)
    low, high = _range(rows, lows, highs)
    return Focus(low, high, frozenset(below), frozenset(above))


def _range(
    rows: set[int], lows: Sequence[float], highs: Sequence[float]
) -> tuple[float, float]:
    return min(lows[row] for row in rows), max(highs[row] for row in rows)


def _span(rows: set[int], lows: Sequence[float], highs: Sequence[float]) -> float:
    low, high = _range(rows, lows, highs)
    return high - low


# --- Several small charts in one picture: side by side, or below each other where it is narrow ---

LABELS = 40  # pixels that the numbers of an upright axis take
GUTTER = 24  # pixels between panels
END = 8  # pixels to the right of a panel, for half of its last tick


def panel(
    layers: Sequence[Spec],
    *,
    width: float,
    height: Any,
    title: str,
    about: str = "",
    room: float | None = None,
) -> Spec:
    """Return one panel with its own title, and below it what is drawn there.

    Parameters
    ----------
    room : float, optional
        Pixels that the title may take; by default the width of the panel.
    """
    widest = width if room is None else room
    heading: Spec = {
        "text": wrapped(title, widest, 13, bold=True),
        "anchor": "start",
        "offset": 8,
    }
    if about:
        heading["subtitle"] = wrapped(about, widest, TEXT)
        heading["subtitleFontSize"] = TEXT
        heading["subtitleLineHeight"] = 15
    return {"width": width, "height": height, "title": heading, "layer": list(layers)}


def arranged(panels: Sequence[Spec], *, narrow: bool, **parts: Any) -> Spec:
    """Return panels with scales of their own."""
    return spec(
        **{"vconcat" if narrow else "hconcat": list(panels)},
        resolve={"scale": {"x": "independent", "y": "independent"}},
        spacing=GUTTER,
        **parts,
    )


def upright_axis(**axis: Any) -> Spec:
    """Return an upright axis that always takes `LABELS` pixels, so that panels keep in line."""
    return {"minExtent": LABELS - 6, "title": None, **axis}


# --- Parts of a whole, a bar each ---

_STEP = 26  # pixels of a row
_END = 10
_LEAST = 60  # pixels of the longest bar


class Part(NamedTuple):
    """A part of the whole.

    Attributes
    ----------
    share : float
        Of the whole, 0 to 1.
    beside : tuple of str
        What stands to the right of the bar: the whole text, and a short one for narrow places.
    marked : bool
        Whether it is one of those that the caption speaks of.
    """

    name: str
    share: float
    beside: tuple[str, str]
    marked: bool = False


def shares(parts: Sequence[Part], *, width: int, title: str = "share of the variance") -> Spec:
    """Return a bar per part, with its numbers beside it."""
    narrow = is_narrow(width)
    rows = Rows([part.name for part in parts], width * (0.4 if narrow else 0.34))
    texts = [part.beside[narrow] for part in parts]
    room = max(_LEAST, width - rows.width - widest(texts) - 2 * _END)
    largest = max(part.share for part in parts) or 1.0
    x = quantitative(
        "share",
        scale={"domain": [0.0, largest], "nice": False},
        axis={"format": "%", "tickCount": 3 if narrow else 5, "labelFlush": False},
        title=title,
    )
    data = [
        {"row": i, "share": part.share, "text": text, "marked": part.marked}
        for i, (part, text) in enumerate(zip(parts, texts, strict=True))
    ]
    colour = {
        "field": "marked",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": [COLOUR["better"], COLOUR["rule"]]},
        "legend": None,
    }
    bar = {"type": "bar", "height": {"band": 0.6}, "cornerRadiusEnd": 2}
    text = {"type": "text", "align": "left", "dx": 7}
    return spec(
        width=room,
        height={"step": _STEP},
        layer=[
            layer(data, bar, x=x, y=rows.y, color=colour),
            layer(data, text, x={**x, "field": "share"}, y=rows.y, text={"field": "text"}),
        ],
    )
