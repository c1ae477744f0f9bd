"""The explorer of saved results: a page and its files. It reads in the browser, and sends nothing."""

from functools import cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from detectable.report.explore.page import explorer_files, explorer_page
from detectable.web.errors import Refused
from detectable.web.static_files import unless_known
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
