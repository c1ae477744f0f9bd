"""Show that a system is not worse, or not different, by more than a margin."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import MarginClaim
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.planning.accuracy import Accuracy, Counts
from detectable.planning.normal import density, phi, quantile
from detectable.planning.rating_forms import margin_form, mean_error
from detectable.planning.rating_model import RatingData
from detectable.planning.ratings import Ratings
from detectable.planning.scenario import Closed, EffectRange, Scenario, Settings, Trials


class MarginScenario(Scenario):
    r"""What scenarios with a margin share.

    With the observed difference :math:`\hat D` and its standard error s, non-inferiority is shown
    if :math:`\hat D > -m + t_{1-\alpha} s`, equivalence if also
    :math:`\hat D < m - t_{1-\alpha} s`: two one-sided tests [1]_.

    The effect is the true difference, usually 0. Type-M is the mean distance of the estimate from
    the margin, as a multiple of the true distance. `alpha` is one-sided, as is usual.

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

    def effect_range(self, n_items: int) -> EffectRange:
        """Return the differences for which the claim would be true."""
        possible = self.without_margin.effect_range(n_items)
        high = possible.high if self.claim == "non-inferior" else self.margin
        reason = f"outside, it is false or impossible to show {self.aim()}"
        return EffectRange(max(possible.low, -self.margin), min(possible.high, high), reason)

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

    def _closed(self, power: float, mean: float, effect: float) -> Closed:
        """Return the answer, with the mean of the estimates that show the claim."""
        if power <= 0.0:
            return Closed(0.0, math.nan, math.nan, "closed-form")
        distance = effect - self.null_effect
        return Closed(power, (mean - self.null_effect) / distance, 0.0, "closed-form")

    def _tested(
        self, difference: FloatArray, error: FloatArray, df: FloatArray | float
    ) -> Trials:
        """Apply one or two one-sided t-tests."""
        from scipy.special import stdtr  # scipy.stats would triple the start-up time

        shown = self.margin + difference
        if self.claim == "equivalent":
            shown = self.margin - np.abs(difference)
        return Trials(difference, stdtr(df, -np.clip(shown / error, -1e300, 1e300)))


@dataclass(frozen=True, slots=True)
class AccuracyMargin(MarginScenario):
    r"""Non-inferiority or equivalence of two accuracies on the same items.

    The test is the one behind the verdict «equivalent» of `compare`, with the standard error
    :math:`s = \sqrt{(p_d - D^2)/n}`, so that with
    :math:`a = (\text{margin} + D)/s - z_{1-\alpha}` and :math:`b = (\text{margin} - D)/s -
    z_{1-\alpha}` the power is :math:`\Phi(a)` and :math:`\Phi(a) + \Phi(b) - 1` [1]_.

    The effect is the true difference D, usually 0. Type-M here is the mean distance of the
    estimate from the margin, as a multiple of the true distance.

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

    Examples
    --------
    >>> from detectable.planning.ask import sample_size
    >>> scenario = AccuracyMargin(Accuracy(agreement=0.95), margin=0.02)
    >>> sample_size(scenario, effect=0.0).n_items
    773
    """

    accuracy: Accuracy
    margin: float
    claim: MarginClaim = "non-inferior"

    unit: ClassVar[str] = "item"

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

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the normal approximation."""
        spread = max(self.error(n_items, effect), 1e-300)
        reach = quantile(1.0 - alpha) * spread
        low = (reach - self.margin - effect) / spread
        high = (
            math.inf
            if self.claim == "non-inferior"
            else (self.margin - reach - effect) / spread
        )
        # the interval may be wider than the margins
        power = phi(-low) - phi(-high) if low < high else 0.0
        mean = effect + spread * (density(low) - density(high)) / power if power > 0.0 else 0.0
        return self._closed(power, mean, effect)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return the items that only one system answers correctly, for every trial."""
        return self.accuracy.draw(n_items, effect, trials=trials, rng=rng)

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply one or two one-sided t tests of the paired differences, as `compare` does."""
        wins, losses, n = data
        difference = (wins - losses) / n
        spread = np.sqrt(np.maximum((wins + losses) / n - difference**2, 0.0) / (n - 1.0))
        # Without any disagreement nothing is uncertain: far inside the margin, or far outside.
        return self._tested(difference, np.where(spread > 0.0, spread, 1e-300), n - 1.0)


@dataclass(frozen=True, slots=True)
class RatingsMargin(MarginScenario):
    r"""Non-inferiority or equivalence of two mean ratings.

    Two one-sided t-tests. The closed form takes the mean difference :math:`\hat Δ` as normal and
    averages over the distribution of its standard error; `simulate` checks it with the ratings
    themselves.

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

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Average over the standard error."""
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
        """Apply one or two one-sided t-tests."""
        sums = data.sums()
        return self._tested(
            sums.difference, np.sqrt(np.maximum(sums.variance, 1e-300)), sums.df
        )
