"""The application: routes, and what stands before all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import TextIO

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from detectable.web import (
    annotate,
    changes,
    monitor,
    new_campaign,
    openapi,
    organise,
    planner,
    reports,
)
from detectable.web import guard as auth
from detectable.web import reports as explorer
from detectable.web import reports as exports
from detectable.web import reports as home
from detectable.web import reports as static_files
from detectable.web import watch as health
from detectable.web.changes import Uploads
from detectable.web.guard import (
    REQUESTS,
    Attempts,
    Endpoint,
    Guard,
    Headers,
    PerMinute,
    Refused,
    Sessions,
    for_organisers,
    refused_by_starlette,
    refused_by_us,
)
from detectable.web.notify import tell
from detectable.web.settings import Settings
from detectable.web.watch import NO_ROUTE, Logged, Metrics, watch


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
    routes = routes_of_pages()
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


# --- Who may ask what: one row for every address ---

API = "/api/v1"
_ONE = f"{API}/campaigns/{{name}}"
_ANYBODY: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/", home.home),
    ("GET", "/sign-in", auth.sign_in_page),
    ("POST", f"{API}/session", auth.sign_in),
    ("DELETE", f"{API}/session", auth.sign_out),
    ("GET", "/plan", planner.plan_page),
    ("GET", f"{API}/plan", planner.plan_json),
    ("GET", "/explore", explorer.explore),
    ("GET", "/explore/{file}", explorer.explore_file),
    ("GET", "/openapi.json", openapi.openapi),
    ("GET", "/healthz", health.healthz),
    ("GET", "/readyz", health.readyz),
    ("GET", "/metrics", health.metrics),  # near, or organisers
    ("GET", "/static/colours.css", static_files.colours),
    ("GET", "/static/vega.js", static_files.vega),
)
_RATERS: tuple[tuple[str, str, Endpoint], ...] = (  # each checks the link
    ("GET", "/a", annotate.annotate_page),
    ("GET", "/join/{open}", annotate.annotate_page),
    ("POST", f"{API}/join/{{open}}", annotate.join),
    ("GET", f"{API}/me", annotate.me),
    ("POST", f"{API}/me/consent", annotate.consent),
    ("PUT", f"{API}/me/answers", annotate.say_of_self),
    ("GET", f"{API}/next", annotate.next_page),
    ("GET", f"{API}/pages/{{token}}", annotate.page_again),
    ("PUT", f"{API}/pages/{{token}}", annotate.save_page),
    ("PUT", f"{API}/drafts/{{token}}", annotate.keep_draft),
)
_ORGANISERS: tuple[tuple[str, str, Endpoint], ...] = (
    ("POST", f"{API}/plans", changes.freeze_plan),
    ("POST", f"{API}/pilot", changes.fit_to_pilot),
    ("GET", "/campaigns", monitor.campaigns_page),
    ("GET", f"{API}/campaigns", monitor.campaigns_json),
    ("GET", "/new-campaign", new_campaign.new_campaign_page),
    ("POST", f"{API}/uploads", changes.send_file),
    ("GET", f"{API}/new-campaigns/{{draft}}", changes.draft),
    ("PUT", f"{API}/new-campaigns/{{draft}}", changes.keep_draft),
    ("POST", f"{API}/campaigns/check", new_campaign.check_campaign),
    ("POST", f"{API}/campaigns/preview", new_campaign.preview_as_rater),
    ("POST", f"{API}/campaigns", new_campaign.make_new_campaign),
    ("GET", "/campaigns/{name}", monitor.monitor_page),
    ("GET", f"{_ONE}", monitor.status_json),
    ("GET", f"{_ONE}/status", monitor.status_json),
    ("GET", f"{_ONE}/events", monitor.events),
    ("POST", f"{_ONE}/open", organise.turn("open")),
    ("POST", f"{_ONE}/pause", organise.turn("paused")),
    ("POST", f"{_ONE}/stop", organise.turn("stopped")),
    ("POST", f"{_ONE}/close", organise.turn("concluded")),
    ("POST", f"{_ONE}/raters", organise.add_raters),
    ("PATCH", f"{_ONE}/raters/{{rater}}", organise.change_rater),
    ("POST", f"{_ONE}/raters/{{rater}}/void", organise.void_rater),
    ("POST", f"{_ONE}/raters/{{rater}}/erase", organise.erase_rater),
    ("POST", f"{_ONE}/open-link", organise.open_link),
    ("POST", f"{_ONE}/close-link", organise.close_link),
    ("POST", f"{_ONE}/looks", organise.look_now),
    ("POST", f"{_ONE}/go-on", organise.go_on),
    ("POST", f"{_ONE}/unblind", organise.unblind),
    ("POST", f"{_ONE}/conclude", organise.conclude),
    ("POST", f"{_ONE}/publish", organise.publish),
    ("POST", f"{_ONE}/archive", organise.archive),
    ("POST", f"{_ONE}/delete", organise.delete),
    ("GET", f"{_ONE}/export.{{ending}}", exports.export),
    ("GET", f"{_ONE}/campaign.json", exports.campaign_json),
    ("GET", f"{_ONE}/backup", exports.backup),
    ("GET", f"{_ONE}/payments.csv", exports.payments),
    ("GET", f"{_ONE}/participants.csv", exports.participants),
)
_READERS: tuple[
    tuple[str, str, Endpoint], ...
] = (  # published reports; others are for organisers
    ("GET", "/reports/{name}", reports.report_page),
    ("GET", f"{API}/reports/{{name}}", reports.report_json),
    ("GET", f"{API}/reports/{{name}}/ledger", reports.ledger),
    ("GET", f"{API}/reports/{{name}}/page", reports.report_file),
    ("GET", f"{API}/reports/{{name}}/markdown", reports.report_markdown),
)


def routes_of_pages() -> list[BaseRoute]:
    """Return all routes; those of organisers ask for a session first."""
    made: list[BaseRoute] = [
        Route(path, endpoint, methods=[method])
        for method, path, endpoint in (*_ANYBODY, *_RATERS, *_READERS)
    ]
    made += [
        Route(path, for_organisers(endpoint), methods=[method])
        for method, path, endpoint in _ORGANISERS
    ]
    static = StaticFiles(directory=str(files("detectable.web") / "static"))
    return [*made, Mount("/static", static)]
