"""Edit distances and bag overlaps against plain Python, pair by pair."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.types import IntArray
from detectable.kernels import edits
from tests.golden.make_word_errors import bag_errors, edit_distance

Lines = list[list[int]]

lines = st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=5)


def stream(lines: Lines) -> tuple[edits.Ids, IntArray]:
    words = [word for line in lines for word in line]
    return np.array(words, np.int32), np.cumsum([0, *map(len, lines)])


@given(lines, lines, st.randoms(use_true_random=False))
def test_both_counts_follow_the_definition(
    hypotheses: Lines, references: Lines, rng: random.Random
) -> None:
    chosen = [rng.choice(range(len(hypotheses))) for _ in references]
    owner = np.array(chosen)
    pairs = [
        ([str(w) for w in hypotheses[k]], [str(w) for w in reference])
        for k, reference in zip(chosen, references, strict=True)
    ]

    assert edits.as_lists(*stream(hypotheses)) == hypotheses
    distances = edits.edit_distances(hypotheses, references, owner)
    assert distances.tolist() == [edit_distance(*pair) for pair in pairs]

    bags, others = (
        edits.count_words(*stream(hypotheses)),
        edits.count_words(*stream(references)),
    )
    overlaps = edits.bag_overlaps(bags, others, owner)
    longer = [max(map(len, pair)) for pair in pairs]
    assert (np.array(longer) - overlaps).tolist() == [bag_errors(*pair) for pair in pairs]


def test_lines_and_words_of_large_number_are_kept_apart() -> None:
    top = 2**31 - 1
    bags = edits.count_words(np.array([top, 0, top, top], np.int32), np.array([0, 2, 4]))
    assert edits.bag_overlaps(bags, bags, np.array([0, 1])).tolist() == [2, 2]
    assert edits.bag_overlaps(bags, bags, np.array([1, 0])).tolist() == [1, 1]
