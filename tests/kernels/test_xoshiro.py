"""The words of numpy's lanes are those of one plain generator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.kernels.resample import random_words, seed_words
from tests.kernels.plain_xoshiro import Xoshiro


@pytest.mark.golden
def test_the_generator_gives_the_published_sequence() -> None:
    # The test vector of rand_xoshiro (crates.io), made with the authors' C code from state 1 2 3 4.
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    plain = Xoshiro([1, 2, 3, 4])
    assert [plain.word() for _ in published] == published
    assert random_words(np.arange(1, 5, dtype=np.uint64), 5).tolist() == published


@given(st.lists(st.integers(0, 700), min_size=1, max_size=4), st.integers(0, 2**32))
def test_lanes_go_on_where_one_generator_would(parts: list[int], seed: int) -> None:
    state = seed_words(np.random.default_rng(seed))
    plain = Xoshiro([int(word) for word in state])
    for n in parts:
        assert random_words(state, n).tolist() == [plain.word() for _ in range(n)]
        assert state.tolist() == plain.s


def test_many_words_are_those_of_many_short_draws() -> None:
    n = 300_000
    state, again = seed_words(np.random.default_rng(5)), seed_words(np.random.default_rng(5))
    whole = random_words(state, n)
    pieces = [random_words(again, m) for m in (1, 1023, 1024, 99_999, n - 102_047)]
    assert np.array_equal(whole, np.concatenate(pieces))
    assert state.tolist() == again.tolist()


def test_a_start_is_never_all_zeros() -> None:
    assert (seed_words(np.random.default_rng(1)) > 0).all()
