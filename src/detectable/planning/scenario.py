"""What a scenario is: how data come about, and the test that will be used on them.

A scenario has two methods, `draw` and `analyse` (Figure 2 of card2020). With these two alone,
`power`, `mde`, `sample_size` and `power_curve` work on it by simulation. Everything else has a
default, and is there to make the answer better: an exact or closed form instead of the
simulation, the range of effects that are possible, and words for the result.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from detectable.core.rng import BLOCK
from detectable.core.types import FloatArray

Method: TypeAlias = Literal["exact", "closed-form", "simulated"]
Settings: TypeAlias = Mapping[str, str | int | float]

INDEPENDENT = "independent "  # how the assumption begins that documents replace

_CELLS = 4_000_000  # numbers that a block of simulated trials may hold


class Trials(NamedTuple):
    """The outcome of one test per simulated evaluation.

    Attributes
    ----------
    estimates : array of shape (trials,)
        The effect that each trial would have reported, on the scale of `effect`.
    p_values : array of shape (trials,)
        A trial is significant if its p-value is at most alpha; nan never is.
    """

    estimates: FloatArray
    p_values: FloatArray


class Closed(NamedTuple):
    """Power, Type-M and Type-S error without simulation."""

    power: float
    type_m: float
    type_s: float
    method: Literal["exact", "closed-form"]


class EffectRange(NamedTuple):
    """The effects that are possible at all, and in a few words why."""

    low: float = -math.inf
    high: float = math.inf
    reason: str = ""


class Scenario(ABC):
    """Base of all scenarios. Subclasses are frozen dataclasses whose fields are settings.

    Write `draw` and `analyse`; override the rest where you know better.

    Attributes
    ----------
    null_effect : float
        The effect at which there is nothing to find: 0 for differences, .5 for P(A<B), the
        margin for a test of equivalence or non-inferiority.
    smallest_n : int
        The smallest number of items for which the test is defined.
    unit : str
        What `n_items` counts, for messages: ``"item"``, ``"judgment per system"``.
    scale : str
        What an effect is, for the axis of a picture: ``"difference in accuracy"``.
    """

    smallest_n: ClassVar[int] = 2
    unit: ClassVar[str] = "item"
    scale: ClassVar[str] = "effect"

    @property
    def null_effect(self) -> float:
        """The effect at which there is nothing to find."""
        return 0.0

    def null_near(self, effect: float) -> float:  # noqa: ARG002 (for subclasses)
        """Return the null effect from which an effect is measured, where there are two."""
        return self.null_effect

    @abstractmethod
    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Any:
        """Return the data of `trials` evaluations of `n_items`, if the true effect is `effect`.

        The form of the data is your own business: only `analyse` reads them. `effect` has passed
        `effect_range`, and may be the null effect (for a check of the type I error).
        """

    @abstractmethod
    def analyse(self, data: Any, *, alpha: float) -> Trials:
        """Test every trial; `alpha` is given for tests that are made for one level."""

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed | None:  # noqa: ARG002 (for subclasses)
        """Return the power without simulation, or None where there is no such form."""
        return None

    def without_simulation(self) -> "Scenario":
        """Return the scenario, or one whose closed form is near to what this one simulates."""
        return self

    def points_drawn(self) -> int:
        """Return at how many points a picture may ask the closed form: in about ¼ second."""
        return 66

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (for subclasses)
        """Return the range of effects that can occur; `mde` looks no further."""
        return EffectRange()

    def effects_of_pilot(self, n_items: int) -> EffectRange:
        """Return the range of effects where a pilot shows the spread, whatever the effect."""
        return self.effect_range(n_items)

    def typical_effect(self, n_items: int) -> float:  # noqa: ARG002 (for subclasses)
        """Return a distance from the null effect at which the search for the MDE may start."""
        return 0.1

    def first_n(self, effect: float) -> int:  # noqa: ARG002 (for subclasses)
        """Return a number of items at which the search for a sample size may start."""
        return max(self.smallest_n, 100)

    def largest_n(self) -> int:
        """Return the number of items at which the search for a sample size gives up."""
        return 10_000_000

    def saw_tooth(self, n_items: int, effect: float) -> int:  # noqa: ARG002 (for subclasses)
        """Return over how many larger sizes exact power may fall below `n_items` again.

        Exact tests of counts have a saw-tooth: one more item can lower their power. 0 says
        that power only rises.
        """
        return 0

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002 (for subclasses)
        """Return further numbers for the result: total judgments, the real type I error."""
        return {}

    def aim(self) -> str:
        """Return what is to be shown, where it is not that there is an effect."""
        return ""

    def item_variance(self, effect: float) -> float:  # noqa: ARG002 (for subclasses)
        """Return the variance of one item's difference; nan where documents cannot be planned."""
        return math.nan

    def rater_variance(self) -> tuple[float, int]:
        """Return what raters add to the variance, however many items there are, and their number."""
        return 0.0, 0

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for subclasses)
        """Return what the answer takes for granted, the last one that items are independent."""
        return ()

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (for subclasses)
        """Return sentences that a reader of the result must know."""
        return ()

    def pilot_notes(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for subclasses)
        """Return those of `notes` that are about the pilot, whatever is counted."""
        return ()

    def settings(self) -> Settings:
        """Return what the signature says about the scenario: its plain fields."""
        if not dataclasses.is_dataclass(type(self)):
            return {}
        pairs = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self))  # type: ignore[arg-type]
        return {name: value for name, value in pairs if isinstance(value, str | int | float)}

    def block_trials(self, n_items: int) -> int:
        """Return how many trials one block simulates; part of every simulated answer."""
        return max(16, min(BLOCK, _CELLS // n_items))
