"""All that a comparison or a ranking needs from the swaps of its test."""

import math

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.few_units import smallest_p
from detectable.inference.swap_parts import SwapParts
from detectable.inference.swap_power import max_t_level, max_t_shift, swap_shift
from detectable.inference.swap_tally import Swaps
from detectable.study.pairs.analysis import (
    Analysis,
    Margins,
    agreeing,
    family_sizes,
    stepwise,
)


def by_swaps(
    swaps: Swaps,
    parts: list[list[SwapParts]],
    groups: tuple[IntArray, ...],
    correction: str,
    *,
    moved: FloatArray,
    n_units: IntArray,
    alpha: float,
    power: float,
) -> Analysis:
    """Return p-values, intervals, levels and detectable differences of one test by swaps.

    Parameters
    ----------
    swaps : Swaps
        Its columns are pair · metrics + metric.
    parts : list of list of SwapParts
        [pair][metric].
    groups : tuple of array of int
        Columns that are corrected together.
    correction : {'max-t', 'holm', 'none'}
    moved : array of shape (pairs, metrics)
        Reported differences less those that were swapped.
    n_units : array of int, of the same shape
        Units behind each pair.
    """
    shape = moved.shape
    cells = [[part.estimate() for part in row] for row in parts]
    raw = swaps.p_values().reshape(shape)
    if correction == "max-t":
        adjusted = swaps.p_max_t().reshape(shape)
    else:
        adjusted = stepwise(raw, groups, correction)
    tests = np.ones(shape) if correction == "none" else family_sizes(shape, groups)
    critical: FloatArray = np.empty(shape)
    for family, columns in enumerate(groups):
        critical.flat[columns] = swaps.critical(family, alpha)

    def alone(p: int, m: int, a: float) -> Interval:
        found, shift = swaps.interval(p * shape[1] + m, a), float(moved[p, m])
        return Interval(found.low + shift, found.high + shift, found.level)

    def corrected(p: int, m: int, a: float) -> Interval:
        if tests[p, m] == 1.0:
            return alone(p, m, a)
        if correction == "max-t":
            return parts[p][m].interval(float(critical[p, m]), 1.0 - a)
        found = alone(p, m, a / float(tests[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    level, shift, smallest = (np.empty(shape) for _ in range(3))
    for cell in np.ndindex(*shape):
        n = int(n_units[cell])
        smallest[cell] = smallest_p(n, None if swaps.exact else swaps.n_resamples)
        if correction == "max-t" and tests[cell] > 1.0:
            c = float(critical[cell])
            # Where nothing can be rejected, a single pair could not be either.
            level[cell] = max_t_level(c, n) if math.isfinite(c) else alpha
            shift[cell] = max_t_shift(c, n, power=power)
        else:
            level[cell] = alpha / tests[cell]
            shift[cell] = swap_shift(n, level=float(level[cell]), power=power)
    # Here we leave the page of the formulas, which multiplies the standard error as it is: that of
    # few units is mostly too small, and the difference stated would be found in 74 to 77 % of cases
    # with 7 to 10 units. With a known error both are the same.
    errors = np.array([[cell.typical_error for cell in row] for row in cells])
    return Analysis(
        estimates=cells,
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(
            above=swaps.p_above().reshape(shape), below=swaps.p_below().reshape(shape)
        ),
        level=level,
        # Where nothing varies there is nothing to tell by.
        mde=np.where(errors > 0.0, errors * shift, np.nan),
        attainable=stepwise(smallest, groups, "holm" if correction == "holm" else "none"),
        # One side of the margin: half as many patterns are as extreme.
        attainable_margin=stepwise(
            0.5 * smallest, groups, "none" if correction == "none" else "holm"
        ),
    )
