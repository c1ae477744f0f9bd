"""The moves of TER: which blocks of the hypothesis may move, where to, and which move is best."""

from typing import NamedTuple

import numpy as np

from detectable.core.types import IntArray
from detectable.kernels.beam import Band, cell, fill_band
from detectable.kernels.bitparallel import Bits, Rows, Swap, swapped_distance
from detectable.kernels.inner import inner

MAX_MOVES = 1000  # moves looked at in one search
_MAX_SIZE = 10  # words in a block
_MAX_REACH = 50  # positions between a block and its place in the reference
# Room for moves: blocks at one place, in all their sizes, may be noted beyond the limit.
MAX_NOTED = MAX_MOVES + _MAX_SIZE * (_MAX_SIZE + 3) // 2

_BOTH, _HYPOTHESIS, _REFERENCE = 0, 1, 2  # which side an edit operation takes a word from


class Work(NamedTuple):
    """Room for one search. Words are numbered within the reference; 0 is any other word.

    Loops use local names for the fields, and pass them on rather than the whole: numba counts
    references to each array that is read from a tuple or handed to a function, which would take
    longer than the work itself.
    """

    words: IntArray  # (n,) the hypothesis as shifted so far
    spare: IntArray  # (n,) the hypothesis after a move on trial
    reference: IntArray  # (m,)
    masks: Bits  # (numbers, blocks) where each word stands in the reference
    head: IntArray  # (numbers,) the first position of each word in the reference
    following: IntArray  # (m,) the next position of the same word, or -1
    counts: IntArray  # (numbers,) zero between uses
    rows: Rows
    aligned: IntArray  # (m,) the hypothesis word at or before which a reference word comes
    word_errors: IntArray  # (n + 1,) errors among the first words of the hypothesis
    reference_errors: IntArray  # (m + 1,) errors among the first words of the reference
    moves: IntArray  # (moves, 3) size of the block, its start and its target


@inner
def align(work: Work, band: Band) -> None:
    """Follow the preferred path and note where the reference words come, and all errors.

    A `band` of size 0 means that the path is that of the full matrix, in ``work.rows``.
    """
    words, reference, aligned = work.words, work.reference, work.aligned
    word_errors, reference_errors = work.word_errors, work.reference_errors
    level, down = work.rows.level, work.rows.down
    i, j = words.size, reference.size
    word_errors[0] = reference_errors[0] = 0
    while i > 0 or j > 0:
        error = 1
        if i == 0 or j == 0:
            side = _REFERENCE if i == 0 else _HYPOTHESIS
        else:
            different = int(words[i - 1] != reference[j - 1])
            if band.size > 0:
                side = _beam_step(band, i, j, words.size, reference.size, different)
            else:
                block = (j - 1) >> 6
                side = _full_step(level[i, block], down[i - 1, block], (j - 1) & 63, different)
            error = different if side == _BOTH else 1
        if side != _REFERENCE:
            word_errors[i] = error
        if side != _HYPOTHESIS:
            reference_errors[j] = error
            aligned[j - 1] = i - 1
        i -= side != _REFERENCE
        j -= side != _HYPOTHESIS
    _accumulate(word_errors, words.size)
    _accumulate(reference_errors, reference.size)


@inner
def _accumulate(errors: IntArray, size: int) -> None:
    for k in range(size):
        errors[k + 1] += errors[k]


@inner
def _full_step(level: np.uint64, down: np.uint64, position: int, different: int) -> int:
    """Return the last step of the path to a cell of the full matrix.

    Of equally cheap steps, one that takes both words comes first, then one that takes the word
    of the hypothesis: sacreBLEU's order.
    """
    shift, one = np.uint64(position), np.uint64(1)
    if different == 0 or (level >> shift) & one == 0:
        return _BOTH
    # The cell equals its diagonal, so the cell above is one less than it exactly if that one is
    # less than the diagonal, its own left neighbour.
    return _HYPOTHESIS if (down >> shift) & one else _REFERENCE


