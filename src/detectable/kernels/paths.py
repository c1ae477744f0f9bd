"""Paths of a test statistic while judgments arrive, and what stopping procedures make of them.

One path is one evaluation: judgments are drawn with replacement from what was observed, and the
statistic is taken after every step. All procedures and all budgets read the same paths, so that
they differ by the procedure and not by luck.
"""

from collections.abc import Iterator
from typing import NamedTuple

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
    OutInts,
    OutLongWords,
    Size,
    check_offsets,
    check_places,
    check_shape,
    native,
)
from detectable.kernels.resample import State, random_words

Table = NDArray[np.int32]  # one entry per observed judgment: the cell of its value
Wanted = NDArray[np.bool_]  # which steps of a path some plan looks at

CONTINUITY = 0.5  # as in scipy's mannwhitneyu, at every look alike
LARGEST = 1_000_000  # judgments per system on a path; the sum of t³ must fit 63 bits
_CELLS = 1 << 20  # draws or counts in memory at once without the library; same answer
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

_PLANS = (Ints, Ints, Floats, Floats, Size)
_RANK_TALLIES = (
    *(Ids, Ints, Ids, Ints, Ints, Size, Size, Bytes, Size, Size, *_PLANS),
    *(OutLongWords, OutInts, OutFloats, OutInts, OutInts),
)
_MEAN_TALLIES = (
    *(Floats, Ints, Size, Size, Size, Size, *_PLANS),
    *(OutLongWords, OutFloats, OutInts, OutInts),
)


class Plans(NamedTuple):
    r"""Looks of many plans, one after another: plan q has ``start[q]`` to ``start[q + 1]``.

    A plan is a procedure at a budget. It stops and rejects at the first of its looks with
    :math:`|z| \ge` `bound`, and gives up at the first with :math:`|z| <` `futility`.
    """

    start: IntArray
    look: IntArray  # which step of the path, from 0
    bound: FloatArray
    futility: FloatArray  # 0 where there is none


class _Tables(NamedTuple):
    """The judgments of pairs written out, one pair after another."""

    first: Table
    first_starts: IntArray
    second: Table
    second_starts: IntArray
    cells: IntArray  # of each pair: the values that occur

    @classmethod
    def of(cls, first: IntArray, second: IntArray) -> "_Tables":
        check_shape(second, first.shape, "second")
        first_starts, second_starts = _starts(first, "first"), _starts(second, "second")
        pair, value = np.nonzero(first + second)
        cells = np.bincount(pair, minlength=len(first))
        cell = (np.arange(pair.size) - (np.cumsum(cells) - cells)[pair]).astype(np.int32)
        return cls(
            np.repeat(cell, first[pair, value]),
            first_starts,
            np.repeat(cell, second[pair, value]),
            second_starts,
            cells,
        )

    def of_pair(self, p: int) -> tuple[Table, Table, int]:
        a, b = self.first_starts, self.second_starts
        first, second = self.first[a[p] : a[p + 1]], self.second[b[p] : b[p + 1]]
        return first, second, int(self.cells[p])


def _starts(counts: IntArray, name: str) -> IntArray:
    """Return where the judgments of each pair start, refusing pairs that have none."""
    sizes = counts.sum(axis=1)
    if sizes.size and (counts.min() < 0 or sizes.min() < 1 or sizes.max() >= 1 << 32):
        raise InputError(f"`{name}` must count at least one judgment per pair, below 2**32.")
    return np.append(0, np.cumsum(sizes))


def rank_paths(
    first: IntArray, second: IntArray, paths: int, wanted: Wanted, step: int, state: State
) -> FloatArray:
    """Return Mann-Whitney's z on `paths` paths of one pair of histograms: (paths, steps)."""
    _check_steps(wanted.size, step, state)
    tables = _Tables.of(first[None], second[None])
    z = np.zeros((paths, wanted.size))
    compiled = native(
        "rank_paths", Ids, Size, Ids, Size, Size, Size, Bytes, Size, Size, OutLongWords, OutInts,
        OutFloats,
    )  # fmt: skip
    if compiled is not None:
        a, b, cells = tables.of_pair(0)
        counts = np.empty(2 * cells, np.int64)
        looks = np.ascontiguousarray(wanted).view(np.uint8)
        compiled(a, a.size, b, b.size, cells, paths, looks, looks.size, step, state, counts, z)
        return z
    parts = _rank_parts(tables, paths, wanted, step, state)
    return np.concatenate([z[:0], *(part for _, part in parts)])


