"""Parts that several charts are made of: channels, rows of names, lines, labels, verdicts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from detectable.core.verdict import Verdict
from detectable.report.blocks import status_of
from detectable.report.charts.lettering import shortened, text_width, widest
from detectable.report.charts.placing import Box
from detectable.report.charts.theme import COLOUR, TEXT, Spec

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
            "labelExpr": f"{json.dumps(cut)}[datum.value]",
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


@dataclass(frozen=True, slots=True)
class Word:
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
    return f"{told[0].upper()}{told[1:]}."
