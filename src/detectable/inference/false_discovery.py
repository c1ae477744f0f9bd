"""The false discovery rate over several tests, after Benjamini and Hochberg."""

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    r"""Return Benjamini-Hochberg adjusted p-values, in the order given.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\bigl(1, \tfrac{m}{j}\, p_{(j)}\bigr)

    Calling everything with :math:`\tilde p \le \alpha` a discovery keeps the expected share of
    false ones among them below :math:`\alpha`, if the tests are independent or positively
    dependent [1]_.

    References
    ----------
    .. [1] Benjamini and Hochberg (1995), "Controlling the false discovery rate", Journal of the
       Royal Statistical Society B 57(1), 289–300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    p = check.vector(p_values, "p_values")
    outside = (p < 0.0) | (p > 1.0)
    if outside.any():
        raise InputError(f"`p_values` must lie between 0 and 1; got {p[outside][0]}.")
    m = p.size
    descending = np.argsort(-p, kind="stable")
    scaled = p[descending] * m / np.arange(m, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[descending] = np.minimum(1.0, np.minimum.accumulate(scaled))
    return adjusted
