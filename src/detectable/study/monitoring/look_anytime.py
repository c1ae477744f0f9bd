"""Anytime-valid looks: bets on each pair go on from where the last look left them."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.sequential.confidence_sequence import ConfidenceSequence
from detectable.sequential.e_multiplicity import e_holm
from detectable.sequential.e_process import BETS, EProcess
from detectable.sequential.preference_process import PreferenceProcess
from detectable.study.monitoring.ledger import Pair
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_units import Bets
from detectable.study.monitoring.pair_look import Decision, PairLook
from detectable.study.monitoring.plan_options import PREFERENCES

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
    decision: Decision = "continue"
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
    """Return the largest so far: it decides, also where bets lost some of it in the same look."""
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
    decision: Decision = "continue"
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
