"""Sums of statistics over random halves and over bootstrap resamples, as matrix products.

A row of the left matrix says how often each unit (segment or document) is taken: 0 or 1 for a
random half, 0, 1, 2 … for a bootstrap resample. The right matrix holds the statistics of all
systems and metrics side by side, so that one draw serves them all.
"""

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Bytes,
    Floats,
    Ids,
    Ints,
    OutFloats,
    OutIds,
    OutInts,
    Singles,
    Size,
    check_places,
    check_shape,
    native,
)

# Small integers stay as they are and become single precision tile by tile.
Values = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.int16] | NDArray[np.int32]

# Units per product. It bounds the memory for a million segments. Random bits are drawn tile by
# tile, so this number is part of every answer: changing it changes the draws.
TILE = 1 << 13
ALIGNED = 96  # rows or columns that every product adds up alike, whatever stands beside them
_CELLS = 1 << 22  # cells of a bootstrap count matrix in memory; does not change the answer
_EXACT = float(1 << 22)  # float32 holds whole numbers exactly to 2**24; leave a margin of 4
_NARROW = 16  # columns of real numbers up to which bytes are looked up; more are a product


def compact(values: NDArray[Any]) -> Values:
    """Return `values` as float32 where every sum over a tile stays exact, else as float64.

    Counts are whole numbers, and products of whole numbers below 2**24 are exact in single
    precision: half the memory traffic, twice the speed and the same answer. Small integers, which
    are smaller still, stay as they are where their sums are exact.
    """
    tiles = range(0, len(values), TILE)
    small = values.dtype.kind == "i"
    whole = small or bool((values == np.rint(values)).all())
    if whole and all(np.abs(values[t : t + TILE]).sum(axis=0).max() < _EXACT for t in tiles):
        return values if small else values.astype(np.float32)
    return values.astype(np.float64, copy=False)


