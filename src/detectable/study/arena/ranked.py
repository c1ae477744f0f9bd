"""Systems and pairs of an arena with three systems or more, and the votes that are still needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.verdict import decide
from detectable.inference.battle_votes import ELO, elo
from detectable.inference.rank_sets import rank_ranges
from detectable.inference.standard_errors import median_unbiased
from detectable.kernels.distributions import normal_quantile, t_below_each, t_quantile
from detectable.study.arena.result import ArenaPair, ArenaSystem, NextPair, PlainStrength
from detectable.study.arena.strengths import (
    Outside,
    Placing,
    Strengths,
    around,
    together,
)
from detectable.study.arena.votes import Tally
from detectable.study.settings import ArenaSettings


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of the answer, and the absolute t beyond which a pair differs significantly."""

    systems: tuple[ArenaSystem, ...]
    unadjusted: tuple[PlainStrength, ...] | None
    pairs: tuple[ArenaPair, ...]
    critical: float
    n_apart_alone: int
    design_effect: float


@dataclass(frozen=True, slots=True)
class _Whole:
    """All pairs of all systems, those without an estimate included, as matrices."""

    names: tuple[str, ...]
    strengths: FloatArray  # ±∞ for those that won or lost everything
    place: NDArray[np.int64]  # among the ranked; −1
    p_adjusted: FloatArray
    p_alone: FloatArray
    above: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many standard errors make an interval of all pairs, of one, and the detectable gap."""

    critical: float
    alone: float
    detectable: float


def ranked(
    names: tuple[str, ...],
    where: Placing,
    strengths: Strengths,
    others: list[Outside],
    counts: Tally,
    settings: ArenaSettings,
    beside: Strengths | None,
) -> Ranked:
    """Return systems, the strongest first, and pairs; other strengths stand beside.

    Where systems have no estimate, the error level is shared: the ranked take as large a part of α
    as they have of the pairs, and every other pair is tested at α over the number of all pairs.
    """
    k, core = len(names), where.ranked.size
    n_pairs, n_core = k * (k - 1) // 2, core * (core - 1) // 2
    critical = strengths.largest.critical(settings.alpha * n_core / n_pairs)
    whole = _whole(names, where, strengths, others, settings, scale=n_pairs / n_core)
    low, high = rank_ranges(whole.above)
    order = sorted(range(k), key=lambda i: (-whole.strengths[i], names[i]))
    naive = lmarena_ranks(strengths, settings.alpha)
    bounds = {one.system: one.bound for one in others}
    alone = t_quantile(1.0 - 0.5 * settings.alpha, strengths.df)
    wide, level = together(strengths, settings), 1.0 - settings.alpha
    systems = []
    for i in order:
        at = int(whole.place[i])
        strength = float(whole.strengths[i]) if at >= 0 else math.nan
        error = strengths.standard_error(at) if at >= 0 else math.nan
        systems.append(
            ArenaSystem(
                system=names[i],
                strength=strength,
                standard_error=error,
                interval=around(strength, error, wide, level),
                interval_alone=around(strength, error, alone, level),
                elo=elo(strength),
                rank_low=int(low[i]),
                rank_high=int(high[i]),
                votes=int(counts.votes[i].sum()),
                wins=counts.wins(i),
                placed=where.placed[i],
                bound=bounds.get(i, math.nan),
                **({} if beside is None else _adjusted(beside, at, settings)),
                lmarena_rank=int(naive[at]) if at >= 0 else None,
            )
        )
    # Of all pairs: a quantile of t for each would be most of the work where systems are many.
    sure = critical + t_quantile(settings.power, strengths.df)
    sizes = _Sizes(critical, alone, sure * median_unbiased(1.0, strengths.df))
    pairs = tuple(
        _pair(whole, strengths, counts, settings, sizes, i, j)
        for place, i in enumerate(order)
        for j in order[place + 1 :]
    )
    first, second = np.triu_indices(core, 1)
    t_votes = (
        np.abs(strengths.differences[first, second]) / strengths.errors_votes[first, second]
    )
    effect = (strengths.errors[first, second] / strengths.errors_votes[first, second]) ** 2
    return Ranked(
        tuple(systems),
        _unadjusted(beside, names, order, settings.alpha)
        if beside is not None and settings.adjusted == "decides"
        else None,
        pairs,
        critical,
        int((t_votes > normal_quantile(1.0 - 0.5 * settings.alpha)).sum()),
        float(np.median(effect)),
    )


def _adjusted(found: Strengths, at: int, settings: ArenaSettings) -> dict[str, Any]:
    """Return strength and ranks of a system with the side and covariates taken out."""
    if settings.adjusted == "decides":
        return {}  # these are its own
    low, high = found.ranks(settings.alpha)
    return {
        "adjusted": float(found.fit.strengths[at]),
        "adjusted_rank_low": int(low[at]),
        "adjusted_rank_high": int(high[at]),
    }


def _unadjusted(
    plain: Strengths, names: Sequence[str], order: Sequence[int], alpha: float
) -> tuple[PlainStrength, ...]:
    low, high = plain.ranks(alpha)
    return tuple(
        PlainStrength(
            system=names[i],
            strength=float(plain.fit.strengths[i]),
            rank_low=int(low[i]),
            rank_high=int(high[i]),
        )
        for i in order
    )


def lmarena_ranks(strengths: Strengths, alpha: float) -> NDArray[np.int64]:
    """Return 1 + the systems whose lower limit is above the upper one, votes independent.

    The rule of LMArena: it uses neither the error of a difference nor a level for all systems.
    """
    spread = np.sqrt(np.maximum(np.diag(strengths.covariance.votes), 0.0))
    half = normal_quantile(1.0 - 0.5 * alpha) * spread[: strengths.fit.strengths.size]
    low, high = strengths.fit.strengths - half, strengths.fit.strengths + half
    return np.asarray(1 + (low[:, None] > high[None, :]).sum(axis=0))


def _whole(
    names: tuple[str, ...],
    where: Placing,
    strengths: Strengths,
    others: list[Outside],
    settings: ArenaSettings,
    *,
    scale: float,
) -> _Whole:
    k = len(names)
    if not strengths.errors.max() > 0.0:
        raise DataError(
            "the votes do not vary: every cluster says exactly what the strengths say, and there is "
            "no standard error. Give more battles."
        )
    place = np.full(k, -1)
    place[where.ranked] = np.arange(where.ranked.size)
    ahead = {"above": math.inf, "below": -math.inf, "unknown": math.nan, "ranked": 0.0}
    values = np.array([ahead[kind] for kind in where.placed])
    values[where.ranked] = strengths.fit.strengths
    values = np.where(np.isnan(values), 0.0, values)
    core = np.ix_(where.ranked, where.ranked)
    adjusted, alone = np.ones((k, k)), np.ones((k, k))
    t = strengths.t
    adjusted[core] = np.minimum(1.0, strengths.largest.p(t) * scale)
    first, second = np.triu_indices(len(t), 1)
    one_way = 2.0 * t_below_each(-np.abs(t[first, second]), strengths.df)
    alone[where.ranked[first], where.ranked[second]] = one_way
    alone[where.ranked[second], where.ranked[first]] = one_way
    above = np.zeros((k, k), dtype=bool)
    above[core] = (adjusted[core] <= settings.alpha) & (t > 0.0)
    n_pairs = k * (k - 1) / 2
    for one in others:
        for j, p in zip(where.ranked.tolist(), one.p_values, strict=True):
            alone[one.system, j] = alone[j, one.system] = min(1.0, 2.0 * p)
            joint = min(1.0, 2.0 * p * n_pairs)
            adjusted[one.system, j] = adjusted[j, one.system] = joint
            if joint <= settings.alpha:
                up = where.placed[one.system] == "above"
                above[(one.system, j) if up else (j, one.system)] = True
    return _Whole(names, values, place, adjusted, alone, above)


def _pair(
    whole: _Whole,
    strengths: Strengths,
    counts: Tally,
    settings: ArenaSettings,
    sizes: _Sizes,
    i: int,
    j: int,
) -> ArenaPair:
    at, to = int(whole.place[i]), int(whole.place[j])
    known = at >= 0 and to >= 0
    level = 1.0 - settings.alpha
    difference = float(whole.strengths[i] - whole.strengths[j])
    error = float(strengths.errors[at, to]) if known else math.nan
    mde = sizes.detectable * error
    p = float(whole.p_adjusted[i, j])
    return ArenaPair(
        system=whole.names[i],
        baseline=whole.names[j],
        difference=difference,
        standard_error=error,
        interval=around(difference, error, sizes.critical, level)
        if known
        else _open(level, apart=p <= settings.alpha),
        interval_alone=around(difference, error, sizes.alone, level)
        if known
        else _open(level, apart=float(whole.p_alone[i, j]) <= settings.alpha),
        p_value=float(whole.p_alone[i, j]),
        p_adjusted=p,
        verdict=decide(difference, p=p, alpha=settings.alpha),
        chance=share_of(difference),
        share=counts.share(i, j),
        n=int(counts.votes[i, j]),
        mde=mde,
        mde_elo=ELO * mde,
        mde_share=share_of(mde),
        units_needed=votes_needed(
            strengths,
            at,
            to,
            gap=settings.effect,
            critical=sizes.critical,
            power=settings.power,
        )
        if known
        else None,
    )


def share_of(difference: float) -> float:
    """Return the share of wins that goes with a difference in strength."""
    if math.isnan(difference):
        return math.nan
    return math.exp(-float(np.logaddexp(0.0, -difference)))


def _open(level: float, *, apart: bool) -> Interval:
    """Return what is known of a difference that has no estimate: whether it is above zero."""
    return Interval(0.0 if apart else -math.inf, math.inf, level)


# --- How many votes it takes to separate two systems, and which vote helps most ---


def votes_needed(
    strengths: Strengths, i: int, j: int, *, gap: float, critical: float, power: float
) -> int | None:
    r"""Return how many more battles of two systems would show a gap with the given power.

    A gap of g log-odds needs a standard error of :math:`g / (c + z_{power})`. What there is has
    precision :math:`1/s^2`; every further battle of the two adds

    .. math:: \frac{p (1 - p)}{\varphi \cdot \text{deff}},

    with φ the variance of votes beside the one without ties (under a model of ties, what it says of a
    vote on average takes the place of p (1 − p)), and deff the design effect of this pair:
    :math:`(s / s_{votes})^2`. None where there is no standard error, or no number of votes would do.
    """
    error, alone = float(strengths.errors[i, j]), float(strengths.errors_votes[i, j])
    if not (error > 0.0 and alone > 0.0 and math.isfinite(critical)):
        return None
    g = gap / ELO
    lacking = ((critical + normal_quantile(power)) / g) ** 2 - error**-2
    if lacking <= 0.0:
        return 0  # also of gaps so large that one vote more tells nothing
    lost = math.exp(-g)
    told = lost / (1.0 + lost) ** 2
    told = told if math.isnan(strengths.information) else strengths.information
    added = told / (strengths.dispersion * (error / alone) ** 2)
    needed = lacking / added if added > 0.0 else math.inf
    return math.ceil(needed) if math.isfinite(needed) else None


def next_pair(strengths: Strengths, names: tuple[str, ...], i: int, j: int) -> NextPair:
    r"""Return the battle of which one more would sharpen the difference of i and j most.

    Differences have the variance of the resistance of a network whose conductances are
    :math:`n_{kl} p_{kl} (1 - p_{kl})` [1]_. One more vote of k and l lowers it by
    :math:`w (e_{ij}' H^+ e_{kl})^2 / (1 + w R_{kl})`, with :math:`w = p_{kl} (1 - p_{kl})`.

    References
    ----------
    .. [1] Doyle and Snell (1984), Random Walks and Electric Networks, Mathematical Association of
       America, chapter 1.
    """
    k = len(names)
    inverse = strengths.fit.inverse[:k, :k]
    column = inverse[:, i] - inverse[:, j]
    shared = column[:, None] - column[None, :]
    spread = np.diag(inverse)
    resistance = spread[:, None] + spread[None, :] - 2.0 * inverse
    chance = 1.0 / (1.0 + np.exp(-strengths.differences))
    weight = chance * (1.0 - chance)
    lowered = np.triu(weight * shared**2 / (1.0 + weight * resistance), 1)
    best = int(np.argmax(lowered))
    first, second = divmod(best, k)
    if strengths.fit.strengths[first] < strengths.fit.strengths[second]:
        first, second = second, first
    gain = float(lowered.ravel()[best] / resistance[i, j])
    return NextPair(between=(names[i], names[j]), vote=(names[first], names[second]), gain=gain)
