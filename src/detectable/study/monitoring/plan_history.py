"""A plan with all looks and other events: the audit trail as one result."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from detectable.core.result import Result, Signature, to_json
from detectable.core.wording import count
from detectable.data.files.ledger_file import append_entry, locked
from detectable.data.files.place import FilePath
from detectable.study.monitoring.admission import DecidedWork, decided_before
from detectable.study.monitoring.frozen_plan import Plan as FrozenPlan
from detectable.study.monitoring.ledger import LedgerState, PairLook, margin_level
from detectable.study.monitoring.look_input import with_controls
from detectable.study.monitoring.plan import Plan, read_plan

Event: TypeAlias = Literal[
    "campaign",  # what the campaign is, frozen when it opened
    "needed",  # only these systems are judged further
    "pause",  # no work is given out
    "resume",  # it is again
    "unblinding",  # somebody has seen which system is which before the end
    "void",  # work of a rater does not count any more, for a reason that is no score
    "erasure",  # the judgments of a rater were deleted on request
    "final",  # the conclusion was made
]
_ELSEWHERE = ("plan", "look", "admission")  # lines that are read by others


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEvent:
    """One line of a ledger that is no look."""

    time: str
    event: str
    after_look: int  # 0 before the first
    detail: Mapping[str, Any]


def record_event(plan: FrozenPlan, event: Event, detail: Mapping[str, Any]) -> None:
    """Add a line to the ledger of a plan, after waiting for whoever is looking."""
    with locked(plan.ledger_path, wait=True):
        state = LedgerState.read(plan)
        _append(state, {"event": event, "detail": dict(detail)})


def record_admission(plan: FrozenPlan, work: DecidedWork) -> None:
    """Write down what was admitted after the last look, before the conclusion that counts it."""
    if plan.admission is None:
        return
    with locked(plan.ledger_path, wait=True):
        state = LedgerState.read(plan)
        read = with_controls(plan, work.judgments)
        _append(state, decided_before(work, read, state.lines).entry())


def _append(state: LedgerState, content: Mapping[str, Any]) -> None:
    stamp = {
        "plan": state.plan.fingerprint,
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    append_entry(state.plan.ledger_path, {**content, **stamp}, state.lines)


def ledger_events(lines: Sequence[Mapping[str, Any]]) -> tuple[LedgerEvent, ...]:
    """Return the lines of a ledger that are neither looks nor admissions, oldest first."""
    found, look = [], 0
    for line in lines:
        event = line.get("event", "look")  # lines of format 1 are looks
        look += event == "look"
        if event not in _ELSEWHERE:
            found.append(
                LedgerEvent(
                    time=str(line["time"]),
                    event=event,
                    after_look=look,
                    detail=line.get("detail", {}),
                )
            )
    return tuple(found)


def voided_raters(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the raters whose work was voided."""
    return [one.detail["rater"] for one in ledger_events(lines) if one.event == "void"]