def mean_paths(
    counts: IntArray, values: FloatArray, paths: int, looks: int, step: int, state: State
) -> FloatArray:
    r"""Return :math:`\sum d / \sqrt{\sum d^2}` on `paths` paths of one histogram: (paths, steps)."""
    _check_steps(looks, step, state, most=None)
    starts = _starts(counts[None], "counts")
    sample = np.repeat(values, counts)
    z = np.zeros((paths, looks))
    compiled = native("mean_paths", Floats, Size, Size, Size, Size, OutLongWords, OutFloats)
    if compiled is not None:
        compiled(sample, sample.size, paths, looks, step, state, z)
        return z
    parts = _mean_parts(sample, starts, paths, looks, step, state)
    return np.concatenate([z[:0], *(part for _, part in parts)])


def rank_tallies(
    first: IntArray,
    second: IntArray,
    repeats: int,
    wanted: Wanted,
    step: int,
    plans: Plans,
    state: State,
) -> tuple[IntArray, IntArray]:
    """Return rejections and steps taken, summed over the paths: (pairs, plans) each.

    Row i of `first` and `second` are the histograms of pair i. z is needed only after the steps
    that are `wanted`, which are those that some plan looks at.
    """
    _check_steps(wanted.size, step, state)
    _check_plans(plans, wanted.size)
    tables = _Tables.of(first, second)
    hits = np.zeros((len(first), plans.start.size - 1), np.int64)
    taken = np.zeros_like(hits)
    compiled = native("rank_tallies", *_RANK_TALLIES)
    if compiled is not None:
        looks = np.ascontiguousarray(wanted).view(np.uint8)
        counts, z = np.empty(2 * tables.cells.max(initial=0), np.int64), np.zeros(looks.size)
        sizes = len(first), repeats, looks, looks.size, step
        compiled(*tables, *sizes, *_as_arrays(plans), state, counts, z, hits, taken)
        return hits, taken
    for pair, z in _rank_parts(tables, repeats, wanted, step, state):
        _tally(z, plans, hits[pair], taken[pair])
    return hits, taken


def mean_tallies(
    counts: IntArray,
    values: FloatArray,
    repeats: int,
    steps: int,
    step: int,
    plans: Plans,
    state: State,
) -> tuple[IntArray, IntArray]:
    """Return the same for paired differences: row i of `counts` is the histogram of pair i."""
    _check_steps(steps, step, state, most=None)
    _check_plans(plans, steps)
    starts = _starts(counts, "counts")
    samples = np.repeat(np.tile(values, len(counts)), counts.ravel())
    hits = np.zeros((len(counts), plans.start.size - 1), np.int64)
    taken = np.zeros_like(hits)
    compiled = native("mean_tallies", *_MEAN_TALLIES)
    if compiled is not None:
        sizes = len(counts), repeats, steps, step
        compiled(
            samples, starts, *sizes, *_as_arrays(plans), state, np.zeros(steps), hits, taken
        )
        return hits, taken
    for pair, z in _mean_parts(samples, starts, repeats, steps, step, state):
        _tally(z, plans, hits[pair], taken[pair])
    return hits, taken


def _check_steps(steps: int, step: int, state: State, most: int | None = LARGEST) -> None:
    check_shape(state, (4,), "state")
    if step < 1:
        raise InputError(f"`step` must be at least 1; got {step}.")
    if most is not None and steps * step > most:
        raise InputError(f"A path must have at most {most:,} judgments; got {steps * step:,}.")


def _check_plans(plans: Plans, steps: int) -> None:
    check_offsets(plans.start, plans.look.size, "plans.start")
    if (np.diff(plans.start) < 1).any():
        raise InputError("`plans.start` must give each plan a look.")
    check_places(plans.look, steps, "plans.look")
    check_shape(plans.bound, plans.look.shape, "plans.bound")
    check_shape(plans.futility, plans.look.shape, "plans.futility")


def _as_arrays(plans: Plans) -> tuple[IntArray, IntArray, FloatArray, FloatArray, int]:
    start, look = np.ascontiguousarray(plans.start), np.ascontiguousarray(plans.look)
    bound, futility = np.ascontiguousarray(plans.bound), np.ascontiguousarray(plans.futility)
    return start, look, bound, futility, start.size - 1


