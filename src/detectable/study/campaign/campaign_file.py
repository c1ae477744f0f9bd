"""What a campaign is and what happened to it, as one file beside its judgments.

With the judgments it is all that is needed to compute every look again (`replay_export`): the plan,
the ledger with its chain of fingerprints, and the key of the hashes in it.
"""

import json
from collections.abc import Mapping
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.store.store import Store
from detectable.study.campaign.look_now import campaign_looks
from detectable.study.campaign.plan_of import has_plan, plan_of
from detectable.study.monitoring.ledger import LedgerState

FORMAT = 1
MARK = "detectable_campaign"


def campaign_file(
    store: Store, name: str, *, named: bool, plan: FilePath | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return the text of the file, and a note if the plan is not where it was.

    Parameters
    ----------
    named : bool
        Whether systems may be told apart: after the conclusion, or after an unblinding that was
        written down. Until then there is no ledger, which holds estimates, and no key.
    """
    row = store.campaign(name)
    content: dict[str, Any] = {
        MARK: FORMAT,
        "name": name,
        "state": row.state,
        "systems": list(row.systems),
        # Where the plan was on this machine is nobody's business.
        "settings": {key: value for key, value in row.settings.items() if key != "plan_path"},
        "plan": None,
        "ledger": None,
        "key": row.salt if named else None,
        "late": sum(one.orphan for one in store.rows(name)),
        "looks": [one.to_json() for one in campaign_looks(store, name)],
    }
    notes: tuple[str, ...] = ()
    if has_plan(row):
        try:
            frozen = plan_of(store, name, plan)
            content["plan"] = read_json(frozen.path)
            if named:
                content["ledger"] = list(LedgerState.read(frozen).lines)
        except DataError as error:
            notes = (f"The plan is not in the file: {error}",)
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", notes


def is_campaign_file(content: Any) -> bool:
    """Say whether the content of a JSON file is that of a campaign."""
    return isinstance(content, Mapping) and MARK in content
