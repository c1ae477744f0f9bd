"""Power over size and effect as a surface in five steps, with the line of a target."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from detectable.core.wording import significant
from detectable.report.charts.marks import Word, layer, level_title, quantitative
from detectable.report.charts.power import PowerLine
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, text_width

_LEFT = 52  # pixels for the vertical axis, with the frame of every picture
_RIGHT = 22
_HEIGHT, _LOW = 290, 250
_STEPS = (0.06, 0.2, 0.38, 0.6, 1.0)  # how strong the colour is, per fifth of power
_COLUMNS, _ROWS = 6, 10  # of a grid whose cells hold numbers
_WIDE_RANGE = 8.0  # the largest size over the smallest, from which on the scale is log


@dataclass(frozen=True, slots=True)
class Surface:
    """Power at every size and effect; both increasing."""

    sizes: tuple[int, ...]
    effects: tuple[float, ...]
    power: Mapping[tuple[int, float], float]
    size_axis: str
    effect_axis: str
    target: float = 0.8


class _Axis:
    """Where values and the cells around them stand, in pixels."""

    def __init__(self, values: Sequence[float], room: float, *, log: bool) -> None:
        self._log = math.log if log else float
        at = [self._log(value) for value in values]
        middles = [(a + b) / 2 for a, b in pairwise(at)]
        self._first, last = 2 * at[0] - middles[0], 2 * at[-1] - middles[-1]
        self._scale = room / (last - self._first)
        # In whole pixels: no seams between cells, whatever draws them.
        ends = (self._first, *middles, last)
        self.edges = [float(round((end - self._first) * self._scale)) for end in ends]

    def at(self, value: float) -> float:
        return (self._log(value) - self._first) * self._scale


def is_table(surface: Surface) -> bool:
    """Say whether the cells are few enough to hold their numbers; then all have one size."""
    return len(surface.sizes) <= _COLUMNS and len(surface.effects) <= _ROWS


def power_surface(surface: Surface, *, width: int) -> Spec:
    """Return a cell per pair, darker with more power, with numbers or with the target's line."""
    narrow = is_narrow(width)
    room, height = width - _LEFT - _RIGHT, _LOW if narrow else _HEIGHT
    table = is_table(surface)
    log = not table and surface.sizes[-1] / surface.sizes[0] >= _WIDE_RANGE
    sizes = _Axis(range(len(surface.sizes)) if table else surface.sizes, room, log=log)
    effects = _Axis(
        range(len(surface.effects)) if table else surface.effects, height, log=False
    )
    cells = [
        {
            "left": sizes.edges[i],
            "right": sizes.edges[i + 1],
            "top": height - effects.edges[j + 1],
            "bottom": height - effects.edges[j],
            "power": surface.power[size, effect],
        }
        for i, size in enumerate(surface.sizes)
        for j, effect in enumerate(surface.effects)
    ]
    columns = [
        (sizes.at(i if table else size), f"{size:,}") for i, size in enumerate(surface.sizes)
    ]
    rows = [
        (height - effects.at(j if table else effect), significant(effect))
        for j, effect in enumerate(surface.effects)
    ]
    if table:
        over = _numbers(cells)
    else:
        line = [
            (sizes.at(size), height - effects.at(effect)) for size, effect in reaches(surface)
        ]
        over = _contour(line, _named(surface, narrow=narrow), room)
    axes = _axes(surface, columns, rows, (room, height), log=log)
    return spec(width=room, height=height, layer=[*_cells(cells), *over, axes])


def _named(surface: Surface, *, narrow: bool) -> str:
    return f"{surface.target:.0%}" if narrow else f"{surface.target:.0%}: smallest detectable"


def _pixels(field: str) -> Spec:
    return quantitative(field, scale=None, axis=None)


