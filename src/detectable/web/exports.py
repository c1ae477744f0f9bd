"""Files to take away: judgments, a copy of everything, and what raters are paid for."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from detectable.data.store.open_store import FILE_NAME, AnyStore
from detectable.study.campaign.export import campaign_file, export_campaign, payments_csv
from detectable.web.errors import Refused
from detectable.web.organising import about
from detectable.web.strings import text

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
