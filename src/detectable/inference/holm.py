"""Holm's correction, which `inference` and `mixed` both need."""

import numpy as np

from detectable.core.types import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    r"""Return Holm's step-down adjusted p-values.

    :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`. It needs no
    assumption about dependence between the tests [1]_.

    References
    ----------
    .. [1] Holm (1979), "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6(2), 65–70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    adjusted = np.empty_like(p_values)
    adjusted[order] = stepped
    return adjusted
