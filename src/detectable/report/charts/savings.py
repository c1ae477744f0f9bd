"""What stopping procedures spend and find: judgments against planned ones, power against spent ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts import theme
from detectable.report.charts.marks import (
    END,
    Word,
    arranged,
    layer,
    level_title,
    panel,
    quantitative,
    upright_axis,
)

_COLOURS = ("better", "worse", "equal", "ink", "look")  # purple is never beside grey
_UNFAIR = "undecided"
_LEFT = 56  # pixels for an axis, with the frame of every picture
_GUTTER = 22
_HEIGHT, _LOW = 240, 210
_NAME = 132  # pixels that a name may take
_SHARES = 3  # decimals of a power: dots that are nearer fall together
_BARS = 30
_BAR_HEIGHT = 70


@dataclass(frozen=True, slots=True)
class Spending:
    """One procedure.

    Attributes
    ----------
    points : tuple of (planned, spent, power)
        By increasing budget.
    fair : bool
        Whether it errs no more often than the others; if not it is drawn in grey.
    """

    name: str
    points: tuple[tuple[float, float, float], ...]
    fair: bool = True


def savings(procedures: Sequence[Spending], *, width: int) -> theme.Spec:
    """Return two panels: judgments spent, and power for what was really spent."""
    narrow = theme.is_narrow(width)
    names = [theme.shortened(one.name, _NAME) for one in procedures]
    beside = theme.widest(names, bold=True) + 12
    one_panel = width - _LEFT - beside
    room = one_panel if narrow else (one_panel - _LEFT - _GUTTER) / 2
    height = _LOW if narrow else _HEIGHT
    planned = max(point[0] for one in procedures for point in one.points)
    spent = max(point[1] for one in procedures for point in one.points)
    powers = [point[2] for one in procedures for point in one.points]
    low, high = _tens(min(powers), max(powers))
    ticks = _ticks(max(planned, spent))
    first = _Panel(
        "Judgments spent",
        "against judgments planned",
        "planned",
        [[(point[0], point[1]) for point in one.points] for one in procedures],
        (0.0, planned),
        (0.0, ticks[-1]),  # a label at the top of both panels keeps their titles level
        {"format": ",d", "values": ticks},
    )
    second = _Panel(
        "Average power",
        "against judgments really spent",
        "spent",
        [sorted((point[1], point[2]) for point in one.points) for one in procedures],
        (0.0, spent),
        (low, high),
        {"format": "%", "tickCount": 5},
    )
    styles = _styles(procedures)
    drawn = [
        first.drawn(styles, names if narrow else None, room, height),
        second.drawn(styles, names, room, height),
    ]
    return theme.spec(
        **{"vconcat" if narrow else "hconcat": drawn},
        resolve={"scale": {"x": "independent", "y": "independent"}},
    )


def _ticks(top: float) -> list[float]:
    """Return four to six round numbers from 0 to `top` or above it.

    Examples
    --------
    >>> _ticks(4800)
    [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
    """
    size = 10 ** math.floor(math.log10(top))
    step = next(size * share for share in (0.2, 0.5, 1.0, 2.0) if top <= 5 * size * share)
    return [step * k for k in range(math.ceil(top / step) + 1)]


def _tens(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis of power: tenths around what there is."""
    bottom, top = math.floor(10 * low) / 10, math.ceil(10 * high) / 10
    if top > bottom:
        return bottom, top
    return (bottom - 0.1, bottom) if bottom > 0.0 else (0.0, 0.1)


def _styles(procedures: "Sequence[Spending | BySize]") -> list[tuple[str, list[int]]]:
    """Return colour and dash of every line; grey for those that err more."""
    styles, fair = [], 0
    for one in procedures:
        if one.fair:
            styles.append(
                (_COLOURS[fair % len(_COLOURS)], theme.DASHES[fair % len(theme.DASHES)])
            )
            fair += 1
        else:
            styles.append((_UNFAIR, [2, 4]))
    return styles


@dataclass(frozen=True, slots=True)
class _Panel:
    title: str
    subtitle: str
    axis: str
    lines: list[list[tuple[float, float]]]
    across: tuple[float, float]
    up: tuple[float, float]
    format: theme.Spec
    across_format: str = ",d"

    def place(
        self, point: tuple[float, float], room: float, height: float
    ) -> tuple[float, float]:
        """Return pixels, downwards."""
        x = (point[0] - self.across[0]) / (self.across[1] - self.across[0])
        y = (point[1] - self.up[0]) / (self.up[1] - self.up[0])
        return x * room, (1.0 - y) * height

    def drawn(
        self,
        styles: Sequence[tuple[str, list[int]]],
        names: Sequence[str] | None,
        room: float,
        height: float,
    ) -> theme.Spec:
        x = quantitative(
            "x",
            scale={"domain": list(self.across), "nice": False},
            title=self.axis,
            axis={
                "format": self.across_format,
                "tickCount": max(3, int(room / 70)),
                "grid": False,
            },
        )
        y = quantitative(
            "y",
            scale={"domain": list(self.up), "nice": False, "zero": False},
            title=None,
            axis={**self.format, "minExtent": _LEFT - 16},
        )
        layers = []
        for line, (colour, dash) in zip(self.lines, styles, strict=True):
            rows = [{"x": a, "y": b} for a, b in line]
            stroke = {
                "type": "line",
                "strokeWidth": 2.2,
                "color": theme.COLOUR[colour],
                "strokeDash": dash,
                "interpolate": "monotone",
            }
            dot = {"type": "point", "filled": True, "size": 22, "color": theme.COLOUR[colour]}
            layers += [layer(rows, stroke, x=x, y=y), layer(rows, dot, x=x, y=y)]
        if names is not None:
            layers += [word.drawn() for word in self._names(styles, names, room, height)]
        title = {"text": self.title, "subtitle": self.subtitle}
        return {"width": room, "height": height, "title": title, "layer": layers}

    def _names(
        self,
        styles: Sequence[tuple[str, list[int]]],
        names: Sequence[str],
        room: float,
        height: float,
    ) -> list[Word]:
        """Return the names at the ends of the lines, moved up or down until none is covered."""
        right = room + theme.widest(list(names), bold=True) + 8
        paths = [[self.place(point, room, height) for point in line] for line in self.lines]
        words: list[Word] = []
        order = sorted(range(len(names)), key=lambda k: paths[k][-1][1])
        for k in order:
            x, y = paths[k][-1]
            others: list[theme.Box] = [
                box for j, path in enumerate(paths) if j != k for box in theme.boxes_along(path)
            ]
            moved = sorted((7.5 * step for step in range(-12, 13)), key=abs)
            spots = [
                Word(names[k], styles[k][0], x + side * 8, y + down, align)
                for down in moved
                for side, align in ((1, "left"), (-1, "right"))
            ]
            taken = [word.box for word in words]
            free = [
                s for s in spots if _inside(s.box, right, height) and not _hits(s.box, taken)
            ]
            best = (
                s for s in free if not _hits(s.box, [*others, *theme.boxes_along(paths[k])])
            )
            found = next(best, free[0] if free else None)
            if found is not None:
                words.append(found)
        return words


def _inside(box: theme.Box, right: float, height: float) -> bool:
    return box[0] >= 0 and box[2] <= right and box[1] >= -4 and box[3] <= height + 2


def _hits(box: theme.Box, taken: Sequence[theme.Box]) -> bool:
    return any(theme.clash(box, other) for other in taken)


# --- Power of every comparison under two plans: Wei et al. (2022), figure 4 ---


def powers_of_each(
    first: Sequence[float], second: Sequence[float], *, names: tuple[str, str], width: int
) -> theme.Spec:
    """Return a dot for each comparison, and the line on which both plans have the same power."""
    room = min(width - _LEFT - 2 * END, 460)
    seen = zip(first, second, strict=True)
    data = [
        {"x": x, "y": y}
        for x, y in sorted({(round(a, _SHARES), round(b, _SHARES)) for a, b in seen})
    ]
    axis = {"format": "%", "values": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]}
    scale = {"domain": [0.0, 1.0], "nice": False}
    x = quantitative("x", scale=scale, title=names[0], axis={**axis, "labelFlush": False})
    y = quantitative("y", scale=scale, axis=level_title(names[1], **axis))
    line = {
        "type": "line",
        "color": theme.COLOUR["ink"],
        "strokeDash": [4, 3],
        "strokeWidth": 1.2,
    }
    dot = {
        "type": "point",
        "filled": True,
        "size": 11,
        "opacity": 0.45,
        "color": theme.COLOUR["better"],
    }
    return theme.spec(
        width=room,
        height=room if not theme.is_narrow(width) else 0.9 * room,
        layer=[
            layer(data, dot, x=x, y=y),
            layer([{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}], line, x=x, y=y),
        ],
    )


