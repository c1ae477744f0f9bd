"""Critical values that keep the error rate over all looks, and what a design does at a given drift."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from detectable.core.errors import ConvergenceError, InputError
from detectable.core.types import FloatArray
from detectable.kernels.distributions import normal_below_each, normal_quantile
from detectable.kernels.roots import bracketed_root

Intervals: TypeAlias = tuple[tuple[float, float], ...]

_TAIL = 9.0  # standard deviations around the mean that are integrated over
_WIDEST = 36.0  # beyond, exp(z²/2) leaves the range of floating-point numbers
_NODES = 12  # Gauss-Legendre nodes per panel
_MANY_LOOKS = 20
_DENSE = 40_000  # kernels with fewer entries are computed whole
_BLOCK = 8 * _NODES
_SQRT_TAU = math.sqrt(2.0 * math.pi)


@dataclass(frozen=True, slots=True)
class Grid:
    """How finely and how far to integrate.

    A panel is at most `width` wide and at most `kernel_widths` standard deviations of the step
    from one look to the next, both on the scale of Z. The range covers all drifts from
    `drift_low` to `drift_high`.
    """

    width: float = 0.5
    kernel_widths: float = 1.0
    drift_low: float = 0.0
    drift_high: float = 0.0

    def covering(self, low: float, high: float) -> "Grid":
        """Return the same grid, far enough for drifts from `low` to `high`."""
        return replace(self, drift_low=min(0.0, low), drift_high=max(0.0, high))


def grid_for(n_looks: int) -> Grid:
    """Return panels that keep crossing probabilities exact to far below 1e-7."""
    return Grid(1.0, 3.0) if n_looks >= _MANY_LOOKS else Grid()


@functools.lru_cache(maxsize=1)
def _unit_nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


@dataclass(frozen=True, slots=True)
class Paths:
    r"""The sub-density of the paths that no look has stopped yet, on quadrature nodes.

    Only the density without drift, :math:`g_k(z; 0)`, is kept. That with a drift follows from
    the likelihood ratio, which depends on the path through its last value alone:

    .. math:: g_k(z; d) = g_k(z; 0) \exp(d z \sqrt{t_k} - d^2 t_k / 2).

    On the same nodes this equals the recursion with a drift digit by digit, so that one
    recursion serves every drift.
    """

    information: float
    nodes: FloatArray
    mass: FloatArray  # density at the nodes times quadrature weight, without drift

    def alive(self, drift: FloatArray | float = 0.0) -> FloatArray:
        """Return the mass at every node, one row per drift."""
        shift = np.asarray(drift, dtype=np.float64)[..., None]
        t = self.information
        tilted: FloatArray = self.mass * np.exp(
            shift * (math.sqrt(t) * self.nodes) - 0.5 * t * shift * shift
        )
        return tilted

    def above(
        self, information: float, z: float, drift: FloatArray | float = 0.0
    ) -> FloatArray:
        r"""Return the chance to get to the look at `information` and to be at or above `z` there.

        .. math:: \int g_{k-1}(y; d)\, \Phi\left(\frac{y \sqrt{t_{k-1}} + d D_k - z \sqrt{t_k}}
           {\sqrt{D_k}}\right) dy, \qquad D_k = t_k - t_{k-1}.
        """
        chance: FloatArray = (
            normal_below_each(self._surplus(information, z, drift)) * self.alive(drift)
        ).sum(axis=-1)
        return chance

    def below(
        self, information: float, z: float, drift: FloatArray | float = 0.0
    ) -> FloatArray:
        """Return the chance to get to the look at `information` and to be below `z` there."""
        chance: FloatArray = (
            normal_below_each(-self._surplus(information, z, drift)) * self.alive(drift)
        ).sum(axis=-1)
        return chance

    def density(self, information: float, z: FloatArray, drift: float = 0.0) -> FloatArray:
        r"""Return the sub-density of Z at the look at `information`.

        .. math:: \int g_{k-1}(y; d) \sqrt{t_k / D_k}\, \varphi\left(\frac{z \sqrt{t_k} -
           y \sqrt{t_{k-1}} - d D_k}{\sqrt{D_k}}\right) dy.
        """
        step = information - self.information
        scaled = z * math.sqrt(information / step)
        origin = self.nodes * math.sqrt(self.information / step) + drift * math.sqrt(step)
        mass = self.mass if drift == 0.0 else self.alive(drift)
        density = _smooth(scaled, origin, mass)
        found: FloatArray = density * (math.sqrt(information / step) / _SQRT_TAU)
        return found

    def advance(
        self, information: float, regions: Intervals, following: float | None, grid: Grid
    ) -> "Paths":
        """Return the paths that go on from the look at `information`, which continues in `regions`.

        `following` is the next look after that, if known: the panels must resolve its step too.
        """
        steps = [information - self.information]
        if following is not None:
            steps.append(following - information)
        kernel = math.sqrt(min(steps) / information)
        width = min(grid.width, grid.kernel_widths * kernel)
        root = math.sqrt(information)
        low = max(grid.drift_low * root - _TAIL, -_WIDEST)
        high = min(grid.drift_high * root + _TAIL, _WIDEST)
        pieces = [_panels(max(a, low), min(b, high), width) for a, b in regions]
        nodes = np.concatenate([x for x, _ in pieces]) if pieces else np.empty(0)
        weights = np.concatenate([w for _, w in pieces]) if pieces else np.empty(0)
        return Paths(information, nodes, self.density(information, nodes) * weights)

    def _surplus(self, information: float, z: float, drift: FloatArray | float) -> FloatArray:
        step = information - self.information
        shift = np.asarray(drift, dtype=np.float64)[..., None]
        found: FloatArray = (
            math.sqrt(self.information) * self.nodes + shift * step - z * math.sqrt(information)
        ) / math.sqrt(step)
        return found


ORIGIN = Paths(0.0, np.zeros(1), np.ones(1))  # before the first look: one path, at zero


def _smooth(at: FloatArray, origin: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the sum of exp(-x²/2) times mass over the distances x from `origin`, for all `at`.

    Both ascend. With many looks a step is short, and only near nodes matter: blocks of `at` then
    see those within nine standard deviations, which leaves out less than 1e-17 of the mass.
    """
    if at.size <= _BLOCK or at.size * origin.size < _DENSE:
        distance = at[:, None] - origin
        dense: FloatArray = np.exp(-0.5 * distance * distance) @ mass
        return dense
    found = np.empty(at.size)
    for start in range(0, at.size, _BLOCK):
        block = at[start : start + _BLOCK]
        low, high = np.searchsorted(origin, (block[0] - _TAIL, block[-1] + _TAIL))
        distance = block[:, None] - origin[low:high]
        found[start : start + _BLOCK] = np.exp(-0.5 * distance * distance) @ mass[low:high]
    return found


