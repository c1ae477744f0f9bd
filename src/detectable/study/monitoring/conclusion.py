"""The answer of a plan: verdicts with p-values, estimates and intervals that know of the looks."""

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from detectable.core.interval import Interval
from detectable.core.result import Result, to_json
from detectable.core.wording import count, interval, number, p_statement

ConclusionVerdict: TypeAlias = Literal[
    "better", "worse", "equivalent", "non-inferior", "undecided"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConclusion:
    """What may be said about one pair of systems.

    Attributes
    ----------
    p_value, p_adjusted : float
        Over all looks (stagewise ordering; for anytime-valid tests 1 / largest E), and also over
        all pairs (Holm, e-Holm). NaN where none is valid: after a stop for futility, for
        equivalence, or without new data.
    estimate, interval
        Median unbiased, and of the stagewise ordering, where the stop was at a boundary or at the
        end; otherwise the plain estimate with its repeated interval, which holds for any stop.
        Intervals of several pairs hold together. That of «equivalent» is the one that lies within
        the margin, with twice the error.
    naive_estimate : float
        The plain estimate; after an early stop it is too large on average.
    method : str
        How estimate and interval were made.
    """

    system: str
    baseline: str
    verdict: ConclusionVerdict
    reason: str
    look: int
    n_units: int
    p_value: float
    p_adjusted: float
    estimate: float
    interval: Interval | None
    naive_estimate: float
    scale: str
    method: str
    overrun_units: int = 0

    @property
    def interval_level(self) -> float | None:
        """The confidence level of the interval: of several pairs together, see `interval`."""
        return None if self.interval is None else self.interval.level

    def to_json(self) -> dict[str, Any]:
        """Return plain values, with the level of the interval, which differs between verdicts."""
        plain = {part.name: to_json(getattr(self, part.name)) for part in fields(self)}
        return {**plain, "interval_level": self.interval_level}


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
    claim: str
    sided: int = 2
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say every verdict in one sentence, then what the looks saved."""
        lines = [self.sentence(pair) for pair in self.pairs]
        saved = f", {count(self.saved, 'planned judgment')} saved" if self.saved else ""
        lines.append(
            f"{count(self.n_looks, 'look')}, {count(self.judgments, 'judgment')}{saved}."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the upper end of a one-sided interval is None."""
        plain: dict[str, Any] = to_json(Result.to_dict(self))
        return plain

    def sentence(self, pair: PairConclusion) -> str:
        """Say one verdict in words first, numbers after."""
        words = {
            "better": f"{pair.system} is better than {pair.baseline}",
            "worse": f"{pair.system} is worse than {pair.baseline}",
            "equivalent": (
                f"{pair.system} and {pair.baseline} are equivalent within ±{self.margin}"
            ),
            "non-inferior": (
                f"{pair.system} is not worse than {pair.baseline} by {self.margin} or more"
            ),
            "undecided": f"undecided between {pair.system} and {pair.baseline} ({pair.reason})",
        }[pair.verdict]
        if self.sided == 1 and pair.verdict == "undecided":
            words = (
                f"not shown that {pair.system} is better than {pair.baseline} ({pair.reason})"
            )
        digits = 2 if pair.scale == "mean difference" else 3
        shown = f"{number(pair.estimate, digits=digits, sign=True)} ({pair.scale})"
        if pair.interval is not None:
            shown += f" {interval(pair.interval, digits=digits, sign=True)}"
        if pair.p_adjusted == pair.p_adjusted:  # not NaN
            shown += f", {p_statement(pair.p_adjusted)} over all looks"
        return f"{words}: {shown}."
