"""Reports of conclusions, the explorer of saved results, and the first page of the server."""

import hashlib
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from detectable.data.store.open_store import FILE_NAME, AnyStore
from detectable.report.blocks import Chart, Matrix, Methods, Repeat, Table, Text
from detectable.report.charts.theme import COLOUR, NARROW, WIDE, colours_css
from detectable.report.explore.page import explorer_files, explorer_page
from detectable.report.render.interactive import vega_script
from detectable.study.campaign.export import (
    campaign_file,
    export_campaign,
    participants_csv,
    payments_csv,
)
from detectable.study.campaign.outcome import CampaignOutcome
from detectable.web.guard import Refused, has_sessions, is_organiser, require_organiser
from detectable.web.monitor import Status, is_published, status_of
from detectable.web.organising import about, refusals, result_path
from detectable.web.settings import Settings
from detectable.web.strings import text
from detectable.web.templates import render_page
from detectable.web.watch import pool_of, report_at


async def report_page(request: Request) -> Response:
    """Show the report."""
    status, outcome = await _report(request)
    shown = await to_thread.run_sync(_shown, outcome)
    return render_page(
        "report.html.j2",
        found=status,
        outcome=outcome,
        **shown,
        widths={"wide": WIDE, "narrow": NARROW},
        tokens={colour: name for name, colour in COLOUR.items()},
        organiser=is_organiser(request),
        sessions=has_sessions(request) and is_organiser(request),
    )


def _shown(outcome: CampaignOutcome) -> dict[str, Any]:
    """Return what the page shows: what a manager reads first, then what belongs to a paper."""
    from detectable.report.blocks_of import blocks_of
    from detectable.report.shown.campaign_outcome import (
        cost,
        examples_title,
        facts,
        marked_pieces,
        say_answer,
    )

    blocks = blocks_of(outcome)
    answer, others = say_answer(outcome.answer, outcome.protocol)
    yes = next((word for word in ("Yes.", "No.", "No verdict.") if answer.startswith(word)), "")
    tables = {one.id: one for one in blocks if isinstance(one, Table)}
    first = [tables.pop(name) for name in ("scores", "errors", "wins") if name in tables]
    charts = [one for one in blocks if isinstance(one, Chart)]
    return {
        "facts": facts(outcome),
        "yes": yes,
        "answer": answer.removeprefix(yes).strip(),
        "others": others,
        "differences": [one for one in charts if one.key],
        "first": first,
        "examples": [(examples_title(one), one) for one in outcome.examples],
        "pieces": marked_pieces,
        "cost": cost(outcome).removeprefix("Cost: "),
        "judgments": tables.pop("judgments"),
        "raters": tables.pop("raters"),
        "charts": [one for one in charts if not one.key],
        "tables": list(tables.values()),
        "matrices": [one for one in blocks if isinstance(one, Matrix)],
        "texts": [one for one in blocks if isinstance(one, Text)],
        "methods": [one for one in blocks if isinstance(one, Methods)],
        "repeat": next(one for one in blocks if isinstance(one, Repeat)),
    }


async def report_json(request: Request) -> Response:
    """Tell the conclusion, and how the campaign went."""
    status, outcome = await _report(request)
    # JSON knows no NaN and no infinity: this encoder writes null for them, and for nothing else.
    told = {
        "campaign": status,
        "conclusion": outcome.conclusion.to_dict(),
        "outcome": outcome.to_dict(),
    }
    return Response(msgspec.json.encode(told), media_type="application/json")


async def report_file(request: Request) -> Response:
    """Give the report as one file that needs no server."""
    _, outcome = await _report(request)
    page = await to_thread.run_sync(_whole_page, outcome)
    name = f"{request.path_params['name']}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(page, headers=headers)


async def report_markdown(request: Request) -> Response:
    """Give the report as Markdown."""
    _, outcome = await _report(request)
    said = await to_thread.run_sync(_markdown, outcome)
    name = f"{request.path_params['name']}.md"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(said, media_type="text/markdown; charset=utf-8", headers=headers)


def _markdown(outcome: CampaignOutcome) -> str:
    from detectable.report.blocks_of import blocks_of
    from detectable.report.render.markdown import render_markdown

    return render_markdown(blocks_of(outcome))


def _whole_page(outcome: CampaignOutcome) -> str:
    from detectable.report.blocks_of import blocks_of
    from detectable.report.render.page import render_page as whole_page

    return whole_page(blocks_of(outcome), title=outcome.name)


async def ledger(request: Request) -> Response:
    """Give the ledger of the plan, whose lines hold each other."""
    await _concluded(request)
    path: Path = await about(request, _ledger)
    return FileResponse(path, media_type="application/jsonl", filename=path.name)


def _ledger(store: AnyStore, name: str) -> Path:
    from detectable.study.campaign.work import plan_of

    return plan_of(store, name).ledger_path


