"""Where an evaluation with looks stops, and the way that it took."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from detectable.core.wording import number, pointed
from detectable.report.charts import marks, theme


@dataclass(frozen=True, slots=True)
class LookBounds:
    """What stops at one look.

    Attributes
    ----------
    at : float
        When it is: items, or a share of the maximum.
    upper, lower : float
        The statistic stops at `upper` and above, at `lower` and below; infinite for never.
    futile : tuple of float, optional
        Between these giving up is advised; the first may be infinite.
    spent : float, optional
        The error rate that is spent up to here, written below the look.
    """

    at: float
    upper: float
    lower: float = -math.inf
    futile: tuple[float, float] | None = None
    spent: float | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """The statistic of one pair at the looks so far: (when, z) each; the start is added."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class FanPoint:
    """Where the statistic may be at a later time: the middle and a band around it."""

    at: float
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class StopRegions:
    """All looks of a design.

    Attributes
    ----------
    unit : str
        What the axis counts, its title: ``"items judged for both systems"``.
    shares : bool
        Whether `at` is a share of the maximum.
    statistic : str
        What the vertical axis shows.
    above, below, inside : str
        The words of the three regions.
    """

    looks: tuple[LookBounds, ...]
    unit: str
    shares: bool = False
    statistic: str = "z"
    above: str = "stop: better"
    below: str = "stop: worse"
    inside: str = "stop: futile"

    @property
    def two_sided(self) -> bool:
        """Whether something stops below as well."""
        return any(math.isfinite(look.lower) for look in self.looks)


# --- Where an evaluation with looks stops, and the way that it took ---

_HEIGHT = 300  # pixels
_LEFT = 44  # of which ten are the frame of every picture
_BESIDE = 12
_TOP = 4.0  # of z: what lies farther out is drawn at the edge
_FEW = 6  # looks that are marked by a line each
_GAP = 9  # pixels between two labels of the axis
_DOT = 5  # pixels: half of the mark of a look
_MOVES = (0, -18, 18, -36, 36)  # pixels that a word may leave its place


def boundaries(
    regions: StopRegions,
    *,
    width: int,
    paths: Sequence[Path] = (),
    fan: Sequence[FanPoint] = (),
) -> theme.Spec:
    """Return the regions that stop, with the error spent below each look.

    `paths` are drawn with their names at their ends, `fan` as a band with a dashed middle.
    """
    frame = _Frame(regions, paths, fan, width)
    words = _words(frame)
    layers = [
        *_regions(frame),
        marks.horizontal_line(0.0),
        *_edges(frame),
        *_fan(frame),
        *(word.drawn() for word in words),
        *_paths(frame),
        *_names(frame, [word.box for word in words]),
    ]
    return theme.spec(width=frame.width, height=_HEIGHT, layer=layers)


class _Frame:
    """The axes of one drawing, and where values stand in it."""

    def __init__(
        self,
        regions: StopRegions,
        paths: Sequence[Path],
        fan: Sequence[FanPoint],
        width: int,
    ) -> None:
        self.regions, self.paths, self.fan = regions, paths, fan
        self.narrow = theme.is_narrow(width)
        words = [regions.above, regions.below, regions.inside]
        last = regions.looks[-1]
        half = 0.5 * theme.widest(_lines(last, shares=regions.shares)) + 1
        right = half if self.narrow else theme.widest(words, bold=True) + 2 * _BESIDE
        self.width = width - _LEFT - max(right, _BESIDE)
        ends = [look.at for look in regions.looks]
        ends += [at for path in paths for at, _ in path.points]
        self.end = max(ends + [point.at for point in fan])
        lowest = min([z for path in paths for _, z in path.points], default=0.0)
        wedges = [look.futile[1] for look in regions.looks if look.futile is not None]
        self.bottom = -_TOP
        if not regions.two_sided:
            self.bottom = max(-_TOP, min(-1.0, math.floor(min([lowest, *wedges]) - 0.5)))

    def inside(self, z: float) -> float:
        return min(_TOP, max(self.bottom, z))

    def place(self, at: float, z: float) -> tuple[float, float]:
        """Return pixels, downwards."""
        down = (_TOP - self.inside(z)) / (_TOP - self.bottom)
        return at / self.end * self.width, down * _HEIGHT

    def x(self, field: str = "at") -> theme.Spec:
        regions = self.regions
        told = _told(regions, self.width, self.end)
        spent = any(look.spent is not None for look in told)
        values = [look.at for look in told]
        lines = [_lines(look, shares=regions.shares) for look in told]
        chosen = " : ".join(
            f"abs(datum.value - {look.at!r}) < {1e-9 * self.end!r} ? "
            + (f"['{above}', '{below}']" if spent else f"'{above}'")
            for look, (above, below) in zip(told, lines, strict=True)
        )
        return marks.quantitative(
            field,
            scale={"domain": [0, self.end], "nice": False},
            title=regions.unit,
            axis={
                "values": values,
                "grid": False,
                "labelExpr": f"{chosen} : ''",
                "labelOverlap": False,
                "labelFlush": False,
            },
        )

    def y(self, field: str) -> theme.Spec:
        ticks = [z for z in (-4, -2, 0, 2, 4) if z >= self.bottom]
        return marks.quantitative(
            field,
            scale={"domain": [self.bottom, _TOP], "nice": False},
            axis=marks.level_title(self.regions.statistic, values=ticks),
        )


