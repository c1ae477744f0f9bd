"""Show that a system is not worse, or not different, by more than a margin."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from detectable.core import check
from detectable.core.choices import MarginClaim
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.inference.margin_score import dense_reach, sparse_reach
from detectable.inference.shares import score_variance, tango_z
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.planning.accuracy import Accuracy, Counts
from detectable.planning.closed_forms import density, margin_power
from detectable.planning.rating_model import (
    TOP,
    PairedCounts,
    PairedNumbers,
    RatingData,
    Unpaired,
)
from detectable.planning.ratings import Ratings, margin_form, mean_error
from detectable.planning.scenario import Closed, EffectRange, Scenario, Settings, Trials

_LARGEST_EXACT = 5_000  # items that are always summed exactly
_MANY_DECIDED = 250  # of more items; with so many the normal form is within .01 of the sum
_SMOOTH_SPREAD = 3.0  # of the number of decided items: from here on teeth are short
_AS_BY_T = 400  # paired ratings: the score rule and t differ by less than .02 in power
_FEW_TIES = 4.0  # variance of differences of whole numbers: a fifth are ties
_STEPS, _CLOSE = 200, 1e-13  # of Newton: a step that changes nothing, relative
_LONGEST_TOOTH = 2_000  # items; only margins below .2 points have longer ones


class MarginScenario(Scenario):
    r"""What scenarios with a margin share.

    Non-inferiority is shown if a one-sided test rejects a difference of −margin, equivalence if
    another rejects +margin as well: two one-sided tests [1]_.

    The effect is the true difference, usually 0. Type-M is the mean distance of the estimate from
    the margin, for equivalence the nearer one, as a multiple of the true distance. `alpha` is
    one-sided, as is usual.

    Subclasses are dataclasses with the fields `margin` and `claim`.

    References
    ----------
    .. [1] Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
       approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.
    """

    __slots__ = ()

    margin: float
    claim: MarginClaim

    @property
    @abstractmethod
    def without_margin(self) -> Scenario:
        """How the data come about."""

    @abstractmethod
    def error(self, n_items: int, effect: float) -> float:
        """Return the standard error of the difference."""

    @property
    def null_effect(self) -> float:
        """The margin that must be excluded: the lower one, or for equivalence both."""
        return -self.margin if self.claim == "non-inferior" else self.margin

    def null_near(self, effect: float) -> float:
        """Return the margin on the side of an effect."""
        return -self.margin if effect < 0.0 else self.null_effect

    def effect_range(self, n_items: int) -> EffectRange:
        """Return the differences for which the claim would be true."""
        possible = self.without_margin.effect_range(n_items)
        high = possible.high if self.claim == "non-inferior" else self.margin
        reason = f"outside, it is false or impossible to show {self.aim()}"
        return EffectRange(max(possible.low, -self.margin), min(possible.high, high), reason)

    def points_drawn(self) -> int:
        """Return as many as without a margin."""
        return self.without_margin.points_drawn()

    def typical_effect(self, n_items: int) -> float:
        """Return about the distance from the margin that can be shown."""
        return min(0.5 * self.margin, 2.5 * self.error(n_items, 0.0))

    def settings(self) -> Settings:
        """Return the settings of the scenario without a margin, and the margin."""
        return {**self.without_margin.settings(), "margin": self.margin, "claim": self.claim}

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return what the scenario without a margin rests on."""
        known = self.without_margin.details(n_items, effect, alpha=alpha)
        return {**known, "claim": self.claim}

    def aim(self) -> str:
        """Return what is to be shown: equivalence, or that the first is not worse."""
        if self.claim == "equivalent":
            return f"equivalence within {self.margin:g}"
        return f"that the first system is not worse by {self.margin:g} or more"

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002
        """Say what the effect and the level mean here."""
        return (
            f"The effect is the true difference, at which to show {self.aim()}; alpha = "
            f"{alpha:g} is one-sided.",
        )

    def _check_margin(self) -> None:
        check.positive(self.margin, "margin")
        check.literal(self.claim, MarginClaim, "claim")

    def _closed(
        self,
        power: float,
        mean: float,
        effect: float,
        method: Literal["exact", "closed-form"] = "closed-form",
    ) -> Closed:
        """Return the answer, with the mean of the estimates that show the claim."""
        null = self.null_near(effect)
        if power <= 0.0 or effect == null:
            return Closed(power, math.nan, math.nan, method)
        return Closed(power, (mean - null) / (effect - null), 0.0, method)


