"""Word edit distances and bag overlaps of hypotheses and references.

A stream of lines is its word ids and offsets: line `i` is ``ids[offsets[i] : offsets[i + 1]]``.
``owner[k]`` is the hypothesis that reference `k` is compared with. There is no C here:
rapidfuzz takes 2 microseconds for a pair of sentences, less than it takes to encode them, and
a sort does for the bags.
"""

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from detectable.core.types import IntArray

Ids: TypeAlias = NDArray[np.int32]

_BITS = 32  # of a key that hold the word; the line stands above


class Bags(NamedTuple):
    """How often each word occurs in each line."""

    keys: IntArray  # line * 2**32 + word, rising
    counts: IntArray


def as_lists(ids: Ids, offsets: IntArray) -> list[list[int]]:
    """Return the words of each line as a list."""
    words, ends = ids.tolist(), offsets.tolist()
    return [words[start:end] for start, end in pairwise(ends)]


def edit_distances(
    hypotheses: list[list[int]], references: list[list[int]], owner: IntArray
) -> IntArray:
    """Return the Levenshtein distance, in words, of each reference to its hypothesis."""
    compared = map(hypotheses.__getitem__, owner.tolist())
    return np.fromiter(map(Levenshtein.distance, compared, references), np.int64, owner.size)


def count_words(ids: Ids, offsets: IntArray) -> Bags:
    """Return the bag of words of each line."""
    line = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    keys, counts = np.unique((line << _BITS) | ids, return_counts=True)
    return Bags(keys, counts)


def bag_overlaps(hypotheses: Bags, references: Bags, owner: IntArray) -> IntArray:
    """Return how many words, repetitions included, each reference shares with its hypothesis."""
    shared = np.zeros(owner.size, np.int64)
    if hypotheses.keys.size == 0:
        return shared
    line, word = references.keys >> _BITS, references.keys & ((1 << _BITS) - 1)
    wanted = (owner[line] << _BITS) | word
    place = np.searchsorted(hypotheses.keys, wanted).clip(max=hypotheses.keys.size - 1)
    found = hypotheses.keys[place] == wanted
    both = np.minimum(references.counts[found], hypotheses.counts[place[found]])
    np.add.at(shared, line[found], both)
    return shared
