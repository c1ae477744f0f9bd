"""The conclusion about one pair: estimate, interval and p-value that fit how it stopped."""

import math
from collections.abc import Mapping
from typing import Any

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict, decide
from detectable.sequential.look_statistic import LookStatistic, look_boundaries
from detectable.sequential.stagewise import (
    StagewiseInference,
    overrun_inference,
    stagewise_inference,
)
from detectable.study.monitoring.conclusion import PairConclusion
from detectable.study.monitoring.ledger import LedgerState, Pair, PairLook, margin_level
from detectable.study.monitoring.look_tests import margin_decision, repeated

_REASONS = {
    "stop: futile": "stopped: unlikely to reach significance",
    "stop: undecided": "no boundary was reached by the end",
}
_OF_MARGINS = ("stop: equivalent", "stop: non-inferior", "stop: inferior", "stop: superior")
_MOST = 700.0  # log of the largest e-value that a float can hold
_TAKEN_BACK = "with the judgments that came after the stop, it is no longer decided"


def conclude_pair(
    state: LedgerState, pair: Pair, extra: LookStatistic | None
) -> PairConclusion:
    """Return what may be said about a pair.

    Parameters
    ----------
    extra : LookStatistic or None
        The statistic with all data, if judgments came in after the stop.
    """
    last = state.history[pair][-1]
    if state.plan.anytime:
        return _anytime(state, pair, last)
    if state.plan.margin is not None:
        return _margin(state, last, extra)
    return _of_difference(state, last, extra)


def _of_difference(
    state: LedgerState, last: PairLook, extra: LookStatistic | None
) -> PairConclusion:
    at_boundary = last.decision in ("stop: better", "stop: worse", "stop: undecided")
    beyond_end = extra is not None and last.decision == "stop: undecided"
    if at_boundary and not beyond_end and last.tested and math.isfinite(last.standard_error):
        return _stagewise(state, last, extra)
    if extra is not None:
        interval = _repeated_overrun(state, last, extra)
    else:
        interval = _repeated(state, last)
    return _row(
        state,
        last,
        extra,
        estimate=last.estimate if extra is None else extra.estimate,
        interval=interval,
        method="repeated interval",
    )


def _joint(state: LedgerState) -> float:
    """Return the level of each interval for which all pairs together have α."""
    return state.plan.alpha / len(state.plan.pairs)


def _times(state: LedgerState, last: PairLook) -> tuple[float, ...]:
    return tuple(float(look.information or 0.0) for look in state.tested(last.pair))


def _bounds(state: LedgerState, last: PairLook, level: float) -> tuple[float, ...]:
    """Return the boundaries of a level at the looks at a pair."""
    declared = bool(state.entries[max(state.looks_at(last.pair)) - 1]["declared"])
    design = state.plan.design_at(level)
    return look_boundaries(design, _times(state, last), final=declared).z


def _lower(state: LedgerState, bounds: tuple[float, ...]) -> tuple[float, ...] | None:
    return None if state.plan.sided == 1 else tuple(-u for u in bounds)


def _repeated(state: LedgerState, last: PairLook) -> Interval | None:
    """Return the repeated interval at the last look, at the joint level of all pairs."""
    bound = _bounds(state, last, _joint(state))[-1]
    return repeated(last.statistic(), bound, _joint(state), sided=state.plan.sided)


def interval_of_all(state: LedgerState, found: LookStatistic, pair: Pair) -> Interval | None:
    """Return the repeated interval of a statistic that decided nothing; None for bets."""
    if state.plan.anytime:
        return None
    last = state.history[pair][-1]
    bound = _bounds(state, last, _joint(state))[-1]
    return repeated(found, bound, _joint(state), sided=state.plan.sided)


