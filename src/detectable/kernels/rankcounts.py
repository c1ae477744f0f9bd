"""Rank tests of many samples at once, from counts of the score values.

Ratings on a scale with few values need no sorting: how often each value occurs says everything
that a rank test asks. A row holds the counts of one sample, its columns the values in order.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Ints,
    LongWords,
    OutInts,
    Size,
    Words,
    native,
)

_GUIDE_BITS = 12  # of the 32 random bits of a draw, how many the guide table reads
_FEW = 4096  # samples up to this size are drawn one by one, larger ones cell by cell


def sample_counts(
    probabilities: FloatArray, n: int, rows: int, rng: np.random.Generator
) -> IntArray:
    """Draw `rows` samples of `n` values and count each value: shape (rows, values).

    One draw takes 32 random bits: a guide table leads to within a step or two of the value, which
    is some ten times as fast as numpy's `choice`. Probabilities are therefore exact to 2**-32.
    Large samples cost less by binomial draws of one cell after another (numpy's `multinomial`).
    """
    if n > _FEW:
        return rng.multinomial(n, probabilities / probabilities.sum(), size=rows)
    ends = np.cumsum(probabilities)
    steps = np.rint(ends / ends[-1] * 2.0**32).astype(np.uint64)
    starts = np.arange(1 << _GUIDE_BITS, dtype=np.uint64) << np.uint64(32 - _GUIDE_BITS)
    guide = np.searchsorted(steps, starts, side="right").astype(np.int64)
    words = rng.integers(0, 1 << 64, (rows, -(-n // 2)), np.uint64).view(np.uint32)
    return _count(words, n, steps, guide, probabilities.size)


def _count(
    words: NDArray[np.uint32], n: int, steps: NDArray[np.uint64], guide: IntArray, values: int
) -> IntArray:
    """Count which step each of the first `n` words of a row falls below."""
    rows, stride = words.shape
    counts = np.zeros((rows, values), dtype=np.int64)
    count = native("count_draws", Words, Size, Size, Size, LongWords, Ints, Size, OutInts, Size)
    if count is not None:
        count(words, rows, stride, n, steps, guide, _GUIDE_BITS, counts, values)
        return counts
    for row in range(rows):
        drawn = np.searchsorted(steps, words[row, :n], side="right")
        counts[row] = np.bincount(drawn, minlength=values)
    return counts


def rank_sum_z(a: IntArray, b: IntArray, continuity: float = 0.5) -> FloatArray:
    r"""Return Mann-Whitney's z of each pair of rows; positive where `a` is above `b`.

    With :math:`U = \sum_k a_k (B_{k-1} + b_k / 2)`, :math:`B` the running sum of `b`, and
    :math:`t = a + b` of total N,

    .. math:: z = \frac{U - nm/2}{s}, \qquad
              s^2 = \frac{nm}{12} \Bigl(N + 1 - \frac{\sum_k t_k^3 - t_k}{N (N - 1)}\Bigr).

    The continuity correction is taken off :math:`|U - nm/2|`, which it never turns around; scipy
    lets it become negative, where p is 1 either way. z is 0 where all values are equal.
    """
    x, y = a.astype(np.float64), b.astype(np.float64)
    below = np.cumsum(y, axis=-1)
    n, m = x.sum(axis=-1), below[..., -1]
    u = np.einsum("...k,...k->...", x, below - 0.5 * y)
    both = x + y
    total = n + m
    ties = (np.einsum("...k,...k,...k->...", both, both, both) - total) / (
        total * (total - 1.0)
    )
    return _standardise(u - 0.5 * n * m, n * m / 12.0 * (total + 1.0 - ties), continuity)


def signed_rank_z(counts: IntArray, continuity: float = 0.5) -> FloatArray:
    r"""Return Wilcoxon's signed-rank z of each row of counts of the differences −K … K.

    Zeros are dropped; equal sizes share their mean rank. With :math:`t_j` differences of size j,
    of which :math:`g_j` are positive,

    .. math:: z = \frac{\sum_j (g_j - t_j / 2)\, r_j}{s}, \qquad
              s^2 = \tfrac14 \sum_j t_j r_j^2, \qquad r_j = T_{j-1} + \frac{t_j + 1}{2},

    the variance given the ranks, which is the textbook n(n+1)(2n+1)/24 less its tie correction.
    """
    middle = counts.shape[-1] // 2
    positive = counts[..., middle + 1 :].astype(np.float64)
    negative = counts[..., :middle][..., ::-1]
    sizes = positive + negative
    ranks = np.cumsum(sizes, axis=-1) - 0.5 * sizes + 0.5
    centred = 0.5 * np.einsum("...k,...k->...", positive - negative, ranks)
    return _standardise(
        centred, 0.25 * np.einsum("...k,...k->...", sizes, ranks * ranks), continuity
    )


def signed_rank_z_untied(differences: FloatArray, continuity: float = 0.5) -> FloatArray:
    """Return the same z for rows of differences without ties and zeros.

    The lowest bit of each size is given up for its sign. Positive floats order as the whole
    numbers that they are stored as, so one plain sort ranks the signs; numpy sorts several times
    as fast as it finds the order.
    """
    n = differences.shape[-1]
    labelled = np.abs(differences).view(np.uint64)
    labelled &= ~np.uint64(1)
    labelled |= (differences > 0.0).astype(np.uint64)
    labelled.sort(axis=-1)
    positive = (labelled & np.uint64(1)).astype(np.float64)
    centred = (positive - 0.5) @ np.arange(1.0, n + 1.0)
    return _standardise(centred, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0, continuity)


def moments(counts: IntArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance (n − 1) of each row of counts of `values`."""
    n = counts.sum(axis=-1)
    # About a middle value, so that the difference of squares loses no digits.
    centre = float(values[len(values) // 2])
    shifted = values - centre
    mean = counts @ shifted / n
    squares = counts @ (shifted * shifted)
    return mean + centre, np.maximum(squares - n * mean**2, 0.0) / (n - 1.0)


def _standardise(
    centred: FloatArray, variance: FloatArray | float, continuity: float
) -> FloatArray:
    spread = np.sqrt(np.broadcast_to(variance, centred.shape))
    distance = np.sign(centred) * np.maximum(np.abs(centred) - continuity, 0.0)
    z: FloatArray = np.divide(distance, spread, out=np.zeros_like(centred), where=spread > 0.0)
    return z
