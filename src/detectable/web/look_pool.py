"""Looks and conclusions in a process of their own, so that raters do not wait for statistics."""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from detectable.core.errors import DataError, DetectableError, InputError, RefusedError
from detectable.core.processes import deaf_to_interrupts, end_workers, leave_with_parent
from detectable.data.store.open_store import open_store
from detectable.web.strings import text

SECONDS = 600.0  # for one look


@dataclass(frozen=True, slots=True)
class _Told:
    """What a worker answers: a value, or what was refused. Errors do not travel well."""

    value: Any = None
    kind: str = ""
    code: str = ""
    message: str = ""

    def answer(self) -> Any:
        """Return the value, or refuse here as it was refused there."""
        if not self.kind:
            return self.value
        if self.kind == "refused":
            raise RefusedError(self.code, self.message)
        raise (InputError if self.kind == "input" else DataError)(self.message)


class LookPool:
    """One worker; one piece of work at a time, each with a limit."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Lock()

    async def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Do a call of this module in the worker; a worker that takes too long is ended."""
        async with self._turn:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    max_workers=1,
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=_begin,
                )
            with deaf_to_interrupts():  # Ctrl+C is for the server, which ends its worker
                future = self._pool.submit(_told, call, *arguments)
            try:
                told: _Told = await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
            except (TimeoutError, BrokenProcessPool):
                self.close()
                raise DataError(text("refused.look_failed")) from None
            except asyncio.CancelledError:
                self.close()
                raise
        return told.answer()

    def close(self) -> None:
        """End the worker, whatever it is doing: a look that was not finished can be done again."""
        if self._pool is not None:
            end_workers(self._pool)
            self._pool = None


def _begin() -> None:
    threading.Thread(target=leave_with_parent, daemon=True).start()


def _told(call: Callable[..., Any], *arguments: Any) -> _Told:
    try:
        return _Told(call(*arguments))
    except RefusedError as error:
        return _Told(kind="refused", code=error.code, message=str(error))
    except InputError as error:
        return _Told(kind="input", message=str(error))
    except DetectableError as error:
        return _Told(kind="data", message=str(error))


def due_look_at(address: str, name: str) -> str | None:
    """Run the look that is due; return its decision, None if none is due."""
    from detectable.study.campaign.look_now import run_due_look_at

    found = run_due_look_at(address, name)
    return None if found is None else found.decision


def look_at(address: str, name: str, final: bool) -> tuple[int, str, Any]:  # noqa: FBT001 (of one call)
    """Look now, and return the number of the look, its decision, and those of its pairs."""
    from detectable.study.campaign.look_now import look_now

    store = open_store(address)
    try:
        found = look_now(store, name, final=final)
    finally:
        store.close()
    return found.look, found.decision, found.pairs


def conclude_at(address: str, name: str, at_once: bool, path: str) -> str:  # noqa: FBT001 (of one call)
    """Conclude a campaign, keep the conclusion whole, and return its verdict in words."""
    said: str = _concluded(address, name, path, at_once=at_once).summary()
    return said


def report_at(address: str, name: str, path: str) -> None:
    """Keep the conclusion of a campaign that was concluded elsewhere whole, for its report."""
    _concluded(address, name, path, at_once=False)


def _concluded(address: str, name: str, path: str, *, at_once: bool) -> Any:
    from detectable.report.saved.save import save
    from detectable.study.campaign.close import conclude_campaign

    store = open_store(address)
    try:
        made = conclude_campaign(store, name, at_once=at_once)
    finally:
        store.close()
    save(made, path, overwrite=True)
    return made
