"""How far the order of systems by a metric is that of people."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import MetaStatistic
from detectable.core.types import FloatArray
from detectable.inference.pair_classes import PairCounts
from detectable.inference.soft_pairwise import normal_p, permutation_p, soft_accuracy
from detectable.inference.weighted_correlation import weighted_pearson

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

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the statistic of every row."""
        of_pairs = _pair_weights(systems, len(self.human))
        if self.statistic == "spa":
            p = [self._p(scores, items) for scores in (self.human, self.metric)]
            return soft_accuracy(p[0], p[1], of_pairs)
        human, metric = (means(scores, items) for scores in (self.human, self.metric))
        if self.statistic == "pearson":
            return weighted_pearson(_weights(systems, human), human, metric)
        first, second = signs(human), signs(metric)
        if self.statistic == "spearman":
            weights = _weights(systems, human)
            return weighted_pearson(weights, *(_ranks(s, weights) for s in (first, second)))
        i, j = np.triu_indices(len(self.human), 1)
        one, other = first[:, i, j], second[:, i, j]
        if self.statistic == "pairwise-accuracy":
            agreed = (of_pairs * (one == other)).sum(axis=1)
            total = of_pairs.sum(axis=1)
            found: FloatArray = np.where(total > 0.0, agreed, np.nan) / np.maximum(
                total, 1e-300
            )
            return found
        return _counts(one, other, of_pairs, human, metric, systems).value(self.statistic)  # type: ignore[arg-type]

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return what a metric that says nothing gets: ½ for every pair, or no correlation."""
        if self.statistic == "spa":
            p = self._p(self.human, items)
            half = np.full(1, 0.5)
            return soft_accuracy(p, half, _pair_weights(systems, len(self.human)))
        constant = COIN if self.statistic == "pairwise-accuracy" else 0.0
        return np.full(len(items), constant)

    def permuted(self, n_permutations: int, rng: np.random.Generator) -> float:
        """Return soft pairwise accuracy with p-values from sign flips."""
        one, other = (
            permutation_p(_differences(scores, *_pairs(len(scores))), n_permutations, child)
            for scores, child in zip((self.human, self.metric), rng.spawn(2), strict=True)
        )
        return float(soft_accuracy(one, other, np.ones(one.size)))

    def _p(self, scores: FloatArray, items: FloatArray) -> FloatArray:
        """Return p-values of all pairs of systems, (rows, pairs), for items that both have."""
        i, j = _pairs(len(scores))
        found = np.empty((len(items), i.size))
        step = max(1, _TILE // scores.shape[1])
        for start in range(0, i.size, step):
            place = slice(start, start + step)
            apart = _differences(scores, i[place], j[place])
            found[:, place] = normal_p(items @ apart, items @ np.square(apart))
        return found


def _pairs(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    i, j = np.triu_indices(n, 1)
    return i, j


def _differences(scores: FloatArray, i: NDArray[np.int64], j: NDArray[np.int64]) -> FloatArray:
    return np.nan_to_num(scores[i] - scores[j]).T


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
