"""Past comparisons and studies: size of their effects, and from where on they were found.

Wei et al. (2022), figure 2: filled is significant, a tick is the observed detectable difference.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.wording import number
from detectable.report.charts.marks import (
    SIGNED,
    Rows,
    horizontal_line,
    label,
    layer,
    level_title,
    quantitative,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, widest

MOST = 500  # dots; more comparisons are drawn as bars of how many there are
ROWS = 12  # groups
_STEP = 32  # pixels of a row
_ALONE = 96  # of a single one
_FREE = 8  # pixels between rows
_DOT = 4.5  # pixels that a dot takes
_BINS = 60
_END = 10


@dataclass(frozen=True, slots=True)
class PastGroup:
    """The comparisons of one group.

    Attributes
    ----------
    sizes : sequence of float
        Sizes of the differences.
    significant : sequence of bool
        Of each.
    mde : float or None
        From where on differences were found.
    above : int
        How many there are: what it stands on.
    """

    name: str
    sizes: Sequence[float]
    significant: Sequence[bool]
    mde: float | None
    above: int


def are_bars(groups: Sequence[PastGroup]) -> bool:
    """Say whether there are too many comparisons for a dot each."""
    return sum(len(group.sizes) for group in groups) > MOST


def reach(groups: Sequence[PastGroup]) -> float:
    """Return the end of the axis: beyond nearly all differences and all ticks."""
    sizes = sorted(size for group in groups for size in group.sizes)
    most = sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))]
    marks = [group.mde for group in groups if group.mde is not None]
    wanted = max([most, *(1.1 * mark for mark in marks)]) or 1.0
    step = 10.0 ** math.floor(math.log10(wanted)) / 2.0
    return step * math.ceil(wanted / step - 1e-9)


def past_comparisons(
    groups: Sequence[PastGroup], *, digits: int, width: int, unit: str = ""
) -> Spec:
    """Return a row per group."""
    narrow = is_narrow(width)
    rows = Rows([group.name for group in groups], width * (0.3 if narrow else 0.26))
    texts = [_text(group, digits, narrow=narrow) for group in groups]
    head = "MDE" if narrow else "observed MDE"
    room = width - rows.width - widest([*texts, head]) - 2 * _END
    end = reach(groups)
    beyond = any(size > end for group in groups for size in group.sizes)
    x = quantitative(
        "size",
        scale={"domain": [0.0, end], "nice": False},
        axis={"tickCount": 4 if narrow else 6, "labelFlush": False},
        title=_title(end, unit, narrow=narrow, beyond=beyond),
    )
    step = _ALONE if len(groups) == 1 else _STEP
    bars = are_bars(groups)
    drawn = _bars(groups, end, step, x) if bars else _dots(groups, end, room, step, x)
    ticks = [
        {
            "size": group.mde,
            "top": step * row + _FREE / 2,
            "bottom": step * (row + 1) - _FREE / 2,
        }
        for row, group in enumerate(groups)
        if group.mde is not None
    ]
    return spec(
        width=room,
        height=step * len(groups),
        layer=[
            *drawn,
            layer(
                ticks,
                {"type": "rule", "strokeWidth": 2.6, "color": COLOUR["ink"]},
                x=x,
                y=_pixels("top"),
                y2={"field": "bottom"},
            ),
            rows.beside(texts, room, _END),
            label({"value": room}, {"value": -8}, head, dx=_END),
        ],
    )


def _title(end: float, unit: str, *, narrow: bool, beyond: bool) -> str:
    said = f"size of the difference{f' in {unit}' if unit else ''}"
    if not beyond:
        return said
    return f"{said} ({'→' if narrow else f'over {end:g} drawn at {end:g}'})"


def _text(group: PastGroup, digits: int, *, narrow: bool) -> str:
    if group.mde is None:
        return "none"
    said = number(group.mde, digits=digits)
    return f"{said} ({group.above:,})" if narrow else f"{said} ({group.above:,} above)"


def _pixels(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def _dots(
    groups: Sequence[PastGroup], end: float, room: float, step: float, x: Spec
) -> list[Spec]:
    """Return a dot for each comparison, beside the others of about its size."""
    data = []
    for row, group in enumerate(groups):
        taken: Counter[int] = Counter()
        ordered = sorted(zip(group.sizes, group.significant, strict=True))
        for size, significant in ordered:
            shown = min(size, end)
            place = round(room * shown / end / _DOT)
            # Around the middle of the row: 0, up, down, up…
            number_ = taken[place]
            taken[place] += 1
            off = (number_ + 1) // 2 * (-1) ** number_ * _DOT
            most = (step - _FREE) / 2.0
            y = (row + 0.5) * step + max(-most, min(most, off))
            data.append({"size": shown, "y": y, "significant": significant})
    colour = _channel([COLOUR["better"], COLOUR["undecided"]])
    fill = _channel([COLOUR["better"], COLOUR["paper"]])
    mark = {"type": "point", "size": 15, "strokeWidth": 1}
    return [layer(data, mark, x=x, y=_pixels("y"), stroke=colour, fill=fill)]


def _bars(groups: Sequence[PastGroup], end: float, step: float, x: Spec) -> list[Spec]:
    """Return how many comparisons there are of each size, the significant ones below."""
    counts: list[Counter[tuple[int, bool]]] = [
        Counter(
            (min(_BINS - 1, int(_BINS * min(size, end) / end)), bool(significant))
            for size, significant in zip(group.sizes, group.significant, strict=True)
        )
        for group in groups
    ]
    data = []
    for row, found in enumerate(counts):
        # Each group has a height of its own: small groups would be flat beside large ones.
        tallest = max(found[place, True] + found[place, False] for place in range(_BINS)) or 1
        for place in range(_BINS):
            bottom = step * (row + 1) - _FREE / 2
            for significant in (True, False):
                height = (step - _FREE) * found[place, significant] / tallest
                if height:
                    data.append(
                        {
                            "size": end * place / _BINS,
                            "to": end * (place + 0.88) / _BINS,
                            "top": bottom - height,
                            "bottom": bottom,
                            "significant": significant,
                        }
                    )
                bottom -= height
    return [
        layer(
            data,
            {"type": "rect"},
            x=x,
            x2={"field": "to"},
            y=_pixels("top"),
            y2={"field": "bottom"},
            color=_channel([COLOUR["better"], COLOUR["rule"]]),
        )
    ]


def _channel(values: list[str]) -> Spec:
    return {
        "field": "significant",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": values},
        "legend": None,
    }


# --- Differences of comparisons against the judgments behind them: Wei et al. (2022), figure 2 ---


def differences_by_size(
    group: PastGroup, n: Sequence[float], *, counted: str, digits: int, width: int
) -> Spec:
    """Return a dot per comparison, and a line at the observed detectable difference."""
    narrow = is_narrow(width)
    room = width - _LEFT - _STUDIES_END
    far = max((*group.sizes, 1.1 * (group.mde or 0.0)))
    x = quantitative(
        "size",
        scale={"domain": [0.0, 1.02 * far or 1.0], "nice": False},
        axis={"tickCount": 4 if narrow else 8, "labelFlush": False},
        title="size of the difference",
    )
    y = quantitative(
        "n",
        scale={"domain": [0.0, 1.08 * max(n)], "nice": False},
        axis=level_title(f"{counted} per system", tickCount=6, format=",d"),
    )
    data = [
        {"size": size, "n": many, "significant": bool(found)}
        for size, many, found in zip(group.sizes, n, group.significant, strict=True)
    ]
    colour = _channel([COLOUR["better"], COLOUR["undecided"]])
    fill = _channel([COLOUR["better"], COLOUR["paper"]])
    mark = {"type": "point", "size": 30 if len(data) <= MOST else 8, "strokeWidth": 1}
    layers = [layer(data, mark, x=x, y=y, stroke=colour, fill=fill)]
    if group.mde is not None:
        line = {"type": "rule", "strokeWidth": 2.2, "color": COLOUR["ink"]}
        layers.append(layer([{"size": group.mde}], line, x=x))
        right = group.mde > 0.6 * far
        layers.append(
            label(
                group.mde,
                {"value": 8},
                f"observed MDE {number(group.mde, digits=digits)}",
                colour="ink",
                align="right" if right else "left",
                dx=-6 if right else 6,
                fontWeight="bold",
            )
        )
    return spec(width=room, height=_HEIGHT, layer=layers)


# --- Effects of studies against their sizes, and what a significant one exaggerates ---
#
# Card et al. (2020), figure 5.

MOST_STUDIES = 500  # dots
_HEIGHT = 280
_LEFT = 46
_STUDIES_END = 14


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
    room = width - _LEFT - _STUDIES_END
    every = math.ceil(len(sizes) / MOST_STUDIES)
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
