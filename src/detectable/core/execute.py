"""Where a simulation runs: here, in several processes, or on any executor; and its random numbers."""

import contextlib
import functools
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from detectable.core import check
from detectable.core.checkpoint import current_checkpoint
from detectable.core.errors import WorkerError
from detectable.core.interpreter import one_thread
from detectable.core.rng import Block, resolve, run_block
from detectable.core.types import Progress, Seed, silent

if TYPE_CHECKING:
    from concurrent.futures import Executor

Payload = TypeVar("Payload")
Answer = TypeVar("Answer")
Task = Callable[[Payload, Block], Answer]
Found: TypeAlias = Generator[tuple[int, Answer], None, None]  # numbers of blocks, and answers

_CHUNKS = 16  # tasks sent to an executor; each carries the payload once


class Engine(NamedTuple):
    """Where and with which random numbers an analysis resamples or simulates."""

    rng: np.random.Generator
    seed: str
    given: int | None  # the seed as the caller wrote it, for tools with their own generator
    n_jobs: int
    executor: "Executor | None"
    progress: Progress

    @classmethod
    def start(
        cls, rng: Seed, *, n_jobs: int, executor: "Executor | None", progress: Progress
    ) -> "Engine":
        """Resolve the seed once, so that one seed repeats the whole analysis."""
        generator, seed = resolve(rng)
        given = rng if isinstance(rng, int) else None
        n_jobs = check.positive_int(n_jobs, "n_jobs")  # even where nothing will be drawn
        return cls(generator, seed, given, n_jobs, executor, progress)


def run_blocks(
    task: Task[Payload, Answer],
    payload: Payload,
    work: Iterable[Block],
    *,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
    step: str = "resampling",
) -> list[Answer]:
    """Return ``task(payload, block)`` for every block, in order.

    Linear algebra is held to one thread in every case: the blocks are the unit of
    parallelism, and one thread sums in one order, so the answer is the same bit for bit
    whether it is computed here, by `n_jobs` processes or by any `executor`. Inside `checkpoint`
    every answer is kept in a file, and what is there already is not computed again.
    """
    todo = list(work)
    n_jobs = check.positive_int(n_jobs, "n_jobs")
    kept = current_checkpoint() if todo else None
    answers: dict[int, Any] = {}
    if kept is not None:
        begun = kept.step(task, payload, [(block.rows, block.rng) for block in todo], step)
        answers = kept.answers(begun)
    progress(step, len(answers), len(todo))
    left = [number for number in range(len(todo)) if number not in answers]
    with contextlib.closing(_answers(task, payload, todo, left, n_jobs, executor)) as found:
        for number, answer in found:
            if kept is not None:
                kept.keep(number, answer)
            answers[number] = answer
            progress(step, len(answers), len(todo))
    return [answers[number] for number in range(len(todo))]


def _answers(
    task: Task[Payload, Answer],
    payload: Payload,
    todo: Sequence[Block],
    left: Sequence[int],
    n_jobs: int,
    executor: "Executor | None",
) -> Found[Answer]:
    """Return the answers to the blocks that are left, each with its number, as they come."""
    if executor is not None:
        from detectable.core.scheduler import Cluster

        if isinstance(executor, Cluster):
            return executor.answers(task, payload, todo, left)
        return _on_executor(executor, task, payload, todo, left)
    if n_jobs == 1 or len(left) < 2:
        return _here(task, payload, todo, left)
    # Imported here: multiprocessing costs a start of 30 ms that one process does not need.
    from detectable.core.processes import run_in_processes

    workers = min(n_jobs, len(left))
    return run_in_processes(
        functools.partial(_one, task), payload, todo, left, n_workers=workers
    )


def _here(
    task: Task[Payload, Answer], payload: Payload, todo: Sequence[Block], left: Sequence[int]
) -> Found[Answer]:
    with one_thread():
        for number in left:
            yield number, run_block(task, payload, todo[number])


def _on_executor(
    executor: "Executor",
    task: Task[Payload, Answer],
    payload: Payload,
    todo: Sequence[Block],
    left: Sequence[int],
) -> Found[Answer]:
    from concurrent.futures import BrokenExecutor, as_completed

    # Its workers may be threads of this process, which share one limit: were each to lift
    # it at its own end, the others would go on with several threads.
    with one_thread():
        futures = {
            executor.submit(_chunk, task, payload, [todo[number] for number in chunk]): chunk
            for chunk in _chunks(left)
        }
        try:
            for future in as_completed(futures):
                yield from zip(futures[future], future.result(), strict=True)
        except BrokenExecutor as error:
            raise WorkerError(
                f"a worker of the executor was ended from outside: {error} Use `n_jobs`, which "
                "does what it left again, or a `checkpoint`, which keeps what is done."
            ) from error


def _chunks(left: Sequence[int]) -> list[Sequence[int]]:
    size = max(1, -(-len(left) // _CHUNKS))
    return [left[start : start + size] for start in range(0, len(left), size)]


def _chunk(
    task: Task[Payload, Answer], payload: Payload, chunk: Sequence[Block]
) -> list[Answer]:
    with one_thread():
        return [run_block(task, payload, block) for block in chunk]


def _one(task: Task[Payload, Answer], payload: Payload, block: Block) -> Answer:
    with one_thread():
        return run_block(task, payload, block)
