"""What organisers do to a campaign: open, pause, stop, raters, looks, unblinding, the end."""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.data.store.open_store import AnyStore
from detectable.web.guard import Refused, json_of
from detectable.web.monitor import decision_in_words
from detectable.web.organising import about, link_base, refusals, result_path
from detectable.web.strings import text
from detectable.web.watch import conclude_at, look_at, pool_of

_MOST_RATERS = 500  # at once
Who = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S")]
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=1000, pattern=r"\S")]


class RatersAsked(msgspec.Struct, forbid_unknown_fields=True):
    """How many raters to add."""

    raters: Annotated[int, msgspec.Meta(ge=1, le=_MOST_RATERS)]


class OpenLinkAsked(msgspec.Struct, forbid_unknown_fields=True):
    """How many raters may come by a link that anybody may open; any number, if not given."""

    most: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None


class RaterAsked(msgspec.Struct, forbid_unknown_fields=True):
    """What becomes of a rater; ``renew`` makes a new link in place of one that was lost."""

    state: Literal["active", "no more work", "revoked"] | None = None
    renew: bool = False


class Reasoned(msgspec.Struct, forbid_unknown_fields=True):
    """Who asks for it, and why."""

    who: Who
    reason: Reason


class VoidAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Who voids the work of a rater, what the rater did, and how that is known without a score."""

    who: Who
    reason: Reason
    evidence: Reason


class ErasureAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Who deletes the judgments of a rater who asked for it."""

    who: Who


class ArchiveAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Whether an archived campaign is brought back."""

    back: bool = False


class DeletionAsked(msgspec.Struct, forbid_unknown_fields=True):
    """The name of the campaign once more: so that nobody deletes another one."""

    name: Annotated[str, msgspec.Meta(max_length=60)]


class LookAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Whether the look is the last one."""

    final: bool = False


class ConclusionAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Whether not to wait for work that is still out."""

    at_once: bool = False


def turn(state: Literal["open", "paused", "stopped", "concluded"]) -> Any:
    """Return what brings a campaign into a state."""

    async def turned(request: Request) -> Response:
        await about(request, partial(_turned, state))
        return JSONResponse({"state": state})

    return turned


def _turned(state: Any, store: AnyStore, name: str) -> None:
    from detectable.study.campaign.close import turn_campaign

    turn_campaign(store, name, state, who=text("app.organiser"))


async def add_raters(request: Request) -> Response:
    """Make links, which are shown once and kept nowhere."""
    asked = await json_of(request, RatersAsked)
    links = await about(request, lambda store, name: store.add_raters(name, asked.raters))
    return JSONResponse({"links": _links(request, links)}, 201)


def _links(request: Request, links: Any) -> list[dict[str, str]]:
    base = link_base(request)
    return [{"rater": one.code, "link": f"{base}{one.token}"} for one in links]


async def change_rater(request: Request) -> Response:
    """Give a rater no more work, or work again, take the link away, or make a new one."""
    asked = await json_of(request, RaterAsked)
    if asked.renew == (asked.state is not None):
        raise Refused(422, "not_understood", text("refused.rater"))
    code = request.path_params["rater"]

    def call(store: AnyStore, name: str) -> Any:
        _require_rater(store, name, code)
        if asked.renew:
            return [store.new_link(name, code)]
        if asked.state is not None:
            store.change_rater(name, code, asked.state)
        return []

    return JSONResponse({"links": _links(request, await about(request, call))})


async def open_link(request: Request) -> Response:
    """Make a link that anybody may open, in place of the one before."""
    asked = await json_of(request, OpenLinkAsked)

    def call(store: AnyStore, name: str) -> str:
        from detectable.study.campaign.campaigns import open_address

        return open_address(store, name, asked.most, link_base(request).removesuffix("a#"))

    return JSONResponse({"link": await about(request, call)}, 201)


async def close_link(request: Request) -> Response:
    """Let nobody join any more."""
    await about(request, lambda store, name: store.close_link(name))
    return JSONResponse({"state": "closed"})


async def void_rater(request: Request) -> Response:
    """Let no work of a rater count that no look has seen; it is written down why."""
    asked = await json_of(request, VoidAsked)
    await about(request, partial(_voided, asked, request.path_params["rater"]))
    return JSONResponse({"state": "voided"})


def _voided(asked: VoidAsked, rater: str, store: AnyStore, name: str) -> None:
    from detectable.study.campaign.withdraw import void_rater as void

    _require_rater(store, name, rater)
    void(
        store,
        name,
        rater,
        who=asked.who.strip(),
        reason=asked.reason,
        evidence=asked.evidence,
    )


async def erase_rater(request: Request) -> Response:
    """Delete the judgments of a rater, for good."""
    asked = await json_of(request, ErasureAsked)
    await about(request, partial(_erased, asked, request.path_params["rater"]))
    return JSONResponse({"state": "erased"})


def _erased(asked: ErasureAsked, rater: str, store: AnyStore, name: str) -> None:
    from detectable.study.campaign.withdraw import erase_rater as erase

    _require_rater(store, name, rater)
    erase(store, name, rater, who=asked.who.strip())


def _require_rater(store: AnyStore, name: str, code: str) -> None:
    if code not in {one.code for one in store.raters(name)}:
        raise Refused(404, "no_rater", text("refused.no_rater"))


async def unblind(request: Request) -> Response:
    """Write down who wants to see the systems and why, before anything is shown."""
    asked = await json_of(request, Reasoned)
    await about(request, partial(_unblinded, asked))
    return JSONResponse({"state": "unblinded"})


def _unblinded(asked: Reasoned, store: AnyStore, name: str) -> None:
    from detectable.study.campaign.close import unblind as write_down

    write_down(store, name, who=asked.who.strip(), reason=asked.reason.strip())


async def go_on(request: Request) -> Response:
    """Go on against the advice to give up."""
    asked = await json_of(request, Reasoned)
    await about(request, partial(_gone_on, asked))
    return JSONResponse({"state": "open"})


def _gone_on(asked: Reasoned, store: AnyStore, name: str) -> None:
    from detectable.study.campaign.looks import go_on as against_advice

    against_advice(store, name, who=asked.who.strip(), reason=asked.reason.strip())


async def publish(request: Request) -> Response:
    """Let anybody who knows the address read the report."""

    def call(store: AnyStore, name: str) -> None:
        if store.campaign(name).state != "concluded":
            raise Refused(409, "not_concluded", text("refused.not_concluded"))
        store.log(name, "published", {})

    await about(request, call)
    return JSONResponse({"state": "published"})


async def archive(request: Request) -> Response:
    """Put a campaign out of the way, or bring it back."""
    asked = await json_of(request, ArchiveAsked)
    await about(request, lambda store, name: store.archive(name, back=asked.back))
    return JSONResponse({"state": "listed" if asked.back else "archived"})


async def delete(request: Request) -> Response:
    """Delete a draft or a concluded campaign; plan, ledger and conclusion stay in the folder."""
    asked = await json_of(request, DeletionAsked)
    if asked.name != request.path_params["name"]:
        raise Refused(422, "not_understood", text("refused.delete"))
    await about(request, lambda store, name: store.delete(name))
    return JSONResponse({"state": "deleted"})


async def look_now(request: Request) -> Response:
    """Look at once, where the plan allows it."""
    asked = await json_of(request, LookAsked)
    await about(request, lambda _, name: name)
    number, decision, pairs = await _in_pool(request, look_at, asked.final)
    said = {"look": number, "decision": decision, "says": decision_in_words(decision, pairs)}
    return JSONResponse(said, 201)


async def conclude(request: Request) -> Response:
    """End a campaign: its verdict, with inference that knows of all looks."""
    asked = await json_of(request, ConclusionAsked)
    await about(request, lambda _, name: name)
    path = result_path(request.app.state.settings.folder, request.path_params["name"])
    says = await _in_pool(request, conclude_at, asked.at_once, str(path))
    return JSONResponse({"state": "concluded", "says": says})


async def _in_pool(request: Request, call: Any, *arguments: Any) -> Any:
    address = str(request.app.state.settings.campaigns)
    with refusals():
        return await pool_of(request.app).run(
            call, address, request.path_params["name"], *arguments
        )
