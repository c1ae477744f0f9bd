"""The settings of studies that have few of them, each declared once.

They stand apart from their studies because ``--help`` shows them: nothing heavy is imported.
"""

from dataclasses import dataclass

from detectable.core.choices import CurveMethod, PowerFit
from detectable.core.options import alpha, check_settings, option, power


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilitySettings:
    """How to look for the number of documents; see `reliability` for what each choice means."""

    method: CurveMethod = option(
        "poisson", "Curves: Poisson weights, multinomial, or closed form."
    )
    fit: PowerFit = option("log", "Of the power law: line through logs, or NLS.")
    epsilon: float = option(
        1e-4,
        "Of x_max: fall of the relative spread, a fraction, per document.",
        kind="positive",
    )
    # The ends of a 5–95 % band need a hundred.
    orders: int = option(200, "Random orders of the documents.", least=100)
    n_resamples: int = option(
        1_500, "Bootstrap, for each number of documents.", flag="--resamples", least=2
    )
    alpha: float = alpha()
    power: float = power()

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha
