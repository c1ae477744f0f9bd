"""The application: routes, and what stands before all of them."""

from importlib.resources import files
from typing import TextIO

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from detectable.web import annotate, changes, explorer, health, openapi, planner, static_files
from detectable.web.errors import Refused, refused_by_starlette, refused_by_us
from detectable.web.guard import Guard
from detectable.web.headers import Headers
from detectable.web.logs import NO_ROUTE, Logged
from detectable.web.metrics import Metrics
from detectable.web.settings import Settings


def make_app(settings: Settings, *, log: TextIO | None = None) -> Starlette:
    """Return the application.

    Parameters
    ----------
    settings : Settings
        Its folder and where it listens.
    log : file, optional
        Where the lines of the log go; by default standard error.
    """
    counts = Metrics()
    routes = _routes()
    made = Starlette(
        routes=routes,
        middleware=[
            Middleware(Headers),
            Middleware(Logged, metrics=counts, template_of=_Templates(routes), stream=log),
            Middleware(Guard),
        ],
        exception_handlers={
            Refused: refused_by_us,
            HTTPException: refused_by_starlette,
        },
    )
    made.state.settings, made.state.metrics, made.state.stopping = settings, counts, False
    return made


def _routes() -> list[BaseRoute]:
    return [
        Route("/", planner.home),
        Route("/plan", planner.plan_page),
        Route("/explore", explorer.explore),
        Route("/explore/{file}", explorer.explore_file),
        Route("/api/v1/plan", planner.plan_json),
        Route("/api/v1/plans", changes.freeze_plan, methods=["POST"]),
        Route("/api/v1/pilot", changes.fit_to_pilot, methods=["POST"]),
        Route("/a", annotate.annotate_page),
        Route("/api/v1/me", annotate.me),
        Route("/api/v1/next", annotate.next_page),
        Route("/api/v1/pages/{token}", annotate.save_page, methods=["PUT"]),
        Route("/openapi.json", openapi.openapi),
        Route("/healthz", health.healthz),
        Route("/readyz", health.readyz),
        Route("/metrics", health.metrics),
        Route("/static/colours.css", static_files.colours),
        Route("/static/vega.js", static_files.vega),
        Mount("/static", StaticFiles(directory=str(files("detectable.web") / "static"))),
    ]


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
