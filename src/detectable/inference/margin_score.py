r"""One rule for margins: the score statistic with the variance that the margin itself would imply.

With differences :math:`d_1 \ldots d_n` of mean :math:`\bar d` and a bound :math:`\delta < \bar d`,
take the likelihood of the data restricted to mean δ [1]_. Mass may also lie at −r, the largest loss
of one item, whether or not one was seen [2]_. With :math:`x_i = d_i - \delta`,

.. math::

    \sum_i \frac{x_i}{1 + \lambda x_i} = 0, \quad \lambda \in [0, 1/(r + \delta)], \qquad
    z(\delta) = \sqrt{n}\,\frac{\bar d - \delta}{\sqrt{V(\delta)}},

where V is the variance of the restricted distribution and λ ends at :math:`1/(r + \delta)` if there
is no root: then mass lies at −r. In both cases :math:`V = (\bar d - \delta)/\lambda`, so that
:math:`z(\delta)^2 = n (\bar d - \delta) \lambda`.

For :math:`\bar d < \delta` the data are mirrored. On 0/1 scores this is Tango's statistic
(`inference.shares`). A t test fails here: with few, large and one-sided differences it does not
know of the losses that it has not seen.

**Kinds of data.** What r is follows from the scores of both systems together, not from the margin
or the sign of a difference. R is the length of the scale, or the range seen.

- *two-valued*: at most two different scores, unless without a scale each system has one of its
  own. r is the scale, or the distance of the two; normal.
- *sparse*: at least half of the differences are within R/20, and half are ties or the scores fill
  fewer than 10 of 20 equal cells of R. r is the largest loss, if it is known; else
  :math:`(1.5 + 15/k) \max|d_i|` with k changed units, but no more than the scale, or 2R. t, n − 1.
- *dense*: all others. Mass may lie at :math:`\bar d \pm \kappa \max|d_i - \bar d|`,
  :math:`\kappa = 1.5 + 5/G` with G units, and V has n − 1 for n. t, n − 1.

The constants 1.5, 15 and 5 are ours, from simulation: docs/calibration.md. No rule is valid for all
distributions without a bound on what one item may lose [3]_: dense scores with rare, large losses
of which none was seen stay unprotected.

**Documents.** Two-valued and sparse data divide n by the design effect of `inference.shares`, whose
added cluster weighs :math:`v_0`, the mean square of the differences that are not 0:

.. math:: \text{deff} = \frac{\text{CR2}\,n^2 + v_0 s^2}{\sum (d - \bar d)^2 + v_0 s}, \quad s = \sum_g n_g^2 / n,

within 1 and s.

Dense data take sums of documents, :math:`x_g = (D_g - n_g \delta)\,G/n`, and V times
:math:`\text{CR2}/\sum e_g^2`. Degrees of freedom are those of Bell and McCaffrey.

Where every difference is 0, the rule of three holds [4]_: :math:`p(-M) \ge e^{-GM/r}`.

References
----------
.. [1] Owen (2001), Empirical Likelihood, Chapman and Hall, section 2.9 for the restricted
   likelihood; that its variance is used in a score statistic, as Tango (1998) does, is ours.
.. [2] Honda and Takemura (2010), "An asymptotically optimal bandit algorithm for bounded support
   models", COLT, for a support that reaches beyond the data.
.. [3] Bahadur and Savage (1956), "The nonexistence of certain statistical procedures in
   nonparametric problems", Annals of Mathematical Statistics 27(4), 1115–1122.
.. [4] Hanley and Lippman-Hand (1983), "If nothing goes wrong …", JAMA 249(13), 1743–1745.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import WORKING, Result, Signature
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.verdict import Verdict, in_numbers, in_words
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import cluster_sums, robust_variance, t_tail
from detectable.kernels.distributions import t_quantile
from detectable.kernels.means import exact_mean
from detectable.kernels.roots import bracketed_root

MarginKind: TypeAlias = Literal["two-valued", "sparse", "dense"]

_FACTOR, _PER_CHANGED, _PER_UNIT = 1.5, 15.0, 5.0  # of reaches: see the kinds above
_UNKNOWN_SCALE = 2.0  # ranges seen: how far one item may fall
_CELLS, _FEW_CELLS, _STILL = 20, 10, 0.5
_TIE = 1e-9  # of R: closer scores are the same
_ROUNDING = 1e-12  # of the largest score
_LEAST_P = sys.float_info.min  # a p-value is never 0
_STEPS = 200
_NOT_SAVED: Any = None


@dataclass(frozen=True, slots=True)
class MarginScore:
    """The difference of two systems, and what the score rule makes of it; higher is better.

    Attributes
    ----------
    kind : {'two-valued', 'sparse', 'dense'}
    value : float
        The mean difference, new − old.
    n, n_units : float, int
        Items, and what is independent among them.
    df : float
        Infinite for two values of independent items; NaN with a single unit, from which nothing
        follows.
    reach : float
        r above, the largest loss that one item may have; of dense data the distance from the mean
        to the farthest mass. NaN where nothing is known.
    largest : float
        The largest change seen.
    design_effect : float
    range_seen : float
        Of all scores; NaN where they are not known.
    """

    kind: MarginKind
    value: float
    n: float
    n_units: int
    df: float
    reach: float
    largest: float
    design_effect: float
    range_seen: float
    # What the points add up to: their deviations from the mean, their shares of it (1 on average)
    # and weights, and how many independent ones they are worth.
    deviations: FloatArray = field(repr=False, compare=False, metadata=WORKING)
    shares: FloatArray | float = field(repr=False, compare=False, metadata=WORKING)
    weights: FloatArray | float = field(repr=False, compare=False, metadata=WORKING)
    worth: float = field(repr=False, compare=False, metadata=WORKING)

    @classmethod
    def of(
        cls,
        new: FloatArray,
        old: FloatArray,
        clusters: IntArray | None = None,
        *,
        scale: tuple[float, float] | None = None,
        largest_loss: float | None = None,
        kind: MarginKind | None = None,
    ) -> "MarginScore":
        """Return what the scores of two systems on the same items say.

        Parameters
        ----------
        new, old : arrays of shape (items,)
        clusters : array of int, optional
            The document of each item.
        scale : (float, float), optional
            The least and the largest possible score.
        largest_loss : float, optional
            What one item may lose at most; in place of what the scores suggest.
        kind : optional
            Found before, on earlier data; by default these scores tell.
        """
        kind = kind_of(new, old, scale) if kind is None else kind
        d = differences(new, old)
        length, seen = _length(scale), _range(new, old)
        largest = float(np.abs(d).max())
        if kind == "dense":
            return cls._of_documents(d, clusters, seen)
        reach = seen if kind == "two-valued" else _UNKNOWN_SCALE * seen
        reach = reach if length is None else length
        if largest_loss is not None:
            reach = largest_loss
        elif kind == "sparse" and largest > 0.0:
            changed = np.abs(d) > _TIE * (seen if length is None else length)
            k = changed.sum() if clusters is None else np.unique(clusters[changed]).size
            reach = min(reach, (_FACTOR + _PER_CHANGED / max(int(k), 1)) * largest)
        return cls._of_items(d, clusters, kind, reach, seen)

    @classmethod
    def of_scale(
        cls, d: FloatArray, clusters: IntArray | None, *, kind: MarginKind, length: float
    ) -> "MarginScore":
        """Return what differences say if one item may lose the whole length of its scale."""
        if kind == "dense":
            return cls._of_documents(d, clusters, math.nan)
        return cls._of_items(d, clusters, kind, length, math.nan)

    @classmethod
    def of_units(cls, parts: FloatArray, shares: FloatArray) -> "MarginScore":
        """Return what dense units say: documents, or the units of a corpus score.

        Parameters
        ----------
        parts, shares : arrays of shape (units,)
            What each unit adds to the difference, and its share of what is averaged; shares add
            up to 1.
        """
        known = shares > 0.0
        parts, shares = parts[known], shares[known]
        units = parts.size
        value = exact_mean(parts * units)
        residuals = parts - shares * value
        variance, df = robust_variance(residuals, shares)
        squares = float(np.square(residuals).sum())
        top = units * float(np.abs(residuals).max())
        flat = top <= _ROUNDING * units * float(np.abs(parts).max())
        known_spread = not flat and not math.isnan(float(df))
        return cls(
            kind="dense",
            value=value,
            n=units,
            n_units=units,
            df=float(df),
            reach=(_FACTOR + _PER_UNIT / units) * top if known_spread else math.nan,
            largest=units * float(np.abs(parts).max()),
            design_effect=1.0,
            range_seen=math.nan,
            deviations=residuals * units,
            shares=shares * units,
            weights=1.0 / units,
            worth=units * squares / float(variance) if known_spread else math.nan,
        )

    @classmethod
    def of_shares(
        cls, counts: PairedShares, n_units: int, *, unchanged: bool | None = None
    ) -> "MarginScore":
        """Return what counts of right answers say: the same as their single answers would.

        Parameters
        ----------
        unchanged : bool, optional
            Whether no unit changed; expected counts of sampled answers do not tell.
        """
        if unchanged is None:
            unchanged = counts.fixed + counts.broken == 0.0
        values = counts.span * np.array([1.0, -1.0, 0.0])
        agree = counts.n - counts.fixed - counts.broken
        weights = np.array([counts.fixed, counts.broken, agree]) / counts.n
        known = weights > 0.0
        return cls(
            kind="two-valued",
            value=counts.value,
            n=counts.n,
            n_units=n_units,
            df=counts.df,
            reach=counts.span,
            largest=0.0 if unchanged else counts.span,
            design_effect=counts.design_effect,
            range_seen=counts.span,
            deviations=values[known] - counts.value,
            shares=1.0,
            weights=weights[known],
            worth=counts.n / counts.design_effect,
        )

    @classmethod
    def _of_items(
        cls,
        d: FloatArray,
        clusters: IntArray | None,
        kind: MarginKind,
        reach: float,
        seen: float,
    ) -> "MarginScore":
        n, value = d.size, exact_mean(d)
        deviations = d - value
        effect, df, units = 1.0, n - 1.0, n
        if clusters is not None:
            effect, df, units = _design_effect(d, deviations, clusters)
        if units == n and kind == "two-valued" and n > 1:
            df = math.inf
        return cls(
            kind=kind,
            value=value,
            n=n,
            n_units=units,
            df=df if units > 1 else math.nan,
            reach=reach,
            largest=float(np.abs(d).max()),
            design_effect=effect,
            range_seen=seen,
            deviations=deviations,
            shares=1.0,
            weights=1.0 / n,
            worth=n / effect,
        )

    @classmethod
    def _of_documents(
        cls, d: FloatArray, clusters: IntArray | None, seen: float
    ) -> "MarginScore":
        """Return what sums of documents say; equal differences of items say nothing."""
        sums, sizes = cluster_sums(d, clusters), cluster_sums(np.ones(d.size), clusters)
        found = cls.of_units(sums / d.size, sizes / d.size)
        largest = float(np.abs(d).max())
        reach = math.nan if float(np.ptp(d)) == 0.0 else found.reach
        return replace(found, n=d.size, largest=largest, range_seen=seen, reach=reach)

    @property
    def speaks(self) -> bool:
        """Whether anything follows: there are two units, and a spread or a known reach."""
        return not math.isnan(self.df) and self.worth > 0.0 and self.reach > 0.0

    @property
    def unchanged(self) -> bool:
        """Whether every difference is 0."""
        return self.largest == 0.0

    def score(self, bound: float) -> float:
        """Return z(`bound`), to be read as t with `df`: positive if the difference is above."""
        if not self.speaks:
            return math.nan
        gap = abs(self.value - float(bound))
        if gap == 0.0:
            return 0.0
        side = 1.0 if self.value > bound else -1.0
        deviations = side * self.deviations
        room = self._room(side) - gap
        slope = deviations + np.multiply(self.shares, gap)
        tilt = _tilt(
            self.weights, 0.0, slope, most=1.0 / room if room > _ROUNDING * gap else math.inf
        )
        return side * math.sqrt(self.worth * gap * tilt)

    def limits(self, critical: float) -> tuple[float, float]:
        r"""Return the least and the largest difference with a statistic of at most ±`critical`.

        With :math:`q = c^2/n` the end solves :math:`\lambda(\bar d - \delta) = q`: one equation
        in λ, for the others follow from it. NaN where nothing follows from the data.
        """
        if not self.speaks:
            return math.nan, math.nan
        q = critical * critical / self.worth
        if q == 0.0:
            return self.value, self.value

        def gap(side: float) -> float:
            room = self._room(side)
            tilt = _tilt(
                self.weights,
                np.multiply(self.shares, q),
                side * self.deviations,
                most=(1.0 + q) / room if room > 0.0 else math.inf,
            )
            return q / tilt

        return self.value - gap(1.0), self.value + gap(-1.0)

    def interval(self, alpha: float) -> Interval:
        """Return all bounds that neither one-sided test rejects at α; its level is 1 − 2α."""
        low, high = self.limits(-t_quantile(alpha, self.df) if self.speaks else math.nan)
        if self.speaks and self.unchanged:
            three = min(-math.log(alpha) / self.n_units, 1.0) * self.reach
            low, high = min(low, -three), max(high, three)
        return Interval(low, high, 1.0 - 2.0 * alpha)

    def p_above(self, bound: float) -> float:
        """Return the p-value of «the true difference is at most `bound`»: small if it is above.

        Never 0; 1 where equal differences say nothing about their spread, NaN with one unit.
        """
        return self._p(self.score(bound), -bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of «the true difference is at least `bound`»: small if it is below."""
        return self._p(-self.score(bound), bound)

    def _p(self, z: float, distance: float) -> float:
        if not self.speaks:
            return math.nan if math.isnan(self.df) else 1.0
        found = t_tail(z, self.df)
        if self.unchanged and distance > 0.0:
            found = max(found, math.exp(-self.n_units * distance / self.reach))
        return max(found, _LEAST_P)

    def verdict(self, margin: float, alpha: float) -> Verdict:
        """Return 'non-inferior', 'inferior' or 'undecided', each at a one-sided α."""
        if self.p_above(-margin) <= alpha:
            return "non-inferior"
        return "inferior" if self.p_below(-margin) <= alpha else "undecided"

    def passable(self, alpha: float, power: float) -> float:
        r"""Return the margin that is shown with a given chance if the true difference is 0.

        The differences are taken with either sign alike, so that their mean is 0. With N what the
        data are worth and :math:`V_0` the mean square, M solves

        .. math:: M = t_{1-\alpha} \sqrt{V(-M)/N} + t_{\text{power}} \sqrt{V_0/N} .

        On 0/1 scores this is Nam's (1997) formula. NaN where nothing follows from the data.
        """
        if not self.speaks:
            return math.nan
        most = self._room_of_equals()
        if self.unchanged:  # 0 solves it too, but is not shown
            return min(self.interval(alpha).high, most)
        spent = [t_quantile(1.0 - alpha, self.df), t_quantile(power, self.df)]
        spent = [one / math.sqrt(self.worth) for one in spent]

        def lacking(margin: float) -> float:
            at_margin = math.sqrt(self.variance_at(margin))
            return spent[0] * at_margin + spent[1] * math.sqrt(self.variance_at(0.0)) - margin

        least = most if lacking(most) >= 0.0 else bracketed_root(lacking, 0.0, most)
        return min(least, most)

    def variance_at(self, margin: float) -> float:
        """Return V at −`margin` if the differences had either sign alike."""
        sizes, weights = self._sizes()
        if margin == 0.0:
            return float((weights * np.square(sizes)).sum())
        both = np.concatenate([sizes, -sizes]) + margin
        room = self._room_of_equals() - margin
        halves = np.concatenate([weights, weights]) / 2.0
        most = 1.0 / room if room > _ROUNDING * margin else math.inf
        return margin / _tilt(halves, 0.0, both, most=most)

    def _sizes(self) -> tuple[FloatArray, FloatArray]:
        """Return how far points lie from no difference: of dense data from their mean."""
        weights = np.broadcast_to(np.asarray(self.weights), self.deviations.shape)
        middle = 0.0 if self.kind == "dense" else self.value
        return np.abs(self.deviations + middle), weights

    def _room_of_equals(self) -> float:
        return max(self.reach, float(self._sizes()[0].max()))

    def _room(self, side: float) -> float:
        """Return how far below the mean mass may lie, seen from one side; never short of the data."""
        if self.kind == "dense":
            return self.reach
        return max(self.reach + side * self.value, float((-side * self.deviations).max()))


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

    def summary(self) -> str:
        """Say the verdict with its numbers."""
        words = in_words(
            self.verdict, "new", "old", claim="non-inferior", margin=f"{self.margin:g}"
        )
        known = None if math.isnan(self.limits.low) else self.limits
        p = self.p_inferior if self.verdict == "inferior" else self.p_noninferior
        shown = in_numbers(self.estimate, known, p=p, digits=3, alpha=self.alpha)
        return f"{words[0].upper()}{words[1:]}: {shown}."


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

    The score rule of this module, on scores of any kind; higher is better.

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


