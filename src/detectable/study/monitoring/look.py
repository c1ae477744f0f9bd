"""Look at the data of a plan: test, decide, and write it down."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.claim import WithoutRater
from detectable.core.errors import DataError
from detectable.core.result import Result, Signature, to_json
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, number
from detectable.data.factor import Factor
from detectable.data.files.ledger_file import append_entry, locked
from detectable.data.files.place import FilePath
from detectable.data.human.cells import unmatched_note
from detectable.sequential.look_statistic import expected_remaining
from detectable.sequential.many_pairs import needed_systems
from detectable.study.monitoring.admission import Admission
from detectable.study.monitoring.ledger import (
    LedgerState,
    Pair,
    PairLook,
    Written,
    clock_notes,
    digits_of,
    evidence_of,
)
from detectable.study.monitoring.look_context import LookContext, all_work, rater_scope
from detectable.study.monitoring.look_input import chosen_unit, look_input
from detectable.study.monitoring.look_tests import (
    anytime_looks,
    bet_without,
    decided_without,
    few_units_notes,
    group_sequential_looks,
    late_judgments,
    share_notes,
)
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan_history import PlanHistory, history_of
from detectable.study.monitoring.planned import UNPAIRED
from detectable.study.selection.returned import how_drawn

_FEWEST = 3  # with two of them, one is left, which says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeftOut:
    """What is left out of a look: a document or a rater."""

    kind: str
    name: str
    share: float  # of the comparisons of the pair
    rows: NDArray[np.bool_]  # its judgments


def influential(
    context: LookContext, rows: Sequence[PairLook], states: Mapping[str, Any]
) -> tuple[str, ...]:
    """Say which decisions of this look one document or one rater has made.

    Every pair that is decided is tested again at the same boundary without the document, and
    without the rater, that moves its mean difference most. Samples that share no items have no
    such differences, and a mixed model has the effects of both in it: nothing is said of them.

    Parameters
    ----------
    states : mapping
        Of the bets after this look; empty in a plan with boundaries.
    """
    if context.plan.test in UNPAIRED or context.plan.test == "mixed":
        return ()
    said = []
    for row in rows:
        if row.verdict == "undecided" or not row.tested:
            continue
        for out in _movers(context, row):
            after = _again(context, row, out, states)
            if after is not None and after.verdict != row.verdict:
                said.append(_sentence(context, out, after))
    return tuple(said)


def _again(
    context: LookContext, row: PairLook, out: _LeftOut, states: Mapping[str, Any]
) -> PairLook | None:
    """Test the rest; None where it is too little for a test."""
    rest = context.without(out.rows)
    try:
        if context.plan.anytime:
            return bet_without(context, rest, row, states)
        return decided_without(context, rest, row)
    except DataError:
        return None


def _movers(context: LookContext, row: PairLook) -> Iterator[_LeftOut]:
    """Yield the document and the rater without which the mean difference moves most."""
    cells, judgments = context.cells, context.judgments
    matched = cells.matched([row.pair])
    d, item, rater = matched.score_first - matched.score_second, matched.item, matched.rater
    left = WithoutRater.of(item, d, len(cells.items))
    judged = left.judged > 0
    mean = float(left.mean[judged].mean())
    if cells.document is not None and judgments.document is not None:
        moved = _means_without(cells.document[judged], left.mean[judged]) - mean
        names, held = cells.documents or (), cells.document[item]
        yield from _largest("document", judgments.document, names, moved, held)
    if rater is not None and judgments.rater is not None:
        if context.unit == "rater":  # which counts comparisons, not items
            moved = _means_without(rater, d) - float(d.mean())
        else:
            rest = judged.sum() - np.bincount(rater, weights=left.alone)
            sums = left.mean.sum() + np.bincount(rater, weights=left.change)
            moved = sums / np.where(rest > 0.0, rest, np.nan) - mean
        yield from _largest("rater", judgments.rater, cells.raters or (), moved, rater)


def _means_without(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of the values of all other groups; NaN where there are none."""
    rest = values.size - np.bincount(groups)
    sums = values.sum() - np.bincount(groups, weights=values)
    found: FloatArray = sums / np.where(rest > 0, rest, np.nan)
    return found


