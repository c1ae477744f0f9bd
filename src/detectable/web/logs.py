"""One line of JSON per request: the route's template, never what was asked with it.

Addresses after the ``?`` hold what a person plans, bodies hold data, headers may hold secrets: none
of them is written. What broke is told with its trace here, and to nobody else.
"""

import datetime
import json
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from detectable.web.errors import Refused, problem
from detectable.web.metrics import Metrics
from detectable.web.strings import text

NO_ROUTE = "(none)"
_NOT_ASKED = 499  # the asker was gone before the answer


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
            self.metrics.add(scope["method"], route, status, took)
            self._write(scope["method"], route, status, took, request_id, broken)

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