@dataclass(frozen=True, slots=True)
class AccuracyMargin(MarginScenario):
    r"""Non-inferiority or equivalence of two accuracies on the same items.

    The test is Tango's score test, as in `compare`, `rank` and `look`
    (`inference.shares`). Its power is the exact sum over all tables [1]_ (`margin_power`).
    Above 5,000 items, if the systems will disagree on at least 250 of them, it is the normal
    form, which is then within .01 of the sum (``method="normal"`` of the accuracy asks for it at
    any size): with the standard error :math:`s = \sqrt{(p_d - D^2)/n}` of the observed difference,
    and :math:`s_\pm` what the score test takes for it at the margins [2]_,

    .. math::

        a = \frac{\text{margin} + D - z_{1-\alpha} s_-}{s}, \qquad
        b = \frac{\text{margin} - D - z_{1-\alpha} s_+}{s},

    and power is :math:`\Phi(a)`, or :math:`\Phi(a) + \Phi(b) - 1` for equivalence.

    The effect is the true difference D, usually 0. Type-M here is the mean distance of the
    estimate from the margin, for equivalence the nearer one, as a multiple of the true distance.

    Parameters
    ----------
    accuracy : Accuracy
        What is known about the agreement of the two systems.
    margin : float
        The difference in accuracy that does not matter.
    claim : {'non-inferior', 'equivalent'}
        What is to be shown. `alpha` is one-sided in both, as is usual.

    References
    ----------
    .. [1] Liu, Hsueh, Hsieh and Chen (2002), "Tests for equivalence or non-inferiority for
       paired binary data", Statistics in Medicine 21(2), 231–245.
    .. [2] Nam (1997), "Establishing equivalence of two treatments and sample size requirements
       in matched-pairs design", Biometrics 53(4), 1422–1430.

    Examples
    --------
    >>> from detectable.planning.ask import sample_size
    >>> scenario = AccuracyMargin(Accuracy(agreement=0.95), margin=0.02)
    >>> sample_size(scenario, effect=0.0).n_items
    819
    """

    accuracy: Accuracy
    margin: float
    claim: MarginClaim = "non-inferior"

    unit: ClassVar[str] = "item"
    scale: ClassVar[str] = "difference in accuracy"

    def __post_init__(self) -> None:
        self._check_margin()
        if self.margin >= 1.0:
            raise InputError(
                f"`margin` must lie between 0 and 1; got {self.margin!r}: it is a difference of "
                "accuracies, .02 for two points."
            )

    @property
    def without_margin(self) -> Accuracy:
        """What is known about the agreement."""
        return self.accuracy

    def largest_n(self) -> int:
        """Return a hundred million items."""
        return 100_000_000

    def error(self, n_items: int, effect: float) -> float:
        """Return the standard error of the difference."""
        return math.sqrt(max(self.accuracy.disagreement(effect) - effect**2, 0.0) / n_items)

    def saw_tooth(self, n_items: int, effect: float) -> int:
        """Return how far one more item may lower the power: where few items are decided, far.

        Without a decided item the claim needs z²/margin items, with every further loss at most
        2/margin more; in between power falls. Many decided items smooth that.
        """
        decided = self.accuracy.disagreement(effect)
        if self._is_normal(n_items, decided):
            return 0
        smooth = n_items * decided * (1.0 - decided) > _SMOOTH_SPREAD**2
        return min(math.ceil((0.5 if smooth else 4.0) / self.margin) + 5, _LONGEST_TOOTH)

    def _is_normal(self, n_items: int, decided: float) -> bool:
        many = n_items > _LARGEST_EXACT and n_items * decided >= _MANY_DECIDED
        return many or self.accuracy.method == "normal"

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Add up all tables in which the claim is made; for many items the normal form."""
        decided = self.accuracy.disagreement(effect)
        win, loss = (max(0.5 * (decided + sign * effect), 0.0) for sign in (1.0, -1.0))
        both = self.claim == "equivalent"
        if not self._is_normal(n_items, decided):
            found = margin_power(n_items, win, loss, margin=self.margin, alpha=alpha, both=both)
            return self._closed(found.power, found.mean, effect, "exact")
        spread = max(self.error(n_items, effect), 1e-300)
        lower, upper = np.sqrt(
            score_variance(win, loss, 1.0, [-self.margin, self.margin]) / n_items
        )
        critical = normal_quantile(1.0 - alpha)
        low = (critical * lower - self.margin - effect) / spread
        high = (self.margin - critical * upper - effect) / spread if both else math.inf
        # the interval may be wider than the margins
        power = normal_below(-low) - normal_below(-high) if low < high else 0.0
        mean = effect + spread * (density(low) - density(high)) / power if power > 0.0 else 0.0
        return self._closed(power, mean, effect)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return the items that only one system answers correctly, for every trial."""
        return self.accuracy.draw(n_items, effect, trials=trials, rng=rng)

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply one or two of Tango's score tests, as `compare` does."""
        from scipy.special import ndtr  # scipy.stats would triple the start-up time

        wins, losses, n = data
        z = tango_z(wins, losses, n, -self.margin)
        if self.claim == "equivalent":
            z = np.minimum(z, -tango_z(wins, losses, n, self.margin))
        return Trials((wins - losses) / n, ndtr(-z))