def _largest(
    kind: str, column: Factor, names: tuple[str, ...], moved: FloatArray, held: IntArray
) -> Iterator[_LeftOut]:
    """Yield the group without which the mean moves most, of three and more.

    Parameters
    ----------
    held : array of int
        The group of every comparison.
    """
    counts = np.bincount(held, minlength=moved.size)
    known = np.where(counts > 0, np.abs(moved), np.nan)
    if np.isfinite(known).sum() < _FEWEST:
        return
    at = int(np.nanargmax(known))
    yield _LeftOut(
        kind=kind,
        name=names[at],
        share=float(counts[at] / held.size),
        rows=column.codes == column.levels.index(names[at]),
    )


def _sentence(context: LookContext, out: _LeftOut, after: PairLook) -> str:
    would = "undecided" if after.verdict == "undecided" else f"“{after.verdict}”"
    shown = number(after.estimate, digits=digits_of(after.scale), sign=True)
    return (
        f"Without {out.kind} {out.name} ({out.share:.0%} of the comparisons) {after.system} − "
        f"{after.baseline} would be {would} at look {context.number} ({shown}; "
        f"{evidence_of(after)})."
    )


# --- Look at the data of a plan: test, decide, and write it down ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Result):
    """One look at a plan.

    Attributes
    ----------
    decision : str
        ``continue`` or ``stop: …``; with several pairs ``stop`` once none is open.
    pairs : tuple of PairLook
        Those that were open before this look and have new data.
    judgments, new_judgments : int
        Rows of the planned systems so far, and since the last look.
    judgments_planned : int or None
        Still to come if it goes on to the planned end; None without an end.
    expected_judgments : int or None
        Of these, how many are expected to be needed if the trend stays what it is; None where
        the plan has a margin or no planned looks.
    saved : int or None
        Planned judgments that a stop makes unnecessary.
    """

    look: int
    time: str
    decision: Written
    pairs: tuple[PairLook, ...]
    judgments: int
    new_judgments: int
    judgments_planned: int | None
    expected_judgments: int | None
    saved: int | None
    unit: str
    final: bool  # no further look is allowed
    declared: bool  # the user declared it the last
    overruled: bool
    still_needed: tuple[str, ...]  # systems that must be judged further
    margin: float | None = None  # of the plan, for the words of the verdict
    influential: tuple[
        str, ...
    ] = ()  # what a decision of this look hangs on; also in the notes
    notes: tuple[str, ...] = ()
    # The plan with all looks so far, this one last: what pictures are made of.
    history: PlanHistory | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "private"}
    )

    def entry(self) -> dict[str, Any]:
        """Return what goes into the ledger."""
        content: dict[str, Any] = to_json(self)
        return content


# --- Look at the data of a plan: test, decide, and write it down ---


