r"""Edit distance of a hypothesis and a reference, 64 cells of the matrix in one machine word.

Row :math:`i` of the matrix :math:`D` belongs to the first :math:`i` words of the hypothesis.
Neighbouring cells differ by at most one, so a row is held as the bits of its differences
:math:`D_{i,j} - D_{i,j-1}`: one machine word marks the +1, another the -1, and the next row
follows from a dozen operations (Myers 1999, in the form of Hyyrö 2003 for whole sequences).

Words are numbered within one reference: 0 is any word that it does not hold. ``masks[w]``
has a bit for each position of the reference where word `w` stands.

References
----------
Myers (1999), "A fast bit-vector algorithm for approximate string matching based on dynamic
programming", Journal of the ACM 46(3), 395-415. Hyyrö (2003), "A bit-vector algorithm for
computing Levenshtein and Damerau edit distances", Nordic Journal of Computing 10(1), 29-39.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import IntArray
from detectable.kernels.inner import inner

Bits: TypeAlias = NDArray[np.uint64]
Swap: TypeAlias = tuple[int, int, int]
Step: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]

_0 = np.uint64(0)
_1 = np.uint64(1)
_63 = np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Rows(NamedTuple):
    """The rows of one hypothesis, each cut into blocks of 64 reference positions."""

    up: Bits  # (rows, blocks): D[i, j] - D[i, j - 1] is +1
    down: Bits  # the same difference is -1
    level: Bits  # D[i, j] equals D[i - 1, j - 1]
    last: IntArray  # (rows,): D[i, m], m being the length of the reference


@inner
def fill_rows(words: IntArray, masks: Bits, m: int, rows: Rows) -> int:
    """Compute all rows and return the distance."""
    top, blocks = np.uint64((m - 1) & 63), (m + 63) >> 6
    for k in range(blocks):  # an empty hypothesis: 0, 1, 2 … m
        rows.up[0, k] = _ALL
        rows.down[0, k] = _0
    rows.last[0] = m
    for i in range(words.size):
        plus, minus = _1, _0  # column 0 holds the row number, which grows
        for k in range(blocks):
            up, down, level, grow, shrink = _step(
                rows.up[i, k], rows.down[i, k], masks[words[i], k], plus, minus
            )
            rows.up[i + 1, k] = up
            rows.down[i + 1, k] = down
            rows.level[i + 1, k] = level
            end = top if k == blocks - 1 else _63
            plus, minus = (grow >> end) & _1, (shrink >> end) & _1
        rows.last[i + 1] = rows.last[i] + np.int64(plus) - np.int64(minus)
    return int(rows.last[words.size])


@inner
def swapped_distance(
    words: IntArray, masks: Bits, m: int, rows: Rows, swap: Swap, limit: int
) -> int:
    """Return the distance after the neighbours ``[a, b)`` and ``[b, c)`` change places.

    `rows` are those of `words` as they stand; nothing before `a` is computed again. The answer
    is exact up to `limit`. Above, it is a lower bound: the work ends as soon as the limit is
    out of reach, each further word of the hypothesis lowering the last column by one at most.
    """
    if m <= 64:
        return _swapped_short(words, masks, m, rows, swap, limit)
    return _swapped_long(words, masks, m, rows, swap, limit)


@inner
def _step(
    up: np.uint64, down: np.uint64, match: np.uint64, plus: np.uint64, minus: np.uint64
) -> Step:
    """Return the block below (`up`, `down`), its level bits, and where cells grow or shrink.

    `plus` and `minus` say whether the cell left of the block grows or shrinks from the row
    above to this one.
    """
    reach = match | minus
    level = (((reach & up) + up) ^ up) | reach | down
    grow = down | ~(level | up)
    shrink = level & up
    grow_in = (grow << _1) | plus
    return (shrink << _1) | minus | ~(level | grow_in), grow_in & level, level, grow, shrink


@inner
def _swapped_short(
    words: IntArray, masks: Bits, m: int, rows: Rows, swap: Swap, limit: int
) -> int:
    """One block: the whole state stays in registers."""
    a, b, c = swap
    end = np.uint64(m - 1)
    up, down = rows.up[a, 0], rows.down[a, 0]
    bound = rows.last[a] - (words.size - a)
    for start, stop in ((b, c), (a, b), (c, words.size)):
        for i in range(start, stop):
            up, down, _, grow, shrink = _step(up, down, masks[words[i], 0], _1, _0)
            bound += 1 + np.int64((grow >> end) & _1) - np.int64((shrink >> end) & _1)
            if bound > limit:
                return int(bound)
    return int(bound)


@inner
def _swapped_long(
    words: IntArray, masks: Bits, m: int, rows: Rows, swap: Swap, limit: int
) -> int:
    a, b, c = swap
    top, blocks = np.uint64((m - 1) & 63), (m + 63) >> 6
    up, down = rows.up[a].copy(), rows.down[a].copy()
    bound = rows.last[a] - (words.size - a)
    for start, stop in ((b, c), (a, b), (c, words.size)):
        for i in range(start, stop):
            plus, minus = _1, _0
            for k in range(blocks):
                up[k], down[k], _, grow, shrink = _step(
                    up[k], down[k], masks[words[i], k], plus, minus
                )
                end = top if k == blocks - 1 else _63
                plus, minus = (grow >> end) & _1, (shrink >> end) & _1
            bound += 1 + np.int64(plus) - np.int64(minus)
            if bound > limit:
                return int(bound)
    return int(bound)
