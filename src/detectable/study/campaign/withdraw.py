"""Take back the work of a rater: fraud that is proven from outside, or a wish to be deleted.

The ledger comes first, then the store. What somebody was killed in between is done again before the
next look, which therefore never sees what the ledger says is not to be seen.
"""

from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.data.files.place import FilePath
from detectable.data.human.cells import ORDINARY
from detectable.data.store.records import WorkEpoch
from detectable.data.store.store import Store
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import (
    CampaignWork,
    campaign_judgments,
    campaign_ledger,
    has_plan,
    seen_work,
)
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_input import with_controls
from detectable.study.monitoring.plan_history import ledger_events, record_event
from detectable.study.monitoring.seen_rows import hash_rows


def void_rater(
    store: Store,
    name: str,
    rater: str,
    *,
    who: str,
    reason: str,
    evidence: str,
    plan: FilePath | None = None,
) -> None:
    """Let no work of a rater count that no look has seen, because of what they did.

    The plan goes on: what is left out does not depend on what it says. So the reason must not be a
    score; who voids says in words how it is known, and the ledger and the conclusion repeat it.
    What a look has seen stays in the evaluation, and the conclusion also says what came out
    without it.

    Parameters
    ----------
    reason : str
        What the rater did: two accounts, a script.
    evidence : str
        How that is known without looking at any score.
    """
    for option, given, what in (
        ("reason", reason, "what the rater did"),
        ("evidence", evidence, "how it is known; a score is no evidence, controls judge work"),
    ):
        if not given.strip():
            raise InputError(f"`{option}` must say {what}; got nothing.")
    row = store.campaign(name)
    if row.state == "concluded":
        raise DataError(
            f"{name} is concluded, and its verdict stands. Publish what you know beside it."
        )
    if rater in store.voided(name):
        raise DataError(f"the work of {rater} in {name} was voided before.")
    detail = {"who": who, "reason": reason.strip(), "evidence": evidence.strip()}
    store.change_rater(name, rater, "revoked")  # nothing more comes in meanwhile
    if not has_plan(row):
        store.void(name, rater, (), detail)
        return
    state = campaign_ledger(store, name, plan)
    record_event(state.plan, "void", {"rater": rater, **detail})
    settle_withdrawals(store, name, LedgerState.read(state.plan))


def erase_rater(
    store: Store, name: str, rater: str, *, who: str, plan: FilePath | None = None
) -> int:
    """Delete all judgments of a rater who asks for it, and return how many there were.

    The ledger lists their hashes, made with the key of the campaign: these rows may be gone at the
    next look, and no others.
    """
    row = store.campaign(name)
    store.change_rater(name, rater, "revoked")  # nothing more comes in meanwhile
    if not has_plan(row):
        return store.erase(name, rater, (), {"who": who})
    state = campaign_ledger(store, name, plan)
    work = CampaignWork.read(store, name, CampaignSettings.from_json(row.settings).scale)
    n = sum(one.rater == rater for one in work.rows)
    if n:
        hashes = _hashes(work, state, rater)
        record_event(
            state.plan, "erasure", {"rater": rater, "who": who, "judgments": n, **hashes}
        )
        settle_withdrawals(store, name, LedgerState.read(state.plan))
    else:  # who the rater is goes all the same
        store.erase(name, rater, (), {"who": who})
    return n


def settle_withdrawals(store: Store, name: str, state: LedgerState) -> None:
    """Do in the store what the ledger says of raters; what is done already stays."""
    events = [one for one in ledger_events(state.lines) if one.event in ("void", "erasure")]
    if not events:
        return
    voided = store.voided(name)
    erased = {one["rater"] for _, event, one in store.events(name) if event == "erasure"}
    late = [
        one
        for one in events
        if one.detail["rater"] not in (voided if one.event == "void" else erased)
    ]
    if not late:
        return
    seen: set[WorkEpoch] = seen_work(CampaignWork.read(store, name, state.plan.scale), state)
    for one in late:
        detail = {k: v for k, v in one.detail.items() if k in ("who", "reason", "evidence")}
        change = store.void if one.event == "void" else store.erase
        change(name, one.detail["rater"], seen, detail)


def _hashes(work: CampaignWork, state: LedgerState, rater: str) -> dict[str, Any]:
    """Return the hashes of what is deleted, as looks and as admissions know it."""
    if not any(row.rater == rater and row.score is not None for row in work.finished):
        return {"rows": "", "work": ""}
    judgments = campaign_judgments(
        work.finished, work.scale, name=work.name, weights=work.weights
    )
    read = with_controls(state.plan, judgments)
    raters = read.column("rater")
    mine = raters.codes == raters.levels.index(rater)
    return {
        "rows": hash_rows(read, key=work.key).pack(mine & read.is_kind(*ORDINARY)),
        "work": hash_rows(read, kinds=True, key=work.key).pack(mine),
    }