def look(
    plan: Plan | FilePath,
    data: Any,
    *,
    final: bool = False,
    overrule_futility: bool = False,
) -> Look:
    """Look at the judgments so far, decide whether to stop, and add the look to the ledger.

    A look that the plan or the ledger forbids is refused, and nothing is written: after a stop,
    beyond the planned end, without new judgments, when judgments that were seen before are gone
    or changed, when the plan was changed, or while another process is looking.

    Parameters
    ----------
    plan : Plan or path
        The plan; its ledger stands beside it.
    data : Judgments, Scores, path, mapping, data frame or function
        All judgments so far, not only the new ones. A function is given the plan and returns
        them; it is called when no other process can look. Work of a campaign that was decided
        there (`DecidedWork`) is taken as decided.
    final : bool
        Declare this the last look, before the planned end or beyond it. All that is left of α is
        spent, with the boundary for what was really collected. That keeps the error rate only if
        the reason to end has nothing to do with the results. Without new data nothing more is
        spent, and what is open ends undecided.
    overrule_futility : bool
        Go on although the last look advised to give up. The error rate holds, because boundaries
        never count on that advice; the ledger keeps note.

    Returns
    -------
    Look
    """
    # Read here also if it was read before: a plan that was changed since is refused.
    frozen = read_plan(plan.path if isinstance(plan, Plan) else plan)
    with locked(frozen.ledger_path):
        state = LedgerState.read(frozen)
        pairs = state.require_open(overrule_futility=overrule_futility)
        given = look_input(state, data, ending=final)
        admission = given.admission
        context = LookContext(
            plan=state.plan,
            state=state,
            judgments=given.judgments,
            seen=given.seen,
            unit=state.unit or chosen_unit(state.plan, given.judgments),
            final=final,
            all_work=given.all_work,
        )
        _require_new(context)
        rows, states = _test(context, pairs)
        made = _look(
            context,
            rows,
            influential=influential(context, rows, states),
            overruled=overrule_futility and _was_futile(state, pairs),
        )
        if admission is not None and state.plan.admission is not None:
            said = admission.notes(state.plan.admission, state.plan.systems)
            made = replace(made, notes=(*said, *made.notes))
        content = {**made.entry(), "plan": state.plan.fingerprint, "states": states}
        content |= {"event": "look", "seen": given.hashes.pack(context.seen == 0)}
        if given.keyed:
            content["keyed"] = True
        if admission is not None:
            content["all_work"] = to_json(all_work(context))
        lines = _recorded(state, admission, made.time)
        written = append_entry(state.plan.ledger_path, content, lines)
    return replace(made, history=history_of(state.plan, (*state.entries, written)))


def _recorded(
    state: LedgerState, admission: Admission | None, time: str
) -> tuple[Mapping[str, Any], ...]:
    """Write down what was admitted, before the look that saw it, and return all lines."""
    if admission is None:
        return state.lines
    content = {**admission.entry(), "plan": state.plan.fingerprint, "time": time}
    return (*state.lines, append_entry(state.plan.ledger_path, content, state.lines))


def _test(context: LookContext, pairs: Sequence[Pair]) -> tuple[list[PairLook], dict[str, Any]]:
    if context.plan.anytime:
        return anytime_looks(context, pairs)
    rows = group_sequential_looks(context, pairs)
    return rows, {}


def _was_futile(state: LedgerState, pairs: Sequence[Pair]) -> bool:
    return any(
        state.history[pair] and state.history[pair][-1].decision == "stop: futile"
        for pair in pairs
    )


def _require_new(context: LookContext) -> None:
    new = int((context.seen == 0).sum())
    if context.state.entries and not new and not context.final:
        what = "no judgment is new" if context.all_work is None else "no more work is admitted"
        raise DataError(
            f"{context.judgments.path or 'the data'}: {what} since look "
            f"{context.state.n_looks}. Collect more, or end here with --final (final=True)."
        )


def _look(
    context: LookContext,
    rows: list[PairLook],
    *,
    influential: tuple[str, ...],
    overruled: bool,
) -> Look:
    latest = _latest(context, rows)
    open_now = [pair for pair, row in latest.items() if row.decision == "continue"]
    outlook = _outlook(context, latest)
    decision: Written = "continue" if open_now else "stop"
    if len(context.plan.pairs) == 1:
        decision = rows[0].decision
    going = decision == "continue"
    given_up = any(row.decision == "stop: futile" for row in latest.values())
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Look(
        look=context.number,
        time=now,
        decision=decision,
        pairs=tuple(rows),
        judgments=context.judgments.n_judgments,
        new_judgments=int((context.seen == 0).sum()),
        judgments_planned=outlook[0] if going else 0,
        expected_judgments=outlook[1] if going else None,
        saved=outlook[2],
        unit=context.unit,
        final=context.final or not (going or given_up),
        declared=context.final,
        overruled=overruled,
        still_needed=tuple(needed_systems(open_now)),
        margin=context.plan.margin,
        influential=influential,
        notes=(*_notes(context, rows), *influential, *_clock_notes(context, now)),
        signature=Signature(
            "look",
            {"plan": context.plan.fingerprint[:12], "look": context.number},
            str(context.plan.seed),
        ),
    )


