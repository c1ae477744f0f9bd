"""Tests of many pairs of systems at once: means, signed ranks, swaps and counts of scores.

What belongs to pair p is ``starts[p] … starts[p + 1]``; `matching` makes that layout. A slot is a
system in a campaign.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.border import check_offsets, check_places, check_shape
from detectable.kernels.native.library import (
    Floats,
    Ints,
    OutBytes,
    OutFloats,
    OutInts,
    Size,
    native,
)

Moments = tuple[FloatArray, FloatArray, FloatArray]

_WORD = (1 << 64) - 1
_MEANS = (Ints, Size, Ints, Floats, OutFloats, OutFloats, OutInts, *(3 * (OutFloats,)))
_COUNTS = (Ints, Size, Ints, Ints, Ints, Ints, Ints, Size, Size, OutInts, OutInts)


def clustered_means(
    starts: IntArray, cluster: IntArray, d: FloatArray, n_clusters: int
) -> Moments:
    """Return mean, standard error and degrees of freedom of the differences of each pair.

    The formula and its cases without an answer are those of `inference.cluster_mean`; the
    degrees of freedom are 0 where there is no standard error. The sum behind the mean carries
    what each addition loses (Neumaier): it is that of `exact_mean`, to the last bit, but for cases
    too rare to meet.
    """
    starts, cluster = np.ascontiguousarray(starts), np.ascontiguousarray(cluster)
    d = np.ascontiguousarray(d)
    check_offsets(starts, d.size, "starts")
    check_shape(cluster, d.shape, "cluster")
    check_places(cluster, n_clusters, "cluster")
    pairs = starts.size - 1
    mean, error, df = np.full(pairs, np.nan), np.full(pairs, np.nan), np.zeros(pairs)
    compiled = native("clustered_means", *_MEANS)
    if compiled is not None:
        sums, sizes = np.empty(n_clusters), np.empty(n_clusters)
        owner = np.full(n_clusters, -1, np.int64)
        compiled(starts, pairs, cluster, d, sums, sizes, owner, mean, error, df)
        return mean, error, df
    for p in range(pairs):
        part = slice(starts[p], starts[p + 1])
        if d[part].size:
            mean[p], error[p], df[p] = _clustered_mean(cluster[part], d[part])
    return mean, error, df


def _clustered_mean(cluster: IntArray, d: FloatArray) -> tuple[float, float, float]:
    """Return the three for one pair, every sum added up in the order in which C does it."""
    n = d.size
    centre = _compensated(d) / n
    _, first, group = np.unique(cluster, return_index=True, return_inverse=True)
    if first.size < 2:
        return centre, np.nan, 0.0
    order = np.argsort(first)  # clusters as they come up
    sums = np.bincount(group, d - centre)[order]
    h = np.bincount(group)[order] / n
    w = h * h / (1.0 - h)
    squares, shares, weights, weights_squared = (
        float(np.cumsum(terms)[-1]) for terms in (sums * sums / (1.0 - h), h * h, w, w * w)
    )
    df = 1.0 / (shares + weights * weights - weights_squared)
    whole = float(np.rint(df))
    if abs(df - whole) < 1e-9 * whole:
        df = whole
    return centre, float(np.sqrt(squares)) / n, df


def _compensated(values: FloatArray) -> float:
    after = np.cumsum(values)
    before = np.concatenate([[0.0], after[:-1]])
    larger = np.abs(before) >= np.abs(values)
    lost = np.where(larger, (before - after) + values, (values - after) + before)
    return float(after[-1] + np.cumsum(lost)[-1])


def correlations(starts: IntArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Pearson's correlation of the two scores of each pair; NaN where one is constant."""
    starts = np.ascontiguousarray(starts)
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    check_offsets(starts, a.size, "starts")
    check_shape(b, a.shape, "b")
    sizes = np.diff(starts)
    r = np.full(sizes.size, np.nan)
    compiled = native("correlations", Ints, Size, Floats, Floats, OutFloats)
    if compiled is not None:
        compiled(starts, sizes.size, a, b, r)
        return r
    pair = np.repeat(np.arange(sizes.size), sizes)

    def sums(values: FloatArray) -> FloatArray:
        # `bincount` adds from left to right, as C does.
        return np.bincount(pair, values, minlength=sizes.size).astype(np.float64, copy=False)

    x, y = (
        part - (sums(part) / np.maximum(sizes, 1))[pair]
        for part in (a[starts[0] : starts[-1]], b[starts[0] : starts[-1]])
    )
    product = sums(x * x) * sums(y * y)
    varied = (sizes >= 2) & (product > 0.0)
    np.divide(sums(x * y), np.sqrt(product), out=r, where=varied)
    return r


