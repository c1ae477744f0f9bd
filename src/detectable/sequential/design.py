"""Plan an evaluation that is looked at while it runs: `design`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from detectable.core import check
from detectable.core.choices import DesignPreset, FutilityRule
from detectable.core.errors import InputError
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.wording import listing
from detectable.sequential import boundaries, families
from detectable.sequential.design_result import (
    Design,
    FutilityCost,
    OverallAlpha,
    check_times,
    expected_n,
    nominal_p,
    points_at,
    spent_by,
)
from detectable.sequential.futility import (
    Futility,
    beta_spending_design,
    conditional_power,
    resolve_futility,
)

_MULTIPLES = (0.0, 0.5, 1.0, 1.5)  # of the planned effect, at which samples are stated
_DEFAULT_LOOKS = 10
_MOST_LOOKS = 1000


def design(  # noqa: PLR0913 (one entry point for all families; most options have a default)
    family: str | None = None,
    *,
    looks: int | None = None,
    at: Sequence[float] | None = None,
    alpha: float = 0.05,
    sided: int = 2,
    power: float = 0.8,
    futility: FutilityRule | Futility | None = None,
    binding: bool = False,
    preset: DesignPreset | None = None,
    n_max: int | None = None,
    drifts: Sequence[float] = (),
    **parameters: float | None,
) -> Design:
    r"""Plan an evaluation with interim looks that keeps its error rate over all of them.

    At look k, with the share :math:`t_k` of the judgments, the evaluation stops if
    :math:`|Z_k| \ge u_k`; the boundaries :math:`u_k` are such that
    :math:`P_0(|Z_k| \ge u_k \text{ for some } k) = \alpha` [2]_.

    Parameters
    ----------
    family : str, optional
        One of `detectable.sequential.families.FAMILIES`. Those that spend α as information comes
        in allow looks at any time: ``hsd`` (default) and others. Classical ones, like ``pocock``,
        look at the planned times. ``fixed``: no interim look.
    looks : int, optional
        Number of equally spaced looks (default 10).
    at : sequence of float, optional
        Instead: shares of the maximum at which to look, increasing, the last 1.
    alpha : float
        Chance of a false alarm over all looks.
    sided : int
        Sides of the test. A one-sided test rejects upwards.
    power : float
        Power at which the sample is stated.
    futility : str or Futility, optional
        When to advise stopping without a result (see `Futility`). By default where the
        predictive power is below .05, from 35 % of the information on; ``"none"`` turns it off.
    binding : bool
        Let the boundary count on stops for futility. Overruling one then breaks alpha.
    preset : {'paper'}, optional
        ``paper``: Pocock with three looks, giving up where p > .5, as in [1]_.
    n_max : int, optional
        Maximum number of items per system, to state looks and samples in items.
    drifts : sequence of float
        Drifts (expected statistic at full information) for `characteristics`; by default 0, ½, 1
        and 1½ times the planned one.
    **parameters : float
        The parameter of the family by its name in the table, like ``gamma`` of ``hsd`` (default
        −4); refused with any other family.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT.
    .. [2] Jennison and Turnbull (2000), "Group sequential methods with applications to clinical
       trials", Chapman & Hall.

    Examples
    --------
    >>> plan = design("pocock", looks=3)
    >>> [round(z, 4) for z in plan.z], round(plan.inflation, 3)
    ([2.2895, 2.2895, 2.2895], 1.166)
    """
    given = asked(families.DesignSettings, locals())
    if given.preset is not None:
        _refuse_with_preset(family=family, looks=looks, at=at, futility=futility)
        family, looks, futility = "pocock", 3, "p>.5"
    chosen = families.chosen_family(family, parameters)
    times = _times(chosen, looks, at)
    rule = resolve_futility(futility if len(times) > 1 else "none")
    if binding and rule.rule == "none":
        raise InputError(
            "`binding` needs stops for futility to count on, and there are none. Leave it out, or "
            "choose a rule of `futility`."
        )
    ask = _Ask(
        family=chosen,
        times=times,
        alpha=given.alpha,
        sided=int(given.sided),
        power=given.power,
        rule=rule,
        binding=binding,
    )
    return _result(ask, n_max=n_max, drifts=drifts)


@dataclass(frozen=True, slots=True)
class _Ask:
    """What was asked for, checked."""

    family: families.Family
    times: tuple[float, ...]
    alpha: float
    sided: int
    power: float
    rule: Futility
    binding: bool


@dataclass(frozen=True, slots=True)
class _Solved:
    stops: boundaries.Stops
    drift: float  # with the planned power
    design_drift: float  # the same, with futility ignored


@lru_cache(maxsize=64)  # a planner asks for the same looks at many drifts and sizes
def _solve(ask: _Ask) -> _Solved:
    """Find boundaries, futility bounds and the drift."""
    free = ask.family.boundary(ask.times, ask.alpha, sided=ask.sided)
    alone = boundaries.symmetric_stops(ask.times, free, sided=ask.sided)
    design_drift = boundaries.drift_for_power(alone, ask.power)
    if ask.rule.rule == "beta-spending":
        return _solve_beta(ask, alone, design_drift)
    stops = boundaries.symmetric_stops(
        ask.times, free, sided=ask.sided, inside=_inside(ask, free[-1], design_drift)
    )
    if ask.binding and any(inner is not None for inner in stops.inside):
        stops = _bind(ask, stops, design_drift)
        return _Solved(stops, boundaries.drift_for_power(stops, ask.power), design_drift)
    return _Solved(boundaries.without_room(stops), design_drift, design_drift)


def _bind(ask: _Ask, stops: boundaries.Stops, design_drift: float) -> boundaries.Stops:
    """Lower the boundary by what the stops for futility save.

    The futility bounds depend on the last boundary, and that on them; the dependence is weak,
    so that a few rounds settle both.
    """
    for _ in range(50):
        upper = ask.family.boundary(ask.times, ask.alpha, sided=ask.sided, inside=stops.inside)
        moved = abs(upper[-1] - stops.upper[-1])
        inside = _inside(ask, upper[-1], design_drift)
        stops = boundaries.symmetric_stops(ask.times, upper, sided=ask.sided, inside=inside)
        if moved < 1e-10:
            break
    return stops


def _solve_beta(ask: _Ask, alone: boundaries.Stops, design_drift: float) -> _Solved:
    if ask.sided != 1:
        raise InputError(
            "`futility` must not be beta-spending in a two-sided test. Use sided=1, or the rule "
            "conditional-power."
        )
    if ask.binding and not ask.family.spends:
        raise InputError(
            f"`binding` futility by β-spending needs a spending family; got {ask.family.name}. "
            f"Use {families.spending_families()}."
        )
    spending = ask.rule.spending
    found = beta_spending_design(
        ask.times,
        ask.family.cumulative(ask.times, ask.alpha)
        if ask.binding
        else spent_by(alone, obeyed=False),
        [spending.spent(1.0 - ask.power, t) for t in ask.times],
        upper=None if ask.binding else alone.upper,
    )
    bounds = [None if a == -math.inf else (-math.inf, a) for a in found.lower[:-1]]
    stops = boundaries.symmetric_stops(ask.times, found.upper, sided=1, inside=(*bounds, None))
    return _Solved(stops, found.drift, design_drift)


def _inside(ask: _Ask, critical: float, drift: float) -> tuple[tuple[float, float] | None, ...]:
    """Return the stops for futility at every look; the last has none."""
    interim = (
        ask.rule.bound(t, critical=critical, drift=drift, sided=ask.sided)
        for t in ask.times[:-1]
    )
    return (*interim, None)


def _result(ask: _Ask, *, n_max: int | None, drifts: Sequence[float]) -> Design:
    solved = _solve(ask)
    stops, drift = solved.stops, solved.drift
    counts = ask.binding or ask.rule.counted
    planned = points_at(stops, [m * drift for m in _MULTIPLES], counts_futility=counts)
    inflation = (drift / boundaries.fixed_drift(ask.alpha, ask.sided, ask.power)) ** 2
    samples = expected_n(planned)
    most = None if n_max is None else check.positive_int(n_max, "n_max", minimum=len(ask.times))
    error = OverallAlpha(
        futility_ignored=boundaries.type_one_error(stops.without_inside()),
        futility_obeyed=boundaries.type_one_error(stops),
    )
    asked = planned
    if len(drifts):
        asked = points_at(stops, check.vector(drifts, "drifts"), counts_futility=counts)
    return Design(
        family=ask.family.name,
        parameter=ask.family.parameter,
        sided=ask.sided,
        alpha=ask.alpha,
        power=ask.power,
        information=ask.times,
        z=stops.upper,
        z_lower=None if ask.sided == 1 else stops.lower,
        nominal_p=nominal_p(stops.upper, ask.sided),
        alpha_spent=spent_by(stops, obeyed=ask.binding),
        futility=tuple(None if inner is None else inner[1] for inner in stops.inside),
        futility_rule=ask.rule.describe(),
        binding=ask.binding,
        overall_alpha=error,
        drift=drift,
        inflation=inflation,
        expected_n=samples,
        expected_n_over_fixed=samples.times(inflation),
        with_futility=_futility_cost(ask, planned),
        characteristics=asked,
        n_max=most,
        items=None if most is None else tuple(math.ceil(t * most - 1e-9) for t in ask.times),
        expected_items=None if most is None else samples.times(most),
        notes=_notes(ask, solved, error),
        rule=ask.rule,
        design_drift=solved.design_drift,
        signature=_signature(ask),
    )


@lru_cache(maxsize=64)
def _followed_drift(ask: _Ask) -> float:
    """Return the drift with the planned power if every advice to give up is followed."""
    return boundaries.drift_for_power(_solve(ask).stops, ask.power)


def _futility_cost(
    ask: _Ask, planned: Sequence[boundaries.OperatingPoint]
) -> FutilityCost | None:
    """Say what following the advice costs, where the numbers do not count it yet."""
    followed = [point.with_futility for point in planned if point.with_futility is not None]
    if not followed:
        return None
    drift = _followed_drift(ask)
    return FutilityCost(
        power=followed[_MULTIPLES.index(1.0)].power,
        expected_n=expected_n(followed),
        inflation=(drift / boundaries.fixed_drift(ask.alpha, ask.sided, ask.power)) ** 2,
    )


def _notes(ask: _Ask, solved: _Solved, error: OverallAlpha) -> tuple[str, ...]:
    notes = []
    stops = solved.stops
    wanted = _inside(ask, stops.upper[-1], solved.design_drift)
    crowded = [
        f"{t:.4g}"
        for t, inner, kept in zip(ask.times, wanted, stops.inside, strict=True)
        if inner is not None and kept is None
    ]
    if crowded:
        notes.append(
            f"No stop for futility at {listing(crowded)} of the information: the rule would "
            "leave nothing between itself and the boundary."
        )
    if ask.binding and any(inner is not None for inner in stops.inside):
        notes.append(
            "The boundaries count on the stops for futility. Whoever goes on after such a stop "
            f"raises the false alarms from {ask.alpha:g} to {error.futility_ignored:.4f}."
        )
    if ask.rule.rule == "p>.5" and ask.sided == 2:
        for t, inner in zip(ask.times, stops.inside, strict=True):
            if inner is not None:
                z, last = inner[1], stops.upper[-1]
                trend = conditional_power(z, t, last)
                hoped = conditional_power(z, t, last, drift=solved.design_drift)
                notes.append(
                    f"At {t:.0%} of the judgments the rule p > .5 gives up where the chance of "
                    f"success is still {hoped:.0%} if the effect is as planned, and {trend:.1%} "
                    "if it is what it seems then."
                )
    return tuple(notes)


def _signature(ask: _Ask) -> Signature:
    settings: dict[str, str | int | float] = {"family": ask.family.name}
    if ask.family.parameter is not None:
        settings["parameter"] = ask.family.parameter
    settings |= {
        "looks": ",".join(f"{t:.6g}" for t in ask.times),
        "alpha": ask.alpha,
        "sided": ask.sided,
        "power": ask.power,
        "futility": ask.rule.rule,
        "binding": "yes" if ask.binding else "no",
    }
    return Signature("group-sequential-design", settings)


def _times(
    family: families.Family, looks: int | None, at: Sequence[float] | None
) -> tuple[float, ...]:
    """Return the shares of the information at which to look."""
    one_look = families.family_row(family.name).one_look
    if looks is not None and at is not None:
        raise InputError("`looks` and `at` must not both be given. Choose one of them.")
    if at is None:
        default = 1 if one_look else _DEFAULT_LOOKS
        n = check.positive_int(default if looks is None else looks, "looks")
        times = tuple((k + 1) / n for k in range(n))
    else:
        times = check_times(at, "at")
    if times[-1] > 1.0:
        raise InputError(
            f"`at` must hold shares of the maximum, at most 1; got {times[-1]:g}. Divide by the "
            "planned maximum."
        )
    if times[-1] < 1.0:
        raise InputError(f"`at` must end with 1, the last look; got {times[-1]:g}. Add it.")
    if one_look and len(times) > 1:
        raise InputError(
            f"`family` {family.name} must have one look; got {len(times)}. Drop `looks`."
        )
    if len(times) > _MOST_LOOKS:
        raise InputError(
            f"`looks` must be at most {_MOST_LOOKS}; got {len(times)}. To look after every "
            "judgment use a confidence sequence."
        )
    return times


def _refuse_with_preset(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"`{name}` must not be given with a preset, which sets it; got {value!r}."
            )