async def _report(request: Request) -> tuple[Status, CampaignOutcome]:
    await _concluded(request)
    status = await about(request, status_of)
    path = result_path(request.app.state.settings.folder, status.name)
    found = await to_thread.run_sync(_loaded, path)
    if found is None or found.signature.settings["plan"] != status.plan[:12]:
        address = str(request.app.state.settings.campaigns)
        with refusals():
            await pool_of(request.app).run(report_at, address, status.name, str(path))
        found = await to_thread.run_sync(_loaded, path)
    if found is None:
        raise Refused(409, "no_conclusion", text("refused.no_conclusion"))
    return status, found


def _loaded(path: Path) -> CampaignOutcome | None:
    """Return what is kept; None where there is nothing yet, or what an earlier version kept."""
    from detectable.report.saved.load import load

    found = load(path) if path.exists() else None
    return found if isinstance(found, CampaignOutcome) else None


async def _concluded(request: Request) -> None:
    """Refuse those who may not read; a stranger learns nothing about what there is."""
    name = request.path_params["name"]

    def readable(store: AnyStore, _: str) -> tuple[bool, bool]:
        return store.campaign(name).state == "concluded", is_published(store, name)

    if not is_organiser(request):
        try:
            ended, published = await about(request, readable)
        except Refused:
            ended = published = False
        if not (ended and published):
            require_organiser(request)
        return
    ended, _ = await about(request, readable)
    if not ended:
        raise Refused(409, "not_concluded", text("refused.not_concluded"))


# --- The first page, the explorer of saved results, and the files of both ---

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


# --- Files to take away: judgments, a copy of everything, and what raters are paid for ---

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}


async def export(request: Request) -> Response:
    """Give the judgments; until the conclusion systems are letters, drawn anew for every item."""
    ending = request.path_params["ending"]
    if ending not in FORMATS:
        raise Refused(404, "not_found", text("refused.not_found"))
    everything = request.query_params.get("everything", "") == "1"

    def call(store: AnyStore, name: str, place: Path) -> str:
        file = f"{name}.{ending}"
        # Once somebody has unblinded it in writing, so is every file that names systems.
        why = text("unblind.export", file=file) if _was_unblinded(store, name) else None
        export_campaign(
            store,
            name,
            place / file,
            everything=everything,
            unblind=why,
            who=text("app.organiser"),
        )
        return file

    return await _file(request, call, FORMATS[ending])


async def backup(request: Request) -> Response:
    """Give a copy of all campaigns, for those who may see everything: after the conclusion."""

    def call(store: AnyStore, name: str, place: Path) -> str:
        del name
        going = [one for one in store.names() if not _may_be_seen(store, one)]
        if going:
            raise Refused(409, "blind", text("refused.blind_backup", name=going[0]))
        store.backup(place / FILE_NAME)
        return FILE_NAME

    return await _file(request, call, "application/octet-stream")


def _may_be_seen(store: AnyStore, name: str) -> bool:
    """Say whether a campaign has nothing to hide any more, or was unblinded in writing."""
    if store.campaign(name).state in ("draft", "concluded"):
        return True
    return _was_unblinded(store, name)


def _was_unblinded(store: AnyStore, name: str) -> bool:
    return any(event == "unblinding" for _, event, _ in store.events(name))


async def campaign_json(request: Request) -> Response:
    """Give what the campaign is: settings, plan, and after the conclusion its ledger."""

    def call(store: AnyStore, name: str, place: Path) -> str:
        file = f"{name}.campaign.json"
        said, _ = campaign_file(store, name, named=_names_systems(store, name))
        (place / file).write_text(said, encoding="utf-8")
        return file

    return await _file(request, call, "application/json")


def _names_systems(store: AnyStore, name: str) -> bool:
    return store.campaign(name).state == "concluded" or _was_unblinded(store, name)


async def payments(request: Request) -> Response:
    """Give what raters are paid for."""

    def call(store: AnyStore, name: str, place: Path) -> str:
        file = f"{name}-payments.csv"
        (place / file).write_text(payments_csv(store, name), encoding="utf-8")
        return file

    return await _file(request, call, FORMATS["csv"])


async def participants(request: Request) -> Response:
    """Give who came by an open link, as the panel calls them."""

    def call(store: AnyStore, name: str, place: Path) -> str:
        file = f"{name}-participants.csv"
        (place / file).write_text(participants_csv(store, name), encoding="utf-8")
        return file

    return await _file(request, call, FORMATS["csv"])


async def _file(
    request: Request, call: Callable[[AnyStore, str, Path], str], media: str
) -> Response:
    """Return a file that is made in a folder of its own, which goes when it was sent."""
    folder = tempfile.TemporaryDirectory(prefix="detectable-")
    place = Path(folder.name)
    try:
        name = await about(request, lambda store, campaign: call(store, campaign, place))
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        place / name, media_type=media, filename=name, background=BackgroundTask(folder.cleanup)
    )
