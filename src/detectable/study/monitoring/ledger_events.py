"""What happened to a plan besides looks: written into its ledger, and read from it."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from detectable.core.wording import count
from detectable.data.files.ledger_file import append_entry, locked
from detectable.study.monitoring.admission import DecidedWork, decided_before
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_data import with_controls

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


def record_event(plan: Plan, event: Event, detail: Mapping[str, Any]) -> None:
    """Add a line to the ledger of a plan, after waiting for whoever is looking."""
    with locked(plan.ledger_path, wait=True):
        state = LedgerState.read(plan)
        _append(state, {"event": event, "detail": dict(detail)})


def record_admission(plan: Plan, work: DecidedWork) -> None:
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
