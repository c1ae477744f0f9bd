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
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from detectable.core.interval import Interval
from detectable.core.result import WORKING
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import cluster_sums, robust_variance, t_tail
from detectable.kernels.distributions import t_quantile
from detectable.kernels.means import exact_mean
from detectable.kernels.roots import bracketed_root

Number = TypeVar("Number", float, FloatArray)
MarginKind: TypeAlias = Literal["two-valued", "sparse", "dense"]

_FACTOR, _PER_CHANGED, _PER_UNIT = 1.5, 15.0, 5.0  # of reaches: see the kinds above
_UNKNOWN_SCALE = 2.0  # ranges seen: how far one item may fall
_CELLS, _FEW_CELLS, _STILL = 20, 10, 0.5
_TIE = 1e-9  # of R: closer scores are the same
_ROUNDING = 1e-12  # of the largest score
_NEAR = 1e-9  # of a logarithm: how close a root of it is, and how far beyond it a bracket goes
LEAST_P = sys.float_info.min  # a p-value is never 0
_STEPS = 200


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
            reach = min(reach, sparse_reach(largest, max(int(k), 1)))
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
            reach=dense_reach(top, units) if known_spread else math.nan,
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
        room = self.room(side) - gap
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
            room = self.room(side)
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
        """Return the p-value of “the true difference is at most `bound`”: small if it is above.

        Never 0; 1 where equal differences say nothing about their spread, NaN with one unit.
        """
        return self._p(self.score(bound), -bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”: small if it is below."""
        return self._p(-self.score(bound), bound)

    def _p(self, z: float, distance: float) -> float:
        if not self.speaks:
            return math.nan if math.isnan(self.df) else 1.0
        found = t_tail(z, self.df)
        if self.unchanged and distance > 0.0:
            found = max(found, math.exp(-self.n_units * distance / self.reach))
        return max(found, LEAST_P)

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
        lacking = self._lacking(alpha, power)
        least = most if lacking(most) >= 0.0 else bracketed_root(lacking, 0.0, most)
        return min(least, most)

    def lacks(self, margin: float, alpha: float, power: float) -> float:
        """Return what a margin lacks of `passable`: negative where it is more than that."""
        room = self._room_of_equals() - margin
        return min(self._lacking(alpha, power)(margin), room) if room > 0.0 else room

    def _lacking(self, alpha: float, power: float) -> Callable[[float], float]:
        spent = [t_quantile(1.0 - alpha, self.df), t_quantile(power, self.df)]
        spent = [one / math.sqrt(self.worth) for one in spent]
        sizes = self._sizes()
        at_none = spent[1] * math.sqrt(self._variance_at(0.0, *sizes))

        def lacking(margin: float) -> float:
            at_margin = math.sqrt(self._variance_at(margin, *sizes))
            return spent[0] * at_margin + at_none - margin

        return lacking

    def power(self, margin: float, alpha: float) -> float:
        """Return the chance to show a margin if the true difference is 0: `passable`, solved for it."""
        if not self.speaks:
            return math.nan
        if self.unchanged:
            return float(self.interval(alpha).low > -margin)
        lacks = t_quantile(1.0 - alpha, self.df) * math.sqrt(self.variance_at(margin))
        shift = (margin * math.sqrt(self.worth) - lacks) / math.sqrt(self.variance_at(0.0))
        return t_tail(-shift, self.df)

    def growth(self, margin: float, alpha: float, power: float) -> float:
        """Return how many times as much data shows a margin, if the true difference is 0.

        With c times the units, alike in spread, data are worth c times as much, and have c times
        the degrees of freedom, and at least one; the reach stays. Below 1 where less would do.
        """
        if not self.speaks:
            return math.nan
        if self.unchanged:
            return -math.log(alpha) * self.reach / (margin * self.n_units)
        spreads = [math.sqrt(self.variance_at(at)) for at in (margin, 0.0)]

        def needed(df: float) -> float:
            return t_quantile(1.0 - alpha, df) * spreads[0] + t_quantile(power, df) * spreads[1]

        def short(log_growth: float) -> float:
            growth = math.exp(log_growth)
            return needed(self.df * growth) - margin * math.sqrt(self.worth * growth)

        # One degree of freedom is the least; where they are not counted, one item.
        least = -math.log(self.n_units if math.isinf(self.df) else self.df)
        if short(least) <= 0.0:
            return math.exp(least)
        # Quantiles of t fall to the normal ones, so with these it takes less, and with those at
        # so little data it takes more.
        low = max(least, _log_growth(needed(math.inf), margin, self.worth) - _NEAR)
        if short(low) <= 0.0:
            low = least
        high = max(
            low, _log_growth(needed(self.df * math.exp(low)), margin, self.worth) + _NEAR
        )
        while short(high) > 0.0:
            high += 2.0
        return math.exp(bracketed_root(short, low, high, tolerance=_NEAR))

    @property
    def spread(self) -> float:
        """The mean square of the deviations."""
        return float((self.weights * np.square(self.deviations)).sum())

    def of_either_sign(self) -> "MarginScore":
        """Return the data if their differences had either sign alike, so that the mean is 0."""
        sizes, weights = self._sizes()
        return replace(
            self,
            value=0.0,
            reach=self._room_of_equals(),
            deviations=np.concatenate([sizes, -sizes]),
            shares=1.0,
            weights=np.concatenate([weights, weights]) / 2.0,
        )

    def variance_at(self, margin: float) -> float:
        """Return V at −`margin` if the differences had either sign alike."""
        return self._variance_at(margin, *self._sizes())

    def _variance_at(self, margin: float, sizes: FloatArray, weights: FloatArray) -> float:
        if margin == 0.0:
            return float((weights * np.square(sizes)).sum())
        both = np.concatenate([sizes, -sizes]) + margin
        room = max(self.reach, float(sizes.max())) - margin
        halves = (
            self.weights / 2.0
            if isinstance(self.weights, float)
            else np.concatenate([weights, weights]) / 2.0
        )
        most = 1.0 / room if room > _ROUNDING * margin else math.inf
        return margin / _tilt(halves, 0.0, both, most=most)

    def _sizes(self) -> tuple[FloatArray, FloatArray]:
        """Return how far points lie from no difference: of dense data from their mean."""
        weights = np.broadcast_to(np.asarray(self.weights), self.deviations.shape)
        middle = 0.0 if self.kind == "dense" else self.value
        return np.abs(self.deviations + middle), weights

    def _room_of_equals(self) -> float:
        return max(self.reach, float(self._sizes()[0].max()))

    def room(self, side: float) -> float:
        """Return how far below the mean mass may lie, seen from one side; never short of the data."""
        if self.kind == "dense":
            return self.reach
        return max(self.reach + side * self.value, float((-side * self.deviations).max()))


def _log_growth(needed: float, margin: float, worth: float) -> float:
    """Return how many times as much data bring a margin to so many standard errors, as a log."""
    return 2.0 * math.log(needed / margin) - math.log(worth) if needed > 0.0 else -math.inf


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


def dense_reach(farthest: Number, units: int) -> Number:
    """Return how far from the mean mass may lie, by the largest deviation of so many units."""
    return (_FACTOR + _PER_UNIT / units) * farthest


def sparse_reach(largest: Number, changed: Number) -> Number:
    """Return how far one item may fall, by the largest change of so many units that changed."""
    return (_FACTOR + _PER_CHANGED / changed) * largest


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
    tilt = min(_no_term_above_one(weights, begin, slope), most)
    if math.isinf(tilt):
        return sys.float_info.max  # beyond everything that is possible
    alike = isinstance(weights, float)
    weigh = weights if alike else 1.0
    weighted = slope if alike else weights * slope
    for step in range(_STEPS):
        y = begin + tilt * slope
        inverse = 1.0 / (1.0 + y)
        share = inverse if alike else weights * inverse
        miss = -float(weigh * np.dot(y, share))  # of the sum: nothing cancels
        if step == 0 and tilt == most and miss <= 0.0:
            return most  # there is no root before it
        rise = -float(weigh * np.dot(weighted * inverse, inverse))
        change = miss / rise if rise > 0.0 else 0.0
        tilt -= change
        if not change > 1e-15 * tilt:
            break
    return max(tilt, 0.0)


def _no_term_above_one(
    weights: FloatArray | float, begin: FloatArray | float, slope: FloatArray
) -> float:
    """Return the λ beyond which a term of the sum of `_tilt` is above 1; inf where none ever is."""
    if isinstance(weights, float) and isinstance(begin, float):
        steepest = float(slope.min())
        return (1.0 + begin - weights) / -steepest if steepest < 0.0 else math.inf
    down = slope < 0.0
    if not down.any():
        return math.inf
    free = np.broadcast_to(1.0 + np.asarray(begin) - weights, slope.shape)
    return float((free[down] / -slope[down]).min())