def _lines(look: LookBounds, *, shares: bool) -> list[str]:
    """Return what stands below a look: when it is, and the error spent."""
    when = f"{look.at:.0%}" if shares else f"{look.at:,.0f}"
    if look.spent is None:
        return [when, ""]
    spent = "<.001" if look.spent < 0.0005 else pointed(f"{look.spent:.3f}")
    return [when, f"α {spent}"]


def _told(regions: StopRegions, width: float, end: float) -> list[LookBounds]:
    """Return the looks that have room for their label; the last always has."""
    told: list[LookBounds] = []
    free = math.inf
    for look in reversed(regions.looks):
        half = 0.5 * theme.widest(_lines(look, shares=regions.shares))
        centre = look.at / end * width
        if centre + half + _GAP <= free and centre - half >= 0.0:
            told.append(look)
            free = centre - half
    return told[::-1]


def _regions(frame: _Frame) -> list[theme.Spec]:
    """Return the filled regions, and a line at every look: nothing stops between looks."""
    looks = frame.regions.looks
    up = [
        {"at": look.at, "z": frame.inside(look.upper), "end": _TOP}
        for look in looks
        if math.isfinite(look.upper)
    ]
    down = [
        {"at": look.at, "z": frame.inside(look.lower), "end": frame.bottom}
        for look in looks
        if math.isfinite(look.lower)
    ]
    layers = []
    for rows, colour in ((up, "better"), (down, "worse")):
        if rows:
            ends = {"x": frame.x(), "y": frame.y("z"), "y2": {"field": "end"}}
            fill = {"type": "area", "color": theme.COLOUR[colour], "opacity": 0.14}
            rule = {"type": "rule", "color": theme.COLOUR[colour], "opacity": 0.3}
            layers += [marks.layer(rows, fill, **ends), *_rules(frame, rows, rule, ends)]
    wedge = _wedge(frame)
    if wedge:
        ends = {"x": frame.x(), "y": frame.y("low"), "y2": {"field": "high"}}
        fill = {"type": "area", "color": theme.COLOUR["blind"], "opacity": 0.8}
        rule = {"type": "rule", "color": theme.COLOUR["rule"], "opacity": 0.4}
        layers += [marks.layer(wedge, fill, **ends), *_rules(frame, wedge, rule, ends)]
    return layers


def _rules(
    frame: _Frame, rows: list[theme.Spec], rule: theme.Spec, ends: theme.Spec
) -> list[theme.Spec]:
    """Return a line at every look, where there are so few that they do not hatch it."""
    shown = len(rows) == 1 or (len(rows) <= _FEW and not frame.narrow)
    return [marks.layer(rows, rule, **ends)] if shown else []


def _wedge(frame: _Frame) -> list[theme.Spec]:
    """Return where giving up is advised; it closes at the last look."""
    looks = frame.regions.looks
    bounds = [(look.at, look.futile) for look in looks if look.futile is not None]
    if not bounds:
        return []
    last = looks[-1]
    if last.futile is None and math.isfinite(last.upper):
        bounds.append((last.at, (last.lower, last.upper)))
    return [
        {"at": at, "low": frame.inside(low), "high": frame.inside(high)}
        for at, (low, high) in bounds
    ]


def _edges(frame: _Frame) -> list[theme.Spec]:
    looks = frame.regions.looks
    sides = (
        ([(look.at, look.upper) for look in looks], "better"),
        ([(look.at, look.lower) for look in looks], "worse"),
    )
    layers = []
    for values, colour in sides:
        rows = [{"at": at, "z": frame.inside(z)} for at, z in values if math.isfinite(z)]
        seen = [{"at": at, "z": z} for at, z in values if frame.inside(z) == z]
        line = {"type": "line", "strokeWidth": 1.6, "color": theme.COLOUR[colour]}
        point = {"type": "point", "filled": True, "size": 26, "color": theme.COLOUR[colour]}
        layers += [
            marks.layer(drawn, mark, x=frame.x(), y=frame.y("z"))
            for drawn, mark in ((rows, line), (seen, point))
            if drawn
        ]
    return layers