def kind_of(
    new: FloatArray, old: FloatArray, scale: tuple[float, float] | None = None
) -> MarginKind:
    """Return what kind of data the scores of two systems are.

    Examples
    --------
    >>> kind_of(np.array([0.0, 100.0, 100.0]), np.array([0.0, 0.0, 100.0]))
    'two-valued'
    """
    pooled = np.concatenate([new, old])
    low = float(pooled.min()) if scale is None else scale[0]
    length = _length(scale) or float(np.ptp(pooled))
    if length == 0.0:
        return "dense"  # one score, and nothing says what others there could be
    if np.unique(pooled).size <= 2:
        # One score of each system is no scale of right and wrong: they differ by what they differ.
        one_each = float(np.ptp(new)) == float(np.ptp(old)) == 0.0
        return "dense" if scale is None and one_each else "two-valued"
    apart = np.abs(new - old)
    if float(np.mean(apart <= length / _CELLS)) < _STILL:
        return "dense"
    ties = float(np.mean(apart <= _TIE * length)) >= _STILL
    filled = np.clip((pooled - low) / length * _CELLS, 0, _CELLS - 1).astype(np.int64)
    return "sparse" if ties or np.unique(filled).size < _FEW_CELLS else "dense"


def differences(new: FloatArray, old: FloatArray) -> FloatArray:
    """Return new − old; what is 0 but for rounding is 0, and what is equal but for it is equal."""
    d = new - old
    noise = _ROUNDING * max(float(np.abs(new).max()), float(np.abs(old).max()))
    if float(np.ptp(d)) <= noise:
        return np.full(d.size, 0.0 if abs(float(d[0])) <= noise else float(d[0]))
    return np.where(np.abs(d) <= noise, 0.0, d)


