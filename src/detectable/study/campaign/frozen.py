"""What a campaign is, frozen into the ledger of its plan when it opens.

A plan is frozen before there is a campaign, and one plan can be tried in several drafts. So the
block about the campaign is not in the plan file, which nothing may change any more: it is a line of
the plan's ledger, written when the campaign first opens. Every line carries the fingerprint of the
line before it, so the block is in the same chain as plan, admissions and looks.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.ledger_file import fingerprint
from detectable.data.files.place import FilePath
from detectable.data.store.records import CampaignRow
from detectable.data.store.store import Store
from detectable.study.campaign.plan_of import plan_of
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.ledger_events import record_event
from detectable.study.monitoring.plan import Plan

_WORDS = {"key": "its key", "settings": "what raters are asked or shown"}


def campaign_block(row: CampaignRow, plan: Plan) -> dict[str, Any]:
    """Return what is frozen: what is asked, which work counts, when looks come, who sees what.

    ``settings`` is a fingerprint of all settings as the store has them, and ``key`` one of the key
    that the hashes of rows are made with: another campaign of the same name has another one.
    """
    settings = CampaignSettings.from_json(row.settings)
    shares = None if plan.anytime else [float(share) for share in plan.planned_shares()]
    return {
        "name": row.name,
        "protocol": settings.protocol,
        "mode": settings.mode,
        "presentation": "together" if settings.asks.together else "apart",
        "primary": settings.primary or "score",
        "controls": settings.controls,
        "overlap": settings.overlap,
        "admission": None if plan.admission is None else dict(plan.admission),
        "looks": {"at": shares, "auto": shares is not None},
        "reveal": settings.reveal,
        "grace_minutes": settings.grace_minutes,
        "settings": fingerprint(row.settings),
        "key": hashlib.sha256(row.salt.encode()).hexdigest()[:16],
    }


def freeze_campaign(store: Store, name: str, plan: Plan) -> None:
    """Write down what a campaign is, before it opens; a second time does no harm."""
    state = LedgerState.read(plan)
    if frozen_block(state) is not None:
        require_as_frozen(store, name, state)
        return
    if state.entries:
        raise DataError(
            f"{plan.ledger_path}: this plan was looked at with a table, not by a campaign. Go on "
            "with tables, or make a new plan for the campaign."
        )
    record_event(plan, "campaign", campaign_block(store.campaign(name), plan))


def frozen_block(state: LedgerState) -> Mapping[str, Any] | None:
    """Return what was frozen; None before that, and in ledgers of earlier versions."""
    return next(
        (line["detail"] for line in state.lines if line.get("event") == "campaign"), None
    )


def require_as_frozen(store: Store, name: str, state: LedgerState) -> None:
    """Refuse a campaign that is not what it was when it opened."""
    kept = frozen_block(state)
    if kept is None:
        return
    if kept["name"] != name:
        raise DataError(
            f"{state.plan.path}: this plan belongs to the campaign {kept['name']}, which opened "
            f"with it. Make a new plan for {name}."
        )
    now = campaign_block(store.campaign(name), state.plan)
    for part, value in kept.items():  # a later version may freeze more
        if now.get(part) == value:
            continue
        what = _WORDS.get(part)
        told = (
            f"{part} is {now.get(part)}, and was {value}" if what is None else f"{what} changed"
        )
        raise DataError(
            f"{name} is not what it was when it opened: {told}. Put back the store that belongs to "
            f"{state.plan.ledger_path}."
        )


def campaign_ledger(store: Store, name: str, plan: FilePath | None = None) -> LedgerState:
    """Return the ledger of a campaign's plan, and refuse a campaign that is another one now."""
    state = LedgerState.read(plan_of(store, name, plan))
    require_as_frozen(store, name, state)
    return state
