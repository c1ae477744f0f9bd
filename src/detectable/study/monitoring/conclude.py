"""Conclude a plan: what may be said after the last look."""

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.contrasts.claim import cut_intervals
from detectable.core.errors import DataError
from detectable.core.result import Signature
from detectable.core.wording import count
from detectable.core.write import write_whole
from detectable.data.files.place import FilePath
from detectable.inference.standard_errors import agreeing_interval
from detectable.sequential.look_statistic import LookStatistic
from detectable.sequential.many_pairs import e_holm
from detectable.study.monitoring.conclude_pair import (
    conclude_pair,
    interval_of_all,
    peak_e_values,
)
from detectable.study.monitoring.conclusion import (
    Conclusion,
    IntentionToRate,
    PairConclusion,
    WithoutVoided,
)
from detectable.study.monitoring.ledger import LedgerState, Pair
from detectable.study.monitoring.look_context import (
    AllWork,
    LookContext,
    all_work,
    kept_all_work,
    rater_scope,
    work_of_pairs,
)
from detectable.study.monitoring.look_input import look_input, require_no_key
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan_history import (
    history_of,
    unblinding_notes,
    void_notes,
    voided_raters,
)
from detectable.study.monitoring.seen_rows import deleted, erasure_notes


def conclude(plan: Plan | FilePath, data: Any = None, *, force: bool = False) -> Conclusion:
    """Return the verdicts of a plan that has stopped, with inference that knows of all looks.

    After a stop at a boundary or at the end: the p-value of the stagewise ordering, the
    median-unbiased estimate and its interval. After a stop for futility, for equivalence, or
    without new data, and for judgments that came after an undecided end: the repeated interval,
    which holds for any reason to stop, and no p-value.

    Parameters
    ----------
    plan : Plan or path
        A plan whose last look said stop.
    data : optional
        All judgments, as for `look`, if some came in after the stop: they are not dropped. The look of the stop
        is then replaced by one with all data, which spends nothing more. A decision can be taken
        back by it; an undecided end stays undecided.
    force : bool
        Replace an earlier conclusion that said something else.

    Notes
    -----
    The verdict is also written beside the plan, as ``….conclusion.json``.
    """
    frozen = read_plan(plan.path if isinstance(plan, Plan) else plan)
    state = LedgerState.read(frozen)
    _require_stop(state)
    if data is None:
        require_no_key(state)
    overrun = None if data is None else _overrun_context(state, data)
    found = [
        conclude_pair(state, pair, _extra_statistic(state, pair, overrun))
        for pair in frozen.pairs
    ]
    rows = [_agreeing(row) for row in _adjusted(state, found)]
    last = state.entries[-1]
    made = Conclusion(
        question=frozen.question,
        pairs=tuple(rows),
        n_looks=state.n_looks,
        judgments=int(last["judgments"]) if overrun is None else overrun.judgments.n_judgments,
        saved=_saved(last, overrun),
        alpha=frozen.alpha,
        margin=frozen.margin,
        claim=frozen.claim,
        sided=frozen.sided,
        intention_to_rate=_intention_to_rate(state, overrun),
        without_voided=_without_voided(state, overrun),
        notes=_notes(state, rows, overrun),
        history=history_of(frozen, state.entries),
        signature=Signature(
            "conclude",
            {"plan": frozen.fingerprint[:12], "test": frozen.test, "looks": state.n_looks},
            str(frozen.seed),
        ),
    )
    _write(frozen, made, force=force)
    return made


def _intention_to_rate(
    state: LedgerState, overrun: LookContext | None
) -> tuple[IntentionToRate, ...]:
    """Return every pair with the work of all raters, admitted or not."""
    if state.plan.admission is None:
        return ()
    found = all_work(overrun) if overrun is not None else kept_all_work(state.entries[-1])
    return tuple(IntentionToRate(**_stated(state, one)) for one in found)


