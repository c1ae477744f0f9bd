"""Where a simulation runs: here, in several processes, or on any executor; and its random numbers."""

import functools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from detectable.core import check
from detectable.core.progress import Progress, silent
from detectable.core.rng import Block, resolve
from detectable.core.types import Seed

Payload = TypeVar("Payload")
Answer = TypeVar("Answer")
Task = Callable[[Payload, Block], Answer]

_CHUNKS = 16  # tasks sent to an executor; each carries the payload once


@dataclass(frozen=True, slots=True)
class Engine:
    """Where and with which random numbers an analysis resamples or simulates."""

    rng: np.random.Generator
    seed: str
    given: int | None  # the seed as the caller wrote it, for tools with their own generator
    n_jobs: int
    executor: Executor | None
    progress: Progress

    @classmethod
    def start(
        cls, rng: Seed, *, n_jobs: int, executor: Executor | None, progress: Progress
    ) -> "Engine":
        """Resolve the seed once, so that one seed repeats the whole analysis."""
        generator, seed = resolve(rng)
        given = rng if isinstance(rng, int) else None
        n_jobs = check.positive_int(n_jobs, "n_jobs")  # also where nothing will be drawn
        return cls(generator, seed, given, n_jobs, executor, progress)


def run_blocks(
    task: Task[Payload, Answer],
    payload: Payload,
    work: Iterable[Block],
    *,
    n_jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
    step: str = "resampling",
) -> list[Answer]:
    """Return ``task(payload, block)`` for every block, in order.

    Linear algebra is held to one thread in every case: the blocks are the unit of
    parallelism, and one thread sums in one order, so the answer is the same bit for bit
    whether it is computed here, by `n_jobs` processes or by any `executor`.
    """
    todo = list(work)
    n_jobs = check.positive_int(n_jobs, "n_jobs")
    progress(step, 0, len(todo))
    if executor is not None:
        # Its workers may be threads of this process, which share one limit: were each to lift
        # it at its own end, the others would go on with several threads.
        with threadpool_limits(limits=1):
            return _on_executor(executor, task, payload, todo, progress, step)
    if n_jobs == 1 or len(todo) < 2:
        return _here(task, payload, todo, progress, step)
    return _in_processes(task, payload, todo, n_jobs, progress, step)


def _here(
    task: Task[Payload, Answer],
    payload: Payload,
    todo: Sequence[Block],
    progress: Progress,
    step: str,
) -> list[Answer]:
    answers = []
    with threadpool_limits(limits=1):
        for done, block in enumerate(todo, start=1):
            answers.append(task(payload, block))
            progress(step, done, len(todo))
    return answers


def _on_executor(
    executor: Executor,
    task: Task[Payload, Answer],
    payload: Payload,
    todo: Sequence[Block],
    progress: Progress,
    step: str,
) -> list[Answer]:
    chunks = _chunks(todo)
    futures = {
        executor.submit(_chunk, task, payload, chunk): index
        for index, chunk in enumerate(chunks)
    }
    answers: dict[int, list[Answer]] = {}
    done = 0
    for future in as_completed(futures):
        answers[futures[future]] = future.result()
        done += len(chunks[futures[future]])
        progress(step, done, len(todo))
    return [answer for index in range(len(chunks)) for answer in answers[index]]


def _in_processes(
    task: Task[Payload, Answer],
    payload: Payload,
    todo: Sequence[Block],
    n_jobs: int,
    progress: Progress,
    step: str,
) -> list[Answer]:
    # Imported here: multiprocessing costs a start of 30 ms that one process does not need.
    from detectable.core.processes import run_in_processes

    chunks = _chunks(todo)
    done = 0

    def finished(number: int) -> None:
        nonlocal done
        done += len(chunks[number])
        progress(step, done, len(todo))

    answers = run_in_processes(
        functools.partial(_chunk, task),
        payload,
        chunks,
        n_workers=min(n_jobs, len(todo)),
        finished=finished,
    )
    return [answer for chunk in answers for answer in chunk]


def _chunks(todo: Sequence[Block]) -> list[Sequence[Block]]:
    size = -(-len(todo) // _CHUNKS)
    return [todo[start : start + size] for start in range(0, len(todo), size)]


def _chunk(
    task: Task[Payload, Answer], payload: Payload, chunk: Sequence[Block]
) -> list[Answer]:
    return _here(task, payload, chunk, silent, "")
