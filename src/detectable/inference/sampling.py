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

import math

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import Target
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.control_variate import Adjusted
from detectable.inference.standard_errors import Estimate, cluster_sums, robust_variance

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


# --- The mean of a pool from units drawn with unequal probabilities, with a metric or without ---

_FLAT = 1e-12  # of the weighted spread of a metric: below it there is no slope


def weighted_mean(
    human: FloatArray,
    metric: FloatArray,
    weights: FloatArray,
    *,
    clusters: IntArray | None = None,
    target: Target = "domain",
    quality_share: float | None = None,
) -> Adjusted:
    r"""Estimate the mean of a pool from judged items that stand for several of it each.

    With weights :math:`w` (one over the probability of the draw), judged means
    :math:`\bar d = \sum w d / W`, :math:`\bar f` and :math:`W = \sum w`, and λ the slope of weighted
    least squares of d on the metric f,

    .. math:: \hat\theta = \bar d + \lambda \, \text{gap}, \qquad \text{gap} = \bar f_{pool} - \bar f,

    Hájek's estimator and its regression estimator: without a bias that matters, however much the
    draw favoured bad items. Unit g (a document, or an item) of the share :math:`q_g` of W has

    .. math::

        u_g = \Bigl[\sum_{i \in g} w_i e_i \Bigl(\frac1W +
              \frac{\text{gap}\,(f_i - \bar f)}{\sum w (f - \bar f)^2}\Bigr)\Bigr] \Big/ \sqrt{1 - q_g}
              + \frac\lambda N \sum_{i \in g} (f_i - \bar f_{pool}), \qquad SE^2 = \sum_g u_g^2,

    e the residuals; a unit that was not judged has the last term alone. The sum holds the error of
    the draw and that of the pool as a sample of the domain. For the mean of this test set the last
    term falls away and each square is multiplied by :math:`1 - \kappa \min(1, 1/w_g)`, where the
    unit was judged whole and κ is the share of quality in a judgment's variance: without it nothing
    is taken off. Degrees of freedom are Bell and McCaffrey's for the shares :math:`q_g`. With equal
    weights the estimate is that of `control_variate`, whose error is the CR1 form.

    Parameters
    ----------
    human : array of shape (N,)
        Human scores of the pool's items, NaN where an item was not judged.
    metric : array of shape (N,)
        Metric scores of all items.
    weights : array of shape (N,)
        What each judged item stands for; those of other items are not read. Their scale does not
        matter but for ``target='test-set'``.
    clusters : array of int, optional
        The document of each item. By default items are the units.
    quality_share : float, optional
        κ, which matters for the mean of this test set only.

    References
    ----------
    Hájek (1971), comment in Foundations of Statistical Inference, 236. Särndal, Swensson and Wretman
    (1992), Model Assisted Survey Sampling, chapter 6. Bell and McCaffrey (2002), Survey
    Methodology 28(2), 169–181.

    Examples
    --------
    >>> total = np.array([4.0, -1.0, 6.0, 1.0])
    >>> found = weighted_mean(total, np.zeros(4), np.array([2.0, 4.0, 2.0, 1.0]))
    >>> round(found.plain.value, 4)
    1.8889
    """
    judged = ~np.isnan(human)
    codes = np.arange(human.size)
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
    w, h, f = weights[judged], human[judged], metric[judged]
    total, size = float(w.sum()), metric.size
    share = cluster_sums(w, codes[judged]) / total
    if share.size < 2:
        nothing = Estimate(math.nan, math.nan, math.nan)
        empty = np.zeros(size)
        return Adjusted(nothing, nothing, math.nan, math.nan, h.size, size, empty, empty)
    _, df = robust_variance(share, share)
    rest = np.ones(size)
    rest[judged] = np.sqrt(1.0 - share[np.unique(codes[judged], return_inverse=True)[1]])
    mean, at = float(w @ h) / total, float(w @ f) / total
    apart = f - at
    spread = float(w @ np.square(apart))
    slope, gap, lever = 0.0, 0.0, np.zeros(f.size)
    if spread > _FLAT * total * max(float(np.square(metric).max()), 1e-300):
        slope = float((w * apart) @ (h - mean)) / spread
        gap = float(metric.mean()) - at
        lever = gap * apart / spread
    adjusted, plain = np.zeros(size), np.zeros(size)
    plain[judged] = w * (h - mean) / total / rest[judged]
    residual = h - mean - slope * apart
    adjusted[judged] = w * residual * (1.0 / total + lever) / rest[judged]
    if target == "domain":
        adjusted += slope * (metric - metric.mean()) / size
        kept = np.ones(int(codes.max()) + 1)
    else:
        kept = _left(codes, judged, weights, 0.0 if quality_share is None else quality_share)
    errors = [
        math.sqrt(float(kept @ np.square(np.bincount(codes, one)))) for one in (adjusted, plain)
    ]
    total_squares = float(w @ np.square(h - mean))
    explained = slope * math.sqrt(spread / total_squares) if total_squares > 0.0 else 0.0
    root = np.sqrt(kept)[codes]
    return Adjusted(
        adjusted=Estimate(mean + slope * gap, errors[0], float(df)),
        plain=Estimate(mean, errors[1], float(df)),
        slope=slope,
        correlation=float(np.clip(explained, -1.0, 1.0)),
        n_judged=h.size,
        n_pool=size,
        influence=adjusted * root,
        plain_influence=plain * root,
    )


def _left(
    codes: IntArray, judged: np.ndarray, weights: FloatArray, quality_share: float
) -> FloatArray:
    """Return which share of the square of each unit stays, once quality is known where judged."""
    n = np.bincount(codes)
    whole = np.bincount(codes, judged) == n
    stands = np.bincount(codes, np.where(judged, weights, 0.0)) / n
    drawn = np.where(whole, 1.0 / np.maximum(stands, 1.0), 0.0)
    left: FloatArray = 1.0 - quality_share * drawn
    return left


def difference_of_means(
    first: Adjusted, second: Adjusted, clusters: IntArray
) -> tuple[Estimate, Estimate]:
    """Return first − second with the metric and without, of means over different judged items.

    Units that both share add the difference of their influences.
    """
    made = []
    for a, b, one, other in (
        (first.adjusted, second.adjusted, first.influence, second.influence),
        (first.plain, second.plain, first.plain_influence, second.plain_influence),
    ):
        error = math.sqrt(float(np.square(cluster_sums(one - other, clusters)).sum()))
        made.append(Estimate(a.value - b.value, error, min(a.df, b.df)))
    return made[0], made[1]
