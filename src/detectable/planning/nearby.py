"""Power at sizes and effects near an answer, for a picture of it.

Only exact and closed forms are asked, never a simulation: a picture must not cost more than the
answer.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.planning.scenario import EffectRange, Scenario
from detectable.planning.search import Answer, Evaluator

_LINES = 3
_FEWEST = 11  # points of a line
# Of the size found: for slow forms, for which another size costs more than another effect.
_FEW_SIZES = (0.15, 0.4, 0.7, 1.4, 2.0)
_REACH = normal_quantile(0.98) + normal_quantile(
    0.975
)  # standard errors to where power is nearly 1
_WIDEST = 8.0  # times the effect asked for
_OTHER_SIZES = (0.5, 2.0)
_OTHER_EFFECTS = (0.8, 1.25)
_LARGEST = 100_000  # items, where no number of them is enough
_ERRORS = 3.0  # Monte Carlo standard errors between a form and a simulated answer

Cells = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearbyPower:
    """Power over a small grid around an answer, without simulation.

    Attributes
    ----------
    n_items, effect : tuple
        The grid, both increasing. The longer one is the axis of a picture.
    power, type_m, type_s : tuple of tuple
        A row per size. None where an effect is not possible, or nothing is ever significant.
    span : tuple of float
        The ends of the axis: effects from where there is nothing to find, or sizes.
    approximate : bool
        The answer was simulated, and this is a normal approximation that agrees with it.
    """

    n_items: tuple[int, ...]
    effect: tuple[float, ...]
    power: Cells
    type_m: Cells
    type_s: Cells
    span: tuple[float, float]
    approximate: bool = False


def near_effect(
    evaluate: Evaluator, answer: Answer, n_items: int, effect: float
) -> NearbyPower | None:
    """Return power against the effect, at a size and at half and twice of it.

    `effect` is nan where no effect reaches the power; then all that are possible are asked.
    None where there is no form, it does not fit the answer, or nothing is to be drawn.
    """
    if evaluate.drawn == 0:
        return None
    form = evaluate.scenario.without_simulation()
    possible = form.effect_range(n_items)
    if math.isnan(effect):
        if answer.standard_error is not None or not math.isfinite(possible.high):
            return None
        low, high, asked = form.null_effect, possible.high, possible.high
    else:
        low, high = _effects(form, possible, effect, answer.power)
        asked = effect
    if not _fits(form, answer, n_items, asked, evaluate.alpha):
        return None
    points, lines = _share(form, evaluate.drawn)
    effects = {*(low + (high - low) * np.arange(1, points + 1) / points).tolist(), asked}
    others = (round(n_items * times) for times in _OTHER_SIZES) if lines > 1 else ()
    sizes = {n_items, *(n for n in others if n >= form.smallest_n)}
    span = (min(low, high), max(low, high))
    return _grid(form, sizes, effects, span, alpha=evaluate.alpha, answer=answer)


def near_size(
    evaluate: Evaluator, answer: Answer, n_items: int | None, effect: float
) -> NearbyPower | None:
    """Return power against the size, for an effect and for one a little smaller and larger.

    `n_items` is None where no size reaches the power; then many are asked.
    """
    if evaluate.drawn == 0:
        return None
    form = evaluate.scenario.without_simulation()
    points, lines = _share(form, evaluate.drawn)
    if n_items is None:
        if answer.standard_error is not None:
            return None
        top = min(_LARGEST, form.largest_n())
        points = points if lines > 1 else len(_FEW_SIZES)
        sizes = set(np.geomspace(max(form.smallest_n, 10), top, points).round().astype(int))
        if form.closed_form(top, effect, alpha=evaluate.alpha) is None:
            return None
    else:
        if not _fits(form, answer, n_items, effect, evaluate.alpha):
            return None
        times = 2 * np.arange(1, points + 1) / points if lines > 1 else np.array(_FEW_SIZES)
        sizes = set((n_items * times).round().astype(int))
        sizes.add(n_items)
    null = form.null_near(effect)
    alone = lines == 1 or _two_nulls(form, form.effect_range(max(sizes)))
    others = () if alone else {null + times * (effect - null) for times in _OTHER_EFFECTS}
    wanted = sorted(int(n) for n in sizes if n >= form.smallest_n)
    span = (0.0 if n_items else float(wanted[0]), float(wanted[-1]))
    return _grid(form, wanted, {effect, *others}, span, alpha=evaluate.alpha, answer=answer)


def _share(form: Scenario, drawn: int | None) -> tuple[int, int]:
    """Return the points of a line and the number of lines that there is time for."""
    most = form.points_drawn() if drawn is None else min(drawn, form.points_drawn())
    return (most // _LINES, _LINES) if most >= _LINES * _FEWEST else (most, 1)


def _fits(form: Scenario, answer: Answer, n_items: int, effect: float, alpha: float) -> bool:
    """Say whether the form gives the answer that was found, up to its Monte Carlo error."""
    closed = form.closed_form(n_items, effect, alpha=alpha)
    error = answer.standard_error or 0.0
    return closed is not None and abs(closed.power - answer.power) <= _ERRORS * error + 1e-9


def _effects(
    form: Scenario, possible: EffectRange, effect: float, power: float
) -> tuple[float, float]:
    """Return the range of effects over which power goes from nothing to nearly 1.

    Power is nearly :math:`Φ(d/s - 1.96)`, so that its value at one distance d tells s. Where
    there is nothing to find at both ends of the range, as for equivalence, it is all of it.
    """
    if _two_nulls(form, possible):
        return possible.low, possible.high
    null = form.null_near(effect)
    standard_errors = normal_quantile(min(max(power, 0.04), 0.999)) + normal_quantile(0.975)
    times = min(max(_REACH / standard_errors, 1.25), _WIDEST)
    end = null + times * (effect - null)
    return null, min(max(end, possible.low), possible.high)


def _two_nulls(form: Scenario, possible: EffectRange) -> bool:
    """Say whether there is nothing to find at both ends of the range, as for equivalence."""
    ends = (possible.low, possible.high)
    return all(map(math.isfinite, ends)) and all(form.null_near(end) == end for end in ends)


def _grid(
    form: Scenario,
    sizes: Iterable[int],
    effects: Iterable[float],
    span: tuple[float, float],
    *,
    alpha: float,
    answer: Answer,
) -> NearbyPower:
    rows, columns = tuple(sorted(sizes)), tuple(sorted(effects))
    cells = [[_cell(form, n, e, alpha) for e in columns] for n in rows]

    def of(part: int) -> Cells:
        return tuple(tuple(cell[part] for cell in row) for row in cells)

    return NearbyPower(
        n_items=rows,
        effect=columns,
        power=of(0),
        type_m=of(1),
        type_s=of(2),
        span=span,
        approximate=answer.standard_error is not None,
    )


def _cell(
    form: Scenario, n_items: int, effect: float, alpha: float
) -> tuple[float | None, float | None, float | None]:
    possible = form.effect_range(n_items)
    if not possible.low <= effect <= possible.high or effect == form.null_near(effect):
        return None, None, None
    closed = form.closed_form(n_items, effect, alpha=alpha)
    if closed is None:
        return None, None, None
    return closed.power, _known(closed.type_m), _known(closed.type_s)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


# --- One line of power, as it is read and drawn ---

_FINE = 24  # pieces of a line that has few points of its own


class PowerLine(NamedTuple):
    """One line.

    Attributes
    ----------
    name : str
        Written on it.
    points : tuple of (x, power)
        By increasing x.
    marks : tuple of (x, power, text)
        Points of interest: each is a dot, a drop to the axis, and a text there.
    own : bool
        Whether it is the one that was asked for: drawn through, and strong.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float, str], ...] = ()
    own: bool = False

    def where(self, power: float) -> float | None:
        """Return the first x at which the line reaches a power, from either side.

        Between two points Φ⁻¹(power) is taken as straight, which it nearly is.
        """
        for (x, low), (to_x, high) in pairwise(self.points):
            if min(low, high) <= power <= max(low, high) and low != high:
                below, above, at = (_probit(p) for p in (low, high, power))
                return x + (to_x - x) * (at - below) / (above - below)
        return None

    def at(self, x: float) -> float:
        """Return the power at an x within the line."""
        for (left, low), (right, high) in pairwise(self.points):
            if left <= x <= right:
                share = (x - left) / (right - left) if right > left else 0.0
                return normal_below(_probit(low) + share * (_probit(high) - _probit(low)))
        return self.points[-1][1] if x > self.points[-1][0] else self.points[0][1]

    def course(self) -> list[tuple[float, float]]:
        """Return the points, and between those that are far apart what `at` says.

        So that a dot where the line reaches a power lies on the line as it is drawn.
        """
        steps = max(1, _FINE // max(1, len(self.points) - 1))
        found = list(self.points[:1])
        for (left, _), (right, high) in pairwise(self.points):
            inner = (left + (right - left) * step / steps for step in range(1, steps))
            found += [(x, self.at(x)) for x in inner]
            found.append((right, high))
        return found


def _probit(power: float) -> float:
    return normal_quantile(min(max(power, 1e-9), 1.0 - 1e-9))
