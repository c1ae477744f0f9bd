"""The range that a chart shows, so that one far value does not squeeze all others."""

from collections.abc import Sequence
from typing import NamedTuple

_ENOUGH = 5  # rows below which every one is shown where it is
_SQUEEZED = 0.5  # of the range is what the others would be left with
_MOST = 0.25  # of the rows may stand at the edge


class Focus(NamedTuple):
    """What a chart shows: from `low` to `high`, with some rows at the edge."""

    low: float
    high: float
    below: frozenset[int]
    above: frozenset[int]

    @property
    def outside(self) -> frozenset[int]:
        """The rows that are drawn at the edge, as an arrow with a number."""
        return self.below | self.above

    def domain(self, padding: float = 0.04) -> list[float]:
        """Return the ends of the axis; wider where an arrow needs room."""
        span = (self.high - self.low) or 1.0
        before = 3 * padding if self.below else padding
        after = 3 * padding if self.above else padding
        return [self.low - before * span, self.high + after * span]


def focus(lows: Sequence[float], highs: Sequence[float]) -> Focus:
    """Return the range that shows most rows well.

    A row is put at the edge if without it the range is under half, one at a time, and never
    more than a quarter of all rows.

    Examples
    --------
    >>> focus([0, 1, 2, 1, -90], [3, 4, 5, 4, -80]).below
    frozenset({4})
    """
    below: set[int] = set()
    above: set[int] = set()
    rows = set(range(len(lows)))
    most = max(1, int(_MOST * len(lows))) if len(lows) >= _ENOUGH else 0
    while len(below) + len(above) < most:
        low, high = _range(rows, lows, highs)
        lowest = min(rows, key=lambda row: lows[row])
        highest = max(rows, key=lambda row: highs[row])
        spans = {row: _span(rows - {row}, lows, highs) for row in (lowest, highest)}
        far = min(spans, key=lambda row: spans[row])
        if spans[far] >= _SQUEEZED * (high - low):
            break
        (below if far == lowest else above).add(far)
        rows.remove(far)
    low, high = _range(rows, lows, highs)
    return Focus(low, high, frozenset(below), frozenset(above))


def _range(
    rows: set[int], lows: Sequence[float], highs: Sequence[float]
) -> tuple[float, float]:
    return min(lows[row] for row in rows), max(highs[row] for row in rows)


def _span(rows: set[int], lows: Sequence[float], highs: Sequence[float]) -> float:
    low, high = _range(rows, lows, highs)
    return high - low
