"""What a plan may say: its tests, claims and units, and the design with its defaults."""

import math
from collections.abc import Mapping
from typing import Any

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PlanTest
from detectable.core.errors import InputError
from detectable.core.wording import listing
from detectable.sequential.design import design as make_design
from detectable.sequential.families import family_row, parameter_owners

ANYTIME: tuple[PlanTest, ...] = ("e-process", "e-preference")
PREFERENCES: tuple[PlanTest, ...] = ("preference", "e-preference")
WITH_DOCUMENTS: tuple[PlanTest, ...] = ("paired-mean", "sign-flip", "e-process")
WITH_RATERS: tuple[PlanTest, ...] = ("paired-mean", "sign-flip")
UNPAIRED: tuple[PlanTest, ...] = ("rank-sum", "two-means", "proportions")
ASSUMED = (
    "sd",
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
    effect = values.get("effect")
    if effect is not None and not math.isfinite(effect):
        raise InputError(f"`effect` must be a finite number; got {effect!r}.")
    if effect == 0.0 and values["margin"] is None:
        raise InputError("`effect` must not be 0 where a difference is to be shown; got 0.")
    known = [name for name in ("sd", "effect") if values.get(name) is not None]
    if values["test"] in ANYTIME and known:
        raise InputError(
            f"`{known[0]}` does not apply to {values['test']!r}: what bets can show depends on the "
            "whole distribution of the scores."
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