def _without_voided(
    state: LedgerState, overrun: LookContext | None
) -> tuple[WithoutVoided, ...]:
    """Return every pair without the raters whose work was voided; nothing if none was."""
    if overrun is None or overrun.judgments.rater is None:
        return ()
    raters = overrun.judgments.column("rater")
    gone = tuple(name for name in voided_raters(state.lines) if name in raters.levels)
    if not gone:
        return ()
    codes = [raters.levels.index(name) for name in gone]
    rest = overrun.without(np.isin(raters.codes, codes))
    try:
        found = work_of_pairs(rest)
    except DataError:  # hardly anything is left; the note says whose work it was
        return ()
    return tuple(WithoutVoided(**_stated(state, one), raters=gone) for one in found)


def _stated(state: LedgerState, one: AllWork) -> dict[str, Any]:
    return {
        "system": one.system,
        "baseline": one.baseline,
        "n_units": one.n_units,
        "estimate": one.estimate,
        "interval": interval_of_all(state, one.statistic(), (one.system, one.baseline)),
        "scale": one.scale,
    }


def _agreeing(row: PairConclusion) -> PairConclusion:
    """Return the row with an interval that says of 0 what its corrected p-value says.

    A later step of Holm's procedure, or an exact test, decides by more than the joint interval
    does: then the interval ends at 0, as in all other studies (`contrasts`).
    """
    if row.interval is None or math.isnan(row.p_adjusted):
        return row
    side = {"better": 1.0, "worse": -1.0}.get(row.verdict, 0.0)
    interval = agreeing_interval(row.interval, side, rejected=side != 0.0)
    return replace(row, interval=interval) if interval.low <= interval.high else row


def _adjusted(state: LedgerState, rows: Sequence[PairConclusion]) -> list[PairConclusion]:
    if state.plan.anytime:
        return _adjusted_e(state, rows)
    return _adjusted_holm(state, rows)


def _adjusted_holm(state: LedgerState, rows: Sequence[PairConclusion]) -> list[PairConclusion]:
    r"""Adjust the p-values of all pairs as Holm's procedure tested them.

    A pair that was tested at level :math:`\alpha / (m - r)` has :math:`(m - r) p`, and at least
    the adjusted p of every pair that was decided before it: so it is at most α exactly where the
    pair was decided.
    """
    decided = [row for row in rows if row.verdict in ("better", "worse")]
    decided.sort(key=lambda row: (row.look, -_factor(state, row), row.p_value))
    adjusted: dict[Pair, float] = {}
    reached = 0.0
    for row in decided:
        reached = max(reached, min(1.0, row.p_value * _factor(state, row)))
        adjusted[row.system, row.baseline] = reached
    for row in rows:
        if row not in decided:
            own = row.p_value * _factor(state, row)
            known = not math.isnan(own)
            adjusted[row.system, row.baseline] = max(reached, min(1.0, own)) if known else own
    return [replace(row, p_adjusted=adjusted[row.system, row.baseline]) for row in rows]


def _adjusted_e(state: LedgerState, rows: Sequence[PairConclusion]) -> list[PairConclusion]:
    """Adjust by e-Holm, which takes every pair in both directions."""
    if len(rows) == 1:
        return list(rows)
    found = e_holm(
        {pair: peak_e_values(state, pair) for pair in state.plan.pairs}, alpha=state.plan.alpha
    )
    return [
        replace(row, p_adjusted=decision.p_value)
        for row, decision in zip(rows, found.decisions, strict=True)
    ]


def _factor(state: LedgerState, row: PairConclusion) -> int:
    """Return among how many pairs a pair was tested at its last look, m − r."""
    return round(state.plan.alpha / state.history[row.system, row.baseline][-1].level)


