"""Power of a normal estimate that is significant beyond a threshold, fixed or estimated."""

import math

import numpy as np

from detectable.core.types import FloatArray
from detectable.planning.quadrature import graded_nodes
from detectable.planning.scenario import Closed


def beyond(
    effect: float, sd: float, cuts: FloatArray, weights: FloatArray | None = None
) -> Closed:
    r"""Return power and errors of an estimate :math:`X \sim N(Δ, s^2)` significant at |X| > c.

    Threshold and estimate are independent, so that with the threshold's distribution (values
    `cuts`, chances `weights`) everything is a mean over it of

    .. math:: P(X > c) = Φ\Bigl(\frac{Δ - c}{s}\Bigr), \qquad
              E[X; X > c] = Δ\,P(X > c) + s\,φ\Bigl(\frac{Δ - c}{s}\Bigr).
    """
    from scipy.special import ndtr

    size = abs(effect)
    if weights is None:
        weights = np.full(cuts.size, 1.0 / cuts.size)
    above, below = (size - cuts) / sd, (-size - cuts) / sd
    right, wrong = float(weights @ ndtr(above)), float(weights @ ndtr(below))
    density = np.exp(-0.5 * above**2) + np.exp(-0.5 * below**2)
    spread = sd / math.sqrt(2.0 * math.pi) * float(weights @ density)
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
    from scipy.special import ndtr

    some = weights * (lows < highs)
    below, above = (lows - effect) / sd, (highs - effect) / sd
    chance = float(some @ (ndtr(above) - ndtr(below)))
    density = np.exp(-0.5 * below**2) - np.exp(-0.5 * above**2)
    moment = effect * chance + sd / math.sqrt(2.0 * math.pi) * float(some @ density)
    return chance, moment / chance if chance > 0.0 else math.nan


def error_factors(df: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of estimated / true standard error with `df` degrees of freedom."""
    from scipy.special import gammaincinv

    nodes, weights = graded_nodes()
    return np.sqrt(gammaincinv(0.5 * df, nodes) / (0.5 * df)), weights
