"""What will be asked, of which systems, by which test, and when to stop."""

import functools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from detectable.core import check
from detectable.core.choices import Claim, DesignPreset, JudgmentUnit, PlanTest
from detectable.core.errors import InputError
from detectable.core.result import ADDED, Result
from detectable.core.wording import listing
from detectable.data.files.place import FilePath
from detectable.sequential.design import design as make_design
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row, parameter_owners


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Result):
    """What a plan holds, and what follows from it: pairs, looks, boundaries.

    Attributes
    ----------
    question : str
        What the evaluation is for, in the user's words.
    systems : tuple of str
        Who is compared.
    baseline : str or None
        All others are compared with it; None compares all pairs.
    test, unit
        How one look turns judgments into a statistic, and what counts as independent.
    scale : (float, float)
        Lowest and highest possible score.
    claim, margin
        What is to be shown; the margin of “non-inferior” or “equivalent”, in points.
    n_max : int or None
        Items (of each system, for unpaired tests) at which it ends at the latest; None without
        an end, which only anytime-valid tests allow.
    alpha : float
        Chance of a false alarm over all looks and all pairs.
    design : mapping
        The arguments of `detectable.design`; empty for anytime-valid tests.
    seed : int
        Of everything random.
    agreement, baseline_accuracy : float or None
        Of answers that are right or wrong, in place of `sd`.
    documents : mapping or None
        How documents of the pilot differ; see `planning.documents.DocumentSpread`.
    sd, effect, cost_per_judgment, budget : float or None
        What was assumed and what may be spent, where somebody said so; see `outlook`.
    admission : mapping or None
        By which rule the work of raters counts: rule, alpha, pairs, few, and against where it is
        not the original; None: all of it.
    """

    question: str
    systems: tuple[str, ...]
    baseline: str | None
    test: PlanTest
    unit: JudgmentUnit
    scale: tuple[float, float]
    claim: Claim
    margin: float | None
    n_max: int | None
    alpha: float
    design: Mapping[str, Any]
    seed: int
    created: str
    sd: float | None = None
    agreement: float | None = field(default=None, metadata=ADDED)
    baseline_accuracy: float | None = field(default=None, metadata=ADDED)
    documents: Mapping[str, Any] | None = field(default=None, metadata=ADDED)
    effect: float | None = None
    cost_per_judgment: float | None = None
    budget: float | None = None
    admission: Mapping[str, Any] | None = None
    path: str = field(default="", compare=False, metadata={"path": True})
    fingerprint: str = ""
    # Plans of formats 1 and 2 were made without a ledger, which their first look began.
    has_ledger: bool = field(default=True, compare=False, metadata={"bulk": "private"})

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The comparisons, (system, baseline)."""
        if self.baseline is not None:
            return tuple(
                (name, self.baseline) for name in self.systems if name != self.baseline
            )
        return tuple(
            (system, other)
            for i, other in enumerate(self.systems)
            for system in self.systems[i + 1 :]
        )

    @property
    def anytime(self) -> bool:
        """Whether looks may come at any time, without an end."""
        return self.test in ANYTIME

    @property
    def sided(self) -> int:
        """Sides of the test."""
        return int(self.design.get("sided", 2))

    @property
    def ledger_path(self) -> Path:
        """The ledger, beside the plan."""
        return beside(self.path, ".ledger.jsonl")

    @property
    def conclusion_path(self) -> Path:
        """The conclusion, beside the plan."""
        return beside(self.path, ".conclusion.json")

    def planned_units(self) -> tuple[int, ...] | None:
        """Return the numbers of units at which a classical family may look; None for any."""
        if self.n_max is None or self.anytime:
            return None
        if family_row(self.design["family"]).spends:
            return None
        return tuple(round(t * self.n_max) for t in self.planned_shares())

    def planned_shares(self) -> tuple[float, ...]:
        """Return the planned looks as shares of the maximum."""
        return self.design_at(self.alpha).information

    def share(self, n_units: int) -> float:
        """Return which share of the maximum so many units are.

        At a planned look of a classical family it is the planned share exactly: a third of 100
        items are 33, and the boundary is that for a third.
        """
        allowed = self.planned_units()
        if allowed is not None and n_units in allowed:
            return float(self.planned_shares()[allowed.index(n_units)])
        return n_units / float(self.n_max or n_units)

    def design_at(
        self, alpha: float, *, sided: int | None = None, futility: str | None = None
    ) -> Design:
        """Return the design at a level; a family of pairs tests each at its own."""
        # A plan that does not say was made when the default was .9.
        arguments = {"power": 0.9, **self.design}
        if sided is not None:
            arguments["sided"] = sided
        if futility is not None:
            arguments["futility"] = futility
        frozen = {k: tuple(v) if isinstance(v, list) else v for k, v in arguments.items()}
        return _design(alpha, tuple(sorted(frozen.items())))

    @property
    def unit_name(self) -> str:
        """What `n_max` counts."""
        return "items per system" if self.test in UNPAIRED else "items"


def scale_to_json(scale: tuple[float, float]) -> list[float | None]:
    """Return a scale as JSON has it: an end that is infinite is null.

    Examples
    --------
    >>> scale_to_json((-math.inf, 0.0)), scale_of_json([None, 0])
    ([None, 0.0], (-inf, 0.0))
    """
    return [end if math.isfinite(end) else None for end in scale]


def scale_of_json(kept: Sequence[float | None]) -> tuple[float, float]:
    """Return the scale that a file holds."""
    low, high = kept
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)


def beside(path: FilePath, ending: str) -> Path:
    """Return a file beside a plan, wherever a symbolic link to the plan may stand.

    Examples
    --------
    >>> beside("ship.json", ".ledger.jsonl").name
    'ship.ledger.jsonl'
    """
    real = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    return real.with_suffix(ending)


@functools.lru_cache(maxsize=256)  # one look asks for the same design again and again
def _design(alpha: float, arguments: tuple[tuple[str, Any], ...]) -> Design:
    return make_design(alpha=alpha, **dict(arguments))


# --- What a plan may say: its tests, claims and units, and the design with its defaults ---

ZERO_ONE = (0.0, 1.0)  # the scale of answers that are right or wrong
ANYTIME: tuple[PlanTest, ...] = ("e-process", "e-preference")
PREFERENCES: tuple[PlanTest, ...] = ("preference", "e-preference")
WITH_DOCUMENTS: tuple[PlanTest, ...] = ("paired-mean", "sign-flip", "e-process")
WITH_RATERS: tuple[PlanTest, ...] = ("paired-mean", "sign-flip")
WEIGHED: tuple[PlanTest, ...] = ("paired-mean", "sign-flip")  # with sampling weights
UNPAIRED: tuple[PlanTest, ...] = ("rank-sum", "two-means", "proportions")
ASSUMED = (
    "sd",
    "agreement",
    "baseline_accuracy",
    "documents",
    "effect",
    "cost_per_judgment",
    "budget",
    "admission",
)  # in a plan only if chosen
_DESIGN_OPTIONS = ("family", "looks", "at", "sided", "futility", "power")


def check_end(test: PlanTest, n_max: int | None, design: Mapping[str, Any]) -> None:
    """Refuse a plan without an end where there must be one, and a design where there is none."""
    if n_max is not None:
        check.positive_int(n_max, "n_max", minimum=2)
    elif test not in ANYTIME:
        raise InputError(
            f"`n_max` must say where the test {test!r} ends at the latest. If the end is open, "
            "plan an anytime-valid test (e-process, e-preference)."
        )
    if test in ANYTIME and design:
        raise InputError(
            f"`{next(iter(design))}` does not apply to {test!r}, which allows a look at any time."
        )


def check_assumed(values: Mapping[str, Any]) -> None:
    """Refuse assumptions and prices that cannot be."""
    for name in ("sd", "cost_per_judgment", "budget"):
        if values.get(name) is not None:
            check.positive(values[name], name)
    _check_answers(values)
    effect = values.get("effect")
    if effect is not None and not math.isfinite(effect):
        raise InputError(f"`effect` must be a finite number; got {effect!r}.")
    if effect == 0.0 and values["margin"] is None:
        raise InputError("`effect` must not be 0 where a difference is to be shown; got 0.")
    assumed = ("sd", "effect", "agreement", "baseline_accuracy")
    known = [name for name in assumed if values.get(name) is not None]
    if values["test"] in ANYTIME and known:
        raise InputError(
            f"`{known[0]}` does not apply to {values['test']!r}: what bets can show depends on the "
            "whole distribution of the scores."
        )


def _check_answers(values: Mapping[str, Any]) -> None:
    """Refuse what is said of right and wrong answers where there are none, or where sd says it."""
    for name in ("agreement", "baseline_accuracy"):
        value = values.get(name)
        if value is None:
            continue
        if tuple(values["scale"]) != ZERO_ONE or values["test"] in PREFERENCES:
            raise InputError(
                f"`{name}` is about answers that are right or wrong: `scale` must be 0 to 1, and "
                f"`test` no preference; got {values['scale'][0]:g} to {values['scale'][1]:g} and "
                f"{values['test']!r}. Give `sd`."
            )
        if values.get("sd") is not None:
            raise InputError(f"`{name}` and `sd` both say how much differences vary. Give one.")
        if not (0.0 <= value < 1.0 if name == "agreement" else 0.0 < value < 1.0):
            raise InputError(f"`{name}` must lie between 0 and 1; got {value!r}.")
    if values.get("agreement") is not None and values["test"] in UNPAIRED:
        raise InputError(
            f"`agreement` is of answers to the same items, and the test {values['test']!r} has "
            "items of each system. Give `baseline_accuracy`."
        )


def affordable(budget: float, price: float | None, per_item: int, n_max: int | None) -> int:
    """Return the items that a budget pays for, or `n_max` if it fits."""
    check.positive(budget, "budget")
    if price is None:
        raise InputError("`budget` needs `cost_per_judgment`, the price of one judgment.")
    each = check.positive(price, "cost_per_judgment") * per_item
    most = math.floor(budget / each + 1e-9)
    factors = f"{per_item} systems × {price:g}" if per_item > 1 else f"{price:g}"
    if n_max is None:
        if most < 2:
            raise InputError(
                f"`budget` must pay for two items or more ({factors} each); got {budget:g}."
            )
        return most
    if n_max > most:
        raise InputError(
            f"`n_max` must fit the budget of {budget:g}: {n_max:,} items × {factors} = "
            f"{n_max * each:,.10g}. It pays for {most:,} items."
        )
    return n_max


def check_unit(test: PlanTest, unit: JudgmentUnit) -> None:
    """Refuse units that a test cannot take.

    A bet is settled once. A document is judged within days, a rater judges to the end: so
    raters can be no bets.
    """
    able = {"document": WITH_DOCUMENTS, "rater": WITH_RATERS}.get(unit, (test,))
    if test not in able:
        raise InputError(
            f"`unit` {unit} goes with the tests {listing(list(able))}; got test {test!r}."
        )


def checked_baseline(systems: tuple[str, ...], baseline: str | None) -> str | None:
    """Return who the others are compared with; None for all pairs."""
    if len(systems) < 2 or len(set(systems)) < len(systems) or not all(systems):
        raise InputError(f"`systems` must be two or more different names; got {list(systems)}.")
    if baseline is not None and baseline not in systems:
        raise InputError(
            f"`baseline` must be one of {listing(list(systems))}; got {baseline!r}."
        )
    return systems[1] if baseline is None and len(systems) == 2 else baseline


def preset_design(
    preset: DesignPreset, test: PlanTest | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of `design` that a preset stands for, beside those that it leaves open."""
    check.literal(preset, DesignPreset, "preset")
    fixed = {"family": "pocock", "looks": 3, "futility": "p>.5"}
    for name in (*fixed, "at"):
        if given.get(name) is not None:
            raise InputError(
                f"`preset` fixes family, looks and futility; got `{name}` as well. Leave one out."
            )
    if test in ANYTIME:
        raise InputError(
            f"`preset` has planned looks, and the test {test!r} allows a look at any time. Choose "
            "rank-sum, two-means or paired-mean."
        )
    return {**given, **fixed}


def frozen_design(test: PlanTest, given: Mapping[str, Any], alpha: float) -> dict[str, Any]:
    """Return the arguments of `design` with all defaults written out.

    A plan must mean the same in a later version with other defaults.
    """
    known = (*_DESIGN_OPTIONS, *parameter_owners())
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"`design` takes {', '.join(known)}; got {listing(unknown)}.")
    options = {name: value for name, value in given.items() if value is not None}
    if not isinstance(options.get("futility", ""), str):
        raise InputError(
            f"`futility` must be the name of a rule, so that a file can hold it; got "
            f"{options['futility']!r}."
        )
    if "at" in options:
        options["at"] = [float(t) for t in options["at"]]
    if test in ANYTIME:
        return options
    made = make_design(alpha=alpha, **options)
    frozen = {
        "family": made.family,
        "sided": made.sided,
        "futility": made.rule.rule,
        "power": made.power,
    }
    own = family_row(made.family).parameter
    if own is not None:
        frozen[own.name] = made.parameter
    if "at" in options:
        return frozen | {"at": options["at"]}
    return frozen | {"looks": len(made.information)}
