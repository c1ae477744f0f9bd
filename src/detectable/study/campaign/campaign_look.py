"""A look at a campaign as its organisers may know it: what was decided, and never a score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from detectable.core.choices import Reveal
from detectable.core.result import to_json
from detectable.core.wording import number


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedPair:
    """What a look decided about one pair.

    Attributes
    ----------
    interval : (float or None, float or None) or None
        Of the difference, valid at all looks together, where the campaign was frozen to tell it;
        None for an end that is open, and while there is no interval.
    z, e_value : float or None
        What was compared with the boundary, likewise; the second for anytime-valid tests.
    """

    system: str
    baseline: str
    decision: str
    interval: tuple[float | None, float | None] | None = None
    z: float | None = None
    e_value: float | None = None

    def in_numbers(self) -> str:
        """Say interval and statistic; nothing where they are not told.

        Examples
        --------
        >>> told = {"system": "new", "baseline": "old", "decision": "continue"}
        >>> DecidedPair(**told, interval=(-0.5, 4.25), z=1.6).in_numbers()
        'new − old from −0.50 to +4.25, z = +1.600'
        >>> DecidedPair(**told, interval=(0.5, None), e_value=12.0).in_numbers()
        'new − old at least +0.50, E = 12'
        >>> DecidedPair(**told).in_numbers()
        ''
        """
        said = []
        if self.interval is not None:
            low, high = self.interval
            ends = [("from" if high is not None else "at least", low)]
            ends += [("to" if low is not None else "at most", high)]
            shown = " ".join(
                f"{word} {number(end, digits=2, sign=True)}"
                for word, end in ends
                if end is not None
            )
            said.append(f"{self.system} − {self.baseline} {shown}")
        if self.z is not None:
            said.append(f"z = {number(self.z, digits=3, sign=True)}")
        if self.e_value is not None:
            said.append(f"E = {self.e_value:.3g}")
        return ", ".join(said)


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

    def in_numbers(self) -> str:
        """Say interval and statistic of every pair; nothing where they are not told."""
        return "; ".join(said for one in self.pairs if (said := one.in_numbers()))

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the store."""
        plain: dict[str, Any] = to_json(
            {
                "look": self.look,
                "time": self.time,
                "decision": self.decision,
                "n_units": self.n_units,
                "judgments": self.judgments,
                "pairs": [_plain(one) for one in self.pairs],
            }
        )
        return plain

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CampaignLook":
        """Return what a store kept."""
        pairs = tuple(
            DecidedPair(
                system=system,
                baseline=baseline,
                decision=decision,
                **_told(more[0] if more else {}),
            )
            for system, baseline, decision, *more in kept["pairs"]
        )
        return cls(**{**kept, "pairs": pairs})

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], *, reveal: Reveal) -> "CampaignLook":
        """Return what may be told of a look in a ledger."""
        return cls(
            look=int(entry["look"]),
            time=str(entry["time"]),
            decision=str(entry["decision"]),
            n_units=max(int(row["n_units"]) for row in entry["pairs"]),
            judgments=int(entry["judgments"]),
            pairs=tuple(
                DecidedPair(
                    system=row["system"],
                    baseline=row["baseline"],
                    decision=row["decision"],
                    **_told(row if reveal == "full" else {}),
                )
                for row in entry["pairs"]
            ),
        )


def _plain(one: DecidedPair) -> list[Any]:
    told = {"interval": one.interval, "z": one.z, "e_value": one.e_value}
    known = {name: value for name, value in told.items() if value is not None}
    return [one.system, one.baseline, one.decision, *([known] if known else [])]


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says of interval and statistic."""
    interval = row.get("interval")
    return {
        "interval": None if interval is None else (interval[0], interval[1]),
        "z": row.get("z"),
        "e_value": row.get("e_value"),
    }
