"""Tests of many pairs of systems at once: means, signed ranks, swaps and counts of scores.

What belongs to pair p is ``starts[p] … starts[p + 1]``; `matching` makes that layout. A slot is a
system in a campaign.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray

Moments = tuple[FloatArray, FloatArray, FloatArray]


@njit(cache=True, nogil=True)
def _sum(values: FloatArray) -> float:
    """Return the sum with what each addition loses added at the end (Neumaier).

    It is the sum of `exact_mean`, to the last bit, but for cases too rare to meet.
    """
    total, lost = 0.0, 0.0
    for value in values:
        after = total + value
        if abs(total) >= abs(value):
            lost += (total - after) + value
        else:
            lost += (value - after) + total
        total = after
    return total + lost


@njit(cache=True, nogil=True)
def clustered_means(
    starts: IntArray, cluster: IntArray, d: FloatArray, n_clusters: int
) -> Moments:
    """Return mean, standard error and degrees of freedom of the differences of each pair.

    The formula and its cases without an answer are those of `inference.cluster_mean`; the
    degrees of freedom are 0 where there is no standard error.
    """
    pairs = starts.size - 1
    mean, error = np.full(pairs, np.nan), np.full(pairs, np.nan)
    df = np.zeros(pairs)
    sums, sizes = np.zeros(n_clusters), np.zeros(n_clusters)
    owner = np.full(n_clusters, -1, dtype=np.int64)
    for p in range(pairs):
        low, high = starts[p], starts[p + 1]
        n = high - low
        if n == 0:
            continue
        centre = _sum(d[low:high]) / n
        mean[p] = centre
        groups = 0
        for x in range(low, high):
            g = cluster[x]
            if owner[g] != p:
                owner[g], sums[g], sizes[g] = p, 0.0, 0.0
                groups += 1
            sums[g] += d[x] - centre
            sizes[g] += 1.0
        if groups < 2:
            continue
        squares, shares, weights, weights_squared = 0.0, 0.0, 0.0, 0.0
        for x in range(low, high):  # each cluster once: its size is set to zero when it is read
            g = cluster[x]
            if sizes[g] == 0.0:
                continue
            h = sizes[g] / n
            w = h * h / (1.0 - h)
            squares += sums[g] ** 2 / (1.0 - h)
            shares += h * h
            weights += w
            weights_squared += w * w
            sizes[g] = 0.0
        df[p] = 1.0 / (shares + weights**2 - weights_squared)
        whole = np.rint(df[p])
        if abs(df[p] - whole) < 1e-9 * whole:
            df[p] = whole
        error[p] = np.sqrt(squares) / n
    return mean, error, df


@njit(cache=True, nogil=True)
def correlations(starts: IntArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Pearson's correlation of the two scores of each pair; NaN where one is constant."""
    pairs = starts.size - 1
    r = np.full(pairs, np.nan)
    for p in range(pairs):
        low, high = starts[p], starts[p + 1]
        if high - low < 2:
            continue
        x, y = a[low:high] - a[low:high].mean(), b[low:high] - b[low:high].mean()
        product = (x * x).sum() * (y * y).sum()
        if product > 0.0:
            r[p] = (x * y).sum() / np.sqrt(product)
    return r


@njit(cache=True, nogil=True)
def signed_ranks_z(starts: IntArray, d: FloatArray, continuity: float = 0.5) -> FloatArray:
    """Return Wilcoxon's z with Pratt's zeros of each pair; positive where the first is above.

    Zeros are ranked with the others and then dropped; the variance is that given the ranks. z is
    0 where all differences are, NaN without units.
    """
    pairs = starts.size - 1
    z = np.full(pairs, np.nan)
    for p in range(pairs):
        values = d[starts[p] : starts[p + 1]]
        n = values.size
        if n == 0:
            continue
        sizes = np.abs(values)
        order = np.argsort(sizes)
        total, squares, x = 0.0, 0.0, 0
        while x < n:
            y, sign = x, 0.0
            while y < n and sizes[order[y]] == sizes[order[x]]:
                sign += np.sign(values[order[y]])
                y += 1
            if sizes[order[x]] > 0.0:
                rank = 0.5 * (x + y + 1.0)
                total += sign * rank
                squares += (y - x) * rank * rank
            x = y
        distance = max(0.5 * abs(total) - continuity, 0.0)
        z[p] = np.sign(total) * distance / (0.5 * np.sqrt(squares)) if squares > 0.0 else 0.0
    return z


@njit(cache=True, nogil=True)
def _swapped(seed: int, pair: int, unit: int) -> bool:
    """Return a random bit that depends on seed, pair and unit alone (splitmix64, twice)."""
    word = np.uint64(seed)
    for part in (pair, unit):
        word = word + (np.uint64(part) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return bool(word >> np.uint64(63))


@njit(cache=True, nogil=True)
def swap_units(starts: IntArray, unit: IntArray, seed: int) -> NDArray[np.bool_]:
    """Return which matched cells change sides: the same for all cells of a unit of a pair."""
    swapped = np.zeros(unit.size, dtype=np.bool_)
    for p in range(starts.size - 1):
        for x in range(starts[p], starts[p + 1]):
            swapped[x] = _swapped(seed, p, unit[x])
    return swapped


@njit(cache=True, nogil=True)
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
    a = np.zeros((pairs.size, n_values), dtype=np.int64)
    b = np.zeros((pairs.size, n_values), dtype=np.int64)
    for row in range(pairs.size):
        p = pairs[row]
        for side in range(2):
            slot = first[p] if side == 0 else second[p]
            for x in range(starts[slot], starts[slot + 1]):
                other = seed >= 0 and _swapped(seed, p, unit[x])
                if (side == 0) != other:
                    a[row, value[x]] += 1
                else:
                    b[row, value[x]] += 1
    return a, b
