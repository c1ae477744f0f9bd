"""Anytime-valid looks: bets on each pair go on from where the last look left them."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.sequential.confidence_sequence import ConfidenceSequence
from detectable.sequential.e_multiplicity import e_holm
from detectable.sequential.e_process import EProcess
from detectable.sequential.preference_process import PreferenceProcess
from detectable.study.monitoring.ledger import Pair
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_result import Decision, PairLook
from detectable.study.monitoring.plan_options import PREFERENCES

_NO_END = 1000  # where the band is narrowest if no end is planned


def anytime_looks(
    context: LookContext, pairs: Sequence[Pair]
) -> tuple[list[PairLook], dict[str, Any]]:
    """Return where every open pair stands, and the state that the next look goes on from.

    Items count once, at the first look at which both systems were judged on them, with the
    judgments of that look. The items of one look are bet on in an order that follows from the
    seed: the order of rows in a file could follow the scores, and then the largest e-value would
    mean nothing. Several pairs are decided by e-Holm, one by its own e-process.
    """
    plan = context.plan
    states = dict(context.state.entries[-1]["states"]) if context.state.entries else {}
    values = {pair: _new_values(context, pair) for pair in pairs}
    processes = {pair: _process(context, states.get(_key(pair))) for pair in plan.pairs}
    bands = {pair: _band(context, states.get(_key(pair))) for pair in plan.pairs}
    for pair in pairs:
        if values[pair].size:
            _update(processes[pair], values[pair])
            bands[pair].update_many(values[pair])
        context.check_time(pair, processes[pair].n)
    verdicts, needed = _verdicts(context, processes)
    rows = [
        _row(context, pair, processes[pair], bands[pair], verdicts[pair], needed)
        for pair in pairs
    ]
    after = {
        _key(pair): {"process": processes[pair].to_dict(), "band": bands[pair].to_dict()}
        for pair in plan.pairs
    }
    return rows, after


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
    verdict: Verdict,
    needed: float,
) -> PairLook:
    result = band.result()
    n = process.n
    # The largest so far decides, also where the bets lost some of it later in the same look.
    log_e = process.result().log_peak
    if len(context.plan.pairs) > 1:
        log_e = max(process.log_peak_better, process.log_peak_worse)
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
        n_clusters=None,
        judgments=context.units(pair).n_judgments,
        information=None if context.plan.n_max is None else n / context.plan.n_max,
        estimate=result.estimate,
        standard_error=math.nan,
        df=None,
        scale="wins − losses, of all" if preferred else "mean difference",
        interval=result.interval,
        e_value=math.exp(min(log_e, 700.0)),
        e_needed=needed,
        level=context.plan.alpha / len(context.plan.pairs),
    )


def _new_values(context: LookContext, pair: Pair) -> FloatArray:
    """Return the differences of the items that no earlier look could compare."""
    now = context.units(pair)
    old: set[str] = set()
    before = context.seen > 0
    if before.any() and context.state.history[pair]:
        old = set(context.units(pair, rows=before).names)
    fresh = [i for i, name in enumerate(now.names) if name not in old]
    fresh.sort(key=lambda i: _place(context.plan.seed, now.names[i]))
    values: FloatArray = now.differences[fresh]
    return np.sign(values) if context.plan.test in PREFERENCES else values


def late_judgments(context: LookContext, pair: Pair) -> int:
    """Return how many new judgments of a pair are about items that were counted before."""
    before = context.seen > 0
    if not before.any() or not context.state.history[pair]:
        return 0
    old = set(context.units(pair, rows=before).names)
    part = context.judgments.take(~before) if not before.all() else None
    if part is None:
        return 0
    mine = zip(part.system.labels(), part.item.labels(), strict=True)
    return sum(system in pair and item in old for system, item in mine)


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
    return EProcess(bounds=context.plan.scale, alpha=context.plan.alpha)


def _band(context: LookContext, state: Mapping[str, Any] | None) -> ConfidenceSequence:
    if state is not None:
        return ConfidenceSequence.from_dict(state["band"])
    level = context.plan.alpha / len(context.plan.pairs)
    return ConfidenceSequence(n_planned=context.plan.n_max or _NO_END, alpha=level)


def _key(pair: Pair) -> str:
    return " | ".join(pair)
