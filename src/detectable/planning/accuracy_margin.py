"""AccuracyMargin: show that a system is not worse, or not different, by more than a margin."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import Goal
from detectable.core.errors import InputError
from detectable.planning.accuracy import Accuracy, Counts
from detectable.planning.normal import density, phi, quantile
from detectable.planning.scenario import Closed, EffectRange, Scenario, Settings, Trials


@dataclass(frozen=True, slots=True)
class AccuracyMargin(Scenario):
    r"""Non-inferiority or equivalence of two accuracies on the same items.

    The test is the one behind the verdict «equivalent» of `compare`: with the observed
    difference :math:`\hat D` and its standard error :math:`s = \sqrt{(p_d - D^2)/n}`,
    non-inferiority is shown if :math:`\hat D + \text{margin} > z_{1-\alpha} s` and equivalence
    if also :math:`\hat D - \text{margin} < -z_{1-\alpha} s` [1]_, so that with
    :math:`a = (\text{margin} + D)/s - z_{1-\alpha}` and :math:`b = (\text{margin} - D)/s -
    z_{1-\alpha}` the power is :math:`\Phi(a)` and :math:`\Phi(a) + \Phi(b) - 1` [2]_.

    The effect is the true difference D, usually 0. Type-M here is the mean distance of the
    estimate from the margin, as a multiple of the true distance.

    Parameters
    ----------
    accuracy : Accuracy
        What is known about the agreement of the two systems.
    margin : float
        The difference in accuracy that does not matter.
    goal : {'non-inferiority', 'equivalence'}
        What is to be shown. `alpha` is one-sided in both, as is usual.

    References
    ----------
    .. [1] Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
       approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.
    .. [2] Liu, Hsueh, Hsieh and Chen (2002), "Tests for equivalence or non-inferiority for
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
    goal: Goal = "non-inferiority"

    unit: ClassVar[str] = "item"

    def __post_init__(self) -> None:
        check.positive(self.margin, "margin")
        if self.margin >= 1.0:
            raise InputError(
                f"`margin` must lie between 0 and 1; got {self.margin!r}: it is a difference of "
                "accuracies, .02 for two points."
            )
        check.literal(self.goal, Goal, "goal")

    @property
    def null_effect(self) -> float:
        """The margin that must be excluded: the lower one, or for equivalence both."""
        return -self.margin if self.goal == "non-inferiority" else self.margin

    def effect_range(self, n_items: int) -> EffectRange:
        """Return the differences for which the claim would be true."""
        possible = self.accuracy.effect_range(n_items)
        high = possible.high if self.goal == "non-inferiority" else self.margin
        reason = f"outside, {self.goal} within {self.margin:g} is false or impossible"
        return EffectRange(max(possible.low, -self.margin), min(possible.high, high), reason)

    def typical_effect(self, n_items: int) -> float:
        """Return about the distance from the margin that can be shown."""
        return min(0.5 * self.margin, 2.5 * self._spread(n_items, 0.0))

    def largest_n(self) -> int:
        """Return a hundred million items."""
        return 100_000_000

    def settings(self) -> Settings:
        """Return the settings of the accuracy scenario with the margin."""
        return {**self.accuracy.settings(), "margin": self.margin, "goal": self.goal}

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return the agreement that the answer rests on."""
        return self.accuracy.details(n_items, effect, alpha=alpha)

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002
        """Say what the effect and the level mean here."""
        return (
            f"the effect is the true difference, at which {self.goal} within {self.margin:g} is "
            f"to be shown; alpha = {alpha:g} is one-sided.",
        )

    def _spread(self, n_items: int, effect: float) -> float:
        return math.sqrt(max(self.accuracy.disagreement(effect) - effect**2, 0.0) / n_items)

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the normal approximation."""
        spread = max(self._spread(n_items, effect), 1e-300)
        reach = quantile(1.0 - alpha) * spread
        low = (reach - self.margin - effect) / spread
        high = (
            math.inf
            if self.goal == "non-inferiority"
            else (self.margin - reach - effect) / spread
        )
        if high <= low:  # the interval is wider than the margins
            return Closed(0.0, math.nan, math.nan, "closed-form")
        power = phi(-low) - phi(-high)
        if power <= 0.0:
            return Closed(0.0, math.nan, math.nan, "closed-form")
        mean = effect + spread * (density(low) - density(high)) / power
        distance = effect - self.null_effect
        return Closed(power, (mean - self.null_effect) / distance, 0.0, "closed-form")

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return the items that only one system answers correctly, for every trial."""
        return self.accuracy.draw(n_items, effect, trials=trials, rng=rng)

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply one or two one-sided t tests of the paired differences, as `compare` does."""
        from scipy.special import stdtr  # scipy.stats would triple the start-up time

        wins, losses, n = data
        difference = (wins - losses) / n
        spread = np.sqrt(np.maximum((wins + losses) / n - difference**2, 0.0) / (n - 1.0))
        shown = self.margin + difference
        if self.goal == "equivalence":
            shown = self.margin - np.abs(difference)
        # Without any disagreement nothing is uncertain: far inside the margin, or far outside.
        t = shown / np.where(spread > 0.0, spread, 1e-300)
        return Trials(difference, stdtr(n - 1.0, -np.clip(t, -1e300, 1e300)))