def _length(scale: tuple[float, float] | None) -> float | None:
    return None if scale is None else scale[1] - scale[0]


def _range(new: FloatArray, old: FloatArray) -> float:
    return max(float(new.max()), float(old.max())) - min(float(new.min()), float(old.min()))


def _design_effect(
    d: FloatArray, deviations: FloatArray, clusters: IntArray
) -> tuple[float, float, int]:
    """Return the design effect, drawn towards whole dependence, degrees of freedom and clusters."""
    n = d.size
    sizes = cluster_sums(np.ones(n), clusters)
    variance, df = robust_variance(cluster_sums(deviations, clusters) / n, sizes / n)
    if sizes.size == n or math.isnan(float(df)):
        return 1.0, float(df), sizes.size
    changed = d[d != 0.0]
    weight = float(np.square(changed).mean()) if changed.size else 1.0
    typical = float(np.square(sizes).sum()) / n
    shrunk = (float(variance) * n**2 + weight * typical**2) / (
        float(np.square(deviations).sum()) + weight * typical
    )
    return min(max(shrunk, 1.0), typical), float(df), sizes.size


def _tilt(
    weights: FloatArray | float,
    begin: FloatArray | float,
    slope: FloatArray,
    *,
    most: float,
) -> float:
    r"""Return λ > 0 with :math:`\sum_i w_i / (1 + b_i + \lambda s_i) = 1`, or `most` if it is less.

    The sum is convex in λ and below 1 before the root, so Newton's steps from above it fall
    without ever passing it. No term of the sum is above 1 at the root, which says where to begin.
    """
    down = slope < 0.0
    high = math.inf
    if down.any():
        free = np.broadcast_to(1.0 + np.asarray(begin) - weights, slope.shape)
        high = float((free[down] / -slope[down]).min())
    tilt = min(high, most)
    if math.isinf(tilt):
        return sys.float_info.max  # beyond everything that is possible
    for step in range(_STEPS):
        y = begin + tilt * slope
        inverse = 1.0 / (1.0 + y)
        miss = -float((weights * y * inverse).sum())  # of the sum: nothing cancels
        if step == 0 and tilt == most and miss <= 0.0:
            return most  # there is no root before it
        rise = -float((weights * slope * inverse * inverse).sum())
        change = miss / rise if rise > 0.0 else 0.0
        tilt -= change
        if not change > 1e-15 * tilt:
            break
    return max(tilt, 0.0)
