r"""Units drawn with unequal probabilities: who is drawn how often, and what each then stands for.

A unit (a document, or an item) has a size z, the expected standard deviation of its total over the
root of its cost c. The variance of a weighted mean at a given cost is smallest where probabilities go
with z; a share of the budget, the floor :math:`\tau`, is spread evenly all the same:

.. math:: \pi_g = \min\Bigl(1, k \Bigl(\frac{\tau}{\sum c} + (1 - \tau) \frac{z_g}{\sum z c}\Bigr)\Bigr),
          \qquad \sum_g \pi_g c_g = \text{budget}.

So π is at least τ times that of a random draw, and the variance of any mean at most 1/τ times as
large, whatever z is worth.

References
----------
Madow (1949), "On the theory of systematic sampling, II", Annals of Mathematical Statistics 20(3),
333–354. Goodman and Kish (1950), "Controlled selection", JASA 45, 350–372 (random order).
Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 3.6 and 6. Raj (1956),
"Some estimators in sampling with varying probabilities without replacement", JASA 51, 269–284.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray

FLOOR = 0.5  # of the budget, spread evenly
_ROUNDING = 1e-9


def probabilities(
    size: FloatArray, cost: FloatArray, budget: float, *, floor: float = FLOOR
) -> FloatArray:
    """Return the probability of every unit; their expected cost is the budget.

    Units above 1 are taken for certain, and what is left of the budget is shared among the others,
    until none is above 1. Where no unit has a size, all are alike.

    Examples
    --------
    >>> probabilities(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), 2.0).round(2).tolist()
    [0.35, 0.45, 0.55, 0.65]
    """
    total = float(cost.sum())
    if budget >= total:
        return np.ones(cost.size)
    each = np.full(cost.size, 1.0 / total)
    if (size > 0.0).any():
        each = floor * each + (1.0 - floor) * size / float((size * cost).sum())
    certain = np.zeros(cost.size, dtype=bool)
    while True:
        rest = budget - float(cost[certain].sum())
        factor = rest / float((each * cost)[~certain].sum())
        found = np.where(certain, 1.0, factor * each)
        above = found > 1.0
        if not above.any():
            return found
        certain |= above


def systematic(probability: FloatArray, order: IntArray, start: float) -> IntArray:
    """Return the units whose part of the cumulated probabilities holds the start plus a whole number.

    Every unit is drawn with exactly its probability, if `start` is uniform in [0, 1).

    Examples
    --------
    >>> systematic(np.array([0.35, 0.45, 0.55, 0.65]), np.array([0, 1, 2, 3]), 0.1).tolist()
    [0, 2]
    """
    upper = np.cumsum(probability[order])
    whole = np.rint(upper[-1])
    if abs(upper[-1] - whole) < _ROUNDING:
        upper[-1] = whole
    lower = np.concatenate([[0.0], upper[:-1]])
    # An end that misses a point by rounding alone has reached it.
    before, after = (np.ceil(end - start - 1e-12) for end in (lower, upper))
    found: IntArray = np.sort(order[after > before])
    return found


def draw(probability: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the units of one draw: in random order, systematically from a random start."""
    order = rng.permutation(probability.size)
    return systematic(probability, order, rng.random())


def two_batch_weights(
    drawn_first: NDArray[np.bool_], second: FloatArray, planned: float
) -> FloatArray:
    r"""Return the weight of every unit of a pool of G that is drawn in two batches.

    The first :math:`n_1` are drawn at random, the others with probabilities :math:`\pi_2` out of the
    rest. Either batch estimates the total of the pool alone (the first by :math:`G/n_1`, the second
    by what is known of the first plus :math:`1/\pi_2`), and their mean with the share α for the first,

    .. math:: \alpha = 1 - \frac{G (n - n_1)}{n (G - n_1)}, \qquad
              w = \alpha G / n_1 + 1 - \alpha \text{ (first)}, \quad (1 - \alpha)/\pi_2 \text{ (second)},

    is unbiased, with n units planned in all. A random second batch gives every unit :math:`G/n`: the
    whole is then exactly a random sample of n. A weight of the second batch can lie below 1.

    Parameters
    ----------
    drawn_first : array of bool of shape (G,)
        Which units are in the first batch.
    second : array of shape (G − n₁,)
        Probabilities of the others, in their order.
    planned : float
        n, units of both batches together.

    Examples
    --------
    >>> first = np.arange(100) < 10
    >>> weights = two_batch_weights(first, np.full(90, 20 / 90), 30.0)
    >>> weights.min().round(12), weights.max().round(12)
    (np.float64(3.333333333333), np.float64(3.333333333333))
    """
    units, first = drawn_first.size, int(drawn_first.sum())
    if not 0 < first < planned <= units:
        raise InputError(
            f"`planned` must lie above the {first:,} units of the first batch and be at most {units:,}, "
            f"the units of the pool; got {planned:g}."
        )
    alpha = 1.0 - units * (planned - first) / (planned * (units - first))
    weights = np.empty(units)
    weights[drawn_first] = alpha * units / first + 1.0 - alpha
    weights[~drawn_first] = (1.0 - alpha) / second
    return weights
