"""How early something is complete as work goes on."""

from collections.abc import Sequence

from detectable.report.charts.marks import Word, layer, level_title, quantitative
from detectable.report.charts.placing import boxes_along, place_labels
from detectable.report.charts.theme import COLOUR, TEXT, Spec, is_narrow, spec

_LEFT = 46  # pixels for the vertical axis, with the frame of every picture
_RIGHT = 24
_HEIGHT, _LOW = 230, 210


def arrival(
    points: Sequence[tuple[float, float, str]], *, width: int, done: str, work: str
) -> Spec:
    """Return the share that is complete after each share of the work, beside the diagonal.

    Parameters
    ----------
    points : sequence of (work, complete, text)
        Shares, and what is written at the point.
    done, work : str
        What the two axes count.
    """
    room = width - _LEFT - _RIGHT
    height = _LOW if is_narrow(width) else _HEIGHT
    share = {"domain": [0, 1], "nice": False}
    x = quantitative(
        "x", scale=share, title=work, axis={"format": "%", "tickCount": 5, "grid": False}
    )
    y = quantitative(
        "y", scale=share, axis=level_title(done, format="%", tickCount=5, titleX=-36)
    )
    rows = [{"x": 0.0, "y": 0.0}, *({"x": a, "y": b} for a, b, _ in points)]
    even = {
        "type": "line",
        "color": COLOUR["rule"],
        "strokeWidth": 1.2,
        "strokeDash": [4, 3],
    }
    line = {"type": "line", "color": COLOUR["better"], "strokeWidth": 2.4}
    dot = {"type": "point", "filled": True, "size": 60, "color": COLOUR["better"]}
    placed = [(a * room, (1 - b) * height, text) for a, b, text in points]
    diagonal = boxes_along([(0, height), (room, 0)])
    own = boxes_along([(0, height), *((a, b) for a, b, _ in placed)])
    places = place_labels(
        placed, room + _RIGHT - 8, height, size=1.07 * TEXT, taken=[*own, *diagonal]
    )
    words = [
        Word(text, "better", at + place.dx, down + place.dy, place.align)
        for (at, down, text), place in zip(placed, places, strict=True)
        if place is not None
    ]
    return spec(
        width=room,
        height=height,
        layer=[
            layer([{"x": 0, "y": 0}, {"x": 1, "y": 1}], even, x=x, y=y),
            layer(rows, line, x=x, y=y),
            layer(rows[1:], dot, x=x, y=y),
            *(word.drawn() for word in words),
        ],
    )