def half_sums(values: list[Values], rows: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return the sums of each matrix over `rows` random halves (each unit in with chance ½).

    Every matrix of `values` has one row per unit; all see the same halves.
    """
    return half_sums_with_units(values, rows, rng, np.zeros(0, np.int64))[0]


def half_sums_with_units(
    values: list[Values], rows: int, rng: np.random.Generator, units: IntArray
) -> tuple[list[FloatArray], NDArray[np.uint8]]:
    """Return what `half_sums` returns, and which of some units each half holds: (rows, units)."""
    n = len(values[0])
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    held = np.zeros((rows, units.size), np.uint8)
    for start in range(0, n, TILE):
        width = min(TILE, n - start)
        words = rng.integers(0, 1 << 64, (rows, -(-width // 64)), np.uint64)
        bits = words.view(np.uint8)
        _add_halves(sums, bits, values, start, width)
        here = np.flatnonzero((units >= start) & (units < start + width))
        byte, place = np.divmod(units[here] - start, 8)
        held[:, here] = bits[:, byte] >> (7 - place).astype(np.uint8) & 1
    return sums, held


def half_sums_in_parts(
    values: list[Values], rows: int, rng: np.random.Generator, step: int
) -> Iterator[list[FloatArray]]:
    """Give what `half_sums` returns, `step` rows at a time, to the bit.

    A product adds up the rows at the end of a matrix in another way than the others, some 4 to 32 of
    them: so `step` is cut to a multiple of 96.
    """
    n = len(values[0])
    drawn = [
        (start, rng.integers(0, 1 << 64, (rows, -(-min(TILE, n - start) // 64)), np.uint64))
        for start in range(0, n, TILE)
    ]
    step = max(step // ALIGNED, 1) * ALIGNED
    for first in range(0, rows, step):
        size = min(step, rows - first)
        sums = [np.zeros((size, matrix.shape[1])) for matrix in values]
        for start, words in drawn:
            bits = words[first : first + size].view(np.uint8)
            _add_halves(sums, bits, values, start, min(TILE, n - start))
        yield sums


def _add_halves(
    sums: list[FloatArray],
    bits: NDArray[np.uint8],
    values: list[Values],
    start: int,
    width: int,
) -> None:
    """Add what the bits take of units ``start`` to ``start + width`` to the running sums."""
    left: list[int] = []
    for place, (total, matrix) in enumerate(zip(sums, values, strict=True)):
        part = matrix[start : start + width]
        if matrix.dtype != np.float64:
            counted = half_sums_of_counts(bits, part.astype(np.int32))
            if counted is not None:
                total += counted
                continue
        elif matrix.shape[1] <= _NARROW:
            add_half_sums(total, bits, part.astype(np.float64, copy=False))
            continue
        left.append(place)
    if left:
        taken = np.unpackbits(bits, axis=1, count=width)
        _add_products([sums[i] for i in left], taken, [values[i] for i in left], start)


def bootstrap_sums(
    values: list[Values], rows: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return the sums of each matrix over `rows` resamples of n units with replacement."""
    n = len(values[0])
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    step = max(1, _CELLS // n)
    for first in range(0, rows, step):
        batch = min(step, rows - first)
        drawn = rng.integers(0, n, (batch, n))
        drawn += n * np.arange(batch)[:, None]
        taken = np.bincount(drawn.ravel(), minlength=batch * n).reshape(batch, n)
        for total, part in zip(sums, weighted_sums(taken, values), strict=True):
            total[first : first + batch] = part
    return sums


def weighted_sums(taken: NDArray[np.generic], values: list[Values]) -> list[FloatArray]:
    """Return ``taken @ matrix`` of each matrix, in double precision, tile by tile."""
    rows, n = taken.shape
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    for start in range(0, n, TILE):
        _add_products(sums, taken[:, start : start + TILE], values, start)
    return sums


def _add_products(
    sums: Iterable[FloatArray], taken: NDArray[np.generic], values: list[Values], start: int
) -> None:
    """Add ``taken @ values[start:…]`` to the running sums, converting `taken` once per type."""
    converted: dict[np.dtype[Any], NDArray[Any]] = {}
    for total, matrix in zip(sums, values, strict=True):
        kind = np.dtype(np.float32) if matrix.dtype.kind == "i" else matrix.dtype
        if kind not in converted:
            converted[kind] = taken.astype(kind)
        part = matrix[start : start + taken.shape[1]].astype(kind, copy=False)
        total += converted[kind] @ part


# --- Sums over random halves from tables of bytes: no random bit is ever unpacked ---
#
# Eight units have 256 subsets. Their sums are added up once; then each byte of random bits looks up
# what it takes (the “method of four Russians”). Counts are whole numbers, whose sums are exact in any
# order. Other sums are added in the order of the bytes, in C and in numpy alike, so that both
# give the same bits.
#
# References
# ----------
# .. [1] Arlazarov, Dinic, Kronrod and Faradzhev (1970), "On economical construction of the transitive
# closure of a directed graph", Soviet Mathematics Doklady 11, 1209–1210.


def half_sums_of_counts(
    bits: NDArray[np.uint8], counts: NDArray[np.int32]
) -> NDArray[np.int32] | None:
    """Return the sums of whole numbers over the units that each row of `bits` takes.

    None without the library: then products of matrices are faster. The caller knows that no sum
    leaves 32 bits.

    Parameters
    ----------
    bits : array of shape (rows, bytes)
        The highest bit of the first byte is the first unit.
    counts : array of shape (units, columns)
        With at most eight units per byte.

    Examples
    --------
    >>> bits = np.array([[0b10100000]], np.uint8)
    >>> sums = half_sums_of_counts(bits, np.array([[1], [2], [4]], np.int32))
    >>> sums is None or sums.tolist() == [[5]]
    True
    """
    _check(bits, len(counts))
    add = native("half_sums_of_counts", Bytes, Size, Size, Ids, Size, Size, OutIds)
    if add is None:
        return None
    sums = np.zeros((len(bits), counts.shape[1]), np.int32)
    add(bits, *bits.shape, np.ascontiguousarray(counts), *counts.shape, sums)
    return sums


def add_half_sums(total: FloatArray, bits: NDArray[np.uint8], values: FloatArray) -> None:
    """Add the sums over the units that each row of `bits` takes to `total`, byte by byte."""
    _check(bits, len(values))
    add = native("half_sums_of_reals", Bytes, Size, Size, Floats, Size, Size, OutFloats)
    if add is not None:
        add(bits, *bits.shape, np.ascontiguousarray(values), *values.shape, total)
        return
    padded = np.zeros((-(-len(values) // 8), 8, values.shape[1]))
    padded.reshape(-1, values.shape[1])[: len(values)] = values
    for table, byte in zip(_sums_of_subsets(padded), bits.T, strict=False):
        total += table[byte]


def _sums_of_subsets(values: FloatArray) -> FloatArray:
    """Return the sums of all subsets of the eight units of each byte, (bytes, 256, columns)."""
    tables = np.zeros((len(values), 256, values.shape[2]))
    for place in range(8):
        half = 1 << place
        own = values[:, 7 - place, None]
        tables[:, half : 2 * half] = tables[:, :half] + own
    return tables


def _check(bits: NDArray[np.uint8], n_units: int) -> None:
    if bits.ndim != 2 or n_units > 8 * bits.shape[1]:
        raise ValueError(f"{n_units} units do not fit into bits of shape {bits.shape}")


# --- The largest statistic of a family, from the least extreme hypothesis on ---


def step_down(
    differences: FloatArray, order: IntArray, scales: FloatArray, least: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Count for every hypothesis how often the largest of it and all less extreme reaches it.

    Parameters
    ----------
    differences : array of shape (rows, columns)
    order : array of int of shape (n,)
        The columns of the hypotheses, the most extreme first.
    scales, least : array of shape (n,)
        In this order: what |difference| is divided by (0: no statistic), and what is reached.

    Returns
    -------
    (array of shape (n,), array of shape (rows,))
        Counts, and the largest statistic of all.

    Examples
    --------
    >>> found = np.array([[1.0, -3.0], [2.0, 0.5]])
    >>> step_down(found, np.array([1, 0]), np.ones(2), np.array([2.5, 1.5]))
    (array([1, 1]), array([3., 2.]))
    """
    rows, columns = differences.shape
    compiled = native(
        "step_down", Floats, Size, Size, Ints, Floats, Floats, Size, OutInts, OutFloats
    )
    if compiled is not None:
        check_places(order, columns, "order")
        check_shape(scales, order.shape, "scales")
        check_shape(least, order.shape, "least")
        counts, largest = np.zeros(order.size, np.int64), np.zeros(rows)
        table = np.ascontiguousarray(differences)
        compiled(table, rows, columns, order, scales, least, order.size, counts, largest)
        return counts, largest
    known = scales > 0.0
    sizes = np.abs(differences[:, order]) / np.where(known, scales, 1.0)
    sizes = np.where(known, sizes, 0.0)
    running = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]
    return (running >= least).sum(axis=0), running[:, 0]


# --- Multinomial resamples that grow document by document, each of them exact ---
#
# A resample of the first k documents draws :math:`n_k` segments with replacement from these
# :math:`n_k`. When a document of m segments is added, a resample of :math:`n_{k+1} = n_k + m`
# segments has
#
# .. math:: c \sim \text{Binomial}(n_{k+1}, m / n_{k+1})
#
# draws from the new document, and :math:`n_k + (m - c)` from the old ones. So from the resample of
# before, m − c draws too few are made up by fresh ones, or c − m too many are taken back, chosen at
# random: what remains of a multinomial sample after that is one. Every resample has exactly the
# distribution of one drawn afresh, and it costs about :math:`m + \sqrt{m}` draws instead of
# :math:`n_{k+1}`.

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


# --- Random words in one fixed sequence, by xoshiro256++ (Blackman and Vigna 2021) ---
#
# The compiled kernels of `paths` draw from it word by word. Without them whole arrays of the same
# words come from here.

Words = NDArray[np.uint64]
State = Words  # the four words of the generator

_LONGEST = 10  # of a lane, as a power of two


def seed_words(rng: np.random.Generator) -> State:
    """Return the start of a path generator; never all zeros, which it could not leave."""
    words: State = rng.integers(1, 1 << 64, 4, np.uint64)
    return words


def random_words(state: State, n: int) -> Words:
    r"""Return the next `n` words; `state` is brought up to date.

    A word follows from the one before, which numpy cannot do in one sweep. But a step is linear
    over the bits of the state, :math:`s' = s T`, so lanes can start :math:`s T^k, s T^{2k}, \dots`
    further on and go ahead side by side.

    Examples
    --------
    >>> random_words(np.arange(1, 5, dtype=np.uint64), 3).tolist()
    [41943041, 58720359, 3588806011781223]
    """
    power = min(_LONGEST, n.bit_length() // 2)
    length = 1 << power
    lanes = _lanes(state, power, n // length + 1)
    words = np.empty((length, lanes.shape[1]), np.uint64)
    for i in range(length):
        if i == n % length:
            state[:] = lanes[:, -1]
        words[i] = _rotated(lanes[0] + lanes[3], 23) + lanes[0]
        _advance(lanes)
    return words.T.ravel()[:n]


def _rotated(word: Words, by: int) -> Words:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


def _advance(lanes: Words) -> None:
    """Take one step of every lane; shape (4, lanes)."""
    shifted = lanes[1] << np.uint64(17)
    lanes[2] ^= lanes[0]
    lanes[3] ^= lanes[1]
    lanes[1] ^= lanes[2]
    lanes[0] ^= lanes[3]
    lanes[2] ^= shifted
    lanes[3] = _rotated(lanes[3], 45)


def _lanes(state: State, power: int, n: int) -> Words:
    """Return `n` states, 2**`power` steps from one to the next: shape (4, n)."""
    states = state[None]
    while len(states) < n:
        states = np.concatenate([states, _further(states, _leap(power))])
        power += 1
    return states[:n].T.copy()


def _further(states: Words, leap: Words) -> Words:
    """Return the states after a leap, the sum over bits of what becomes of each: shape (n, 4)."""
    bits = np.unpackbits(states.view(np.uint8), axis=1).astype(np.bool_)
    parts = np.where(bits.T[:, :, None], leap[:, None, :], np.uint64(0))
    further: Words = np.bitwise_xor.reduce(parts, axis=0)
    return further


@functools.cache
def _leap(power: int) -> Words:
    """Return what becomes of each single bit of a state in 2**`power` steps: shape (256, 4)."""
    if power:
        return _further(_leap(power - 1), _leap(power - 1))
    each = np.packbits(np.eye(256, dtype=np.uint8), axis=1).view(np.uint64)
    lanes = np.ascontiguousarray(each.T)
    _advance(lanes)
    return np.ascontiguousarray(lanes.T)
