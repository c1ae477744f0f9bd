"""n-grams that hypotheses share with references, of words or of characters, of any order.

The n-grams of a reference form a tree: an n-gram is a child of its first n - 1 tokens. The tree
lives in one hash table with open addressing, where a node is the slot of its edge and an edge is
(parent slot, token). Walking it costs one probe per order, stops at the first n-gram that the
reference lacks, and puts no limit on the order or on the number of distinct tokens.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.progress import Progress
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.inner import inner

_EMPTY = -1
# Odd, and 2**64 / golden ratio modulo 2**64: spreads keys that lie close together (Knuth, The
# Art of Computer Programming, volume 3, section 6.4).
_MIX = -7046029254386353131


class Tree(NamedTuple):
    """The n-grams of some references; all arrays are indexed by slot."""

    keys: IntArray  # the edge that lives here
    limits: NDArray[np.int32]  # how often a hypothesis may use the n-gram
    counts: NDArray[np.int32]  # how often the line at hand has used it so far
    values: FloatArray  # what a match is worth


def announce(progress: Progress, *, information: bool = False) -> None:
    """Say that `shared_ngrams`, or else `ngram_information`, will compile, where it will."""
    ready = bool(shared_ngrams.signatures)
    if information:
        ready = ready and bool(ngram_information.signatures)
    if not ready:
        progress("compiling n-gram kernels (first use only)", 0, None)


def ngram_totals(lengths: IntArray, order: int) -> IntArray:
    """Return how many n-grams lines of the given lengths have, for n from 1 to `order`."""
    totals: IntArray = np.maximum(lengths[..., None] - np.arange(order), 0)
    return totals


@njit(cache=True, nogil=True)
def shared_ngrams(
    hyp_ids: NDArray[np.int32],
    hyp_offsets: IntArray,
    ref_ids: NDArray[np.int32],
    ref_offsets: IntArray,
    first: IntArray,
    groups: IntArray,
    weights: FloatArray,
    order: int,
) -> FloatArray:
    """Return the clipped n-gram matches of every hypothesis, for n from 1 to `order`.

    Parameters
    ----------
    hyp_ids, hyp_offsets : arrays
        Tokens of all lines of all outputs, output by output.
    ref_ids, ref_offsets : arrays
        Tokens of all references, segment by segment.
    first : array of shape (segments + 1,)
        The first reference of each segment.
    groups : array of shape (groups + 1,)
        The first reference of each group. The references of a group act as one: an n-gram may
        match as often as it occurs in any of them. A group lies within one segment.
    weights : array of shape (reference tokens, order) or (0, order)
        What a match of the n-gram that starts at a reference token is worth; empty: one.
    order : int
        The longest n-gram.

    Returns
    -------
    array of shape (outputs, groups, order)
    """
    n_segments = first.size - 1
    n_outputs = (hyp_offsets.size - 1) // n_segments
    matches = np.zeros((n_outputs, groups.size - 1, order))
    largest = 0
    for g in range(groups.size - 1):
        largest = max(largest, ref_offsets[groups[g + 1]] - ref_offsets[groups[g]])
    tree = _plant(largest * order)
    segment = 0
    for g in range(groups.size - 1):
        begin, end = groups[g], groups[g + 1]
        while begin >= first[segment + 1]:
            segment += 1
        size = _capacity((ref_offsets[end] - ref_offsets[begin]) * order)
        tree.keys[:size] = _EMPTY
        tree.limits[:size] = 0
        for r in range(begin, end):
            tree.counts[:size] = 0
            _grow(tree, size, ref_ids, ref_offsets[r], ref_offsets[r + 1], order)
            if weights.shape[0] > 0:
                _weigh(tree, size, ref_ids, ref_offsets[r], ref_offsets[r + 1], weights)
        for o in range(n_outputs):
            line = o * n_segments + segment
            tree.counts[:size] = 0
            start, stop = hyp_offsets[line], hyp_offsets[line + 1]
            _match(tree, size, hyp_ids, start, stop, matches[o, g])
    return matches


@njit(cache=True, nogil=True)
def ngram_information(
    ids: NDArray[np.int32], offsets: IntArray, order: int, orphan: int
) -> FloatArray:
    """Return the information, in bits, of the n-grams that start at each token.

    The information of an n-gram is log2 of how often its first n - 1 tokens occur, over how
    often it occurs itself; for a single token the former is the number of tokens. Bigrams that
    start with the token `orphan` are treated as if they had no prefix. n-grams that would cross
    the end of a line have 0.
    """
    tree = _plant(ids.size * order)
    size = tree.keys.size
    for line in range(offsets.size - 1):
        _grow(tree, size, ids, offsets[line], offsets[line + 1], order)
    information = np.zeros((ids.size, order))
    for line in range(offsets.size - 1):
        for i in range(offsets[line], offsets[line + 1]):
            slot, before = -1, ids.size
            for n in range(min(order, offsets[line + 1] - i)):
                if n == 1 and ids[i] == orphan:
                    before = ids.size
                slot = _find(tree.keys, size, _edge(slot, ids[i + n]))
                information[i, n] = math.log2(before / tree.counts[slot])
                before = tree.counts[slot]
    return information


@inner
def _capacity(n_ngrams: int) -> int:
    """Return a power of two that leaves the table at least half empty."""
    size = 16
    while size < 2 * n_ngrams:
        size *= 2
    return size


@inner
def _plant(n_ngrams: int) -> Tree:
    """Return an empty tree with room for `n_ngrams`."""
    size = _capacity(n_ngrams)
    counts = np.zeros(size, np.int32)
    return Tree(np.full(size, _EMPTY, np.int64), np.zeros_like(counts), counts, np.ones(size))


@inner
def _edge(parent: int, token: int) -> int:
    """Return the key of a token below a slot; the root is slot -1."""
    return (parent + 1 << 32) | token


@inner
def _find(keys: IntArray, size: int, key: int) -> int:
    """Return the slot of `key`, or the empty slot where it belongs."""
    slot = ((key * _MIX) >> 32) & (size - 1)
    while keys[slot] != key and keys[slot] != _EMPTY:
        slot = (slot + 1) & (size - 1)
    return slot


@inner
def _grow(
    tree: Tree, size: int, ids: NDArray[np.int32], start: int, stop: int, order: int
) -> None:
    """Add the n-grams of one reference, and let each match as often as it occurs there."""
    for i in range(start, stop):
        slot = -1
        for j in range(i, min(i + order, stop)):
            key = _edge(slot, ids[j])
            slot = _find(tree.keys, size, key)
            tree.keys[slot] = key
            tree.counts[slot] += 1
            tree.limits[slot] = max(tree.limits[slot], tree.counts[slot])


@inner
def _weigh(
    tree: Tree, size: int, ids: NDArray[np.int32], start: int, stop: int, weights: FloatArray
) -> None:
    """Set the value of the n-grams of one reference."""
    for i in range(start, stop):
        slot = -1
        for n in range(min(weights.shape[1], stop - i)):
            slot = _find(tree.keys, size, _edge(slot, ids[i + n]))
            tree.values[slot] = weights[i, n]


@inner
def _match(
    tree: Tree, size: int, ids: NDArray[np.int32], start: int, stop: int, matches: FloatArray
) -> None:
    """Add up the values of the n-grams of a hypothesis, within the limits of the tree."""
    for i in range(start, stop):
        slot = -1
        for n in range(min(matches.size, stop - i)):
            slot = _find(tree.keys, size, _edge(slot, ids[i + n]))
            if tree.keys[slot] == _EMPTY:
                break  # no longer n-gram of the references starts like this either
            if tree.counts[slot] < tree.limits[slot]:
                tree.counts[slot] += 1
                matches[n] += tree.values[slot]
