"""Pairs that a metric orders as people do: with ties, with calibrated ties, and softly."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import PairStatistic
from detectable.core.errors import InputError
from detectable.core.rng import BLOCK
from detectable.core.types import FloatArray
from detectable.inference.few_units import ENUMERATED
from detectable.kernels.distributions import normal_below_each, t_below

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


# --- How sure two measures are of which of two systems is better, pair by pair ---

# A statistic within this of the observed one is as large: sums of the same numbers, rounded.
_ROUNDING = 1e-10


def normal_p(sums: FloatArray, squares: FloatArray) -> FloatArray:
    r"""Return one-sided p-values of “the first system is better”, without random numbers.

    :math:`p = \Phi(-\sum d / \sqrt{\sum d^2})`, to which the p-value of random sign flips of the
    differences d tends. It is ½ where all differences are 0.

    Parameters
    ----------
    sums, squares : arrays
        Of the differences, and of their squares.
    """
    spread = np.sqrt(squares)
    known = spread > 0.0
    score = np.where(known, sums, 0.0) / np.where(known, spread, 1.0)
    return normal_below_each(-score)


def permutation_p(
    differences: FloatArray, n_permutations: int, rng: np.random.Generator
) -> FloatArray:
    """Return the same p-values by sign flips that all pairs share, (1 + c)/(1 + R).

    All sign patterns are counted where they are no more than 16,384 and no more than were asked
    for; the p-value then is their share.

    Parameters
    ----------
    differences : array of shape (items, pairs)
        0 where a pair was not observed.
    """
    n = len(differences)
    observed = differences.sum(axis=0)
    room = _ROUNDING * np.abs(differences).sum(axis=0)
    least = observed - room
    patterns = 2**n if n < 64 else n_permutations + 1
    if patterns <= min(ENUMERATED, n_permutations):
        signs = 1.0 - 2.0 * ((np.arange(patterns)[:, None] >> np.arange(n)) & 1)
        share: FloatArray = (signs @ differences >= least).mean(axis=0)
        return share
    above = np.zeros(differences.shape[1])
    for start in range(0, n_permutations, BLOCK):
        rows = min(BLOCK, n_permutations - start)
        words = rng.integers(0, 1 << 64, (rows, -(-n // 64)), np.uint64)
        flips = np.unpackbits(words.view(np.uint8), axis=1, count=n).astype(np.float64)
        above += (observed - 2.0 * (flips @ differences) >= least).sum(axis=0)
    found: FloatArray = (1.0 + above) / (1.0 + n_permutations)
    return found


def soft_accuracy(first: FloatArray, second: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Return :math:`1 - \sum_p w_p |p^1_p - p^2_p| / \sum_p w_p` over the last axis.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, arXiv:2409.09598.

    Examples
    --------
    >>> p, q = np.array([0.01, 0.6]), np.array([0.03, 0.4])
    >>> float(soft_accuracy(p, q, np.ones(2)).round(6))
    0.89
    """
    total = weights.sum(axis=-1)
    known = total > 0.0
    apart = (weights * np.abs(first - second)).sum(axis=-1)
    found: FloatArray = 1.0 - np.where(known, apart, np.nan) / np.where(known, total, 1.0)
    return found


# --- Pairwise accuracy with ties, and the difference up to which a metric should call a tie ---

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


# --- How far two lists of numbers go together: plain, weighted, and two correlations compared ---


def pearson(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Pearson's correlation; NaN where one list is constant.

    Examples
    --------
    >>> float(pearson(np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 9.0])).round(6))
    1.0
    """
    x = first - first.mean(axis=-1, keepdims=True)
    y = second - second.mean(axis=-1, keepdims=True)
    scale = np.sqrt(np.square(x).sum(axis=-1) * np.square(y).sum(axis=-1))
    return _ratio((x * y).sum(axis=-1), scale)


def spearman(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Pearson's correlation of the ranks; equal numbers share the mean of their ranks.

    Examples
    --------
    >>> float(spearman(np.array([1.0, 2.0, 9.0]), np.array([5.0, 4.0, 6.0])).round(6))
    0.5
    """
    # Numbers below less numbers above are twice the rank, counted from the middle.
    return pearson(_signs(first).sum(axis=-1), _signs(second).sum(axis=-1))


def kendall(first: FloatArray, second: FloatArray) -> FloatArray:
    r"""Return Kendall's :math:`\tau_b`, which allows for ties in either list.

    .. math:: \tau_b = \frac{\sum_{i<j} s_{ij} t_{ij}}{\sqrt{\sum_{i<j} s_{ij}^2 \sum_{i<j} t_{ij}^2}}

    with the signs s and t of the differences in the two lists.

    References
    ----------
    Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33(3), 239–251.

    Examples
    --------
    >>> float(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).round(6))
    0.333333
    """
    s, t = _signs(first), _signs(second)
    scale = np.sqrt(np.square(s).sum(axis=(-2, -1)) * np.square(t).sum(axis=(-2, -1)))
    return _ratio((s * t).sum(axis=(-2, -1)), scale)