def void_notes(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say whose work was voided, by whom, why, and how that is known."""
    return [
        f"Work of {one.detail['rater']} was voided after {count(one.after_look, 'look')}, by "
        f"{one.detail['who'] or 'somebody'}: {one.detail['reason']} (known from: "
        f"{one.detail['evidence']})"
        for one in ledger_events(lines)
        if one.event == "void"
    ]


def unblinding_notes(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say who knew which system is which before the end, and why."""
    return [
        f"Systems were named before the end, after {count(one.after_look, 'look')}, by "
        f"{one.detail.get('who') or 'somebody'}: {one.detail.get('reason')}"
        for one in ledger_events(lines)
        if one.event == "unblinding"
    ]


# --- A plan with all looks at it: the audit trail as one result ---


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """One pair at one look."""

    look: int
    time: str
    pair: PairLook

    def to_json(self) -> dict[str, Any]:
        """Return one flat row, ready for a chart."""
        pair: dict[str, Any] = to_json(to_json(self.pair))  # once more for open intervals
        return {"look": self.look, "time": self.time, **pair}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One look as a whole, as the ledger holds it.

    Attributes
    ----------
    judgments, new_judgments : int
        Rows of the planned systems so far, and since the look before.
    declared, overruled : bool
        Whether the user declared it the last look, or went on against the advice to give up.
    fingerprint : str
        Of this entry and, through the chain, of all before it.
    """

    look: int
    time: str
    decision: str
    judgments: int
    new_judgments: int
    declared: bool
    overruled: bool
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionRow:
    """What was decided about the work of one rater, by its control items, before a look.

    Attributes
    ----------
    look : int or None
        The look after it; None after the last, before the conclusion.
    n_pairs : int
        Control items that spoke.
    n_judgments : int
        Judgments that they decided about.
    p_value : float or None
        None where there were too few of them to test.
    """

    look: int | None
    rater: str
    outcome: str
    n_pairs: int
    n_judgments: int
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanHistory(Result):
    """What was planned and what happened since."""

    plan: Plan
    looks: tuple[LookRow, ...]
    n_looks: int
    decision: str | None  # of the last look
    unit: str = field(default="item", repr=False, metadata={"bulk": "private"})
    entries: tuple[LedgerEntry, ...] = field(
        default=(), repr=False, metadata={"bulk": "private"}
    )

    admissions: tuple[AdmissionRow, ...] = field(
        default=(), repr=False, metadata={"bulk": "private"}
    )

    # What happened besides looks: pauses, systems that are not needed any more, unblinding.
    events: tuple[LedgerEvent, ...] = field(
        default=(), repr=False, metadata={"bulk": "private"}
    )
    # A campaign that is not concluded: decisions only, no estimates, unless it was unblinded or
    # frozen that looks are told in full.
    blind: bool = field(default=False, repr=False, metadata={"bulk": "private"})

    def of_pair(self, pair: tuple[str, str]) -> tuple[LookRow, ...]:
        """Return the looks at a pair, oldest first."""
        return tuple(row for row in self.looks if row.pair.pair == pair)


def plan_history(plan: Plan | FilePath) -> PlanHistory:
    """Return a plan with all looks in its ledger, checked entry by entry."""
    frozen = plan if isinstance(plan, Plan) else read_plan(plan)
    state = LedgerState.read(frozen)
    events = ledger_events(state.lines)
    found = history_of(frozen, state.entries)
    blind = _is_blind(state, events)
    return replace(
        found,
        looks=() if blind else found.looks,
        admissions=_admissions(state.lines, state.n_looks),
        events=events,
        blind=blind,
    )


def _is_blind(state: LedgerState, events: Sequence[LedgerEvent]) -> bool:
    """Say whether estimates are kept back: looks of a campaign that is not concluded.

    Who collects the judgments must not know the trend, unless it was frozen at the opening that
    looks are told in full. The ledger itself is a readable file: this
    prevents mistakes, not intent.
    """
    keyed = any(entry.get("keyed") for entry in state.entries)
    known = any(
        one.event in ("final", "unblinding")
        or (one.event == "campaign" and one.detail["reveal"] == "full")
        for one in events
    )
    return keyed and not known


def history_of(plan: Plan, entries: Sequence[Mapping[str, Any]]) -> PlanHistory:
    """Return a plan with the looks of some ledger entries, oldest first."""
    rows = tuple(
        LookRow(
            look=number,
            time=str(entry["time"]),
            pair=PairLook.from_entry(row, margin_level=margin_level(plan)),
        )
        for number, entry in enumerate(entries, start=1)
        for row in entry["pairs"]
    )
    return PlanHistory(
        plan=plan,
        looks=rows,
        n_looks=len(entries),
        decision=str(entries[-1]["decision"]) if entries else None,
        unit=str(entries[0]["unit"]) if entries else "item",
        entries=tuple(_entry(number, entry) for number, entry in enumerate(entries, start=1)),
        signature=Signature("plan-history", {"plan": plan.fingerprint[:12]}),
    )


def _admissions(lines: Sequence[Mapping[str, Any]], n_looks: int) -> tuple[AdmissionRow, ...]:
    """Return the lines about admission; each stands before the look that it was made for."""
    rows, look = [], 1
    for line in lines:
        if line.get("event", "look") == "look":
            look += 1
        elif line["event"] == "admission":
            after = look if look <= n_looks else None
            rows += [AdmissionRow(look=after, **one) for one in line["raters"]]
    return tuple(rows)


def _entry(number: int, entry: Mapping[str, Any]) -> LedgerEntry:
    return LedgerEntry(
        look=number,
        time=str(entry["time"]),
        decision=str(entry["decision"]),
        judgments=int(entry["judgments"]),
        new_judgments=int(entry["new_judgments"]),
        declared=bool(entry["declared"]),
        overruled=bool(entry["overruled"]),
        fingerprint=str(entry["fingerprint"]),
    )