def _words_of_pairs(
    state: State, pairs: int, paths: int, words: int, cells: int
) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """Yield a pair and the words of some of its paths, shape (paths, words), in order.

    As many are drawn at once as memory takes with `cells` entries per path.
    """
    most, total = max(1, _CELLS // max(cells, 1)), pairs * paths
    for start in range(0, total, most):
        stop = min(start + most, total)
        drawn = random_words(state, (stop - start) * words).reshape(stop - start, words)
        for pair in range(start // paths, -(-stop // paths)):
            low, high = max(start, pair * paths), min(stop, (pair + 1) * paths)
            yield pair, drawn[low - start : high - start]


def _rank_parts(
    tables: _Tables, paths: int, wanted: Wanted, step: int, state: State
) -> Iterator[tuple[int, FloatArray]]:
    """Yield a pair and z of some of its paths: (paths, steps), 0 where not wanted.

    One 64-bit word draws one judgment of each system.
    """
    steps, n = wanted.size, (np.flatnonzero(wanted) + 1) * step
    room = steps * max(step, int(tables.cells.max(initial=0)))
    for pair, words in _words_of_pairs(state, len(tables.cells), paths, steps * step, room):
        first, second, cells = tables.of_pair(pair)
        shape = len(words), steps, cells
        # Counts of path and step; the judgments of earlier steps stay.
        base = np.repeat(np.arange(len(words) * steps) * cells, step)
        a, b = (
            np.bincount(
                base + table[_places(bits.ravel(), table.size)],
                minlength=shape[0] * steps * cells,
            )
            .reshape(shape)
            .cumsum(axis=1)[:, wanted]
            for table, bits in ((first, words & _LOW), (second, words >> _HALF))
        )
        z = np.zeros((len(words), steps))
        z[:, wanted] = _rank_z(a, b, n)
        yield pair, z


def _places(bits: NDArray[np.uint64], size: int) -> IntArray:
    """Return places in a table from 32 random bits each.

    As Lemire (2019), without the rejection: the bias is below 2**-32 times the size.
    """
    return ((bits * np.uint64(size)) >> _HALF).astype(np.int64)


def _rank_z(a: IntArray, b: IntArray, n: IntArray) -> FloatArray:
    """Return Mann-Whitney's z of samples of `n`, counts along the last axis.

    The same as `rankcounts.rank_sum_z`, in whole numbers as far as they go.
    """
    below = np.cumsum(b, axis=-1) - b
    both = a + b
    twice_u = (a * (2 * below + b)).sum(axis=-1).astype(np.float64)
    cubes = (both * both * both).sum(axis=-1).astype(np.float64)
    total, square = 2.0 * n, n.astype(np.float64) * n
    ties = (cubes - total) / (total * (total - 1.0))
    variance = square / 12.0 * (total + 1.0 - ties)
    centred = 0.5 * (twice_u - square)
    distance = np.maximum(np.abs(centred) - CONTINUITY, 0.0)
    z: FloatArray = np.zeros_like(centred)
    np.divide(distance, np.sqrt(np.maximum(variance, 0.0)), out=z, where=variance > 0.0)
    z[centred < 0.0] *= -1.0
    return z


def _mean_parts(
    samples: FloatArray, starts: IntArray, paths: int, steps: int, step: int, state: State
) -> Iterator[tuple[int, FloatArray]]:
    """Yield a pair and z of some of its paths: (paths, steps).

    A word draws two differences; the second half of the last word of an odd step is thrown away.
    """
    half = -(-step // 2)
    pairs = starts.size - 1
    for pair, words in _words_of_pairs(state, pairs, paths, steps * half, steps * step):
        sample = samples[starts[pair] : starts[pair + 1]]
        bits = np.stack([words & _LOW, words >> _HALF], axis=-1)
        bits = bits.reshape(len(words), steps, 2 * half)[:, :, :step].reshape(len(words), -1)
        d = sample[_places(bits, sample.size)]
        total = np.cumsum(d, axis=1)[:, step - 1 :: step]
        squares = np.cumsum(d * d, axis=1)[:, step - 1 :: step]
        z = np.zeros((len(words), steps))
        np.divide(total, np.sqrt(squares), out=z, where=squares > 0.0)
        yield pair, z


def _tally(z: FloatArray, plans: Plans, hits: IntArray, taken: IntArray) -> None:
    """Add to `hits` the plans that reject on these paths, to `taken` the steps they take."""
    end = plans.start[-1]
    look, bound, futility = plans.look[:end], plans.bound[:end], plans.futility[:end]
    size = np.abs(z[:, look])
    reject = size >= bound
    stop = reject | (size < futility)
    stop[:, plans.start[1:] - 1] = True
    place = np.where(stop, np.arange(end), end)
    first = np.minimum.reduceat(place, plans.start[:-1], axis=1)
    hits += np.take_along_axis(reject, first, axis=1).sum(axis=0)
    taken += (look[first] + 1).sum(axis=0)
