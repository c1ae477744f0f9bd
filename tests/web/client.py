"""The application without a network: asked as our own page would."""

import asyncio
import io
from pathlib import Path
from typing import Any

import httpx

from detectable.web.app import make_app
from detectable.web.settings import Settings

OURS = {"X-Detectable": "1"}
_BASE = "http://127.0.0.1:8300"


class Client:
    """Asks one application, a loop per request."""

    def __init__(self, folder: Path, log: io.StringIO | None) -> None:
        self.app = make_app(Settings(folder), log=log or io.StringIO())

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=_BASE) as asked:
                return await asked.request(method, path, **more)

        return asyncio.run(ask())

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def put(self, path: str, **more: Any) -> httpx.Response:
        return self.request("PUT", path, **more)

    def close(self) -> None:
        """Let campaigns go that were opened."""
        judging = getattr(self.app.state, "judging", None)
        if judging is not None:
            judging.close()

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)


def client(folder: Path, log: io.StringIO | None = None) -> Client:
    """Return something to ask with, under the server's own name."""
    return Client(folder, log)