def _cells(cells: Sequence[Spec]) -> list[Spec]:
    layers = []
    for step, strength in enumerate(_STEPS):
        found = [cell for cell in cells if min(int(cell["power"] * 5), 4) == step]
        if found:
            mark = {"type": "rect", "color": COLOUR["better"], "opacity": strength}
            layers.append(
                layer(
                    found,
                    mark,
                    x=_pixels("left"),
                    x2={"field": "right"},
                    y=_pixels("top"),
                    y2={"field": "bottom"},
                )
            )
    return layers


def _numbers(cells: Sequence[Spec]) -> list[Spec]:
    layers = []
    for colour, dark in (("ink", False), ("paper", True)):
        found = [
            {
                "x": (cell["left"] + cell["right"]) / 2,
                "y": (cell["top"] + cell["bottom"]) / 2,
                "text": f"{cell['power']:.0%}",
            }
            for cell in cells
            if (cell["power"] >= 0.8) == dark
        ]
        if found:
            mark = {"type": "text", "color": COLOUR[colour]}
            layers.append(
                layer(found, mark, x=_pixels("x"), y=_pixels("y"), text={"field": "text"})
            )
    return layers


def reaches(surface: Surface) -> list[tuple[int, float]]:
    """Return for each size the effect at which its power reaches the target, where one does."""
    found = []
    for size in surface.sizes:
        line = PowerLine("", tuple((e, surface.power[size, e]) for e in surface.effects))
        effect = line.where(surface.target)
        if effect is not None:
            found.append((size, effect))
    return found


def _contour(points: Sequence[tuple[float, float]], text: str, room: float) -> list[Spec]:
    if len(points) < 2:
        return []
    rows = [{"x": x, "y": y} for x, y in points]
    mark = {
        "type": "line",
        "color": COLOUR["ink"],
        "strokeWidth": 2.4,
        "interpolate": "monotone",
    }
    layers = [layer(rows, mark, x=_pixels("x"), y=_pixels("y"))]
    if text:
        x, y = points[len(points) // 2]
        side = "right" if x + text_width(text, bold=True) > room - 10 else "left"
        moved = -8 if side == "right" else 8
        layers.append(Word(text, "paper", x + moved, y - 12, side).drawn())
    return layers


def _axes(
    surface: Surface,
    columns: Sequence[tuple[float, str]],
    rows: Sequence[tuple[float, str]],
    room: tuple[float, float],
    *,
    log: bool,
) -> Spec:
    """Return an empty layer that carries both axes: the cells themselves stand at pixels."""
    across = _kept(columns, [text_width(text) for _, text in columns])
    down = _kept(rows, [12.0] * len(rows))
    return layer(
        [{"x": 0, "y": 0}],
        {"type": "point", "opacity": 0},
        x=quantitative(
            "x",
            scale={"domain": [0, room[0]], "nice": False},
            title=surface.size_axis + (" (log scale)" if log else ""),
            axis={
                "values": list(across),
                "labelExpr": _chosen(across),
                "grid": False,
                "labelOverlap": False,
                "labelFlush": False,
            },
        ),
        y=quantitative(
            "y",
            scale={"domain": [room[1], 0], "nice": False},
            axis=level_title(
                surface.effect_axis,
                values=list(down),
                labelExpr=_chosen(down),
                grid=False,
                labelOverlap=False,
                titleX=-_LEFT + 12,
            ),
        ),
    )


def _chosen(labels: Mapping[float, str]) -> str:
    tests = [f"abs(datum.value - {at}) < 0.06 ? '{text}'" for at, text in labels.items()]
    return f"{' : '.join(tests)} : ''"


def _kept(labels: Sequence[tuple[float, str]], sizes: Sequence[float]) -> dict[float, str]:
    """Return the labels that do not touch the one before, from the last on."""
    kept: dict[float, str] = {}
    before, half = math.inf, 0.0
    for (at, text), size in zip(reversed(labels), reversed(sizes), strict=True):
        if abs(before - at) >= 8 + half + size / 2:
            kept[round(at, 1)] = text
            before, half = at, size / 2
    return kept
