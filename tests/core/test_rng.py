"""Random numbers: one way in, and fixed blocks with a generator each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.rng import BLOCK, Block, blocks, resolve, run_block

# Blocks


def test_a_block_holds_1024_rows() -> None:
    """It is part of every seeded answer: tests/test_seeded.py holds some."""
    assert BLOCK == 1024
    sizes = [block.rows for block in blocks(3000, np.random.default_rng(1))]
    assert sizes == [1024, 1024, 952]


@given(st.integers(1, 300), st.integers(1, 200))
def test_blocks_cover_the_work_once_and_only_the_last_is_short(total: int, size: int) -> None:
    rows = [block.rows for block in blocks(total, np.random.default_rng(1), size=size)]
    assert sum(rows) == total
    assert set(rows[:-1]) <= {size}
    assert 0 < rows[-1] <= size


def test_no_work_has_no_blocks() -> None:
    assert list(blocks(0, np.random.default_rng(1))) == []


def test_every_block_has_random_numbers_of_its_own() -> None:
    drawn = [block.rng.random() for block in blocks(40, np.random.default_rng(1), size=4)]
    assert len(set(drawn)) == 10


def test_more_work_begins_with_the_same_numbers() -> None:
    """The first blocks do not depend on how many follow."""

    def first(total: int) -> list[float]:
        made = list(blocks(total, np.random.default_rng(7), size=10))
        return [block.rng.random() for block in made[:3]]

    assert first(30) == first(95)


def test_a_generator_that_was_used_gives_other_blocks() -> None:
    rng = np.random.default_rng(7)
    one, two = (next(iter(blocks(5, rng))).rng.random() for _ in range(2))
    assert one != two


# Seeds


def test_a_seed_is_its_own_label() -> None:
    rng, label = resolve(12)
    assert label == "12"
    assert rng.random() == np.random.default_rng(12).random()


def test_zero_is_a_seed() -> None:
    rng, label = resolve(0)
    assert label == "0"
    assert rng.random() == np.random.default_rng(0).random()


def test_a_fresh_seed_is_recorded_and_repeats_the_numbers() -> None:
    rng, label = resolve(None)
    assert int(label) >= 2**32  # enough entropy that no two runs meet
    assert rng.random() == np.random.default_rng(int(label)).random()
    assert resolve(None)[1] != label


def test_a_generator_is_used_as_it_is() -> None:
    mine = np.random.default_rng(3)
    rng, label = resolve(mine)
    assert rng is mine
    assert label == "caller"


@pytest.mark.parametrize("seed", [-1, -(10**9)])
def test_a_seed_is_not_negative(seed: int) -> None:
    wanted = rf"`rng` must be a Generator, a whole number ≥ 0 or None; got {seed}\."
    with pytest.raises(InputError, match=wanted):
        resolve(seed)


# --- A block can be done again, and gives the same numbers ---


def _draw(scale: float, block: Block) -> list[float]:
    child = block.rng.spawn(1)[0]
    return [*(scale * block.rng.normal(size=block.rows)), child.random()]


def test_a_block_that_is_done_twice_gives_the_same() -> None:
    (block,) = blocks(5, np.random.default_rng(3), size=5)
    first = run_block(_draw, 2.0, block)
    assert len(first) == 6
    assert run_block(_draw, 2.0, block) == first
    assert _draw(2.0, block) == first
    assert _draw(2.0, block) != first  # as it would be without the copy
