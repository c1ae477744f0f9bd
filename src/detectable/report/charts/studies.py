"""Effects of studies against their sizes, and what a significant one exaggerates.

Card et al. (2020), figure 5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts.marks import (
    SIGNED,
    horizontal_line,
    layer,
    level_title,
    quantitative,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

MOST = 500  # dots
_HEIGHT = 280
_LEFT = 46
_END = 14


@dataclass(frozen=True, slots=True)
class Exaggerated:
    """What a significant result of a study of this size shows on average."""

    size: float
    effect: float


def study_effects(
    sizes: Sequence[float],
    effects: Sequence[float],
    *,
    assumed: float,
    exaggerated: Sequence[Exaggerated],
    width: int,
) -> Spec:
    """Return a dot per study, the assumed effect, and the line of significant results."""
    narrow = is_narrow(width)
    room = width - _LEFT - _END
    every = math.ceil(len(sizes) / MOST)
    data = [{"n": n, "effect": e} for n, e in zip(sizes, effects, strict=True)][::every]
    low, high = min(0.0, *effects), max(*effects, assumed, 0.0)
    pad = 0.06 * (high - low or 1.0)
    domain = [low - pad, high + pad]
    x = quantitative(
        "n",
        scale={"type": "log", "domain": _decades(sizes), "nice": False},
        axis={"tickCount": 3 if narrow else 6, "format": ",d", "labelFlush": False},
        title="items (log scale)",
    )
    y = quantitative(
        "effect",
        scale={"domain": domain, "nice": False},
        axis=level_title("effect", tickCount=6, labelExpr=SIGNED),
    )
    curve = [
        {"n": one.size, "effect": one.effect}
        for one in exaggerated
        if math.isfinite(one.effect) and one.size > 0.0
    ]
    point = {
        "type": "point",
        "size": 38,
        "strokeWidth": 1.2,
        "stroke": COLOUR["better"],
        "fill": COLOUR["paper"],
    }
    layers = [horizontal_line(0.0, "ink")]
    if assumed > 0.0 and curve:
        layers += [
            horizontal_line(assumed, "equal", dash=(4, 3), width=1.6),
            layer(
                curve,
                {
                    "type": "line",
                    "color": COLOUR["worse"],
                    "strokeWidth": 2.2,
                    "clip": True,
                    "point": {"filled": True, "color": COLOUR["worse"], "size": 30},
                },
                x=x,
                y=y,
            ),
        ]
    layers.append(layer(data, point, x=x, y=y))
    return spec(width=room, height=_HEIGHT, layer=layers)


def _decades(sizes: Sequence[float]) -> list[float]:
    low, high = min(sizes), max(sizes)
    return [0.8 * low, 1.25 * high if high > low else 2.0 * high]
