"""Listen, answer until told to stop, and stop without cutting anybody off."""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable
from threading import Thread
from typing import Any, ClassVar, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from detectable.core.errors import DataError
from detectable.report.render.interactive import vega_script
from detectable.web.app import make_app
from detectable.web.settings import Settings

_TO_SAY_HELLO = 10.0  # seconds for a connection to send its first request
_MOST_SILENT = 200  # connections that have not said anything yet
_TO_FINISH = 10  # seconds for running requests once the server is told to stop


class Patient(H11Protocol):
    """HTTP for connections that say something within ten seconds.

    Whoever opens thousands of connections and says nothing loses the oldest of them, so that others
    are served and memory stays bounded.
    """

    _silent: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note a connection, and give the oldest silent one up where there are too many."""
        super().connection_made(transport)
        self._silent[id(self)] = self
        self._deadline = self.loop.call_later(_TO_SAY_HELLO, self._give_up)
        if len(self._silent) > _MOST_SILENT:
            self._silent.popitem(last=False)[1]._give_up()

    def data_received(self, data: bytes) -> None:
        """Read on; a connection is silent until its first request is whole."""
        super().data_received(data)
        if self._has_asked:
            self._no_longer_silent()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._no_longer_silent()
        super().connection_lost(exc)

    def _no_longer_silent(self) -> None:
        self._silent.pop(id(self), None)
        self._deadline.cancel()

    def _give_up(self) -> None:
        if not self._has_asked and not self.transport.is_closing():
            self.transport.abort()

    @property
    def _has_asked(self) -> bool:
        # The parent says that there always is a scope; before the first request there is none.
        return cast("object | None", self.scope) is not None


class _Server(uvicorn.Server):
    """A server that says it is not ready any more as soon as it is told to stop."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop listening, and let running requests end."""
        self._app.state.stopping = True
        super().handle_exit(sig, frame)


def serve(settings: Settings, *, ready: Callable[[str], None]) -> None:
    """Serve until a signal says to stop.

    Parameters
    ----------
    settings : Settings
        Where to listen.
    ready : callable
        Told the address once the server listens.
    """
    listening = listen(settings)
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        lifespan="on",
        proxy_headers=bool(settings.forwarded_from),
        forwarded_allow_ips=settings.forwarded_from,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=_TO_FINISH,
        h11_max_incomplete_event_size=32 * 1024,
    )
    Thread(target=_warm_up, daemon=True).start()
    ready(address(listening))
    with listening:
        _Server(config, app).run(sockets=[listening])


def _warm_up() -> None:
    """Load what the first page and the first slider would wait for: scipy, and Vega."""
    import scipy.special  # noqa: F401 (only to have it loaded)

    vega_script()


def address(listening: socket.socket) -> str:
    """Return where a browser finds the server."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens where the settings say, and answers without waiting."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio lets answers leave at once only from sockets that name their protocol. Else the second
    # part of an answer waits until the browser has acknowledged the first: 40 ms for every request.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(2048)
    except OSError as error:
        made.close()
        raise DataError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. Choose "
            "another port; 0 takes any that is free."
        ) from None
    return made
