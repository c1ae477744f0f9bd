"""Matching cells of two systems, against a loop."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detectable.kernels.pairing import match_cells, mean_by_item

# Two campaigns with three and two systems; slots 0 1 2 and 3 4; pairs 01 02 12 and 34.
CAMPAIGN = np.array([0, 0, 0, 1, 1])
PAIRS = [(0, 1), (0, 2), (1, 2), (3, 4)]

slots = st.sampled_from([(0,), (0, 1), (0, 2), (1, 2), (0, 1, 2), (3,), (4,), (3, 4)])


@given(st.lists(slots, min_size=1, max_size=20))
def test_matched_cells_are_those_of_a_loop(groups: list[tuple[int, ...]]) -> None:
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    slot = np.concatenate([np.array(g) for g in groups])
    first, second = np.array(PAIRS).T
    starts, left, right = match_cells(group, slot, CAMPAIGN, first, second)
    expected: list[list[tuple[int, int]]] = [[] for _ in PAIRS]
    for x, y in combinations(range(slot.size), 2):
        if group[x] == group[y]:
            expected[PAIRS.index((slot[x], slot[y]))].append((x, y))
    for p, cells in enumerate(expected):
        part = slice(starts[p], starts[p + 1])
        assert list(zip(left[part].tolist(), right[part].tolist(), strict=True)) == cells


def test_raters_of_an_item_are_averaged() -> None:
    starts = np.array([0, 3, 3, 5])
    item = np.array([7, 7, 9, 7, 8])
    begins, items, a, b, d = mean_by_item(
        starts, item, np.array([1.0, 3, 5, 6, 7]), np.array([0.0, 1, 2, 3, 4])
    )
    assert begins.tolist() == [0, 2, 2, 4]
    assert items.tolist() == [7, 9, 7, 8]
    assert a.tolist() == [2, 5, 6, 7]
    assert b.tolist() == [0.5, 2, 3, 4]
    assert d.tolist() == [1.5, 3, 3, 3]


@given(st.lists(slots, min_size=1, max_size=20), st.permutations([(0, 2), (4, 3), (2, 1)]))
def test_some_pairs_in_any_order(
    groups: list[tuple[int, ...]], chosen: list[tuple[int, int]]
) -> None:
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    slot = np.concatenate([np.array(g) for g in groups])
    starts, left, right = match_cells(group, slot, CAMPAIGN, *np.array(chosen).T)
    for p, (one, other) in enumerate(chosen):
        part = slice(starts[p], starts[p + 1])
        assert (slot[left[part]] == one).all()
        assert (slot[right[part]] == other).all()
        both = [{one, other} <= set(g) for g in groups]
        assert group[left[part]].tolist() == np.flatnonzero(both).tolist()


def test_items_of_neighbouring_pairs_stay_apart() -> None:
    one = np.ones(2)
    begins, items, *_ = mean_by_item(np.array([0, 1, 1, 2, 2]), np.array([5, 5]), one, one)
    assert (begins.tolist(), items.tolist()) == ([0, 1, 1, 2, 2], [5, 5])
    begins, items, *_ = mean_by_item(np.array([0, 0]), np.zeros(0, np.int64), one[:0], one[:0])
    assert (begins.tolist(), items.tolist()) == ([0, 0], [])
