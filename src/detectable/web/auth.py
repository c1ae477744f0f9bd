"""Organisers: who is one, how they sign in and out, and who is signed in.

Without a password the server listens on this machine alone, and whoever sits at it is the
organiser. With one, an organiser has a session.
"""

import functools
import hashlib
import inspect
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response

from detectable.web.errors import Refused
from detectable.web.guard import PerMinute, json_of
from detectable.web.settings import LONGEST, Settings
from detectable.web.strings import text
from detectable.web.templates import render_page

LIFETIME = 12 * 3600.0  # seconds
_BYTES = 32
_MOST = 1000  # sessions at a time; the oldest goes first

WRONG = 10  # wrong passwords from one address within a minute


class Sessions:
    """The sessions of one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def begin(self) -> str:
        """Return the secret of a new session."""
        secret = secrets.token_urlsafe(_BYTES)
        self._drop_ended()
        while len(self._ends) >= _MOST:
            del self._ends[next(iter(self._ends))]
        self._ends[_hash(secret)] = self._clock() + LIFETIME
        return secret

    def knows(self, secret: str) -> bool:
        """Say whether a session goes on."""
        return self._ends.get(_hash(secret), -1.0) > self._clock()

    def end(self, secret: str) -> None:
        """End a session, whatever cookies are still around."""
        self._ends.pop(_hash(secret), None)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._ends = {key: end for key, end in self._ends.items() if end > now}


class Attempts(PerMinute):
    """Wrong passwords, by the address that they came from."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(WRONG, clock)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


# --- Organisers: who is one, how they sign in, and how they sign out ---
#
# Without a password the server listens on this machine alone, and whoever sits at it is the
# organiser. With one, an organiser has a session.

Endpoint = Callable[[Request], Any]
# A browser takes the first over TLS only, from this very host, for all paths. Over plain HTTP, on
# this machine, it would not take it; so the second has a name without that promise.
SECURE, PLAIN = "__Host-dt", "dt"
_AT_ONCE = 2  # passwords that are tried at the same time: each takes 32 MiB


class Password(msgspec.Struct, forbid_unknown_fields=True):
    """What an organiser signs in with."""

    password: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


def for_organisers(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers organisers alone."""

    @functools.wraps(endpoint)
    async def guarded(request: Request) -> Response:
        require_organiser(request)
        made: Response
        if inspect.iscoroutinefunction(endpoint):
            made = await endpoint(request)
        else:
            made = await to_thread.run_sync(endpoint, request)
        return made

    guarded.for_organisers = True  # type: ignore[attr-defined]
    return guarded


def require_organiser(request: Request) -> None:
    """Refuse everybody else, with an answer that names nothing."""
    if not is_organiser(request):
        raise Refused(401, "sign_in", text("refused.sign_in"))


def is_organiser(request: Request) -> bool:
    """Say whether an organiser asks."""
    settings: Settings = request.app.state.settings
    if settings.password is None:
        return True
    known: bool = request.app.state.sessions.knows(_secret(request))
    return known


def has_sessions(request: Request) -> bool:
    """Say whether there is anything to sign out of."""
    settings: Settings = request.app.state.settings
    return settings.password is not None


def sign_in_page(_: Request) -> Response:
    """Show the form."""
    return render_page("sign_in.html.j2")


async def sign_in(request: Request) -> Response:
    """Begin a session, if the password is right."""
    settings: Settings = request.app.state.settings
    attempts = request.app.state.attempts
    given = await json_of(request, Password)
    if settings.password is None:
        return Response(status_code=204)
    address = request.client.host if request.client else ""
    wait = attempts.wait(address)
    if wait > 0.0:
        said = text("refused.too_many", seconds=math.ceil(wait))
        raise Refused(429, "too_many", said, retry_after=wait)
    attempts.note(address)
    fits = await to_thread.run_sync(
        settings.password.fits, given.password, limiter=_limiter(request)
    )
    if not fits:
        raise Refused(401, "wrong_password", text("refused.wrong_password"))
    attempts.forgive(address)
    made = Response(status_code=204)
    _set_cookie(request, made, request.app.state.sessions.begin(), int(LIFETIME))
    return made


def sign_out(request: Request) -> Response:
    """End the session."""
    request.app.state.sessions.end(_secret(request))
    made = Response(status_code=204)
    _set_cookie(request, made, "", 0)
    return made


def _limiter(request: Request) -> CapacityLimiter:
    state = request.app.state
    if not hasattr(state, "passwords"):  # it belongs to the loop that runs
        state.passwords = CapacityLimiter(_AT_ONCE)
    found: CapacityLimiter = state.passwords
    return found


def _secret(request: Request) -> str:
    return request.cookies.get(_cookie(request), "")


def _cookie(request: Request) -> str:
    return SECURE if request.url.scheme == "https" else PLAIN


def _set_cookie(request: Request, made: Response, value: str, seconds: int) -> None:
    made.set_cookie(
        _cookie(request),
        value,
        max_age=seconds,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
