"""Two systems: the share of wins, by the exact sign test or by clusters, and pairs in both orders."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import decide
from detectable.data.battles.battles import TIE, Battles
from detectable.inference.battle_votes import ELO, elo
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.standard_errors import cluster_mean, median_unbiased
from detectable.kernels.distributions import binomial_at_most, t_below, t_quantile
from detectable.kernels.roots import bracketed_root
from detectable.planning.ask import mde
from detectable.planning.rank_sum import Preference
from detectable.study.arena.result import ArenaPair, ArenaSystem, BothOrders
from detectable.study.arena.votes import Clusters
from detectable.study.settings import ArenaSettings


@dataclass(frozen=True, slots=True)
class Share:
    """A share of wins and what may be said of it: all of one test."""

    test: Literal["sign", "t"]
    share: float
    standard_error: float
    interval: Interval
    p_value: float
    mde: float  # a share above ½
    critical: float
    df: float


def share_of_wins(battles: Battles, clusters: Clusters, *, alpha: float, power: float) -> Share:
    """Return the share of wins of the first of two systems.

    Votes that stand alone and are wins, losses and ties: by the exact sign test, which leaves
    ties aside. The share counts a tie as half, and its interval is that of the test: Clopper and
    Pearson's, of the decided votes. Otherwise by t over clusters, with CR2 errors.
    """
    y = np.where(battles.a == 0, battles.outcome, 1.0 - battles.outcome)
    plain = bool(np.isin(y, (0.0, TIE, 1.0)).all())
    if not clusters.codes and plain:
        return _by_signs(y, alpha, power)
    share, error, df = _clustered(y, clusters)
    if not error > 0.0:
        # All clusters say the same: each is one vote.
        codes = clusters.codes[0] if clusters.codes else np.arange(y.size)
        means = np.bincount(codes, y) / np.bincount(codes)
        return _by_signs(
            np.where(means > TIE, 1.0, np.where(means < TIE, 0.0, TIE)), alpha, power
        )
    critical = t_quantile(1.0 - 0.5 * alpha, df)
    low, high = max(0.0, share - critical * error), min(1.0, share + critical * error)
    return Share(
        "t",
        share,
        error,
        Interval(low, high, 1.0 - alpha),
        2.0 * t_below(-abs(share - TIE) / error, df),
        _within(TIE + (critical + t_quantile(power, df)) * median_unbiased(error, df)),
        critical,
        df,
    )


def _clustered(y: FloatArray, clusters: Clusters) -> tuple[float, float, float]:
    """Return the share, its standard error and degrees of freedom."""
    if len(clusters.codes) < 2:
        found = cluster_mean(y, clusters.codes[0] if clusters.codes else None)
        return found.value, found.standard_error, found.df
    first, second = (cluster_mean(y, codes) for codes in clusters.codes)
    crossed = cluster_mean(y, clusters.crossed())
    variance = first.standard_error**2 + second.standard_error**2 - crossed.standard_error**2
    # Never less than what one kind of clusters says by itself.
    error = math.sqrt(max(variance, first.standard_error**2, second.standard_error**2))
    return first.value, error, min(first.df, second.df)


def _by_signs(y: FloatArray, alpha: float, power: float) -> Share:
    n, wins, losses = y.size, int((y == 1.0).sum()), int((y == 0.0).sum())
    if n < 2:
        raise DataError("one battle says nothing about the next. Give at least two.")
    decided = wins + losses
    if not decided:
        raise DataError(
            "wins and losses balance in every cluster, so that nothing separates the systems."
        )
    kept = decided / n
    low, high = clopper_pearson(wins, decided, alpha=alpha)
    seen = mde(Preference(ties=1.0 - kept), n_items=n, power=power, alpha=alpha, drawn=0)
    share = float(y.mean())
    return Share(
        "sign",
        share,
        math.sqrt(float(((y - share) ** 2).mean()) / n),
        Interval(TIE + kept * (low - TIE), TIE + kept * (high - TIE), 1.0 - alpha),
        float(sign_test_p(wins, losses)),
        TIE + kept * (seen.effect - TIE),
        math.nan,
        math.inf,
    )


def clopper_pearson(wins: int, n: int, *, alpha: float) -> tuple[float, float]:
    """Return the interval of a share that agrees with the exact sign test.

    References
    ----------
    Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of
    the binomial", Biometrika 26(4), 404–413.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(10, 10, alpha=0.05)]
    [0.6915, 1.0]
    """

    def upper(k: int) -> float:
        """Return the share at which at most k wins have the chance α/2."""
        if k >= n:
            return 1.0
        return bracketed_root(
            lambda share: binomial_at_most(k, n, share) - 0.5 * alpha, 1e-12, 1.0 - 1e-12
        )

    return 1.0 - upper(n - wins), upper(wins)


def two_rows(
    battles: Battles, found: Share, settings: ArenaSettings
) -> tuple[tuple[ArenaSystem, ...], ArenaPair]:
    """Return both systems, the better first, and their pair."""
    turned = found.share < TIE
    share = 1.0 - found.share if turned else found.share
    low, high = found.interval.low, found.interval.high
    low, high = (1.0 - high, 1.0 - low) if turned else (low, high)
    names = battles.systems[::-1] if turned else battles.systems
    level = 1.0 - settings.alpha
    gap = Interval(_logit(low), _logit(high), level)
    difference = _logit(share)
    error = found.standard_error / (share * (1.0 - share)) if share < 1.0 else math.nan
    verdict = decide(difference, p=found.p_value, alpha=settings.alpha)
    systems = []
    for name, sign in zip(names, (0.5, -0.5), strict=True):
        low, high = sorted((sign * gap.low, sign * gap.high))
        half = Interval(low, high, level)
        told = verdict == "better"
        rank = 1 if sign > 0 else 2
        systems.append(
            ArenaSystem(
                system=name,
                strength=sign * difference,
                standard_error=0.5 * error,
                interval=half,
                interval_alone=half,
                elo=elo(sign * difference),
                rank_low=rank if told else 1,
                rank_high=rank if told else 2,
                votes=battles.n,
                wins=share if sign > 0 else 1.0 - share,
                placed="ranked" if share < 1.0 else "above" if sign > 0 else "below",
            )
        )
    seen = _logit(found.mde)
    pair = ArenaPair(
        system=names[0],
        baseline=names[1],
        difference=difference,
        standard_error=error,
        interval=gap,
        interval_alone=gap,
        p_value=found.p_value,
        p_adjusted=found.p_value,
        verdict=verdict,
        chance=share,
        share=share,
        n=battles.n,
        mde=seen,
        mde_elo=ELO * seen,
        mde_share=found.mde,
    )
    return tuple(systems), pair


def _logit(share: float) -> float:
    if not 0.0 < share < 1.0:
        return math.nan if math.isnan(share) else math.inf if share >= 1.0 else -math.inf
    return math.log(share / (1.0 - share))


def _within(share: float) -> float:
    """Return a share that can be, or none."""
    return share if share < 1.0 else math.nan


# --- Pairs that were judged in both orders ---

_FEWEST = 10  # pairs


def both_orders(battles: Battles, *, alpha: float) -> BothOrders | None:
    r"""Return how a judge decides pairs that it saw in both orders; None with fewer than ten.

    With :math:`x_1` and :math:`x_2` what a system has of a win where it is shown first and second, the
    effect of the first place is the mean of :math:`x_1 - x_2`, by t over prompts with CR2 errors. It is the
    same for whichever of the two systems it is counted.
    """
    rows, prompts = _in_both_orders(battles)
    if len(rows) < _FEWEST:
        return None
    same = cluster_mean((rows[:, 0] == rows[:, 1]).astype(np.float64), prompts)
    effect = cluster_mean(rows[:, 0] - rows[:, 1], prompts)
    level = 1.0 - alpha
    share = same.interval(level)
    return BothOrders(
        n_pairs=len(rows),
        share_same=same.value,
        interval=Interval(max(share.low, 0.0), min(share.high, 1.0), level),
        first=float(((rows[:, 0] == 1.0) & (rows[:, 1] == 0.0)).mean()),
        second=float(((rows[:, 0] == 0.0) & (rows[:, 1] == 1.0)).mean()),
        effect=effect.value,
        effect_interval=effect.interval(level),
        p_value=effect.p_value(),
    )


def _in_both_orders(battles: Battles) -> tuple[FloatArray, IntArray | None]:
    """Return what the first system has where shown first and second, and the prompts of the pairs."""
    prompt = battles.prompt
    if battles.orders is not None:
        known = np.isfinite(battles.orders).all(axis=1)
        return battles.orders[known], None if prompt is None else prompt.codes[known]
    nothing = np.empty((0, 2)), None
    if not battles.sided or prompt is None:
        return nothing
    voter = np.zeros(battles.n, int) if battles.voter is None else battles.voter.codes
    low = np.minimum(battles.a, battles.b)
    keys = zip(prompt.codes, voter, low, np.maximum(battles.a, battles.b), strict=True)
    seen: dict[tuple[int, ...], tuple[list[float], list[float]]] = {}
    for key, first, won in zip(
        keys, (battles.a == low).tolist(), battles.outcome.tolist(), strict=True
    ):
        seen.setdefault(tuple(map(int, key)), ([], []))[not first].append(
            won if first else 1.0 - won
        )
    pairs = {key: sides for key, sides in seen.items() if all(sides)}
    if not pairs:
        return nothing
    rows = np.array([[float(np.mean(side)) for side in sides] for sides in pairs.values()])
    return rows, np.array([key[0] for key in pairs])
