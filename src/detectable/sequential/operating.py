"""What a design does at a given drift: how often it rejects, when it stops, what it costs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.kernels.distributions.normal import normal_quantile
from detectable.kernels.roots import bracketed_root
from detectable.sequential.recursion import Grid, Stops, grid_for, surviving


@dataclass(frozen=True, slots=True)
class StopChances:
    """Chances to stop at every look: one row per drift, one column per look."""

    up: FloatArray
    down: FloatArray
    inside: FloatArray

    def anywhere(self) -> FloatArray:
        """Return the chance to stop for whatever reason; all that are left stop at the last."""
        stops = self.up + self.down + self.inside
        stops[:, -1] = np.maximum(0.0, 1.0 - stops[:, :-1].sum(axis=1))
        return stops


def stop_chances(
    stops: Stops, drift: FloatArray | float, *, grid: Grid | None = None
) -> StopChances:
    """Return the chances to stop at every look, for one or several drifts."""
    drifts = np.atleast_1d(np.asarray(drift, dtype=np.float64))
    far = grid or grid_for(len(stops.information))
    if not stops.bounded():
        # Whole numbers, so that near drifts share one recursion.
        far = far.covering(math.floor(drifts.min()), math.ceil(drifts.max()))
    chain = surviving(stops.interim(), far)
    shape = (drifts.size, len(chain))
    up, down, inside = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for look, (paths, t) in enumerate(zip(chain, stops.information, strict=True)):
        up[:, look] = paths.above(t, stops.upper[look], drifts)
        if stops.lower[look] > -math.inf:
            down[:, look] = paths.below(t, stops.lower[look], drifts)
        inner = stops.inside[look] if stops.inside else None
        if inner is not None:
            low, high = max(inner[0], stops.lower[look]), min(inner[1], stops.upper[look])
            if low < high:
                reach = paths.below(t, high, drifts)
                inside[:, look] = reach - paths.below(t, low, drifts)
    return StopChances(up, down, inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """What a design does at one drift.

    `power` counts rejections with the right sign, `power_any_sign` all. `expected_n` is a share
    of the maximum. `with_futility` says the same if every advice to stop for futility is
    followed; it is None where there is none, or where the numbers count it already.
    """

    drift: float
    power: float
    power_any_sign: float
    expected_n: float
    stop_efficacy: tuple[float, ...]  # per look, either sign
    stop_futility: tuple[float, ...]  # per look
    with_futility: "OperatingPoint | None" = None


def operating_points(stops: Stops, drifts: FloatArray) -> list[OperatingPoint]:
    """Return what the stops do at every drift."""
    chances = stop_chances(stops, drifts)
    expected = chances.anywhere() @ np.asarray(stops.information)
    points = []
    for row, drift in enumerate(np.atleast_1d(drifts)):
        up, down = chances.up[row], chances.down[row]
        right = down if drift < 0.0 else up
        points.append(
            OperatingPoint(
                drift=float(drift),
                power=float(right.sum()),
                power_any_sign=float((up + down).sum()),
                expected_n=float(expected[row]),
                stop_efficacy=tuple((up + down).tolist()),
                stop_futility=tuple(chances.inside[row].tolist()),
            )
        )
    return points


def type_one_error(stops: Stops) -> float:
    """Return the chance to reject, on either side, where there is no effect.

    Examples
    --------
    Three looks, each at the ordinary 5 %:

    >>> naive = Stops((1 / 3, 2 / 3, 1.0), (1.959964,) * 3, (-1.959964,) * 3)
    >>> round(type_one_error(naive), 5)
    0.10726
    """
    chances = stop_chances(stops, 0.0)
    return float((chances.up + chances.down).sum())


def drift_for_power(stops: Stops, power: float) -> float:
    """Return the drift at which the stops reject upwards with the power asked for."""
    return increasing_root(
        lambda drift: float(stop_chances(stops, drift).up.sum()) - power, start=3.0
    )


def fixed_drift(alpha: float, sided: int, power: float) -> float:
    r"""Return the drift :math:`z_{1-\alpha/s} + z_{power}` of a test without interim looks."""
    return normal_quantile(power) - normal_quantile(alpha / sided)


def increasing_root(
    function: Callable[[float], float], start: float, *, low: float = 0.0, most: float = 64.0
) -> float:
    """Return where an increasing function is zero, between `low` and `most`."""
    high = max(start, low + 1e-3)
    while function(high) < 0.0:
        low, high = high, 1.5 * high
        if high > most:
            raise ConvergenceError(
                f"No drift up to {most:g} has the power asked for. Choose weaker stops for "
                "futility or fewer looks."
            )
    return bracketed_root(function, low, high, tolerance=1e-10, relative=1e-12)
