"""Randomness enters here and nowhere else.

Long simulations are cut into fixed blocks, each with a generator of its own. The cut depends
only on the amount of work, so the answer does not depend on batch size, number of processes
or the machine that runs a block.
"""

import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from detectable.core.checkpoint import current_checkpoint, no_checkpoint
from detectable.core.errors import InputError
from detectable.core.types import Seed

BLOCK = 1024  # resamples per block; part of every answer, so changing it changes the numbers


def resolve(rng: Seed) -> tuple[np.random.Generator, str]:
    """Return a generator and the label that reproduces it.

    ``None`` draws fresh entropy, which is *recorded*, so any run can be repeated afterwards. A run
    that goes on where a killed one was takes the entropy of that one.
    """
    if isinstance(rng, np.random.Generator):
        return rng, "caller"
    if rng is not None and rng < 0:
        raise InputError(f"`rng` must be a Generator, a whole number ≥ 0 or None; got {rng!r}.")
    kept = current_checkpoint() if rng is None else None
    entropy = np.random.SeedSequence(rng).entropy if kept is None else kept.seed()
    return np.random.default_rng(entropy), str(entropy)


class Block(NamedTuple):
    """One piece of a simulation: how many rows, and the generator that draws them."""

    rows: int
    rng: np.random.Generator


def blocks(total: int, rng: np.random.Generator, *, size: int = BLOCK) -> Iterator[Block]:
    """Cut `total` rows into blocks of `size`, each with a spawned generator."""
    starts = range(0, total, size)
    for start, child in zip(starts, rng.spawn(len(starts)), strict=True):
        yield Block(min(size, total - start), child)


# --- One block of work, done so that it can be done again ---

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
