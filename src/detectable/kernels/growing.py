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
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.border import check_places, check_shape
from detectable.kernels.native.library import (
    Floats,
    Ids,
    Ints,
    OutFloats,
    OutIds,
    Singles,
    Size,
    native,
)
from detectable.kernels.resample import Values, weighted_sums

Drawn = NDArray[np.int32]

_SETTLE = (OutIds, Size, Size, Size, Size, Ints, Ints, Ids, Size, Floats, Size, OutIds, OutIds)


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
    if not 0 <= start < stop <= drawn.shape[1]:
        raise InputError(f"`drawn` must have room for {stop} draws; got {drawn.shape[1]}.")
    new = rng.binomial(stop, m / stop, rows) if start else np.full(rows, m)
    missing = m - new
    picks = rng.integers(0, m, (rows, int(new.max())), np.int32)
    chance = rng.random((rows, int(np.abs(missing).max())))
    counts = np.zeros((rows, m), dtype=np.int32)
    changed = np.zeros((rows, chance.shape[1]), dtype=np.int32)
    _settle(drawn, start, new, missing, picks, chance, counts, changed)
    check_places(changed, max(start, 1), "drawn")
    fresh = weighted_sums(counts, [matrix[start:stop] for matrix in values])
    for matrix, total, part in zip(values, totals, fresh, strict=True):
        check_shape(total, (rows, matrix.shape[1]), "totals")
        total += part
        _add_rows(total, matrix, changed, missing)


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
    rows, room = drawn.shape
    compiled = native("settle", *_SETTLE)
    if compiled is not None:
        sizes = rows, room, start, counts.shape[1]
        fresh = picks, picks.shape[1]
        compiled(drawn, *sizes, new, missing, *fresh, chance, chance.shape[1], counts, changed)
        return
    size = np.full(rows, start)
    for j in range(chance.shape[1]):  # every row its j-th change
        row = np.flatnonzero(missing > j)
        changed[row, j] = drawn[row, size[row]] = (chance[row, j] * start).astype(np.int32)
        size[row] += 1
        row = np.flatnonzero(-missing > j)
        place = (chance[row, j] * size[row]).astype(np.int64)
        changed[row, j] = drawn[row, place]
        size[row] -= 1
        drawn[row, place] = drawn[row, size[row]]
    row, pick = np.nonzero(np.arange(picks.shape[1]) < new[:, None])
    drawn[row, size[row] + pick] = start + picks[row, pick]
    np.add.at(counts, (row, picks[row, pick]), 1)


def _add_rows(total: FloatArray, values: Values, changed: Drawn, missing: IntArray) -> None:
    """Add the values of draws that were made up for, or subtract those taken back."""
    rows, columns = total.shape
    single = values.dtype == np.float32
    name, kind = ("add_rows_single", Singles) if single else ("add_rows_double", Floats)
    compiled = native(name, OutFloats, Size, Size, kind, Ids, Size, Ints)
    if compiled is not None:
        source = np.ascontiguousarray(values)
        compiled(total, rows, columns, source, changed, changed.shape[1], missing)
        return
    for j in range(changed.shape[1]):
        more, less = np.flatnonzero(missing > j), np.flatnonzero(-missing > j)
        total[more] += values[changed[more, j]]
        total[less] -= values[changed[less, j]]
