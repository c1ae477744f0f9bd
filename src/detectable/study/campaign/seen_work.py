"""Which work of a campaign a look has seen, by the hashes of its ledger."""

import numpy as np

from detectable.data.human.ordinary import ORDINARY
from detectable.data.store.withdrawals import WorkEpoch
from detectable.study.campaign.campaign_judgments import campaign_judgments
from detectable.study.campaign.campaign_work import CampaignWork
from detectable.study.monitoring.deleted_rows import deleted
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_data import with_controls
from detectable.study.monitoring.seen_rows import first_seen, hash_rows


def seen_work(work: CampaignWork, state: LedgerState) -> set[WorkEpoch]:
    """Return the pieces of work of which a look has seen a row."""
    rows = [row for row in work.finished if row.score is not None]
    if not state.entries or not rows:
        return set()
    read = with_controls(state.plan, campaign_judgments(rows, work.scale, name=work.name))
    own = np.flatnonzero(read.is_kind(*ORDINARY))
    shown = read.take(read.is_kind(*ORDINARY))
    hashes = hash_rows(shown, key=work.key)
    looks = first_seen(shown, hashes, state.entries, gone=deleted(state.lines, "rows"))
    return {(rows[i].work, rows[i].epoch) for i in own[looks > 0].tolist()}
