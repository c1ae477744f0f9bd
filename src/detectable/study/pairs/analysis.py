"""All pairs under all metrics, tested one way: p-values, intervals and what could have been found.

Everything about a pair comes from the test that decides about it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.agreeing_interval import agreeing_interval
from detectable.inference.delta import Estimate
from detectable.inference.multiplicity import benjamini_hochberg, holm

Pairs = tuple[tuple[int, int], ...]
Cells = list[list[Estimate]]  # [pair][metric]
MakeInterval = Callable[[int, int, float], Interval]  # pair, metric, α: uncorrected


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """One-sided p-values against the margins, uncorrected: arrays of shape (pairs, metrics)."""

    above: FloatArray  # of «the difference is at most −margin»
    below: FloatArray  # of «the difference is at least +margin»


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One way to test all pairs under all metrics; arrays have the shape (pairs, metrics).

    Attributes
    ----------
    estimates : list of list of Estimate
        Differences with their standard errors.
    p_values, p_adjusted : array
        Of «no difference», alone and corrected.
    intervals : list of list of Interval
        At the level of the family: 0 is inside if and only if the corrected p is above α.
    interval_alone : callable
        The interval of one pair by itself, at any level: (pair, metric, α).
    margins : Margins
        Against the margins; NaN where there is none.
    level : array
        Two-sided level that one pair must pass first.
    mde : array
        Smallest difference found with the asked power; NaN where the test cannot reject.
    attainable, attainable_margin : array
        The smallest corrected p-value that such data can give, of «no difference» and of a claim
        about a margin.
    """

    estimates: Cells
    p_values: FloatArray
    p_adjusted: FloatArray
    intervals: list[list[Interval]]
    interval_alone: MakeInterval
    margins: Margins
    level: FloatArray
    mde: FloatArray
    attainable: FloatArray
    attainable_margin: FloatArray


def families(shape: tuple[int, int], family: str) -> tuple[IntArray, ...]:
    """Return the columns (pair · metrics + metric) that are corrected together."""
    columns = np.arange(shape[0] * shape[1]).reshape(shape)
    if family == "systems-and-metrics":
        return (columns.ravel(),)
    return tuple(columns[:, metric] for metric in range(shape[1]))


def stepwise(p_values: FloatArray, groups: tuple[IntArray, ...], correction: str) -> FloatArray:
    """Return p-values of (pairs, metrics) corrected in each family, or as they are.

    By Holm, or by Benjamini and Hochberg.
    """
    if correction == "none":
        return p_values
    adjusted = p_values.ravel().copy()
    for columns in groups:
        known = columns[~np.isnan(adjusted[columns])]
        if known.size:
            adjust = holm if correction == "holm" else benjamini_hochberg
            adjusted[known] = adjust(p_values.ravel()[known])
    return adjusted.reshape(p_values.shape)


def family_sizes(shape: tuple[int, int], groups: tuple[IntArray, ...]) -> FloatArray:
    """Return for every cell the number of tests that are corrected together."""
    sizes = np.empty(shape[0] * shape[1])
    for columns in groups:
        sizes[columns] = columns.size
    return sizes.reshape(shape)


def agreeing(
    estimates: Cells, p_adjusted: FloatArray, alpha: float, make: MakeInterval
) -> list[list[Interval]]:
    """Return intervals that hold 0 if and only if the corrected p-value is above α."""
    return [
        [
            agreeing_interval(
                make(p, m, alpha),
                cell.value,
                rejected=bool(p_adjusted[p, m] <= alpha) and cell.value != 0.0,
            )
            for m, cell in enumerate(row)
        ]
        for p, row in enumerate(estimates)
    ]


def t_p_value(cell: Estimate) -> float:
    """Return the two-sided p-value of a t test; 1 where nothing is known about the spread.

    All units may differ by the same amount. That says nothing about the next one: no claim.
    """
    return 1.0 if not cell.standard_error > 0.0 else cell.p_value()


def t_margins(cells: Cells, margins: FloatArray) -> Margins:
    """Return one-sided p-values of t tests against the margins."""

    def p(value: Callable[[Estimate, float], float]) -> FloatArray:
        found = np.full((len(cells), margins.size), np.nan)
        for i, row in enumerate(cells):
            for m in np.flatnonzero(~np.isnan(margins)).tolist():
                spread = row[m].standard_error > 0.0
                found[i, m] = value(row[m], float(margins[m])) if spread else 1.0
        return found

    return Margins(
        above=p(lambda cell, margin: cell.p_above(-margin)),
        below=p(lambda cell, margin: cell.p_below(margin)),
    )


def by_t(
    cells: Cells,
    margins: FloatArray,
    groups: tuple[IntArray, ...],
    correction: str,
    *,
    alpha: float,
    power: float,
) -> Analysis:
    """Test every difference by t: few units, or runs as a sample."""
    shape = len(cells), margins.size
    p_values = np.array([[t_p_value(cell) for cell in row] for row in cells])
    adjusted = stepwise(p_values, groups, correction)
    tests = np.ones(shape) if correction == "none" else family_sizes(shape, groups)
    level = alpha / tests

    def alone(p: int, m: int, a: float) -> Interval:
        return cells[p][m].interval(1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        found = alone(p, m, a / float(tests[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    return Analysis(
        estimates=cells,
        p_values=p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, alpha, corrected),
        interval_alone=alone,
        margins=t_margins(cells, margins),
        level=level,
        mde=np.array(
            [
                [_t_mde(cell, float(level[p, m]), power) for m, cell in enumerate(row)]
                for p, row in enumerate(cells)
            ]
        ),
        attainable=np.zeros(shape),
        attainable_margin=np.zeros(shape),
    )


def _t_mde(cell: Estimate, level: float, power: float) -> float:
    return cell.detectable(alpha=level, power=power) if cell.standard_error > 0.0 else math.nan
