"""One block of work, done so that it can be done again."""

import copy
from collections.abc import Callable
from typing import TypeVar

from detectable.core.checkpoint import no_checkpoint
from detectable.core.rng import Block

Payload = TypeVar("Payload")
Answer = TypeVar("Answer")


def run_block(
    task: Callable[[Payload, Block], Answer], payload: Payload, block: Block
) -> Answer:
    """Return the answer of a task to one block.

    The block's generator is left as it was: where a worker shares our memory, a block that is
    begun a second time must draw the same numbers. What the task computes in blocks of its own is
    not kept: it is a part of this answer.
    """
    with no_checkpoint():
        return task(payload, Block(block.rows, copy.deepcopy(block.rng)))
