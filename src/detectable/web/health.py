"""Whether the server runs and is ready, and what it has done: counts and logs."""

import datetime
import json
import secrets
import sys
import time
import traceback
import urllib.error
import urllib.request
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from typing import Any, TextIO

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from detectable.core.errors import DataError
from detectable.core.version import VERSION
from detectable.web.auth import is_organiser, require_organiser
from detectable.web.errors import Refused, problem
from detectable.web.settings import is_loopback
from detectable.web.strings import text


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
