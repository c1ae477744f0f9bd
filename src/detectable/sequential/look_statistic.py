r"""One number per look: each test as a statistic that is standard normal without a difference.

Means, Mann-Whitney's U and every estimator with an influence function are canonical: at nested
samples :math:`\mathrm{Cov}(Z_j, Z_k) = \sqrt{t_j / t_k}`, with ties and for any size of sample.
Only normality is approximate. For small samples a t statistic is replaced by the z with the same
tail (the significance-level approach of Jennison and Turnbull 2000, section 3.3).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.inference import classic_tests as rank_tests
from detectable.inference.margin_score import MarginScore
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import normal_below, normal_quantile, t_below, t_quantile
from detectable.sequential import boundaries
from detectable.sequential.design_result import Design, check_times, spent_by
from detectable.sequential.families import family_row, spending_families

_LARGEST = 38.0  # the z whose tail is the smallest positive double


@dataclass(frozen=True, slots=True, kw_only=True)
class LookStatistic:
    """What one look knows about one pair of systems.

    Attributes
    ----------
    z : float
        The statistic to compare with a boundary; positive where the system is ahead.
    estimate, standard_error : float
        In the units of `scale`; z is their ratio, or the normal equivalent of it.
    df : float
        Degrees of freedom behind the standard error; infinite for rank tests.
    n_units : int
        Independent comparisons: items judged for both systems, or the mean size of two samples.
    n_clusters : int or None
        Documents or raters, if they are the clusters.
    scale : str
        What the estimate measures.
    shares : PairedShares or None
        What scores of two values say: their limits are those of score tests.
    score : MarginScore or None
        The same of other scores, for tests of a margin.
    """

    z: float
    estimate: float
    standard_error: float
    df: float
    n_units: int
    n_clusters: int | None = None
    scale: str = "mean difference"
    shares: PairedShares | None = None
    score: MarginScore | None = None

    def half_width(self, bound: float) -> float:
        """Return the half-width of the interval that a z bound stands for."""
        if math.isinf(bound):
            return math.inf
        return self.standard_error * t_from_z(bound, self.df)

    def limits(self, bound: float) -> tuple[float, float]:
        """Return the interval that a z bound stands for: the differences it would not reject."""
        if self.shares is not None and math.isfinite(bound):
            return self.shares.limits(t_from_z(bound, self.df))
        if self.score is not None and math.isfinite(bound):
            found = self.score.interval(normal_below(-bound))
            return found.low, found.high
        half = self.half_width(bound)
        return self.estimate - half, self.estimate + half

    def unit_error(self) -> float:
        """Return the standard error on the scale of z, so that estimate / error is z exactly."""
        return self.estimate / self.z if self.z != 0.0 else self.standard_error


def paired_mean(
    differences: ArrayLike,
    clusters: IntArray | None = None,
    *,
    score: MarginScore | None = None,
    weights: FloatArray | None = None,
) -> LookStatistic:
    r"""Return the mean of paired differences over its standard error.

    With clusters the standard error is cluster-robust (CR2) with Bell and McCaffrey's degrees of
    freedom, see `inference.standard_errors`, so z is :math:`\Phi^{-1}(F_{t,df}(t))`. Without that step
    a look with seven documents has an error rate of 10 % in place of 5 %.

    Parameters
    ----------
    differences : array_like
        System − baseline, one per item.
    clusters : array of int, optional
        The document or rater of each difference.
    score : MarginScore, optional
        For tests of a margin: limits are then those of the score rule.
    weights : array, optional
        What each difference stands for, where items were drawn with unequal probabilities. Documents
        come in random order, so that a part of them has the same relative weights.

    Examples
    --------
    >>> look = paired_mean([1, 2, 0, 3, 2, 1])
    >>> round(look.estimate, 2), round(look.z, 3)
    (1.5, 2.382)
    """
    d = check.vector(differences, "differences", min_size=2)
    found = cluster_mean(d, clusters, weights)
    n_clusters = None if clusters is None else np.unique(clusters).size
    if score is not None and score.speaks and found.standard_error == 0.0:
        # No spread was seen, but the score rule knows of losses that were not.
        return LookStatistic(
            z=z_from_t(score.score(0.0), score.df),
            estimate=found.value,
            standard_error=math.inf,
            df=score.df,
            n_units=int(d.size),
            n_clusters=n_clusters,
            score=score,
        )
    made = from_t(
        found.value,
        found.standard_error,
        found.df,
        n_units=int(d.size),
        n_clusters=n_clusters,
    )
    return made if score is None else replace(made, score=score)


def paired_shares(
    differences: ArrayLike, clusters: IntArray | None = None, *, span: float = 1.0
) -> LookStatistic:
    r"""Return Tango's score statistic of scores that are 0 or `span`.

    For tests of a margin: with few items that differ, the mean over its standard error claims
    margins that do not hold (`inference.shares`). z is the statistic of no difference,
    McNemar's :math:`(b - c)/\sqrt{b + c}` where items are independent.

    Examples
    --------
    >>> look = paired_shares([0] * 90 + [1] * 4 + [-1] * 6)
    >>> round(look.z, 3), [round(limit, 4) for limit in look.limits(1.96)]
    (-0.632, [-0.0917, 0.0483])
    """
    d = check.vector(differences, "differences", min_size=2)
    shares = PairedShares.of_differences(d, clusters, span=span)
    discordant = shares.fixed + shares.broken
    error = span * math.sqrt(shares.design_effect * discordant) / shares.n
    return LookStatistic(
        z=z_from_t(shares.score(0.0), shares.df),
        estimate=shares.value,
        standard_error=error if discordant else math.inf,
        df=shares.df,
        n_units=int(shares.n),
        n_clusters=None if clusters is None else np.unique(clusters).size,
        shares=shares,
    )


def signed_rank(differences: ArrayLike) -> LookStatistic:
    """Return Wilcoxon's signed-rank statistic with Pratt's rule for zeros.

    The estimate is the rank-biserial correlation, see `inference.classic_tests`.
    """
    d = check.vector(differences, "differences", min_size=2)
    return _from_ranks(rank_tests.signed_rank(d), d.size, "rank-biserial correlation")


def rank_sum(system: ArrayLike, baseline: ArrayLike) -> LookStatistic:
    """Return Mann-Whitney's z with ties, for two samples that share no items.

    The estimate is P(system > baseline) + ½ P(equal) − ½. Continuity is not corrected for: that
    would have to be the same at all looks, and moves the fourth decimal.

    Examples
    --------
    >>> look = rank_sum([3, 3, 2, 3, 1, 3, 2, 3, 2, 3], [1, 2, 1, 3, 2, 1, 2, 3, 1, 2])
    >>> round(look.z, 3), round(look.estimate, 3)
    (1.934, 0.24)
    """
    a = check.vector(system, "system", min_size=2)
    b = check.vector(baseline, "baseline", min_size=2)
    return _from_ranks(rank_tests.rank_sum(a, b), same_size(a.size, b.size), "P(better) − ½")


def _from_ranks(test: rank_tests.RankTest, n_units: int, scale: str) -> LookStatistic:
    return LookStatistic(
        z=test.z,
        estimate=test.effect,
        standard_error=test.standard_error,
        df=math.inf,
        n_units=n_units,
        scale=scale,
    )


def same_size(n: float, m: float) -> int:
    """Return the size of two equal samples with the information of samples of n and m.

    That is their harmonic mean: the information of a difference of means, and of Mann-Whitney's U
    up to a term of order 1/N, is n m / (n + m).
    """
    return round(2.0 * n * m / (n + m))


def proportions(system: ArrayLike, baseline: ArrayLike) -> LookStatistic:
    r"""Return the score statistic of two proportions from samples that share no items.

    .. math:: z = \frac{\hat p_A - \hat p_B}{\sqrt{\hat p (1 - \hat p) (1/n + 1/m)}}

    with the pooled :math:`\hat p`. Its square is Pearson's chi-squared without correction.

    Parameters
    ----------
    system, baseline : array_like
        0 or 1 for every item.

    Examples
    --------
    >>> look = proportions([1] * 40 + [0] * 10, [1] * 30 + [0] * 20)
    >>> round(look.estimate, 2), round(look.z, 3)
    (0.2, 2.182)
    """
    a = check.vector(system, "system", min_size=2)
    b = check.vector(baseline, "baseline", min_size=2)
    units = same_size(a.size, b.size)
    pooled = float(a.sum() + b.sum()) / (a.size + b.size)
    if pooled in (0.0, 1.0):
        return _nothing(units, "difference of proportions")
    error = math.sqrt(pooled * (1.0 - pooled) * (1.0 / a.size + 1.0 / b.size))
    shift = float(a.mean() - b.mean())
    return LookStatistic(
        z=shift / error,
        estimate=shift,
        standard_error=error,
        df=math.inf,
        n_units=units,
        scale="difference of proportions",
    )


def two_means(system: ArrayLike, baseline: ArrayLike) -> LookStatistic:
    """Return Welch's t of two samples that share no items, as a z."""
    a = check.vector(system, "system", min_size=2)
    b = check.vector(baseline, "baseline", min_size=2)
    parts = (float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size)
    total = sum(parts)
    units = same_size(a.size, b.size)
    shares = parts[0] ** 2 / (a.size - 1.0) + parts[1] ** 2 / (b.size - 1.0)
    df = total**2 / shares if shares > 0.0 else float(a.size + b.size - 2)
    return from_t(float(a.mean() - b.mean()), math.sqrt(total), df, n_units=units)


