r"""Whether a metric tells where systems differ: what choosing by it would cost, and what it saved.

At the best probabilities a unit's chance goes with the expected size of its residual: that of its total
on the metric, averaged over the pairs of systems. Judged units show whether the sizes that a metric
gives have anything to do with theirs.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.sampling import FLOOR, probabilities

_FLAT = 1e-12  # of the spread of a metric
_SMALL = 1e-9  # share of the budget at which no unit is certain


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceRatio:
    """Variance with unequal probabilities over that of a random draw at the same cost."""

    ratio: float
    standard_error: float  # by the jackknife over units

    @property
    def is_shown(self) -> bool:
        """Whether the choice is shown to pay: below 1 by a standard error."""
        return self.ratio + self.standard_error < 1.0


def size_measure(
    metric: FloatArray, length: FloatArray | None, unit: IntArray, cost: FloatArray
) -> FloatArray:
    r"""Return the size of every unit: the expected SD of its total over the root of its cost.

    .. math:: z_g = \sqrt{\sum_{i \in g} \bigl((r_i + v_i) \sqrt{\ell_i}\bigr)^2 / c_g}

    with the mid-rank :math:`r_i` of the mean metric from 0 (best) to 1 (worst), the spread
    :math:`v_i` over systems of the metric about their means, over its average, and the relative
    length :math:`\ell_i`. With one system there is no spread.

    Parameters
    ----------
    metric : array of shape (systems, items)
        Higher is better.
    length : array of shape (items,), optional
    unit : array of int of shape (items,)
        The document of each item, 0, 1, …
    cost : array of shape (units,)

    Examples
    --------
    >>> size_measure(np.array([[0.9, 0.5, 0.5, 0.2]]), None, np.arange(4), np.ones(4)).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    level = -metric.mean(axis=0)
    _, place, ties = np.unique(level, return_inverse=True, return_counts=True)
    middle = np.cumsum(ties) - (ties + 1.0) / 2.0
    item = middle[place] / max(level.size - 1, 1)
    if len(metric) > 1:
        spread = (metric - metric.mean(axis=1, keepdims=True)).std(axis=0)
        if spread.mean() > 0.0:
            item = item + spread / spread.mean()
    if length is not None:
        item = item * np.sqrt(length / length.mean())
    found: FloatArray = np.sqrt(np.bincount(unit, np.square(item), minlength=cost.size) / cost)
    return found


def is_flat(metric: FloatArray) -> bool:
    """Say whether a metric gives every item the same size: no spread, and all means tied."""
    return bool(np.ptp(metric.mean(axis=0)) == 0.0) and len(set(map(tuple, metric.T))) == 1


def residual_squares(
    human: FloatArray, metric: FloatArray, unit: IntArray, weights: FloatArray
) -> FloatArray:
    """Return the squared residual of every unit's total on the metric, summed over pairs.

    Up to a factor, which ratios do not need: of systems about their mean, by one slope for all
    pairs. With one system the residual is its own.

    Parameters
    ----------
    human, metric : arrays of shape (systems, items)
        Of judged items.
    unit : array of int of shape (items,)
        0, 1, …, each with items.
    weights : array of shape (units,)
    """
    each = weights[unit]
    total = float(each.sum())
    apart = [table - ((table @ each) / total)[:, np.newaxis] for table in (human, metric)]
    if len(human) > 1:
        h, f = (table - table.mean(axis=0) for table in apart)
    else:
        h, f = apart
    spread = float((np.square(f) @ each).sum())
    slope = 0.0
    if spread > _FLAT * total * max(float(np.square(metric).max()), 1e-300):
        slope = float(((f * h) @ each).sum()) / spread
    totals = np.stack([np.bincount(unit, row) for row in h - slope * f])
    found: FloatArray = np.square(totals).sum(axis=0)
    return found


def guard(
    squares: FloatArray,
    weights: FloatArray,
    size: FloatArray,
    cost: FloatArray,
    judged: IntArray,
    *,
    floor: float = FLOOR,
) -> VarianceRatio:
    r"""Return the variance that a choice by `size` would have over that of a random draw.

    .. math:: \sum_g w_g e_g^2 / x_g \Big/ \sum_g w_g e_g^2,

    x the probabilities of judged units relative to a random draw at the same cost, w what the units
    stand for.

    Parameters
    ----------
    squares, weights : arrays of shape (judged,)
        From `residual_squares`.
    size, cost : arrays of shape (units,)
        Of the whole pool.
    judged : array of int
        Which units were judged.
    """
    share = probabilities(size, cost, _SMALL * float(cost.sum()), floor=floor) / _SMALL
    return _ratio(weights * squares / share[judged], weights * squares)


def saved_afterwards(
    squares: FloatArray, weights: FloatArray, budget_share: float
) -> VarianceRatio:
    r"""Return what the draw that took place has as variance over a random one of the same cost.

    .. math:: \sum_g w_g^2 e_g^2 \Big/ \sum_g w_g e_g^2 / f
    """
    return _ratio(np.square(weights) * squares, weights * squares / budget_share)


def _ratio(above: FloatArray, below: FloatArray) -> VarianceRatio:
    """Return a ratio of sums with its jackknife error."""
    n = above.size
    total = float(below.sum())
    if n < 2 or not total > 0.0:
        raise DataError(
            "the judged units leave no residual on the metric, so they cannot tell whether it shows "
            "where systems differ. Judge more, or choose with by='random'."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        left = (above.sum() - above) / (total - below)
    error = math.sqrt((n - 1.0) / n * float(np.square(left - left.mean()).sum()))
    return VarianceRatio(ratio=float(above.sum()) / total, standard_error=error)