@inner
def _beam_step(band: Band, i: int, j: int, n: int, m: int, different: int) -> int:
    """Return the last step of the path to cell (i, j) inside the beam, in the same order."""
    here = cell(band, i, j, n, m)
    if cell(band, i - 1, j - 1, n, m) + different == here:
        return _BOTH
    return _HYPOTHESIS if cell(band, i - 1, j, n, m) + 1 == here else _REFERENCE


@inner
def collect_moves(work: Work) -> int:
    """Note all moves and return their number; at `MAX_MOVES`, the rest is left out."""
    words, aligned, head, following = work.words, work.aligned, work.head, work.following
    n_moves = 0
    for start in range(words.size):
        place = head[words[start]]
        while place >= 0 and n_moves < MAX_MOVES:
            # Words that are aligned with each other stay, and so do blocks that begin with them.
            if aligned[place] != start and abs(place - start) <= _MAX_REACH:
                n_moves += _moves_between(work, start, place, n_moves)
            place = following[place]
    return n_moves


@inner
def _moves_between(work: Work, start: int, place: int, first: int) -> int:
    """Note, from index `first`, the moves of blocks at `start` that the reference has at `place`.

    A block moves only if it has an error on both sides, and if its place in the reference is
    not aligned with the block itself. It may go before the words that belong there, or after
    any of them.
    """
    words, reference, aligned, moves = work.words, work.reference, work.aligned, work.moves
    word_errors, reference_errors = work.word_errors, work.reference_errors
    longest = min(_MAX_SIZE, words.size - start, reference.size - place)
    here = aligned[place] - start
    k = first
    for size in range(1, longest + 1):
        if words[start + size - 1] != reference[place + size - 1]:
            break
        if (
            word_errors[start + size] == word_errors[start]
            or reference_errors[place + size] == reference_errors[place]
            or 0 <= here < size
        ):
            continue
        previous = -1
        for j in range(place - 1, place + size):
            target = aligned[j] + 1 if j >= 0 else 0
            if target != previous:
                moves[k, 0], moves[k, 1], moves[k, 2] = size, start, target
                k += 1
            previous = target
    return k - first


@inner
def best_move(
    work: Work, n_moves: int, band: Band, trial: Band, safe: int, distance: int, floor: int
) -> int:
    """Return the index of the move to make, or -1 if none lowers the `distance`.

    `floor` is a distance that no move can go below; from `safe` on, distances must be computed
    inside the beam, with the rows of the present words in `band` and room for others in `trial`.
    """
    words, masks, rows, moves = work.words, work.masks, work.rows, work.moves
    n, m = words.size, work.reference.size
    true_distance = rows.last[n]
    best, lowest, best_rank = -1, distance, (0, 0, 0)
    for k in range(n_moves):
        size, start, target = moves[k, 0], moves[k, 1], moves[k, 2]
        a, b, c = as_swap(size, start, target, n)
        rank = (size, -start, -target)
        limit = lowest if best >= 0 and rank > best_rank else lowest - 1
        # The shorter neighbour, taken out and put back elsewhere, undoes the move; that bounds
        # what a move gains in true distance, not in that of the beam, which may gain more.
        if max(floor, true_distance - 2 * min(b - a, c - b)) > limit:
            continue
        found = swapped_distance(words, masks, m, rows, (a, b, c), limit)
        if safe <= found <= limit:
            exchange(words, (a, b, c), work.spare)
            for j in range(band.shape[1]):
                trial[a, j] = band[a, j]
            found = fill_band(work.spare, work.reference, trial, a)
        if found <= limit:
            best, lowest, best_rank = k, found, rank
    return best


@inner
def as_swap(size: int, start: int, target: int, n: int) -> Swap:
    """Return a move as neighbours ``[a, b)`` and ``[b, c)`` that change places.

    A target inside the block means that many words to the right of its start.
    """
    if target < start:
        return target, start, start + size
    return start, start + size, target if target > start + size else min(n, target + size)


@inner
def exchange(words: IntArray, swap: Swap, into: IntArray) -> None:
    """Write `words` with the two neighbours exchanged into `into`."""
    a, b, c = swap
    k = 0
    for start, stop in ((0, a), (b, c), (a, b), (c, words.size)):
        for i in range(start, stop):
            into[k] = words[i]
            k += 1
