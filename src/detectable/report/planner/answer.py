"""The answers of the library to what was chosen on the planner."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from detectable.core.errors import ConvergenceError, InputError
from detectable.planning import ask
from detectable.planning.result import DetectableEffect, PowerEstimate, SampleSize
from detectable.planning.scenario import Scenario
from detectable.report.planner.chosen import SEED, Chosen, LooksAsked, has_smallest, is_drawn
from detectable.report.planner.field import Value, Values
from detectable.report.planner.forms import forms
from detectable.sequential.boundaries import OperatingPoint, fixed_drift
from detectable.sequential.design import design
from detectable.sequential.design_result import Design
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan import plan as make_plan

_DRAWN = 33  # points of the picture: three lines of eleven
_SURE = 1.0 - 1e-9  # power beyond which the drift would be infinite
_NAMED = re.compile(r"`(\w+)`")


class Impossible(Exception):
    """A choice that the library refuses, with its sentence and the field it is about."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.message, self.field = message, field


@dataclass(frozen=True, slots=True)
class Searches:
    """The smallest effect and the size: the answers that take longest."""

    smallest: DetectableEffect | None
    size: SampleSize


@dataclass(frozen=True, slots=True)
class Looks:
    """What looks at the data change."""

    asked: LooksAsked
    design: Design

    @property
    def power(self) -> float:
        """The chance to find the effect, if every advice to give up is followed."""
        return self._followed[1].power

    @property
    def expected_items(self) -> tuple[float, float]:
        """The size on average without an effect and with the one chosen, advice followed."""
        none, some = self._followed
        return none.expected_n * self.asked.n_max, some.expected_n * self.asked.n_max

    @property
    def _followed(self) -> tuple[OperatingPoint, OperatingPoint]:
        none, some = self.design.characteristics
        return none.with_futility or none, some.with_futility or some


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the planner says of one design."""

    chosen: Chosen
    power: PowerEstimate
    searches: Searches | None  # None: not asked for yet
    looks: Looks | None

    @property
    def paid(self) -> int:
        """How many judgments, votes or items the size is."""
        return self.chosen.form.paid(self.chosen.values, int(self.chosen.values["n_items"]))

    @property
    def cost(self) -> float | None:
        """What they cost; None without a price."""
        price = float(self.chosen.values["price"])
        return price * self.paid if price > 0.0 else None


def answer(chosen: Chosen, *, search: bool) -> Answer:
    """Ask the library.

    Parameters
    ----------
    chosen : Chosen
        The design.
    search : bool
        Whether to search for the smallest effect and the size as well.

    Raises
    ------
    Impossible
        If the library refuses.
    """
    key = chosen.identity()
    try:
        power = _power(*key)
        looks = _looks(chosen, power)
        return Answer(chosen, power, _searches(*key) if search else None, looks)
    except (InputError, ConvergenceError) as error:
        raise Impossible(str(error), _field(str(error), chosen)) from None


@lru_cache(maxsize=512)
def _power(name: str, pairs: tuple[tuple[str, Value], ...]) -> PowerEstimate:
    values = dict(pairs)
    return ask.power(
        _scenario(name, values),
        n_items=int(values["n_items"]),
        effect=float(values["effect"]),
        alpha=float(values["alpha"]),
        drawn=_DRAWN,
        **_seed(name, values),
    )


@lru_cache(maxsize=512)
def _searches(name: str, pairs: tuple[tuple[str, Value], ...]) -> Searches:
    values = dict(pairs)
    alpha, power = float(values["alpha"]), float(values["power"])
    scenario, seed = _scenario(name, values), _seed(name, values)
    smallest = None
    if has_smallest(Chosen(forms()[name], values)):
        n_items = int(values["n_items"])
        smallest = ask.mde(scenario, n_items=n_items, power=power, alpha=alpha, drawn=0, **seed)
    effect = float(values["effect"])
    size = ask.sample_size(scenario, effect=effect, power=power, alpha=alpha, drawn=0, **seed)
    return Searches(smallest, size)


def _seed(name: str, values: Values) -> dict[str, Any]:
    return {"rng": SEED} if is_drawn(Chosen(forms()[name], values)) else {}


def _scenario(name: str, values: Values) -> Scenario:
    return forms()[name].call(values).build()


def _looks(chosen: Chosen, power: PowerEstimate) -> Looks | None:
    """Return the design with looks, if there is more than one."""
    values, sided = chosen.values, chosen.form.sided(chosen.values)
    if sided == 0 or int(values["looks"]) == 1:
        return None
    alpha = float(values["alpha"])
    # A test without looks that has this power: its drift says how far the effect stands out.
    drift = max(fixed_drift(alpha, sided, min(max(power.power, 1e-9), _SURE)), 0.0)
    asked = LooksAsked(
        family=str(values["family"]),
        looks=int(values["looks"]),
        alpha=alpha,
        sided=sided,
        power=float(values["power"]),
        n_max=int(values["n_items"]),
        drift=drift,
    )
    return Looks(asked, design(asked.family, **asked.arguments()))


def _field(message: str, chosen: Chosen) -> str:
    """Return the field that a sentence of the library is about; the effect where it says none."""
    there = {field.name for field in chosen.there()}
    other = {
        "n_max": "n_items",
        "drifts": "effect",
        "scenario": "effect",
        "family": "family_of_gaps",
    }
    for name in _NAMED.findall(message):
        for found in (name, other.get(name, "")):
            if found in there:
                return found
    return "effect"


def in_words(message: str, chosen: Chosen) -> str:
    """Return a sentence of the library with the labels of the form in place of its arguments."""
    labels = {field.name: field.label for field in chosen.fields}

    def label(found: re.Match[str]) -> str:
        return f"«{labels[found[1]]}»" if found[1] in labels else found[1]

    return _NAMED.sub(label, message)


# --- Freeze what was chosen on the planner as a plan that looks will follow ---

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def can_freeze(chosen: Chosen) -> bool:
    """Say whether looks know the test of a scenario."""
    return chosen.form.plan is not None


def freeze(
    folder: Path, chosen: Chosen, *, name: str, systems: Sequence[str], question: str = ""
) -> Plan:
    """Write a plan file into a folder; one that exists is never overwritten.

    Parameters
    ----------
    folder : Path
        Where it goes.
    chosen : Chosen
        The design.
    name : str
        Of the file, without an ending; letters, digits, dashes and underscores.
    systems : sequence of str
        The system, and the baseline that it is compared with.
    question : str
        What it is for.
    """
    if chosen.form.plan is None:
        raise InputError(
            f"the scenario {chosen.form.name} cannot be frozen as a plan: looks test judgments, "
            "not corpus metrics or arenas."
        )
    if not _NAME.fullmatch(name):
        raise InputError(
            "`name` must be 1 to 64 letters, digits, dashes or underscores, and begin with a "
            f"letter or digit; got {name[:80]!r}."
        )
    values = chosen.values
    design: dict[str, object] = {"power": values["power"]}
    if chosen.form.sided(values) > 0 and int(values["looks"]) > 1:
        design |= {"looks": values["looks"], "family": values["family"]}
    price = float(values["price"])
    return make_plan(
        folder / f"{name}.json",
        systems=list(systems),
        baseline=systems[-1],
        n_max=int(values["n_items"]),
        question=question,
        alpha=float(values["alpha"]),
        cost_per_judgment=price if price > 0.0 else None,
        **chosen.form.plan(values),
        **design,  # type: ignore[arg-type]
    )
