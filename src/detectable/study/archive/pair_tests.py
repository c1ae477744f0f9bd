"""The tests of all pairs of an archive: from matched judgments to p-values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PairTest
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.study.archive.matched_pairs import MatchedPairs

_COUNTS = 1 << 22  # counts of score values in memory at once; does not change the answer
_ROUNDING = 1e-12
_DIGITS = 9  # averages of repeats that agree to this many digits are equal


@dataclass(frozen=True, slots=True)
class Swap:
    """Change sides at random: which unit each matched cell and each row moves with."""

    of_cell: IntArray
    of_row: IntArray
    seed: int


@dataclass(frozen=True, slots=True)
class PairedUnits:
    """Paired differences, sorted by pair, and the cluster that each belongs to."""

    starts: IntArray
    d: FloatArray
    cluster: IntArray
    n_clusters: int

    @classmethod
    def of(cls, matched: MatchedPairs, unit: str, swap: Swap | None = None) -> "PairedUnits":
        """Return the differences of items, or of cells where raters are the clusters."""
        from detectable.kernels.pairing import mean_by_item, swap_units

        first, second = matched.score_first, matched.score_second
        if swap is not None:
            swapped = swap_units(matched.starts, swap.of_cell, swap.seed)
            first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        if unit == "rater" and matched.rater is not None:
            return cls(matched.starts, first - second, matched.rater, matched.n_raters)
        starts, item, a, b = mean_by_item(matched.starts, matched.item, first, second)
        d = np.round(a - b, _DIGITS)
        if unit == "document" and matched.document is not None:
            return cls(starts, d, matched.document[item], int(matched.document.max()) + 1)
        return cls(starts, d, item, matched.n_items)

    def columns(self) -> dict[str, FloatArray]:
        """Return number of units, mean, standard error and degrees of freedom of each pair."""
        mean, error, df = self.means()
        return {
            "units": np.diff(self.starts).astype(np.float64),
            "paired difference": mean,
            "standard error": error,
            "df": df.astype(np.float64),
        }

    def means(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return mean, standard error and degrees of freedom of each pair."""
        from detectable.kernels.pairing import clustered_means

        return clustered_means(self.starts, self.cluster, self.d, self.n_clusters)


def check_tests(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the names of the tests, refusing unknown ones, none and repetitions."""
    names = tuple(tests)
    if not names or len(set(names)) < len(names):
        raise InputError(f"`tests` must name different tests, at least one; got {names!r}.")
    for name in names:
        check.literal(name, PairTest, "tests")
    return names


def resolve_unit(
    matched: MatchedPairs, unit: JudgmentUnit
) -> Literal["item", "document", "rater"]:
    """Return what is independent in the paired test, refusing what the data do not name."""
    check.literal(unit, JudgmentUnit, "unit")
    if unit == "auto":
        return "item" if matched.document is None else "document"
    known = {"item": matched.item, "document": matched.document, "rater": matched.rater}
    if known[unit] is None:
        raise InputError(
            f"`unit` must be known for every judgment; there is no {unit}. "
            f"Give the column that names it."
        )
    return unit


def pair_p_values(
    matched: MatchedPairs, test: PairTest, unit: str, *, swap: Swap | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the two-sided p-value and the direction of one test for every pair.

    With `swap`, the two systems of every pair change sides first.
    """
    from scipy.special import ndtr

    if test == "paired":
        return _t_tests(PairedUnits.of(matched, unit, swap))
    if test == "rank-sum":
        z = _rank_sums(matched, swap)
    else:
        from detectable.kernels.pairing import signed_ranks_z

        items = PairedUnits.of(matched, "item", swap)
        z = signed_ranks_z(items.starts, items.d)
    return np.minimum(2.0 * ndtr(-np.abs(z)), 1.0), np.sign(z)


def _t_tests(units: PairedUnits) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtr

    mean, error, df = units.means()
    # Equal differences leave nothing but rounding in the standard error.
    spread = error > _ROUNDING * np.abs(mean)
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=spread)
    constant = np.where(mean == 0.0, 1.0, 2.0 ** -df.astype(np.float64))
    p = np.where(spread, 2.0 * stdtr(np.maximum(df, 1), -t), constant)
    return np.where(np.isnan(error), np.nan, p), np.sign(mean)


def _rank_sums(matched: MatchedPairs, swap: Swap | None) -> FloatArray:
    from detectable.kernels.rankcounts import rank_sum_z

    z = [rank_sum_z(a, b) for a, b in _pair_counts(matched, swap)]
    return np.concatenate(z)


def _pair_counts(
    matched: MatchedPairs, swap: Swap | None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the counts of the score values of both systems, for as many pairs as memory takes."""
    from detectable.kernels.pairing import pair_counts

    unit, seed = (matched.row_item, -1) if swap is None else (swap.of_row, swap.seed)
    n_values = matched.values.size
    step = max(1, _COUNTS // n_values)
    for start in range(0, matched.n_pairs, step):
        yield pair_counts(
            np.arange(start, min(start + step, matched.n_pairs)),
            (matched.first, matched.second),
            (matched.row_starts, matched.row_value, unit),
            n_values,
            seed,
        )
