"""Where labels go so that none covers another."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from detectable.report.charts.lettering import text_width


class Place(NamedTuple):
    """Where a label stands beside its point."""

    align: str
    dx: float
    dy: float


_PLACES = (
    Place("left", 9, 0),
    Place("right", -9, 0),
    Place("left", 7, -9),
    Place("left", 7, 9),
    Place("right", -7, -9),
    Place("right", -7, 9),
    Place("center", 0, -13),
    Place("center", 0, 13),
)
_ROUNDS = 200
_Box = tuple[float, float, float, float]


def dodge(positions: Sequence[float], gap: float) -> list[float]:
    """Move positions apart until neighbours keep `gap`; their order stays.

    Examples
    --------
    >>> dodge([10.0, 12.0, 40.0], 14)
    [4.0, 18.0, 40.0]
    """
    order = sorted(range(len(positions)), key=lambda place: positions[place])
    moved = list(positions)
    for _ in range(_ROUNDS):
        close = [(a, b) for a, b in pairwise(order) if moved[b] - moved[a] < gap - 1e-6]
        if not close:
            break
        for a, b in close:
            push = (gap - moved[b] + moved[a]) / 2
            moved[a] -= push
            moved[b] += push
    return moved


def place_labels(
    points: Sequence[tuple[float, float, str]],
    width: float,
    height: float,
    *,
    size: float = 11,
    radius: float = 6,
) -> list[Place | None]:
    """Return a place for the label of each point, or None where there is no room for it.

    Parameters
    ----------
    points : sequence of (x, y, text)
        In pixels, downwards. The first ones choose first.
    radius : float
        Of a point, which no label may cover.
    """
    taken: list[_Box] = [(x - radius, y - radius, x + radius, y + radius) for x, y, _ in points]
    chosen: list[Place | None] = []
    for own, (x, y, text) in enumerate(points):
        found = None
        for place in _PLACES:
            box = _box(x, y, text_width(text, size), place, size)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            others = (other for k, other in enumerate(taken) if k != own)
            if inside and not any(_clash(box, other) for other in others):
                found = place
                taken.append(box)
                break
        chosen.append(found)
    return chosen


def _box(x: float, y: float, width: float, place: Place, size: float) -> _Box:
    before = {"left": 0.0, "right": width, "center": width / 2}[place.align]
    left, middle = x + place.dx - before, y + place.dy
    return left, middle - 0.55 * size, left + width, middle + 0.55 * size


def _clash(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
