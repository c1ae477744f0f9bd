"""Who may ask, and what the refused are told: our own pages under our own name, sessions and signing in.

The name in ``Host`` is checked, or a foreign page could point its own name at this machine (DNS
rebinding) and read what the server says. What changes something must come from a page of ours: with
the header that no foreign form can send, and with no foreign ``Origin``.
"""

import asyncio
import functools
import hashlib
import inspect
import math
import re
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers as RequestHeaders
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from detectable.web.settings import LONGEST, Settings, is_loopback
from detectable.web.strings import text
from detectable.web.templates import render_page

API = "/api/"
# Addresses that programs ask, besides the API.
_PROGRAMS = ("/healthz", "/readyz", "/metrics", "/openapi.json")


class Refused(Exception):
    """A request that cannot be answered, and why."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field
        self.headers: dict[str, str] = {}
        if retry_after is not None:  # seconds
            self.headers["retry-after"] = str(math.ceil(retry_after))


def problem(path: str, refused: Refused) -> Response:
    """Return a refusal as JSON for programs, as a page for people."""
    if path.startswith((API, *_PROGRAMS)):
        said: dict[str, Any] = {"code": refused.code, "message": refused.message}
        if refused.field:
            said["field"] = refused.field
        return JSONResponse(said, refused.status, refused.headers)
    if refused.code == "sign_in":
        return render_page("sign_in.html.j2", status=refused.status)
    return render_page("refused.html.j2", status=refused.status, message=refused.message)


def refused_by_us(request: Request, error: Exception) -> Response:
    """Answer with one of our own refusals."""
    if not isinstance(error, Refused):
        raise error
    return problem(request.url.path, error)


_WORDS = {404: "not_found", 405: "method_not_allowed"}


def refused_by_starlette(request: Request, error: Exception) -> Response:
    """Answer in our form where the router refuses: no such address, no such method."""
    if not isinstance(error, HTTPException):
        raise error
    code = _WORDS.get(error.status_code, "refused")
    made = problem(request.url.path, Refused(error.status_code, code, text(f"refused.{code}")))
    made.headers.update(error.headers or {})
    return made


# --- Who may ask: our own pages under our own name, and addresses that can be names ---
#
# The name in ``Host`` is checked, or a foreign page could point its own name at this machine (DNS
# rebinding) and read what the server says. What changes something must come from a page of ours: with
# the header that no foreign form can send, and with no foreign ``Origin``.

HEADER = "x-detectable"  # no form can set it, and no foreign script without leave
_READS = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Refuses foreign names and foreign pages."""

    def __init__(self, app: ASGIApp, *, names: Collection[str] = ()) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may be asked."""
        if scope["type"] == "http":
            headers = RequestHeaders(scope=scope)
            refused = refusal(scope["method"], headers, scope["scheme"], self.names)
            if (
                refused is None and "\0" in scope["path"]
            ):  # nothing is called so: no file, no page
                refused = Refused(404, "not_found", text("refused.not_found"))
            if refused is not None:
                await problem(scope["path"], refused)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def refusal(
    method: str, headers: RequestHeaders, scheme: str, names: Collection[str] = ()
) -> Refused | None:
    """Return why a request is refused; None if it may pass."""
    host = headers.get("host", "")
    if not (is_loopback(_name(host)) or _name(host).lower() in names):
        return Refused(421, "foreign_host", text("refused.host"))
    if method in _READS:
        return None
    if headers.get("origin", f"{scheme}://{host}") != f"{scheme}://{host}":
        return Refused(403, "foreign_origin", text("refused.origin"))
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Refused(403, "foreign_origin", text("refused.origin"))
    if headers.get(HEADER) != "1":
        return Refused(403, "no_header", text("refused.header"))
    return None


def _name(host: str) -> str:
    """Return the name in a ``Host`` header, without port and brackets.

    Examples
    --------
    >>> [_name(host) for host in ("localhost:8300", "127.0.0.1", "[::1]:8300", "[::1]")]
    ['localhost', '127.0.0.1', '::1', '::1']
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


# --- Security headers on every answer ---
#
# Pure ASGI, because a middleware with a task of its own per request costs more than the answer.

# No inline script or style, nothing from elsewhere, no eval: charts are drawn by Vega's
# interpreter. An empty icon keeps browsers from asking for one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Headers:
    """Adds the headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers)


# --- How much a request may hold, how long it may take, how often one may ask, and bodies that are read ---

_MINUTE = 60.0  # seconds
_MOST_KEYS = 10_000  # that are remembered; who asked longest ago goes first


class PerMinute:
    """Counts what came within the last minute, by an address or the hash of a secret.

    Parameters
    ----------
    most : int
        How many may come.
    clock : callable
        Seconds that never go back.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._times: dict[str, deque[float]] = {}

    def wait(self, key: str) -> float:
        """Return the seconds until this one may come again; 0 if now."""
        times = self._recent(key)
        return 0.0 if len(times) < self._most else times[0] + _MINUTE - self._clock()

    def note(self, key: str) -> None:
        """Note that it came, before it is known what becomes of it: many may come at once."""
        times = self._recent(key)
        times.append(self._clock())
        self._times.pop(key, None)
        self._times[key] = times
        while len(self._times) > _MOST_KEYS:
            del self._times[next(iter(self._times))]

    def forgive(self, key: str) -> None:
        """Forget the last one."""
        times = self._recent(key)
        if times:
            times.pop()
        if not times:
            self._times.pop(key, None)

    def _recent(self, key: str) -> deque[float]:
        times = self._times.get(key, deque())
        while times and times[0] <= self._clock() - _MINUTE:
            times.popleft()
        return times


