r"""Edits of the translation edit rate: block shifts found greedily, then an edit distance.

The search is that of Snover et al. (2006) with the limits and the preferences of sacreBLEU 2.6,
whose counts it repeats exactly; the code is our own. In each round every block of up to 10
hypothesis words that also stands in the reference, at most 50 positions away, may move to where
its place in the reference is aligned. The move that lowers the edit distance most is made (of
equals the longest block, then the leftmost, then the leftmost target) until no move lowers it,
or until 1000 moves have been looked at.

Three things make it fast and leave the counts as they are:

- A round in which the number of moves reaches the limit has no effect, so the moves are counted
  before any is tried.
- Moves that agree in block and target give the same words. So the order in which moves are
  tried does not matter (sacreBLEU's last criterion, the order of the shifted words as strings,
  never decides), and a move that can no longer be the best need not be finished. No order of
  the words comes closer to the reference than their bags.
- Distances come from the bit-parallel matrix wherever the beam cannot matter (see
  `beam.safe_distance`), beginning at the first word that a move changes.

References
----------
Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), "A study of translation edit rate with
targeted human annotation", AMTA, 223-231. Post (2018), "A call for clarity in reporting BLEU
scores", WMT, 186-191: sacreBLEU, whose TER follows the program Tercom.
"""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.progress import Progress
from detectable.core.types import IntArray
from detectable.kernels.beam import fill_band, new_band, safe_distance
from detectable.kernels.bitparallel import Rows, fill_rows
from detectable.kernels.inner import inner
from detectable.kernels.shifts import (
    MAX_MOVES,
    MAX_NOTED,
    Work,
    align,
    as_swap,
    best_move,
    collect_moves,
    exchange,
)

Ids: TypeAlias = NDArray[np.int32]

# Numba's disk cache takes compiled code as fresh while *this* file is unchanged. The digest of the
# other files of the kernel makes a change there a change here; a test gives the new one.
INNER_DIGEST = "c29422475958db7b"


def announce(progress: Progress) -> None:
    """Say that the next call will compile, where it will."""
    if not shift_edits.signatures:
        progress("compiling TER kernels (first use only)", 0, None)


@njit(cache=True, nogil=True)
def shift_edits(
    hyp_ids: Ids,
    hyp_offsets: IntArray,
    ref_ids: Ids,
    ref_offsets: IntArray,
    owner: IntArray,
    n_words: int,
) -> IntArray:
    """Return the shifts and edits that turn hypotheses into references.

    Parameters
    ----------
    hyp_ids, hyp_offsets : arrays
        Words of all hypotheses; those of `h` are ``hyp_ids[hyp_offsets[h] : hyp_offsets[h + 1]]``.
    ref_ids, ref_offsets : arrays
        Words of the references.
    owner : array of shape (references,)
        The hypothesis that each reference is compared with.
    n_words : int
        Size of the vocabulary: ids are below it.

    Returns
    -------
    array of shape (references,)
    """
    edits = np.empty(owner.size, np.int64)
    room = _new_work(_longest(hyp_offsets), _longest(ref_offsets))
    numbers = np.zeros(n_words, np.int64)
    for k in range(owner.size):
        hypothesis = hyp_ids[hyp_offsets[owner[k]] : hyp_offsets[owner[k] + 1]]
        reference = ref_ids[ref_offsets[k] : ref_offsets[k + 1]]
        if hypothesis.size == 0 or reference.size == 0:
            edits[k] = hypothesis.size + reference.size
        else:
            work = _cut(room, hypothesis.size, reference.size)
            _number_words(hypothesis, reference, numbers, work)
            edits[k] = _search(work)
    return edits


@inner
def _longest(offsets: IntArray) -> int:
    longest = 0
    for k in range(offsets.size - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    return longest


@inner
def _new_work(n: int, m: int) -> Work:
    rows = (n + 1, (m + 63) >> 6)
    return Work(
        words=np.empty(n, np.int64),
        spare=np.empty(n, np.int64),
        reference=np.empty(m, np.int64),
        masks=np.zeros((m + 1, rows[1]), np.uint64),
        head=np.full(m + 1, -1, np.int64),
        following=np.empty(m, np.int64),
        counts=np.zeros(m + 1, np.int64),
        rows=Rows(
            up=np.empty(rows, np.uint64),
            down=np.empty(rows, np.uint64),
            level=np.empty(rows, np.uint64),
            last=np.empty(n + 1, np.int64),
        ),
        aligned=np.empty(m, np.int64),
        word_errors=np.empty(n + 1, np.int64),
        reference_errors=np.empty(m + 1, np.int64),
        moves=np.empty((MAX_NOTED, 3), np.int64),
    )


@inner
def _cut(room: Work, n: int, m: int) -> Work:
    """Return `room` with the words cut to their number; the other arrays may be longer."""
    return Work(
        words=room.words[:n],
        spare=room.spare[:n],
        reference=room.reference[:m],
        masks=room.masks,
        head=room.head,
        following=room.following,
        counts=room.counts,
        rows=room.rows,
        aligned=room.aligned,
        word_errors=room.word_errors,
        reference_errors=room.reference_errors,
        moves=room.moves,
    )


@inner
def _number_words(hypothesis: Ids, reference: Ids, numbers: IntArray, work: Work) -> None:
    """Give numbers from 1 to the words of the reference, and note where they stand.

    `numbers`, one for each word of the vocabulary, is zero before and after.
    """
    known = 0
    for j in range(reference.size - 1, -1, -1):
        number = numbers[reference[j]]
        if number == 0:
            known += 1
            number = numbers[reference[j]] = known
            work.head[number] = -1
            for k in range(work.masks.shape[1]):
                work.masks[number, k] = 0
        work.reference[j] = number
        work.masks[number, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
        work.following[j] = work.head[number]
        work.head[number] = j
    for i in range(hypothesis.size):
        work.words[i] = numbers[hypothesis[i]]
    for j in range(reference.size):
        numbers[reference[j]] = 0


@inner
def _bag_distance(work: Work) -> int:
    """Return the distance that the best order would have: longer length minus common words."""
    common = 0
    for j in range(work.reference.size):
        work.counts[work.reference[j]] += 1
    for i in range(work.words.size):
        if work.counts[work.words[i]] > 0:
            work.counts[work.words[i]] -= 1
            common += 1
    for j in range(work.reference.size):
        work.counts[work.reference[j]] = 0
    return max(work.words.size, work.reference.size) - common


@inner
def _search(work: Work) -> int:
    """Return the number of shifts made plus the edit distance that remains."""
    n, m = work.words.size, work.reference.size
    floor, safe = _bag_distance(work), safe_distance(n, m)
    unused = np.empty((0, 0), np.int32)
    band, trial = unused, unused
    shifts = checked = 0
    first = int(np.int64(0))  # a bare 0 would make numba compile `fill_band` twice
    while True:
        distance = fill_rows(work.words, work.masks, m, work.rows)
        beamed = distance >= safe
        if beamed:
            if band.size == 0:
                band, trial = new_band(n, m), new_band(n, m)
            distance = fill_band(work.words, work.reference, band, first)
        if distance == floor:
            break
        align(work, band if beamed else unused)
        n_moves = collect_moves(work)
        checked += n_moves
        if checked >= MAX_MOVES:
            break
        best = best_move(work, n_moves, band, trial, safe, distance, floor)
        if best < 0:
            break
        size, start, target = work.moves[best, 0], work.moves[best, 1], work.moves[best, 2]
        exchange(work.words, as_swap(size, start, target, n), work.spare)
        for i in range(n):
            work.words[i] = work.spare[i]
        shifts += 1
    return shifts + distance
