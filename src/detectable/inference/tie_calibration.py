"""Pairwise accuracy with ties, and the difference up to which a metric should call a tie."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray

THRESHOLDS = 1024  # that are tried on resamples; on the data themselves all are
ROUNDING = 1e-12  # accuracies closer than this, for each group, are the same


def _first_best(accuracies: FloatArray, n_groups: int) -> NDArray[np.int64]:
    """Return the first threshold of each row whose accuracy is the highest but for rounding.

    The accuracies are running sums: two that are equal on paper may differ in the last bit, and
    that bit must not choose the threshold.
    """
    highest = accuracies.max(axis=-1, keepdims=True) - ROUNDING * n_groups
    first: NDArray[np.int64] = np.argmax(accuracies >= highest, axis=-1)
    return first


@dataclass(frozen=True, eq=False)
class TieCalibration:
    r"""All pairs of members of some groups, sorted by how far the metric sets them apart.

    With :math:`|\Delta m| \le \varepsilon` called a tie, the accuracy is

    .. math:: acc(\varepsilon) = \sum_p w_p [\,|\Delta m_p| \le \varepsilon \;?\;
              tie^h_p : con_p\,],

    so over sorted pairs it is a running sum of :math:`tie^h - con`, and all thresholds are tried
    in O(P log P). Pairs with equal :math:`|\Delta m|` become ties together. Every group weighs
    the same, however many pairs it has.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter: meta-evaluating modern metrics with pairwise
    accuracy and tie calibration", EMNLP, arXiv:2305.14324. They try a sample of the thresholds.
    """

    distance: FloatArray  # |Δm|, ascending
    group: NDArray[np.int64]  # of each pair
    members: NDArray[np.int64]  # (2, pairs)
    tied: FloatArray  # 1 if people tie the pair
    same: FloatArray  # 1 if metric and people order it the same way
    n_groups: int  # with and without pairs

    @classmethod
    def of(cls, human: FloatArray, metric: FloatArray) -> "TieCalibration":
        """Sort the pairs of members (columns) within groups (rows); NaN has no pairs."""
        i, j = np.triu_indices(human.shape[1], 1)
        known = np.isfinite(human) & np.isfinite(metric)
        group, pair = np.nonzero(known[:, i] & known[:, j])
        i, j = i[pair], j[pair]
        apart, gap = human[group, i] - human[group, j], metric[group, i] - metric[group, j]
        distance = np.abs(gap)
        order = np.argsort(distance, kind="stable")
        return cls(
            distance[order],
            group[order],
            np.stack([i[order], j[order]]),
            (apart == 0.0).astype(np.float64)[order],
            (apart * gap > 0.0).astype(np.float64)[order],
            len(human),
        )

    @cached_property
    def n_with_pairs(self) -> int:
        """Groups that have a pair."""
        return int(np.unique(self.group).size)

    @cached_property
    def _share(self) -> FloatArray:
        """What a pair counts within its group."""
        share: FloatArray = 1.0 / np.bincount(self.group, minlength=self.n_groups)[self.group]
        return share

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Up to which pair everything is a tie, for every threshold; the first one is 0."""
        last = np.flatnonzero(np.append(self.distance[1:] != self.distance[:-1], True)) + 1
        return last if self.distance.size and self.distance[0] == 0.0 else np.append(0, last)

    def best(self) -> tuple[float, float]:
        """Return the highest accuracy and the smallest threshold that gives it.

        Examples
        --------
        >>> human = np.array([[1.0, 2.0, 2.0, 3.0, 4.0]])
        >>> found = TieCalibration.of(human, np.array([[2.0, 1.0, 1.5, 5.0, 3.0]])).best()
        >>> tuple(round(x, 6) for x in found)
        (0.7, 0.5)
        """
        gain = np.append(0.0, np.cumsum(self._share * (self.tied - self.same)))[self._ends]
        place = int(_first_best(gain, self.n_groups))
        end = int(self._ends[place])
        value = (float(self._share @ self.same) + float(gain[place])) / self.n_with_pairs
        return value, 0.0 if end == 0 else float(self.distance[end - 1])

    def at(self, epsilon: float) -> float:
        """Return the accuracy with one threshold."""
        right = np.where(self.distance <= epsilon, self.tied, self.same)
        return float(self._share @ right) / self.n_with_pairs

    @cached_property
    def _bins(self) -> NDArray[np.int64]:
        """Return which of the thresholds tried on resamples first makes each pair a tie."""
        ends = self._ends
        if ends.size > THRESHOLDS:
            wanted = np.linspace(0, self.distance.size, THRESHOLDS)
            ends = np.unique(np.append(ends[0], ends[np.searchsorted(ends, wanted)]))
        return np.searchsorted(ends, np.arange(self.distance.size), side="right")

    @cached_property
    def _gains(self) -> tuple[FloatArray, FloatArray]:
        """What a group adds at every threshold, (groups, thresholds), and before the first."""
        n, width = self.n_groups, int(self._bins.max(initial=0)) + 1
        change = self._share * (self.tied - self.same)
        gains = np.bincount(self.group * width + self._bins, change, minlength=n * width)
        start = np.bincount(self.group, self._share * self.same, n)
        return gains.reshape(n, width).astype(np.float64), start.astype(np.float64)

    def values(
        self,
        groups: FloatArray,
        members: FloatArray | None = None,
        halves: NDArray[np.bool_] | None = None,
    ) -> FloatArray:
        """Return the highest accuracy for every row of weights: of groups, and of members.

        With `halves` (which groups are in the first), the threshold of either half is the best of
        the other, so that no pair helps to choose the threshold that judges it.
        """
        if not self.distance.size:
            return np.full(len(groups), np.nan)
        parts = [groups] if halves is None else [groups * halves, groups * ~halves]
        running, totals = zip(*(self._running(part, members) for part in parts), strict=True)
        total = sum(totals)
        if halves is None:
            highest = running[0].max(axis=1)
        else:
            rows = np.arange(len(groups))
            highest = sum(
                mine[rows, _first_best(other, self.n_groups)]
                for mine, other in (running, reversed(running))
            )
        found: FloatArray = np.where(total > 0.0, highest, np.nan) / np.maximum(total, 1e-300)
        return found

    def _running(
        self, groups: FloatArray, members: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the accuracy at every threshold, (rows, thresholds), times the weight of groups."""
        if members is None:
            gains, start = self._gains
            has_pairs = np.bincount(self.group, minlength=self.n_groups) > 0
            sums = (groups @ start)[:, None] + np.cumsum(groups @ gains, axis=1)
            return sums, groups @ has_pairs
        width = int(self._bins.max()) + 1
        sums, total = np.empty((len(groups), width)), np.empty(len(groups))
        for row, (of_groups, of_members) in enumerate(zip(groups, members, strict=True)):
            pair = of_members[self.members[0]] * of_members[self.members[1]]
            size = np.bincount(self.group, pair, minlength=self.n_groups)
            weight = pair * (of_groups / np.where(size > 0.0, size, np.inf))[self.group]
            change = np.bincount(self._bins, weight * (self.tied - self.same), minlength=width)
            sums[row] = weight @ self.same + np.cumsum(change)
            total[row] = of_groups[size > 0.0].sum()
        return sums, total
