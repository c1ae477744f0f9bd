"""Where scores lie: a box for each kind of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts.lettering import widest
from detectable.report.charts.marks import Rows, layer, quantitative
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

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
    rows = Rows([one.name for one in rows_], width * (0.34 if narrow else 0.3))
    room = width - rows.width - widest([one.beside for one in rows_]) - 2 * _END
    names = ("least", "low", "median", "high", "most")
    data = [
        {"row": row, "text": one.beside, **dict(zip(names, one.quartiles, strict=True))}
        for row, one in enumerate(rows_)
    ]
    x = quantitative(
        "least",
        scale={"zero": False, "nice": True},
        axis={"tickCount": 4 if narrow else 6, "labelFlush": False},
        title=title,
    )
    return spec(
        width=room,
        height={"step": _STEP},
        layer=[
            layer(
                data,
                {"type": "rule", "color": COLOUR["rule"], "strokeWidth": 1.5},
                x=x,
                x2={"field": "most"},
                y=rows.y,
            ),
            layer(
                data,
                {"type": "bar", "height": _THICK, "color": COLOUR["blind"], "cornerRadius": 2},
                x={**x, "field": "low"},
                x2={"field": "high"},
                y=rows.y,
            ),
            layer(
                data,
                {"type": "tick", "thickness": 3, "size": _THICK, "color": COLOUR["better"]},
                x={**x, "field": "median"},
                y=rows.y,
            ),
            layer(
                data,
                {"type": "text", "align": "left", "dx": _END},
                x={"value": room},
                y=rows.y,
                text={"field": "text"},
            ),
        ],
    )
