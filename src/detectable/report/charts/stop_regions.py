"""Where an evaluation with looks stops: what a chart of boundaries is told."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LookBounds:
    """What stops at one look.

    Attributes
    ----------
    at : float
        When it is: items, or a share of the maximum.
    upper, lower : float
        The statistic stops at `upper` and above, at `lower` and below; infinite for never.
    futile : tuple of float, optional
        Between these giving up is advised; the first may be infinite.
    spent : float, optional
        The error rate that is spent up to here, written below the look.
    """

    at: float
    upper: float
    lower: float = -math.inf
    futile: tuple[float, float] | None = None
    spent: float | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """The statistic of one pair at the looks so far: (when, z) each; the start is added."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class FanPoint:
    """Where the statistic may be at a later time: the middle and a band around it."""

    at: float
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class StopRegions:
    """All looks of a design.

    Attributes
    ----------
    unit : str
        What the axis counts, its title: ``"items judged for both systems"``.
    shares : bool
        Whether `at` is a share of the maximum.
    statistic : str
        What the vertical axis shows.
    above, below, inside : str
        The words of the three regions.
    """

    looks: tuple[LookBounds, ...]
    unit: str
    shares: bool = False
    statistic: str = "z"
    above: str = "stop: better"
    below: str = "stop: worse"
    inside: str = "stop: futile"

    @property
    def two_sided(self) -> bool:
        """Whether something stops below as well."""
        return any(math.isfinite(look.lower) for look in self.looks)