def preference(wins: int, losses: int, ties: int = 0) -> LookStatistic:
    """Return the score statistic of wins against losses.

    Comparisons without a winner count as units, and not in the statistic. The estimate is
    P(win | decided) − P(loss | decided).
    """
    decided = wins + losses
    if decided == 0:
        return _nothing(ties, "wins − losses, of those decided")
    return LookStatistic(
        z=(wins - losses) / math.sqrt(decided),
        estimate=(wins - losses) / decided,
        standard_error=1.0 / math.sqrt(decided),
        df=math.inf,
        n_units=wins + losses + ties,
        scale="wins − losses, of those decided",
    )


def from_t(
    value: float,
    standard_error: float,
    df: float,
    *,
    n_units: int,
    n_clusters: int | None = None,
) -> LookStatistic:
    """Return the statistic of an estimate with a t distribution: any mixed-model contrast, say."""
    if standard_error == 0.0:
        if value == 0.0:
            return _nothing(n_units, "mean difference", n_clusters)
        raise DataError(
            f"all {n_units:,} differences are equal to {value:g}, so their spread says nothing "
            "about the next one. Collect more judgments before looking."
        )
    return LookStatistic(
        z=z_from_t(value / standard_error, df),
        estimate=value,
        standard_error=standard_error,
        df=df,
        n_units=n_units,
        n_clusters=n_clusters,
    )


