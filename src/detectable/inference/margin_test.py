"""Whether a new system is worse than an old one by more than a margin, by the score rule."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import WORKING, Result, Signature
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.inference.margin_score import LEAST_P, MarginKind, MarginScore, dense_reach
from detectable.inference.standard_errors import t_tail
from detectable.kernels.distributions import t_quantile
from detectable.kernels.roots import bracketed_root

_ROUNDING = 1e-12  # of the largest score
_NOT_SAVED: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest(Result):
    """Whether a new system is worse than an old one by more than a margin.

    `p_noninferior` and `p_inferior` are of “worse by the margin or more” and “at most”; `limits` at
    1 − 2α lie above −margin, or below it, where one of them is at most α. `score` answers for other
    bounds and levels.
    """

    verdict: Verdict
    estimate: float
    p_noninferior: float
    p_inferior: float
    limits: Interval
    margin: float
    alpha: float
    kind: MarginKind
    reach: float
    largest_change: float
    df: float
    design_effect: float
    n: int
    n_units: int
    # None in one from a file, which holds no scores.
    score: MarginScore = field(default=_NOT_SAVED, repr=False, compare=False, metadata=WORKING)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true difference is at most `bound`”."""
        return self._known().p_above(bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”."""
        return self._known().p_below(bound)

    def interval(self, alpha: float | None = None) -> Interval:
        """Return the interval of both one-sided tests at α; its level is 1 − 2α."""
        return self._known().interval(self.alpha if alpha is None else alpha)

    def _known(self) -> MarginScore:
        if self.score is _NOT_SAVED:
            raise InputError(
                "This test was loaded from a file, which does not hold its scores. Test them again."
            )
        return self.score


def margin_test(
    new: ArrayLike,
    old: ArrayLike,
    *,
    margin: float,
    clusters: ArrayLike | None = None,
    scale: tuple[float, float] | None = None,
    largest_loss: float | None = None,
    alpha: float = 0.05,
) -> MarginTest:
    """Test whether a new system is worse than an old one by more than a margin.

    The score rule (`inference.margin_score`), on scores of any kind; higher is better.

    Parameters
    ----------
    new, old : array_like of shape (items,)
        Scores of the same items, in the same order.
    margin : float
        The loss that would matter.
    clusters : array_like of shape (items,), optional
        The document of each item, or whatever groups items that depend on each other.
    scale : (float, float), optional
        The least and the largest possible score.
    largest_loss : float, optional
        What one item can lose at most, where most scores do not change: 25 for MQM.
    alpha : float
        One-sided level.

    Examples
    --------
    >>> found = margin_test([1] * 60 + [0] * 40, [1] * 60 + [0] * 40, margin=0.05)
    >>> found.verdict, found.kind, round(found.p_noninferior, 5)
    ('non-inferior', 'two-valued', 0.01089)
    >>> [round(limit, 4) for limit in found.interval(0.05).to_json()]
    [-0.03, 0.03]
    """
    ours, theirs = check.vector(new, "new"), check.vector(old, "old")
    if ours.size != theirs.size:
        raise InputError(
            f"`new` and `old` must have one score per item each; got {ours.size} and "
            f"{theirs.size}. Pair them by item first."
        )
    margin, alpha = check.positive(margin, "margin"), check.probability(alpha, "alpha")
    if alpha >= 0.5:
        raise InputError(f"`alpha` must be below .5, as it is one-sided; got {alpha:g}.")
    codes = None
    if clusters is not None:
        named = np.asarray(clusters)
        if named.shape != ours.shape:
            raise InputError(
                f"`clusters` must name the cluster of each of {ours.size} items; got shape "
                f"{named.shape}."
            )
        codes = np.unique(named, return_inverse=True)[1]
    if scale is not None:
        check_on_scale(scale, margin, {"new": ours, "old": theirs})
    check_largest_loss(largest_loss, ours - theirs)
    found = MarginScore.of(ours, theirs, codes, scale=scale, largest_loss=largest_loss)
    settings: dict[str, str | int | float] = {
        "n": ours.size,
        "units": found.n_units,
        "kind": found.kind,
        "margin": margin,
        "alpha": alpha,
    }
    return MarginTest(
        verdict=found.verdict(margin, alpha),
        estimate=found.value,
        p_noninferior=found.p_above(-margin),
        p_inferior=found.p_below(-margin),
        limits=found.interval(alpha),
        margin=margin,
        alpha=alpha,
        kind=found.kind,
        reach=found.reach,
        largest_change=found.largest,
        df=found.df,
        design_effect=found.design_effect,
        n=ours.size,
        n_units=found.n_units,
        score=found,
        signature=Signature("margin-test", settings),
    )


def check_on_scale(
    scale: tuple[float, float], margin: float, scores: Mapping[str, FloatArray]
) -> None:
    """Refuse a scale that is none, a score that is not on it, and a margin that no loss reaches."""
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"`scale` must be the least and the largest possible score; got {low:g}:{high:g}."
        )
    for name, values in scores.items():
        with np.errstate(invalid="ignore"):  # what has no score is on every scale
            outside = np.argwhere((values < low) | (values > high))
        if outside.size:
            place = tuple(int(at) for at in outside[0])
            raise InputError(
                f"`scale` is {low:g}:{high:g}, and {name} has {values[place]:g} in row "
                f"{place[-1] + 1}. Correct the score or the scale."
            )
    if margin >= high - low:
        raise InputError(
            f"`margin` must be below {high - low:g}, the length of the scale; got {margin:g}. No "
            "system can lose more than that."
        )


def check_largest_loss(largest_loss: float | None, differences: FloatArray) -> None:
    """Refuse a largest loss that is below one that was seen."""
    if largest_loss is None:
        return
    check.positive(largest_loss, "largest_loss")
    lost = -float(differences.min())
    if lost > largest_loss * (1.0 + _ROUNDING):
        raise InputError(
            f"`largest_loss` must be at least what some item lost, {lost:g} in row "
            f"{int(differences.argmin()) + 1}; got {largest_loss:g}."
        )


# --- The score rule for a weighted mean of strata: tasks, or domains ---
#
# With a difference :math:`\theta = \sum_t w_t \bar d_t` of strata that are worth :math:`N_t`
# independent items each, take the likelihood of all data restricted to :math:`\theta = \delta`, as
# `inference.margin_score` does for one. Its maximum gives every stratum a mean
# :math:`\delta_t = \bar d_t - g_t` and the tilt :math:`\lambda_t = c\,w_t/N_t`, with one c for all [1]_.
# A stratum with this tilt has the variance :math:`V_t = g_t/\lambda_t`, so that
#
# .. math::
#
# \sum_t w_t\,g_t(c) = \theta - \delta, \qquad
# z(\delta)^2 = \frac{(\theta - \delta)^2}{\sum_t w_t^2 V_t / N_t} = c\,(\theta - \delta).
#
# The kind of the scores, and how far one item may fall, follow from all strata together: in many small
# strata each alone knows little. Dense data fall as far as in their own stratum, but no farther than
# the largest deviation of all strata and :math:`\kappa = 1.5 + 5/\sum_t G_t` say. With one stratum
# this is the rule for one. Degrees of freedom are Satterthwaite's, with the variance of each stratum
# as if one more item had changed by its reach: that of a stratum without changes would count for
# nothing.
#
# Where every difference is 0, p is at least the chance of that if all that is lost is lost in the
# stratum where it is seen least: :math:`p(-M) \ge e^{-M \min_t G_t/(w_t r_t)}`.
#
# References
# ----------
# .. [1] Owen (2001), Empirical Likelihood, Chapman and Hall, section 11.4 for several samples; its
# variance in a score statistic is ours, as in `inference.margin_score`.

_STEPS = 200
_CLOSE = 1e-14  # of the largest distance: steps below it change nothing
_WIDEST = 80.0  # on the scale of logarithms, about the usual tilt


@dataclass(frozen=True, slots=True)
class StratifiedScore:
    """A weighted mean of differences, and what the score rule makes of it; higher is better.

    Attributes
    ----------
    strata : tuple of MarginScore
        What each stratum says alone.
    weights : array
        They add up to 1.
    pooled : MarginScore
        What all items say together: it tells the kind, and how far one may fall.
    design_effect : float
        By how much clusters that lie in several strata raise the variance; at least 1.
    """

    strata: tuple[MarginScore, ...]
    weights: FloatArray
    pooled: MarginScore
    design_effect: float = 1.0
    points: "_Points" = field(init=False, repr=False, compare=False, metadata=WORKING)

    def __post_init__(self) -> None:
        worth = np.array([one.worth for one in self.strata]) / self.design_effect
        object.__setattr__(self, "points", _Points.of(self.strata, self.weights / worth))

    @classmethod
    def of(
        cls,
        new: FloatArray,
        old: FloatArray,
        strata: IntArray,
        *,
        weights: FloatArray,
        clusters: IntArray | None = None,
        scale: tuple[float, float] | None = None,
        largest_loss: float | None = None,
        kind: MarginKind | None = None,
    ) -> "StratifiedScore":
        """Return what the scores of two systems say; see `MarginScore.of`.

        Parameters
        ----------
        strata : array of int of shape (items,)
            The stratum of each item: the position of its weight.
        """
        pooled = MarginScore.of(
            new, old, clusters, scale=scale, largest_loss=largest_loss, kind=kind
        )
        dense = pooled.kind == "dense"
        found = []
        for t in range(weights.size):
            of = strata == t
            one = MarginScore.of(
                new[of],
                old[of],
                None if clusters is None else clusters[of],
                scale=scale,
                largest_loss=None if dense else pooled.reach,
                kind=pooled.kind,
            )
            found.append(one)
        if dense and pooled.speaks:
            farthest = max(float(np.abs(one.deviations).max()) for one in found)
            most = dense_reach(farthest, sum(one.n_units for one in found))
            found = [
                replace(one, reach=min(one.reach, most))
                if one.speaks
                else replace(one, reach=most, worth=float(one.n_units))
                for one in found
            ]
        effect = 1.0 if clusters is None else _shared(new - old, strata, weights, clusters)
        return cls(tuple(found), weights, pooled, effect)

    @property
    def value(self) -> float:
        """The weighted mean of the differences."""
        return float(self.weights @ [one.value for one in self.strata])

    @property
    def df(self) -> float:
        """Degrees of freedom; NaN where a stratum has a single unit."""
        parts, least = np.empty((2, len(self.strata)))
        for t, one in enumerate(self.strata):
            spread = one.spread + one.reach**2 / one.worth
            parts[t], least[t] = self.weights[t] ** 2 * spread / one.worth, one.df
        noise = float((np.square(parts) / least).sum())
        return math.inf if noise == 0.0 else float(parts.sum()) ** 2 / noise

    @property
    def speaks(self) -> bool:
        """Whether anything follows from every stratum."""
        return all(one.speaks for one in self.strata)

    @property
    def unchanged(self) -> bool:
        """Whether every difference is 0."""
        return all(one.unchanged for one in self.strata)

    def score(self, bound: float) -> float:
        """Return z(`bound`), to be read as t with `df`: positive if the difference is above."""
        if not self.speaks:
            return math.nan
        gap = abs(self.value - float(bound))
        if gap == 0.0:
            return 0.0
        side = 1.0 if self.value > bound else -1.0
        tilt = self._solve(lambda c: self._gap(side, c) - gap)
        return side * math.sqrt(gap * tilt)

    def interval(self, alpha: float) -> Interval:
        """Return all bounds that neither one-sided test rejects at α; its level is 1 − 2α."""
        level = 1.0 - 2.0 * alpha
        if not self.speaks:
            return Interval(math.nan, math.nan, level)
        square = t_quantile(alpha, self.df) ** 2

        def end(side: float) -> float:
            tilt = self._solve(lambda c: c * self._gap(side, c) - square)
            return self.value - side * self._gap(side, tilt)

        low, high = end(1.0), end(-1.0)
        if self.unchanged:
            three = min(-math.log(alpha) / self._least_seen, self.pooled.reach)
            low, high = min(low, -three), max(high, three)
        return Interval(low, high, level)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true difference is at most `bound`”: small if it is above."""
        return self._p(self.score(bound), -bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”: small if it is below."""
        return self._p(-self.score(bound), bound)

    def _p(self, z: float, distance: float) -> float:
        if not self.speaks:
            return math.nan if any(math.isnan(one.df) for one in self.strata) else 1.0
        found = t_tail(z, self.df)
        if self.unchanged and distance > 0.0:
            found = max(found, math.exp(-distance * self._least_seen))
        return max(found, LEAST_P)

    def passable(self, alpha: float, power: float) -> float:
        """Return the margin that is shown with a given chance if the true difference is 0.

        As `MarginScore.passable`, with the differences of every stratum taken with either sign.
        """
        if not self.speaks:
            return math.nan
        if self.unchanged:
            return min(self.interval(alpha).high, self.pooled.reach)
        equal = StratifiedScore(
            tuple(one.of_either_sign() for one in self.strata),
            self.weights,
            self.pooled,
            self.design_effect,
        )
        spent = t_quantile(1.0 - alpha, self.df), t_quantile(power, self.df)
        spread = np.array([one.spread for one in equal.strata])
        now = math.sqrt(float(equal.points.ratios * self.weights @ spread))

        def short(tilt: float) -> float:
            margin = equal._gap(1.0, tilt)
            return margin - spent[0] * math.sqrt(margin / tilt) - spent[1] * now

        return equal._gap(1.0, equal._solve(short))

    @property
    def _least_seen(self) -> float:
        """How many units a loss of 1 touches at least."""
        units = np.array([one.n_units for one in self.strata])
        return float((units / self.weights).min()) / self.pooled.reach

    def _gap(self, side: float, tilt: float) -> float:
        return float(self.weights @ self.points.gaps(side, tilt))

    def _solve(self, rises: Callable[[float], float]) -> float:
        """Return the tilt at which a rising function is 0; the largest number where it stays below."""
        spread = [one.spread + one.reach**2 / one.worth for one in self.strata]
        middle = -0.5 * math.log(float(self.points.ratios * self.weights @ np.array(spread)))
        low, high = middle - 1.0, middle + 1.0
        while rises(math.exp(low)) > 0.0 and low > middle - _WIDEST:
            low -= 2.0
        while rises(math.exp(high)) < 0.0:
            high += 2.0
            if high > middle + _WIDEST:
                return math.exp(high)  # beyond everything that is possible
        return math.exp(bracketed_root(lambda at: rises(math.exp(at)), low, high))


def _shared(
    differences: FloatArray, strata: IntArray, weights: FloatArray, clusters: IntArray
) -> float:
    """Return by how much clusters raise the variance by lying in several strata; at least 1."""
    sizes = np.bincount(strata, minlength=weights.size)
    means = np.bincount(strata, differences, weights.size) / np.maximum(sizes, 1)
    parts = np.zeros((int(clusters.max()) + 1, weights.size))
    np.add.at(
        parts, (clusters, strata), (weights / sizes)[strata] * (differences - means[strata])
    )
    alone = float(np.square(parts).sum())
    return max(float(np.square(parts.sum(axis=1)).sum()) / alone, 1.0) if alone > 0.0 else 1.0


@dataclass(frozen=True, slots=True)
class _Points:
    """The points of all strata in a row, so that all tilts are found at once."""

    deviations: FloatArray
    shares: FloatArray
    weights: FloatArray
    begin: IntArray  # where every stratum begins
    sizes: IntArray
    rooms: dict[float, FloatArray]  # by side
    ratios: FloatArray  # weight by worth: what the tilt is multiplied with

    @classmethod
    def of(cls, strata: Sequence[MarginScore], ratios: FloatArray) -> "_Points":
        sizes = np.array([one.deviations.size for one in strata])

        def row(values: list[FloatArray | float]) -> FloatArray:
            return np.concatenate(
                [np.broadcast_to(v, n) for v, n in zip(values, sizes, strict=True)]
            )

        return cls(
            deviations=row([one.deviations for one in strata]),
            shares=row([one.shares for one in strata]),
            weights=row([one.weights for one in strata]),
            begin=np.concatenate([[0], np.cumsum(sizes)[:-1]]),
            sizes=sizes,
            rooms={side: np.array([one.room(side) for one in strata]) for side in (1.0, -1.0)},
            ratios=ratios,
        )

    def gaps(self, side: float, tilt: float) -> FloatArray:
        r"""Return how far from its mean each stratum is at λ = `tilt` · ratio.

        Without mass at the reach, g solves :math:`\sum_i w_i/(1 + \lambda(x_i + s_i g)) = 1`. The
        sum is convex in g and falls, and no term is above 1 at the root: Newton's steps from where
        the first of them is 1 rise without ever passing it. With mass there, g is room − 1/λ.
        """
        tilts = tilt * self.ratios
        each, x = np.repeat(tilts, self.sizes), side * self.deviations
        least = ((self.weights - 1.0) / each - x) / self.shares
        gaps: FloatArray = np.maximum.reduceat(least, self.begin)
        scale = np.maximum(self.rooms[side], 1e-300)
        for _ in range(_STEPS):
            y = each * (x + self.shares * np.repeat(gaps, self.sizes))
            inverse = 1.0 / (1.0 + y)
            miss = -np.add.reduceat(self.weights * y * inverse, self.begin)
            slope = np.add.reduceat(self.weights * each * self.shares * inverse**2, self.begin)
            change = np.maximum(miss, 0.0) / slope
            gaps = gaps + change
            if (change <= _CLOSE * scale).all():
                break
        found: FloatArray = np.maximum(np.maximum(gaps, self.rooms[side] - 1.0 / tilts), 0.0)
        return found
