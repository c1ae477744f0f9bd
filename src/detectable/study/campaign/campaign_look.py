"""A look at a campaign as its organisers may know it: what was decided, and never a score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from detectable.core.result import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedPair:
    """What a look decided about one pair."""

    system: str
    baseline: str
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLook:
    """One look.

    Attributes
    ----------
    n_units : int
        Lines that the looked-at pairs had, the most of them.
    judgments : int
        Judgments behind the look.
    pairs : tuple of DecidedPair
        Those that were open before it.
    """

    look: int
    time: str
    decision: str
    n_units: int
    judgments: int
    pairs: tuple[DecidedPair, ...]

    @property
    def stops(self) -> bool:
        """Whether nothing is left to be judged for; futility is advice, and stops nothing."""
        return self.decision.startswith("stop") and self.decision != "stop: futile"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the store."""
        plain: dict[str, Any] = to_json(
            {
                "look": self.look,
                "time": self.time,
                "decision": self.decision,
                "n_units": self.n_units,
                "judgments": self.judgments,
                "pairs": [[one.system, one.baseline, one.decision] for one in self.pairs],
            }
        )
        return plain

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CampaignLook":
        """Return what a store kept."""
        pairs = tuple(
            DecidedPair(system=a, baseline=b, decision=c) for a, b, c in kept["pairs"]
        )
        return cls(**{**kept, "pairs": pairs})

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> "CampaignLook":
        """Return what may be told of a look in a ledger."""
        return cls(
            look=int(entry["look"]),
            time=str(entry["time"]),
            decision=str(entry["decision"]),
            n_units=max(int(row["n_units"]) for row in entry["pairs"]),
            judgments=int(entry["judgments"]),
            pairs=tuple(
                DecidedPair(
                    system=row["system"], baseline=row["baseline"], decision=row["decision"]
                )
                for row in entry["pairs"]
            ),
        )
