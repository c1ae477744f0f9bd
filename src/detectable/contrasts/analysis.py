"""All pairs under all metrics, tested one way: p-values, intervals and what could have been found.

Everything about a pair comes from the test that decides about it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.contrast import Family
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.few_units import smallest_p, units_to_reject
from detectable.inference.standard_errors import Estimate, agreeing_interval, shift_beyond
from detectable.inference.swap_power import (
    detectable_in_clusters,
    detectable_share,
    detectable_tied,
    is_tied,
    largest_of_level,
    max_t_level,
    max_t_shift,
    share_power,
    swap_shift,
)
from detectable.kernels.distributions import t_quantile

if TYPE_CHECKING:
    from detectable.inference.randomization import SwapParts
    from detectable.inference.shares import PairedShares
    from detectable.inference.swaps import Swaps

Pairs = tuple[tuple[int, int], ...]
Cells = list[list[Estimate]]  # [pair][metric]
MakeInterval = Callable[[int, int, float], Interval]  # pair, metric, α: uncorrected


class Margins(NamedTuple):
    """One-sided p-values against the margins, uncorrected: arrays of shape (pairs, metrics).

    Attributes
    ----------
    above, below : array
        Of “the difference is at most −margin”, “at least +margin”: small if it is within.
    beyond_low, beyond_high : array
        Of “at least −margin”, “at most +margin”: small if it is beyond.
    interval : callable
        That of these tests: (pair, metric, one-sided α), at 1 − 2α.
    passable : callable
        The margin that equal systems are shown to keep: (pair, metric, one-sided α, power).
    """

    above: FloatArray
    below: FloatArray
    beyond_low: FloatArray
    beyond_high: FloatArray
    interval: MakeInterval
    passable: Callable[[int, int, float, float], float]


class Analysis(NamedTuple):
    """One way to test all pairs under all metrics; arrays have the shape (pairs, metrics).

    Attributes
    ----------
    estimates : list of list of Estimate
        Differences with their standard errors.
    p_values, p_adjusted : array
        Of “no difference”, alone and corrected.
    intervals : list of list of Interval
        At the level of the family: 0 is inside if and only if the corrected p is above α.
    interval_alone : callable
        The interval of one pair by itself, at any level: (pair, metric, α).
    margins : Margins
        Against the margins; NaN where there is none.
    level : array
        Two-sided level that one pair must pass first.
    mde : array
        Smallest difference found with the asked power; NaN where nothing varies.
    attainable, attainable_margin : array
        The smallest corrected p-value that such data can give, of “no difference” and of a claim
        about a margin.
    possible : array of bool or None
        Whether so many units can reject “no difference”, whatever their scores: units that are ties
        might differ. None where all can.
    smallest : array or None
        `attainable` before the correction; None where there is no smallest p-value.
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
    possible: NDArray[np.bool_] | None = None
    smallest: FloatArray | None = None


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
    family, adjusted = Family(alpha=math.nan, correction=correction), p_values.ravel().copy()
    for columns in groups:
        adjusted[columns] = family.adjusted(adjusted[columns])
    return adjusted.reshape(p_values.shape)


def family_sizes(shape: tuple[int, int], groups: tuple[IntArray, ...]) -> FloatArray:
    """Return for every cell the number of tests that are corrected together."""
    sizes = np.empty(shape[0] * shape[1])
    for columns in groups:
        sizes[columns] = columns.size
    return sizes.reshape(shape)