# --- Judgments spent by the size of the difference: Wei et al. (2022), figure 5 ---


@dataclass(frozen=True, slots=True)
class BySize:
    """One procedure: (size of the difference, judgments spent), by increasing size."""

    name: str
    points: tuple[tuple[float, float], ...]
    fair: bool = True


def spent_by_size(procedures: Sequence[BySize], *, planned: int, width: int) -> theme.Spec:
    """Return a line per procedure."""
    styles = _styles(procedures)
    names = [theme.shortened(one.name, _NAME) for one in procedures]
    room = width - _LEFT - theme.widest(names, bold=True) - 12
    ticks = _ticks(1.02 * planned)
    far = max(point[0] for one in procedures for point in one.points) or 1.0
    lines = _Panel(
        "",
        "",
        "size of the difference",
        [list(one.points) for one in procedures],
        (0.0, far),
        (0.0, ticks[-1]),
        {"format": ",d", "values": ticks},
        across_format="~g",
    )
    drawn = lines.drawn(styles, names, room, _HEIGHT)
    del drawn["title"]
    return theme.spec(**drawn)


# --- Average power by judgments, all, large and small differences: Wei et al. (2022), figure 6 ---


@dataclass(frozen=True, slots=True)
class SizePart:
    """The comparisons of some sizes: their procedures, and their differences."""

    title: str
    procedures: tuple[Spending, ...]
    sizes: Sequence[float]


