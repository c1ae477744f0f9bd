"""Who may ask what: one row for every address."""

from importlib.resources import files

from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from detectable.web import (
    annotate,
    auth,
    changes,
    health,
    monitor,
    new_campaign,
    openapi,
    organise,
    planner,
    reports,
)
from detectable.web import reports as explorer
from detectable.web import reports as exports
from detectable.web import reports as home
from detectable.web import reports as static_files
from detectable.web.auth import Endpoint, for_organisers

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


def routes() -> list[BaseRoute]:
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