def together(alone: MakeInterval, tests: FloatArray) -> MakeInterval:
    """Return intervals that hold for all tests of a family together: each at α over their number."""

    def made(p: int, m: int, a: float) -> Interval:
        found = alone(p, m, a / float(tests[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    return made


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

    def interval(p: int, m: int, a: float) -> Interval:
        level = 1.0 - 2.0 * a
        if not cells[p][m].standard_error > 0.0:  # nothing is known about the spread
            return Interval(math.nan, math.nan, level)
        return cells[p][m].interval(level)

    def passable(p: int, m: int, a: float, power: float) -> float:
        cell = cells[p][m]
        if not cell.standard_error > 0.0:
            return math.nan
        critical = t_quantile(1.0 - a, cell.df)
        return cell.typical_error * shift_beyond(critical, cell.df, power=power)

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
        beyond_low=p(lambda cell, margin: cell.p_below(-margin)),
        beyond_high=p(lambda cell, margin: cell.p_above(margin)),
        interval=interval,
        passable=passable,
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

    corrected = together(alone, tests)

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


# --- All that a comparison or a ranking needs from the swaps of its test ---


def by_swaps(
    swaps: "Swaps",
    parts: "Sequence[Sequence[SwapParts]]",
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
    drawn = None if swaps.exact else swaps.n_resamples
    smallest = np.array(
        [[smallest_p(part.n_differing, drawn) for part in row] for row in parts]
    )
    # Of few units that differ, random swaps fall below the p-value of all swaps by chance alone.
    raw = np.maximum(swaps.p_values().reshape(shape), smallest)
    if correction == "max-t":
        adjusted = np.maximum(swaps.p_max_t().reshape(shape), raw)
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
        return together(alone, tests)(p, m, a)

    level, mde, by_design = (np.empty(shape) for _ in range(3))
    for cell in np.ndindex(*shape):
        n, part = int(n_units[cell]), parts[cell[0]][cell[1]]
        by_design[cell] = smallest_p(n, drawn)
        c = float(critical[cell]) if correction == "max-t" and tests[cell] > 1.0 else None
        level[cell] = alpha / tests[cell]
        if c is not None:
            # Where nothing can be rejected, a single pair could not be either.
            level[cell] = max_t_level(c, n) if math.isfinite(c) else alpha
        error = cells[cell[0]][cell[1]].typical_error
        mde[cell] = _swap_mde(part, n, error, level=float(level[cell]), critical=c, power=power)
    stepped = "holm" if correction == "holm" else "none"
    return Analysis(
        estimates=cells,
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(
            above=swaps.p_above().reshape(shape),
            below=swaps.p_below().reshape(shape),
            beyond_low=swaps.p_beyond_low().reshape(shape),
            beyond_high=swaps.p_beyond_high().reshape(shape),
            interval=lambda p, m, a: alone(p, m, 2.0 * a),
            passable=t_margins(cells, np.full(shape[1], np.nan)).passable,
        ),
        level=level,
        mde=mde,
        attainable=stepwise(smallest, groups, stepped),
        # One side of the margin: half as many patterns are as extreme, and no unit is a tie.
        attainable_margin=stepwise(
            0.5 * by_design, groups, "none" if correction == "none" else "holm"
        ),
        possible=stepwise(by_design, groups, stepped) <= alpha,
        smallest=smallest,
    )


def _swap_mde(
    part: "SwapParts",
    n_units: int,
    error: float,
    *,
    level: float,
    critical: float | None,
    power: float,
) -> float:
    """Return the smallest difference that swaps of one pair find, by a level or by max-T."""
    differing = part.n_differing
    if differing and is_tied(n_units, differing, level):
        sizes = n_units * part.differing
        if critical is None:
            return detectable_tied(n_units, sizes, level=level, power=power)
        return detectable_tied(n_units, sizes, critical=critical, power=power)
    if not error > 0.0:
        return math.nan  # where nothing varies there is nothing to tell by
    # Here we leave the page of the formulas, which multiplies the standard error as it is: that of
    # few units is mostly too small, and the difference stated would be found in 74 to 77 % of cases
    # with 7 to 10 units. With a known error both are the same.
    if critical is None:
        return error * swap_shift(differing, level=level, power=power)
    return error * max_t_shift(critical, n_units, power=power)


# --- Scores of 0 and 1: intervals, margins and detectable differences from counts of answers ---


def by_answers(
    shares: "Mapping[tuple[int, int], PairedShares]",
    parts: "Sequence[Sequence[SwapParts]]",
    groups: tuple[IntArray, ...],
    correction: str,
    *,
    alpha: float,
) -> Analysis:
    """Test right and wrong answers to independent items by McNemar's exact test, without a draw.

    Swapping single answers flips the signs of the items that only one system has right, so all
    swaps together are the exact sign test of these. P-values are corrected by Holm; intervals are
    Tango's, which hold 0 wherever p is above α once they are extended to it. `with_shares` and
    `with_share_mdes` add margins and what could have been found.

    References
    ----------
    McNemar (1947), "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12(2), 153–157.
    """
    from detectable.inference.classic_tests import sign_test_p

    shape = len(parts), len(parts[0])
    cells = [[part.estimate() for part in row] for row in parts]
    counts = [[shares[p, m] for m in range(shape[1])] for p in range(shape[0])]
    raw = np.array([[sign_test_p(one.fixed, one.broken) for one in row] for row in counts])
    adjusted = stepwise(raw, groups, correction)
    tests = np.ones(shape) if correction == "none" else family_sizes(shape, groups)
    differing = [[int(one.fixed + one.broken) for one in row] for row in counts]
    smallest = np.array([[smallest_p(k) for k in row] for row in differing])
    by_design = np.array([[smallest_p(int(one.n)) for one in row] for row in counts])

    def alone(p: int, m: int, a: float) -> Interval:
        return shares[p, m].interval(1.0 - a)

    corrected = together(alone, tests)

    unknown = np.full(shape, np.nan)
    return Analysis(
        estimates=cells,
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, alpha, corrected),
        interval_alone=alone,
        margins=t_margins(cells, np.full(shape[1], np.nan)),
        level=alpha / tests,
        mde=unknown,
        attainable=stepwise(smallest, groups, correction),
        attainable_margin=np.zeros(shape),
        possible=stepwise(by_design, groups, correction) <= alpha,
        smallest=smallest,
    )


def with_exact_answers(
    found: Analysis,
    shares: "Mapping[tuple[int, int], PairedShares]",
    groups: tuple[IntArray, ...],
    correction: str,
) -> Analysis:
    """Take p-values of independent 0/1 answers from McNemar's exact test, beside swaps of others."""
    from detectable.inference.classic_tests import sign_test_p

    raw = found.p_values.copy()
    smallest = np.zeros(raw.shape) if found.smallest is None else found.smallest.copy()
    for cell, known in shares.items():
        raw[cell] = float(sign_test_p(known.fixed, known.broken))
        smallest[cell] = smallest_p(int(known.fixed + known.broken))
    return found._replace(
        p_values=raw,
        p_adjusted=stepwise(raw, groups, correction),
        attainable=stepwise(smallest, groups, correction),
        smallest=smallest,
    )


_ROUNDING = 1e-9  # of a square that is whole but for rounding


def with_shares(
    found: Analysis,
    shares: "Mapping[tuple[int, int], PairedShares]",
    *,
    alpha: float,
) -> Analysis:
    """Take intervals of 0/1 scores from the score statistic.

    Differences of 0/1 scores are rare and lopsided: a mean and its standard error do not know
    that none of 500 answers changed because changes are rare.
    """
    if not shares:
        return found
    inner = found.interval_alone

    def alone(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        return inner(p, m, a) if known is None else known.interval(1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        if known is None:
            return found.intervals[p][m]
        # Of few answers that differ, the largest T takes few values, and its critical value may
        # stand for more than α: the score interval is never that short.
        interval = known.interval(1.0 - min(float(found.level[p, m]), alpha))
        return Interval(interval.low, interval.high, 1.0 - a)

    return found._replace(
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, corrected),
        interval_alone=alone,
    )


def with_share_mdes(
    found: Analysis,
    shares: "Mapping[tuple[int, int], PairedShares]",
    parts: "Sequence[Sequence[SwapParts]]",
    *,
    joint: bool,
    power: float,
) -> Analysis:
    """Take detectable differences of 0/1 scores from counts of answers and of clusters that differ.

    Parameters
    ----------
    parts : list of list of SwapParts
        [pair][metric]: what is swapped.
    joint : bool
        Whether pairs are corrected together by max-T.
    """
    mde = found.mde.copy()
    for cell, known in shares.items():
        level, differing = float(found.level[cell]), known.fixed + known.broken
        if not math.isinf(known.df):
            part = parts[cell[0]][cell[1]]
            n_units = int((part.shares > 0.0).sum())
            shift = (
                max_t_shift(largest_of_level(level, n_units), n_units, power=power)
                if joint
                else swap_shift(n_units, level=level, power=power)
            )
            mde[cell] = known.span * detectable_in_clusters(
                found.estimates[cell[0]][cell[1]].typical_error * shift / known.span,
                differing / known.n,
                known.value / known.span,
                n_units=n_units,
                differing=_differing(known, part),
                least=_least(level, n_units, joint=joint),
                power=power,
            )
            continue
        rule: dict[str, float] = {"level": level}
        n, discordant = int(known.n), int(differing)
        if joint:
            rule = {"critical": largest_of_level(level, n)}
        mde[cell] = known.span * detectable_share(n, discordant, power=power, **rule)
    return found._replace(mde=mde)


def found_by_swaps(
    known: "PairedShares",
    part: "SwapParts",
    effect: float,
    *,
    level: float,
    joint: bool,
    power: float,
) -> Callable[[int, float], bool]:
    """Return how to tell whether swaps of so many units would find an effect.

    By the rule of `with_share_mdes`, with the observed discordance and, in clusters, the observed
    share of clusters that differ. The second argument is what the standard error alone would
    find.
    """
    discordance, wanted = (known.fixed + known.broken) / known.n, abs(effect) / known.span
    n_units = int((part.shares > 0.0).sum())

    def of_items(n: int, _: float) -> bool:
        rule = {"critical": largest_of_level(level, n)} if joint else {"level": level}
        return share_power(n, discordance, wanted, **rule) >= power

    def of_clusters(n: int, by_error: float) -> bool:
        found = detectable_in_clusters(
            by_error / known.span,
            discordance,
            known.value / known.span,
            n_units=n,
            differing=_differing(known, part) * n / n_units,
            least=_least(level, n, joint=joint),
            power=power,
        )
        return found <= wanted  # not a number is never enough

    if wanted > 1.0:
        return lambda _, __: False
    return of_items if math.isinf(known.df) else of_clusters


def _differing(known: "PairedShares", part: "SwapParts") -> int:
    """Return how many clusters differ at this discordance if all discordant answers are won.

    Those in which wins and losses make up for each other today are among them.
    """
    return part.n_differing if known.touched is None else known.touched


def _least(level: float, n_units: int, *, joint: bool) -> int:
    """Return how many clusters must differ for a rejection if all of them favour one system."""
    if joint:  # T of units that all favour one is at most the root of their number
        return max(1, math.ceil(largest_of_level(level, n_units) ** 2 - _ROUNDING))
    return units_to_reject(level)