def power_by_part(parts: Sequence[SizePart], *, width: int) -> theme.Spec:
    """Return a panel per part: power for what was spent, with the differences below."""
    narrow = theme.is_narrow(width)
    room: float = width - _LEFT - END
    if not narrow:
        room = (width - len(parts) * (_LEFT + END)) / len(parts) - _GUTTER / 2
    styles = _styles(parts[0].procedures)
    spent = max(s for part in parts for one in part.procedures for _, s, _ in one.points)
    end = _reach([size for part in parts for size in part.sizes])
    names = [one.name for one in parts[0].procedures]
    panels, crowded = [], []
    for part in parts:
        powers = [p for one in part.procedures for *_, p in one.points]
        own = [sorted((s, p) for _, s, p in one.points) for one in part.procedures]
        heights = _tens(min(powers), max(powers))
        lines = _Panel(
            part.title,
            "average power, judgments spent",
            "spent",
            own,
            (0.0, spent),
            heights,
            {"format": "%", "tickCount": 5},
        )
        panels.append(lines.drawn(styles, None, room, _LOW))
        crowded.append(_below(own, spent, heights, len(names)))
    panels[crowded.index(min(crowded))]["layer"] += _key(names, styles, room, _LOW)
    drawn = [
        {"vconcat": [upper, _bars(part.sizes, end, room)], "spacing": 12}
        for upper, part in zip(panels, parts, strict=True)
    ]
    return arranged(drawn, narrow=narrow)


def _below(
    lines: Sequence[Sequence[tuple[float, float]]],
    end: float,
    heights: tuple[float, float],
    n_names: int,
) -> float:
    """Return how much of the lines lies where the key of this panel would stand, below right."""
    low, high = heights
    under = low + (high - low) * (16 * n_names + 8) / _LOW
    far, most = 0.2 * end, 0.0
    for line in lines:
        for (x, y), (to_x, to_y) in zip(line, line[1:] or line, strict=False):
            for step in range(11):
                at, up = x + (to_x - x) * step / 10, y + (to_y - y) * step / 10
                most += at > far and up < under
    return most


def _key(
    names: Sequence[str], styles: Sequence[tuple[str, list[int]]], room: float, height: float
) -> list[theme.Spec]:
    """Return a short line and a name for each procedure, in the free corner below the lines."""
    cut = [theme.shortened(name, room - 60) for name in names]
    left = room - theme.widest(cut, bold=True) - 4
    made = []
    for place, (name, (colour, dash)) in enumerate(zip(cut, styles, strict=True)):
        down = height - 16 * (len(cut) - place) + 4
        stroke = {
            "type": "rule",
            "color": theme.COLOUR[colour],
            "strokeDash": dash,
            "strokeWidth": 2.2,
        }
        ends = {"x": {"value": left - 34}, "x2": {"value": left - 8}}
        made.append(layer([{}], stroke, y={"value": down}, **ends))
        made.append(Word(name, colour, left, down).drawn())
    return made


def _bars(sizes: Sequence[float], end: float, room: float) -> theme.Spec:
    """Return how many comparisons have a difference of each size."""
    counts = [0] * _BARS
    for size in sizes:
        counts[min(_BARS - 1, int(_BARS * size / end))] += 1
    data = [
        {"from": end * k / _BARS, "to": end * (k + 0.88) / _BARS, "n": n}
        for k, n in enumerate(counts)
        if n
    ]
    x = quantitative(
        "from",
        scale={"domain": [0.0, end], "nice": False},
        axis={"tickCount": 4, "grid": False, "labelFlush": False},
        title="size of the difference",
    )
    y = quantitative(
        "n",
        axis=upright_axis(format=",d", tickCount=3, minExtent=_LEFT - 16),
        title=None,
    )
    bar = {"type": "rect", "color": theme.COLOUR["rule"]}
    bars = layer(data, bar, x=x, x2={"field": "to"}, y=y, y2={"datum": 0})
    return panel([bars], width=room, height=_BAR_HEIGHT, title="", about="comparisons")


def _reach(sizes: Sequence[float]) -> float:
    """Return the end of the axis: beyond nearly all differences."""
    ordered = sorted(sizes)
    return ordered[min(len(ordered) - 1, int(0.98 * len(ordered)))] or 1.0
