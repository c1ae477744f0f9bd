"""Run the swaps of a test block by block, and keep no more of them than is asked for.

A test that Holm corrects for 561 pairs draws 561,000 swaps. Its corrected intervals need the 50 most
extreme ends of each pair among all of them; the interval of one pair by itself needs the 500 most
extreme of ten thousand. So the first ten thousand keep what a single pair needs, and the others
only what the correction does.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from detectable.core.execute import Engine, run_blocks
from detectable.core.rng import Block, blocks
from detectable.inference.swap_tally import Questions, Swaps, Tally, merge, patterns_within

_FIRST = 10  # blocks of 1,024 swaps
_AT_ONCE = 64  # blocks whose tallies are held side by side

Payload = TypeVar("Payload")  # a dataclass with a field `questions`


def drawn_swaps(
    task: Callable[[Payload, Block], Tally],
    payload: Payload,
    questions: Questions,
    *,
    n_resamples: int,
    levels: tuple[float, float],
    engine: Engine,
    step: str,
) -> Swaps:
    """Draw `n_resamples` swaps and return what they have shown.

    Parameters
    ----------
    task : callable
        Counts over the swaps of one block, given the payload.
    questions : Questions
        Those of the payload.
    levels : (float, float)
        The largest levels of intervals that are asked for: of one pair, and corrected.
    """

    def run(work: list[Block], asked: Questions) -> list[Tally]:
        asking: Any = dataclasses.replace(payload, questions=asked)  # type: ignore[type-var]
        return run_blocks(
            task,
            asking,
            work,
            n_jobs=engine.n_jobs,
            executor=engine.executor,
            progress=engine.progress,
            step=step,
        )

    work = list(blocks(n_resamples, engine.rng))
    head, tail = work[:_FIRST], work[_FIRST:]
    if not tail or levels[0] == levels[1]:
        counted = merge(questions, run(work, questions))
        return Swaps(questions=questions, counted=counted, exact=False)
    n_first = sum(block.rows for block in head)
    loose, strict = (
        dataclasses.replace(questions, n_kept=patterns_within(level, n) + 1)
        for level, n in zip(levels, (n_first, n_resamples), strict=True)
    )
    begun = run(head, loose)
    first, counted = merge(loose, begun), merge(strict, begun)
    for start in range(0, len(tail), _AT_ONCE):
        counted = merge(strict, [counted, *run(tail[start : start + _AT_ONCE], strict)])
    return Swaps(questions=questions, counted=counted, exact=False, first=first)
