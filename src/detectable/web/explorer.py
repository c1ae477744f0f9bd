"""The first page, the explorer of saved results, and the files of both."""

import hashlib
from functools import cache

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from detectable.data.store.open_store import FILE_NAME
from detectable.report.charts.theme import colours_css
from detectable.report.explore.page import explorer_files, explorer_page
from detectable.report.render.interactive import vega_script
from detectable.web.errors import Refused
from detectable.web.settings import Settings
from detectable.web.strings import text

_VEGA = "/static/vega.js"


def explore(_: Request) -> Response:
    """Return the page, which holds no result until somebody opens one."""
    links = [
        ("/campaigns", text("page.campaigns")),
        ("/plan", text("page.plan")),
        ("/explore", text("page.explore")),
    ]
    return HTMLResponse(explorer_page(base="/explore/", vega=_VEGA, links=links))


def explore_file(request: Request) -> Response:
    """Return a script or the style of the page."""
    found = _files().get(request.path_params["file"])
    if found is None:
        raise Refused(404, "not_found", text("refused.not_found"))
    media, content = found
    return unless_known(request, content, media)


@cache
def _files() -> dict[str, tuple[str, str]]:
    return explorer_files()


# --- Where the server's first page leads ---


def home(request: Request) -> Response:
    """Lead to the campaigns where there are any, or others may come; else to the planner."""
    settings: Settings = request.app.state.settings
    found = settings.store or (settings.folder / FILE_NAME).exists()
    campaigns = bool(found) or settings.password is not None
    return RedirectResponse("/campaigns" if campaigns else "/plan", 307)


# --- Scripts and styles: files of this package, the colours of the charts, and Vega ---

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
