"""The application: routes, and what stands before all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Scope

from detectable.web.auth import Attempts, Sessions
from detectable.web.changes import Uploads
from detectable.web.errors import Refused, refused_by_starlette, refused_by_us
from detectable.web.guard import REQUESTS, Guard, Headers, PerMinute
from detectable.web.health import NO_ROUTE, Logged, Metrics
from detectable.web.notify import tell
from detectable.web.routes import routes as all_routes
from detectable.web.settings import Settings
from detectable.web.watch import watch


def make_app(settings: Settings, *, log: TextIO | None = None) -> Starlette:
    """Return the application.

    Parameters
    ----------
    settings : Settings
        Its folder, where it listens, and who may come.
    log : file, optional
        Where the lines of the log go; by default standard error.
    """
    counts = Metrics()
    routes = all_routes()
    made = Starlette(
        routes=routes,
        lifespan=_running,
        middleware=[
            Middleware(Headers),
            Middleware(Logged, metrics=counts, template_of=_Templates(routes), stream=log),
            Middleware(Guard, names=settings.names),
        ],
        exception_handlers={
            Refused: refused_by_us,
            HTTPException: refused_by_starlette,
        },
    )
    made.state.settings, made.state.metrics, made.state.stopping = settings, counts, False
    made.state.sessions, made.state.attempts = Sessions(), Attempts()
    made.state.requests = PerMinute(REQUESTS)
    made.state.judging = made.state.organising = made.state.pool = None
    made.state.uploads, made.state.drafts = Uploads(), {}
    made.state.listeners, made.state.statuses = 0, {}
    made.state.log = log
    return made


@asynccontextmanager
async def _running(app: Starlette) -> AsyncIterator[None]:
    """Watch campaigns meanwhile; let go, at the end, of what was opened on the way."""
    running = [asyncio.create_task(watch(app))]
    if app.state.settings.told is not None:
        running.append(asyncio.create_task(tell(app)))
    yield
    for one in running:
        one.cancel()
        with suppress(asyncio.CancelledError):
            await one
    close(app)


def close(app: Starlette) -> None:
    """Finish the saves that wait, end the worker, and let the store go."""
    for name in ("pool", "judging", "organising"):
        opened = getattr(app.state, name)
        if opened is not None:
            opened.close()
            setattr(app.state, name, None)
    app.state.uploads.close()


class _Templates:
    """The template of the route that a request took."""

    def __init__(self, routes: list[BaseRoute]) -> None:
        self._of = {
            id(route.endpoint if isinstance(route, Route) else route.app): route.path
            for route in routes
            if isinstance(route, Route | Mount)
        }

    def __call__(self, scope: Scope) -> str:
        """Return it, or that there was none."""
        return self._of.get(id(scope.get("endpoint")), NO_ROUTE)
