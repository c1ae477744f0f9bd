"""Whether the server runs, is ready, and what it has done."""

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from detectable.core.version import VERSION
from detectable.web.auth import is_organiser, require_organiser
from detectable.web.metrics import MEDIA
from detectable.web.settings import is_loopback


def healthz(_: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"state": "ok", "version": VERSION})


def readyz(request: Request) -> Response:
    """Say whether it takes requests; 503 once it was told to stop."""
    if request.app.state.stopping:
        return JSONResponse({"state": "stopping"}, 503)
    return JSONResponse({"state": "ready"})


def metrics(request: Request) -> Response:
    """Tell the counts of requests, to programs on this machine and to organisers."""
    if not (is_organiser(request) or _is_near(request)):
        require_organiser(request)
    return PlainTextResponse(request.app.state.metrics.text(), media_type=MEDIA)


def _is_near(request: Request) -> bool:
    """Say whether a program on this machine asks, and no proxy for somebody else."""
    client = request.client.host if request.client else ""
    name = request.url.hostname or ""
    return (
        is_loopback(client) and is_loopback(name) and "x-forwarded-for" not in request.headers
    )
