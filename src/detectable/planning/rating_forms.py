"""Closed forms for ratings: the rank sum, the mean difference, and margins."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.planning.gamma_scores import TOP, VALUES
from detectable.planning.normal import between, beyond, error_factors
from detectable.planning.quadrature import graded_nodes, unit_nodes
from detectable.planning.rating_model import RatingModel
from detectable.planning.scenario import Closed

_FAR = 8.5  # standard deviations at which a normal tail ends


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Moments of one comparison of two ratings, A against B."""

    won: float  # P(A > B) + ½ P(A = B)
    projected: float  # variance of its mean given A, plus given B
    alone: float  # variance of one comparison
    squares: float  # sums of squared and of cubed shares of each value in both samples together
    cubes: float
    difference: float  # mean of A − B
    spread: float  # variance of A plus variance of B
    shared: float  # covariance of A − B with the projections


def rank_sum_form(model: RatingModel, n: int, effect: float, alpha: float) -> Closed:
    r"""Return the power of Mann-Whitney's test by the normal approximation.

    With :math:`h = [A > B] + ½ [A = B]`, mean p, and its projections
    :math:`ψ_A = E(h \mid A)`, :math:`ψ_B = E(h \mid B)`, the share of won comparisons has
    variance :math:`σ_1^2 = ((n-1)(\operatorname{var} ψ_A + \operatorname{var} ψ_B) +
    \operatorname{var} h) / n^2`, and under the null hypothesis the textbook
    :math:`σ_0^2`, ties included:

    .. math:: \text{power} = Φ\Bigl(\frac{p - ½ - 1/2n^2 - z_{α/2} σ_0}{σ_1}\Bigr).

    Noether's formula is the case :math:`σ_1 = σ_0` without ties. The difference of means is
    jointly normal with the share won, which gives Type-M.
    """
    from scipy.special import ndtr

    one = _compare(model, effect)
    cut, sd = _rank_cut(one, n, alpha), _rank_sd(one, n)
    shift = one.won - 0.5
    right, wrong = (float(ndtr((sign * shift - cut) / sd)) for sign in (1.0, -1.0))
    if effect == 0.0 or right + wrong == 0.0:
        return Closed(right, math.nan, math.nan if effect else 0.5, "closed-form")
    size = _mean_size(one, n, shift, sd, cut) / (right + wrong)
    return Closed(right, size / one.difference, wrong / (right + wrong), "closed-form")


def disagreement_form(model: RatingModel, n: int, effect: float, alpha: float) -> float:
    """Return the share of rank tests won by the better system whose means point the other way."""
    from scipy.special import ndtr

    one = _compare(model, effect)
    cut, sd = _rank_cut(one, n, alpha), _rank_sd(one, n)
    x, density = _tail((cut - one.won + 0.5) / sd, _FAR)
    slope, rest = _given_rank(one, n, sd)
    against = float(density @ ndtr(-(one.difference + slope * sd * x) / rest))
    return against / float(density.sum()) if density.any() else math.nan


def mean_form(model: RatingModel, n: int, effect: float, alpha: float) -> Closed:
    r"""Return the power of a t-test of the means, Welch's or the paired one.

    The mean difference is taken as normal and the squared standard error as a multiple of
    chi-square, so that the power is that of the noncentral t distribution.
    """
    from scipy.special import stdtrit

    sd, df = mean_error(model, n, effect)
    factors, weights = error_factors(df)
    cuts = float(stdtrit(df, 1.0 - alpha / 2.0)) * sd * factors
    return beyond(model.realised(effect), sd, cuts, weights)


def margin_form(
    model: RatingModel, n: int, effect: float, alpha: float, margin: float, *, both: bool
) -> tuple[float, float]:
    r"""Return the power to show that the difference is within a margin, and its mean then.

    One-sided t-tests at level α of :math:`Δ > -m` and, if `both`, of :math:`Δ < m` (Schuirmann's
    two one-sided tests), given the standard error and averaged over its distribution.
    """
    from scipy.special import stdtrit

    sd, df = mean_error(model, n, effect)
    factors, weights = error_factors(df)
    reach = float(stdtrit(df, 1.0 - alpha)) * sd * factors
    true = math.copysign(model.realised(effect), effect)
    highs = margin - reach if both else np.full(reach.shape, math.inf)
    return between(true, sd, reach - margin, highs, weights)


