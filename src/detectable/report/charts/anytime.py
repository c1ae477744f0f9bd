"""What may be watched all the time: a band around a difference, and evidence that adds up."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.report.charts import marks, theme

_BAND_HEIGHT = 200  # pixels
_EVIDENCE_HEIGHT = 210
_LEFT = 52  # pixels of the vertical axis, of which ten are the frame of every picture
_RIGHT = 16  # for half of the last label of the axis below
_MOST = 160  # points of a line that can be distinguished
_FEW = 25  # points that are drawn as such
_SETTLED = 1 / 6  # of a path, whose wide bands would squeeze the rest
_LABELLED = len(theme.SERIES)  # lines with a colour and a name each
_LARGEST = math.log(1e6)  # of E that is drawn; more says nothing more
_SMALLEST = math.log(1e-2)
_TICKS = (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1e6)


@dataclass(frozen=True, slots=True)
class Band:
    """A difference and its band, as they were after so many units.

    Attributes
    ----------
    points : tuple of (at, value, low, high)
        The ends may be infinite.
    decided : float, optional
        When the decision fell.
    margins : tuple of float
        Where dotted lines stand.
    """

    name: str
    points: tuple[tuple[float, float, float, float], ...]
    note: str = ""  # below the name
    decided: float | None = None
    colour: str = "better"
    margins: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Wealth:
    """The evidence for one difference: (at, log E) each."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence on a log scale against what decides.

    Attributes
    ----------
    needed : tuple of (at, E)
        What decides, from then on.
    threshold : str
        How it is called beside its line.
    decided : float, optional
        When the decision fell, if it is one for all.
    """

    lines: tuple[Wealth, ...]
    needed: tuple[tuple[float, float], ...]
    threshold: str
    decided: float | None = None


def anytime(
    band: Band | None,
    evidence: Evidence | None,
    *,
    unit: str,
    width: int,
    end: float | None = None,
) -> theme.Spec:
    """Return the band above the evidence, or the one of them that there is.

    Parameters
    ----------
    unit : str
        What the axis counts.
    end : float, optional
        How far it goes at least: the planned end.
    """
    end = max(_end(band, evidence), end or 0.0)
    panels = [] if band is None else [_band(band, unit, end, width)]
    if evidence is not None:
        panels.append(_evidence(evidence, unit, end, width, titled=band is not None))
    if len(panels) == 1:
        return theme.spec(**panels[0])
    return theme.spec(
        vconcat=panels, resolve={"scale": {"x": "independent", "y": "independent"}}
    )


def _end(band: Band | None, evidence: Evidence | None) -> float:
    ends = [] if band is None else [band.points[-1][0]]
    if evidence is not None:
        ends += [line.points[-1][0] for line in evidence.lines if line.points]
    return max(ends)


def _x(unit: str, end: float, room: float) -> theme.Spec:
    return marks.quantitative(
        "at",
        scale={"domain": [0, end], "nice": False},
        title=unit,
        axis={
            "grid": False,
            "format": ",d",
            "tickCount": max(3, min(8, int(room / 70))),
            "labelFlush": False,
        },
    )


def _thinned(places: Sequence[float], kept: float | None) -> list[int]:
    """Return which points of a long path are drawn: some, the last, and where it was decided."""
    step = max(1, math.ceil(len(places) / _MOST))
    chosen = set(range(0, len(places), step)) | {len(places) - 1}
    if kept is not None and kept in places:
        chosen.add(list(places).index(kept))
    return sorted(chosen)


def _band(band: Band, unit: str, end: float, width: int) -> theme.Spec:
    room = width - _LEFT - _RIGHT
    low, high = _range(band)
    points = [band.points[i] for i in _thinned([at for at, *_ in band.points], band.decided)]
    rows = [
        {
            "at": at,
            "value": _within(value, low, high),
            "low": _within(below, low, high),
            "high": _within(above, low, high),
        }
        for at, value, below, above in points
    ]
    banded = [row for row, point in zip(rows, points, strict=True) if _any_end(point)]
    x = _x(unit, end, room)
    y = marks.quantitative(
        "low",
        scale={"domain": [low, high], "nice": False, "zero": False},
        title=None,
        axis={"tickCount": 6, "labelExpr": marks.SIGNED, "minExtent": _LEFT - 16},
    )
    fill = {"type": "area", "color": theme.COLOUR[band.colour], "opacity": 0.18}
    line = {
        "type": "line",
        "color": theme.COLOUR[band.colour],
        "strokeWidth": 2.2 if len(rows) > _FEW else 1.2,
    }
    point = {"type": "point", "filled": True, "size": 46, "color": theme.COLOUR[band.colour]}
    rule = {"type": "rule", "color": theme.COLOUR[band.colour], "strokeWidth": 2.4}
    # Between a few looks nothing is known, so each has a line of its own instead of an area.
    dense = len(rows) > _FEW
    layers = [marks.layer(banded, fill, x=x, y=y, y2={"field": "high"})] if dense else []
    if band.decided is not None:
        layers += _decision(band.decided, end, room)
    layers += [
        marks.horizontal_line(0.0, "ink"),
        *(
            marks.horizontal_line(margin, "equal", dash=(3, 3), width=1.4)
            for margin in band.margins
        ),
        marks.layer(rows, line, x=x, y={**y, "field": "value"}),
    ]
    if not dense:
        layers += [
            marks.layer(banded, rule, x=x, y=y, y2={"field": "high"}),
            marks.layer(rows, point, x=x, y={**y, "field": "value"}),
        ]
    title = {"text": theme.shortened(band.name, 0.9 * width - 20, 13), "subtitle": band.note}
    return {"width": room, "height": _BAND_HEIGHT, "title": title, "layer": layers}


def _any_end(point: tuple[float, float, float, float]) -> bool:
    return math.isfinite(point[2]) or math.isfinite(point[3])


def _within(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


def _range(band: Band) -> tuple[float, float]:
    """Return what the axis shows: all but the wide bands of the beginning."""
    later = band.points[int(len(band.points) * _SETTLED) :]
    ends = [end for _, _, low, high in later for end in (low, high) if math.isfinite(end)]
    values = [value for _, value, _, _ in later]
    low, high = (pick([*ends, *values, *band.margins, 0.0]) for pick in (min, max))
    edge = 0.06 * ((high - low) or 1.0)
    return low - edge, high + edge


def _decision(at: float, end: float, room: float) -> list[theme.Spec]:
    """Return a line where the decision fell, with its words on the side that has room."""
    text = f"decided after {at:,.0f}"
    place = at / end * room
    right = place + 8 + theme.text_width(text, theme.TEXT, bold=True) <= room
    align, dx = ("left", 6) if right else ("right", -6)
    where = {"value": 10}
    return [
        marks.vertical_line(at, "ink", dash=(3, 3)),
        marks.label(at, where, text, colour="ink", align=align, dx=dx, fontWeight="bold"),
    ]


def _evidence(
    evidence: Evidence, unit: str, end: float, width: int, *, titled: bool
) -> theme.Spec:
    narrow = theme.is_narrow(width)
    named = _named(evidence)
    texts = [theme.shortened(line.name, width * (0.26 if narrow else 0.24)) for line in named]
    several = len(evidence.lines) > 1
    right = theme.widest(texts, bold=True) + 14 if several else _RIGHT
    room = width - _LEFT - right
    low, high = _scale(evidence)
    x, y = _x(unit, end, room), _log_axis(low, high)
    layers = [*_threshold(evidence, x, y, end, low, high)]
    others = [line for line in evidence.lines if line not in named]
    layers += [_line(line, low, high, x, y, None, evidence.decided) for line in others]
    layers += [
        _line(line, low, high, x, y, place if several else 0, evidence.decided)
        for place, line in enumerate(named)
    ]
    if several:
        layers += _line_names(named, texts, room, low, high)
    if evidence.decided is not None and not titled:
        layers += _decision(evidence.decided, end, room)
    elif evidence.decided is not None:
        layers.append(marks.vertical_line(evidence.decided, "ink", dash=(3, 3)))
    made: theme.Spec = {"width": room, "height": _EVIDENCE_HEIGHT, "layer": layers}
    title = {"text": "Evidence for a difference (E)", "subtitle": "log scale"}
    return {**made, "title": title}


def _named(evidence: Evidence) -> list[Wealth]:
    """Return the lines that get a colour and a name: those with most evidence."""
    order = sorted(evidence.lines, key=lambda line: -line.points[-1][1])[:_LABELLED]
    return [line for line in evidence.lines if line in order]


def _scale(evidence: Evidence) -> tuple[float, float]:
    """Return the logs between which E is drawn."""
    logs = [_cut(log_e) for line in evidence.lines for _, log_e in line.points]
    needed = [math.log(value) for _, value in evidence.needed]
    return min([*logs, math.log(0.5)]) - 0.1, max([*logs, *needed]) + 0.8


def _cut(log_e: float) -> float:
    return min(_LARGEST, max(_SMALLEST, log_e))


def _log_axis(low: float, high: float) -> theme.Spec:
    ticks = [tick for tick in _TICKS if low <= math.log(tick) <= high]
    if len(ticks) > 9:
        ticks = [tick for tick in ticks if round(math.log10(tick), 9).is_integer()]
    return marks.quantitative(
        "e",
        scale={"type": "log", "domain": [math.exp(low), math.exp(high)], "nice": False},
        title=None,
        axis={"values": ticks, "format": "~s", "minExtent": _LEFT - 16, "labelExpr": _PLAIN},
    )


_PLAIN = "datum.value < 1 ? format(datum.value, '~g') : format(datum.value, ',d')"


def _threshold(
    evidence: Evidence, x: theme.Spec, y: theme.Spec, end: float, low: float, high: float
) -> list[theme.Spec]:
    """Return what decides, as steps, and its name at the left end."""
    steps = [{"at": 0.0, "e": evidence.needed[0][1]}]
    steps += [{"at": at, "e": value} for at, value in evidence.needed]
    steps.append({"at": end, "e": evidence.needed[-1][1]})
    dashed = {
        "type": "line",
        "interpolate": "step-after",
        "color": theme.COLOUR["ink"],
        "strokeDash": [4, 3],
        "strokeWidth": 1.2,
    }
    first = math.log(evidence.needed[0][1])
    down = (high - first) / (high - low) * _EVIDENCE_HEIGHT - 9
    where = {"value": 4}, {"value": down}
    name = marks.label(*where, evidence.threshold, colour="ink")
    return [marks.layer(steps, dashed, x=x, y=y), name]


def _line(
    line: Wealth,
    low: float,
    high: float,
    x: theme.Spec,
    y: theme.Spec,
    place: int | None,
    decided: float | None,
) -> theme.Spec:
    chosen = _thinned([at for at, _ in line.points], decided)
    points = [(0.0, 0.0), *(line.points[i] for i in chosen)]
    rows = [{"at": at, "e": math.exp(_within(_cut(log_e), low, high))} for at, log_e in points]
    mark: theme.Spec = {"type": "line", "color": theme.COLOUR["rule"], "strokeWidth": 1}
    if place is not None:
        mark |= {
            "color": theme.SERIES[place],
            "strokeDash": theme.DASHES[place],
            "strokeWidth": 2.2,
        }
    if len(rows) <= _FEW:
        mark["point"] = {"filled": True, "size": 34, "color": mark["color"]}
    return marks.layer(rows, mark, x=x, y=y)


def _line_names(
    named: Sequence[Wealth], texts: Sequence[str], room: float, low: float, high: float
) -> list[theme.Spec]:
    """Return the names at the right edge, moved apart."""
    downs = [
        (high - _cut(line.points[-1][1])) / (high - low) * _EVIDENCE_HEIGHT for line in named
    ]
    return [
        marks.label(
            {"value": room + 8},
            {"value": down},
            text,
            fontWeight="bold",
            color=theme.SERIES[place],
        )
        for place, (text, down) in enumerate(zip(texts, theme.dodge(downs, 15), strict=True))
    ]
