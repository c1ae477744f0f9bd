"""UnpairedAccuracy: two systems answer different items, and two proportions are compared."""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.types import IntArray
from detectable.kernels.distributions.normal import normal_quantile
from detectable.planning.normal import normal_power
from detectable.planning.scenario import Closed, EffectRange, Scenario, Trials

Counts: TypeAlias = tuple[IntArray, IntArray, int]  # right answers of both, items of each


@dataclass(frozen=True, slots=True)
class UnpairedAccuracy(Scenario):
    r"""Accuracy of two systems on different items, by the test of two proportions.

    With n items per system, accuracies :math:`p_1` and :math:`p_2 = p_1 + D`, and
    :math:`\bar p = (p_1 + p_2)/2`, the pooled z test has power [1]_

    .. math:: \Phi\left(\frac{\sqrt n |D| - z_{1-\alpha/2} \sqrt{2 \bar p (1 - \bar p)}}
       {\sqrt{p_1 (1 - p_1) + p_2 (1 - p_2)}}\right),

    which is R's ``power.prop.test``. If both systems answered the same items, use `Accuracy`:
    pairing is worth a multiple of the data.

    Parameters
    ----------
    baseline_accuracy : float
        Accuracy of the system to beat.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, 3rd
       ed., Wiley, section 4.2.

    Examples
    --------
    >>> round(UnpairedAccuracy(0.92).closed_form(1725, 0.024006, alpha=0.05).power, 3)
    0.8
    """

    baseline_accuracy: float

    unit: ClassVar[str] = "item per system"
    scale: ClassVar[str] = "difference in accuracy"

    def __post_init__(self) -> None:
        check.probability(self.baseline_accuracy, "baseline_accuracy")

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return what keeps the accuracy of the other system between 0 and 1."""
        base = self.baseline_accuracy
        return EffectRange(
            -base,
            1.0 - base,
            f"a baseline accuracy of {base:g} leaves {1.0 - base:.4g} to gain",
        )

    def typical_effect(self, n_items: int) -> float:
        """Return a little more than the standard error of the difference."""
        base = self.baseline_accuracy
        return min(0.5 * (1.0 - base), math.sqrt(2.0 * base * (1.0 - base) / n_items))

    def largest_n(self) -> int:
        """Return a hundred million items."""
        return 100_000_000

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the normal approximation."""
        first, second = self.baseline_accuracy, self.baseline_accuracy + effect
        pooled = 0.5 * (first + second)
        variance = first * (1.0 - first) + second * (1.0 - second)
        critical = normal_quantile(1.0 - alpha / 2.0) * math.sqrt(
            2.0 * pooled * (1.0 - pooled) / n_items
        )
        return normal_power(abs(effect), math.sqrt(max(variance, 0.0) / n_items), critical)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return the right answers of both systems in every trial."""
        second = min(max(self.baseline_accuracy + effect, 0.0), 1.0)
        ours = rng.binomial(n_items, second, size=trials)
        theirs = rng.binomial(n_items, self.baseline_accuracy, size=trials)
        return ours, theirs, n_items

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply the pooled z test."""
        from scipy.special import ndtr  # scipy.stats would triple the start-up time

        ours, theirs, n = data
        pooled = (ours + theirs) / (2.0 * n)
        error = np.sqrt(2.0 * pooled * (1.0 - pooled) / n)
        difference = (ours - theirs) / n
        z = np.abs(difference) / np.where(error > 0.0, error, np.inf)
        return Trials(difference, 2.0 * ndtr(-z))