def mean_error(model: RatingModel, n: int, effect: float) -> tuple[float, float]:
    """Return the standard deviation of the mean difference, and the test's degrees of freedom."""
    if model.correlation is not None:
        return math.sqrt(model.difference_variance(effect) / n), n - 1.0
    first, second = _variances(model, effect)
    df = (n - 1.0) * (first + second) ** 2 / (first**2 + second**2)
    return math.sqrt((first + second) / n), df


def _variances(model: RatingModel, effect: float) -> tuple[float, float]:
    systems = model.systems(effect)
    if model.continuous:
        return systems[0].variance, systems[1].variance
    chances = [one.probabilities() for one in systems]
    first, second = (float(p @ (VALUES - p @ VALUES) ** 2) for p in chances)
    return first, second


def _compare(model: RatingModel, effect: float) -> _Comparison:
    better, worse = model.systems(effect)
    if model.continuous:
        nodes, weights = graded_nodes()
        a, b = better.lost_at(nodes), worse.lost_at(nodes)
        return _moments(
            (TOP - a, weights, 1.0 - worse.share_below(a)),
            (TOP - b, weights, better.share_below(b)),
            tied=0.0,
            pooled=np.zeros(1),
        )
    p, q = better.probabilities(), worse.probabilities()
    return _moments(
        (VALUES, p, np.cumsum(q) - 0.5 * q),
        (VALUES, q, 1.0 - np.cumsum(p) + 0.5 * p),
        tied=float(p @ q),
        pooled=0.5 * (p + q),
    )


def _moments(
    a: tuple[FloatArray, FloatArray, FloatArray],
    b: tuple[FloatArray, FloatArray, FloatArray],
    *,
    tied: float,
    pooled: FloatArray,
) -> _Comparison:
    """Gather moments from scores, their weights and the chance to win with each."""
    won = float(a[1] @ a[2])
    means = [float(w @ x) for x, w, _ in (a, b)]
    spread = sum(float(w @ (x - m) ** 2) for (x, w, _), m in zip((a, b), means, strict=True))
    projected = sum(float(w @ (psi - won) ** 2) for _, w, psi in (a, b))
    shared = float((a[1] * (a[0] - means[0])) @ a[2] - (b[1] * (b[0] - means[1])) @ b[2])
    return _Comparison(
        won=won,
        projected=projected,
        alone=won - 0.25 * tied - won**2,  # E h² = P(>) + ¼ P(=)
        squares=float(np.sum(pooled**2)),
        cubes=float(np.sum(pooled**3)),
        difference=means[0] - means[1],
        spread=spread,
        shared=shared,
    )


def _rank_cut(one: _Comparison, n: int, alpha: float) -> float:
    """Return how far from ½ the share of won comparisons must be."""
    from scipy.special import ndtri

    total = 2.0 * n
    ties = (total - 2.0) * one.cubes + 3.0 * one.squares
    null_sd = math.sqrt((total + 1.0 - ties) / (12.0 * n * n))
    return -float(ndtri(alpha / 2.0)) * null_sd + 0.5 / (n * n)


def _rank_sd(one: _Comparison, n: int) -> float:
    """Return the spread of the share of won comparisons; not 0 where every one is won."""
    return math.sqrt(max((n - 1.0) * one.projected + one.alone, 1e-20)) / n


def _given_rank(one: _Comparison, n: int, sd: float) -> tuple[float, float]:
    """Return slope and rest of the difference of means given the share of won comparisons."""
    slope = one.shared / n / sd**2
    return slope, math.sqrt(max(one.spread / n - (slope * sd) ** 2, 1e-300))


def _tail(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes of a standard normal variable between two limits, with their weights."""
    low, high = max(low, -_FAR), min(high, _FAR)
    nodes, weights = unit_nodes(64)
    x = low + (high - low) * nodes
    density = max(high - low, 0.0) * weights * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    return x, density


def _mean_size(one: _Comparison, n: int, shift: float, sd: float, cut: float) -> float:
    """Return the mean of |difference of means| times [significant]."""
    from scipy.special import ndtr

    slope, rest = _given_rank(one, n, sd)
    mean = 0.0
    for low, high in (((cut - shift) / sd, _FAR), (-_FAR, (-cut - shift) / sd)):
        x, density = _tail(low, high)
        centre = (one.difference + slope * sd * x) / rest
        folded = centre * (2.0 * ndtr(centre) - 1.0)
        folded += np.exp(-0.5 * centre**2) * math.sqrt(2.0 / math.pi)
        mean += float(density @ folded) * rest
    return mean
