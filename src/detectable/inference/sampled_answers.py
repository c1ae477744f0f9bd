r"""Several sampled answers to every question: what their mean knows, and where its noise comes from.

Question i has :math:`k_i` samples with mean :math:`\bar y_i` and variance :math:`s_i^2`. Questions
weigh the same, whatever :math:`k_i`, so the score is the mean of the :math:`\bar y_i`, and their
spread holds the noise of sampling already [1]_:

.. math::

    s^2 = \frac{\operatorname{var}(\bar y_i)}{n}, \qquad
    s_\text{clusters}^2 = \frac{C}{C - 1}\,\frac{1}{n^2} \sum_c
        \Bigl(\sum_{i \in c} (\bar y_i - \bar y)\Bigr)^2, \qquad
    s_\text{these questions}^2 = \frac{1}{n^2} \sum_i \frac{s_i^2}{k_i}.

The first is about other questions like these, the second about other passages with their
questions, the third about other answers to these very questions. Miller's formula [1]_ lacks the
factor C/(C − 1); Inspect has it. Intervals and tests use the CR2 form of
`inference.standard_errors`, which differs in the third digit.

Variance of sampling and of questions (one-way analysis of variance; with equal :math:`k_i` the
REML estimate of a random effect of the question):

.. math::

    \sigma_w^2 = \frac{\sum (k_i - 1) s_i^2}{\sum (k_i - 1)}, \qquad
    \sigma_q^2 = \operatorname{var}(\bar y_i) - \sigma_w^2 \operatorname{mean}(1 / k_i).

With equal numbers of answers the spread of *differences* between two systems splits the same way:
:math:`\operatorname{var}(d_i) = \omega^2 + \sigma_A^2 / K_A + \sigma_B^2 / K_B`. More samples
lower only the last two.

References
----------
.. [1] Miller (2024), "Adding error bars to evals", arXiv:2411.00640, sections 2 to 5.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.standard_errors import cluster_sums

_ROUNDING = 1e-12  # of the spread of the answers: a variance that should be 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledAnswers:
    """The mean of sampled answers, its standard errors, and the two variances behind them.

    Attributes
    ----------
    value : float
        The mean over questions of the mean of their samples.
    n_questions, n_samples : int
        Questions with a sample, and samples in all.
    standard_error : float
        Of other questions like these.
    standard_error_clusters : float
        Of other clusters of questions, with C/(C − 1); NaN where there are none, or one.
    standard_error_these : float
        Of other answers to these very questions; NaN where no question has two samples.
    value_rows, standard_error_rows : float
        Wrong, and often printed: every sample as a question of its own.
    variance_samples, variance_questions : float
        σ²_w and σ²_q; NaN where no question has two samples. σ²_q is never below 0.
    inverse_k : float
        Mean of 1/k over questions.
    cut : bool
        Whether σ²_q came out below 0 and was cut.
    """

    value: float
    n_questions: int
    n_samples: int
    n_clusters: int
    standard_error: float
    standard_error_clusters: float
    standard_error_these: float
    value_rows: float
    standard_error_rows: float
    variance_samples: float
    variance_questions: float
    inverse_k: float
    cut: bool


def sampled_answers(table: FloatArray, clusters: IntArray | None = None) -> SampledAnswers:
    """Return score, standard errors and variances of the samples of one system.

    Parameters
    ----------
    table : array of shape (samples, questions)
        NaN where a sample is missing; every question has at least one.
    clusters : array of int of shape (questions,), optional
        Which questions belong together.

    Examples
    --------
    >>> found = sampled_answers(np.array([[1.0, 0.0, 1.0], [1.0, 1.0, float("nan")]]))
    >>> round(found.value, 4), found.variance_samples, found.cut
    (0.8333, 0.25, True)
    """
    known = ~np.isnan(table)
    k = known.sum(axis=0)
    filled = np.where(known, table, 0.0)
    means = filled.sum(axis=0) / k
    squares = np.where(known, table - means, 0.0) ** 2
    within, twice = float(squares.sum()), int((k - 1).sum())
    n, total = k.size, int(k.sum())
    inverse_k = float(np.mean(1.0 / k))
    variance_samples = within / twice if twice else math.nan
    spread = float(means.var(ddof=1)) if n > 1 else math.nan
    between = spread - variance_samples * inverse_k
    rows = table[known]
    residuals = means - means.mean()
    sums = cluster_sums(residuals, clusters)
    several = clusters is not None and sums.size > 1
    return SampledAnswers(
        value=float(means.mean()),
        n_questions=n,
        n_samples=total,
        n_clusters=sums.size,
        standard_error=math.sqrt(spread / n),
        standard_error_clusters=math.sqrt(
            sums.size / (sums.size - 1.0) * float(np.square(sums).sum())
        )
        / n
        if several
        else math.nan,
        standard_error_these=_these(squares, k, variance_samples),
        value_rows=float(rows.mean()),
        standard_error_rows=math.sqrt(float(rows.var(ddof=1)) / total),
        variance_samples=variance_samples,
        variance_questions=max(between, 0.0) if twice else math.nan,
        inverse_k=inverse_k,
        cut=bool(between < -_ROUNDING * max(spread, variance_samples)) if twice else False,
    )


def _these(squares: FloatArray, k: IntArray, variance_samples: float) -> float:
    """Return √(Σ s²/k)/n; a question with one sample is given the variance of the others."""
    if math.isnan(variance_samples):
        return math.nan
    own = squares.sum(axis=0) / np.maximum(k - 1, 1)
    return math.sqrt(float((np.where(k > 1, own, variance_samples) / k).sum())) / k.size


def true_difference_variance(
    differences: FloatArray, system: SampledAnswers, baseline: SampledAnswers
) -> float:
    """Return ω², the variance of question differences without the noise of sampling.

    NaN where it is not known; not cut at 0, so that a planner can say that it was.

    Parameters
    ----------
    differences : array of shape (questions,)
        Of the means of every question.
    system, baseline : SampledAnswers
        What the noise of each is.
    """
    noise = sum(one.variance_samples * one.inverse_k for one in (system, baseline))
    return float(differences.var(ddof=1)) - noise