def _words(frame: _Frame) -> list[marks.Word]:
    """Return the names of the regions: beside the drawing, or in their corners."""
    regions, last = frame.regions, frame.regions.looks[-1]
    found: list[tuple[str, str, float, float]] = []  # text, colour, middle, corner
    if math.isfinite(last.upper):
        middle = frame.place(last.at, (last.upper + _TOP) / 2)[1]
        found.append((regions.above, "better", middle, 12.0))
    if math.isfinite(last.lower):
        middle = frame.place(last.at, (last.lower + frame.bottom) / 2)[1]
        found.append((regions.below, "worse", middle, _HEIGHT - 12.0))
    wedge = _wedge(frame)
    if wedge:
        low, high = wedge[-1]["low"], wedge[-1]["high"]
        middle = frame.place(last.at, (low + high) / 2)[1]
        found.append((regions.inside, "soft", middle, middle + 9.0))
    if frame.narrow:
        return [
            _off_the_paths(frame, marks.Word(text, colour, frame.width - 6, corner, "right"))
            for text, colour, _, corner in found
        ]
    return [
        marks.Word(text, colour, frame.width + _BESIDE, middle, "left")
        for text, colour, middle, _ in found
    ]


def _off_the_paths(frame: _Frame, word: marks.Word) -> marks.Word:
    """Return a word moved up or down until no path runs through it; where it was if none is free."""
    dots = [frame.place(at, z) for path in frame.paths for at, z in path.points]
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots] + _lines_taken(frame)
    for moved in _MOVES:
        other = word._replace(y=word.y + moved)
        if not any(theme.clash(other.box, box) for box in taken):
            return other
    return word


def _fan(frame: _Frame) -> list[theme.Spec]:
    rows = [
        {
            "at": point.at,
            "low": frame.inside(point.low),
            "middle": frame.inside(point.middle),
            "high": frame.inside(point.high),
        }
        for point in frame.fan
    ]
    if not rows:
        return []
    band = {"type": "area", "color": theme.COLOUR["look"], "opacity": 0.18}
    line = {
        "type": "line",
        "color": theme.COLOUR["look"],
        "strokeWidth": 1.6,
        "strokeDash": [4, 3],
    }
    return [
        marks.layer(rows, band, x=frame.x(), y=frame.y("low"), y2={"field": "high"}),
        marks.layer(rows, line, x=frame.x(), y=frame.y("middle")),
    ]


def _paths(frame: _Frame) -> list[theme.Spec]:
    layers = []
    for place, path in enumerate(frame.paths):
        rows = [{"at": at, "z": frame.inside(z)} for at, z in path.points]
        line = {
            "type": "line",
            "color": theme.COLOUR["ink"],
            "strokeWidth": 2.2,
            "strokeDash": theme.DASHES[place % len(theme.DASHES)],
        }
        point = {"type": "point", "filled": True, "size": 60, "color": theme.COLOUR["ink"]}
        start = {"at": 0.0, "z": 0.0}
        layers += [
            marks.layer([start, *rows], line, x=frame.x(), y=frame.y("z")),
            marks.layer(rows, point, x=frame.x(), y=frame.y("z")),
        ]
    return layers


def _names(frame: _Frame, taken: Sequence[theme.Box]) -> list[theme.Spec]:
    """Return the names at the ends of the paths, where they cover no word and best no line."""
    room = frame.width * (0.34 if frame.narrow else 0.3)
    ends = [(path, *frame.place(*path.points[-1])) for path in frame.paths if path.points]
    texts = [_end(frame, path, room) for path, *_ in ends]
    others = [(*frame.place(at, z), "") for path in frame.paths for at, z in path.points[:-1]]
    points = [*((x, y, text) for (_, x, y), text in zip(ends, texts, strict=True)), *others]
    size = 1.07 * theme.TEXT  # bold
    lines = [*taken, *_lines_taken(frame)]
    places = theme.place_labels(points, frame.width, _HEIGHT, size=size, taken=lines)
    if None in places:
        places = theme.place_labels(points, frame.width, _HEIGHT, size=size, taken=taken)
    return [
        marks.label(
            {"value": x},
            {"value": y},
            text,
            colour="ink",
            fontWeight="bold",
            align=place.align,
            dx=place.dx,
            dy=place.dy,
        )
        for (x, y, text), place in zip(points, places, strict=True)
        if text and place is not None
    ]


def _lines_taken(frame: _Frame) -> list[theme.Box]:
    """Return boxes along the paths and over the fan."""
    start = frame.place(0.0, 0.0)
    boxes = [
        box
        for path in frame.paths
        for box in theme.boxes_along([start, *(frame.place(*point) for point in path.points)])
    ]
    for before, after in pairwise(frame.fan):
        left, bottom = frame.place(before.at, before.low)
        right, top = frame.place(after.at, after.high)
        boxes.append((left, top, right, bottom))
    return boxes


def _end(frame: _Frame, path: Path, room: float) -> str:
    """Return the name of a path; with its last value where that lies outside the drawing."""
    z = path.points[-1][1]
    value = "" if z == frame.inside(z) else f" ({number(z, digits=1, sign=True)})"
    return f"{theme.shortened(path.name, room - theme.text_width(value))}{value}"
