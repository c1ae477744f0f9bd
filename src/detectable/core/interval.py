"""An interval and the level at which it was made."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval."""

    low: float
    high: float
    level: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_json(self) -> list[float]:
        """Return ``[low, high]``; the level is stated once per result, not per row."""
        return [self.low, self.high]
