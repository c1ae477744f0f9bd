"""The campaigns watch themselves: work is admitted as it comes, and looks run in a process of their own."""

import asyncio
import datetime
import json
import multiprocessing
import secrets
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TextIO

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from detectable.core.errors import DataError, DetectableError, InputError, RefusedError
from detectable.core.processes import deaf_to_interrupts, end_workers, leave_with_parent
from detectable.core.version import VERSION
from detectable.data.store.open_store import FILE_NAME, AnyStore, open_store
from detectable.web.guard import Refused, is_organiser, problem, require_organiser
from detectable.web.organising import Organising
from detectable.web.settings import Settings, is_loopback
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


# --- Whether the server runs and is ready, and what it has done: counts and logs ---


def healthz(_: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"state": "ok", "version": VERSION})


def readyz(request: Request) -> Response:
    """Say whether it takes requests; 503 once it was told to stop."""
    if request.app.state.stopping:
        return JSONResponse({"state": "stopping"}, 503)
    return JSONResponse({"state": "ready"})


def metrics(request: Request) -> Response:
    """Tell the counts of requests, to programs on this machine and to organisers."""
    if not (is_organiser(request) or _is_near(request)):
        require_organiser(request)
    return PlainTextResponse(request.app.state.metrics.text(), media_type=MEDIA)


def _is_near(request: Request) -> bool:
    """Say whether a program on this machine asks, and no proxy for somebody else."""
    client = request.client.host if request.client else ""
    name = request.url.hostname or ""
    return (
        is_loopback(client) and is_loopback(name) and "x-forwarded-for" not in request.headers
    )


# --- Counts of requests, in the text form that Prometheus reads ---

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1.0, 5.0)  # seconds
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What one server has answered so far."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, int]] = Counter()  # route, place of the bucket
        self._seconds: Counter[str] = Counter()
        self._looks: Counter[str] = Counter()

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        self._answers[method, route, status] += 1
        self._within[route, bisect_left(_BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def looked(self, decision: str) -> None:
        """Count a look that ran by itself."""
        self._looks["continue" if decision == "continue" else "stop"] += 1

    def text(self) -> str:
        """Return all counts.

        Examples
        --------
        >>> counts = Metrics()
        >>> counts.add("GET", "/plan", 200, 0.02)
        >>> counts.text().splitlines()[1]
        'detectable_requests_total{method="GET",route="/plan",status="200"} 1'
        """
        lines = ["# TYPE detectable_requests_total counter"]
        lines += [
            f'detectable_requests_total{{method="{method}",route="{route}",status="{status}"}} {n}'
            for (method, route, status), n in sorted(self._answers.items())
        ]
        if self._looks:
            lines.append("# TYPE detectable_looks_total counter")
        lines += [
            f'detectable_looks_total{{decision="{decision}"}} {n}'
            for decision, n in sorted(self._looks.items())
        ]
        lines.append("# TYPE detectable_request_seconds histogram")
        for route in sorted(self._seconds):
            lines += self._histogram(route)
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str) -> list[str]:
        name, so_far, lines = "detectable_request_seconds", 0, []
        for place, edge in enumerate((*map(str, _BUCKETS), "+Inf")):
            so_far += self._within[route, place]
            lines.append(f'{name}_bucket{{route="{route}",le="{edge}"}} {so_far}')
        lines.append(f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}')
        lines.append(f'{name}_count{{route="{route}"}} {so_far}')
        return lines


# --- Ask a server whether it runs: for ``detectable serve --check`` and containers ---

_SECONDS = 5.0


def ask_health(host: str, port: int) -> str:
    """Return what a server says of itself; raise where none answers."""
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}/healthz"
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            said: Any = json.load(answer)
        return f"detectable {said['version']} answers at {url}"
    except (urllib.error.URLError, OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"no detectable server answers at {url}. Start one: detectable serve."
        ) from None


# --- One line of JSON per request: the route's template, never what was asked with it ---
#
# Addresses after the ``?`` hold what a person plans, bodies hold data, headers may hold secrets: none
# of them is written. What broke is told with its trace here, and to nobody else.

NO_ROUTE = "(none)"  # nor a method
_NOT_ASKED = 499  # the asker was gone before the answer
# Any other word is an asker's own: it may be long, and every new one would be counted for ever.
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Logged:
    """Writes the line, counts the answer, and turns whatever breaks into a plain 500."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        template_of: Callable[[Scope], str],
        stream: TextIO | None = None,
    ) -> None:
        self.app, self.metrics, self.template_of = app, metrics, template_of
        self.stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and tell of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, broken = time.perf_counter(), _NOT_ASKED, ""
        request_id = secrets.token_hex(6)

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except Exception:  # noqa: BLE001 (the last one to see it: told in the log, 500 to the asker)
            broken = traceback.format_exc()
            if status == _NOT_ASKED:
                said = Refused(500, "broken", text("refused.broken"))
                await problem(scope["path"], said)(scope, receive, noting)
        finally:
            took = time.perf_counter() - begun
            route = self.template_of(scope)
            method = scope["method"] if scope["method"] in _METHODS else NO_ROUTE
            self.metrics.add(method, route, status, took)
            self._write(method, route, status, took, request_id, broken)

    def _write(
        self, method: str, route: str, status: int, took: float, id: str, broken: str
    ) -> None:
        line: dict[str, Any] = {
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            "method": method,
            "route": route,
            "status": status,
            "ms": round(1000 * took, 1),
            "request": id,
        }
        if broken:
            line["error"] = broken
        print(json.dumps(line), file=self.stream or sys.stderr, flush=True)