def _clock_notes(context: LookContext, now: str) -> tuple[str, ...]:
    """Say if this look is dated before an earlier one; what was said of others is not repeated."""
    times = [str(entry["time"]) for entry in context.state.entries]
    said = clock_notes(times)
    return clock_notes([*times, now])[len(said) :]


def _latest(context: LookContext, rows: Sequence[PairLook]) -> dict[Pair, PairLook]:
    """Return where every pair stands now."""
    latest = {pair: looks[-1] for pair, looks in context.state.history.items() if looks}
    return latest | {row.pair: row for row in rows}


def _outlook(
    context: LookContext, latest: Mapping[Pair, PairLook]
) -> tuple[int | None, int | None, int | None]:
    """Return judgments still planned, expected to be needed, and saved so far.

    Counted by system: each still needs its missing items times the judgments that an item of
    it has taken so far. A system whose pairs are all decided needs no more.
    """
    if context.plan.n_max is None:
        return None, None, None
    planned, expected, saved = 0.0, 0.0, 0.0
    foreseen = not context.plan.anytime and context.plan.margin is None
    for system in context.plan.systems:
        mine = [row for row in latest.values() if system in row.pair]
        units = max(row.n_units for row in mine)
        # An item of a paired comparison counts one judgment of each of its two systems.
        per_unit = max(row.judgments / 2.0 / max(row.n_units, 1) for row in mine)
        missing = max(context.plan.n_max - units, 0) * per_unit
        going = [row for row in mine if row.decision == "continue"]
        if not going:
            saved += missing
            continue
        planned += missing
        if foreseen:
            share = max(_expected_share(context, row) for row in going)
            expected += min(share * context.plan.n_max * per_unit, missing)
    return round(planned), round(expected) if foreseen and planned else None, round(saved)


def _expected_share(context: LookContext, row: PairLook) -> float:
    design = context.plan.design_at(row.level)
    return expected_remaining(design, t=float(row.information or 0.0), z=float(row.z or 0.0))


def _notes(context: LookContext, rows: Sequence[PairLook]) -> tuple[str, ...]:
    plan = context.plan
    drawn = how_drawn(context.judgments).notes
    notes = [*context.judgments.notes, *drawn, *_cluster_notes(context, rows)]
    notes += share_notes(plan, rows)
    if plan.test not in UNPAIRED and rows:
        notes += unmatched_note(max(context.units(row.pair).unmatched for row in rows))
    if plan.anytime and (late := max(late_judgments(context, row.pair) for row in rows)):
        notes.append(
            f"Up to {count(late, 'judgment')} of a pair came after their {context.unit} had been "
            "counted, and are left out: each unit can be used only once."
        )
    if plan.n_max is not None and not plan.anytime and context.final:
        share = min((row.information or 0.0 for row in rows if row.tested), default=1.0)
        if share < 1.0:
            notes.append(
                f"Declared the last look at {share:.0%} of the plan. The error rate holds if the "
                "reason has nothing to do with the results."
            )
    return tuple(notes)


def _cluster_notes(context: LookContext, rows: Sequence[PairLook]) -> list[str]:
    notes = few_units_notes(context, rows)
    if context.plan.anytime and context.unit == "document":
        notes.append("Documents count alike, each with the mean difference of its items.")
    notes += rater_scope(context)
    known = context.judgments.document is not None and context.plan.test != "mixed"
    if known and context.plan.unit == "auto" and context.unit == "item":
        notes.append(
            f"The items come from documents, and {context.plan.test} takes every item as "
            "independent. If items of a document are alike, plan paired-mean, sign-flip or "
            "e-process."
        )
    return notes
