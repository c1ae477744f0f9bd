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
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from detectable.core.errors import WorkerError

Payload = TypeVar("Payload")
Block = TypeVar("Block")
Answer = TypeVar("Answer")

_ROUNDS = (
    3  # without any block: a worker that is killed once was unlucky; thrice, it will be again
)

_payload: Any = None  # in a worker process: what all its blocks share


def run_in_processes(
    task: Callable[[Payload, Block], Answer],
    payload: Payload,
    todo: Sequence[Block],
    left: Iterable[int],
    *,
    n_workers: int,
) -> Generator[tuple[int, Answer], None, None]:
    """Give ``task(payload, block)`` and its number, for the blocks that are left, as they come.

    What a killed worker did not finish is done again, from the same block, so the answer is the
    same. Blocks are handed out one by one: what is lost is what was in work, no more.

    Raises
    ------
    WorkerError
        If workers are killed again and again, and nothing is finished between.
    """
    missing = set(left)
    barren = 0
    while missing:
        before = len(missing)
        begun = _round(task, payload, todo, sorted(missing), n_workers)
        with contextlib.closing(begun):  # which ends the workers if nobody wants more
            for number, answer in begun:
                missing.discard(number)
                yield number, answer
        barren = 0 if len(missing) < before else barren + 1
        if barren == _ROUNDS:
            raise WorkerError(
                f"worker processes were ended from outside {_ROUNDS} times before they finished "
                f"anything, perhaps for lack of memory; got `n_jobs` {n_workers}. Use fewer."
            )


def _round(
    task: Callable[[Payload, Block], Answer],
    payload: Payload,
    todo: Sequence[Block],
    left: Sequence[int],
    n_workers: int,
) -> Generator[tuple[int, Answer], None, None]:
    """Give what workers finish, until all is done or one of them is killed."""
    # `spawn` and not `fork`: forking a process that holds threads of BLAS can hang it.
    pool = ProcessPoolExecutor(
        max_workers=min(n_workers, len(left)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_receive,
        initargs=(payload,),
    )
    shared = functools.partial(_shared, task)
    numbers: dict[Future[Answer], int] = {}
    try:
        with contextlib.suppress(BrokenProcessPool):  # by a worker that died at its start
            for number in left:
                with deaf_to_interrupts():  # which workers that start here inherit
                    numbers[pool.submit(shared, todo[number])] = number
        for future in as_completed(list(numbers)):
            number = numbers.pop(future)  # an answer that was given need not be held
            # Not the end: others were finished before the worker was killed.
            with contextlib.suppress(BrokenProcessPool):
                yield number, future.result()
        pool.shutdown()
    except BaseException:
        end_workers(pool)
        raise


def end_workers(pool: ProcessPoolExecutor) -> None:
    """End the workers now, whatever they are doing, and wait until nothing of the pool is left."""
    with deaf_to_interrupts():  # a second Ctrl-C comes when this is done
        # Public only from Python 3.14 on, as kill_workers.
        for worker in list((getattr(pool, "_processes", None) or {}).values()):
            worker.kill()
        # Its thread notices that, and closes its pipes. Were it left to itself, Python could come
        # to its own end meanwhile, and write to such a pipe to wake the thread up: a second
        # traceback, with “Bad file descriptor”.
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
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
    threading.Thread(target=leave_with_parent, daemon=True).start()


def leave_with_parent() -> None:
    """End this worker as soon as the process that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:  # None where a test uses threads for processes
        parent.join()
        os._exit(1)


def _shared(task: Callable[[Any, Block], Answer], block: Block) -> Answer:
    return task(_payload, block)
