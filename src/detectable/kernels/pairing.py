"""Tests of many pairs of systems at once: means, signed ranks, swaps and counts of scores.

What belongs to pair p is ``starts[p] … starts[p + 1]``; `matching` makes that layout. A slot is a
system in a campaign.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Floats,
    Ints,
    LongWords,
    OutBytes,
    OutFloats,
    OutInts,
    Size,
    Words,
    check_offsets,
    check_places,
    check_shape,
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

    The formula and its cases without an answer are those of `inference.standard_errors`; the
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


# --- Cells of two systems, matched, and the raters of an item averaged ---
#
# A cell is what one rater gave one item of one system. The systems of a campaign have neighbouring
# numbers (“slots”). Cells come sorted by campaign, item, rater and slot, so that the systems that
# can be compared stand side by side. What belongs to pair p is ``starts[p] … starts[p + 1]``.


def match_cells(
    group: IntArray, slot: IntArray, campaign: IntArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the cells that both systems of each pair have: starts, first cell, second cell.

    Parameters
    ----------
    group : array of shape (cells,)
        Equal for neighbouring cells of one campaign, item and rater.
    slot : array of shape (cells,)
        The system, rising within a group.
    campaign : array of shape (slots,)
        The campaign of a slot; slots are sorted by it.
    first, second : arrays of shape (pairs,)
        The slots of each pair, two of one campaign, in either order.
    """
    pair_of, row = _pair_table(campaign, first, second)
    ahead, behind, pair = [], [], []
    lag = 1
    # Cells that have a neighbour of their group at this distance.
    while (here := np.flatnonzero(group[lag:] == group[:-lag])).size:
        found = pair_of[row[slot[here]] + slot[here + lag]]
        wanted = found >= 0
        if not wanted.all():
            here, found = here[wanted], found[wanted]
        ahead.append(here)
        behind.append(here + lag)
        pair.append(found)
        lag += 1
    left, right, number = (
        np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (ahead, behind, pair)
    )
    order = np.argsort(number * np.int64(group.size) + left, kind="stable")
    left, right, number = left[order], right[order], number[order]
    starts = np.searchsorted(number, np.arange(first.size + 1))
    turned = (first > second)[number]
    if turned.any():
        left, right = np.where(turned, right, left), np.where(turned, left, right)
    return starts, left, right


def _pair_table(
    campaign: IntArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the pair of every two slots of a campaign (−1: none), and where to find it.

    The entry of slots i < j is ``row[i] + j``.
    """
    sizes = np.bincount(campaign)
    begins = (np.cumsum(sizes) - sizes)[campaign]
    width = sizes[campaign]
    squares = sizes * sizes
    base = (np.cumsum(squares) - squares)[campaign] - begins * width - begins
    row = base + np.arange(campaign.size) * width
    table = np.full(int(squares.sum()), -1, dtype=np.int64)
    low, high = np.minimum(first, second), np.maximum(first, second)
    table[row[low] + high] = np.arange(first.size)
    return table, row


def means_of_runs(values: FloatArray, size: IntArray) -> FloatArray:
    """Return the mean of each run of so many neighbouring values, added up from left to right.

    Examples
    --------
    >>> means_of_runs(np.array([1.0, 3.0, 7.0]), np.array([2, 1])).tolist()
    [2.0, 7.0]
    """
    run = np.repeat(np.arange(size.size), size)
    return np.bincount(run, values, minlength=size.size) / size


def mean_by_item(
    starts: IntArray, item: IntArray, first: FloatArray, second: FloatArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Average the raters of each item of a pair: starts, item, first, second, difference.

    Cells of one item must be neighbours within a pair. The difference is the mean of the raters'
    differences, which are small numbers where their scores are not.
    """
    if not item.size:
        nothing = np.zeros(0)
        return starts.copy(), item.copy(), nothing, nothing, nothing
    new = np.diff(item, prepend=-1) != 0
    new[starts[:-1][starts[:-1] < item.size]] = True
    begins = np.flatnonzero(new)
    size = np.diff(begins, append=item.size)
    means = [means_of_runs(part, size) for part in (first, second, first - second)]
    return np.searchsorted(begins, starts), item[begins], means[0], means[1], means[2]


# --- Rank tests of many samples at once, from counts of the score values ---
#
# Ratings on a scale with few values need no sorting: how often each value occurs says everything
# that a rank test asks. A row holds the counts of one sample, its columns the values in order.

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