def _stagewise(
    state: LedgerState, last: PairLook, extra: LookStatistic | None
) -> PairConclusion:
    """Conclude by the stagewise ordering, with the boundaries of the level of the stop."""
    bounds, times = _bounds(state, last, last.level), _times(state, last)
    lower = _lower(state, bounds)
    one_sided = state.plan.sided == 1
    level = 1.0 - (2.0 if one_sided else 1.0) * _joint(state)
    verdict = last.verdict
    if extra is None:
        now = last.statistic()
        found = stagewise_inference(times, bounds, lower, len(times), now.z, level=level)
        error = now.unit_error() * math.sqrt(times[-1])
    else:
        share = state.plan.share(extra.n_units)
        found, _ = overrun_inference(
            times, bounds, lower, overrun_information=share, z=extra.z, level=level
        )
        error = extra.unit_error() * math.sqrt(share)
        verdict = _verdict_after_overrun(state, last, found)
    low, high = sorted((found.interval.low * error, found.interval.high * error))
    return _row(
        state,
        last,
        extra,
        p_value=_p_value(state, last, found, extra),
        estimate=found.estimate * error,
        interval=Interval(low, math.inf if one_sided else high, 1.0 - _joint(state)),
        method="stagewise ordering, median unbiased",
        verdict=verdict,
    )


def _verdict_after_overrun(
    state: LedgerState, last: PairLook, found: StagewiseInference
) -> Verdict:
    r"""Decide a pair that stopped at a boundary by the p-value of all its data.

    The p-value of the deletion method [1]_, at most the level of the stop. The error rate holds
    whatever came in: only a pair that had crossed its boundary can be decided here, and over all
    looks that has the chance α without a difference,

    .. math:: P_0(\text{crossed}, p \le \alpha) \le P_0(\text{crossed}) = \alpha.

    To ask for the boundary that spends no more than the look of the stop had would be stricter,
    and at odds with this p-value and its interval.

    References
    ----------
    .. [1] Whitehead (1992), "Overrunning and underrunning in sequential clinical trials",
       Controlled Clinical Trials 13(2), 106–121.
    """
    if state.plan.sided == 1:
        return decide(1.0, p=found.p_one_sided, alpha=last.level)
    # Beyond one half the outcome lies on the lower side of the ordering.
    side = 0.5 - found.p_one_sided
    return decide(side, p=found.p_two_sided, alpha=last.level)


def _p_value(
    state: LedgerState, last: PairLook, found: StagewiseInference, extra: LookStatistic | None
) -> float:
    if last.exact_p is not None and extra is None:
        return last.exact_p
    return found.p_one_sided if state.plan.sided == 1 else found.p_two_sided


def _repeated_overrun(
    state: LedgerState, last: PairLook, extra: LookStatistic
) -> Interval | None:
    r"""Return the repeated interval of all data, in which the look of the stop is replaced.

    After an end without a decision nothing is left to spend, and the replaced look would be a
    second one at the same price: with twice the data it or an earlier look misses a true
    difference of 0 in .077 of evaluations instead of .05 (`ld-obf`, three looks). The repeated
    interval of the end itself holds [1]_, whatever came after it. The answer is the smallest
    interval that holds both: it is valid, since it contains that one, and nothing is dropped.

    References
    ----------
    .. [1] Jennison and Turnbull (1989), "Interim analyses: the repeated confidence interval
       approach", JRSS B 51(3), 305–361.
    """
    level, sided = _joint(state), state.plan.sided
    bounds = _bounds(state, last, level)
    _, bound = overrun_inference(
        _times(state, last),
        bounds,
        _lower(state, bounds),
        overrun_information=state.plan.share(extra.n_units),
        z=extra.z,
    )
    found = repeated(extra, bound, level, sided=sided)
    if last.decision != "stop: undecided" or not last.tested:
        return found
    own = _repeated(state, last)
    if own is None or found is None:
        return None
    return Interval(min(own.low, found.low), max(own.high, found.high), own.level)


