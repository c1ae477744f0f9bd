"""The answer of a plan: verdicts with p-values, estimates and intervals that know of the looks."""

from dataclasses import dataclass, field
from typing import Any

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.result import Result, to_json
from detectable.core.verdict import Verdict
from detectable.study.monitoring.plan_history import PlanHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConclusion(Contrast):
    """What may be said about one pair of systems.

    Attributes
    ----------
    p_value, p_adjusted : float
        Over all looks (stagewise ordering; for anytime-valid tests 1 / largest E), and also over
        all pairs (Holm, e-Holm). NaN where none is valid: after a stop for futility, for
        equivalence, or without new data, and with judgments that came after an undecided end.
    estimate, interval
        Median unbiased, and of the stagewise ordering, where the stop was at a boundary or at the
        end; otherwise the plain estimate with its repeated interval, which holds for any stop.
        Intervals of several pairs hold together. That of “equivalent” is the one that lies within
        the margin, with twice the error.
    naive_estimate : float
        The plain estimate; after an early stop it is too large on average.
    method : str
        How estimate and interval were made.
    """

    LAYOUT = """
        system baseline verdict reason look n_units p_value p_adjusted estimate interval
        naive_estimate scale method overrun_units interval_level
    """
    estimate = Alias[float]("difference")
    n_units = Alias[int]("n")

    verdict: Verdict
    interval: Interval | None  # type: ignore[assignment]  # there is none without new data
    reason: str
    look: int
    naive_estimate: float
    scale: str
    method: str
    overrun_units: int = 0

    @property
    def interval_level(self) -> float | None:  # type: ignore[override]
        """The confidence level of the interval: of several pairs together, see `interval`."""
        return None if self.interval is None else self.interval.level


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentionToRate:
    """One pair with the work of all raters, admitted or not: no part of the decision."""

    system: str
    baseline: str
    n_units: int
    estimate: float
    interval: Interval | None  # repeated, at all looks together; None for bets
    scale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutVoided(IntentionToRate):
    """One pair without the work of raters that was voided after a look had seen it."""

    raters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion(Result):
    """How a plan ended."""

    question: str
    pairs: tuple[PairConclusion, ...]
    n_looks: int
    judgments: int
    saved: int | None
    alpha: float
    margin: float | None
    claim: Claim
    sided: int = 2
    intention_to_rate: tuple[IntentionToRate, ...] = ()  # only if the plan admits work
    without_voided: tuple[WithoutVoided, ...] = ()  # only if work was voided
    notes: tuple[str, ...] = ()
    # The plan with all its looks: what the page and its pictures are made of.
    history: PlanHistory | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "private"}
    )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the upper end of a one-sided interval is None."""
        plain: dict[str, Any] = to_json(Result.to_dict(self))
        if not self.without_voided:  # a rare line, and no reason for a file to be another one
            del plain["without_voided"]
        return plain
