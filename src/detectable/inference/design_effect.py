r"""How much segments of a document resemble each other, and what that costs.

With influence values :math:`\psi_i` of n segments on a score (`metrics.base`), summed to
:math:`\Psi_d` over the K documents, the variance of the score is

.. math:: s^2_{segment} = \sum_i \psi_i^2, \qquad
          s^2_{document} = \frac{K}{K-1} \sum_d \Psi_d^2,

if segments, or only documents, are independent. Their ratio is the design effect: the interval of
a bootstrap over segments is too narrow by its square root, and n segments are worth
n / design effect independent ones. The intraclass correlation is that of a one-way analysis of
variance of the influence values by document,

.. math:: \rho = \frac{MS_b - MS_w}{MS_b + (n_0 - 1) MS_w}, \qquad
          n_0 = \frac{n - \sum_d n_d^2 / n}{K - 1}.

It needs some document with two segments; it is below zero where segments of a document differ
more than segments of different documents. For differences of two systems, ψ is the difference of
their influence values.

References
----------
Kish (1965), Survey Sampling, chapters 5 and 8 (design effect). Donner (1986), "A review of
inference procedures for the intraclass correlation coefficient in the one-way random effects
model", International Statistical Review 54(1), 67–82.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.distributions.normal import normal_below, normal_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEffect:
    """What clustering does to the error of one score.

    Attributes
    ----------
    icc : float
        Intraclass correlation; nan where all documents have one segment, or nothing varies.
    design_effect : float
        Variance over documents divided by variance over segments; nan where nothing varies.
    sd_segment, sd_document : float
        Standard errors of the score if segments, or documents, are independent.
    n_effective : float
        Independent segments that would give the same standard error.
    """

    icc: float
    design_effect: float
    sd_segment: float
    sd_document: float
    n_effective: float


def design_effect(influence: FloatArray, documents: IntArray) -> DesignEffect:
    """Return the design effect of a score from the influence values of its segments.

    Parameters
    ----------
    influence : array of shape (segments,)
        They add up to zero.
    documents : array of int of shape (segments,)
        The document of each segment, 0, 1, …; at least two.

    Examples
    --------
    >>> found = design_effect(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]))
    >>> found.icc, found.design_effect, found.n_effective
    (1.0, 4.0, 1.0)
    """
    sizes: FloatArray = np.bincount(documents).astype(np.float64)
    n, n_documents = influence.size, sizes.size
    sums: FloatArray = np.bincount(documents, weights=influence).astype(np.float64)
    within_segments = float(np.square(influence).sum())
    between = float(np.square(sums).sum()) * n_documents / (n_documents - 1.0)
    ratio = between / within_segments if within_segments > 0.0 else math.nan
    return DesignEffect(
        icc=_intraclass(influence, documents, sizes, sums),
        design_effect=ratio,
        sd_segment=math.sqrt(within_segments),
        sd_document=math.sqrt(between),
        n_effective=n / ratio if ratio > 0.0 else math.nan,
    )


def _intraclass(
    influence: FloatArray, documents: IntArray, sizes: FloatArray, sums: FloatArray
) -> float:
    n, n_documents = influence.size, sizes.size
    if n == n_documents:
        return math.nan
    means = sums / sizes
    between = float((sizes * np.square(means)).sum()) / (n_documents - 1.0)
    within = float(np.square(influence - means[documents]).sum()) / (n - n_documents)
    typical = (n - float(np.square(sizes).sum()) / n) / (n_documents - 1.0)
    below = between + (typical - 1.0) * within
    return (between - within) / below if below > 0.0 else math.nan


def segment_coverage(design_effect: float, level: float) -> float:
    r"""Return how often an interval covers that takes segments for independent.

    It is too narrow by the square root of the design effect, so it covers
    :math:`2 \Phi(z_{level} / \sqrt{\text{design effect}}) - 1`.

    Examples
    --------
    >>> round(segment_coverage(1.0, 0.95), 3), round(segment_coverage(2.0, 0.95), 3)
    (0.95, 0.834)
    """
    if not design_effect > 0.0:
        return math.nan
    critical = normal_quantile(0.5 + level / 2.0)
    return 2.0 * normal_below(critical / math.sqrt(design_effect)) - 1.0
