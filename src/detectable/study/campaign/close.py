"""The end of a campaign: what was begun is finished, the rest is decided, and the plan concludes."""

import hashlib
import time
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count
from detectable.data.files.place import FilePath
from detectable.data.store.records import State
from detectable.data.store.store import Store
from detectable.study.campaign.looks import decide_admissions, settle, stop
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import (
    CampaignWork,
    Unit,
    campaign_ledger,
    freeze_campaign,
    has_plan,
    plan_of,
)
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import Event, record_admission, record_event

_EVENTS: dict[State, Event] = {"paused": "pause", "open": "resume"}


def turn_campaign(
    store: Store,
    name: str,
    state: State,
    *,
    who: str = "",
    plan: FilePath | None = None,
    now: float | None = None,
) -> None:
    """Open, pause, stop or close a campaign; its plan's ledger has all of it but the stop.

    What a campaign is gets frozen there before it opens for the first time. To close a campaign
    before its plan is concluded names the systems: that is an unblinding.
    """
    row = store.campaign(name)
    if state == "open" and row.state == "draft" and has_plan(row):
        freeze_campaign(store, name, plan_of(store, name, plan))
    if state == "concluded" and row.state == "stopped" and has_plan(row):
        unblind(store, name, who=who, reason="closed without a conclusion", plan=plan)
    store.turn(name, state, detail={"who": who} if who else {}, now=now)
    event = _EVENTS.get(state)
    if event is not None and row.state != "draft" and has_plan(row):
        record_event(plan_of(store, name, plan), event, {"who": who})


def unblind(
    store: Store, name: str, *, who: str, reason: str, plan: FilePath | None = None
) -> None:
    """Write down who wants to know which system is which before the end, and why.

    The ledger comes first: whoever is shown anything afterwards has left a trace.
    """
    row = store.campaign(name)
    if not reason.strip():
        raise InputError("`unblind` must say why the systems are to be named; got nothing.")
    if row.state == "concluded":
        return
    detail = {"who": who, "reason": reason.strip()}
    if has_plan(row):
        record_event(plan_of(store, name, plan), "unblinding", detail)
    store.log(name, "unblinding", detail)


def conclude_campaign(
    store: Store,
    name: str,
    *,
    plan: FilePath | None = None,
    at_once: bool = False,
    force: bool = False,
    now: float | None = None,
) -> Conclusion:
    """Conclude a campaign whose last look said stop, with all work that counts.

    Work that is still out may be finished until the time of grace is over; then it is cut, what has
    too few controls is decided by the rule for few, and the plan is concluded. Lines that were
    admitted after the stop take part by the inference for judgments that come late. After an
    undecided end they do not: the plan ended with the lines that it names.

    Parameters
    ----------
    at_once : bool
        Do not wait for work that is still out.
    force : bool
        Replace an earlier conclusion that said something else.
    """
    state = campaign_ledger(store, name, plan)
    frozen = state.plan
    when = time.time() if now is None else now
    settle(store, name, state, now=now)
    row = store.campaign(name)
    if row.state == "draft" or not state.entries or _going(state):
        raise DataError(
            f"{name} is {row.state}, and no look has said stop. Wait for the next look, or end it "
            f"with a last one (detectable campaign look {name} --final)."
        )
    if row.state in ("open", "paused"):  # the advice to give up is taken
        stop(store, name, state, now=now)
    if row.state != "concluded":
        _require_quiet(store, name, when, at_once=at_once)
        store.cut(name, now=when)
        decide_admissions(store, name, plan=frozen.path, ending=True, now=now)
    work = CampaignWork.read(store, name, frozen.scale)
    data = work.decided(
        state, counted_units(state, work), left_out="beyond the end of the plan"
    )
    if row.state != "concluded":
        record_admission(frozen, data)
    made = conclude(frozen, data, force=force)
    if row.state != "concluded":
        record_event(frozen, "final", _final(frozen, work))
        store.turn(name, "concluded", now=now)
    return made


def counted_units(state: LedgerState, work: CampaignWork) -> list[Unit]:
    """Return the lines that the conclusion counts: all, but for an undecided end.

    There all of the error rate is spent: the lines that the plan asked for were the evaluation,
    and what was admitted beside them is no part of it.
    """
    last = {pair: looks[-1] for pair, looks in state.history.items()}
    if not any(look.decision == "stop: undecided" for look in last.values()):
        return work.units
    # All that looks have seen: pairs that are judged on pages of their own differ in their numbers.
    return work.first_of({pair: look.n_units for pair, look in last.items()})


def _going(state: LedgerState) -> bool:
    """Say whether a pair is open; one that was only advised to give up is not."""
    return bool(state.open_pairs()) and not state.finished()


def _require_quiet(store: Store, name: str, now: float, *, at_once: bool) -> None:
    n_out = store.status(name)["leased"]
    if not n_out or at_once:
        return
    grace = CampaignSettings.from_json(store.campaign(name).settings).grace
    stopped = max(at for at, event, _ in store.events(name) if event == "stopped")
    if 0.0 <= now - stopped < grace:
        minutes = max(1, round((stopped + grace - now) / 60.0))
        raise DataError(
            f"{name}: {count(n_out, 'piece')} of work may still be finished, for "
            f"{count(minutes, 'minute')}. Conclude then, or now without it (--at-once)."
        )


def _final(plan: Plan, work: CampaignWork) -> dict[str, Any]:
    """Return what the ledger says of the end: the lines that count, and a hash of the verdict."""
    digest = hashlib.sha256(plan.conclusion_path.read_bytes()).hexdigest()
    return {"units": len(work.units), "conclusion": digest}