# --- How much a request may hold, and how long it may take to arrive ---

JSON_BODY = 256 * 1024  # bytes
FILE_BODY = 16 * 1024 * 1024
_SECONDS = 30.0  # for a body to arrive
REQUESTS = 600  # of one link within a minute: two for every page, at ten texts a second


async def body_of(request: Request, *, limit: int, media: str) -> bytes:
    """Return the body of a request, refused as soon as it is too large, late or of another kind."""
    require_media(request, media, limit)
    try:
        async with asyncio.timeout(_SECONDS):
            return await _read(request, limit)
    except TimeoutError:
        raise Refused(408, "too_slow", text("refused.slow")) from None
    except ClientDisconnect:
        raise Refused(400, "gone", text("refused.slow")) from None


def require_media(request: Request, media: str, limit: int) -> None:
    """Refuse a body that says it is of another kind, or too large."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media:
        raise Refused(415, "wrong_media", text("refused.media", wanted=media))
    if _declared(request.headers) > limit:
        raise too_large(limit)


async def _read(request: Request, limit: int) -> bytes:
    parts = bytearray()
    async for chunk in request.stream():
        parts += chunk
        if len(parts) > limit:
            raise too_large(limit)
    return bytes(parts)


def _declared(headers: Mapping[str, str]) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def require_pace(counts: PerMinute, secret: str) -> None:
    """Count a request of a link, and refuse one too many; the link itself is not remembered."""
    key = hashlib.sha256(secret.encode()).hexdigest()
    wait = counts.wait(key)
    if wait > 0.0:
        said = text("refused.too_fast", seconds=math.ceil(wait))
        raise Refused(429, "too_fast", said, retry_after=wait)
    counts.note(key)


def too_large(limit: int) -> Refused:
    """Return the refusal of a body that is too large."""
    return Refused(413, "too_large", text("refused.too_large", limit=_size(limit)))


def _size(limit: int) -> str:
    """Return a limit in words.

    Examples
    --------
    >>> _size(JSON_BODY), _size(FILE_BODY)
    ('256 KiB', '16 MiB')
    """
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"


# --- Bodies of requests, read into what they should be ---

T = TypeVar("T")
JSON = "application/json"
_NULL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")  # not after a backslash that is itself escaped


async def json_of(
    request: Request, kind: type[T], *, code: str = "no_json", said: str = "refused.no_json"
) -> T:
    """Return the JSON body of a request, or refuse it: every route that takes JSON asks here.

    Parameters
    ----------
    kind : type
        What the body must be.
    code, said : str
        The word for programs and the key of the sentence, where it is something else.
    """
    body = await body_of(request, limit=JSON_BODY, media=JSON)
    try:
        body.decode()
    except UnicodeDecodeError:
        raise Refused(400, "not_utf8", text("refused.not_utf8")) from None
    if _NULL.search(body):  # which PostgreSQL does not keep, and no file name holds
        raise Refused(400, "null_character", text("refused.null_character"))
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        field, what = _place(str(error))
        if not field or code != "no_json":
            raise Refused(422, code, text(said)) from None
        raise Refused(422, code, text("refused.value", what=what), field=field) from None
    except (msgspec.MsgspecError, RecursionError):
        raise Refused(422, code, text(said)) from None


_FIELD = re.compile(r" - at `\$\.?([\w.\[\]]*)`$")
_LACKS = re.compile(r"required field `(\w+)`")


def _place(said: str) -> tuple[str, str]:
    """Return the field that a wrong value stands in, and what was expected.

    Examples
    --------
    >>> _place("Expected `int` >= 1 - at `$.plan.looks`")
    ('looks', 'expected int >= 1')
    >>> _place("Object missing required field `name`")
    ('name', 'missing')
    """
    lacks = _LACKS.search(said)
    if lacks:
        return lacks[1], "missing"
    found = _FIELD.search(said)
    field = found[1].rpartition(".")[2].partition("[")[0] if found else ""
    what = _FIELD.sub("", said).replace("`", "")
    return field, what[:1].lower() + what[1:]


# --- Organisers: who is one, how they sign in and out, and who is signed in ---
#
# Without a password the server listens on this machine alone, and whoever sits at it is the
# organiser. With one, an organiser has a session.

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
