"""The answers of the library to what was chosen on the planner."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from detectable.core.errors import ConvergenceError, InputError
from detectable.core.result import to_json
from detectable.core.wording import count, how_often, percent, share_text, significant
from detectable.planning import ask
from detectable.planning.result import (
    DetectableEffect,
    PlanningAnswer,
    PowerEstimate,
    SampleSize,
    units,
)
from detectable.planning.scenario import Scenario
from detectable.report.blocks import Block, Chart, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.planner.chosen import (
    SEED,
    Chosen,
    LooksAsked,
    command_lines,
    has_smallest,
    is_drawn,
    python_lines,
)
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
        return f"“{labels[found[1]]}”" if found[1] in labels else found[1]

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


# --- What the planner shows of an answer: words first, then pictures, then numbers ---


@dataclass(frozen=True, slots=True)
class Number:
    """One number with its name, and in a few words what it means."""

    key: str
    label: str
    value: str
    says: str
    pending: bool = False  # it takes longer, and is asked for by itself


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of one design."""

    verdict: Verdict
    details: tuple[str, ...]
    charts: tuple[Chart, ...]
    limits: tuple[str, ...]
    notes: tuple[str, ...]
    numbers: tuple[Number, ...]
    commands: tuple[str, ...]
    python: str


def shown(answer: Answer) -> Shown:
    """Return what a page shows."""
    blocks = blocks_of(answer.power)
    charts = [block for block in blocks if isinstance(block, Chart)]
    looks = answer.looks
    if looks is not None:
        charts += [block for block in blocks_of(looks.design) if isinstance(block, Chart)]
    asked = None if looks is None else looks.asked
    return Shown(
        verdict=_headline(answer.power, blocks),
        details=tuple(_details(answer)),
        charts=tuple(charts),
        limits=tuple(
            block.text for block in blocks if isinstance(block, Text) and block.role == "limits"
        ),
        notes=tuple(note.replace("n_items", "The size") for note in answer.power.notes),
        numbers=tuple(_numbers(answer)),
        commands=tuple(command_lines(answer.chosen, asked)),
        python=python_lines(answer.chosen, asked),
    )


def _headline(power: PowerEstimate, blocks: tuple[Block, ...]) -> Verdict:
    """Return the verdict; of a claim with a margin in fewer words than a summary has."""
    if not power.aim:
        return _verdict(blocks)
    true = (
        "nothing differs"
        if power.effect == 0.0
        else f"the truth is {significant(power.effect)}"
    )
    said = f"{units(power.n_items, power.unit)} show {power.aim} {how_often(power.power)}"
    return Verdict("info", f"{said} if {true}.")


def _verdict(blocks: tuple[Block, ...]) -> Verdict:
    return next(block for block in blocks if isinstance(block, Verdict))


def _details(answer: Answer) -> Iterator[str]:
    """Yield the answers of the searches, and what looks save, in a sentence each."""
    searches = answer.searches
    if searches is not None:
        results = (searches.smallest, searches.size)
        yield from (_verdict(blocks_of(one)).headline for one in results if one is not None)
    if answer.looks is not None:
        yield _saved(answer, answer.looks)


def _saved(answer: Answer, looks: Looks) -> str:
    _, some = looks.expected_items
    form, values = answer.chosen.form, answer.chosen.values
    expected = form.paid(values, round(some))
    return (
        f"{count(looks.asked.looks, 'look')} end it after {count(expected, form.noun)} on average "
        f"if the effect is as chosen, and after {count(answer.paid, form.noun)} at most."
    )


def _numbers(answer: Answer) -> Iterator[Number]:
    power, form = answer.power, answer.chosen.form
    yield Number("power", "Power", percent(power.power), "chance to find the effect")
    yield from _searched(answer)
    if not power.aim:
        yield Number(
            "type_m",
            "Exaggeration (Type M)",
            _times(power.type_m),
            "significant estimates over the truth",
        )
        wrong = "–" if power.type_s != power.type_s else share_text(power.type_s)
        yield Number("type_s", "Wrong sign (Type S)", wrong, "of significant results")
    yield Number("paid", "In all", count(answer.paid, form.noun), "at this size")
    if answer.cost is not None:
        yield Number("cost", "Cost", f"{answer.cost:,.2f}", "at this size and price")
    if answer.looks is not None:
        yield from _looked(answer, answer.looks)


def _times(value: float) -> str:
    return "–" if value != value else f"{value:.2f} ×"


def _searched(answer: Answer) -> Iterator[Number]:
    searches, power = answer.searches, answer.chosen.values["power"]
    often = f"at {float(power):.0%} power"
    if searches is None:
        yield Number("mde", _smallest(answer), "…", often, pending=True)
        yield Number("size", "Size needed", "…", often, pending=True)
        return
    if searches.smallest is not None:
        smallest = searches.smallest
        value = significant(smallest.effect) if smallest.attainable else "none"
        yield Number("mde", _smallest(answer), value, often)
    size = searches.size
    needed = "none is enough" if size.n_items is None else units(size.n_items, size.unit)
    yield Number("size", "Size needed", needed, f"for this effect, {often}")


def _smallest(answer: Answer) -> str:
    return "Smallest true difference" if answer.power.aim else "Smallest effect found"


def _looked(answer: Answer, looks: Looks) -> Iterator[Number]:
    form, values = answer.chosen.form, answer.chosen.values
    none, some = (form.paid(values, round(n)) for n in looks.expected_items)
    followed = "advice to give up followed"
    yield Number("looks_power", "Power with looks", percent(looks.power), followed)
    yield Number("expected", "Expected with looks", count(some, form.noun), "at this effect")
    yield Number("expected_none", "… without an effect", count(none, form.noun), "on average")
    price = float(values["price"])
    if price > 0.0:
        yield Number("expected_cost", "Expected cost", f"{price * some:,.2f}", "with looks")


def as_json(answer: Answer, *, width: int) -> dict[str, Any]:
    """Return an answer for programs: values in full, words, and the charts as Vega-Lite."""
    made, searches = shown(answer), answer.searches
    chosen = answer.chosen
    return {
        "scenario": chosen.form.name,
        "settings": {field.name: chosen.values[field.name] for field in chosen.there()},
        "verdict": made.verdict.headline,
        "details": list(made.details),
        "limits": list(made.limits),
        "notes": list(made.notes),
        "power": answer.power.to_dict(),
        "smallest": None if searches is None else _or_none(searches.smallest),
        "size": None if searches is None else searches.size.to_dict(),
        "looks": None if answer.looks is None else answer.looks.design.to_dict(),
        "expected": None if answer.looks is None else list(answer.looks.expected_items),
        "paid": answer.paid,
        "cost": answer.cost,
        "commands": list(made.commands),
        "python": made.python,
        "charts": [
            {
                "id": chart.id,
                "title": chart.title,
                "caption": chart.caption,
                "alt": chart.alt,
                "spec": to_json(chart.make(width)),
            }
            for chart in made.charts
        ],
    }


def _or_none(result: PlanningAnswer | None) -> dict[str, Any] | None:
    return None if result is None else result.to_dict()
