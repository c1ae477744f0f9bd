r"""Multinomial resamples that grow document by document, each of them exact.

A resample of the first k documents draws :math:`n_k` segments with replacement from these
:math:`n_k`. When a document of m segments is added, a resample of :math:`n_{k+1} = n_k + m`
segments has

.. math:: c \sim \text{Binomial}(n_{k+1}, m / n_{k+1})

draws from the new document, and :math:`n_k + (m - c)` from the old ones. So from the resample of
before, m − c draws too few are made up by fresh ones, or c − m too many are taken back, chosen at
random: what remains of a multinomial sample after that is one. Every resample has exactly the
distribution of one drawn afresh, and it costs about :math:`m + \sqrt{m}` draws instead of
:math:`n_{k+1}`.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.progress import Progress
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.resample import Values, weighted_sums

Drawn = NDArray[np.int32]


def announce(progress: Progress) -> None:
    """Say that the next call will compile, where it will."""
    if not _settle.signatures or len(_add_rows.signatures) < 2:
        progress("compiling the kernels of growing samples (first use only)", 0, None)


def grow(
    drawn: Drawn,
    values: list[Values],
    totals: list[FloatArray],
    start: int,
    stop: int,
    rng: np.random.Generator,
) -> None:
    """Add the document of segments ``start … stop`` to resamples of all segments before it.

    Parameters
    ----------
    drawn : array of shape (rows, segments)
        The draws of each resample: the first `start` entries before, the first `stop` after.
    values : list of arrays of shape (segments, columns)
        What is summed.
    totals : list of arrays of shape (rows, columns)
        Sums over the draws; brought up to date.
    """
    rows, m = len(drawn), stop - start
    new = rng.binomial(stop, m / stop, rows) if start else np.full(rows, m)
    missing = m - new
    picks = rng.integers(0, m, (rows, int(new.max())), np.int32)
    chance = rng.random((rows, int(np.abs(missing).max())))
    counts = np.zeros((rows, m), dtype=np.int32)
    changed = np.empty((rows, chance.shape[1]), dtype=np.int32)
    _settle(drawn, start, new, missing, picks, chance, counts, changed)
    fresh = weighted_sums(counts, [matrix[start:stop] for matrix in values])
    for matrix, total, part in zip(values, totals, fresh, strict=True):
        total += part
        _add_rows(total, matrix, changed, missing)


@njit(cache=True, nogil=True)
def _settle(
    drawn: Drawn,
    start: int,
    new: IntArray,
    missing: IntArray,
    picks: Drawn,
    chance: FloatArray,
    counts: NDArray[np.int32],
    changed: Drawn,
) -> None:
    """Add or take back draws of old segments, then add those of the new document."""
    for row in range(drawn.shape[0]):
        size = start
        pool = drawn[row]
        for j in range(missing[row]):
            segment = np.int32(chance[row, j] * start)
            changed[row, j] = segment
            pool[size] = segment
            size += 1
        for j in range(-missing[row]):
            place = int(chance[row, j] * size)
            changed[row, j] = pool[place]
            size -= 1
            pool[place] = pool[size]
        for j in range(new[row]):
            pick = picks[row, j]
            counts[row, pick] += 1
            pool[size] = start + pick
            size += 1


@njit(cache=True, nogil=True)
def _add_rows(total: FloatArray, values: Values, changed: Drawn, missing: IntArray) -> None:
    """Add the values of draws that were made up for, or subtract those taken back."""
    for row in range(total.shape[0]):
        sign = 1.0 if missing[row] > 0 else -1.0
        for j in range(abs(missing[row])):
            source = values[changed[row, j]]
            for column in range(total.shape[1]):
                total[row, column] += sign * source[column]
