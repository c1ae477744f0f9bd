"""The campaigns watch themselves: work is admitted as it comes, and looks run when they are due."""

import asyncio
import json
import sys
from typing import Any

from starlette.applications import Starlette

from detectable.core.errors import DetectableError
from detectable.data.store.open_store import FILE_NAME, AnyStore
from detectable.web.errors import Refused
from detectable.web.look_pool import LookPool, due_look_at
from detectable.web.organising import organising_of
from detectable.web.settings import Settings

EVERY = 3.0  # seconds


async def watch(app: Starlette, every: float = EVERY) -> None:
    """Admit and look until the server is told to stop."""
    seen: dict[str, int] = {}
    while not app.state.stopping:
        if _has_campaigns(app.state.settings):
            for name in await _changed(app, seen):
                await look_if_due(app, name)
        await asyncio.sleep(every)


async def look_if_due(app: Starlette, name: str) -> str | None:
    """Run the look of a campaign that is due, and say in the log what went wrong if something did."""
    try:
        decision: str | None = await pool_of(app).run(
            due_look_at, str(app.state.settings.campaigns), name
        )
    except DetectableError as error:
        _say(app, name, str(error))
        return None
    if decision is not None:
        app.state.metrics.looked(decision)
    return decision


async def _changed(app: Starlette, seen: dict[str, int]) -> list[str]:
    """Return the campaigns with new work, after deciding which of it counts, and a look due."""
    try:
        return await organising_of(app).do(lambda store: _due(app, store, seen))
    except (Refused, DetectableError) as error:
        _say(app, "", str(error))
        return []


def _due(app: Starlette, store: AnyStore, seen: dict[str, int]) -> list[str]:
    from detectable.study.campaign.look_now import decide_admissions, due_look
    from detectable.study.campaign.plan_of import has_plan

    found = []
    for name in store.names():
        row = store.campaign(name)
        done = store.status(name)["works_done"]
        if row.state != "open" or not has_plan(row) or seen.get(name) == done:
            continue
        seen[name] = done
        try:
            decide_admissions(store, name)
            if due_look(store, name) is not None:
                found.append(name)
                del seen[name]  # another look may be due when this one is done
        except DetectableError as error:
            _say(app, name, str(error))
    return found


def pool_of(app: Starlette) -> LookPool:
    """Return the worker of a server."""
    if app.state.pool is None:
        app.state.pool = LookPool()
    found: LookPool = app.state.pool
    return found


def _has_campaigns(settings: Settings) -> bool:
    return bool(settings.store) or (settings.folder / FILE_NAME).exists()


def _say(app: Starlette, name: str, message: str) -> None:
    line: dict[str, Any] = {"event": "look", "campaign": name, "error": message}
    print(json.dumps(line), file=app.state.log or sys.stderr, flush=True)
