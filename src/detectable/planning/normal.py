"""Power, Type-M and Type-S of an estimate that is normal, beyond a threshold fixed or estimated."""

import math
from functools import lru_cache

import numpy as np

from detectable.core.types import FloatArray
from detectable.kernels.distributions.normal import normal_below, normal_below_each
from detectable.planning.quadrature import graded_nodes
from detectable.planning.scenario import Closed


def normal_power(distance: float, standard_error: float, critical: float) -> Closed:
    r"""Return the answer for :math:`\hat\Delta \sim N(\Delta, s^2)`, significant beyond ±c.

    With :math:`a = (\Delta - c)/s` and :math:`b = (-\Delta - c)/s`,

    .. math:: \text{power} = \Phi(a), \quad \text{Type-S} = \frac{\Phi(b)}{\Phi(a) + \Phi(b)},
       \quad \text{Type-M} = \frac{\Delta (\Phi(a) - \Phi(b)) + s (\varphi(a) + \varphi(b))}
       {\Delta (\Phi(a) + \Phi(b))}.

    Parameters
    ----------
    distance : float
        The true effect Δ as a distance from the null effect, above 0.
    standard_error : float
        The spread s of the estimate.
    critical : float
        The distance c from the null effect at which the estimate becomes significant.

    References
    ----------
    Lu, Qiu and Deng (2019), "A note on Type S/M errors in hypothesis testing", British Journal
    of Mathematical and Statistical Psychology 72(1), 1–17.
    """
    if standard_error == 0.0:
        sure = distance >= critical
        return Closed(float(sure), 1.0 if sure else math.nan, 0.0, "closed-form")
    right = (distance - critical) / standard_error
    wrong = (-distance - critical) / standard_error
    p_right, p_wrong = normal_below(right), normal_below(wrong)
    any_sign = p_right + p_wrong
    if any_sign == 0.0:
        return Closed(0.0, math.nan, math.nan, "closed-form")
    size = distance * (p_right - p_wrong) + standard_error * (density(right) + density(wrong))
    return Closed(p_right, size / (distance * any_sign), p_wrong / any_sign, "closed-form")


def beyond(
    effect: float, sd: float, cuts: FloatArray, weights: FloatArray | None = None
) -> Closed:
    r"""Return power and errors of an estimate :math:`X \sim N(Δ, s^2)` significant at |X| > c.

    Threshold and estimate are independent, so that with the threshold's distribution (values
    `cuts`, chances `weights`) everything is a mean over it of

    .. math:: P(X > c) = Φ\Bigl(\frac{Δ - c}{s}\Bigr), \qquad
              E[X; X > c] = Δ\,P(X > c) + s\,φ\Bigl(\frac{Δ - c}{s}\Bigr).
    """
    size = abs(effect)
    if weights is None:
        weights = np.full(cuts.size, 1.0 / cuts.size)
    above, below = (size - cuts) / sd, (-size - cuts) / sd
    right, wrong = (
        float(weights @ normal_below_each(above)),
        float(weights @ normal_below_each(below)),
    )
    heights = np.exp(-0.5 * above**2) + np.exp(-0.5 * below**2)
    spread = sd / math.sqrt(2.0 * math.pi) * float(weights @ heights)
    significant = right + wrong
    if size == 0.0 or significant == 0.0:
        return Closed(right, math.nan, math.nan if size else 0.5, "closed-form")
    excess = (size * (right - wrong) + spread) / size
    return Closed(right, excess / significant, wrong / significant, "closed-form")


def between(
    effect: float, sd: float, lows: FloatArray, highs: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return the chance that a normal estimate lies between two thresholds, and its mean there.

    Where the low threshold is above the high one, nothing lies between them.
    """
    some = weights * (lows < highs)
    below, above = (lows - effect) / sd, (highs - effect) / sd
    chance = float(some @ (normal_below_each(above) - normal_below_each(below)))
    heights = np.exp(-0.5 * below**2) - np.exp(-0.5 * above**2)
    moment = effect * chance + sd / math.sqrt(2.0 * math.pi) * float(some @ heights)
    return chance, moment / chance if chance > 0.0 else math.nan


@lru_cache(maxsize=256)  # a search over effects of paired ratings asks for one df
def error_factors(df: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of estimated / true standard error with `df` degrees of freedom."""
    from scipy.special import gammaincinv

    nodes, weights = graded_nodes()
    factors = np.sqrt(gammaincinv(0.5 * df, nodes) / (0.5 * df))
    factors.setflags(write=False)
    return factors, weights


def density(x: float) -> float:
    """Return the standard normal density."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
