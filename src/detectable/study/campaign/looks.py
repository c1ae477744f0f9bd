"""Looks at a campaign: by themselves where the plan has them, or now; each exactly once.

The ledger of the plan is the truth. Whoever wants to look holds its lock, reads it, and finds out
again what is due; so two servers on one store run a look once. What a look means for the campaign
(stop, which systems are needed) follows from the ledger alone, and is done again by the next caller
if somebody was killed in between.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detectable.core.choices import Reveal
from detectable.core.errors import (
    BusyError,
    DataError,
    DetectableError,
    InputError,
    RefusedError,
)
from detectable.core.result import to_json
from detectable.core.wording import count
from detectable.data.files.place import FilePath
from detectable.data.store.admissions import finished_at
from detectable.data.store.open_store import open_store
from detectable.data.store.store import Store
from detectable.sequential.families import spending_families
from detectable.sequential.many_pairs import needed_systems
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.withdraw import settle_withdrawals
from detectable.study.campaign.work import (
    MOST_FAILED,
    AdmissionRule,
    CampaignWork,
    Unit,
    campaign_ledger,
    plan_of,
    require_as_frozen,
)
from detectable.study.monitoring.admission import DecidedWork
from detectable.study.monitoring.ledger import LedgerState, Pair, decision_of
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_context import OneClusterError
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import record_event


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedPair:
    """What a look decided about one pair.

    Attributes
    ----------
    interval : (float or None, float or None) or None
        Of the difference, valid at all looks together, where the campaign was frozen to tell it;
        None for an end that is open, and while there is no interval.
    z, e_value : float or None
        What was compared with the boundary, likewise; the second for anytime-valid tests.
    """

    system: str
    baseline: str
    decision: str
    interval: tuple[float | None, float | None] | None = None
    z: float | None = None
    e_value: float | None = None

    @property
    def told(self) -> bool:
        """Whether any number is told."""
        return (self.interval, self.z, self.e_value) != (None, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLook:
    """One look.

    Attributes
    ----------
    n_units : int
        Lines that the looked-at pairs had, the most of them.
    judgments : int
        Judgments behind the look.
    pairs : tuple of DecidedPair
        Those that were open before it.
    """

    look: int
    time: str
    decision: str
    n_units: int
    judgments: int
    pairs: tuple[DecidedPair, ...]

    @property
    def stops(self) -> bool:
        """Whether nothing is left to be judged for; futility is advice, and stops nothing."""
        return decision_of(self.decision).ends

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the store."""
        plain: dict[str, Any] = to_json(
            {
                "look": self.look,
                "time": self.time,
                "decision": self.decision,
                "n_units": self.n_units,
                "judgments": self.judgments,
                "pairs": [_plain(one) for one in self.pairs],
            }
        )
        return plain

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CampaignLook":
        """Return what a store kept."""
        pairs = tuple(
            DecidedPair(
                system=system,
                baseline=baseline,
                decision=decision,
                **_told(more[0] if more else {}),
            )
            for system, baseline, decision, *more in kept["pairs"]
        )
        return cls(**{**kept, "pairs": pairs})

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], *, reveal: Reveal) -> "CampaignLook":
        """Return what may be told of a look in a ledger."""
        return cls(
            look=int(entry["look"]),
            time=str(entry["time"]),
            decision=str(entry["decision"]),
            n_units=max(int(row["n_units"]) for row in entry["pairs"]),
            judgments=int(entry["judgments"]),
            pairs=tuple(
                DecidedPair(
                    system=row["system"],
                    baseline=row["baseline"],
                    decision=row["decision"],
                    **_told(row if reveal == "full" else {}),
                )
                for row in entry["pairs"]
            ),
        )


