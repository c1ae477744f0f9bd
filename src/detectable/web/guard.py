"""Who may ask: our own pages under our own name, and addresses that can be names.

The name in ``Host`` is checked, or a foreign page could point its own name at this machine (DNS
rebinding) and read what the server says. What changes something must come from a page of ours: with
the header that no foreign form can send, and with no foreign ``Origin``.
"""

import asyncio
import hashlib
import math
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

import msgspec
from starlette.datastructures import Headers as RequestHeaders
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from detectable.web.errors import Refused, problem
from detectable.web.settings import is_loopback
from detectable.web.strings import text

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
