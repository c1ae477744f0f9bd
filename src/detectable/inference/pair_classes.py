"""Pairs in two lists of numbers: how many go the same way, how many are tied, and what that makes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import PairStatistic
from detectable.core.types import FloatArray

Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Weights of pairs by what the two lists say of them; any shape, all of the same.

    Attributes
    ----------
    same, opposite : array
        Neither list has a tie, and they agree or do not.
    first_tied, second_tied : array
        Tied in that list alone.
    both_tied : array
    members, levels : array
        Of tau-c: the weight of all members, and the fewer different values of both lists.
    """

    same: FloatArray
    opposite: FloatArray
    first_tied: FloatArray
    second_tied: FloatArray
    both_tied: FloatArray
    members: FloatArray
    levels: FloatArray

    @classmethod
    def of(
        cls, classes: list[FloatArray], members: FloatArray, levels: FloatArray
    ) -> "PairCounts":
        """Name the five classes, in the order of `PairSigns.classes`."""
        same, opposite, first, second, both = classes
        return cls(same, opposite, first, second, both, members, levels)

    @property
    def pairs(self) -> FloatArray:
        """The weight of all pairs."""
        total: FloatArray = (
            self.same + self.opposite + self.first_tied + self.second_tied + self.both_tied
        )
        return total

    def value(self, statistic: PairStatistic) -> FloatArray:
        r"""Return a statistic of the pairs; NaN where it has no value.

        With C pairs the same way, D opposite, T tied in one list alone and B in both,

        .. math::

            \tau_b = \frac{C - D}{\sqrt{(C + D + T_1)(C + D + T_2)}}, \quad
            \tau_c = \frac{2 (C - D)}{n^2 (m - 1) / m}, \quad
            \tau_{23} = \frac{C + B - D - T_1 - T_2}{P}, \quad
            acc_{23} = \frac{C + B}{P}.

        References
        ----------
        Kendall (1945), Biometrika 33(3); Stuart (1953), Biometrika 40(1/2). The last two: Deutsch,
        Foster and Freitag (2023), "Ties matter", EMNLP, arXiv:2305.14324.
        """
        surplus = self.same - self.opposite
        if statistic == "kendall":
            apart = self.same + self.opposite
            return _ratio(
                surplus, np.sqrt((apart + self.first_tied) * (apart + self.second_tied))
            )
        if statistic == "kendall-c":
            m = np.maximum(self.levels, 1.0)
            return _ratio(2.0 * surplus, np.square(self.members) * (m - 1.0) / m)
        agreed = self.same + self.both_tied
        if statistic == "acc23":
            return _ratio(agreed, self.pairs)
        return _ratio(2.0 * agreed - self.pairs, self.pairs)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    known = below > 0.0
    found: FloatArray = np.where(known, above, np.nan) / np.where(known, below, 1.0)
    return found


@dataclass(frozen=True, slots=True)
class PairSigns:
    """The signs of all differences within groups: arrays of shape (groups, pairs).

    Attributes
    ----------
    first, second : array of int8
        Of the two lists; 0 is a tie.
    known : array of bool
        Whether both members have a value in both lists.
    members : array of shape (2, pairs)
        The two members of every pair.
    """

    first: Signs
    second: Signs
    known: NDArray[np.bool_]
    members: NDArray[np.int64]

    def counts(self, first: FloatArray, second: FloatArray) -> PairCounts:
        """Return the pairs of each group, one array entry per group."""
        parts = [part.sum(axis=1).astype(np.float64) for part in self.classes()]
        members, levels = member_counts(first, second)
        return PairCounts.of(parts, members, levels)

    def classes(self) -> list[NDArray[np.bool_]]:
        """Return where pairs are: same, opposite, first tied, second tied, both tied."""
        product = self.first * self.second
        none_first, none_second = self.first == 0, self.second == 0
        return [
            self.known & (product > 0),
            self.known & (product < 0),
            self.known & none_first & ~none_second,
            self.known & ~none_first & none_second,
            self.known & none_first & none_second,
        ]


def pair_signs(first: FloatArray, second: FloatArray, *, epsilon: float = 0.0) -> PairSigns:
    """Return the signs of all pairs of members (columns) within groups (rows).

    NaN is a member without a value. Differences of `second` up to `epsilon` are ties.
    """
    members = np.array(np.triu_indices(first.shape[1], 1))
    i, j = members
    known = np.isfinite(first) & np.isfinite(second)
    gap = np.nan_to_num(second[:, i] - second[:, j])
    gap[np.abs(gap) <= epsilon] = 0.0
    return PairSigns(
        np.sign(np.nan_to_num(first[:, i] - first[:, j])).astype(np.int8),
        np.sign(gap).astype(np.int8),
        known[:, i] & known[:, j],
        members,
    )


def member_counts(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how many members each group has, and the fewer different values of both lists."""
    known = np.isfinite(first) & np.isfinite(second)
    levels = [_different(np.where(known, values, np.nan)) for values in (first, second)]
    return known.sum(axis=1).astype(np.float64), np.minimum(*levels).astype(np.float64)


def _different(values: FloatArray) -> NDArray[np.int64]:
    ordered = np.sort(values, axis=1)  # NaN last
    new = np.isfinite(ordered)
    new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    count: NDArray[np.int64] = new.sum(axis=1)
    return count
