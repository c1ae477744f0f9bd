"""Scripts and styles: files of this package, the colours of the charts, and Vega."""

import hashlib

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from detectable.report.render.colours import colours_css
from detectable.report.render.vega import vega_script

JAVASCRIPT = "text/javascript; charset=utf-8"
CSS = "text/css; charset=utf-8"


def colours(request: Request) -> Response:
    """Return the colours of pages and charts, light and dark."""
    return unless_known(request, colours_css(), CSS)


async def vega(request: Request) -> Response:
    """Return Vega, Vega-Lite and the interpreter of expressions, from the package that draws."""
    return unless_known(request, await run_in_threadpool(vega_script), JAVASCRIPT)


def unless_known(request: Request, content: str, media: str) -> Response:
    """Return a file, or that the browser has it already."""
    data = content.encode()
    tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media, headers=headers)