def z_from_t(t: float, df: float) -> float:
    """Return the normal quantile with the tail of a t statistic.

    Examples
    --------
    >>> round(z_from_t(2.570582, 5.0), 6)
    1.959964
    """
    if math.isinf(df):
        return t
    z = -normal_quantile(t_below(-abs(t), df))
    return math.copysign(min(z, _LARGEST), t)


def t_from_z(z: float, df: float) -> float:
    """Return the t quantile with the tail of a z.

    Examples
    --------
    >>> round(t_from_z(1.959964, 5.0), 4)
    2.5706
    """
    if math.isinf(df):
        return z
    return math.copysign(
        -t_quantile(normal_below(-abs(z)), df), z
    )  # the small tail has the digits


def _nothing(n_units: int, scale: str, n_clusters: int | None = None) -> LookStatistic:
    """Return the statistic of data in which nothing differs."""
    return LookStatistic(
        z=0.0,
        estimate=0.0,
        standard_error=math.inf,
        df=math.inf,
        n_units=n_units,
        n_clusters=n_clusters,
        scale=scale,
    )


# --- Boundaries at the looks that took place, and what is still to come ---

_SAME = 1e-9  # look times that differ by less are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBoundaries:
    """Boundaries at all looks so far.

    Attributes
    ----------
    z : tuple of float
        Upper boundary at every look; a two-sided test mirrors it.
    alpha_spent : tuple of float
        Of both sides, up to every look.
    futility : float or None
        At the present look, which is the last of them.
    """

    z: tuple[float, ...]
    alpha_spent: tuple[float, ...]
    futility: float | None


