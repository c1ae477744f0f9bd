"""How a ranking settles as documents are added."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts.lettering import shortened, widest
from detectable.report.charts.marks import label, layer, level_title, quantitative
from detectable.report.charts.placing import dodge
from detectable.report.charts.theme import DASHES, SERIES, TEXT, Spec, is_narrow, spec

MOST = 5  # measures that are drawn: as many as there are colours
_HEIGHT = 230
_LEFT = 40
_GAP = 15  # pixels between labels


@dataclass(frozen=True, slots=True)
class Settling:
    """One measure: Kendall's τ to the ranking by the documents not taken."""

    name: str
    documents: Sequence[int]
    tau: Sequence[float]


def settling(lines: Sequence[Settling], *, width: int) -> Spec:
    """Return a line per measure, labelled where it ends."""
    drawn = lines[:MOST]
    names = [
        shortened(line.name, width * (0.25 if is_narrow(width) else 0.3)) for line in drawn
    ]
    room = width - _LEFT - widest(names) - 20
    points = [_points(line) for line in drawn]
    low = min(0.0, *(tau for found in points for _, tau in found))
    last = max(k for found in points for k, _ in found)
    x = quantitative(
        "k",
        scale={"domain": [0, last], "nice": False},
        axis={"grid": False, "tickCount": 6, "labelFlush": False},
        title="documents",
    )
    y = quantitative(
        "tau",
        scale={"domain": [low, 1.0], "nice": False},
        axis=level_title("Kendall's τ to the ranking by the rest", tickCount=6),
    )
    layers = []
    for place, found in enumerate(points):
        mark = {
            "type": "line",
            "color": SERIES[place],
            "strokeDash": DASHES[place],
            "strokeWidth": 2.2,
        }
        layers.append(layer([{"k": k, "tau": tau} for k, tau in found], mark, x=x, y=y))
    ends = [_HEIGHT * (1.0 - (found[-1][1] - low) / (1.0 - low)) for found in points]
    for place, height in enumerate(dodge(ends, _GAP)):
        at = points[place][-1][0]
        layers.append(
            label(
                {"value": room * at / last},
                {"value": height},
                names[place],
                dx=8,
                color=SERIES[place],
                fontSize=TEXT,
            )
        )
    return spec(width=room, height=_HEIGHT, layer=layers)


def _points(line: Settling) -> list[tuple[int, float]]:
    pairs = zip(line.documents, line.tau, strict=True)
    return [(k, tau) for k, tau in pairs if not math.isnan(tau)]
