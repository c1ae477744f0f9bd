"""Futility by β-spending: the planned miss rate is spent over the looks, like α."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.errors import ConvergenceError
from detectable.kernels.distributions.normal import normal_quantile
from detectable.sequential.operating import increasing_root
from detectable.sequential.recursion import (
    ORIGIN,
    Grid,
    Paths,
    grid_for,
    lower_crossing,
    upper_crossing,
)

_NOTHING = 1e-16


@dataclass(frozen=True, slots=True)
class BetaDesign:
    """Boundaries on both sides of a one-sided test, and the drift they were made for."""

    upper: tuple[float, ...]
    lower: tuple[float, ...]  # the last equals the last of `upper`
    drift: float


@dataclass(frozen=True, slots=True)
class _Plan:
    information: Sequence[float]
    alpha_spent: Sequence[float]
    beta_spent: Sequence[float]
    upper: Sequence[float] | None  # given where futility is not binding
    grid: Grid


def beta_spending_design(
    information: Sequence[float],
    alpha_spent: Sequence[float],
    beta_spent: Sequence[float],
    *,
    upper: Sequence[float] | None = None,
) -> BetaDesign:
    r"""Return the bounds that spend α without an effect and β at the drift, and that drift.

    The lower bounds :math:`a_k` solve

    .. math:: P_d(\text{no stop before } k, Z_k < a_k) = b_k - b_{k-1},

    and the drift d is the one at which the last of them meets the upper boundary.

    Parameters
    ----------
    information, alpha_spent, beta_spent : sequence of float
        The looks, and both errors spent up to each of them.
    upper : sequence of float, optional
        Upper boundary that ignores futility (non-binding). Without it the upper boundary counts
        on the futility stops (binding).

    References
    ----------
    Pampallona, Tsiatis and Kim (2001), "Interim monitoring of group sequential trials using
    spending functions for the type I and type II error probabilities", Drug Information Journal
    35(4), 1113–1121.
    """
    alpha, beta = alpha_spent[-1], beta_spent[-1]
    fixed = -normal_quantile(alpha) - normal_quantile(beta)
    grid = grid_for(len(information)).covering(0.0, math.ceil(2.0 * fixed))
    plan = _Plan(information, alpha_spent, beta_spent, upper, grid)
    drift = increasing_root(lambda d: _build(plan, d)[1], 1.05 * fixed, low=0.9 * fixed)
    design, residual = _build(plan, drift)
    if abs(residual) > 1e-6:
        raise ConvergenceError(
            "No drift lets the futility bounds meet the boundary at the last look: they cross "
            "before. Spend less of the miss rate early."
        )
    return design


def beta_spending_bounds(
    information: Sequence[float],
    alpha_spent: Sequence[float],
    beta_spent: Sequence[float],
    *,
    drift: float,
    upper: Sequence[float] | None = None,
) -> BetaDesign:
    """Return the bounds at the looks so far, for a drift fixed before.

    The arguments are those of `beta_spending_design`. A lower bound never exceeds the upper one.
    """
    grid = grid_for(len(information)).covering(0.0, math.ceil(drift))
    plan = _Plan(information, alpha_spent, beta_spent, upper, grid)
    return _walk(plan, drift, len(information))[0]


def _build(plan: _Plan, drift: float) -> tuple[BetaDesign, float]:
    """Return the bounds for a drift, and the miss rate that is left over at the last look."""
    interim, paths = _walk(plan, drift, len(plan.information) - 1)
    if any(a >= u for a, u in zip(interim.lower, interim.upper, strict=True)):
        return interim, 1.0  # the bounds have met too early: the drift is too large
    last = _upper(plan, paths, interim.upper)
    missed = float(paths.below(plan.information[-1], last, drift))
    spent = max(
        (b for b, a in zip(plan.beta_spent, interim.lower, strict=False) if a > -math.inf),
        default=0.0,
    )
    residual = plan.beta_spent[-1] - spent - missed
    return BetaDesign((*interim.upper, last), (*interim.lower, last), drift), residual


def _walk(plan: _Plan, drift: float, looks: int) -> tuple[BetaDesign, Paths]:
    """Return the bounds at the first looks, and the paths that go on after them."""
    times, paths, spent = plan.information, ORIGIN, 0.0
    upper, lower = list[float](), list[float]()
    for look in range(looks):
        upper.append(_upper(plan, paths, upper))
        bound, spent = _lower(plan, paths, upper, spent, drift)
        lower.append(min(bound, upper[look]))
        if bound >= upper[look]:  # nothing goes on
            break
        if look + 1 < len(times):
            region = ((bound, upper[look]),)
            paths = paths.advance(times[look], region, times[look + 1], plan.grid)
    return BetaDesign(tuple(upper), tuple(lower), drift), paths


def _upper(plan: _Plan, paths: Paths, before: Sequence[float]) -> float:
    """Return the upper bound at the look after those `before`."""
    look = len(before)
    if plan.upper is not None:
        return plan.upper[look]
    spent = max(
        (a for a, u in zip(plan.alpha_spent, before, strict=False) if u < math.inf), default=0.0
    )
    increment = plan.alpha_spent[look] - spent
    if increment < _NOTHING:
        return math.inf
    return upper_crossing(paths, plan.information[look], increment)


def _lower(
    plan: _Plan, paths: Paths, upper: Sequence[float], spent: float, drift: float
) -> tuple[float, float]:
    """Return the lower bound at the look of the last `upper`, and what is spent after it."""
    look = len(upper) - 1
    increment = plan.beta_spent[look] - spent
    if increment < _NOTHING:
        return -math.inf, spent
    t = plan.information[look]
    if float(paths.below(t, upper[look], drift)) <= increment:
        return upper[look], plan.beta_spent[look]  # all that do not reject give up
    return lower_crossing(paths, t, increment, drift), plan.beta_spent[look]
