"""One system against one baseline under one metric: difference, interval, p-values, verdict."""

from dataclasses import dataclass

from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """What a common but wrong analysis would have said."""

    method: str
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsClaim:
    """The same difference as a claim about the runs at hand, or about new runs."""

    p_value: float
    p_adjusted: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """One system against one baseline under one metric; differences are system − baseline.

    Attributes
    ----------
    claim : {'better', 'non-inferior', 'equivalent'}
        What p-values and verdict are about.
    interval : Interval
        It shows the verdict. Corrected like p where several pairs are tested, for all pairs
        together; at 1 − 2α for a claim about a margin, which it then keeps or does not.
    interval_alone : Interval
        Of this pair by itself, uncorrected.
    p_value, p_adjusted : float
        Of the claim, alone and corrected. The verdict goes by the corrected one.
    p_equivalence : float
        Of «within ±margin», corrected; nan without a margin.
    attainable_p : float
        The smallest corrected p that such data can give.
    mde : float
        Smallest true difference that this very test finds with the asked power; nan where it can
        find nothing. For a claim about a margin: the smallest margin that equal systems would be
        shown to keep.
    units_needed : int or None
        For the difference that the user named; without one, where the test can find nothing, the
        number of units at which it could.
    runs_needed : int or None
        For the named difference, with runs as random; None also where no number suffices.
    mde_many_runs : float
        The floor that more runs cannot lower; nan with fixed runs.
    these_runs, new_runs : RunsClaim or None
        With several runs, both claims: the verdict is about the one that `Comparison.runs` names.
    p_by_document : float
        By t over documents, where segments were tested although documents are known.
    """

    metric: str
    system: str
    baseline: str
    claim: Claim
    difference: float
    interval: Interval
    interval_level: float
    interval_alone: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
    p_equivalence: float
    attainable_p: float
    mde: float
    units_needed: int | None
    runs_needed: int | None
    mde_many_runs: float
    verdict: Verdict
    naive: Naive | None
    p_by_document: float
    these_runs: RunsClaim | None
    new_runs: RunsClaim | None

    @property
    def p_of_verdict(self) -> float:
        """The p-value of what the verdict says."""
        return self.p_equivalence if self.verdict == "equivalent" else self.p_adjusted
