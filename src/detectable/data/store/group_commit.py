"""One thread writes; all calls that wait are done in one transaction.

A call is answered only after COMMIT has returned, so an acknowledged judgment is on the disk. The
price of waiting for the disk is shared by all calls that came meanwhile.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from detectable.data.store.sql import Sql

T = TypeVar("T")
_MOST = 64  # calls in one transaction


class GroupCommit:
    """Hands calls to the thread that owns a store."""

    def __init__(self, store: Sql) -> None:
        self._store = store
        self._queue: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = (
            queue.SimpleQueue()
        )
        self.calls = self.commits = 0
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Do a call with the store in its turn; the future has its answer after COMMIT."""
        future: Future[T] = Future()
        self._queue.put((future, call))
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            first = self._queue.get()
            batch = [] if first is None else [first]
            going = first is not None
            while going and len(batch) < _MOST:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    going = False
                else:
                    batch.append(more)
            if batch:
                self._commit(batch)

    def _commit(self, batch: list[tuple[Future[Any], Callable[[], Any]]]) -> None:
        try:
            answers = self._store.together(call for _, call in batch)
        except Exception as error:  # noqa: BLE001 (COMMIT failed: nobody was told otherwise)
            answers = [error] * len(batch)
        self.commits += 1
        self.calls += len(batch)
        for (future, _), answer in zip(batch, answers, strict=True):
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
