"""Items of each rater: evenly, and some with two raters."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.study.tasks.sharing import _rounds, share_items


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 60), st.floats(0, 1), st.integers(2, 9), st.integers(0, 99))
def test_loads_are_even_and_nobody_gets_an_item_twice(
    n: int, share: float, raters: int, seed: int
) -> None:
    twice = set(range(round(share * n)))
    shares = share_items(range(n), twice, raters, np.random.default_rng(seed))
    sizes = [len(own) for own in shares]
    assert len(shares) == raters
    assert max(sizes) - min(sizes) <= (1 if n - len(twice) >= raters else 2)
    common = [
        len(set(shares[i]) & set(shares[j]))
        for i in range(raters)
        for j in range(i + 1, raters)
    ]
    assert sum(common) == len(twice)
    assert max(common) - min(common) <= 1
    assert all(len(set(own)) == len(own) for own in shares)
    times = Counter(row for own in shares for row in own)
    assert times == {row: 2 if row in twice else 1 for row in range(n)}


@pytest.mark.parametrize("n", range(2, 10))
def test_every_two_meet_once_and_nobody_twice_in_a_round(n: int) -> None:
    pairs = list(_rounds(n))
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == n * (n - 1) // 2
    half = n // 2
    for start in range(0, len(pairs), half):
        players = [rater for pair in pairs[start : start + half] for rater in pair]
        assert len(set(players)) == 2 * half


def test_what_two_judge_stands_anywhere_in_the_work() -> None:
    """Were it at the start, drift of the raters would look like agreement."""
    places = []
    for seed in range(50):
        for own in share_items(range(100), set(range(20)), 2, np.random.default_rng(seed)):
            places += [own.index(row) / (len(own) - 1) for row in range(20)]
    # Uniform: sd 1/√12; 2,000 places, not more dependent than independent ones.
    assert abs(np.mean(places) - 0.5) < 4 / np.sqrt(12 * len(places))


def test_items_come_in_random_order() -> None:
    [own] = share_items(range(50), (), 1, np.random.default_rng(1))
    assert own != sorted(own)
    firsts = {share_items(range(9), (), 3, np.random.default_rng(s))[0][0] for s in range(60)}
    assert firsts == set(range(9))