def signed_ranks_z(starts: IntArray, d: FloatArray, continuity: float = 0.5) -> FloatArray:
    """Return Wilcoxon's z with Pratt's zeros of each pair; positive where the first is above.

    Zeros are ranked with the others and then dropped; the variance is that given the ranks. z is
    0 where all differences are, NaN without units.

    Finite floats without their sign order as the whole numbers that they are stored as. The place
    of the sign bit goes to the end of the word, so one plain sort ranks sizes and keeps signs;
    numpy sorts several times as fast as it finds the order.
    """
    check_offsets(starts, d.size, "starts")
    sizes = np.diff(starts)
    used = d[starts[0] : starts[-1]]
    begins = starts - starts[0]
    keys = (used.view(np.uint64) << np.uint64(1)) | (used > 0.0)
    for low, high in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        keys[low:high].sort()
    pair = np.repeat(np.arange(sizes.size), sizes)
    ordered = keys >> np.uint64(1)
    new = np.ones(keys.size, np.bool_)  # where a run of equal sizes begins
    new[1:] = (ordered[1:] != ordered[:-1]) | (pair[1:] != pair[:-1])
    at = np.flatnonzero(new)
    length = np.diff(at, append=keys.size)
    positive = np.add.reduceat(keys & np.uint64(1), at).astype(np.int64) if at.size else at
    moved = ordered[at] > 0
    at, length, positive = at[moved], length[moved], positive[moved]
    pair = pair[at]
    x = at - begins[pair]
    rank = 0.5 * (x + (x + length) + 1.0)
    total = np.bincount(pair, (2 * positive - length) * rank, minlength=sizes.size)
    squares = np.bincount(pair, length * rank * rank, minlength=sizes.size)
    distance = np.maximum(0.5 * np.abs(total) - continuity, 0.0)
    z = np.where(sizes > 0, 0.0, np.nan)
    spread = 0.5 * np.sqrt(squares)
    np.divide(np.sign(total) * distance, spread, out=z, where=spread > 0.0)
    return z


def _swapped(seed: int, pair: IntArray | int, unit: IntArray) -> NDArray[np.bool_]:
    """Return random bits that depend on seed, pair and unit alone (splitmix64, twice)."""
    word = np.full(unit.size, seed & _WORD, np.uint64)
    for part in (pair, unit):
        word += (np.atleast_1d(part).astype(np.uint64) + np.uint64(1)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return (word >> np.uint64(63)).astype(np.bool_)


def swap_units(starts: IntArray, unit: IntArray, seed: int) -> NDArray[np.bool_]:
    """Return which matched cells change sides: the same for all cells of a unit of a pair."""
    starts, unit = np.ascontiguousarray(starts), np.ascontiguousarray(unit)
    check_offsets(starts, unit.size, "starts")
    swapped = np.zeros(unit.size, dtype=np.bool_)
    compiled = native("swap_units", Ints, Size, Ints, Size, OutBytes)
    if compiled is not None:
        compiled(starts, starts.size - 1, unit, seed, swapped.view(np.uint8))
        return swapped
    used = slice(starts[0], starts[-1])
    pair = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    swapped[used] = _swapped(seed, pair, unit[used])
    return swapped


def pair_counts(
    pairs: IntArray,
    systems: tuple[IntArray, IntArray],
    rows: tuple[IntArray, IntArray, IntArray],
    n_values: int,
    seed: int,
) -> tuple[IntArray, IntArray]:
    """Count the score values of both systems of some pairs: two arrays (pairs, values).

    Parameters
    ----------
    pairs : array of int
        Numbers of the pairs.
    systems : two arrays of int
        First and second slot of every pair.
    rows : three arrays of int
        The start of each slot, and score value and unit of each row, sorted by slot.
    seed : int
        Swap the two systems at random, unit by unit, as `swap_units` does; negative: do not.
    """
    first, second = systems
    starts, value, unit = rows
    pairs, first, second, starts, value, unit = (
        np.ascontiguousarray(array) for array in (pairs, first, second, starts, value, unit)
    )
    check_offsets(starts, value.size, "starts")
    check_shape(unit, value.shape, "unit")
    check_places(value, n_values, "value")
    check_places(pairs, min(first.size, second.size), "pairs")
    check_places(first[pairs], starts.size - 1, "first")
    check_places(second[pairs], starts.size - 1, "second")
    a = np.zeros((pairs.size, n_values), dtype=np.int64)
    b = np.zeros((pairs.size, n_values), dtype=np.int64)
    compiled = native("pair_counts", *_COUNTS)
    if compiled is not None:
        compiled(pairs, pairs.size, first, second, starts, value, unit, n_values, seed, a, b)
        return a, b
    for row, p in enumerate(pairs.tolist()):
        for slot, own, other in ((first[p], a, b), (second[p], b, a)):
            part = slice(starts[slot], starts[slot + 1])
            moved = _swapped(seed, p, unit[part]) & (seed >= 0)
            values = value[part]
            own[row] += np.bincount(values[~moved], minlength=n_values)
            other[row] += np.bincount(values[moved], minlength=n_values)
    return a, b