def _notes(
    state: LedgerState, rows: Sequence[PairConclusion], overrun: LookContext | None
) -> tuple[str, ...]:
    notes = list(state.entries[-1]["notes"])
    if overrun is not None:
        notes = [*overrun.judgments.notes, *rater_scope(overrun)]
    for entry in state.entries:
        notes += entry.get("influential", ())  # ledgers of earlier versions have none
    if any(entry["overruled"] for entry in state.entries):
        notes.append("Advice to stop for futility was overruled; the error rate holds.")
    if state.unit == "rater":
        notes.append("Verdicts are about raters like these.")
    notes += _late_notes(state, rows)
    notes += unblinding_notes(state.lines)
    notes += void_notes(state.lines)
    notes += erasure_notes(state.lines)
    notes += cut_intervals(
        [(f"{row.system} − {row.baseline}", row.interval) for row in rows if row.interval],
        why="the verdict goes by the exact test, which the interval follows"
        if state.plan.test == "sign-flip"
        else "a later step of Holm's procedure decides there, and the interval follows the verdict",
    )
    return tuple(dict.fromkeys(notes))


def _late_notes(state: LedgerState, rows: Sequence[PairConclusion]) -> list[str]:
    """Say what became of judgments that came after the stop."""
    last = {row: state.history[row.system, row.baseline][-1] for row in rows}
    ends = {
        row: look.decision == "stop: undecided" and look.tested for row, look in last.items()
    }
    stopped = max((row.overrun_units for row in rows if not ends[row]), default=0)
    beyond = max((row.overrun_units for row in rows if ends[row]), default=0)
    notes = []
    if stopped:
        notes.append(
            f"Up to {count(stopped, 'item')} of a pair came after its stop. They count in the estimate "
            "and in the p-value, and nothing more was spent on them."
        )
    if beyond:
        notes.append(
            f"Up to {count(beyond, 'item')} of a pair came after an undecided end, when all of the "
            "error rate was spent. They count in the estimate and can widen the interval; no p-value "
            "holds for them. Plan a new evaluation to decide with new data."
        )
    return notes


def _saved(last: Mapping[str, Any], overrun: LookContext | None) -> int | None:
    """Return the planned judgments that were not needed, without those that came all the same."""
    saved: int | None = last["saved"]
    if overrun is None or saved is None:
        return saved
    return max(0, saved - (overrun.judgments.n_judgments - int(last["judgments"])))


def _write(plan: Plan, made: Conclusion, *, force: bool) -> None:
    path = plan.conclusion_path
    text = json.dumps(made.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if os.path.exists(path) and not force:
        with contextlib.suppress(OSError):  # what cannot be read is another thing
            if path.read_bytes() == text.encode():
                return
        raise DataError(
            f"{path} holds another conclusion of this plan. Keep it, or replace it with --force "
            "(force=True)."
        )
    write_whole(path, text)


def _require_stop(state: LedgerState) -> None:
    if not state.entries:
        raise DataError(
            f"{state.plan.path}: nothing was looked at yet. Look first (`detectable look`)."
        )
    going = state.open_pairs()
    if going and not state.finished():
        named = ", ".join(f"{a}–{b}" for a, b in going[:5])
        raise DataError(
            f"{state.plan.ledger_path}: look {state.n_looks} said “continue” ({named}). Collect "
            "more and look again, or end it with a last look: --final (final=True)."
        )


def _overrun_context(state: LedgerState, data: Any) -> LookContext:
    given = look_input(state, data, ending=True)
    return LookContext(
        plan=state.plan,
        state=state,
        judgments=given.judgments,
        seen=given.seen,
        unit=state.unit or "item",
        final=True,
        all_work=given.all_work,
    )


def _extra_statistic(
    state: LedgerState, pair: Pair, overrun: LookContext | None
) -> LookStatistic | None:
    """Return the statistic with all data, if judgments of the pair came after the stop."""
    last = state.history[pair][-1]
    if overrun is None or state.plan.anytime:
        return None
    found, _ = overrun.statistic(pair)
    if found.n_units < last.n_units and deleted(state.lines, "rows"):
        return None  # the look of the stop stands as it was; what it saw was deleted since
    if found.n_units < last.n_units:
        raise DataError(
            f"{overrun.judgments.path or 'the data'}: {count(found.n_units, 'unit')} of "
            f"{pair[0]}–{pair[1]}, fewer than the last look saw ({last.n_units:,})."
        )
    return found if found.n_units > last.n_units and math.isfinite(found.z) else None
