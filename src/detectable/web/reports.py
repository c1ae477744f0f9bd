"""What a reader sees after the conclusion: the verdict, the way to it, who rated, and the ledger."""

from pathlib import Path

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from detectable.data.store.open_store import AnyStore
from detectable.report.blocks import Chart, Matrix, Methods, Repeat, Table, Text, Verdict
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.study.monitoring.conclusion import Conclusion
from detectable.web.auth import has_sessions, is_organiser, require_organiser
from detectable.web.errors import Refused
from detectable.web.monitor import Status, is_published, status_of
from detectable.web.organising import about, refusals, result_path
from detectable.web.strings import text
from detectable.web.templates import render_page
from detectable.web.watch import pool_of, report_at


async def report_page(request: Request) -> Response:
    """Show the report."""
    status, conclusion = await _report(request)
    from detectable.report.blocks_of import blocks_of

    blocks = await to_thread.run_sync(blocks_of, conclusion)
    # Pairs at every look and what belongs to a paper are for those who want them.
    return render_page(
        "report.html.j2",
        found=status,
        verdict=next(one for one in blocks if isinstance(one, Verdict)),
        texts=[one for one in blocks if isinstance(one, Text)],
        charts=[one for one in blocks if isinstance(one, Chart)],
        tables=[one for one in blocks if isinstance(one, Table)],
        matrices=[one for one in blocks if isinstance(one, Matrix)],
        methods=[one for one in blocks if isinstance(one, Methods)],
        repeat=next(one for one in blocks if isinstance(one, Repeat)),
        widths={"wide": WIDE, "narrow": NARROW},
        tokens={colour: name for name, colour in COLOUR.items()},
        organiser=is_organiser(request),
        sessions=has_sessions(request) and is_organiser(request),
    )


async def report_json(request: Request) -> Response:
    """Tell the conclusion, and how the campaign went."""
    status, conclusion = await _report(request)
    # JSON knows no NaN and no infinity: this encoder writes null for them, and for nothing else.
    told = {"campaign": status, "conclusion": conclusion.to_dict()}
    return Response(msgspec.json.encode(told), media_type="application/json")


async def report_file(request: Request) -> Response:
    """Give the report as one file that needs no server."""
    _, conclusion = await _report(request)
    page = await to_thread.run_sync(_whole_page, conclusion)
    name = f"{request.path_params['name']}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(page, headers=headers)


def _whole_page(conclusion: Conclusion) -> str:
    from detectable.report.blocks_of import blocks_of
    from detectable.report.render.page import render_page as whole_page

    return whole_page(blocks_of(conclusion))


async def ledger(request: Request) -> Response:
    """Give the ledger of the plan, whose lines hold each other."""
    await _concluded(request)
    path: Path = await about(request, _ledger)
    return FileResponse(path, media_type="application/jsonl", filename=path.name)


def _ledger(store: AnyStore, name: str) -> Path:
    from detectable.study.campaign.work import plan_of

    return plan_of(store, name).ledger_path


async def _report(request: Request) -> tuple[Status, Conclusion]:
    await _concluded(request)
    status = await about(request, status_of)
    path = result_path(request.app.state.settings.folder, status.name)
    if not path.exists():
        address = str(request.app.state.settings.campaigns)
        with refusals():
            await pool_of(request.app).run(report_at, address, status.name, str(path))
    return status, await to_thread.run_sync(_loaded, path)


def _loaded(path: Path) -> Conclusion:
    from detectable.report.saved.load import load

    found = load(path)
    if not isinstance(found, Conclusion):
        raise Refused(409, "no_conclusion", text("refused.no_conclusion"))
    return found


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
