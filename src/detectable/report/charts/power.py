"""Power as lines: against the effect, the size or the cost, with what was asked for marked."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from detectable.core.wording import significant
from detectable.planning.nearby import PowerLine
from detectable.report.charts import theme
from detectable.report.charts.marks import (
    Word,
    horizontal_line,
    layer,
    level_title,
    quantitative,
)
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec, text_width

_COLOURS = ("better", "worse", "equal", "look", "ink")
_LEFT = 46  # pixels for the vertical axis, with the frame of every picture
_RIGHT = 14
_HEIGHT, _LOW = 290, 250
_LESS = 30  # pixels by which a picture among several is lower
_BETWEEN = 14  # pixels between two of them
_LEVELS = (0.45, 0.6, 0.3, 0.7, 0.2, 0.12, 0.52, 0.38)  # where a line may be named
_LINE = 15  # pixels between two texts
_ALWAYS = 5  # lines that a wide picture shows


class PowerPicture(NamedTuple):
    """Lines on one axis.

    Attributes
    ----------
    axis : str
        What x is.
    target : float
        The power to reach: a dashed line.
    domain : tuple of float
        The ends of the axis.
    log : bool
        Whether x is on a log scale.
    dots : bool
        Whether every point of a line is a design of its own.
    """

    lines: tuple[PowerLine, ...]
    axis: str
    target: float
    domain: tuple[float, float]
    log: bool = False
    dots: bool = False


def power_lines(picture: PowerPicture, *, width: int) -> theme.Spec:
    """Return the lines, each with its name on it, and the drops of their marks."""
    frame = _Frame(picture, width)
    return theme.spec(width=frame.width, height=frame.height, layer=_layers(frame))


def power_panels(
    panels: Sequence[tuple[str, PowerPicture]], *, width: int, columns: int = 2
) -> theme.Spec:
    """Return a picture per assumption, side by side where there is room, all on the same scales."""
    across = 1 if theme.is_narrow(width) else min(columns, len(panels))
    # The axes of each picture stand inside of its share of the width.
    own = int((width - (across - 1) * _BETWEEN) / across)
    drawn = []
    for title, picture in panels:
        frame = _Frame(picture, own, several=len(panels) > 1)
        drawn.append(
            {
                "width": frame.width,
                "height": frame.height,
                "title": {
                    "text": theme.wrapped(title, frame.width, 13, bold=True),
                    "anchor": "start",
                    "offset": 18,
                },
                "layer": _layers(frame),
            }
        )
    rows = [
        {"hconcat": drawn[i : i + across], "spacing": _BETWEEN}
        for i in range(0, len(drawn), across)
    ]
    return theme.spec(
        vconcat=rows,
        spacing=18,
        resolve={"scale": {"x": "independent", "y": "independent"}},
    )


def _layers(frame: "_Frame") -> list[theme.Spec]:
    layers = [
        horizontal_line(frame.picture.target, "ink", dash=(4, 3)),
        *(part for place, line in enumerate(frame.lines) for part in frame.drawn(place, line)),
    ]
    words = list(_words(frame))
    return layers + [part for word in words for part in _with_paper(word)]


class _Frame:
    """The axes of one drawing, and where values stand in it; lower and with all lines among several."""

    def __init__(self, picture: PowerPicture, width: int, *, several: bool = False) -> None:
        self.picture = picture
        self.several = several
        self.narrow = theme.is_narrow(width)
        self.width = width - _LEFT - _RIGHT
        self.height = (_LOW if self.narrow else _HEIGHT) - (_LESS if several else 0)
        most = 3 if self.narrow and not several else _ALWAYS
        self.lines = _shown(picture.lines, most)
        others = [place for place, line in enumerate(self.lines) if not line.own]
        order = [place for place, line in enumerate(self.lines) if line.own] + others
        self.style = {place: k % len(_COLOURS) for k, place in enumerate(order)}

    def x_of(self, x: float) -> float:
        low, high = self.picture.domain
        if self.picture.log:
            return math.log(x / low) / math.log(high / low) * self.width
        return (x - low) / (high - low) * self.width

    def place(self, x: float, power: float) -> tuple[float, float]:
        """Return pixels, downwards."""
        return self.x_of(x), (1.0 - power) * self.height

    def colour(self, place: int) -> str:
        return _COLOURS[self.style[place]]

    def x(self) -> theme.Spec:
        shown = self.picture
        scale = {"type": "log"} if shown.log else {}
        title = f"{shown.axis} (log scale)" if shown.log else shown.axis
        axis: theme.Spec = {"grid": False, "tickCount": max(3, int(self.width / 90))}
        if max(map(abs, shown.domain)) >= 1000:
            axis["format"] = ",d"
        if shown.log:
            axis["values"] = log_ticks(*shown.domain)
        return quantitative(
            "x",
            scale={**scale, "domain": list(shown.domain), "nice": False, "zero": False},
            title=title,
            axis=axis,
        )

    def y(self) -> theme.Spec:
        return quantitative(
            "power",
            scale={"domain": [0, 1], "nice": False},
            axis=level_title("power", format="%", tickCount=5, titleX=-36),
        )

    def drawn(self, place: int, line: PowerLine) -> Iterator[theme.Spec]:
        colour = theme.COLOUR[self.colour(place)]
        rows = [{"x": x, "power": power} for x, power in line.points]
        course = [{"x": x, "power": power} for x, power in line.course()]
        stroke = {
            "type": "line",
            "strokeWidth": 2.8 if line.own else 2.0,
            "color": colour,
            "strokeDash": theme.DASHES[self.style[place]],
            "interpolate": "monotone",
            "clip": True,
        }
        yield layer(course, stroke, x=self.x(), y=self.y())
        if self.picture.dots:
            dot = {"type": "point", "filled": True, "size": 30, "color": colour, "clip": True}
            yield layer(rows, dot, x=self.x(), y=self.y())
        marks = [{"x": x, "power": power} for x, power, _ in line.marks]
        if marks:
            rule = {"type": "rule", "color": colour, "strokeWidth": 1, "opacity": 0.6}
            point = {"type": "point", "filled": True, "size": 90, "color": colour}
            yield layer(marks, rule, x=self.x(), y=self.y(), y2={"datum": 0})
            yield layer(marks, point, x=self.x(), y=self.y())


def _shown(lines: Sequence[PowerLine], most: int) -> list[PowerLine]:
    """Return the lines that there is room for: the one asked for, the ends, some between."""
    if len(lines) <= most:
        return list(lines)
    last = len(lines) - 1
    kept = {round(k * last / (most - 1)) for k in range(most)}
    own = [place for place, line in enumerate(lines) if line.own]
    if own and own[0] not in kept:
        nearest = min(kept, key=lambda place: abs(place - own[0]))
        kept = (kept - {nearest}) | {own[0]}
    return [line for place, line in enumerate(lines) if place in kept]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 3, 10, 30, … within a range.

    Examples
    --------
    >>> log_ticks(50, 2000)
    [100, 300, 1000]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10**power for power in powers for digit in (1, 3)]
    return [tick for tick in ticks if low <= tick <= high]


def _words(frame: _Frame) -> Iterator[Word]:
    """Yield the target, the drops' texts and the lines' names, none over another."""
    shown, taken = frame.picture, list[theme.Box]()
    along = [
        theme.boxes_along([frame.place(*point) for point in line.points])
        for line in frame.lines
    ]
    marks = [
        _around(*frame.place(x, power)) for line in frame.lines for x, power, _ in line.marks
    ]
    lines = [box for boxes in along for box in boxes]
    target = _target(frame, [*lines, *marks])
    for word in (*([] if target is None else [target]), *_drops(frame)):
        taken.append(word.box)
        yield word
    if shown.dots:
        marks += [_around(*frame.place(*at), 4) for line in frame.lines for at in line.points]
    if len(shown.lines) > 1:
        for place, line in enumerate(frame.lines):
            others = [box for k, boxes in enumerate(along) if k != place for box in boxes]
            name = _name(frame, place, line, taken, (marks, others))
            if name is not None:
                taken.append(name.box)
                yield name


def _around(x: float, y: float, radius: float = 7) -> theme.Box:
    return x - radius, y - radius, x + radius, y + radius


def _target(frame: _Frame, lines: Sequence[theme.Box]) -> Word | None:
    """Return the word at the target, above or below it, where it covers no line if it can.

    Among several pictures one without it does no harm.
    """
    text = f"{frame.picture.target:.0%} power"
    y = (1.0 - frame.picture.target) * frame.height
    ends = ((2.0, "left"), (frame.width - 2.0, "right"))
    words = [Word(text, "ink", x, y + down, side) for down in (-9, 10) for x, side in ends]
    free = (word for word in words if not any(theme.clash(word.box, box) for box in lines))
    return next(free, None if frame.several else words[0])


def _drops(frame: _Frame) -> Iterator[Word]:
    """Yield the texts at the feet of the drops, beside them, one above the other if need be."""
    kept = list[theme.Box]()
    for place, line in enumerate(frame.lines):
        for x, _, text in line.marks:
            at = frame.x_of(x)
            for step in range(6):
                y = frame.height - 9 - step * _LINE
                beside = [
                    Word(text, frame.colour(place), at + 5, y),
                    Word(text, frame.colour(place), at - 5, y, "right"),
                ]
                found = next((word for word in beside if _free(frame, word.box, kept)), None)
                if found is not None:
                    kept.append(found.box)
                    yield found
                    break


def _name(
    frame: _Frame,
    place: int,
    line: PowerLine,
    words_taken: Sequence[theme.Box],
    better_free: tuple[Sequence[theme.Box], Sequence[theme.Box]],
) -> Word | None:
    """Return the name of a line on it: off dots and other lines if it can, always off words."""
    candidates = []
    for level in _LEVELS:
        x = line.where(level)
        if x is not None:
            candidates.append(frame.place(x, level))
    first, last = line.points[0][0], line.points[-1][0]
    for share in (0.95, 0.5, 0.7, 0.3, 0.1):
        at = first + share * (last - first)
        x_at, y = frame.place(at, line.at(at))
        candidates += [(x_at, y - 12), (x_at, y + 14)] if y > _LINE else [(x_at, y + 11)]
    words = [
        Word(line.name, frame.colour(place), _kept_in(frame, line.name, x), y, "center")
        for x, y in candidates
    ]
    dots, others = better_free
    for taken in ([*words_taken, *dots, *others], [*words_taken, *dots], words_taken):
        free = (word for word in words if _free(frame, word.box, taken))
        found = next(free, None)
        if found is not None:
            return found
    return None


def _kept_in(frame: _Frame, text: str, x: float) -> float:
    half = 0.5 * theme.text_width(text, theme.TEXT, bold=True)
    return min(max(x, half), frame.width - half)


def _free(frame: _Frame, box: theme.Box, taken: Sequence[theme.Box]) -> bool:
    inside = box[0] >= -1 and box[2] <= frame.width + _RIGHT - 4 and box[3] <= frame.height
    return inside and not any(theme.clash(box, other) for other in taken)


def _with_paper(word: Word) -> list[theme.Spec]:
    """Return a word on paper, so that a line below it does not strike it out."""
    left, top, right, bottom = word.box
    paper = {"type": "rect", "color": theme.COLOUR["paper"], "opacity": 0.85}
    ends = {
        "x": {"value": left - 2},
        "x2": {"value": right + 2},
        "y": {"value": top},
        "y2": {"value": bottom},
    }
    return [layer([{}], paper, **ends), word.drawn()]


# --- The size that each effect needs, a line for each scenario: Wei et al. (2022), figure 3 ---

_MOST_LINES = 10


class SizeLine(NamedTuple):
    """One scenario: (effect, size), by increasing effect."""

    name: str
    points: tuple[tuple[float, float], ...]


def sizes_by_effect(
    lines: Sequence[SizeLine], *, across: str, upright: str, width: int
) -> theme.Spec:
    """Return a line per scenario, its name at its right end; sizes are on a log scale."""
    narrow = theme.is_narrow(width)
    shown = list(lines)[:_MOST_LINES]
    names = [theme.shortened(line.name, 110) for line in shown]
    room = width - _LEFT - 14 - theme.widest(names, bold=True) - 12
    height = _HEIGHT + (0 if narrow else 60)
    effects = [x for line in shown for x, _ in line.points]
    sizes = [y for line in shown for _, y in line.points]
    low, high = 0.85 * min(sizes), 1.15 * max(sizes)
    left, right = min(effects), max(effects)
    pad = 0.02 * (right - left) or 0.1 * abs(right) or 0.1
    x = quantitative(
        "x",
        scale={"domain": [left - pad, right + pad], "nice": False, "zero": False},
        title=across,
        axis={"tickCount": 4 if narrow else 8, "grid": False},
    )
    y = quantitative(
        "y",
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis=level_title(f"{upright} (log scale)", format=",d", values=_sizes(low, high)),
    )
    ends = [
        (1.0 - math.log(line.points[-1][1] / low) / math.log(high / low)) * height
        for line in shown
    ]
    places = _kept_within(theme.dodge(ends, _LINE), height)
    layers: list[theme.Spec] = []
    for k, line in enumerate(shown):
        colour = _COLOURS[k % len(_COLOURS)]
        rows = [{"x": a, "y": b} for a, b in line.points]
        stroke = {
            "type": "line",
            "color": theme.COLOUR[colour],
            "strokeWidth": 2,
            "strokeDash": theme.DASHES[k // len(_COLOURS) % len(theme.DASHES)],
        }
        dot = {"type": "point", "filled": True, "size": 22, "color": theme.COLOUR[colour]}
        layers += [layer(rows, stroke, x=x, y=y), layer(rows, dot, x=x, y=y)]
        if line.name:
            layers.append(Word(names[k], colour, room + 10, places[k]).drawn())
            lead = {"type": "rule", "color": theme.COLOUR[colour], "strokeWidth": 0.8}
            start = room * (line.points[-1][0] - left + pad) / (right - left + 2 * pad)
            between = {"x2": {"value": room + 8}, "y2": {"value": places[k]}}
            layers.append(
                layer([{}], lead, x={"value": start + 4}, y={"value": ends[k]}, **between)
            )
    return theme.spec(width=room, height=height, layer=layers)


def _kept_within(places: Sequence[float], height: float) -> list[float]:
    """Move places so that the lowest stays above the end of the axis."""
    over = max(0.0, max(places) - height)
    return [place - over for place in places]


def _sizes(low: float, high: float) -> list[float]:
    """Return round sizes to write beside an axis: 1, 2, 5, 10 and so on."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high and tick >= 1.0]


# --- Power over size and effect as a surface in five steps, with the line of a target ---

_LEFT_OF_POWER_SURFACE = 52  # pixels for the vertical axis, with the frame of every picture
_RIGHT_OF_POWER_SURFACE = 22
_HEIGHT_OF_POWER_SURFACE, _LOW_OF_POWER_SURFACE = 290, 250
_STEPS = (0.06, 0.2, 0.38, 0.6, 1.0)  # how strong the colour is, per fifth of power
_COLUMNS, _ROWS = 6, 10  # of a grid whose cells hold numbers
_WIDE_RANGE = 8.0  # the largest size over the smallest, from which on the scale is log


class Surface(NamedTuple):
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
    room, height = (
        width - _LEFT_OF_POWER_SURFACE - _RIGHT_OF_POWER_SURFACE,
        _LOW_OF_POWER_SURFACE if narrow else _HEIGHT_OF_POWER_SURFACE,
    )
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
                titleX=-_LEFT_OF_POWER_SURFACE + 12,
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
