"""How campaigns stand: the list, one of them, and its stream of changes. Never a score by system."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from detectable.core.errors import DetectableError
from detectable.core.verdict import in_words
from detectable.data.store.open_store import AnyStore
from detectable.report.blocks import Chart
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.shown.campaigns import so_far
from detectable.study.campaign.campaigns import CampaignProgress, campaigns, judgments_given
from detectable.study.campaign.looks import DecidedPair, forecast
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.ledger import decision_of
from detectable.web.guard import Refused, has_sessions, is_organiser
from detectable.web.organising import about, organising
from detectable.web.strings import text
from detectable.web.templates import render_page


class ToldPair(msgspec.Struct):
    """Interval and statistic of one pair, where it was frozen that they are told."""

    system: str
    baseline: str
    interval: list[float | None] | None
    z: float | None
    e_value: float | None


class LookLine(msgspec.Struct, omit_defaults=True):
    """A look that took place: what it decided, and the numbers only of a campaign that tells them."""

    look: int
    time: str
    units: int
    judgments: int
    decision: str
    says: str
    pairs: list[ToldPair] = []


class RaterStatus(msgspec.Struct):
    """The work of one rater."""

    rater: str
    state: str
    blocks: int
    admitted: int
    not_admitted: int
    pending: int
    check: str
    seconds: float | None
    last_seen: float | None


class Status(msgspec.Struct):
    """How a campaign stands."""

    name: str
    state: str
    protocol: str
    plan: str
    question: str
    frozen: str
    systems: list[str]
    units: int
    units_planned: int | None
    next_look: int | None
    next_look_units: int | None
    next_look_time: float | None
    works_per_hour: float | None
    seconds_per_text: float | None
    admitted: int
    pending: int
    not_admitted: int
    in_work: int
    open: int
    cut: int
    orphans: int
    works: int
    judgments: int
    cost: float | None
    looks: list[LookLine]
    raters: list[RaterStatus]
    unblindings: list[dict[str, str]]
    advice: bool
    may_look: bool
    may_end: bool
    stalled: bool
    failed: str
    answers: int
    budget: int | None
    says: str
    published: bool
    archived: bool
    open_link: bool
    joined: int
    most_raters: int | None


def status_of(store: AnyStore, name: str) -> Status:
    """Return how a campaign stands now."""
    from detectable.study.campaign.campaigns import campaign_progress

    row, counts = store.campaign(name), store.status(name)
    given = judgments_given(store, name)
    linked, most, joined = store.joined(name)
    settings = CampaignSettings.from_json(row.settings)
    found = campaign_progress(store, name)
    plan = _plan(store, name)
    ahead = forecast(store, name, n_units=found.n_units, wanted=found.next_look_at)
    price = None if plan is None else plan.cost_per_judgment
    looks = [_look(one) for one in found.looks]
    speeds = [one.seconds for one in found.raters if one.seconds is not None]
    return Status(
        name=name,
        state=row.state,
        protocol=settings.protocol,
        plan=settings.plan,
        question="" if plan is None else plan.question,
        frozen="" if plan is None else plan.created,
        systems=list(row.systems),
        units=found.n_units,
        units_planned=found.n_max,
        next_look=found.next_look,
        next_look_units=found.next_look_at,
        next_look_time=_rounded(ahead.next_look),
        works_per_hour=None if ahead.works_per_hour is None else round(ahead.works_per_hour, 1),
        seconds_per_text=round(statistics.median(speeds), 1) if speeds else None,
        admitted=found.works.admitted,
        pending=found.works.waiting,
        not_admitted=found.works.refused,
        in_work=found.works.in_work,
        open=found.works.open,
        cut=found.works.cut,
        orphans=found.works.orphans,
        works=counts["works"],
        judgments=given,
        cost=None if price is None else round(price * given, 2),
        looks=looks,
        raters=[_rater(one) for one in found.raters],
        unblindings=[
            {"time": _day(when), "who": who, "reason": why}
            for when, who, why in found.unblindings
        ],
        advice=found.advice,
        may_look=row.state in ("open", "paused")
        and plan is not None
        and plan.planned_units() is None,
        may_end=found.may_end,
        stalled=found.stalled,
        failed=found.failed,
        answers=found.answers,
        budget=found.budget,
        says=_says(row.state, looks, plan, found, settings.protocol),
        published=is_published(store, name),
        archived=store.archived(name),
        open_link=linked,
        joined=joined,
        most_raters=most,
    )


def _plan(store: AnyStore, name: str) -> Any:
    """Return the plan of a campaign; None where there is none, or not any more."""
    from detectable.study.campaign.work import plan_of

    try:
        return plan_of(store, name)
    except DetectableError:
        return None


def boundary_chart(store: AnyStore, name: str) -> Chart | None:
    """Return where the plan stops, without any data."""
    from detectable.report.shown.monitoring_pictures import planned_stops

    plan = _plan(store, name)
    return None if plan is None else next(planned_stops(plan), None)


def is_published(store: AnyStore, name: str) -> bool:
    """Say whether anybody may read the report."""
    return any(event == "published" for _, event, _ in store.events(name))


def _look(one: Any) -> LookLine:
    return LookLine(
        look=one.look,
        time=_day(one.time),
        units=one.n_units,
        judgments=one.judgments,
        decision=one.decision,
        says=decision_in_words(one.decision, one.pairs),
        pairs=[
            ToldPair(
                pair.system,
                pair.baseline,
                None if pair.interval is None else list(pair.interval),
                pair.z,
                pair.e_value,
            )
            for pair in one.pairs
            if pair.told
        ],
    )


def _rater(one: Any) -> RaterStatus:
    return RaterStatus(
        rater=one.rater,
        state=one.state,
        blocks=one.blocks,
        admitted=one.admitted,
        not_admitted=one.refused,
        pending=one.waiting,
        check=one.check,
        seconds=None if one.seconds is None else round(one.seconds, 1),
        last_seen=one.last_seen,
    )


def decision_in_words(decision: str, pairs: Sequence[DecidedPair] = ()) -> str:
    """Return what a look decided, in words; with the names of the pairs that it decided.

    Where it was frozen that looks are told in full, interval and statistic follow in brackets.

    Examples
    --------
    >>> decision_in_words("continue")
    'go on'
    >>> one = DecidedPair(system="new", baseline="old", decision="stop: better")
    >>> decision_in_words("stop: better", [one])
    'stop: new is better than old'
    """
    numbers = so_far(pairs)
    return _decided(decision, pairs) + (f" ({numbers})" if numbers else "")


_ALONE = {  # where the names of pairs do not say it
    "continue": "decision.continue",
    "stop": "decision.stop",
    "stop: futile": "decision.futile",
    "stop: undecided": "decision.undecided",
}


def _decided(decision: str, pairs: Sequence[DecidedPair]) -> str:
    known = [(one, decision_of(one.decision)) for one in pairs]
    decided = [
        in_words(found.verdict, one.system, one.baseline) for one, found in known if found.ends
    ]
    if decided:
        first = text("decision.continue" if decision == "continue" else "decision.stop")
        return f"{first}: {'; '.join(decided)}"
    return text(_ALONE[decision]) if decision in _ALONE else decision


def _answer(plan: Any, protocol: str) -> str:
    """Return the answer of the conclusion, as the report begins with it; nothing without one."""
    from detectable.report.shown.campaign_outcome import say_answer
    from detectable.study.campaign.outcome import read_answer

    found = None if plan is None else read_answer(plan)
    if found is None:
        return ""
    headline, others = say_answer(found, protocol)
    return " ".join([headline, *others])


def _says(
    state: str, looks: list[LookLine], plan: Any, found: CampaignProgress, protocol: str
) -> str:
    """Return the verdict of the page: what the organiser should know first."""
    if found.failed:
        return text("monitor.says_failed", reason=found.failed)
    if found.stalled:
        key = "monitor.says_stalled_seen" if found.works.open else "monitor.says_stalled"
        key = "monitor.says_spent" if found.spent else key
        return text(key, n=found.n_units, planned=found.next_look_at, open=found.works.open)
    if found.advice:
        return text("monitor.says_advice")
    if state == "concluded" and (said := _answer(plan, protocol)):
        return said
    if state == "stopped" and looks and looks[-1].decision != "continue":
        return text("monitor.says_decided", says=looks[-1].says)
    if plan is None:
        return text("monitor.says_no_plan")
    return text(f"monitor.says_{state}")


def _day(when: Any) -> str:
    """Return a time as people write it, in UTC; what is text already stays."""
    if isinstance(when, str):
        return when
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(when)))


def _rounded(when: float | None) -> float | None:
    """Return a time to the minute: a forecast is no promise, and need not flicker."""
    return None if when is None else 60.0 * round(when / 60.0)


# --- How campaigns stand: the list, one of them, and its stream of changes. Never a score by system ---

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
            "judgments": one.n_given,
            "raters": one.n_raters,
            "archived": one.archived,
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
