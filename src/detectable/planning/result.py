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

_ALIKE = 1.05  # a design effect below it is none


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

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; details stand beside the other numbers."""
        plain = Result.to_dict(self)
        details = plain.pop("details")
        if not self.aim:
            del plain["aim"]
        return {**plain, **details}

    def basis(self) -> str:
        """Say what documents cost, and what was assumed."""
        return " ".join(filter(None, (resemblance(self), self.assumed)))

    def _and_basis(self, said: str) -> str:
        return " ".join(filter(None, (said, self.basis())))

    def _aim(self, verb: str) -> str:
        """Return ``show an effect of 0.3``, or the claim and the difference it is planned for."""
        if not self.aim:
            return f"{verb} an effect of {self.effect:g}"
        true = "nothing differs" if self.effect == 0.0 else f"the difference is {self.effect:g}"
        return f"show {self.aim} if {true}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerEstimate(PlanningAnswer):
    """The chance to see an effect of a given size, and how misleading what is seen will be."""

    n_items: int
    n_trials: int | None = None  # if simulated

    def summary(self) -> str:
        """Say the power and the two errors in one sentence."""
        error = "" if self.standard_error is None else f" ± {self.standard_error:.3f}"
        items, basis = (
            evaluation(self, self.n_items),
            f"(α = {self.alpha:g}, {self.method})",
        )
        if self.aim:
            return self._and_basis(
                f"power {self.power:.3f}{error} with {items} to {self._aim('show')} {basis}. "
                f"Estimates that show it lie {self.type_m:.2f} times as far from the margin as the "
                "truth, on average."
            )
        return self._and_basis(
            f"power {self.power:.3f}{error} to {self._aim('see')} with {items} {basis}. "
            f"A significant result exaggerates the effect {self.type_m:.2f} times on average "
            f"and has the wrong sign in {_share(self.type_s)} of cases."
        )

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

    def summary(self) -> str:
        """Say the effect, or why there is none."""
        if not self.attainable:
            return f"not attainable: {self.limit}"
        error = "" if self.effect_error is None else f" ± {self.effect_error:.2g}"
        if self.aim:
            return self._and_basis(
                f"{evaluation(self, self.n_items)} can show {self.aim} if the "
                f"difference is {self.effect:.4g}{error} or more ({self.target_power:.0%} power, "
                f"α = {self.alpha:g}, {self.method})."
            )
        return self._and_basis(
            f"{evaluation(self, self.n_items)} can detect an effect of {self.effect:.4g}{error} or more "
            f"({self.target_power:.0%} power, α = {self.alpha:g}, {self.method})."
        )


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

    def summary(self) -> str:
        """Say the number, or why there is none."""
        if self.n_items is None:
            return f"not attainable: {self.limit}"
        error = "" if self.n_items_error is None else f" ± {self.n_items_error:.2g}"
        return self._and_basis(
            f"{evaluation(self, self.n_items)}{error} to {self._aim('show')} "
            f"({self.target_power:.0%} power, α = {self.alpha:g}, {self.method})."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(Result):
    """Power over a grid of sizes and effects; one point per pair, sizes outermost."""

    n_items: tuple[int, ...]
    effect: tuple[float, ...]
    null_effect: float
    alpha: float
    points: tuple[PowerEstimate, ...]
    unit: str = "item"  # what `n_items` counts
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

    def summary(self) -> str:
        """Say for every size the smallest effect of the grid that is seen with power .8."""
        lines = []
        for n in self.n_items:
            seen = [e for e in self.effect if self.at(n, e).power >= 0.8]
            nearest = min(seen, key=lambda e: abs(e - self.null_effect), default=None)
            what = "none of the effects" if nearest is None else f"effects from {nearest:g}"
            lines.append(f"{units(n, self.unit)}: {what} with at least 80% power")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with a full row of numbers for every point."""
        plain = Result.to_dict(self)
        return {**plain, "points": [point.to_dict() for point in self.points]}


def units(n: int, unit: str) -> str:
    """Return ``1,454 judgments per system``."""
    noun, _, rest = unit.partition(" ")
    return count(n, unit, f"{noun}s {rest}".strip())


def evaluation(answer: PlanningAnswer, n: int) -> str:
    """Return the size of an evaluation: ``69 documents of 5 items (345 items)``."""
    said = units(n, answer.unit)
    if "per_document" not in answer.details:
        return said
    each, total = float(answer.details["per_document"]), int(answer.details["total_items"])
    return f"{said} of {each:.3g} items ({count(total, 'item')})"


def resemblance(answer: PlanningAnswer) -> str:
    """Say what it costs that items of a document resemble each other; nothing without documents."""
    known = answer.details.get("design_effect")
    if known is None:
        return ""
    effect = float(known)
    start = (
        f"Items of a document resemble each other: design effect {effect:.1f}"
        if effect > _ALIKE
        else f"Items of a document hardly resemble each other: design effect {effect:.1f}"
    )
    alone = answer.details.get("items_alone")
    if alone is None:
        return f"{start}."
    return f"{start}; {count(int(alone), 'item')} would do if they stood alone."


def _share(value: float) -> str:
    return f"{value:.1%}" if value >= 0.001 or value == 0.0 else "under 0.1%"
