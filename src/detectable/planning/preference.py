"""Preference: which of two outputs is better, item by item, with or without ties."""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.inference.classic_tests import sign_test_p
from detectable.planning.closed_forms import sign_power
from detectable.planning.options import PreferenceOptions
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

Counts: TypeAlias = tuple[IntArray, IntArray]  # wins, losses


@dataclass(frozen=True, slots=True)
class Preference(PreferenceOptions, Scenario):
    r"""Side-by-side judgments (win, tie, loss), by the exact sign test.

    The effect :math:`\pi` is the chance to win a comparison that is decided: .5 is no
    preference [2]_. Of n comparisons a share `ties` is not decided and drops out, so that wins are
    :math:`W \sim \text{Bin}(m, \pi)` with :math:`m \sim \text{Bin}(n, 1 - \text{ties})`. Without
    ties this is the binomial test of [1]_, Figure 1.

    Parameters
    ----------
    ties : float
        Expected share of ties.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", Figure 1.
    .. [2] Dixon and Mood (1946), "The statistical sign test", Journal of the American
       Statistical Association 41(236), 557–566.

    Examples
    --------
    >>> round(Preference().closed_form(100, 0.65, alpha=0.05).power, 4)
    0.8276
    """

    unit: ClassVar[str] = "comparison"
    scale: ClassVar[str] = "chance to win a decided comparison"

    def __post_init__(self) -> None:
        if not 0.0 <= self.ties < 1.0:
            raise InputError(
                f"`ties` must lie between 0 and 1, below 1; got {self.ties!r}: somebody must "
                "prefer something."
            )

    @property
    def null_effect(self) -> float:
        """The chance to win at which nobody is preferred."""
        return 0.5

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return the range of a probability."""
        return EffectRange(0.0, 1.0, "it is the chance to win a decided comparison")

    def largest_n(self) -> int:
        """Return a hundred million comparisons."""
        return 100_000_000

    def saw_tooth(self, n_items: int, effect: float) -> int:  # noqa: ARG002 (for any effect)
        """Return about three times the length over which the saw-tooth matters."""
        decided = 1.0 - self.ties
        return math.ceil(4.0 * math.sqrt(n_items / decided) / decided) + 20

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Enumerate the exact test."""
        decided, better = 1.0 - self.ties, max(effect, 1.0 - effect)
        found = sign_power(n_items, decided * better, decided * (1.0 - better), alpha=alpha)
        significant = found.right + found.wrong
        if significant == 0.0:
            return Closed(0.0, math.nan, math.nan, "exact")
        size = 0.5 * found.per_decided / significant
        return Closed(found.right, size / abs(effect - 0.5), found.wrong / significant, "exact")

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the ties, and that comparisons stand alone."""
        return f"{self.ties:.0%} ties", f"{INDEPENDENT}comparisons"

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return the comparisons that will be decided, on average."""
        return {"expected_decided": n_items * (1.0 - self.ties)}

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return wins and losses of every trial."""
        decided = rng.binomial(n_items, 1.0 - self.ties, size=trials)
        wins = rng.binomial(decided, effect)
        return wins, decided - wins

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (exact p-values)
        """Apply the exact sign test."""
        wins, losses = data
        estimates = np.where(wins + losses > 0, wins, 0.5) / np.maximum(wins + losses, 1)
        return Trials(estimates, sign_test_p(wins, losses))
