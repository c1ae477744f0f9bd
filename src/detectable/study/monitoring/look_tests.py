"""The tests of a look: against boundaries with Holm over the pairs, or by bets that go on."""

import functools
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count
from detectable.data.scores.direction import span
from detectable.inference.few_units import p_in_words, smallest_p, units_to_reject
from detectable.inference.margin_score import MarginKind
from detectable.sequential.bands import ConfidenceSequence
from detectable.sequential.design_result import Design
from detectable.sequential.e_process import BETS, EProcess
from detectable.sequential.families import family_row
from detectable.sequential.look_statistic import LookBoundaries, LookStatistic, look_boundaries
from detectable.sequential.many_pairs import PairOutcome, e_holm, holm_look, outcome_at
from detectable.sequential.preference_process import PreferenceProcess
from detectable.sequential.prefix_looks import sign_flip_looks
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import Pair, PairLook, Written, margin_level
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_input import Bets
from detectable.study.monitoring.planned import PREFERENCES


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A pair at this look, before it is compared with anything."""

    statistic: LookStatistic
    judgments: int
    times: tuple[float, ...]  # shares of the maximum at all looks, this one last
    last: bool


def group_sequential_looks(context: LookContext, pairs: Sequence[Pair]) -> list[PairLook]:
    """Return where every open pair stands after this look.

    A pair without new units is not tested again: its statistic is the one that its last look
    judged, and to spend more on it because of what it said would be cheating. A last look
    ends such a pair undecided.
    """
    plan = context.plan
    found, idle = _statistics(context, pairs)
    designs = functools.cache(lambda level: plan.design_at(level, futility=_futility(plan)))

    @functools.cache  # most pairs of a leaderboard have been looked at at the same times
    def bounds(level: float, times: tuple[float, ...], *, last: bool) -> LookBoundaries:
        return look_boundaries(designs(level), times, final=last)

    def test(pair: Pair, level: float) -> PairOutcome:
        one = found[pair]
        outcome = outcome_at(
            one.statistic.z,
            bounds(level, one.times, last=one.last),
            level=level,
            sided=plan.sided,
        )
        if plan.test == "sign-flip":
            return _exact(context, pair, one, designs(level), outcome)
        return outcome

    outcomes: Mapping[Pair, PairOutcome] = {}
    if found:
        outcomes = holm_look(
            list(found),
            test,
            alpha=plan.alpha,
            n_pairs=len(plan.pairs),
            n_rejected=context.state.n_rejected(),
        )
    margin = functools.cache(functools.partial(_margin_bound, plan))
    rows = [
        _pair_look(plan, pair, one, outcomes[pair], margin(one.times, last=one.last))
        for pair, one in found.items()
    ]
    if context.final:
        rows += [_ended(context, pair) for pair in idle]
    return rows


def decided_without(context: LookContext, rest: LookContext, row: PairLook) -> PairLook:
    """Return where a pair would stand at the same look, and the same boundary, with the rest."""
    plan = context.plan
    statistic, judgments = rest.statistic(row.pair)
    one = _Found(
        statistic=statistic,
        judgments=judgments,
        times=context.information(row.pair, row.n_units),
        last=context.is_last(row.n_units),
    )
    design = plan.design_at(row.level, futility=_futility(plan))
    bounds = look_boundaries(design, one.times, final=one.last)
    outcome = outcome_at(statistic.z, bounds, level=row.level, sided=plan.sided)
    if plan.test == "sign-flip":
        outcome = _exact(rest, row.pair, one, design, outcome)
    return _pair_look(plan, row.pair, one, outcome, row.z_margin)


def _statistics(
    context: LookContext, pairs: Sequence[Pair]
) -> tuple[dict[Pair, _Found], list[Pair]]:
    """Return the pairs with new units, and those without."""
    found: dict[Pair, _Found] = {}
    idle: list[Pair] = []
    for pair in pairs:
        statistic, judgments = context.statistic(pair)
        n = statistic.n_units
        if context.is_idle(pair, n):
            idle.append(pair)
            continue
        context.check_time(pair, n)
        found[pair] = _Found(
            statistic=statistic,
            judgments=judgments,
            times=context.information(pair, n),
            last=context.is_last(n),
        )
    if not found and not context.final:
        n = context.state.tested(idle[0])[-1].n_units
        raise DataError(
            f"{context.judgments.path or 'the data'}: no more {context.plan.unit_name} than at the "
            f"last look ({n:,}): the new judgments are about old ones, or lack a partner. Collect "
            "new ones, or end here with --final (final=True)."
        )
    return found, idle


def _futility(plan: Plan) -> str | None:
    """Return no futility for a margin: no difference is then what is to be shown."""
    return None if plan.claim == "better" else "none"


def _ended(context: LookContext, pair: Pair) -> PairLook:
    """Return a pair that a last look ends without anything new about it."""
    last = context.state.tested(pair)[-1]
    return replace(last, decision="stop: undecided", tested=False)


def _pair_look(
    plan: Plan, pair: Pair, one: _Found, outcome: PairOutcome, z_margin: float | None
) -> PairLook:
    statistic = one.statistic
    return PairLook(
        system=pair[0],
        baseline=pair[1],
        decision=_decision(plan, one, outcome, z_margin),
        n_units=statistic.n_units,
        n_clusters=statistic.n_clusters,
        judgments=one.judgments,
        information=one.times[-1],
        estimate=statistic.estimate,
        standard_error=statistic.standard_error,
        df=None if math.isinf(statistic.df) else statistic.df,
        scale=statistic.scale,
        interval=repeated(statistic, outcome.z_bound, outcome.level, sided=plan.sided),
        z=statistic.z,
        z_bound=outcome.z_bound,
        futility_bound=outcome.futility_bound,
        level=outcome.level,
        alpha_spent=outcome.alpha_spent,
        exact_p=outcome.exact_p,
        z_margin=z_margin,
        sided=plan.sided,
        shares=statistic.shares,
        kind=_kind(statistic),
        margin_interval=_margin_interval(plan, statistic, z_margin),
    )


def _kind(statistic: LookStatistic) -> MarginKind | None:
    if statistic.shares is not None:
        return "two-valued"
    return None if statistic.score is None else statistic.score.kind


def _margin_interval(
    plan: Plan, statistic: LookStatistic, z_margin: float | None
) -> Interval | None:
    """Return the interval of the tests against the margin; None while it has no end."""
    if plan.margin is None or z_margin is None:
        return None
    low, high = statistic.limits(z_margin)
    if not math.isfinite(low):
        return None
    return Interval(low, high, margin_level(plan))


def repeated(
    statistic: LookStatistic, bound: float, level: float, *, sided: int
) -> Interval | None:
    """Return the repeated interval of a boundary; None while it has no end.

    That of a one-sided test is a lower limit: with an upper one it would have twice the error.
    """
    low, high = statistic.limits(bound)
    if not math.isfinite(low):
        return None
    return Interval(low, high if sided == 2 else math.inf, 1.0 - level)


def _decision(plan: Plan, one: _Found, outcome: PairOutcome, z_margin: float | None) -> Written:
    """Return the decision; with a margin, what it asks for comes before a mere difference."""
    if outcome.verdict == "better" and plan.claim != "equivalent":
        return "stop: better"  # which says more than “not worse”
    claimed = margin_claim(plan, one.statistic, z_margin)
    if claimed is not None:
        return claimed
    if outcome.verdict == "better":
        return "stop: better"
    if outcome.verdict == "worse":
        return "stop: worse"
    if one.last:
        return "stop: undecided"
    return "stop: futile" if outcome.futile else "continue"


def _margin_bound(plan: Plan, times: tuple[float, ...], *, last: bool) -> float | None:
    """Return the one-sided boundary of the tests against the margin; pairs share α equally."""
    if plan.margin is None:
        return None
    design = plan.design_at(plan.alpha / len(plan.pairs), sided=1, futility="none")
    return look_boundaries(design, times, final=last).z[-1]


def margin_claim(
    plan: Plan, statistic: LookStatistic, z_margin: float | None
) -> Written | None:
    r"""Test equivalence or non-inferiority on one-sided repeated bounds.

    Equivalence within ±Δ at the first look with :math:`|\hat\theta_k| + c_k SE_k \le \Delta`,
    where :math:`c_k` is the one-sided boundary at level α: at a true difference of Δ this event
    implies crossing that boundary, so its chance is at most α over all looks. Non-inferiority is
    its lower half. The bounds are those of the score rule (`inference.margin_score`). A difference
    that is beyond the margin at the same boundary is inferior, or superior.
    """
    if plan.margin is None or z_margin is None:
        return None
    return margin_decision(plan, *statistic.limits(z_margin))


def margin_decision(plan: Plan, low: float, high: float) -> Written | None:
    """Return what the interval of the tests against a margin decides."""
    margin = math.inf if plan.margin is None else plan.margin
    if high < -margin:
        return "stop: inferior"
    if plan.claim == "equivalent" and low > margin:
        return "stop: superior"
    if not low >= -margin:  # NaN with a single cluster
        return None
    if plan.claim == "equivalent":
        return "stop: equivalent" if high <= margin else None
    return "stop: non-inferior"


def share_notes(plan: Plan, rows: Sequence[PairLook]) -> list[str]:
    """Say by which rule a margin was tested."""
    low, high = plan.scale
    if any(row.kind == "sparse" for row in rows) and plan.margin is not None:
        length = span(plan.scale)
        needed = math.ceil(length * -math.log(plan.alpha / len(plan.pairs)) / plan.margin)
        return [
            f"Most scores did not change, so one loss can weigh {length:g} points. With no change "
            f"at all, a margin of {plan.margin:g} needs {needed:,} items at the least."
        ]
    if all(row.shares is None for row in rows):
        return []
    return [
        f"All scores are {low:g} or {high:g}: the margin is tested by Tango's score statistic, "
        "which holds its error rate when few items differ."
    ]


def _exact(
    context: LookContext, pair: Pair, one: _Found, design: Design, outcome: PairOutcome
) -> PairOutcome:
    """Replace the normal boundary by that of the sign flips; the advice on futility stays."""
    numbers = [*context.state.looks_at(pair), context.number]
    looks = [_flip_units(context, pair, look) for look in numbers]
    spent = _spent(context.plan, design, one)
    last = sign_flip_looks(looks, spent, seed=context.plan.seed, sided=design.sided)[-1]
    # The bound is one on the sum; the ratio puts it on the scale of z, for people to compare.
    ratio = one.statistic.z / last.statistic if last.statistic != 0.0 else math.nan
    bound = last.bound * ratio if math.isfinite(last.bound) and ratio > 0.0 else math.inf
    verdict: Verdict = "undecided"
    if last.rejected:
        verdict = "better" if last.statistic > 0.0 else "worse"
    return replace(
        outcome,
        verdict=verdict,
        futile=outcome.futile and not last.rejected,
        z_bound=bound,
        alpha_spent=last.spent,
        exact_p=last.p_value,
    )


def _spent(plan: Plan, design: Design, one: _Found) -> list[float]:
    """Return what may be spent up to every look."""
    if not family_row(plan.design["family"]).spends:
        spent = look_boundaries(design, one.times, final=one.last).alpha_spent
        return list(spent)
    # The function itself: the boundaries spend it only to within the error of a root.
    now = design.alpha if one.last else design.spend(one.times[-1])
    return [*(design.spend(t) for t in one.times[:-1]), now]


def _flip_units(
    context: LookContext, pair: Pair, look: int
) -> tuple[tuple[str, ...], FloatArray]:
    """Return what is flipped as one, as a look saw it: items, or documents with their sums."""
    units = context.units_at(pair, look)
    weighed = units.differences if units.weights is None else units.weights * units.differences
    if units.clusters is None:
        return units.names, weighed
    sums = np.bincount(units.clusters.codes, weights=weighed)
    return units.clusters.levels, sums.astype(np.float64)


# --- Anytime-valid looks: bets on each pair go on from where the last look left them ---

# Means of documents lie close together on the scale, so the best stake on them is nearly always the
# largest that a single document cannot ruin. Few and large stakes found 3 points in 200
# documents of 10 items in .44 of evaluations, the stakes for items in .004 (1,000 runs each; these
# were the best of five sets of stakes in all of six settings with an effect).
DOCUMENT_BETS = (0.3, 0.6, 0.9)
_NO_END = 1000  # items at which the band is narrowest if no end is planned


def anytime_looks(
    context: LookContext, pairs: Sequence[Pair]
) -> tuple[list[PairLook], dict[str, Any]]:
    """Return where every open pair stands, and the state that the next look goes on from.

    Items count once, at the first look at which both systems were judged on them, with the
    judgments of that look. Where documents are the units, so do documents, with the items that
    were judged by then: what the first items of a document said is no longer unknown when the
    others come. The units of one look are bet on in an order that follows from the seed: the
    order of rows in a file could follow the scores, and then the largest e-value would mean
    nothing. Several pairs are decided by e-Holm, one by its own e-process.
    """
    plan = context.plan
    states = dict(context.state.entries[-1]["states"]) if context.state.entries else {}
    new = {pair: _new_bets(context, pair) for pair in pairs}
    processes = {pair: _process(context, states.get(_key(pair))) for pair in plan.pairs}
    bands = {pair: _band(context, states.get(_key(pair)), new.get(pair)) for pair in plan.pairs}
    items = {pair: _counted(states.get(_key(pair))) for pair in plan.pairs}
    for pair, bets in new.items():
        if bets.values.size:
            _update(processes[pair], bets.values)
            bands[pair].update_many(bets.values)
            items[pair] += int(bets.n_items.sum())
        context.check_time(pair, items[pair])
    verdicts, needed = _verdicts(context, processes)
    rows = [
        _row(context, pair, processes[pair], bands[pair], items[pair], verdicts[pair], needed)
        for pair in pairs
    ]
    after = {
        _key(pair): {
            "process": processes[pair].to_dict(),
            "band": bands[pair].to_dict(),
            "items": items[pair],
        }
        for pair in plan.pairs
    }
    return rows, after


def bet_without(
    context: LookContext, rest: LookContext, row: PairLook, states: Mapping[str, Any]
) -> PairLook:
    """Return where a pair would stand had all bets been made on the rest; other pairs stay.

    Parameters
    ----------
    states : mapping
        After this look, as the ledger keeps them.
    """
    plan, pair = context.plan, row.pair
    processes = {other: _process(context, states[_key(other)]) for other in plan.pairs}
    processes[pair] = _process(context, None)
    old: set[str] = set()
    values: list[FloatArray] = []
    for look in (*context.state.looks_at(pair), context.number):
        bets = _fresh(rest, rest.units_at(pair, look).bets(), old)
        if bets.values.size:
            _update(processes[pair], bets.values)
        values.append(bets.values)
        old.update(bets.names)
    verdicts, needed = _verdicts(context, processes)
    decision: Written = "continue"
    if verdicts[pair] in ("better", "worse"):
        decision = "stop: better" if verdicts[pair] == "better" else "stop: worse"
    return replace(
        row,
        decision=decision,
        estimate=float(np.concatenate(values).mean()),
        e_value=math.exp(min(_log_evidence(context, processes[pair]), 700.0)),
        e_needed=needed,
    )


def _log_evidence(context: LookContext, process: EProcess | PreferenceProcess) -> float:
    """Return the largest so far: it decides, even where bets lost some of it in the same look."""
    if len(context.plan.pairs) > 1:
        return max(process.log_peak_better, process.log_peak_worse)
    return process.result().log_peak


def _verdicts(
    context: LookContext, processes: Mapping[Pair, "EProcess | PreferenceProcess"]
) -> tuple[Mapping[Pair, Verdict], float]:
    alpha = context.plan.alpha
    if len(processes) == 1:
        return {pair: p.verdict for pair, p in processes.items()}, 1.0 / alpha
    found = e_holm(processes, alpha=alpha)
    verdicts = {pair: d.verdict for pair, d in zip(processes, found.decisions, strict=True)}
    return verdicts, found.needed or 1.0 / alpha


def _row(
    context: LookContext,
    pair: Pair,
    process: EProcess | PreferenceProcess,
    band: ConfidenceSequence,
    n: int,
    verdict: Verdict,
    needed: float,
) -> PairLook:
    result = band.result()
    decision: Written = "continue"
    if verdict in ("better", "worse"):
        decision = "stop: better" if verdict == "better" else "stop: worse"
    elif context.is_last(n):
        decision = "stop: undecided"
    preferred = isinstance(process, PreferenceProcess)
    return PairLook(
        system=pair[0],
        baseline=pair[1],
        decision=decision,
        n_units=n,
        n_clusters=process.n if context.unit == "document" else None,
        judgments=context.units(pair).n_judgments,
        information=None if context.plan.n_max is None else n / context.plan.n_max,
        estimate=result.estimate,
        standard_error=math.nan,
        df=None,
        scale="wins − losses, of all" if preferred else "mean difference",
        interval=result.interval,
        e_value=math.exp(min(_log_evidence(context, process), 700.0)),
        e_needed=needed,
        level=context.plan.alpha / len(context.plan.pairs),
    )


def _new_bets(context: LookContext, pair: Pair) -> Bets:
    """Return what no earlier look could bet on, in the drawn order."""
    return _fresh(context, context.units(pair).bets(), _settled(context, pair))


def _fresh(context: LookContext, now: Bets, old: set[str]) -> Bets:
    fresh = [i for i, name in enumerate(now.names) if name not in old]
    fresh.sort(key=lambda i: _place(context.plan.seed, now.names[i]))
    values: FloatArray = now.values[fresh]
    return Bets(
        names=tuple(now.names[i] for i in fresh),
        values=np.sign(values) if context.plan.test in PREFERENCES else values,
        n_items=now.n_items[fresh],
    )


def _settled(context: LookContext, pair: Pair) -> set[str]:
    """Return the names of what earlier looks have bet on."""
    before = context.seen > 0
    if not before.any() or not context.state.history[pair]:
        return set()
    return set(context.units(pair, rows=before).bets().names)


def late_judgments(context: LookContext, pair: Pair) -> int:
    """Return how many new judgments of a pair are about items or documents counted before."""
    old, new = _settled(context, pair), context.seen == 0
    if not old or not new.any():
        return 0
    part = context.judgments.take(new)
    document = part.document if context.unit == "document" else None
    names = part.item if document is None else document
    mine = zip(part.system.labels(), names.labels(), strict=True)
    return sum(system in pair and name in old for system, name in mine)


def _place(seed: int, name: str) -> bytes:
    """Return where an item stands in the drawn order."""
    return hashlib.blake2b(name.encode(), digest_size=16, key=str(seed).encode()[:64]).digest()


def _update(process: EProcess | PreferenceProcess, values: FloatArray) -> None:
    if isinstance(process, PreferenceProcess):
        process.update_many(values.astype(np.int64))
    else:
        process.update_many(values)


def _process(
    context: LookContext, state: Mapping[str, Any] | None
) -> EProcess | PreferenceProcess:
    preferred = context.plan.test == "e-preference"
    if state is not None:
        kept = state["process"]
        return PreferenceProcess.from_dict(kept) if preferred else EProcess.from_dict(kept)
    if preferred:
        return PreferenceProcess(alpha=context.plan.alpha)
    bets = DOCUMENT_BETS if context.unit == "document" else BETS
    return EProcess(bounds=context.plan.scale, alpha=context.plan.alpha, bets=bets)


def _band(
    context: LookContext, state: Mapping[str, Any] | None, bets: Bets | None
) -> ConfidenceSequence:
    if state is not None:
        return ConfidenceSequence.from_dict(state["band"])
    level = context.plan.alpha / len(context.plan.pairs)
    planned = context.plan.n_max or _NO_END
    if bets is not None and bets.names:
        # The plan counts items. How many make a document is seen at the first look; lengths say
        # nothing about scores, so the band may be fitted to them.
        planned = max(2, round(planned / float(bets.n_items.mean())))
    return ConfidenceSequence(n_planned=planned, alpha=level)


def _counted(state: Mapping[str, Any] | None) -> int:
    """Return how many items were counted; a ledger of format 1 had only items to bet on."""
    if state is None:
        return 0
    return int(state.get("items", state["process"]["n"]))


def _key(pair: Pair) -> str:
    return " | ".join(pair)


# --- What a look at few units can and cannot say ---

_MANY = 20  # units from which on the error rate is within a point of what was asked for


def few_units_notes(context: LookContext, rows: Sequence[PairLook]) -> list[str]:
    """Say how few units were tested, and when signs of so few cannot stop an evaluation.

    As in `compare` and `rank`: means of any number of documents are tested by t; sign flips are
    exact, and their smallest p-value is 2^(1 − G).
    """
    tested = [row for row in rows if row.tested]
    if not tested or context.plan.anytime:  # an e-process holds with any number of documents
        return []
    if context.plan.test == "sign-flip":
        return _of_signs(context, tested)
    few = [row for row in tested if row.n_clusters is not None and row.df is not None]
    if not few:
        return []
    row = min(few, key=lambda row: row.n_clusters or 0)
    n = row.n_clusters or 0
    if n >= _MANY:
        return []
    return [
        f"{count(n, context.unit)}: tested by t over {context.unit}s, {row.df:.1f} degrees of "
        f"freedom; it assumes that {context.unit} differences are roughly normal. With so few, a "
        "plan at .05 errs in 5 to 6 % of cases, in 7 to 8 % if they are skewed."
    ]


def _of_signs(context: LookContext, rows: Sequence[PairLook]) -> list[str]:
    """Say from which unit on the exact test could stop."""
    if not family_row(context.plan.design["family"]).spends:
        return []
    row = min(rows, key=_units)
    design = context.plan.design_at(row.level)
    may = design.alpha if context.final else design.spend(float(row.information or 0.0))
    n = _units(row)
    if smallest_p(n) <= may:
        return []
    return [
        f"This look cannot stop: the smallest possible p of {count(n, context.unit)} is "
        f"{p_in_words(smallest_p(n))}, and {p_in_words(may)} may be spent so far. It cannot "
        f"before {context.unit} {units_to_reject(may)}."
    ]


def _units(row: PairLook) -> int:
    return row.n_units if row.n_clusters is None else row.n_clusters
