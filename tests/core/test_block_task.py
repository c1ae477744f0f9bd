"""A block can be done again, and gives the same numbers."""

import numpy as np

from detectable.core.rng import Block, blocks, run_block


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
