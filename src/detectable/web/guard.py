"""Who may ask: our own pages under our own name, and addresses that can be names.

The name in ``Host`` is checked, or a foreign page could point its own name at this machine (DNS
rebinding) and read what the server says. What changes something must come from a page of ours: with
the header that no foreign form can send, and with no foreign ``Origin``.
"""

from collections.abc import Collection

from starlette.datastructures import Headers as RequestHeaders
from starlette.datastructures import MutableHeaders
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
