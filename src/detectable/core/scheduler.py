"""Blocks of work on a Dask cluster: many machines, and the same answer.

What all blocks share is sent to every worker once; each block is a task of its own. A worker that
is lost costs the blocks it had. The versions of this package and of numpy must be the same
everywhere, because the answer must.
"""

import contextlib
import functools
import logging
import queue
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from detectable.core import check
from detectable.core.errors import (
    DetectableError,
    InputError,
    MissingExtraError,
    WorkerError,
)
from detectable.core.rng import Block, run_block
from detectable.core.version import VERSION

Payload = TypeVar("Payload")
Answer = TypeVar("Answer")

_LOCAL = re.compile(r"local:(\d+)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+]*://\S+")
_ROUNDS = 3  # without any block, as of processes
_LOOK = 2.0  # seconds without an answer after which it is looked whether anybody works
PATIENCE = 30.0  # seconds to wait for a scheduler, or for workers where there are none


class Cluster(Executor):
    """Workers of a Dask cluster, as an executor; made by `scheduler`.

    Attributes
    ----------
    done : int
        How many blocks they have answered.
    """

    def __init__(self, client: Any, *, patience: float = PATIENCE) -> None:
        self.done = 0
        self._client = client
        self._patience = patience

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Run anything on a worker, as of any executor."""
        found: Future[Any] = self._client.get_executor(pure=False).submit(
            task, *args, **options
        )
        return found

    def check_versions(self) -> None:
        """Refuse workers with another version of this package or of numpy.

        Raises
        ------
        WorkerError
            Which names the worker and the versions.
        """
        with _said():
            self._client.wait_for_workers(1, timeout=self._patience)
            found = self._client.run(versions, on_error="return")
        here = versions()
        for worker, there in found.items():
            if isinstance(there, BaseException):
                raise WorkerError(
                    f"every worker must have {here}; {worker} says: {there}. Install it there."
                )
            if there != here:
                raise WorkerError(
                    f"every worker must have {here}, as there is here; {worker} has {there}. "
                    "Install the same everywhere."
                )

    def answers(
        self,
        task: Callable[[Payload, Block], Answer],
        payload: Payload,
        todo: Sequence[Block],
        left: Iterable[int],
    ) -> Generator[tuple[int, Answer], None, None]:
        """Give ``task(payload, block)`` and its number, for the blocks that are left, as they come.

        Raises
        ------
        WorkerError
            If workers are lost again and again, or the scheduler is.
        """
        missing = set(left)
        barren = 0
        while missing:
            before = len(missing)
            with contextlib.closing(self._round(task, payload, todo, missing)) as begun:
                for number, answer in begun:
                    missing.discard(number)
                    self.done += 1
                    yield number, answer
            barren = 0 if len(missing) < before else barren + 1
            if barren == _ROUNDS:
                raise WorkerError(
                    f"workers of the cluster were lost {_ROUNDS} times before they finished "
                    "anything, perhaps for lack of memory. Look into their logs."
                )

    def _round(
        self,
        task: Callable[[Payload, Block], Answer],
        payload: Payload,
        todo: Sequence[Block],
        left: Iterable[int],
    ) -> Generator[tuple[int, Answer], None, None]:
        """Send all that is left, and give what is finished; what was lost is missing."""
        numbers = sorted(left)
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with _said():
            self._client.wait_for_workers(1, timeout=self._patience)
            # Not by its hash: that would be computed of all data, and equal data come rarely.
            (shared,) = self._client.scatter([payload], broadcast=True, hash=False)
            work = functools.partial(_work, versions(), task)
            blocks = [todo[number] for number in numbers]
            sent = self._client.map(work, blocks, payload=shared, pure=False)
        waiting = dict(zip((future.key for future in sent), numbers, strict=True))
        try:
            for future in sent:
                future.add_done_callback(ended.put)
            while waiting:
                with _said():
                    come = self._next(ended)
                places = {future.key: waiting.pop(future.key) for future in come}
                for key, answer in self._taken(come).items():
                    yield places[key], answer
        finally:
            with contextlib.suppress(
                Exception
            ):  # a scheduler that is gone has nothing to cancel
                self._client.cancel([*sent, shared])

    def _taken(self, come: "list[Any]") -> dict[str, Any]:
        """Return the answers of futures that have ended well, by their keys.

        An error of the task is raised; what was lost is left out.
        """
        for future in come:
            if future.status == "error":
                with _killed():
                    future.result()  # raises what the task raised, which is no matter of Dask
        found = [future for future in come if future.status == "finished"]
        try:
            with _said(), _killed():
                answers = self._client.gather(found)
        except CancelledError:
            return {}
        return {future.key: answer for future, answer in zip(found, answers, strict=True)}

    def _next(self, ended: "queue.SimpleQueue[Any]") -> list[Any]:
        """Wait for blocks, and make sure meanwhile that there is somebody to do them."""
        deserted = None
        while True:
            with contextlib.suppress(queue.Empty):
                found = [ended.get(timeout=_LOOK)]
                while not ended.empty():
                    found.append(ended.get())
                return found
            if self._client.nthreads():
                deserted = None
                continue
            deserted = deserted or time.monotonic()
            if time.monotonic() - deserted > self._patience:
                raise WorkerError(
                    f"the cluster has had no workers for {self._patience:g} seconds. Start some."
                )


@contextlib.contextmanager
def scheduler(address: str, *, patience: float = PATIENCE) -> Iterator[Cluster]:
    """Connect to a Dask cluster and return it as an `executor`, which sends shared data once.

    Any function with an `executor` takes it. Needs the extra: ``pip install detectable[cluster]``.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``'tcp://10.0.0.1:8786'``; or ``'local:4'`` for four workers on this
        machine.
    patience : float
        Seconds to wait for the scheduler, and for a first worker.

    Raises
    ------
    WorkerError
        If nobody answers, or workers have other versions of this package or of numpy.

    Examples
    --------
    >>> import detectable as dt
    >>> def ask(executor):
    ...     return dt.power(dt.scenarios.RankSum(), n_items=500, effect=0.47, executor=executor)
    >>> with dt.scheduler("tcp://10.0.0.1:8786") as executor:  # doctest: +SKIP
    ...     ask(executor)
    """
    local = _LOCAL.fullmatch(address)
    if local is None and not _ADDRESS.fullmatch(address):
        raise InputError(
            f"`scheduler` must be an address such as tcp://10.0.0.1:8786, or local:4 for four "
            f"workers here; got {address!r}."
        )
    n_workers = None if local is None else check.positive_int(int(local[1]), "scheduler")
    distributed = _distributed()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        with _said(address):
            if n_workers is not None:
                address = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=n_workers,
                        threads_per_worker=1,
                        dashboard_address=":0",  # any free port: others may run here too
                        silence_logs=logging.CRITICAL,
                    )
                )
            client = stack.enter_context(
                distributed.Client(address, timeout=patience, set_as_default=False)
            )
        cluster = Cluster(client, patience=patience)
        cluster.check_versions()
        yield cluster


def versions() -> str:
    """Return what must be the same on all machines."""
    return f"detectable {VERSION} with numpy {np.__version__}"


def _work(
    wanted: str, task: Callable[[Payload, Block], Answer], block: Block, payload: Payload
) -> Answer:
    """Do a block on a worker, which may have come after all others were looked at."""
    if versions() != wanted:
        raise WorkerError(
            f"every worker must have {wanted}; one that came later has {versions()}. Install the "
            "same everywhere."
        )
    # For good, as Dask has it by default: threads of a worker share the limit, and one that lifted
    # it at its own end would lift it for the others too.
    threadpool_limits(limits=1)
    return run_block(task, payload, block)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError(
            "a cluster needs Dask. Install it: pip install 'detectable[cluster]'."
        ) from error
    return distributed


@contextlib.contextmanager
def _said(address: str = "the scheduler") -> Iterator[None]:
    """Say in one sentence what Dask says in many lines."""
    try:
        yield
    except DetectableError:
        raise
    except (OSError, RuntimeError) as error:  # CommClosedError and TimeoutError are some
        raise WorkerError(f"{address} cannot be reached: {_sentence(error)}") from error


@contextlib.contextmanager
def _killed() -> Iterator[None]:
    try:
        yield
    except _distributed().KilledWorker as error:
        raise WorkerError(
            "workers of the cluster were killed again and again while they did the same block, "
            "perhaps for lack of memory. Look into their logs."
        ) from error


def _sentence(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".") + "."


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the log of Dask off the terminal: what matters is raised."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)
