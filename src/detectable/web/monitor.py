"""How campaigns stand: the list, one of them, and its stream of changes. Never a score by system."""

import asyncio
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from detectable.data.store.open_store import AnyStore
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.study.campaign.campaigns import campaigns
from detectable.web.auth import has_sessions, is_organiser
from detectable.web.campaign_status import Status, boundary_chart, status_of
from detectable.web.errors import Refused
from detectable.web.organising import about, organising
from detectable.web.strings import text
from detectable.web.templates import render_page

EVERY = 2.0  # seconds between two looks at the counts
HEARTBEAT = 20.0
MOST_LISTENERS = 50
_STEP = 0.25  # seconds within which a stream notices that the server stops


async def _listed(request: Request) -> list[dict[str, Any]]:
    try:
        found = await organising(request).do(campaigns)
    except Refused as error:
        if error.code == "no_store":
            return []
        raise
    # Names of systems are no secret to organisers; what each scored is.
    return [
        {
            "name": one.name,
            "state": one.state,
            "systems": list(one.systems),
            "protocol": one.protocol,
            "works": one.n_works,
            "done": one.n_done,
            "in_work": one.n_leased,
            "open": one.n_open,
            "judgments": one.n_judgments,
            "raters": one.n_raters,
        }
        for one in found.campaigns
    ]


async def campaigns_page(request: Request) -> Response:
    """Show all campaigns."""
    rows = await _listed(request)
    return render_page("campaigns.html.j2", rows=rows, sessions=has_sessions(request))


async def campaigns_json(request: Request) -> Response:
    """Tell all campaigns."""
    return JSONResponse({"campaigns": await _listed(request)})


async def monitor_page(request: Request) -> Response:
    """Show one campaign."""
    status, chart = await about(request, _status_and_chart)
    return render_page(
        "monitor.html.j2",
        found=status,
        chart=chart,
        widths={"wide": WIDE, "narrow": NARROW},
        tokens={colour: name for name, colour in COLOUR.items()},
        sessions=has_sessions(request),
    )


def _status_and_chart(store: AnyStore, name: str) -> tuple[Status, Any]:
    return status_of(store, name), boundary_chart(store, name)


async def status_json(request: Request) -> Response:
    """Tell how one campaign stands."""
    return JSONResponse(msgspec.to_builtins(await about(request, status_of)))


async def events(request: Request) -> Response:
    """Stream how one campaign stands, whenever it changes."""
    await about(request, lambda _, name: name)
    state = request.app.state
    if state.listeners >= MOST_LISTENERS:
        raise Refused(503, "too_many", text("refused.listeners"))
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(request), media_type="text/event-stream", headers=headers)


async def _stream(request: Request) -> AsyncIterator[bytes]:
    state = request.app.state
    state.listeners += 1
    last, told = b"", time.monotonic()
    try:
        yield b"retry: 5000\n\n"
        while not state.stopping and is_organiser(request):
            now = msgspec.json.encode(await shared_status(request))
            if now != last:
                last, told = now, time.monotonic()
                yield b"event: status\ndata: " + now + b"\n\n"
            elif time.monotonic() - told >= HEARTBEAT:
                told = time.monotonic()
                yield b": still here\n\n"
            if await _waited(request):
                return
    finally:
        state.listeners -= 1


async def _waited(request: Request) -> bool:
    """Wait for the next look at the counts; say whether the listener is gone."""
    until = time.monotonic() + EVERY
    while time.monotonic() < until and not request.app.state.stopping:
        if await request.is_disconnected():
            return True
        await asyncio.sleep(_STEP)
    return False


async def shared_status(request: Request) -> Status:
    """Return how a campaign stands, asked once for all that listen within two seconds."""
    kept: dict[str, tuple[float, asyncio.Future[Status]]] = request.app.state.statuses
    name = request.path_params["name"]
    when, future = kept.get(name, (0.0, None))
    if future is None or time.monotonic() - when >= EVERY / 2:
        future = asyncio.ensure_future(about(request, partial(status_of)))
        kept[name] = (time.monotonic(), future)
    return await asyncio.shield(future)
