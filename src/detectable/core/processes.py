"""Work done by several processes, which may be killed and may be told to stop.

Workers do not hear Ctrl-C: it reaches the process that started them, which ends them at once.
They end by themselves when that process is gone.
"""

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from detectable.core.errors import WorkerError

Payload = TypeVar("Payload")
Chunk = TypeVar("Chunk")
Answer = TypeVar("Answer")

_ROUNDS = 3  # a worker that is killed once was unlucky; three rounds mean that it will be again

_payload: Any = None  # in a worker process: what all its chunks share


def run_in_processes(
    task: Callable[[Payload, Chunk], Answer],
    payload: Payload,
    chunks: Sequence[Chunk],
    *,
    n_workers: int,
    finished: Callable[[int], None],
) -> list[Answer]:
    """Return ``task(payload, chunk)`` for every chunk, in order.

    What a killed worker did not finish is done again, from the same chunk, so the answer is the
    same.

    Parameters
    ----------
    finished : callable
        Told the number of every chunk that is done.

    Raises
    ------
    WorkerError
        If workers are killed again and again.
    """
    answers: dict[int, Answer] = {}
    for _ in range(_ROUNDS):
        left = [number for number in range(len(chunks)) if number not in answers]
        if not left:
            break
        with contextlib.suppress(BrokenProcessPool):
            for number, answer in _round(task, payload, chunks, left, n_workers):
                answers[number] = answer
                finished(number)
    if len(answers) < len(chunks):
        raise WorkerError(
            f"worker processes were ended from outside in {_ROUNDS} rounds of work, perhaps for "
            f"lack of memory; got `n_jobs` {n_workers}. Use fewer."
        )
    return [answers[number] for number in range(len(chunks))]


def _round(
    task: Callable[[Payload, Chunk], Answer],
    payload: Payload,
    chunks: Sequence[Chunk],
    left: Sequence[int],
    n_workers: int,
) -> Iterator[tuple[int, Answer]]:
    # `spawn` and not `fork`: forking a process that holds BLAS or numba threads can hang it.
    pool = ProcessPoolExecutor(
        max_workers=min(n_workers, len(left)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_receive,
        initargs=(payload,),
    )
    try:
        numbers = {}
        for number in left:
            with _deaf_to_interrupts():  # which workers that start here inherit
                future = pool.submit(functools.partial(_shared, task), chunks[number])
            numbers[future] = number
        for future in as_completed(numbers):
            yield numbers[future], future.result()
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers now, whatever they are doing."""
    # Public only from Python 3.14 on, as kill_workers.
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes that are started meanwhile never hear it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _receive(payload: Any) -> None:
    global _payload  # one worker process serves one payload, set at its start
    _payload = payload
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:  # None where a test uses threads for processes
        parent.join()
        os._exit(1)


def _shared(task: Callable[[Any, Chunk], Answer], chunk: Chunk) -> Answer:
    return task(_payload, chunk)
