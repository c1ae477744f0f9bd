"""Listen, answer until told to stop, and stop without cutting anybody off."""

import asyncio
import logging
import socket
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from threading import Thread
from typing import Any, ClassVar, cast

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from detectable.core.errors import DataError, DetectableError
from detectable.data.store.open_store import open_store
from detectable.report.render.interactive import vega_script
from detectable.web.app import make_app
from detectable.web.settings import Settings
from detectable.web.watch import has_campaigns

_TO_ASK = 10.0  # seconds for a request to arrive, but for its body
_BETWEEN = 15.0  # seconds from an answer until the next request has arrived
_TO_TAKE = 30.0  # seconds in which an asker takes some more of an answer
_SOME = 16 * 1024  # bytes
_MOST_SILENT = 200  # connections that have not said anything yet
_AT_ONCE = 100  # connections that are accepted before any is given up
_RESERVED = (
    100 + _AT_ONCE
)  # of the files that a process may have: stores, logs, modules, workers
_QUEUE = 2048  # connections that the system keeps until they are accepted
_TO_FINISH = 10  # seconds for running requests once the server is told to stop
_TURN = 0.0005  # seconds that a thread computes before another one may
_SAME = 10.0  # seconds within which a message of the log is written a few times only
_OFTEN = 5


def most_connections() -> int:
    """Return how many connections may be open: less than the system lets one process have."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except (ImportError, ValueError, OSError):
        limit = 1024
    return max(min(limit, 10_000) - _RESERVED, 50)


class Patient(H11Protocol):
    """HTTP for connections that ask within a few seconds, the first time and every other time.

    Whoever opens thousands of connections and says nothing, or half of a request, loses the oldest
    of them. There are never more connections than files for them: then the one that waits longest
    goes, or one that is late with its body or with taking its answer, or the new one if all others
    are being answered. One address has half of them at most, unless it is that of a proxy.
    """

    _silent: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # never asked
    _idle: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # answered, and not asking
    _late: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # we wait for who asked
    _open: ClassVar["Counter[str]"] = Counter()
    most: ClassVar[int] = most_connections()
    of_one: ClassVar[int] = most // 2  # address
    shared: ClassVar[bool] = False  # whether a proxy brings many people from one address

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note a connection, and give another one up where there are too many."""
        super().connection_made(transport)
        self._from = self.client[0] if self.client else ""
        self._open[self._from] += 1
        self._silent[id(self)] = self
        self._deadline = self._taking = self.loop.call_later(_TO_ASK, self._give_up)
        if len(self._silent) > _MOST_SILENT:
            self._silent.popitem(last=False)[1]._give_up()
        waiting = chain(self._idle.values(), self._late.values(), self._silent.values())
        if self._open.total() > self.most:
            next(waiting)._give_up()  # at the latest this one
        elif not self.shared and self._open[self._from] > self.of_one:
            next(one for one in waiting if one._from == self._from)._give_up()

    def data_received(self, data: bytes) -> None:
        """Read on; a connection waits until its request is whole, but for the body."""
        super().data_received(data)
        if not self._waits:
            self._asks()
            if self.flow.write_paused or cast("Any", self.cycle).more_body:
                self._late[id(self)] = self

    def on_response_complete(self) -> None:
        """Wait for the next request, of which no part may be late either."""
        super().on_response_complete()
        if self._waits and not self.transport.is_closing():
            self._deadline.cancel()
            self._deadline = self.loop.call_later(_BETWEEN, self._give_up)
            self._idle[id(self)] = self

    def pause_writing(self) -> None:
        """Wait for an asker who takes the answer slowly, but not for one who does not take it."""
        super().pause_writing()
        self._late[id(self)] = self
        self._left = self.transport.get_write_buffer_size()
        self._taking = self.loop.call_later(_TO_TAKE, self._require_taking)

    def resume_writing(self) -> None:
        """Go on with the answer."""
        self._taking.cancel()
        self._late.pop(id(self), None)
        super().resume_writing()

    def _require_taking(self) -> None:
        before, self._left = self._left, self.transport.get_write_buffer_size()
        if self._left > before - _SOME:
            self.transport.abort()
        else:
            self._taking = self.loop.call_later(_TO_TAKE, self._require_taking)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless an answer was begun; who makes one need not go on."""
        asked = cast("Any", self.cycle)
        if asked is not None and not asked.response_complete:
            asked.disconnected = True
            asked.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._asks()
        self._taking.cancel()
        self._open[self._from] -= 1
        if self._open[self._from] <= 0:
            del self._open[self._from]
        super().connection_lost(exc)

    def _asks(self) -> None:
        for some in (self._silent, self._idle, self._late):
            some.pop(id(self), None)
        self._deadline.cancel()

    def _give_up(self) -> None:
        late = id(self) in self._late
        self._asks()
        if (late or self._waits) and not self.transport.is_closing():
            self.transport.abort()

    @property
    def _waits(self) -> bool:
        # The parent says that there always is a cycle; before the first request there is none.
        asked = cast("Any", self.cycle)
        return asked is None or bool(asked.response_complete)


class Seldom(logging.Filter):
    """Lets a message through a few times in ten seconds, however often it comes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since, self._seen = clock(), Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether it is written; the last one of a few says that more may follow."""
        if self._clock() - self._since > _SAME:
            self._since = self._clock()
            self._seen.clear()
        message = f"{record.name} {record.msg}"
        self._seen[message] += 1
        if self._seen[message] == _OFTEN:
            record.msg = f"{record.msg} (and perhaps more of these within {_SAME:.0f} s)"
        return self._seen[message] <= _OFTEN


class _Server(uvicorn.Server):
    """A server that says it is not ready any more as soon as it is told to stop."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and let the system keep more connections than are accepted at once."""
        await super().startup(sockets=sockets)
        for one in sockets or ():
            one.listen(_QUEUE)

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
    if has_campaigns(settings):
        # A store of an older version is brought up to date before anybody asks for a page.
        with suppress(DetectableError):
            open_store(settings.campaigns).close()
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
        timeout_keep_alive=int(_BETWEEN),
        timeout_graceful_shutdown=_TO_FINISH,
        h11_max_incomplete_event_size=32 * 1024,
        backlog=_AT_ONCE,
    )
    Patient.shared = bool(settings.forwarded_from)
    # A question to the database lets another thread go on, and waits so long if that one computes.
    sys.setswitchinterval(_TURN)
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(Seldom())
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
        made.listen(_QUEUE)
    except OSError as error:
        made.close()
        raise DataError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. Choose "
            "another port; 0 takes any that is free."
        ) from None
    return made
