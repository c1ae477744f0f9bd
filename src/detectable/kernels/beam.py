r"""Edit distance inside a beam around the pseudo-diagonal, as sacreBLEU's TER defines it.

With :math:`n` words in the hypothesis and :math:`m` in the reference, row :math:`i \ge 1` of
the matrix holds only the columns

.. math:: \lfloor i\, m / n \rfloor - w \le j < \lfloor i\, m / n \rfloor + w,

and the last row all columns from its first one up to :math:`m`. The width is :math:`w = 25`,
or :math:`\lceil m / (2 n) + 25 \rceil` where :math:`m / (2 n) > 25`, so that neighbouring rows
always meet. Leaving cells out can only raise the distance.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import IntArray
from detectable.kernels.inner import inner

Band: TypeAlias = NDArray[np.int32]

_WIDTH = 25
_FAR = 1 << 30  # a cell outside the beam; room is left to add edits to it


@inner
def limits(i: int, n: int, m: int) -> tuple[int, int]:
    """Return the first column of row `i`, and the one after its last."""
    if i == 0:
        return 0, m + 1
    ratio = m / n
    width = _WIDTH if ratio / 2 <= _WIDTH else math.ceil(ratio / 2 + _WIDTH)
    middle = math.floor(i * ratio)
    return max(0, middle - width), m + 1 if i == n else min(m + 1, middle + width)


@inner
def safe_distance(n: int, m: int) -> int:
    r"""Return a bound: a true edit distance below it is also the distance inside the beam.

    A path through cell :math:`(i, j)` costs at least :math:`|i - j| + |(n - i) - (m - j)|`.
    In a row this is smallest between :math:`j = i` and :math:`j = i + m - n`, where the
    pseudo-diagonal runs, and grows from there to both sides, so the cheapest excluded cells
    are those next to the beam. If the true distance is below the cheapest of all rows, no best
    path leaves the beam: the distance and the preferred path are those of the full matrix.
    """
    bound = _FAR
    for i in range(1, n + 1):
        low, high = limits(i, n, m)
        if low > 0:
            bound = min(bound, abs(i - low + 1) + abs(n - i - m + low - 1))
        if high <= m:
            bound = min(bound, abs(i - high) + abs(n - i - m + high))
    return bound


@inner
def new_band(n: int, m: int) -> Band:
    """Return room for the rows 1 … n; column `j` of row `i` stands at ``j - limits(i)[0]``."""
    width = 1
    for i in range(1, n + 1):
        low, high = limits(i, n, m)
        width = max(width, high - low)
    return np.empty((n + 1, width), np.int32)


@inner
def cell(band: Band, i: int, j: int, n: int, m: int) -> int:
    """Return the distance at row `i` and column `j`, far away if that is outside the beam."""
    if i == 0:
        return j
    low, high = limits(i, n, m)
    return int(band[i, j - low]) if low <= j < high else _FAR


@inner
def fill_band(words: IntArray, reference: IntArray, band: Band, first: int) -> int:
    """Compute the rows after row `first`, which must be right, and return the distance."""
    n, m = words.size, reference.size
    for i in range(first + 1, n + 1):
        low, high = limits(i, n, m)
        above_low, above_high = limits(i - 1, n, m)
        left = _FAR
        diagonal = cell(band, i - 1, low - 1, n, m) if low > 0 else _FAR
        for j in range(low, high):
            above = _FAR
            if above_low <= j < above_high:
                above = j if i == 1 else int(band[i - 1, j - above_low])
            best = min(above, left) + 1
            if j > 0:
                best = min(best, diagonal + int(words[i - 1] != reference[j - 1]))
            band[i, j - low] = best
            left, diagonal = best, above
    return cell(band, n, m, n, m)
