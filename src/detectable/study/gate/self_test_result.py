"""How often a gate would end how on an unchanged system."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeShares:
    """How often a gate passes, fails and ends without an answer."""

    passed: float
    failed: float
    inconclusive: float

    @property
    def flips(self) -> float:
        """The chance that two evaluations end differently: 1 − Σ p².

        Examples
        --------
        >>> round(OutcomeShares(passed=0.8, failed=0.05, inconclusive=0.15).flips, 3)
        0.335
        """
        return 1.0 - self.passed**2 - self.failed**2 - self.inconclusive**2


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """A/A: the gate, run on many pairs of evaluations of one unchanged system.

    Attributes
    ----------
    simulated : OutcomeShares
        Among the simulated evaluations.
    formula : OutcomeShares
        By the normal distribution, tasks taken as independent.
    naive : OutcomeShares
        Of «fail if the score is lower», on the same evaluations.
    n_simulations : int
        How many.
    noise : str
        Where the noise of a rerun is from.
    """

    simulated: OutcomeShares
    formula: OutcomeShares
    naive: OutcomeShares
    n_simulations: int
    noise: str
