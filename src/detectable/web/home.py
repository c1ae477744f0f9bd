"""Where the server's first page leads."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from detectable.data.store.open_store import FILE_NAME
from detectable.web.settings import Settings


def home(request: Request) -> Response:
    """Lead to the campaigns where there are any, or others may come; else to the planner."""
    settings: Settings = request.app.state.settings
    found = settings.store or (settings.folder / FILE_NAME).exists()
    campaigns = bool(found) or settings.password is not None
    return RedirectResponse("/campaigns" if campaigns else "/plan", 307)
