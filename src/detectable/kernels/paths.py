"""Paths of a test statistic while judgments arrive, and what stopping procedures make of them.

One path is one evaluation: judgments are drawn with replacement from what was observed, and the
statistic is taken after every step. All procedures and all budgets read the same paths, so that
they differ by the procedure and not by luck.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.progress import Progress
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.inner import inner

State = NDArray[np.uint64]  # the four words of the generator
Table = NDArray[np.uint16]  # one entry per observed judgment: the cell of its value

Wanted = NDArray[np.bool_]  # which steps of a path some plan looks at

CONTINUITY = 0.5  # as in scipy's mannwhitneyu, at every look alike
LARGEST = 1_000_000  # judgments per system on a path; the sum of t³ must fit 63 bits
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Plans(NamedTuple):
    r"""Looks of many plans, one after another: plan q has ``start[q]`` to ``start[q + 1]``.

    A plan is a procedure at a budget. It stops and rejects at the first of its looks with
    :math:`|z| \ge` `bound`, and gives up at the first with :math:`|z| <` `futility`.
    """

    start: IntArray
    look: IntArray  # which step of the path, from 0
    bound: FloatArray
    futility: FloatArray  # 0 where there is none


def announce(progress: Progress) -> None:
    """Say that the next call will compile, where it will."""
    if not rank_tallies.signatures and not mean_tallies.signatures:
        progress("compiling the path kernels (first use only)", 0, None)


def seed_words(rng: np.random.Generator) -> State:
    """Return the start of a path generator; never all zeros, which it could not leave."""
    words: State = rng.integers(1, 1 << 64, 4, np.uint64)
    return words


@inner
def _next_word(
    s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return 64 random bits and the next state, by xoshiro256++ (Blackman and Vigna 2021).

    Numba's own generator takes seven times as long, which would be most of the time. The state
    is handed around word by word, so that it stays in registers.
    """
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    return word, s0, s1, s2, (s3 << np.uint64(45)) | (s3 >> np.uint64(19))


@inner
def _rank_z(a: IntArray, b: IntArray, n: int, continuity: float) -> float:
    """Return Mann-Whitney's z of two samples of `n` from their counts.

    The same as `rankcounts.rank_sum_z`. The counts grow with the path; the pass over the cells
    that occur costs as much as the draws of a step of 100. Trees of partial sums would turn it
    into some fourteen operations per draw, which is more.
    """
    twice_u, below, cubes = 0, 0, 0
    for k in range(a.size):
        x, y = a[k], b[k]
        t = x + y
        twice_u += x * (2 * below + y)
        cubes += t * t * t
        below += y
    total, square = 2.0 * n, float(n) * float(n)
    ties = (float(cubes) - total) / (total * (total - 1.0))
    variance = square / 12.0 * (total + 1.0 - ties)
    centred = 0.5 * (float(twice_u) - square)
    if variance <= 0.0:
        return 0.0
    distance: float = max(abs(centred) - continuity, 0.0) / np.sqrt(variance)
    return distance if centred >= 0.0 else -distance


@inner
def _rank_path(
    tables: tuple[Table, Table],
    counts: tuple[IntArray, IntArray],
    step: int,
    wanted: Wanted,
    state: State,
    z: FloatArray,
) -> None:
    """Fill `z` with the statistic after every wanted step of `step` judgments per system.

    One 64-bit word draws one judgment of each system: each half times the size of the table,
    shifted, is a place in it (Lemire 2019, without the rejection: the bias is below 2**-32 times
    the size of the table).
    """
    a, b = counts
    a[:] = 0
    b[:] = 0
    n_a, n_b = np.uint64(tables[0].size), np.uint64(tables[1].size)
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for look in range(z.size):
        for _ in range(step):
            word, s0, s1, s2, s3 = _next_word(s0, s1, s2, s3)
            a[tables[0][((word & _LOW) * n_a) >> _HALF]] += 1
            b[tables[1][((word >> _HALF) * n_b) >> _HALF]] += 1
        if wanted[look]:
            z[look] = _rank_z(a, b, (look + 1) * step, CONTINUITY)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@inner
