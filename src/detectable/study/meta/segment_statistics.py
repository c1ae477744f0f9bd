"""How far a metric's scores of segments are those of people, by segment, by system, or at large."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import AverageBy, MetaStatistic, PairStatistic, UndefinedGroups
from detectable.core.types import FloatArray
from detectable.inference.pair_classes import PairCounts, pair_signs
from detectable.inference.tie_calibration import TieCalibration
from detectable.inference.weighted_correlation import (
    correlation_of_sums,
    moments,
    rank_order,
    weighted_pearson,
    weighted_ranks,
)
from detectable.study.meta.pair_forms import PairForms

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
        """Return what a constant metric gets: the share of pairs that people tie, or 0."""
        if self.statistic not in TIES:
            return np.zeros(len(items))
        silent = SegmentLevel(
            self.human, np.where(np.isfinite(self.metric), 0.0, np.nan),
            "tau23" if self.statistic == "tau23" else "acc23", self.average_by, self.undefined,
        )  # fmt: skip
        return silent.values(items, systems)

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


@dataclass(frozen=True, slots=True)
class GroupValues:
    """Values of segments that are at hand, to be averaged with weights."""

    found: FloatArray
    undefined: UndefinedGroups

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return the mean for every row of weights of segments; systems are not drawn."""
        return weighted_mean(self.found[None], items, self.undefined)

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return nothing to compare with: swaps ask for values only."""
        return np.full(len(items), np.nan)


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
