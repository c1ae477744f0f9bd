"""The application without a network: asked as our own page would."""

import asyncio
import io
from pathlib import Path
from typing import Any

import httpx

from detectable.web.app import close, make_app
from detectable.web.settings import Settings

OURS = {"X-Detectable": "1"}
_BASE = "http://127.0.0.1:8300"


class Http:
    """Asks a server, in whichever way."""

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        raise NotImplementedError

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def put(self, path: str, **more: Any) -> httpx.Response:
        return self.request("PUT", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def delete(self, path: str, **more: Any) -> httpx.Response:
        return self.request("DELETE", path, **more)

    def patch(self, path: str, **more: Any) -> httpx.Response:
        return self.request("PATCH", path, **more)


class Far(Http):
    """Asks a server that runs elsewhere, over a connection that stays open."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=60)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.http.request(method, path, **more)

    def __enter__(self) -> "Far":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()


class Client(Http):
    """Asks one application, a loop per request."""

    def __init__(self, settings: Settings, log: io.StringIO | None, base: str) -> None:
        self.app = make_app(settings, log=log or io.StringIO())
        self.base, self.address = base, "127.0.0.1"  # where we come from
        self.cookies = httpx.Cookies()

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(
                self.app, raise_app_exceptions=False, client=(self.address, 1)
            )
            async with httpx.AsyncClient(
                transport=transport, base_url=self.base, cookies=self.cookies
            ) as asked:
                answer = await asked.request(method, path, **more)
                self.cookies = asked.cookies
                return answer

        return asyncio.run(ask())

    def close(self) -> None:
        """Let campaigns go that were opened."""
        close(self.app)


def client(
    folder: Path, log: io.StringIO | None = None, *, base: str = _BASE, **settings: Any
) -> Client:
    """Return something to ask with, under the server's own name."""
    return Client(Settings(folder, **settings), log, base)