def _mean_path(sample: FloatArray, step: int, state: State, z: FloatArray) -> None:
    r"""Fill `z` with :math:`\sum d / \sqrt{\sum d^2}` after every `step` differences."""
    size = np.uint64(sample.size)
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    word = np.uint64(0)
    total, squares = 0.0, 0.0
    for look in range(z.size):
        for i in range(step):
            if i & 1 == 0:
                word, s0, s1, s2, s3 = _next_word(s0, s1, s2, s3)
            else:
                word >>= _HALF
            d = sample[((word & _LOW) * size) >> _HALF]
            total += d
            squares += d * d
        z[look] = total / np.sqrt(squares) if squares > 0.0 else 0.0
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@inner
def _tally(z: FloatArray, plans: Plans, hits: IntArray, looks: IntArray) -> None:
    """Add to `hits` the plans that reject on this path, to `looks` the steps they take."""
    for q in range(hits.size):
        last = plans.start[q + 1] - 1
        for i in range(plans.start[q], last + 1):
            size = abs(z[plans.look[i]])
            reject = size >= plans.bound[i]
            if reject or size < plans.futility[i] or i == last:
                hits[q] += reject
                looks[q] += plans.look[i] + 1
                break


@inner
def _expand(counts: IntArray, cells: IntArray) -> Table:
    """Return one entry per judgment, the place of its value among the `cells`."""
    table = np.empty(counts[cells].sum(), np.uint16)
    start = 0
    for k in range(cells.size):
        end = start + counts[cells[k]]
        table[start:end] = k
        start = end
    return table


@njit(cache=True, nogil=True)
def rank_paths(
    first: IntArray, second: IntArray, paths: int, wanted: Wanted, step: int, state: State
) -> FloatArray:
    """Return Mann-Whitney's z on `paths` paths of one pair of histograms: (paths, steps)."""
    cells = np.flatnonzero(first + second)
    tables = (_expand(first, cells), _expand(second, cells))
    counts = (np.zeros(cells.size, np.int64), np.zeros(cells.size, np.int64))
    z = np.zeros((paths, wanted.size))
    for path in range(paths):
        _rank_path(tables, counts, step, wanted, state, z[path])
    return z


@njit(cache=True, nogil=True)
def mean_paths(
    counts: IntArray, values: FloatArray, paths: int, looks: int, step: int, state: State
) -> FloatArray:
    """Return the paired statistic on `paths` paths of one histogram: (paths, steps)."""
    sample = np.repeat(values, counts)
    z = np.zeros((paths, looks))
    for path in range(paths):
        _mean_path(sample, step, state, z[path])
    return z


@njit(cache=True, nogil=True)
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
    pairs, n_plans = first.shape[0], plans.start.size - 1
    hits = np.zeros((pairs, n_plans), np.int64)
    looks = np.zeros((pairs, n_plans), np.int64)
    z = np.zeros(wanted.size)
    for pair in range(pairs):
        cells = np.flatnonzero(first[pair] + second[pair])
        tables = (_expand(first[pair], cells), _expand(second[pair], cells))
        counts = (np.zeros(cells.size, np.int64), np.zeros(cells.size, np.int64))
        for _ in range(repeats):
            _rank_path(tables, counts, step, wanted, state, z)
            _tally(z, plans, hits[pair], looks[pair])
    return hits, looks


@njit(cache=True, nogil=True)
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
    pairs, n_plans = counts.shape[0], plans.start.size - 1
    hits = np.zeros((pairs, n_plans), np.int64)
    looks = np.zeros((pairs, n_plans), np.int64)
    z = np.zeros(steps)
    for pair in range(pairs):
        sample = np.repeat(values, counts[pair])
        for _ in range(repeats):
            _mean_path(sample, step, state, z)
            _tally(z, plans, hits[pair], looks[pair])
    return hits, looks
