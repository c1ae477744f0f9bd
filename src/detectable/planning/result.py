"""The answers of `power`, `mde`, `sample_size` and `power_curve`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from detectable.core.errors import InputError
from detectable.core.result import ADDED, Result
from detectable.core.wording import count
from detectable.planning.nearby import NearbyPower
from detectable.planning.scenario import Method


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningAnswer(Result):
    """What the answers share: the power, how misleading what is seen will be, and its basis."""

    power: float  # chance of a significant result with the right sign
    type_m: float  # mean exaggeration |estimate| / |effect| among significant results
    type_s: float  # share of significant results with the wrong sign
    method: Method
    standard_error: float | None  # of `power`, if simulated
    effect: float
    alpha: float
    attainable: bool = True
    unit: str = "item"  # what `n_items` counts
    aim: str = ""  # what is to be shown, where it is not that there is an effect
    # What it takes for granted, in a sentence.
    assumed: str = field(default="", metadata=ADDED)
    details: Mapping[str, str | int | float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # For pictures: what an effect is, and the power around the answer where it costs little.
    scale: str = field(default="effect", repr=False, metadata={"bulk": "private"})
    nearby: NearbyPower | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "rows"}
    )

    @property
    def accuracy(self) -> float:
        r"""The share of right verdicts on such effects, :math:`(1 - \alpha)` times the power.

        If no two systems are equal, as Wei, Kocmi and Federmann (2022), footnote 1, take for granted.
        """
        return (1.0 - self.alpha) * self.power

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; details stand beside the other numbers."""
        plain = Result.to_dict(self)
        details = plain.pop("details")
        if not self.aim:
            del plain["aim"]
        return {**plain, **details}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerEstimate(PlanningAnswer):
    """The chance to see an effect of a given size, and how misleading what is seen will be."""

    n_items: int
    n_trials: int | None = None  # if simulated

    @property
    def power_any_sign(self) -> float:
        """Chance of a significant result of either sign: what some authors call power.

        nan where all that a simulation found had the wrong sign: how many they were is not kept.
        """
        if math.isnan(self.type_s):
            return 0.0
        return math.nan if self.type_s == 1.0 else self.power / (1.0 - self.type_s)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; an estimate can always be had."""
        plain = PlanningAnswer.to_dict(self)
        plain.pop("attainable")
        return {**plain, "power_any_sign": self.power_any_sign}


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectableEffect(PlanningAnswer):
    """The smallest effect that is seen with the power asked for.

    Where no effect can be, `attainable` is False, `effect` is nan, `power` is the largest that
    was found and `limit` says where.
    """

    n_items: int
    target_power: float
    effect_error: float | None  # Monte Carlo standard error of `effect`, if simulated
    limit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize(PlanningAnswer):
    """The number of items that shows an effect with the power asked for.

    Where no number does, `attainable` is False, `n_items` is None, `power` is the largest that
    was found and `limit` says where.
    """

    n_items: int | None
    target_power: float
    n_items_error: float | None  # Monte Carlo standard error of `n_items`, if simulated
    limit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(Result):
    """Power over a grid of sizes and effects; one point per pair, sizes outermost."""

    n_items: tuple[int, ...]
    effect: tuple[float, ...]
    null_effect: float
    alpha: float
    points: tuple[PowerEstimate, ...]
    unit: str = "item"  # what `n_items` counts
    target_power: float = field(default=0.8, metadata=ADDED)
    scale: str = field(default="effect", repr=False, metadata={"bulk": "private"})

    def at(self, n_items: int, effect: float) -> PowerEstimate:
        """Return the point for one size and one effect of the grid."""
        asked = (("n_items", n_items, self.n_items), ("effect", effect, self.effect))
        for name, value, grid in asked:
            if value not in grid:
                known = ", ".join(f"{one:g}" for one in grid)
                raise InputError(f"`{name}` must be one of the grid, {known}; got {value!r}.")
        row, column = self.n_items.index(n_items), self.effect.index(effect)
        return self.points[row * len(self.effect) + column]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with a full row of numbers for every point."""
        plain = Result.to_dict(self)
        return {**plain, "points": [point.to_dict() for point in self.points]}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurves(Result):
    """Power over the same sizes and effects under several assumptions, a curve each.

    Attributes
    ----------
    names : tuple of str
        What each assumes.
    curves : tuple of PowerCurve
        One per assumption. Effects that an assumption rules out are missing from its curve.
    """

    names: tuple[str, ...]
    curves: tuple[PowerCurve, ...]

    def __getitem__(self, name: str) -> PowerCurve:
        """Return the curve of an assumption."""
        if name not in self.names:
            raise InputError(f"`name` must be one of {', '.join(self.names)}; got {name!r}.")
        return self.curves[self.names.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, the curves by their names' order."""
        plain = Result.to_dict(self)
        return {**plain, "curves": [curve.to_dict() for curve in self.curves]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesOf:
    """The sizes that one scenario needs, one for each effect.

    Attributes
    ----------
    name : str
        Of the scenario, where there are several.
    points : tuple of SampleSize or None
        In the order of the effects; None where the scenario cannot have such an effect.
    details : mapping
        What is known of it: the mean and sd of past ratings, for example.
    """

    name: str
    points: tuple[SampleSize | None, ...]
    details: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSizes(Result):
    """The sizes that show each of several effects, for one scenario or several.

    Attributes
    ----------
    name : str
        What the scenarios are: language pairs, for example; empty for one.
    """

    effect: tuple[float, ...]
    groups: tuple[SizesOf, ...]
    target_power: float
    alpha: float
    name: str = ""
    unit: str = "item"  # what `n_items` counts
    notes: tuple[str, ...] = ()
    scale: str = field(default="effect", repr=False, metadata={"bulk": "private"})

    @property
    def accuracy(self) -> float:
        """The share of right verdicts on such effects, if no two systems are equal."""
        return (1.0 - self.alpha) * self.target_power

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with a full row of numbers for every point."""
        plain = Result.to_dict(self)
        groups = [
            {
                "name": group.name,
                **group.details,
                "points": [None if one is None else one.to_dict() for one in group.points],
            }
            for group in self.groups
        ]
        return {**plain, "groups": groups}


def plural(unit: str, *, whole: bool = True) -> str:
    """Return ``judgments per system`` for the unit ``judgment per system``; else the noun alone."""
    noun, *rest = unit.split(" ")
    return " ".join([f"{noun}s", *(rest if whole else ())])


def units(n: int, unit: str) -> str:
    """Return ``1,454 judgments per system``."""
    return count(n, unit, plural(unit))
