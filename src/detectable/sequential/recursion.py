r"""The distribution of a statistic that is looked at repeatedly, by numerical integration.

At the looks :math:`t_1 < \dots < t_K` (shares of the planned information) the statistics are
jointly normal, :math:`Z_k \sim N(d \sqrt{t_k}, 1)` with :math:`\mathrm{Cov}(Z_j, Z_k) =
\sqrt{t_j / t_k}`, where :math:`d` is the drift: the expected statistic at full information.

References
----------
Armitage, McPherson and Rowe (1969), "Repeated significance tests on accumulating data", JRSS A
132(2), 235–244. Jennison and Turnbull (2000), "Group sequential methods", chapter 19.
"""

import functools
import math
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.kernels.distributions.normal import normal_below_each, normal_quantile

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
