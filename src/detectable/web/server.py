"""Listen, answer until told to stop, and stop without cutting anybody off."""

import asyncio
import logging
import socket
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
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
_PATIENCE = 0.1  # seconds in which nobody is slow: what they send may be on its way
_LOOK = 0.005  # seconds until we look again whether there is room for one more
_AGAIN = 1.0  # seconds until we accept again where the system had no file for it
_RESERVED = 200  # of the files that a process may have: stores, logs, modules, workers
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
    of them. There are never more connections than files for them, and one address has half of them
    at most, unless it is that of a proxy. Where there are too many, the one goes that asks nothing,
    or the one that has kept us waiting longest. Where all are being answered nobody goes: a new one
    is let in, and the first that has its answer leaves; what still comes waits to be accepted.
    """

    _silent: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # never asked
    _idle: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # answered, and not asking
    _late: ClassVar["OrderedDict[int, Patient]"] = OrderedDict()  # we wait for who asked
    _open: ClassVar["Counter[str]"] = Counter()  # by address; none that is being closed
    most: ClassVar[int] = most_connections()
    of_one: ClassVar[int] = most // 2  # address
    shared: ClassVar[bool] = False  # whether a proxy brings many people from one address

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note a connection, and give others up where there are too many."""
        super().connection_made(transport)
        # Writing is paused as long as any of an answer is not taken.
        transport.set_write_buffer_limits(high=0)
        self._from = self.client[0] if self.client else ""
        self._open[self._from] += 1
        self._counted = True
        self._among: OrderedDict[int, Patient] | None = None
        self._deadline = self._taking = self.loop.call_later(_TO_ASK, self._give_up)
        self._note()
        if len(self._silent) > _MOST_SILENT:
            next(iter(self._silent.values()))._give_up()
        now = self.loop.time()
        while self._crowds() and self.make_room(now, self._from):
            pass
        if self.full():
            self.make_room(now)

    @classmethod
    def full(cls) -> bool:
        """Say whether there are more connections than should be, without those being closed."""
        return cls._open.total() > cls.most

    @classmethod
    def make_room(cls, now: float, address: str | None = None) -> bool:
        """Give up who asks nothing, or has kept us waiting longest; say whether there was one."""

        def oldest(some: "OrderedDict[int, Patient]") -> "Patient | None":
            return next((one for one in some.values() if address in (None, one._from)), None)

        owing = [one for one in map(oldest, (cls._silent, cls._late)) if one is not None]
        owing = [one for one in owing if now - one._since >= _PATIENCE]
        found = oldest(cls._idle) or min(owing, key=lambda one: one._since, default=None)
        if found is not None:
            found._give_up()
        return found is not None

    def data_received(self, data: bytes) -> None:
        """Read on; a connection waits until its request is whole, but for the body."""
        super().data_received(data)
        if not self._waits:
            self._deadline.cancel()
        self._note()

    def on_response_complete(self) -> None:
        """Wait for the next request, of which no part may be late either."""
        super().on_response_complete()
        self._await_more()

    def pause_writing(self) -> None:
        """Wait for an asker who takes the answer slowly, but not for one who does not take it."""
        super().pause_writing()
        self._note()
        self._left = self.transport.get_write_buffer_size()
        self._taking.cancel()
        self._taking = self.loop.call_later(_TO_TAKE, self._require_taking)

    def resume_writing(self) -> None:
        """Go on with the answer."""
        self._taking.cancel()
        super().resume_writing()
        self._await_more()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that has asked nothing more."""
        super().timeout_keep_alive_handler()
        self._note()

    def _await_more(self) -> None:
        if self._waits and not self.flow.write_paused and not self.transport.is_closing():
            self._deadline.cancel()
            self._deadline = self.loop.call_later(_BETWEEN, self._give_up)
        self._note()
        if self._among is self._idle and (self.full() or self._crowds()):
            self._give_up()  # it was let in, or let another one in, beyond what there is room for

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
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._leave()
        self._taking.cancel()
        super().connection_lost(exc)

    def _note(self) -> None:
        """Note for what we wait, and since when."""
        kind = self._kind()
        if kind is not self._among:
            if self._among is not None:
                del self._among[id(self)]
            if kind is not None:
                kind[id(self)], self._since = self, self.loop.time()
            self._among = kind
        if kind is None and self.transport.is_closing():
            self._leave()

    def _kind(self) -> "OrderedDict[int, Patient] | None":
        """Return those that are as this one is, or None where it is being answered or closed."""
        asked = cast("Any", self.cycle)
        if not self._counted:
            return None
        if self.flow.write_paused:  # also one that is closed once it has taken its answer
            return self._late
        if self.transport.is_closing():
            return None
        if asked is None:
            return self._silent
        if not asked.response_complete:
            return self._late if asked.more_body else None
        # Half of the next request, or the rest of a body that was refused.
        half = self.conn.trailing_data[0] or self.conn.their_state is h11.SEND_BODY
        return self._late if half else self._idle

    def _leave(self) -> None:
        """Count this one no more."""
        if not self._counted:
            return
        self._counted = False
        self._deadline.cancel()
        self._note()
        self._open[self._from] -= 1
        if self._open[self._from] <= 0:
            del self._open[self._from]

    def _give_up(self) -> None:
        if self._kind() is not None:
            self._leave()
            self.transport.abort()

    def _crowds(self) -> bool:
        return not self.shared and self._open[self._from] > self.of_one

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
        self._doors: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and let in whoever asks, one after the other."""
        await super().startup(sockets=[])
        self._doors = [asyncio.create_task(self._let_in(one)) for one in sockets or ()]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody in any more, and end."""
        for door in self._doors:
            door.cancel()
        await asyncio.gather(*self._doors, return_exceptions=True)
        await super().shutdown(sockets=sockets)

    async def _let_in(self, listening: socket.socket) -> None:
        """Accept connections for ever; where there is no room for one, it waits and is not cut off.

        asyncio's own server accepts whatever comes, before any of it is read.
        """
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            try:
                asker, _ = await loop.sock_accept(listening)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                logging.getLogger("uvicorn.error").error("cannot accept: %s", error.strerror)
                await asyncio.sleep(_AGAIN)
                continue
            try:
                while Patient.full():
                    if not Patient.make_room(loop.time()):
                        await asyncio.sleep(_LOOK)
                await loop.connect_accepted_socket(self._meet, asker)
            except Exception as error:  # noqa: BLE001 (one that fails keeps nobody out)
                asker.close()
                about = {"message": "a connection was not made", "exception": error}
                loop.call_exception_handler(about)
            except BaseException:
                asker.close()
                raise

    def _meet(self) -> Patient:
        return Patient(
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            _loop=asyncio.get_running_loop(),
        )

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