def _signs(values: FloatArray) -> FloatArray:
    """Return the sign of every number less every other; NaN stays NaN."""
    return np.sign(values[..., :, None] - values[..., None, :])


# --- Correlations of weighted members, for many rows of weights at once ---

# Sums of squares below this share of those of the values are rounding: the values are equal.
_EQUAL = 1e-24


def correlation_of_sums(sums: FloatArray, scale: FloatArray) -> FloatArray:
    """Return Pearson's correlation from weighted sums; NaN where one list is constant.

    Parameters
    ----------
    sums : array of shape (6, …)
        Of w, wx, wy, wxx, wyy and wxy, of values about their means.
    scale : array of shape (2, …)
        The sum of w times the largest square of x and of y before they were centred.
    """
    n, x, y, xx, yy, xy = sums
    safe = np.where(n > 0.0, n, 1.0)
    across, down = xx - x * x / safe, yy - y * y / safe
    known = (across > _EQUAL * scale[0]) & (down > _EQUAL * scale[1])
    product = np.where(known, across, 1.0) * np.where(known, down, 1.0)
    found: FloatArray = np.where(known, xy - x * y / safe, np.nan) / np.sqrt(product)
    return np.clip(found, -1.0, 1.0)


def moments(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what weights are multiplied with, (6, …), and the largest squares, (2,)."""
    known = np.isfinite(first) & np.isfinite(second)
    top = np.array([np.square(v[known]).max(initial=0.0) for v in (first, second)])
    x, y = (np.where(known, v - v[known].mean(), 0.0) for v in (first, second))
    ones = known.astype(np.float64)
    return np.stack([ones, x, y, x * x, y * y, x * y]), top


def weighted_ranks(
    weights: FloatArray, order: NDArray[np.int64], groups: tuple[NDArray[np.int64], ...]
) -> FloatArray:
    """Return the mid-rank of every member: weight below plus half the weight of its equals.

    Parameters
    ----------
    weights : array of shape (rows, members)
    order, groups
        As `rank_order` returns them.
    """
    starts, place = groups
    running = np.cumsum(weights[:, order], axis=1)
    running = np.concatenate([np.zeros((len(weights), 1)), running], axis=1)
    below, to = running[:, starts], running[:, np.append(starts[1:], order.size)]
    ranks = np.empty_like(weights)
    ranks[:, order] = ((below + to) / 2.0)[:, place]
    return ranks


def rank_order(values: FloatArray) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...]]:
    """Return the order of values, where each run of equals begins, and the run of each place."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = np.append(True, ordered[1:] != ordered[:-1])
    return order, (np.flatnonzero(new), np.cumsum(new) - 1)


def weighted_pearson(weights: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the weighted correlation along the last axis; NaN where one list is constant.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    >>> found = weighted_pearson(np.array([1.0, 2.0, 1.0]), x, y)
    >>> bool(np.isclose(found, np.corrcoef([1, 2, 2, 4], [1, 3, 3, 2])[0, 1]))
    True
    """
    total = weights.sum(axis=-1)
    safe = np.where(total > 0.0, total, 1.0)[..., None]
    used = weights > 0.0
    top = np.stack(
        [total * np.where(used, np.square(v), 0.0).max(axis=-1) for v in (first, second)]
    )
    x, y = (v - (weights * v).sum(axis=-1, keepdims=True) / safe for v in (first, second))
    zero = np.zeros_like(total)
    products = [(weights * a * b).sum(axis=-1) for a, b in ((x, x), (y, y), (x, y))]
    return correlation_of_sums(np.stack([total, zero, zero, *products]), top)


# --- Two correlations with one list in common: Williams' test, as papers use it for metrics ---


def williams(first: float, second: float, between: float, n: int) -> float:
    r"""Return the one-sided p-value of “the first list correlates higher with the third”.

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n - 1)(1 + r_{12})}
              {2 K (n-1)/(n-3) + (r_1 + r_2)^2 (1 - r_{12})^3 / 4}}, \quad
              K = 1 - r_1^2 - r_2^2 - r_{12}^2 + 2 r_1 r_2 r_{12}

    with n − 3 degrees of freedom. It takes the n pairs of numbers as independent, which
    (system, segment) scores are not: systems translate the same segments.

    Parameters
    ----------
    first, second, between : float
        Correlations of either list with the third, and of the two lists.

    References
    ----------
    Williams (1959), Regression Analysis; Graham and Baldwin (2014), "Testing for significance of
    increased correlation with human judgment", EMNLP.

    Examples
    --------
    >>> round(williams(0.6, 0.5, 0.7, 103), 4)
    0.0542
    """
    if n < 4:
        raise InputError(f"`n` must be at least 4 for Williams' test; got {n}.")
    determinant = 1.0 - first**2 - second**2 - between**2 + 2.0 * first * second * between
    mean = (first + second) / 2.0
    below = 2.0 * max(0.0, determinant) * (n - 1) / (n - 3) + mean**2 * (1.0 - between) ** 3
    if below <= 0.0:
        return 0.5 if first == second else float(first < second)
    return t_below(-(first - second) * math.sqrt((n - 1) * (1.0 + between) / below), n - 3)
