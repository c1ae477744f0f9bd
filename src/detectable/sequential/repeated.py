"""Intervals and p-values that hold at every look, whatever the reason to stop."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from detectable.core import check
from detectable.core.interval import Interval
from detectable.kernels.roots import bracketed_root

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
