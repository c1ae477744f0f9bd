"""Pairs of all (system, segment) scores, added up by the two segments they belong to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import PairStatistic
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.inference.pair_classes import member_counts

_CELLS = 2_000_000  # pairs that lie in memory at once
_MOST = 25_000  # scores: beyond, their pairs take minutes


@dataclass(frozen=True, slots=True)
class PairForms:
    """Quadratic forms in the weights of segments: what two lists say of all pairs of scores.

    A pair of scores counts the product of the weights of their segments, or the weight itself
    where both are of one segment: it was drawn with both. The forms are, for Kendall's statistics,
    pairs the same way less pairs opposite, and pairs tied in the first and in the second list; for
    the others, pairs on which both lists agree, ties included.
    """

    statistic: PairStatistic
    forms: NDArray[np.float32]  # (k, segments, segments), each pair twice
    within: FloatArray  # (k, segments): pairs within a segment
    size: FloatArray  # scores of each segment
    levels: float

    @classmethod
    def of(cls, human: FloatArray, metric: FloatArray, statistic: PairStatistic) -> "PairForms":
        """Compare every two scores, (systems, segments), a few segments at a time."""
        known = np.isfinite(human) & np.isfinite(metric)
        if known.sum() > _MOST:
            raise InputError(
                f"`average_by` must be 'item' for Kendall's statistics of more than {_MOST:,} "
                f"scores; got {int(known.sum()):,}, which have too many pairs."
            )
        n = human.shape[1]
        order = np.nonzero(known.T)[0]
        first, second = human.T[known.T], metric.T[known.T]
        size = np.bincount(order, minlength=n)
        used = np.flatnonzero(size)
        starts = np.concatenate([[0], np.cumsum(size[used])])
        forms = np.zeros((3 if statistic == "kendall" else 1, n, n), np.float32)
        step = max(1, _CELLS // (first.size * int(size.max())))
        for begin in range(0, used.size, step):
            end = min(begin + step, used.size)
            mine = slice(starts[begin], starts[end])
            parts = _parts(first[mine], first, second[mine], second, statistic)
            rows = starts[begin:end] - starts[begin]
            for form, part in zip(forms, parts, strict=True):
                across = np.add.reduceat(part, starts[:-1], axis=1, dtype=np.int32)
                form[np.ix_(used[begin:end], used)] = np.add.reduceat(across, rows, axis=0)
        place = np.arange(n)
        within = forms[:, place, place].astype(np.float64)
        if statistic == "kendall":
            within[1:] -= size  # a score and itself
        elif statistic != "kendall-c":
            within -= size
        forms[:, place, place] = 0.0
        levels = member_counts(first[None], second[None])[1][0]
        return cls(statistic, forms, within / 2.0, size.astype(np.float64), float(levels))

    def value(self, items: FloatArray) -> FloatArray:
        """Return the statistic for every row of weights."""
        light = items.astype(np.float32)
        sums = [
            ((light @ form) * items).sum(axis=1) / 2.0 + items @ own
            for form, own in zip(self.forms, self.within, strict=True)
        ]
        members = items @ self.size
        # All pairs: of different segments, and those drawn together within one.
        pairs = (np.square(members) - np.square(items * self.size).sum(axis=1)) / 2.0
        pairs += items @ (self.size * (self.size - 1.0) / 2.0)
        return self.statistic_of(sums, pairs, members)

    def swapped(self, taken: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Return the statistic of both metrics after segments were swapped between them.

        This object then has the 2n segments of the first and of the second metric. With the blocks
        A, B, D of a form and x = 1 where a segment is swapped, the first metric's sum is
        :math:`1'A1 + 2(B'1 - A1)'x + x'Qx` and the second's :math:`1'D1 + 2(B1 - D1)'x + x'Qx`,
        both with Q = A − B − B' + D: one product serves both.
        """
        n = self.forms.shape[1] // 2
        light, size = taken.astype(np.float32), self.size[:n]
        first, second = [], []
        for form, own in zip(self.forms, self.within, strict=True):
            a, b, d = form[:n, :n], form[:n, n:], form[n:, n:]
            square = ((light @ (a - b - b.T + d)) * taken).sum(axis=1)
            rows = [part.sum(axis=1, dtype=np.float64) for part in (a, b, d)]
            columns = b.sum(axis=0, dtype=np.float64)
            change = own[n:] - own[:n]
            one = rows[0].sum() + 2.0 * (taken @ (columns - rows[0])) + square
            two = rows[2].sum() + 2.0 * (taken @ (rows[1] - rows[2])) + square
            first.append(one / 2.0 + own[:n].sum() + taken @ change)
            second.append(two / 2.0 + own[n:].sum() - taken @ change)
        members = np.full(len(taken), size.sum())
        pairs = members * (members - 1.0) / 2.0
        return self.statistic_of(first, pairs, members), self.statistic_of(
            second, pairs, members
        )

    def statistic_of(
        self, sums: list[FloatArray], pairs: FloatArray, members: FloatArray
    ) -> FloatArray:
        """Return the statistic of sums over pairs; NaN where it has no value."""
        if self.statistic == "kendall":
            below = np.sqrt(np.maximum(pairs - sums[1], 0.0) * np.maximum(pairs - sums[2], 0.0))
            above = sums[0]
        elif self.statistic == "kendall-c":
            m = max(self.levels, 1.0)
            above, below = 2.0 * sums[0], np.square(members) * (m - 1.0) / m
        else:
            above = sums[0] if self.statistic == "acc23" else 2.0 * sums[0] - pairs
            below = pairs
        known = below > 0.0
        found: FloatArray = np.where(known, above, np.nan) / np.where(known, below, 1.0)
        return found


def _parts(
    first: FloatArray,
    firsts: FloatArray,
    second: FloatArray,
    seconds: FloatArray,
    statistic: PairStatistic,
) -> list[NDArray[np.int8]]:
    """Return what counts of pairs of some scores with all."""
    one = np.sign(first[:, None] - firsts[None]).astype(np.int8)
    other = np.sign(second[:, None] - seconds[None]).astype(np.int8)
    if statistic in ("acc23", "tau23"):
        return [(one == other).astype(np.int8)]
    ties = [(sign == 0).astype(np.int8) for sign in (one, other)]
    return [one * other, *(ties if statistic == "kendall" else ())]


@dataclass(frozen=True, slots=True)
class FormSwaps:
    """Two metrics whose segments are swapped, by forms: of each system, or one of all."""

    forms: tuple[PairForms, ...]
    zero: bool  # a system without a value counts as 0

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the first metric's statistic less the second's."""
        both = [form.swapped(taken) for form in self.forms]
        one, other = (self._mean([pair[side] for pair in both]) for side in (0, 1))
        return one - other

    def _mean(self, values: list[FloatArray]) -> FloatArray:
        found = np.stack(values)
        known = np.isfinite(found)
        n = len(values) if self.zero else known.sum(axis=0)
        sums = np.where(known, found, 0.0).sum(axis=0)
        mean: FloatArray = np.where(n > 0, sums, np.nan) / np.maximum(n, 1)
        return mean
