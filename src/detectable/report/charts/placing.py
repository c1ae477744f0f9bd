"""Where labels go so that none covers another."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

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
    # Farther off, where the near ones are taken.
    Place("left", 7, -17),
    Place("left", 7, 17),
    Place("right", -7, -17),
    Place("right", -7, 17),
    Place("center", 0, -19),
    Place("center", 0, 19),
)
_ROUNDS = 200
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


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
    taken: Sequence[Box] = (),
) -> list[Place | None]:
    """Return a place for the label of each point, or None where there is no room for it.

    Parameters
    ----------
    points : sequence of (x, y, text)
        In pixels, downwards. The first ones choose first.
    radius : float
        Of a point, which no label may cover.
    taken : sequence of Box
        Where something else is written already.
    """
    kept: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for x, y, _ in points]
    kept += taken
    chosen: list[Place | None] = []
    for own, (x, y, text) in enumerate(points):
        found = None
        for place in _PLACES:
            box = _box(x, y, text_width(text, size), place, size)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            others = (other for k, other in enumerate(kept) if k != own)
            if inside and not any(clash(box, other) for other in others):
                found = place
                kept.append(box)
                break
        chosen.append(found)
    return chosen


def boxes_along(points: Sequence[tuple[float, float]], *, step: float = 6) -> list[Box]:
    """Return small boxes along a line through points, which labels are to keep off.

    Examples
    --------
    >>> boxes_along([(0, 0), (18, 0)])
    [(4.0, -2.0, 8.0, 2.0), (10.0, -2.0, 14.0, 2.0)]
    """
    boxes: list[Box] = []
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = max(2, int(math.hypot(to_x - x, to_y - y) / step))
        for k in range(1, steps):
            at, down = x + (to_x - x) * k / steps, y + (to_y - y) * k / steps
            boxes.append((at - 2, down - 2, at + 2, down + 2))
    return boxes


def _box(x: float, y: float, width: float, place: Place, size: float) -> Box:
    before = {"left": 0.0, "right": width, "center": width / 2}[place.align]
    left, middle = x + place.dx - before, y + place.dy
    return left, middle - 0.55 * size, left + width, middle + 0.55 * size


def clash(a: Box, b: Box) -> bool:
    """Say whether two boxes overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