def _panels(low: float, high: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Return composite Gauss-Legendre nodes and weights on [low, high]."""
    if high <= low:
        return np.empty(0), np.empty(0)
    edges = np.linspace(low, high, max(1, math.ceil((high - low) / width)) + 1)
    nodes, weights = _unit_nodes()
    half = 0.5 * np.diff(edges)[:, None]
    middle = 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * nodes).ravel(), (half * weights).ravel()


@dataclass(frozen=True, slots=True)
class Stops:
    """Where paths stop: above, below, or inside an interval, at every look.

    A look stops the path at or above `upper`, at or below `lower`, and strictly inside `inside`
    (futility, or equivalence). Infinite values mean that there is no such stop.
    """

    information: tuple[float, ...]
    upper: tuple[float, ...]
    lower: tuple[float, ...]
    inside: tuple[tuple[float, float] | None, ...] = field(default=())

    def regions(self, look: int) -> Intervals:
        """Return the intervals of Z in which the path goes on after a look (from 0)."""
        low, high = self.lower[look], self.upper[look]
        inner = self.inside[look] if self.inside else None
        if inner is None:
            return ((low, high),)
        return tuple(
            (a, b) for a, b in ((low, min(inner[0], high)), (max(inner[1], low), high)) if a < b
        )

    def bounded(self) -> bool:
        """Say whether no path can go on beyond the tails that every grid covers."""
        limits = (*self.upper[:-1], *self.lower[:-1])
        return all(abs(limit) <= _TAIL for limit in limits)

    def interim(self) -> "Stops":
        """Return the same stops with none at the last look, which no path survives anyway."""
        inside = (*self.inside[:-1], None) if self.inside else ()
        return Stops(
            self.information,
            (*self.upper[:-1], math.inf),
            (*self.lower[:-1], -math.inf),
            inside,
        )

    def without_inside(self) -> "Stops":
        """Return the same stops without the inner ones."""
        return replace(self, inside=())


@functools.lru_cache(maxsize=16)  # a chain of 1000 looks takes 15 MB
def surviving(stops: Stops, grid: Grid) -> tuple[Paths, ...]:
    """Return the paths alive before every look: the first entry is the origin."""
    times = stops.information
    chain = [ORIGIN]
    for look, information in enumerate(times[:-1]):
        chain.append(chain[-1].advance(information, stops.regions(look), times[look + 1], grid))
    return tuple(chain)


def upper_crossing(
    paths: Paths, information: float, chance: float, drift: float = 0.0
) -> float:
    """Return the z that the paths reach or pass at a look with the given chance.

    Newton's method on the logarithm, which is concave: from the right it never overshoots.
    """
    top = float(paths.nodes.max(initial=-_TAIL)) * math.sqrt(paths.information)
    top += drift * (information - paths.information)
    start = (top + _TAIL * math.sqrt(information - paths.information)) / math.sqrt(information)
    z = min(start, drift * math.sqrt(information) - normal_quantile(chance))
    for _ in range(200):
        found = float(paths.above(information, z, drift))
        slope = float(paths.density(information, np.array([z]), drift)[0])
        if found <= 0.0 or slope <= 0.0:
            break
        step = found / slope * math.log(found / chance)
        z += max(step, -2.0)
        if abs(step) < 1e-12 * max(1.0, abs(z)):
            return z
        if z < -_WIDEST:
            break
    raise ConvergenceError(
        f"No boundary at information {information:g} is crossed with the chance {chance:.3g}: "
        "too few paths come that far. Choose weaker stops for futility."
    )


def lower_crossing(
    paths: Paths, information: float, chance: float, drift: float = 0.0
) -> float:
    """Return the z below which the paths are at a look with the given chance."""
    mirrored = Paths(paths.information, -paths.nodes[::-1], paths.mass[::-1])
    return -upper_crossing(mirrored, information, chance, -drift)


# --- Critical values that keep the error rate over all looks ---

Inside = Sequence[tuple[float, float] | None]

_NOTHING = 1e-16  # an increment below this gives no boundary


def symmetric_stops(
    information: Sequence[float], upper: Sequence[float], *, sided: int, inside: Inside = ()
) -> Stops:
    """Return the stops of a one-sided test, or of a two-sided one with mirrored boundaries."""
    lower = tuple(-u if sided == 2 else -math.inf for u in upper)
    return Stops(tuple(information), tuple(upper), lower, tuple(inside))


def spending_boundary(
    information: Sequence[float],
    cumulative: Sequence[float],
    *,
    sided: int,
    inside: Inside = (),
    grid: Grid | None = None,
) -> tuple[float, ...]:
    r"""Return upper boundaries that spend a given error up to every look.

    With :math:`a_k` the error spent up to look k on the upper side, :math:`u_k` solves

    .. math:: P_0(\text{no stop before } k, Z_k \ge u_k) = a_k - a_{k-1}.

    Only earlier looks enter, so that looks may come at any time [1]_. An increment below 1e-16
    gives an infinite boundary, and is left for the next look.

    Parameters
    ----------
    information : sequence of float
        Times of the looks, as used in the covariance.
    cumulative : sequence of float
        Error spent on the upper side up to every look.
    sided : {1, 2}
        With 2 the lower boundary mirrors the upper one.
    inside : sequence of (float, float) or None, optional
        Binding futility: the boundary then counts on these stops.
    grid : Grid, optional
        How finely to integrate.

    References
    ----------
    .. [1] Lan and DeMets (1983), Biometrika 70(3), 659–663.

    Examples
    --------
    >>> from detectable.sequential.families import Family
    >>> spent = [Family("ld-obf").spent(0.025, t) for t in (1 / 3, 2 / 3, 1)]
    >>> [round(z, 4) for z in spending_boundary((1 / 3, 2 / 3, 1), spent, sided=2)]
    [3.7103, 2.5114, 1.993]
    """
    fine = grid or grid_for(len(information))
    paths, spent, upper = ORIGIN, 0.0, list[float]()
    for look, t in enumerate(information):
        increment = cumulative[look] - spent
        if increment < _NOTHING:
            upper.append(math.inf)
        else:
            upper.append(upper_crossing(paths, t, increment))
            spent = cumulative[look]
        if look + 1 < len(information):
            stops = symmetric_stops(
                information[: look + 1], upper, sided=sided, inside=inside[: look + 1]
            )
            _check_room(stops, look)
            paths = paths.advance(t, stops.regions(look), information[look + 1], fine)
    return tuple(upper)


def wang_tsiatis_boundary(
    information: Sequence[float],
    alpha: float,
    *,
    delta: float,
    sided: int,
    inside: Inside = (),
) -> tuple[float, ...]:
    r"""Return the boundaries :math:`u_k = c\, (t_k / t_K)^{\Delta - 1/2}` of Wang and Tsiatis.

    Δ = 1/2 is Pocock's constant boundary, Δ = 0 that of O'Brien and Fleming. The constant c is
    such that the error over all looks is α.

    References
    ----------
    Wang and Tsiatis (1987), "Approximately optimal one-parameter boundaries for group sequential
    trials", Biometrics 43(1), 193–199. Pocock (1977), Biometrika 64(2), 191–199. O'Brien and
    Fleming (1979), Biometrics 35(3), 549–556.

    Examples
    --------
    >>> looks = (1 / 3, 2 / 3, 1)
    >>> [round(z, 4) for z in wang_tsiatis_boundary(looks, 0.05, delta=0.5, sided=2)]
    [2.2895, 2.2895, 2.2895]
    """
    shape = [(t / information[-1]) ** (delta - 0.5) for t in information]

    def excess(constant: float) -> float:
        upper = [constant * s for s in shape]
        stops = symmetric_stops(information, upper, sided=sided, inside=inside)
        return type_one_error(stops) - alpha

    if len(information) == 1:
        return (-normal_quantile(alpha / sided),)
    # At `low` the last look alone has the error α. At `high` all looks together have less.
    low = -normal_quantile(alpha / sided)
    high = -normal_quantile(alpha / sided / len(information)) / min(1.0, *shape)
    if inside:  # obeyed stops lower the error, and with it the constant
        low = max(0.5 * low, 0.0)
    constant = bracketed_root(excess, low, high, tolerance=1e-11, relative=1e-12)
    upper = tuple(constant * s for s in shape)
    stops = symmetric_stops(information, upper, sided=sided, inside=inside)
    for look in range(len(information) - 1):
        _check_room(stops, look)
    return upper


def haybittle_peto_boundary(
    information: Sequence[float],
    alpha: float,
    *,
    interim_z: float,
    sided: int,
    inside: Inside = (),
) -> tuple[float, ...]:
    """Return a constant strict boundary at every interim look, and the rest at the last.

    The last boundary is exact here; the habit of leaving it at the ordinary critical value
    exceeds α a little.

    References
    ----------
    Haybittle (1971), British Journal of Radiology 44, 793–797. Peto et al. (1976), British
    Journal of Cancer 34, 585–612.
    """
    upper = (*(interim_z for _ in information[:-1]), math.inf)
    stops = symmetric_stops(information, upper, sided=sided, inside=inside)
    left = (alpha - type_one_error(stops)) / sided
    if left < _NOTHING:
        raise InputError(
            f"`interim_z` must leave some of alpha for the last look; got {interim_z:g}, which "
            f"spends more than {alpha:g} at {len(information) - 1} interim looks. Raise it."
        )
    paths = surviving(stops, grid_for(len(information)))[-1]
    return (*upper[:-1], upper_crossing(paths, information[-1], left))


def without_room(stops: Stops) -> Stops:
    """Return the stops without those for futility that reach the boundary: mere advice."""
    inside = tuple(
        None if inner is None or inner[1] >= upper else inner
        for inner, upper in zip(stops.inside, stops.upper, strict=True)
    )
    return replace(stops, inside=inside)


def _check_room(stops: Stops, look: int) -> None:
    """Refuse binding futility that leaves nothing between itself and the boundary."""
    inner = stops.inside[look] if stops.inside else None
    if inner is not None and inner[1] >= stops.upper[look]:
        raise InputError(
            f"`futility` must leave room below the boundary; got {inner[1]:.3f} at information "
            f"{stops.information[look]:g}, where the boundary is {stops.upper[look]:.3f}. "
            "Choose a lower threshold."
        )


# --- What a design does at a given drift: how often it rejects, when it stops, what it costs ---


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