def look_boundaries(
    design: Design, information: Sequence[float], *, final: bool = False
) -> LookBoundaries:
    r"""Return the boundaries of a design at the looks that took place.

    Spending families take looks at any time. Classical families look at their planned times:
    a planned look that was left out only makes the test stricter than it need be. A last look
    that is declared at another time than planned spends what the earlier looks have left of α,
    with the covariance of the actual times:

    .. math:: P_0(\text{no stop before } k, |Z_k| \ge u_k) = \alpha - \alpha_{k-1}.

    Parameters
    ----------
    design : Design
        At the level of the test.
    information : sequence of float
        Shares of the planned maximum at all looks so far, the present one last.
    final : bool
        Whether the present look is declared the last.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> pocock = design("pocock", looks=3)
    >>> [round(z, 4) for z in look_boundaries(pocock, (1 / 3, 2 / 3)).z]
    [2.2895, 2.2895]
    >>> [round(z, 4) for z in look_boundaries(pocock, (1 / 3, 0.5), final=True).z]
    [2.2895, 2.0517]
    """
    if family_row(design.family).spends:
        found = design.boundaries_for(information, final=final)
        return LookBoundaries(
            z=found.z, alpha_spent=found.alpha_spent, futility=found.futility[-1]
        )
    times = check_times(information, "information")
    at = [_planned(design, t) for t in times]
    early = final and at[-1] != len(design.information) - 1
    if any(k is None for k in at[:-1]) or (at[-1] is None and not final):
        raise InputError(
            f"`information` must be planned times of the family {design.family}; got "
            f"{', '.join(f'{t:.4g}' for t in times)}. For looks at other times choose "
            f"{spending_families()} before the evaluation starts."
        )
    planned = tuple(design.z[k] for k in at if k is not None)
    if not early:
        stops = boundaries.symmetric_stops(times, planned, sided=design.sided)
        last = at[-1] if at[-1] is not None else -1
        return LookBoundaries(
            z=planned,
            alpha_spent=spent_by(stops, obeyed=False),
            futility=design.futility[last],
        )
    return _declared_last(design, times, planned[: len(times) - 1])


def _declared_last(
    design: Design, times: tuple[float, ...], earlier: tuple[float, ...]
) -> LookBoundaries:
    """Spend at the last look all that the earlier ones left."""
    spent: tuple[float, ...] = ()
    if earlier:
        stops = boundaries.symmetric_stops(times[:-1], earlier, sided=design.sided)
        spent = spent_by(stops, obeyed=False)
    spent = (*spent, design.alpha)
    z = boundaries.spending_boundary(
        times, [s / design.sided for s in spent], sided=design.sided
    )
    return LookBoundaries(z=(*earlier, z[-1]), alpha_spent=spent, futility=None)


def _planned(design: Design, t: float) -> int | None:
    """Return which planned look comes at a time, if one does."""
    for k, time in enumerate(design.information):
        if abs(time - t) < _SAME:
            return k
    return None


# --- What is still to come, given what has been seen ---


def expected_remaining(
    design: Design, *, t: float, z: float, drift: float | None = None
) -> float:
    r"""Return the share of the maximum that is expected to be needed after an interim look.

    After the look at `t` the rest is a design of its own on the information :math:`t_j - t` (see
    `conditional_rejection`); its expected length is the sum over the planned looks to come,
    stops for futility included.

    Parameters
    ----------
    design : Design
        Its planned looks after `t` count.
    t, z : float
        Share of the maximum and statistic at the look.
    drift : float, optional
        Assumed for the rest; by default the current trend, :math:`z / \sqrt t`.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> plan = design("hsd", looks=10)
    >>> round(expected_remaining(plan, t=0.5, z=2.5), 2)  # nearly there
    0.18
    >>> round(expected_remaining(plan, t=0.5, z=0.5, drift=0.0), 2)
    0.17
    """
    ahead = [k for k, time in enumerate(design.information) if time > t + 1e-9]
    if not ahead:
        return 0.0
    seen = z * math.sqrt(t)

    def given(bound: float, time: float) -> float:
        return (bound * math.sqrt(time) - seen) / math.sqrt(time - t)

    times = [design.information[k] for k in ahead]
    lower = [-math.inf if design.sided == 1 else -design.z[k] for k in ahead]
    inside: list[tuple[float, float] | None] = []
    for k, time in zip(ahead, times, strict=True):
        bound = design.futility[k]
        if bound is None:
            inside.append(None)
            continue
        low = -bound if design.sided == 2 else -math.inf
        inside.append((given(low, time), given(bound, time)))
    stops = boundaries.Stops(
        tuple(time - t for time in times),
        tuple(given(design.z[k], time) for k, time in zip(ahead, times, strict=True)),
        tuple(given(low, time) for low, time in zip(lower, times, strict=True)),
        tuple(inside),
    )
    assumed = z / math.sqrt(t) if drift is None else drift
    chances = boundaries.stop_chances(stops, assumed).anywhere()[0]
    return float(sum(p * (time - t) for p, time in zip(chances, times, strict=True)))
