"""The campaigns watch themselves: work is admitted as it comes, and looks run in a process of their own."""

import asyncio
import json
import multiprocessing
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette

from detectable.core.errors import DataError, DetectableError, InputError, RefusedError
from detectable.core.processes import deaf_to_interrupts, end_workers, leave_with_parent
from detectable.data.store.open_store import FILE_NAME, AnyStore, open_store
from detectable.web.errors import Refused
from detectable.web.organising import Organising
from detectable.web.settings import Settings
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
    from detectable.study.campaign.looks import run_due_look_at

    found = run_due_look_at(address, name)
    return None if found is None else found.decision


def look_at(address: str, name: str, final: bool) -> tuple[int, str, Any]:  # noqa: FBT001 (of one call)
    """Look now, and return the number of the look, its decision, and those of its pairs."""
    from detectable.study.campaign.looks import look_now

    store = open_store(address)
    try:
        found = look_now(store, name, final=final)
    finally:
        store.close()
    return found.look, found.decision, found.pairs


def conclude_at(address: str, name: str, at_once: bool, path: str) -> str:  # noqa: FBT001 (of one call)
    """Conclude a campaign, keep its outcome whole, and return its answer in words."""
    said: str = _concluded(address, name, path, at_once=at_once).summary()
    return said


def report_at(address: str, name: str, path: str) -> None:
    """Keep the outcome of a campaign that was concluded elsewhere whole, for its report."""
    _concluded(address, name, path, at_once=False)


def _concluded(address: str, name: str, path: str, *, at_once: bool) -> Any:
    from detectable.report.saved.save import save
    from detectable.study.campaign.close import conclude_campaign
    from detectable.study.campaign.outcome import campaign_outcome

    store = open_store(address)
    try:
        concluded = conclude_campaign(store, name, at_once=at_once)
        made = campaign_outcome(store, name, conclusion=concluded)
    finally:
        store.close()
    save(made, path, overwrite=True)
    return made


# --- The campaigns watch themselves: work is admitted as it comes, and looks run when they are due ---

EVERY = 3.0  # seconds


async def watch(app: Starlette, every: float = EVERY) -> None:
    """Admit and look until the server is told to stop.

    A thread and a connection of its own: no organiser waits until it is decided what counts.
    """
    seen: dict[str, int] = {}
    own = Organising(app.state.settings)
    try:
        while not app.state.stopping:
            if has_campaigns(app.state.settings):
                for name in await _changed(app, own, seen):
                    await look_if_due(app, name)
            await asyncio.sleep(every)
    finally:
        own.close()


async def look_if_due(app: Starlette, name: str) -> str | None:
    """Run the look of a campaign that is due, and say in the log what went wrong if something did."""
    try:
        decision: str | None = await pool_of(app).run(
            due_look_at, str(app.state.settings.campaigns), name
        )
    except DetectableError as error:
        say_in_log(app, "look", name, str(error))
        return None
    if decision is not None:
        app.state.metrics.looked(decision)
    return decision


async def _changed(app: Starlette, own: Organising, seen: dict[str, int]) -> list[str]:
    """Return the campaigns with new work, after deciding which of it counts, and a look due."""
    try:
        return await own.do(lambda store: _due(app, store, seen))
    except (Refused, DetectableError) as error:
        say_in_log(app, "look", "", str(error))
        return []


def _due(app: Starlette, store: AnyStore, seen: dict[str, int]) -> list[str]:
    from detectable.study.campaign.looks import decide_admissions, due_look
    from detectable.study.campaign.work import has_plan

    found = []
    for name in store.names():
        row = store.campaign(name)
        done = store.status(name)["works_done"]
        if row.state != "open" or not has_plan(row) or seen.get(name) == done:
            continue
        seen[name] = done
        try:
            decide_admissions(store, name)
            if due_look(store, name) is not None:
                found.append(name)
                del seen[name]  # another look may be due when this one is done
        except DetectableError as error:
            say_in_log(app, "look", name, str(error))
    return found


def pool_of(app: Starlette) -> LookPool:
    """Return the worker of a server."""
    if app.state.pool is None:
        app.state.pool = LookPool()
    found: LookPool = app.state.pool
    return found


def has_campaigns(settings: Settings) -> bool:
    """Say whether there is a store to look at."""
    return bool(settings.store) or (settings.folder / FILE_NAME).exists()


def say_in_log(app: Starlette, event: str, name: str, message: str) -> None:
    """Write a line about something that went wrong into the log."""
    line: dict[str, Any] = {"event": event, "campaign": name, "error": message}
    print(json.dumps(line), file=app.state.log or sys.stderr, flush=True)
