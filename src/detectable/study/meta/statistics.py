"""How far a metric's scores are those of people: by segment, by system, or at large."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import AverageBy, MetaStatistic, PairStatistic, UndefinedGroups
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.inference.correlation import (
    PairCounts,
    TieCalibration,
    correlation_of_sums,
    member_counts,
    moments,
    normal_p,
    pair_signs,
    permutation_p,
    rank_order,
    soft_accuracy,
    weighted_pearson,
    weighted_ranks,
)

# Means of systems closer than this share of the largest are equal: sums of the same numbers.
_EQUAL = 1e-12
_TILE = 2_000_000  # differences of two systems that lie in memory at once
COIN = 0.5  # what a coin gets of the pairs


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """Scores of people and of a metric, (systems, segments); NaN where there is none.

    `values` gives the statistic for rows of weights: of segments, and of systems if they are drawn
    too. A pair of systems weighs the product of both; copies of one system are no pair.
    """

    human: FloatArray
    metric: FloatArray
    statistic: MetaStatistic
    people: "PairPValues | None" = None  # of `human`, where several metrics ask for them

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the statistic of every row."""
        if self.statistic == "spa":
            p = self._of_people(items), pair_p_values(self.metric, items)
            return soft_accuracy(*p, _pair_weights(systems, len(self.human)))
        human, metric = (means(scores, items) for scores in (self.human, self.metric))
        return agreement_of_means(self.statistic, human, metric, systems)

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the score of an uninformative metric: ½ for every pair, or no correlation."""
        if self.statistic == "spa":
            half = np.full(1, 0.5)
            of_pairs = _pair_weights(systems, len(self.human))
            return soft_accuracy(self._of_people(items), half, of_pairs)
        constant = COIN if self.statistic == "pairwise-accuracy" else 0.0
        return np.full(len(items), constant)

    def permuted(self, n_permutations: int, rng: np.random.Generator) -> float:
        """Return soft pairwise accuracy with p-values from sign flips."""
        one, other = (
            permutation_p(_differences(scores, *_pairs(len(scores))), n_permutations, child)
            for scores, child in zip((self.human, self.metric), rng.spawn(2), strict=True)
        )
        return float(soft_accuracy(one, other, np.ones(one.size)))

    def _of_people(self, items: FloatArray) -> FloatArray:
        return (self.people or PairPValues(self.human)).of(items)


class PairPValues:
    """The p-values of `pair_p_values`; those of the last weights are kept, for the next metric."""

    def __init__(self, scores: FloatArray) -> None:
        self._scores = scores
        self._items: FloatArray | None = None
        self._found = np.empty(0)

    def of(self, items: FloatArray) -> FloatArray:
        """Return them for these weights; arrays that were given before must not be changed."""
        if self._items is not items:
            self._items, self._found = items, pair_p_values(self._scores, items)
        return self._found


def pair_p_values(scores: FloatArray, items: FloatArray) -> FloatArray:
    """Return p-values of all pairs of systems, (rows, pairs), for items that both have."""
    i, j = _pairs(len(scores))
    found = np.empty((len(items), i.size))
    step = max(1, _TILE // scores.shape[1])
    for start in range(0, i.size, step):
        place = slice(start, start + step)
        apart = _differences(scores, i[place], j[place])
        found[:, place] = normal_p(items @ apart, items @ np.square(apart))
    return found


def agreement_of_means(
    statistic: MetaStatistic,
    human: FloatArray,
    metric: FloatArray,
    systems: FloatArray | None = None,
) -> FloatArray:
    """Return how far means of systems, (rows, systems), agree; not for ``spa``, which needs more."""
    if statistic == "pearson":
        return weighted_pearson(_weights(systems, human), human, metric)
    first, second = signs(human), signs(metric)
    if statistic == "spearman":
        weights = _weights(systems, human)
        return weighted_pearson(weights, *(_ranks(s, weights) for s in (first, second)))
    n = human.shape[1]
    (i, j), of_pairs = _pairs(n), _pair_weights(systems, n)
    one, other = first[:, i, j], second[:, i, j]
    if statistic == "pairwise-accuracy":
        agreed = (of_pairs * (one == other)).sum(axis=1)
        total = of_pairs.sum(axis=1)
        found: FloatArray = np.where(total > 0.0, agreed, np.nan) / np.maximum(total, 1e-300)
        return found
    return _counts(one, other, of_pairs, human, metric, systems).value(statistic)  # type: ignore[arg-type]


def _pairs(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    i, j = np.triu_indices(n, 1)
    return i, j


def _differences(scores: FloatArray, i: NDArray[np.int64], j: NDArray[np.int64]) -> FloatArray:
    gap = scores[i] - scores[j]
    gap[np.isnan(gap)] = 0.0
    return gap.T


def means(scores: FloatArray, items: FloatArray) -> FloatArray:
    """Return the mean of every system over the segments it has, (rows, systems)."""
    known = np.isfinite(scores)
    total = items @ known.T.astype(np.float64)
    # About the mean of all, so that far fewer digits are lost in the sums.
    middle = float(scores[known].mean())
    sums = items @ np.where(known, scores - middle, 0.0).T
    found: FloatArray = middle + np.where(total > 0.0, sums, np.nan) / np.maximum(total, 1e-300)
    return found


def signs(values: FloatArray) -> FloatArray:
    """Return the sign of every system less every other; differences by rounding are none."""
    gap = values[..., :, None] - values[..., None, :]
    room = _EQUAL * np.nanmax(np.abs(values), axis=-1)
    found: FloatArray = np.sign(np.where(np.abs(gap) <= room[..., None, None], 0.0, gap))
    return found


def _weights(systems: FloatArray | None, like: FloatArray) -> FloatArray:
    return np.ones_like(like) if systems is None else systems


def _pair_weights(systems: FloatArray | None, n: int) -> FloatArray:
    i, j = _pairs(n)
    return np.ones((1, i.size)) if systems is None else systems[:, i] * systems[:, j]


def _ranks(order: FloatArray, weights: FloatArray) -> FloatArray:
    """Return twice the weighted mid-rank from the middle: weight below less weight above."""
    ranks: FloatArray = (order * weights[:, None, :]).sum(axis=-1)
    return ranks


def _counts(
    one: FloatArray,
    other: FloatArray,
    of_pairs: FloatArray,
    human: FloatArray,
    metric: FloatArray,
    systems: FloatArray | None,
) -> PairCounts:
    product = one * other
    parts = (
        product > 0,
        product < 0,
        (one == 0) & (other != 0),
        (one != 0) & (other == 0),
        (one == 0) & (other == 0),
    )
    weight = [(of_pairs * part).sum(axis=1) for part in parts]
    members = _weights(systems, human).sum(axis=1)
    return PairCounts.of(weight, members, np.minimum(_levels(human), _levels(metric)))


def _levels(values: FloatArray) -> FloatArray:
    ordered = np.sort(values, axis=1)
    room = _EQUAL * np.abs(values).max(axis=1)
    steps: FloatArray = (np.diff(ordered, axis=1) > room[:, None]).sum(axis=1, dtype=np.float64)
    return steps + 1.0


# --- Pairs of all (system, segment) scores, added up by the two segments they belong to ---

_PAIR_CELLS = 2_000_000  # pairs that lie in memory at once
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
        step = max(1, _PAIR_CELLS // (first.size * int(size.max())))
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
        """Return the first metric's statistic less the second's: (rows, 1)."""
        both = [form.swapped(taken) for form in self.forms]
        one, other = (self._mean([pair[side] for pair in both]) for side in (0, 1))
        return (one - other)[:, None]

    def _mean(self, values: list[FloatArray]) -> FloatArray:
        found = np.stack(values)
        known = np.isfinite(found)
        n = len(values) if self.zero else known.sum(axis=0)
        sums = np.where(known, found, 0.0).sum(axis=0)
        mean: FloatArray = np.where(n > 0, sums, np.nan) / np.maximum(n, 1)
        return mean


# --- How far a metric's scores of segments are those of people, by segment, by system, or at large ---

_CELLS = 4_000_000  # numbers that lie in memory at once
TIES = ("acc-eq", "acc23", "tau23")  # statistics that count ties of people


@dataclass(frozen=True)
class SegmentLevel:
    """Scores of people and of a metric, (systems, segments); NaN where there is none.

    Attributes
    ----------
    average_by : {'item', 'sys', 'none'}
        A value per segment (over systems) or per system (over segments), averaged; or one for all.
    undefined : {'skip', 'zero'}
        What a group counts in which people or the metric give one score throughout.
    epsilon : float
        Differences of the metric up to this are ties.
    halves : array of bool, optional
        For ``acc-eq``: segments of the first half, if the threshold is to come from the other.
    """

    human: FloatArray
    metric: FloatArray
    statistic: MetaStatistic
    average_by: AverageBy = "item"
    undefined: UndefinedGroups = "skip"
    epsilon: float = 0.0
    halves: NDArray[np.bool_] | None = None

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the statistic for rows of weights: of segments, and of systems if drawn too."""
        if self.statistic == "acc-eq":
            return self.calibration.values(items, systems, self.halves)
        if self.average_by == "item":
            found = self.by_item[None] if systems is None else self._by_item(systems)
            return weighted_mean(found, items, self.undefined)
        if self.average_by == "none":
            return self._at_large(items, systems)
        weights = np.ones((len(items), len(self.human))) if systems is None else systems
        return weighted_mean(self._by_system(items), weights, self.undefined)

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the score of an uninformative metric: one score for all, or a coin; or 0.

        One score for all agrees with people where they tie, a coin in half of all other pairs.
        """
        if self.statistic not in TIES:
            return np.zeros(len(items))
        constant = np.where(np.isfinite(self.metric), 0.0, np.nan)
        silent = SegmentLevel(self.human, constant, "acc23", self.average_by, self.undefined)
        tied = silent.values(items, systems)
        share: FloatArray = np.maximum(tied, (1.0 - tied) / 2.0)
        return 2.0 * share - 1.0 if self.statistic == "tau23" else share

    @cached_property
    def calibration(self) -> TieCalibration:
        """All pairs of systems of all segments, by how far the metric sets them apart."""
        return TieCalibration.of(self.human.T, self.metric.T)

    @cached_property
    def by_item(self) -> FloatArray:
        """The value of every segment; NaN where it has none."""
        first, second = self.human.T, self.metric.T
        if self.statistic in ("pearson", "spearman"):
            found: FloatArray = self._by_item(np.ones((1, len(self.human))))[0]
            return found
        signs = pair_signs(first, second, epsilon=self.epsilon)
        return signs.counts(first, second).value(cast("PairStatistic", self.statistic))

    def groups(self) -> tuple[int, int]:
        """Return how many groups there are, and how many of them have no value."""
        if self.average_by == "none":
            return 1, 0
        if self.statistic == "acc-eq":
            return self.human.shape[1], self.human.shape[1] - self.calibration.n_with_pairs
        ones = np.ones((1, self.human.shape[1]))
        found = self.by_item if self.average_by == "item" else self._by_system(ones)[0]
        return found.size, int(np.isnan(found).sum())

    def _by_item(self, systems: FloatArray) -> FloatArray:
        """Return the value of every segment with systems weighted, (rows, segments)."""
        found = np.empty((len(systems), self.human.shape[1]))
        step = max(1, _CELLS // self.human.size)
        for start in range(0, len(systems), step):
            rows = systems[start : start + step]
            found[start : start + step] = self._some_items(rows)
        return found

    def _some_items(self, systems: FloatArray) -> FloatArray:
        known = np.isfinite(self.human) & np.isfinite(self.metric)
        first, second = (np.where(known, v, np.nan).T for v in (self.human, self.metric))
        if self.statistic in ("pearson", "spearman"):
            weights = systems[:, None, :] * known.T
            x, y = np.nan_to_num(first), np.nan_to_num(second)
            if self.statistic == "spearman":
                x, y = (_item_ranks(v, weights) for v in (first, second))
            return weighted_pearson(weights, x, y)
        signs = pair_signs(first, second, epsilon=self.epsilon)
        i, j = signs.members
        of_pairs = (systems[:, i] * systems[:, j]).T
        parts = [(part @ of_pairs).T for part in signs.classes()]
        members = (known.T @ systems.T).T.astype(np.float64)
        levels = np.broadcast_to(signs.counts(first, second).levels, members.shape)
        return PairCounts.of(parts, members, levels).value(
            cast("PairStatistic", self.statistic)
        )

    def _at_large(self, items: FloatArray, systems: FloatArray | None) -> FloatArray:
        if self.statistic == "pearson":
            sums, scale = self._sums(items)
            weights = np.ones((len(items), len(self.human))) if systems is None else systems
            total = (sums * weights).sum(axis=-1)
            return correlation_of_sums(total, scale[:, None] * total[0])
        if self.statistic == "spearman":
            return self._ranked(items, systems)
        return self._forms.value(items)

    def _by_system(self, items: FloatArray) -> FloatArray:
        """Return the value of every system, (rows, systems)."""
        if self.statistic == "pearson":
            sums, scale = self._sums(items)
            return correlation_of_sums(sums, scale[:, None, None] * sums[0])
        found = []
        for human, metric in zip(self.human, self.metric, strict=True):
            one = SegmentLevel(
                human[None], metric[None], self.statistic, "none", epsilon=self.epsilon
            )
            found.append(one.values(items))
        return np.stack(found, axis=1)

    def _sums(self, items: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weighted moments of every system, (6, rows, systems), and the scale."""
        parts, top = moments(self.human, self.metric)
        return np.stack([items @ part.T for part in parts]), top

    def _ranked(self, items: FloatArray, systems: FloatArray | None) -> FloatArray:
        known = np.isfinite(self.human) & np.isfinite(self.metric)
        system, item = np.nonzero(known)
        first, second = self.human[known], self.metric[known]
        orders = rank_order(first), rank_order(second)
        found = np.empty(len(items))
        step = max(1, _CELLS // max(1, first.size))
        for start in range(0, len(items), step):
            place = slice(start, start + step)
            weights = items[place][:, item]
            if systems is not None:
                weights = weights * systems[place][:, system]
            ranks = [weighted_ranks(weights, *order) for order in orders]
            found[place] = weighted_pearson(weights, ranks[0], ranks[1])
        return found

    @cached_property
    def _forms(self) -> PairForms:
        return PairForms.of(self.human, self.metric, cast("PairStatistic", self.statistic))


def _item_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weighted ranks within segments, (rows, segments, systems); NaN has no weight."""
    gap = np.sign(np.nan_to_num(values[:, :, None] - values[:, None, :]))
    ranks: FloatArray = np.einsum("gst,rgt->rgs", gap, weights, optimize=True)
    return ranks


def weighted_mean(
    found: FloatArray, weights: FloatArray, undefined: UndefinedGroups
) -> FloatArray:
    """Return means over groups; one without a value (NaN) is left out, or counts as 0."""
    known = np.isfinite(found)
    sums = (weights * np.where(known, found, 0.0)).sum(axis=1)
    counted = np.ones_like(found) if undefined == "zero" else known
    total = (weights * counted).sum(axis=1)
    mean: FloatArray = np.where(total > 0.0, sums, np.nan) / np.maximum(total, 1e-300)
    return mean


# --- Many metrics whose segments are swapped: each sums over the segments once, for all its pairs ---

_MOVED = 40_000_000  # sums of metrics that lie in memory at once
_CACHED = 8_000  # numbers


class OfSums(Protocol):
    """A statistic that follows from sums over segments."""

    def parts(self, metric: FloatArray) -> tuple[FloatArray, ...]:
        """Return what is summed of a metric, (segments, k) each."""

    def value(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Return the statistic of such sums, (rows, k) each."""


@dataclass(frozen=True, slots=True)
class SystemSums:
    """Statistics of systems: of differences between them and their squares, or of their means.

    All segments count for people, whatever metrics swap: their p-values, or their means, are fixed.
    """

    statistic: MetaStatistic
    people: FloatArray  # (1, k)

    @classmethod
    def of(cls, human: FloatArray, statistic: MetaStatistic) -> "SystemSums":
        """Take scores of people, (systems, segments)."""
        every = np.ones((1, human.shape[1]))
        side = pair_p_values if statistic == "spa" else means
        return cls(statistic, side(human, every))

    def parts(self, metric: FloatArray) -> tuple[FloatArray, ...]:
        """Return what is summed of scores, (systems, segments)."""
        if self.statistic == "spa":
            apart = _differences(metric, *_pairs(len(metric)))
            return apart, np.square(apart)
        known = np.isfinite(metric).T
        return np.where(known, metric.T, 0.0), known.astype(np.float64)

    def value(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Return the statistic of every row."""
        if self.statistic == "spa":
            # A sum of squares less its parts may end below 0 by rounding.
            p = normal_p(sums[0], np.maximum(sums[1], 0.0))
            return soft_accuracy(self.people, p, np.ones(p.shape[1]))
        metric: FloatArray = np.where(sums[1] > 0.5, sums[0], np.nan) / np.maximum(sums[1], 0.5)
        people = np.broadcast_to(self.people, metric.shape)
        return agreement_of_means(self.statistic, people, metric)


@dataclass(frozen=True, slots=True)
class GroupSums:
    """The mean over segments that have a value each; one without counts as 0, or for nothing."""

    undefined: UndefinedGroups

    def parts(self, metric: FloatArray) -> tuple[FloatArray, ...]:
        """Return what is summed of values of segments."""
        known = np.isfinite(metric)
        counted = np.ones_like(metric) if self.undefined == "zero" else known
        return np.where(known, metric, 0.0)[:, None], counted.astype(np.float64)[:, None]

    def value(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Return the mean of every row."""
        total, n = (part[:, 0] for part in sums)
        found: FloatArray = np.where(n > 0.5, total, np.nan) / np.maximum(n, 0.5)
        return found


@dataclass(frozen=True, slots=True)
class SumSwaps:
    r"""Pairs of metrics, standardised, that all swap the same segments.

    With x = 1 where a segment is swapped and S the sum of all, the first metric of a pair then has
    :math:`S_A - x'A + x'B` and the second :math:`S_B - x'B + x'A`: one product per metric serves
    all pairs that it is in.
    """

    of: OfSums
    metrics: tuple[FloatArray, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def most_rows(self) -> int:
        """How many rows of swaps fit into memory at once."""
        needed: int = sum(part.shape[1] for part in self.of.parts(self.metrics[0]))
        return max(1, _MOVED // (needed * len(self.metrics)))

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the first metric's statistic less the second's, (rows, pairs)."""
        whole: list[list[FloatArray]] = []
        moved: list[list[FloatArray]] = []
        for metric in self.metrics:
            parts = self.of.parts(metric)
            whole.append([part.sum(axis=0) for part in parts])
            moved.append([taken @ part for part in parts])
        found = np.empty((len(taken), len(self.pairs)))
        # Few rows at a time stay in the processor's cache, whatever is computed of them.
        step = max(1, _CACHED // max(part.shape[1] for part in moved[0]))
        for start in range(0, len(taken), step):
            rows = slice(start, start + step)
            here = [[part[rows] for part in parts] for parts in moved]
            kept = [
                [every - away for every, away in zip(all_of, parts, strict=True)]
                for all_of, parts in zip(whole, here, strict=True)
            ]
            for k, (a, b) in enumerate(self.pairs):
                one = [x + y for x, y in zip(kept[a], here[b], strict=True)]
                other = [x + y for x, y in zip(kept[b], here[a], strict=True)]
                found[rows, k] = self.of.value(one) - self.of.value(other)
        return found
