"""Inference with looks: after stopping at a boundary, or repeated at every look."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.kernels.roots import bracketed_root
from detectable.sequential import boundaries

_FARTHEST = 40.0  # standard errors within which limits are searched


@dataclass(frozen=True, slots=True, kw_only=True)
class StagewiseInference:
    """What may be said after stopping; estimates are in units of the drift.

    Divide by the square root of the maximum information, or multiply by the standard error at
    full information, to get back to points.
    """

    p_one_sided: float  # of no effect against a positive one
    p_two_sided: float
    estimate: float  # median unbiased
    interval: Interval
    naive_estimate: float  # biased away from zero
    stage: int
    z: float


def stagewise_inference(
    information: Sequence[float],
    z_upper: Sequence[float],
    z_lower: Sequence[float] | None,
    stage: int,
    z: float,
    *,
    level: float = 0.95,
) -> StagewiseInference:
    r"""Return the p-value, the median-unbiased estimate and the interval after a stop.

    Outcomes are ordered by stage: crossing the upper boundary earlier is stronger evidence than
    crossing it later, and at the same look a larger Z is. With T the look of the stop,

    .. math:: P_d[(T, Z) \ge (k, z)] = \sum_{j < k} P_d(\text{stop above at } j) +
       P_d(\text{no stop before } k, Z_k \ge z).

    Without drift this is the one-sided p-value; the drift at which it is 1/2 is the
    median-unbiased estimate, and those at which it is α/2 and 1 − α/2 are the limits [1]_.

    Use the looks and boundaries that took place. Stops for futility do not enter: the answer
    holds if the evaluation ended at a boundary or at its last look. After a stop for futility
    report `repeated_interval` instead.

    Parameters
    ----------
    information : sequence of float
        Look times as shares of the maximum. Looks after `stage` may be left out.
    z_upper, z_lower : sequence of float
        Boundaries at the looks; `z_lower` is None for a one-sided test.
    stage : int
        The look of the stop, from 1.
    z : float
        The statistic there.
    level : float
        Confidence level of the interval.

    References
    ----------
    .. [1] Tsiatis, Rosner and Mehta (1984), "Exact confidence intervals following a group
       sequential test", Biometrics 40(3), 797–803.

    Examples
    --------
    >>> looks, pocock = (1 / 3, 2 / 3, 1), (2.289478,) * 3
    >>> found = stagewise_inference(looks, pocock, [-u for u in pocock], 2, 3.0)
    >>> round(found.p_two_sided, 4), round(found.estimate, 3), round(found.naive_estimate, 3)
    (0.0234, 3.357, 3.674)
    """
    _check_stage(information, stage)
    if not math.isfinite(z):
        raise InputError(f"`z` must be a finite number; got {z!r}.")
    lower = tuple(z_lower) if z_lower is not None else (-math.inf,) * len(z_upper)
    interim = stage < len(information)
    if interim and lower[stage - 1] < z < z_upper[stage - 1]:
        raise InputError(
            f"`z` must be at or beyond the boundary {z_upper[stage - 1]:.4f} for a stop at look "
            f"{stage} of {len(information)}; got {z:.4f}. After a stop for another reason report "
            "the repeated interval."
        )
    stops = boundaries.Stops(tuple(information[:stage]), tuple(z_upper[:stage]), lower[:stage])
    return _order(stops, stage, float(z), check.probability(level, "level"))


def overrun_inference(
    information: Sequence[float],
    z_upper: Sequence[float],
    z_lower: Sequence[float] | None,
    *,
    overrun_information: float,
    z: float,
    level: float = 0.95,
) -> tuple[StagewiseInference, float]:
    r"""Return the inference from all data after judgments came in following the stop.

    The look of the stop is replaced by one with all data, which takes over what that look had to
    spend and nothing more [1]_. The second value is its boundary:
    :math:`P_0(\text{no stop before } k, Z \ge u) = P_0(\text{no stop before } k, Z_k \ge u_k)`.
    It makes the repeated interval. A test need not reach it: a p-value of at most α decides,
    since only an evaluation that had crossed its boundary gets here, which has the chance α over
    all looks. After an end without a decision all of α is spent, and this p-value is none.

    Parameters
    ----------
    information, z_upper, z_lower : sequence of float
        The looks up to the stop, and their boundaries.
    overrun_information : float
        Share of the maximum with all data, above the last of `information`.
    z : float
        The statistic with all data.
    level : float
        Confidence level of the interval.

    References
    ----------
    .. [1] Whitehead (1992), "Overrunning and underrunning in sequential clinical trials",
       Controlled Clinical Trials 13(2), 106–121 (the deletion method).
    """
    if overrun_information <= information[-1]:
        raise InputError(
            f"`overrun_information` must be above that of the stop, {information[-1]:g}; got "
            f"{overrun_information:g}."
        )
    before = len(information) - 1
    lower = tuple(z_lower) if z_lower is not None else (-math.inf,) * len(z_upper)
    planned = boundaries.Stops(tuple(information), tuple(z_upper), lower)
    spent = float(boundaries.stop_chances(planned, 0.0).up[0, -1])
    times = (*information[:before], overrun_information)
    stops = boundaries.Stops(times, (*z_upper[:before], math.inf), (*lower[:before], -math.inf))
    paths = boundaries.surviving(stops, boundaries.grid_for(len(times)))[-1]
    boundary = math.inf if spent < 1e-16 else boundaries.upper_crossing(paths, times[-1], spent)
    found = _order(stops, len(times), float(z), check.probability(level, "level"))
    return found, boundary


def by_stage(
    information: Sequence[float], z_upper: Sequence[float], z: float, *, level: float = 0.95
) -> StagewiseInference:
    """Return the inference from a last look that comes after these boundaries, one-sided.

    Only the earlier boundaries enter, so the last look may hold all data that came in after a stop at
    its boundary, by another statistic too (see `overrun_inference`): whoever gets here had crossed
    it, which has the chance α over all looks.

    Parameters
    ----------
    information : sequence of float
        The looks, as shares of the maximum; the last with all data.
    z_upper : sequence of float
        Boundaries of the looks before the last.
    z : float
        The statistic with all data.
    """
    never = (-math.inf,) * len(information)
    stops = boundaries.Stops(tuple(information), (*z_upper, math.inf), never)
    return _order(stops, len(information), float(z), check.probability(level, "level"))


def at_least_as_high(stops: boundaries.Stops, z: float, drift: float) -> tuple[float, float]:
    """Return the chances of an outcome at least as high as Z = z at the last look, and of a lower one.

    Both are computed directly: one minus the other would lose the digits of a small p-value.
    """
    observed = boundaries.Stops(
        stops.information, (*stops.upper[:-1], z), (*stops.lower[:-1], z)
    )
    chances = boundaries.stop_chances(observed, drift)
    return float(chances.up.sum()), float(chances.down.sum())


def _order(stops: boundaries.Stops, stage: int, z: float, level: float) -> StagewiseInference:
    """Solve for the drifts at which the outcome is as extreme as wanted."""
    root = math.sqrt(stops.information[-1])
    naive = z / root

    def higher(drift: float) -> float:
        return at_least_as_high(stops, z, drift)[0]

    def solve(chance: float) -> float:
        reach = 2.0 / root
        while reach * root < _FARTHEST:
            low, high = naive - reach, naive + reach
            if higher(low) < chance < higher(high):
                return bracketed_root(lambda d: higher(d) - chance, low, high, tolerance=1e-11)
            reach *= 1.6
        return math.nan

    high, low = at_least_as_high(stops, z, 0.0)
    tail = 0.5 * (1.0 - level)
    return StagewiseInference(
        p_one_sided=high,
        p_two_sided=min(1.0, 2.0 * min(high, low)),
        estimate=solve(0.5),
        interval=Interval(solve(tail), solve(1.0 - tail), level),
        naive_estimate=naive,
        stage=stage,
        z=z,
    )


def _check_stage(information: Sequence[float], stage: int) -> None:
    if not 1 <= stage <= len(information):
        raise InputError(f"`stage` must be a look from 1 to {len(information)}; got {stage}.")


# --- Intervals and p-values that hold at every look, whatever the reason to stop ---

_SMALLEST, _LARGEST = 1e-10, 0.9  # levels between which a repeated p-value is searched


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedInterval:
    """An interval that covers the truth at all looks together with its level."""

    estimate: float
    interval: Interval
    z_bound: float


def repeated_interval(
    estimate: float, standard_error: float, z_bound: float, *, level: float = 0.95
) -> RepeatedInterval:
    r"""Return the repeated confidence interval at one look.

    .. math:: \hat\theta_k \pm u_k \, SE_k

    with the boundary :math:`u_k` of a two-sided design in place of the normal quantile. All
    looks together cover the truth with probability 1 − α, for any rule of stopping. It is wide
    where the boundary is strict; an infinite boundary gives an infinite interval.

    Parameters
    ----------
    estimate, standard_error : float
        The estimate at the look and its standard error.
    z_bound : float
        The boundary at the look.
    level : float
        1 − α of the design; it is only recorded.

    References
    ----------
    Jennison and Turnbull (1989), "Interim analyses: the repeated confidence interval approach",
    JRSS B 51(3), 305–361.

    Examples
    --------
    >>> repeated_interval(2.0, 0.5, 2.289478).interval
    Interval(low=0.855261, high=3.144739, level=0.95)
    """
    check.positive(standard_error, "standard_error")
    half = z_bound * standard_error
    return RepeatedInterval(
        estimate=estimate,
        interval=Interval(estimate - half, estimate + half, level),
        z_bound=z_bound,
    )


def repeated_p_value(z: float, boundary: Callable[[float], float]) -> float:
    """Return the smallest alpha at which `z` would be at or beyond the boundary.

    Parameters
    ----------
    z : float
        The statistic at the look; its absolute value for two-sided tests.
    boundary : callable
        Gives the boundary at this look for an alpha; it falls with alpha.

    Notes
    -----
    Levels above .9 are not searched: the answer is then 1, which is on the safe side. Levels
    below 1e-10 are given as 1e-10.

    References
    ----------
    Jennison and Turnbull (2000), "Group sequential methods", section 9.5.
    """
    if z < boundary(_LARGEST):
        return 1.0
    if z >= boundary(_SMALLEST):
        return _SMALLEST
    # Where the boundary is infinite the level is too small; any large number says so.
    found = bracketed_root(
        lambda log_alpha: min(boundary(math.exp(log_alpha)), 1e3) - z,
        math.log(_SMALLEST),
        math.log(_LARGEST),
        tolerance=1e-9,
    )
    return math.exp(found)
