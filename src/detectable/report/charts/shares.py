"""Parts of a whole, a bar each."""

from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts.lettering import widest
from detectable.report.charts.marks import Rows, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

_STEP = 26  # pixels of a row
_END = 10
_LEAST = 60  # pixels of the longest bar


@dataclass(frozen=True, slots=True)
class Part:
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


def shares(parts: Sequence[Part], *, width: int) -> Spec:
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
        title="share of the variance",
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
