"""Whether the server runs, is ready, and what it has done."""

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from detectable.core.version import VERSION
from detectable.web.metrics import MEDIA


def healthz(_: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"state": "ok", "version": VERSION})


def readyz(request: Request) -> Response:
    """Say whether it takes requests; 503 once it was told to stop."""
    if request.app.state.stopping:
        return JSONResponse({"state": "stopping"}, 503)
    return JSONResponse({"state": "ready"})


def metrics(request: Request) -> Response:
    """Tell the counts of requests."""
    return PlainTextResponse(request.app.state.metrics.text(), media_type=MEDIA)
