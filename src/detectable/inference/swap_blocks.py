"""Run the swaps of a test block by block, and keep no more of them than is asked for.

A test that Holm corrects for 561 pairs draws 561,000 swaps. Its corrected intervals need the 50 most
extreme ends of each pair among all of them; the interval of one pair by itself needs the 500 most
extreme of ten thousand. So the first ten thousand keep what a single pair needs, and the others
only what the correction does.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from detectable.core.execute import Engine, run_blocks
from detectable.core.rng import BLOCK, Block, blocks
from detectable.inference.swap_tally import Questions, Swaps, Tally, merge, patterns_within

_FIRST = 10  # blocks of 1,024 swaps
_AT_ONCE = 64  # blocks whose tallies are held side by side, at most
_HELD = 1 << 22  # ends of intervals in these tallies; does not change the answer

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
    work = list(blocks(n_resamples, engine.rng))
    head, tail = work[:_FIRST], work[_FIRST:]
    before = 0

    def told(step: str, done: int, total: int | None) -> None:  # noqa: ARG001 (of the piece)
        engine.progress(step, before + done, len(work))

    def run(part: list[Block], asked: Questions) -> Iterator[list[Tally]]:
        nonlocal before
        asking: Any = dataclasses.replace(payload, questions=asked)  # type: ignore[type-var]
        size = _at_once(asked, engine)
        for start in range(0, len(part), size):
            now = part[start : start + size]
            yield run_blocks(
                task,
                asking,
                now,
                n_jobs=engine.n_jobs,
                executor=engine.executor,
                progress=told,
                step=step,
            )
            before += len(now)

    def added(asked: Questions, parts: Iterator[list[Tally]], *begun: Tally) -> Tally:
        for tallies in parts:
            begun = (merge(asked, [*begun, *tallies]),)
        return begun[0]

    if not tail or levels[0] == levels[1]:
        counted = added(questions, run(work, questions))
        return Swaps(questions=questions, counted=counted, exact=False)
    n_first = sum(block.rows for block in head)
    loose, strict = (
        dataclasses.replace(questions, n_kept=patterns_within(level, n) + 1)
        for level, n in zip(levels, (n_first, n_resamples), strict=True)
    )
    first = added(loose, run(head, loose))
    counted = added(strict, run(tail, strict), merge(strict, [first]))
    return Swaps(questions=questions, counted=counted, exact=False, first=first)


def _at_once(questions: Questions, engine: Engine) -> int:
    """Return how many tallies to hold before they are added up; a few for every process."""
    if engine.executor is not None:
        return _AT_ONCE  # nobody here knows how many workers wait for blocks
    ends = 2 * questions.observed.size * min(BLOCK, 2 * questions.n_kept)
    fewest = 1 if engine.n_jobs == 1 else 4 * engine.n_jobs
    return max(fewest, min(_AT_ONCE, _HELD // max(1, ends)))
