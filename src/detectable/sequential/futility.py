"""When to give up: rules that say that a comparison is unlikely to become significant."""

import math
from dataclasses import dataclass
from typing import cast

from detectable.core import check
from detectable.core.choices import FutilityRule
from detectable.core.errors import InputError
from detectable.kernels.distributions.normal import normal_quantile
from detectable.sequential.conditional_power import (
    conditional_power_bound,
    predictive_power_bound,
)
from detectable.sequential.families import DEFAULT_BETA_FAMILY, Family, spending_names

_ALIASES = {"p>0.5": "p>.5", "p-above-half": "p>.5"}  # a shell takes > for itself

_SPENDING = Family(DEFAULT_BETA_FAMILY)


@dataclass(frozen=True, slots=True)
class Futility:
    """A rule for stopping because a significant result has become unlikely.

    ============================  ===========================================================
    ``none``                      never
    ``p>.5``                      the nominal p-value is above .5, at every interim look [1]_
    ``conditional-power``         the chance of a significant end, if the effect is what it
                                  seems now, is below `threshold`
    ``conditional-power-design``  the same, if the effect is the one planned for
    ``predictive-power``          the same, averaged over what the data say about the effect
    ``beta-spending``             the planned miss rate is spent over the looks like α
                                  (one-sided tests)
    ============================  ===========================================================

    A two-sided test stops for futility where Z is near zero on both sides, a one-sided one
    where it is low.

    The default, predictive power below .05, costs about one point of power with ten looks and
    saves 30 % of the judgments where there is no effect. Conditional power at the current trend
    takes early noise for a trend: below .10 at ten looks it costs six points.

    Parameters
    ----------
    rule : str
        Which of them.
    threshold : float, optional
        Chance of success below which the three power rules stop: by default .05 for
        ``predictive-power`` and .10 for the others.
    earliest : float
        Share of the information before which the three power rules are silent: early on the
        trend is mostly noise.
    spending : Family
        How ``beta-spending`` spends the miss rate.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT, on interim evaluation.
    """

    rule: FutilityRule = "predictive-power"
    threshold: float | None = None
    earliest: float = 0.35
    spending: Family = _SPENDING

    def __post_init__(self) -> None:
        check.literal(self.rule, FutilityRule, "futility")
        object.__setattr__(self, "rule", _ALIASES.get(self.rule, self.rule))
        check.one_of(self.spending.name, spending_names(), "spending")
        if self.threshold is not None:
            check.probability(self.threshold, "futility_threshold")
        if not 0.0 <= self.earliest < 1.0:
            raise InputError(
                f"`futility_from` must be at least 0 and below 1; got {self.earliest!r}. It is "
                "the share of the information before which futility is not looked at."
            )

    @property
    def chance(self) -> float:
        """The threshold in use."""
        if self.threshold is not None:
            return self.threshold
        return 0.05 if self.rule == "predictive-power" else 0.10

    @property
    def counted(self) -> bool:
        """Whether the planned power already counts these stops."""
        return self.rule == "beta-spending"

    def bound(
        self, t: float, *, critical: float, drift: float, sided: int
    ) -> tuple[float, float] | None:
        """Return the interval of Z that stops at an interim look, or None.

        Parameters
        ----------
        t : float
            Share of the information at the look.
        critical : float
            Critical value of the last look.
        drift : float
            The planned drift, for ``conditional-power-design``.
        sided : {1, 2}
            Sides of the test.
        """
        limit = self._limit(t, critical=critical, drift=drift, sided=sided)
        if limit == -math.inf or (sided == 2 and limit <= 0.0):
            return None
        return (-limit, limit) if sided == 2 else (-math.inf, limit)

    def _limit(self, t: float, *, critical: float, drift: float, sided: int) -> float:
        if self.rule in ("none", "beta-spending"):
            return -math.inf
        if self.rule == "p>.5":
            return -normal_quantile(0.5 / sided)
        if t < self.earliest:
            return -math.inf
        if self.rule == "predictive-power":
            return predictive_power_bound(t, critical, self.chance)
        planned = drift if self.rule == "conditional-power-design" else None
        return conditional_power_bound(t, critical, self.chance, drift=planned)

    def describe(self) -> str:
        """Say the rule in a few words."""
        since = f" (from {self.earliest:.0%} of the information)"
        below = f"below {self.chance:.3g}"
        return {
            "none": "none",
            "p>.5": "nominal p above .5",
            "conditional-power": f"conditional power at the current trend {below}{since}",
            "conditional-power-design": f"conditional power at the planned effect {below}{since}",
            "predictive-power": f"predictive power {below}{since}",
            "beta-spending": f"β-spending ({self.spending.name})",
        }[self.rule]


def resolve_futility(value: "str | Futility | None") -> Futility:
    """Return the rule that a user named; None is the default rule."""
    if value is None:
        return Futility()
    if isinstance(value, Futility):
        return value
    return Futility(cast(FutilityRule, _ALIASES.get(value, value)))
