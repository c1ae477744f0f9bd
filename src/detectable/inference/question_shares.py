r"""Mean answers of many evaluations at once: the counts of the score method.

`PairedShares.of_rates` for arrays: what `inference.paired_shares` says of questions with several
sampled answers, over any number of evaluations of the same questions. For Q questions in clusters of
:math:`m_g`, each with K pairs of answers, where :math:`s = \sum_g m_g^2 / Q`, v is the variance of
the difference of two independent answers and S the sum of squared residuals of the clusters, the
design effect there is

.. math:: \text{deff} = K\,\frac{S + s^2}{Q v + s}, \qquad 1 \le \text{deff} \le K s,

and QK / deff the effective number of pairs. A test holds the two together.
"""

import math
from typing import NamedTuple

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.cluster_mean import robust_variance


class QuestionCounts(NamedTuple):
    """Shares of fixed and broken answers, and how many independent pairs they are worth.

    Arrays have the leading shape of the mean answers; `df` is one number, for it depends on the
    sizes of clusters only: infinite where every question stands alone with one answer each.
    """

    fixed: FloatArray
    broken: FloatArray
    effective: FloatArray
    df: float


def question_counts(
    system: FloatArray,
    baseline: FloatArray,
    *,
    answers: float = 1.0,
    clusters: IntArray | None = None,
) -> QuestionCounts:
    """Return what the score method needs of mean answers of shape (…, questions).

    Parameters
    ----------
    system, baseline : arrays of shape (…, questions)
        Mean answers between 0 and 1.
    answers : float
        K above: pairs of answers of a question that are independent.
    clusters : array of int of shape (questions,), optional
        Codes from 0 on of what groups questions. By default every question stands alone.

    Examples
    --------
    >>> found = question_counts(np.array([1.0, 0.5, 0.0]), np.array([0.5, 0.5, 0.0]), answers=2.0)
    >>> round(float(found.fixed), 4), round(float(found.broken), 4), found.df
    (0.25, 0.0833, 2.0)
    """
    n = system.shape[-1]
    difference = system - baseline
    value = difference.mean(axis=-1)
    fixed = (system * (1.0 - baseline)).mean(axis=-1)
    broken = (baseline * (1.0 - system)).mean(axis=-1)
    residuals, sizes = _gathered(difference - value[..., np.newaxis], clusters)
    if answers == 1.0 and sizes.max() == 1:
        return QuestionCounts(fixed, broken, np.full(value.shape, float(n)), math.inf)
    shares = (sizes / n).reshape((-1,) + (1,) * value.ndim)
    variance, df = robust_variance(np.moveaxis(residuals, -1, 0) / n, shares)
    known = float(df.reshape(-1)[0])
    if math.isnan(known):  # a single cluster: nothing is known about its spread
        return QuestionCounts(fixed, broken, np.ones(value.shape), math.nan)
    typical = float(np.square(sizes).sum()) / n
    independent = n * (fixed + broken - value**2)
    effective = n * (independent + typical) / (variance * n**2 + typical**2)
    most = n * answers
    return QuestionCounts(fixed, broken, np.clip(effective, n / typical, most), known)


def _gathered(values: FloatArray, clusters: IntArray | None) -> tuple[FloatArray, IntArray]:
    """Return the sums of clusters over the last axis, and their sizes."""
    if clusters is None:
        return values, np.ones(values.shape[-1], dtype=np.int64)
    order = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters)
    sizes = sizes[sizes > 0]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.add.reduceat(values[..., order], starts, axis=-1), sizes