@dataclass(frozen=True, slots=True)
class RatingsMargin(MarginScenario):
    r"""Non-inferiority or equivalence of two mean ratings.

    Ratings of the same items (``"paired-mean"``) are tested by the score rule, as in `rank`
    and `look` (`inference.margin_score`), and simulated below 400 items and where many are tied.
    Ratings of other items (``"two-means"``) are tested by one or two one-sided t-tests: non-inferiority is shown if the observed difference
    :math:`\hat D`, with its standard error s, is above :math:`-m + t_{1-\alpha} s`, equivalence
    if it is also below :math:`m - t_{1-\alpha} s`. The closed form takes the mean difference as
    normal and averages over the distribution of its standard error. It serves both from 400 items
    on, where the score rule shows as much within .02; `simulate` checks it with the ratings
    themselves.

    Paired ratings of which half or more do not change may lose (1.5 + 15/k) times the largest
    change of k, but no more than the scale; `look` takes the whole scale there, and shows less.

    The effect is the true difference, usually 0. Type-M here is the mean distance of the estimate
    from the margin, as a multiple of the true distance.

    Parameters
    ----------
    ratings : Ratings
        How the ratings come about, with ``test="two-means"`` or ``"paired-mean"``: a margin in
        points is a statement about means.
    margin : float
        The difference in points that does not matter.
    claim : {'non-inferior', 'equivalent'}
        What is to be shown. `alpha` is one-sided in both, as is usual.

    Examples
    --------
    >>> from detectable.planning.ask import sample_size
    >>> ratings = Ratings(mean=80, sd=20, continuous=True, test="two-means")
    >>> sample_size(RatingsMargin(ratings, margin=3), effect=0).n_items
    551
    """

    ratings: Ratings
    margin: float
    claim: MarginClaim = "non-inferior"

    unit: ClassVar[str] = "judgment per system"
    scale: ClassVar[str] = "difference of the mean ratings"

    def __post_init__(self) -> None:
        self._check_margin()
        if self.ratings.test not in ("two-means", "paired-mean"):
            raise InputError(
                "`ratings` must be tested by their means for a margin in points: test="
                f"'two-means' or 'paired-mean'; got {self.ratings.test!r}."
            )

    @property
    def without_margin(self) -> Ratings:
        """How the ratings come about."""
        return self.ratings

    def error(self, n_items: int, effect: float) -> float:
        """Return the standard error of the difference."""
        return mean_error(self.ratings.model, n_items, effect)[0]

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:
        """Say what the effect, the level and the ratings mean here."""
        meaning = super(RatingsMargin, self).notes(n_items, effect, alpha=alpha)
        return (*meaning, self.ratings.notes(n_items, effect, alpha=alpha)[0])

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed | None:
        """Average over the standard error; the score rule on fewer items is simulated."""
        paired, model = self.ratings.correlation is not None, self.ratings.model
        tied = not model.continuous and model.difference_variance(effect) < _FEW_TIES
        if paired and (n_items < _AS_BY_T or tied):
            return None
        both = self.claim == "equivalent"
        power, mean = margin_form(
            self.ratings.model, n_items, effect, alpha, self.margin, both=both
        )
        return self._closed(power, mean, effect)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> RatingData:
        """Draw the ratings."""
        return self.ratings.model.draw(n_items, effect, trials=trials, rng=rng)

    def analyse(self, data: RatingData, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply one or two one-sided tests: of pairs by the score rule, of two means by t."""
        from scipy.special import stdtr  # scipy.stats would triple the start-up time

        if not isinstance(data, Unpaired):
            p_values = _by_score(data, 1.0, self.margin)
            if self.claim == "equivalent":
                p_values = np.maximum(p_values, _by_score(data, -1.0, self.margin))
            return Trials(data.sums().difference, p_values)
        sums = data.sums()
        shown = self.margin + sums.difference
        if self.claim == "equivalent":
            shown = self.margin - np.abs(sums.difference)
        t = shown / np.sqrt(np.maximum(sums.variance, 1e-300))
        return Trials(sums.difference, stdtr(sums.df, -np.clip(t, -1e300, 1e300)))


# --- The score rule on all trials at once ---


def _by_score(data: PairedCounts | PairedNumbers, sign: float, margin: float) -> FloatArray:
    """Return p of “the difference is at most −margin” for every trial; of its mirror image with −1.

    As `MarginScore` has it for independent items. The scores of a rating model fill their scale, so
    that ties alone tell whether most of them did not change.
    """
    from scipy.special import stdtr

    values, weights, n = data.points()
    d = sign * values
    mean = (weights * d).sum(axis=1)
    x, seen = d - mean[:, np.newaxis], weights > 0.0
    sparse = (weights * (d == 0.0)).sum(axis=1) >= 0.5
    top, largest = (np.where(seen, np.abs(one), 0.0).max(axis=1) for one in (x, d))
    changed = np.maximum(n * (weights * (d != 0.0)).sum(axis=1), 1.0)
    reach = np.where(sparse, sparse_reach(largest, changed), dense_reach(top, n))
    reach = np.where(sparse, np.where(largest > 0.0, np.minimum(reach, TOP), TOP), reach)
    gap = mean + margin
    side = np.where(gap < 0.0, -1.0, 1.0)
    x, gap = side[:, np.newaxis] * x, np.abs(gap)
    farthest = np.where(seen, -x, 0.0).max(axis=1)
    room = np.where(sparse, np.maximum(reach + side * mean, farthest), reach)
    tilt = _tilts(weights, np.where(seen, x + gap[:, np.newaxis], 0.0), room - gap)
    z = side * np.sqrt(np.where(sparse, n, n - 1.0) * gap * tilt)
    p: FloatArray = stdtr(n - 1.0, -z)
    p = np.where(largest == 0.0, np.maximum(p, np.exp(-n * margin / TOP)), p)
    return np.where(~sparse & (top == 0.0), 1.0, p)  # nothing is known about the spread


def _tilts(weights: FloatArray, slopes: FloatArray, room: FloatArray) -> FloatArray:
    """Return the tilt of every row, as the score rule for one finds it, from above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(room > 0.0, 1.0 / room, np.inf)
        high = np.where(slopes < 0.0, (1.0 - weights) / -slopes, np.inf).min(axis=1)
    tilt = np.minimum(np.minimum(high, most), 1e300)  # beyond everything that is possible
    known = tilt >= 1e300
    for step in range(_STEPS):
        y = np.where(known, 0.0, tilt)[:, np.newaxis] * slopes
        inverse = 1.0 / (1.0 + y)
        miss = -(weights * y * inverse).sum(axis=1)
        if step == 0:
            known |= (tilt == most) & (miss <= 0.0)  # there is no root before it
        rise = -(weights * slopes * inverse * inverse).sum(axis=1)
        change = np.where(known | (rise <= 0.0), 0.0, miss / np.where(rise > 0.0, rise, 1.0))
        tilt = tilt - change
        if not (change > _CLOSE * tilt).any():
            break
    found: FloatArray = np.maximum(tilt, 0.0)
    return found