def _margin(state: LedgerState, last: PairLook, extra: LookStatistic | None) -> PairConclusion:
    """Conclude about a margin: the interval of its tests, at 1 − 2α, whatever the verdict.

    An interval whose kind the outcome chose would hold less often than it says: lower limits of
    claims and two-sided intervals of all else, together labelled 95 %, held in .927 of plans.
    """
    level = margin_level(state.plan)
    interval = last.margin_interval
    if interval is None:  # a ledger of an earlier version, or a boundary without an end
        low, high = last.statistic().limits(float(last.z_margin or math.inf))
        interval = Interval(low, high, level) if math.isfinite(low) else None
    verdict = last.verdict
    if extra is not None:
        interval = _margin_overrun(state, last, extra, interval)
    if last.decision in _OF_MARGINS:
        ends = (-math.inf, math.inf) if interval is None else (interval.low, interval.high)
        kept = margin_decision(state.plan, *ends) == last.decision
        verdict = last.verdict if kept else "undecided"
    found = None
    if last.decision in ("stop: better", "stop: worse"):
        found = _of_difference(state, last, extra)
        verdict = found.verdict
    return _row(
        state,
        last,
        extra,
        p_value=math.nan if found is None else found.p_value,
        estimate=last.estimate if extra is None else extra.estimate,
        interval=None if interval is None else Interval(interval.low, interval.high, level),
        method="repeated interval of the margin",
        verdict=verdict,
    )


def _margin_overrun(
    state: LedgerState, last: PairLook, extra: LookStatistic, own: Interval | None
) -> Interval | None:
    """Return the interval of all data; after an end that decided nothing it holds the old one."""
    low, high = extra.limits(_overrun_margin(state, last, extra))
    if not math.isfinite(low):
        return None
    found = Interval(low, high, margin_level(state.plan))
    if last.decision != "stop: undecided" or not last.tested:
        return found
    if own is None:
        return None
    return Interval(min(own.low, low), max(own.high, high), found.level)


def _overrun_margin(state: LedgerState, last: PairLook, extra: LookStatistic) -> float:
    design = state.plan.design_at(_joint(state), sided=1, futility="none")
    times = _times(state, last)
    earlier = look_boundaries(design, times[:-1]).z if len(times) > 1 else ()
    _, bound = overrun_inference(
        times,
        (*earlier, float(last.z_margin or math.inf)),
        None,
        overrun_information=state.plan.share(extra.n_units),
        z=extra.z,
    )
    return bound


def _anytime(state: LedgerState, pair: Pair, last: PairLook) -> PairConclusion:
    largest = float(_process(state, pair)["log_peak"])
    return _row(
        state,
        last,
        None,
        p_value=min(1.0, math.exp(-min(largest, _MOST))),
        estimate=last.estimate,
        interval=last.interval,
        method="confidence sequence",
    )


def peak_e_values(state: LedgerState, pair: Pair) -> tuple[float, float]:
    """Return the largest e-values of a pair so far, for “better” and for “worse”."""
    kept = _process(state, pair)
    better, worse = float(kept["log_peak_better"]), float(kept["log_peak_worse"])
    return math.exp(min(better, _MOST)), math.exp(min(worse, _MOST))


def _process(state: LedgerState, pair: Pair) -> Mapping[str, Any]:
    kept: Mapping[str, Any] = state.entries[-1]["states"][" | ".join(pair)]["process"]
    return kept


def _row(
    state: LedgerState,
    last: PairLook,
    extra: LookStatistic | None,
    *,
    estimate: float,
    interval: Interval | None,
    method: str,
    p_value: float = math.nan,
    verdict: Verdict | None = None,
) -> PairConclusion:
    verdict = last.verdict if verdict is None else verdict
    reason = _REASONS.get(last.decision, "")
    if not last.tested:
        reason = "ended without new judgments"
    if verdict == "undecided" != last.verdict:
        reason = _TAKEN_BACK
    return PairConclusion(
        system=last.system,
        baseline=last.baseline,
        verdict=verdict,
        reason=reason,
        look=max(state.looks_at(last.pair)),
        n=last.n_units if extra is None else extra.n_units,
        p_value=p_value,
        p_adjusted=p_value,
        difference=estimate,
        interval=interval,
        naive_estimate=last.estimate if extra is None else extra.estimate,
        scale=last.scale,
        method=method,
        overrun_units=0 if extra is None else extra.n_units - last.n_units,
    )
