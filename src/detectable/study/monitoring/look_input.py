"""What a look is given: the judgments that count, and what was decided about the others."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.study.monitoring.admission import (
    Admission,
    DecidedWork,
    admit,
    decided_before,
)
from detectable.study.monitoring.deleted_rows import deleted
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_data import own_output, with_controls
from detectable.study.monitoring.seen_rows import RowHashes, first_seen, hash_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LookInput:
    """The data of one look or of a conclusion.

    Attributes
    ----------
    judgments : Judgments
        What counts, without controls.
    hashes, seen
        Of its rows, and the look that saw each first.
    all_work : Judgments or None
        Admitted or not, where the plan admits.
    keyed : bool
        Whether the hashes were made with the key of a campaign.
    """

    judgments: Judgments
    hashes: RowHashes
    seen: NDArray[np.int64]
    admission: Admission | None
    all_work: Judgments | None
    keyed: bool


def look_input(state: LedgerState, data: Any, *, ending: bool) -> LookInput:
    """Read the data of a look, and leave out what the plan does not admit.

    Parameters
    ----------
    data
        As for `look`; or the work of a campaign, which has decided already.
    ending : bool
        Whether no more controls will come.
    """
    if callable(data):
        data = data(state.plan)
    if isinstance(data, DecidedWork):
        return _decided(state, data)
    require_no_key(state)
    read = with_controls(state.plan, data)
    rule = state.plan.admission
    if rule is None:
        return _input(state, own_output(read))
    admission = admit(rule, read, state.plan.systems, state.lines, ending=ending)
    made = _input(state, own_output(admission.admitted()))
    return replace(made, admission=admission, all_work=own_output(read))


def require_no_key(state: LedgerState) -> None:
    """Refuse a table where a campaign has looked: its rows cannot be told without the key."""
    if any(entry.get("keyed") for entry in state.entries):
        raise DataError(
            f"{state.plan.ledger_path}: these looks were run by a campaign, whose store has the "
            "key of their hashes. Go on with the campaign (`detectable campaign look`, "
            "`detectable campaign conclude`)."
        )


def _decided(state: LedgerState, work: DecidedWork) -> LookInput:
    if any(not entry.get("keyed") for entry in state.entries):
        raise DataError(
            f"{state.plan.ledger_path}: this plan was looked at with a table, not by a campaign. "
            "Go on with tables, or make a new plan for the campaign."
        )
    read = with_controls(state.plan, work.judgments)
    admission = None
    if state.plan.admission is not None:
        admission = decided_before(work, read, state.lines)
        admission.admitted()  # says that none is, rather than that there are no judgments
    made = _input(state, own_output(read.take(work.shown)), key=work.key)
    if admission is None:
        return made
    everything = own_output(with_controls(state.plan, work.all_work))
    return replace(made, admission=admission, all_work=everything)


def _input(state: LedgerState, judgments: Judgments, *, key: str = "") -> LookInput:
    hashes = hash_rows(judgments, key=key)
    return LookInput(
        judgments=judgments,
        hashes=hashes,
        seen=first_seen(judgments, hashes, state.entries, gone=deleted(state.lines, "rows")),
        admission=None,
        all_work=None,
        keyed=bool(key),
    )
