"""Whether a new system is worse than an old one by more than a margin, by the score rule."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import WORKING, Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.inference.margin_score import MarginKind, MarginScore

_ROUNDING = 1e-12  # of the largest score
_NOT_SAVED: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest(Result):
    """Whether a new system is worse than an old one by more than a margin.

    `p_noninferior` and `p_inferior` are of «worse by the margin or more» and «at most»; `limits` at
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
        """Return the p-value of «the true difference is at most `bound`»."""
        return self._known().p_above(bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of «the true difference is at least `bound`»."""
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
