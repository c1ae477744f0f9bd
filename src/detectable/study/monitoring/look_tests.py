"""Group-sequential looks: every open pair against its boundary, Holm over the pairs."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row
from detectable.sequential.leaderboard import PairOutcome, holm_look, outcome_at
from detectable.sequential.look_boundary import LookBoundaries, look_boundaries
from detectable.sequential.look_statistic import LookStatistic
from detectable.sequential.sign_flip import sign_flip_looks
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import Pair
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.pair_look import Decision, PairLook


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
    )


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


def _decision(
    plan: Plan, one: _Found, outcome: PairOutcome, z_margin: float | None
) -> Decision:
    """Return the decision; with a margin, what it asks for comes before a mere difference."""
    if outcome.verdict == "better" and plan.claim != "equivalent":
        return "stop: better"  # which says more than «not worse»
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
) -> Decision | None:
    r"""Test equivalence or non-inferiority on one-sided repeated bounds.

    Equivalence within ±Δ at the first look with :math:`|\hat\theta_k| + c_k SE_k \le \Delta`,
    where :math:`c_k` is the one-sided boundary at level α: at a true difference of Δ this event
    implies crossing that boundary, so its chance is at most α over all looks. Non-inferiority is
    its lower half. With scores of two values the bounds are those of Tango's score test.
    """
    if plan.margin is None or z_margin is None:
        return None
    low, high = statistic.limits(z_margin)
    if not low >= -plan.margin:  # NaN with a single cluster
        return None
    if plan.claim == "equivalent":
        return "stop: equivalent" if high <= plan.margin else None
    return "stop: non-inferior"


def share_notes(plan: Plan, rows: Sequence[PairLook]) -> list[str]:
    """Say where scores of two values were tested as such."""
    if all(row.shares is None for row in rows):
        return []
    low, high = plan.scale
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
    if units.clusters is None:
        return units.names, units.differences
    sums = np.bincount(units.clusters.codes, weights=units.differences)
    return units.clusters.levels, sums.astype(np.float64)
