"""The choices of a reliability study, checked once and written into its signature."""

from dataclasses import dataclass

from detectable.core import check
from detectable.core.choices import CurveMethod, PowerFit

FEWEST_ORDERS = 100  # the ends of a 5–95 % band need that many


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilitySettings:
    """How to look for the number of documents; see `reliability` for what each choice means."""

    method: CurveMethod = "poisson"
    fit: PowerFit = "log"
    epsilon: float = 1e-4
    orders: int = 200
    n_resamples: int = 1_500
    alpha: float = 0.05
    power: float = 0.80

    def __post_init__(self) -> None:
        check.literal(self.method, CurveMethod, "method")
        check.literal(self.fit, PowerFit, "fit")
        check.positive(self.epsilon, "epsilon")
        check.positive_int(self.orders, "orders", minimum=FEWEST_ORDERS)
        check.positive_int(self.n_resamples, "n_resamples", minimum=2)
        check.probability(self.alpha, "alpha")
        check.probability(self.power, "power")

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha
