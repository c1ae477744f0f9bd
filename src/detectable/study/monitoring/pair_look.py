"""Where one pair of systems stands at one look, and how the ledger writes it down."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict, in_numbers, in_words
from detectable.core.wording import number
from detectable.inference.paired_shares import PairedShares
from detectable.sequential.look_statistic import LookStatistic

Decision: TypeAlias = Literal[
    "stop: better",
    "stop: worse",
    "stop: equivalent",
    "stop: non-inferior",
    "stop: futile",
    "stop: undecided",
    "stop",
    "continue",
]
_UNDECIDED = {
    "stop: futile": ", and unlikely to be decided by the planned end",
    "stop: undecided": " at the end",
    "continue": " so far",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLook:
    """One pair of systems at one look. It has no p-value: that comes with the conclusion.

    Attributes
    ----------
    estimate, standard_error, scale
        The difference system − baseline so far. After an early stop it is too large on average.
    interval : Interval or None
        Repeated confidence interval: valid at all looks together, for any reason to stop. For
        anytime-valid tests a confidence sequence; None while there is none.
    z, z_bound, futility_bound : float or None
        The statistic, the boundary it must reach, and the one below which it is given up; the
        sum of the differences and its bound for the exact test. None for anytime-valid tests.
    z_margin : float or None
        The one-sided boundary of the tests against the margin, if the plan has one.
    sided : {1, 2}
        Sides of the test; the interval of a one-sided one has no upper end.
    e_value, e_needed : float or None
        Of anytime-valid tests: the largest so far, and what decides.
    level, alpha_spent
        The share of the error rate that this pair may use, and what of it is spent.
    exact_p : float or None
        Of the exact test: its p-value over all looks if this is the last one. The conclusion
        prints it; before that it means nothing.
    shares : PairedShares or None
        Of a margin on scores of two values: the items that differ, behind the score tests.
    tested : bool
        False if the pair was only ended, without new data, by a last look.
    """

    system: str
    baseline: str
    decision: Decision
    n_units: int
    n_clusters: int | None
    judgments: int
    information: float | None
    estimate: float
    standard_error: float
    df: float | None
    scale: str
    interval: Interval | None
    z: float | None = None
    z_bound: float | None = None
    futility_bound: float | None = None
    e_value: float | None = None
    e_needed: float | None = None
    level: float
    alpha_spent: float | None = None
    exact_p: float | None = None
    z_margin: float | None = None
    sided: int = 2
    shares: PairedShares | None = None
    tested: bool = True

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems."""
        return self.system, self.baseline

    @property
    def verdict(self) -> Verdict:
        """What the decision says about the systems; a pair that goes on is undecided."""
        word = self.decision.removeprefix("stop: ")
        return next((known for known in get_args(Verdict) if known == word), "undecided")

    def statistic(self) -> LookStatistic:
        """Return what was tested, to make intervals of other levels from it."""
        return LookStatistic(
            z=float(self.z or 0.0),
            estimate=self.estimate,
            standard_error=self.standard_error,
            df=math.inf if self.df is None else self.df,
            n_units=self.n_units,
            n_clusters=self.n_clusters,
            scale=self.scale,
            shares=self.shares,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all fields; `shares` only where they are known."""
        known = {part.name: getattr(self, part.name) for part in fields(self)}
        return {key: value for key, value in known.items() if key != "shares" or value}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> "PairLook":
        """Return what the ledger holds."""
        known = {part.name for part in fields(cls)}
        values = {key: value for key, value in entry.items() if key in known}
        if values["standard_error"] is None:
            values["standard_error"] = math.inf
        if "shares" in values:
            counts = values["shares"]
            endless = math.inf if counts["df"] is None else counts["df"]
            values["shares"] = PairedShares(**{**counts, "df": endless})
        if values["interval"] is not None:
            low, high = (
                side if value is None else value
                for value, side in zip(values["interval"], (-math.inf, math.inf), strict=True)
            )
            values["interval"] = Interval(low, high, 1.0 - float(values["level"]))
        return cls(**values)


def describe_pair(pair: PairLook, *, margin: float | None = None) -> str:
    """Say where one pair stands, without anything that could be mistaken for a p-value."""
    going = pair.decision == "continue"
    sided = 2 if going else pair.sided  # what may still be shown is undecided, not «not shown»
    limit = None if margin is None else f"{margin:g}"
    words = in_words(pair.verdict, pair.system, pair.baseline, margin=limit, sided=sided)
    if sided == 2:
        words += _UNDECIDED.get(pair.decision, "")
    low = -math.inf if pair.interval is None else pair.interval.low
    shown = in_numbers(
        pair.estimate,
        pair.interval if math.isfinite(low) else None,
        scale=f"({pair.scale})",
        digits=digits_of(pair.scale),
    )
    if math.isfinite(low):
        shown += " at all looks together"
    return f"{words}: {shown}; {evidence_of(pair)}."


def digits_of(scale: str) -> int:
    """Return the number of decimals that make sense for estimates on a scale."""
    return 2 if scale == "mean difference" else 3


def evidence_of(pair: PairLook) -> str:
    """Say how far a pair is, and how far it had to be."""
    if pair.e_value is not None and pair.e_needed is not None:
        return f"E = {pair.e_value:.3g}, {pair.e_needed:.3g} needed"
    z = number(pair.z, digits=3, sign=True)
    if pair.z_bound is None or math.isinf(pair.z_bound):
        return f"z = {z}, no boundary can be reached at this look"
    return f"z = {z}, boundary {'±' if pair.sided == 2 else '+'}{pair.z_bound:.3f}"