def _plain(one: DecidedPair) -> list[Any]:
    told = {"interval": one.interval, "z": one.z, "e_value": one.e_value}
    known = {name: value for name, value in told.items() if value is not None}
    return [one.system, one.baseline, one.decision, *([known] if known else [])]


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says of interval and statistic."""
    interval = row.get("interval")
    return {
        "interval": None if interval is None else (interval[0], interval[1]),
        "z": row.get("z"),
        "e_value": row.get("e_value"),
    }


# --- Looks at a campaign: by themselves where the plan has them, or now; each exactly once ---
#
# The ledger of the plan is the truth. Whoever wants to look holds its lock, reads it, and finds out
# again what is due; so two servers on one store run a look once. What a look means for the campaign
# (stop, which systems are needed) follows from the ledger alone, and is done again by the next caller
# if somebody was killed in between.

_RUNNING = ("open", "paused")
LOOK_FAILED = "look failed"  # in the events of a campaign
LOOK_LEFT_OUT = "look left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class DueLook:
    """A look that is due.

    Attributes
    ----------
    at : int
        With how many units of every open pair it comes.
    n_units : int
        How many there are.
    """

    look: int
    at: int
    n_units: int


class _NotDueError(Exception):
    """Somebody else has done it meanwhile."""


def decide_admissions(
    store: Store,
    name: str,
    *,
    plan: FilePath | None = None,
    ending: bool = False,
    now: float | None = None,
) -> int:
    """Decide the finished work that can be decided, and return how many pieces were.

    Parameters
    ----------
    ending : bool
        Whether no more controls will come: the rest is decided by the rule for few.
    """
    rule = _rule(store, name, plan)
    found = store.decide(name, rule, most_failed=MOST_FAILED, ending=ending, now=now)
    return sum(len(one.works) for one in found)


def awaits_decision(store: Store, name: str, *, plan: FilePath | None = None) -> bool:
    """Say whether finished work is about to be decided, by whoever looks after the campaign."""
    return store.is_decidable(name, _rule(store, name, plan))


def _rule(store: Store, name: str, plan: FilePath | None) -> AdmissionRule:
    settings = CampaignSettings.from_json(store.campaign(name).settings)
    return AdmissionRule(plan_of(store, name, plan), mixed=settings.mixed_controls)


def due_look(store: Store, name: str, *, plan: FilePath | None = None) -> DueLook | None:
    """Return the look that is due, or None."""
    if store.campaign(name).state not in _RUNNING:
        return None
    state = campaign_ledger(store, name, plan)
    pairs = open_pairs(store, name, state)
    at = next_number(state, pairs, left_out=left_out(store, name))
    if at is None:
        return None
    n_units = units_so_far(store, name, pairs)
    return DueLook(look=state.n_looks + 1, at=at, n_units=n_units) if n_units >= at else None


def units_so_far(store: Store, name: str, pairs: Sequence[Pair]) -> int:
    """Return the number of units that every one of these pairs has, without reading a judgment."""
    lines = store.complete_lines(name)
    return min(sum(n for own, n in lines.items() if own.issuperset(pair)) for pair in pairs)


def next_number(
    state: LedgerState, pairs: Sequence[Pair], *, left_out: Collection[int] = ()
) -> int | None:
    """Return the number of units at which the next look runs by itself; None if none does.

    Parameters
    ----------
    left_out : collection of int
        Numbers at which no look can be made.
    """
    plan = state.plan
    if not pairs or plan.n_max is None or plan.anytime:
        return None
    last = [looks[-1].n_units for pair in pairs if (looks := state.history[pair])]
    ahead = (n for n in planned_numbers(plan) if n > max(last, default=0))
    return next((n for n in ahead if n not in left_out), None)


def left_out(store: Store, name: str) -> frozenset[int]:
    """Return the planned numbers of units at which a look could not be made.

    Its units, the first that were admitted, all came from one document. More would not change
    that, so the look that follows is the next one. What was scored has no part in it.
    """
    return frozenset(
        int(detail["units"])
        for _, event, detail in store.events(name)
        if event == LOOK_LEFT_OUT
    )


def planned_numbers(plan: Plan) -> list[int]:
    """Return the numbers of units at which looks run by themselves; the last is the end."""
    return [round(share * float(plan.n_max or 0)) for share in plan.planned_shares()]


def run_due_look(
    store: Store, name: str, *, plan: FilePath | None = None, now: float | None = None
) -> CampaignLook | None:
    """Decide what waits, and run the look that is due; None if there is none.

    Any process may call it at any time: a look is run by one of them.
    """
    ledger = campaign_ledger(store, name, plan)
    frozen = ledger.plan
    settle(store, name, ledger, now=now)
    if store.campaign(name).state not in _RUNNING:
        return None
    decide_admissions(store, name, plan=frozen.path, now=now)
    due = due_look(store, name, plan=frozen.path)
    if due is None:
        return None
    try:
        return _run(store, name, frozen, final=False, planned=True, now=now)
    except (BusyError, _NotDueError):
        return None
    except OneClusterError as error:
        if due.at >= planned_numbers(frozen)[-1]:
            _write_down_failure(store, name, ledger.n_looks + 1, str(error))
            raise
        store.log(name, LOOK_LEFT_OUT, {"units": due.at, "reason": str(error)})
        return run_due_look(store, name, plan=plan, now=now)
    except DetectableError as error:
        _write_down_failure(store, name, ledger.n_looks + 1, str(error))
        raise


def _write_down_failure(store: Store, name: str, number: int, reason: str) -> None:
    """Tell organisers why a look that was due could not be made: once, not at every attempt."""
    detail = {"look": number, "reason": reason}
    if (LOOK_FAILED, detail) not in ((event, kept) for _, event, kept in store.events(name)):
        store.log(name, LOOK_FAILED, detail)


def run_due_look_at(address: str | Path, name: str) -> CampaignLook | None:
    """Run the due look of a campaign in the store of an address, as in another process."""
    store = open_store(address)
    try:
        return run_due_look(store, name)
    finally:
        store.close()


def look_now(
    store: Store,
    name: str,
    *,
    plan: FilePath | None = None,
    final: bool = False,
    now: float | None = None,
) -> CampaignLook:
    """Look at all that is admitted, where the plan allows a look at any time.

    Parameters
    ----------
    final : bool
        Declare it the last look. Work with too few controls is then decided by the rule for few,
        and the campaign stops. The error rate holds if the reason has nothing to do with results.
    """
    ledger = campaign_ledger(store, name, plan)
    frozen = ledger.plan
    settle(store, name, ledger, now=now)
    state = store.campaign(name).state
    if ledger.finished():
        raise DataError(
            f"{name} is {state}: look {ledger.n_looks} was the last. Conclude it "
            f"(detectable campaign conclude {name})."
        )
    if state not in (*_RUNNING, "stopped") or (state == "stopped" and not final):
        raise DataError(
            f"{name} is {state}: no look is due any more. Conclude it, after a last look (--final) "
            "if it was stopped by hand."
        )
    if frozen.planned_units() is not None and not final:
        numbers = ", ".join(map(str, planned_numbers(frozen)))
        raise DataError(
            f"the plan of {name} looks at {numbers} units only, by itself; a plan with "
            f"{spending_families()} could look at any time. End it with a last look (--final)."
        )
    decide_admissions(store, name, plan=frozen.path, ending=final, now=now)
    try:
        return _run(store, name, frozen, final=final, planned=False, now=now)
    except _NotDueError as error:
        raise BusyError(
            f"{name}: another process is looking at it now. Wait until it has finished."
        ) from error


def go_on(
    store: Store, name: str, *, who: str, reason: str, plan: FilePath | None = None
) -> None:
    """Go on although the last look said that a decision is unlikely; it is written down."""
    state = campaign_ledger(store, name, plan)
    if not reason.strip():
        raise InputError("`reason` must say why it goes on; got nothing.")
    if state.finished() or state.open_pairs() or not state.open_pairs(overrule_futility=True):
        raise DataError(
            f"{name}: the last look did not advise to give up, so nothing is to do."
        )
    detail = {"look": state.n_looks, "who": who, "reason": reason.strip()}
    store.log(name, "go on", detail)


def campaign_looks(store: Store, name: str) -> tuple[CampaignLook, ...]:
    """Return the looks at a campaign, oldest first: what its organisers may know of them."""
    store.campaign(name)
    return tuple(CampaignLook.from_json(one) for one in store.looks(name))


def settle(store: Store, name: str, state: LedgerState, *, now: float | None = None) -> None:
    """Bring the campaign to where the ledger says it is; again if somebody was killed."""
    settle_withdrawals(store, name, state)
    known = len(store.looks(name))
    if known > state.n_looks:  # the ledger was read before another process looked
        state = LedgerState.read(state.plan)
    reveal = _reveal(store, name)
    for entry in state.entries[known:]:
        made = CampaignLook.from_entry(entry, reveal=reveal)
        store.end_look(name, made.look, made.to_json())
    if known > state.n_looks:
        raise DataError(
            f"{state.plan.ledger_path}: the store knows {count(known, 'look')} at {name}, and the "
            f"ledger {state.n_looks}. Put back the ledger that was written."
        )
    row = store.campaign(name)
    if row.state not in _RUNNING or not state.entries:
        return
    pairs = open_pairs(store, name, state)
    if pairs and not state.finished():
        # Systems in the order in which the campaign names them.
        needed = tuple(one for one in row.systems if one in needed_systems(pairs))
        if store.need(name, needed, now):
            record_event(state.plan, "needed", {"systems": list(needed)})
    elif not _is_advice(state):
        stop(store, name, state, now=now)


def stop(store: Store, name: str, state: LedgerState, *, now: float | None) -> None:
    """Stop a campaign after its last look, unless another process has done so."""
    try:
        store.turn(name, "stopped", detail={"look": state.n_looks}, now=now)
    except RefusedError:
        if store.campaign(name).state in _RUNNING:
            raise


def _is_advice(state: LedgerState) -> bool:
    """Say whether what is left was given up only because a decision became unlikely."""
    return not state.finished() and bool(state.open_pairs(overrule_futility=True))


def open_pairs(store: Store, name: str, state: LedgerState) -> list[Pair]:
    """Return the pairs that looks go on with; those given up, if the organiser goes on."""
    if state.finished():
        return []
    return state.open_pairs(overrule_futility=overruled(store, name, state))


def overruled(store: Store, name: str, state: LedgerState) -> bool:
    """Say whether the organiser goes on against the advice of the last look."""
    return any(
        event == "go on" and detail["look"] == state.n_looks
        for _, event, detail in store.events(name)
    )


def _run(
    store: Store, name: str, plan: Plan, *, final: bool, planned: bool, now: float | None
) -> CampaignLook:
    before = LedgerState.read(plan)
    mine: list[int] = []

    def data(frozen: Plan) -> DecidedWork:
        """Find out what is to be looked at, when nobody else can look."""
        state = LedgerState.read(frozen)
        require_as_frozen(store, name, state)
        settle_withdrawals(store, name, state)
        work = CampaignWork.read(store, name, frozen.scale)
        pairs = open_pairs(store, name, state)
        leaving = left_out(store, name)
        units = _units(state, work, pairs, planned=planned, leaving=leaving)
        if not units and frozen.admission is None:
            raise DataError(
                f"{name}: no work is finished yet, so there is nothing to look at. Wait for more."
            )
        number = state.n_looks + 1
        if not store.begin_look(name, number, now):
            raise _NotDueError
        mine.append(number)
        return work.decided(state, units)

    try:
        look(plan, data, final=final, overrule_futility=overruled(store, name, before))
    except BaseException:
        for number in mine:
            store.leave_look(name, number)
        raise
    state = LedgerState.read(plan)
    settle(store, name, state, now=now)
    return CampaignLook.from_entry(state.entries[-1], reveal=_reveal(store, name))


def _reveal(store: Store, name: str) -> Reveal:
    """Return what organisers may know of looks."""
    return CampaignSettings.from_json(store.campaign(name).settings).reveal


def _units(
    state: LedgerState,
    work: CampaignWork,
    pairs: Sequence[Pair],
    *,
    planned: bool,
    leaving: Collection[int],
) -> list[Unit]:
    if not planned:
        at = state.plan.n_max
        if at is None or not pairs:
            return work.units
    else:
        at = next_number(state, pairs, left_out=leaving)
        if at is None or work.n_units(pairs) < at:
            raise _NotDueError
    # Of pairs that are decided, what their last look saw.
    seen = {pair: looks[-1].n_units for pair, looks in state.history.items() if looks}
    return work.first_of({**seen, **dict.fromkeys(pairs, at)})


# --- When the next look is to be expected, if raters go on as they do now ---

_WINDOW = 6 * 3600.0  # seconds that are looked back
_FEWEST = 3  # pieces of work that make a pace


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The pace of a campaign.

    Attributes
    ----------
    works_per_hour : float or None
        Pieces of work finished, since the first within the last six hours; None for fewer than 3.
    next_look : float or None
        When the next look is to be expected, in unix seconds; None if it cannot be said.
    """

    works_per_hour: float | None
    next_look: float | None


def forecast(
    store: Store, name: str, *, n_units: int, wanted: int | None, now: float | None = None
) -> Forecast:
    """Return the pace, and when so many units are to be expected.

    Every piece of work so far brought ``n_units / done`` units, admission and all; the rest is
    taken to bring as much.

    Parameters
    ----------
    n_units : int
        That count so far.
    wanted : int, optional
        Units of the next look.
    """
    when = time.time() if now is None else now
    done = store.status(name)["works_done"]
    times = finished_at(store, name, when - _WINDOW)
    if len(times) < _FEWEST or when <= times[0]:
        return Forecast(works_per_hour=None, next_look=None)
    # The first one opens the clock: what led to it came before.
    per_second = (len(times) - 1) / (when - times[0])
    missing = None if wanted is None else max(0, wanted - n_units)
    next_look = None
    if missing is not None and n_units and done:
        next_look = when + missing / (per_second * n_units / done)
    return Forecast(works_per_hour=3600.0 * per_second, next_look=next_look)
