r"""Several strata (tasks, languages) with an estimate each, and their weighted mean.

.. math::

    \theta = \sum_t w_t \theta_t, \qquad s^2 = \sum_t w_t^2 s_t^2, \qquad
    \text{df} = \frac{(\sum_t v_t)^2}{\sum_t v_t^2 / \text{df}_t}, \quad v_t = w_t^2 s_t^2,

with the degrees of freedom of Welch [1]_ and Satterthwaite [2]_. The strata are fixed: the spread
between them is no error, because the claim is about these tasks. Of tasks that stand for others
like them, the spread is the error, :math:`s = \operatorname{sd}(\theta_t) / \sqrt T` with T − 1
degrees of freedom, whatever was measured within.

References
----------
.. [1] Welch (1947), "The generalization of Student's problem when several different population
   variances are involved", Biometrika 34, 28–35.
.. [2] Satterthwaite (1946), "An approximate distribution of estimates of variance components",
   Biometrics Bulletin 2, 110–114.
"""

import math
from collections.abc import Sequence

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.delta import Estimate


def fixed_strata(
    estimates: Sequence[Estimate], weights: FloatArray, *, shared: float = 0.0
) -> Estimate:
    """Return the weighted mean of strata that are all there is.

    Parameters
    ----------
    estimates : sequence of Estimate
        Of every stratum.
    weights : array
        They add up to 1.
    shared : float
        What clusters that several strata share (one document in two languages) add to the
        variance: twice the sum of products of what a cluster adds to each of two strata.

    Examples
    --------
    >>> found = fixed_strata([Estimate(0.5, 0.02, 999), Estimate(0.7, 0.06, 49)], np.full(2, 0.5))
    >>> round(found.value, 3), round(found.standard_error, 6), round(found.df, 1)
    (0.6, 0.031623, 60.5)
    """
    value = float(sum(w * one.value for w, one in zip(weights, estimates, strict=True)))
    parts = np.array(
        [w**2 * one.standard_error**2 for w, one in zip(weights, estimates, strict=True)]
    )
    df = np.array([one.df for one in estimates])
    total = float(parts.sum())
    if not total > 0.0 or np.isnan(total):
        return Estimate(value, math.sqrt(total) if total == 0.0 else math.nan, float(df.min()))
    used = parts > 0.0
    freedom = total**2 / float((parts[used] ** 2 / df[used]).sum())
    # A shared cluster that helps one stratum and harms another may take nearly all away: chance.
    variance = max(total + shared, float(parts.max()))
    return Estimate(value, math.sqrt(variance), freedom)


def random_strata(values: FloatArray) -> Estimate:
    """Return the mean of strata that are a sample of others like them.

    Examples
    --------
    >>> round(random_strata(np.array([0.1, 0.2, 0.3, 0.2, 0.2])).standard_error, 6)
    0.031623
    """
    n = values.size
    error = float(values.std(ddof=1)) / math.sqrt(n)
    return Estimate(float(values.mean()), error, n - 1.0)
