"""The tests of all pairs of an archive: from matched judgments to p-values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PairTest, UnitName
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.paired_units import PairedUnits
from detectable.study.archive.matched_pairs import MatchedPairs

Moments: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]

_COUNTS = 1 << 22  # counts of score values in memory at once; does not change the answer
_ROUNDING = 1e-12
_DIGITS = 9  # averages of repeats that agree to this many digits are equal


@dataclass(frozen=True, slots=True)
class Swap:
    """Change sides at random: which unit each matched cell and each row moves with."""

    of_cell: IntArray
    of_row: IntArray
    seed: int


def units_of(pairs: MatchedPairs, unit: UnitName, swap: Swap | None = None) -> PairedUnits:
    """Return the paired differences of all pairs, after some have changed sides."""
    from detectable.kernels.pairing import swap_units

    matched = pairs.matched
    if swap is not None:
        matched = matched.swapped(swap_units(matched.starts, swap.of_cell, swap.seed))
    return matched.units(unit)


def moments(units: PairedUnits, *, rounded: bool = False) -> Moments:
    """Return mean, standard error and degrees of freedom of the differences of each pair."""
    from detectable.kernels.pairing import clustered_means

    d = np.round(units.d, _DIGITS) if rounded else units.d
    return clustered_means(units.starts, units.cluster, d, units.n_clusters)


def columns_of(units: PairedUnits) -> dict[str, FloatArray]:
    """Return number of units, mean, standard error and degrees of freedom of each pair."""
    mean, error, df = moments(units)
    return {
        "units": np.diff(units.starts).astype(np.float64),
        "paired difference": mean,
        "standard error": error,
        "df": df,
    }


def check_tests(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the names of the tests, refusing unknown ones, none and repetitions."""
    names = tuple(tests)
    if not names or len(set(names)) < len(names):
        raise InputError(f"`tests` must name different tests, at least one; got {names!r}.")
    for name in names:
        check.literal(name, PairTest, "tests")
    return names


def resolve_unit(pairs: MatchedPairs, unit: JudgmentUnit) -> UnitName:
    """Return what is independent in the paired test, refusing what the data do not name."""
    check.literal(unit, JudgmentUnit, "unit")
    if unit == "auto":
        return "item" if pairs.document is None else "document"
    pairs.matched.refuse_unknown(unit)
    return unit


def pair_p_values(
    pairs: MatchedPairs, test: PairTest, unit: UnitName, *, swap: Swap | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the two-sided p-value and the direction of one test for every pair.

    With `swap`, the two systems of every pair change sides first.
    """
    from scipy.special import ndtr

    if test == "paired":
        return _t_tests(units_of(pairs, unit, swap))
    if test == "rank-sum":
        z = _rank_sums(pairs, swap)
    else:
        from detectable.kernels.pairing import signed_ranks_z

        items = units_of(pairs, "item", swap)
        z = signed_ranks_z(items.starts, np.round(items.d, _DIGITS))
    return np.minimum(2.0 * ndtr(-np.abs(z)), 1.0), np.sign(z)


def _t_tests(units: PairedUnits) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtr

    mean, error, df = moments(units, rounded=True)
    # Equal differences leave nothing but rounding in the standard error.
    spread = error > _ROUNDING * np.abs(mean)
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=spread)
    constant = np.where(mean == 0.0, 1.0, 2.0 ** -df.astype(np.float64))
    p = np.where(spread, 2.0 * stdtr(np.maximum(df, 1), -t), constant)
    return np.where(np.isnan(error), np.nan, p), np.sign(mean)


def _rank_sums(pairs: MatchedPairs, swap: Swap | None) -> FloatArray:
    from detectable.kernels.rankcounts import rank_sum_z

    z = [rank_sum_z(a, b) for a, b in _pair_counts(pairs, swap)]
    return np.concatenate(z)


def _pair_counts(pairs: MatchedPairs, swap: Swap | None) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the counts of the score values of both systems, for as many pairs as memory takes."""
    from detectable.kernels.pairing import pair_counts

    rows = pairs.rows
    unit, seed = (rows.item, -1) if swap is None else (swap.of_row, swap.seed)
    n_values = rows.values.size
    step = max(1, _COUNTS // n_values)
    for start in range(0, pairs.n_pairs, step):
        yield pair_counts(
            np.arange(start, min(start + step, pairs.n_pairs)),
            (pairs.first, pairs.second),
            (rows.starts, rows.value, unit),
            n_values,
            seed,
        )
