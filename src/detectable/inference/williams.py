"""Two correlations with one list in common: Williams' test, as papers use it for metrics."""

import math

from detectable.core.errors import InputError
from detectable.kernels.distributions.student import t_below


def williams(first: float, second: float, between: float, n: int) -> float:
    r"""Return the one-sided p-value of «the first list correlates higher with the third».

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n - 1)(1 + r_{12})}
              {2 K (n-1)/(n-3) + (r_1 + r_2)^2 (1 - r_{12})^3 / 4}}, \quad
              K = 1 - r_1^2 - r_2^2 - r_{12}^2 + 2 r_1 r_2 r_{12}

    with n − 3 degrees of freedom. It takes the n pairs of numbers as independent, which
    (system, segment) scores are not: systems translate the same segments.

    Parameters
    ----------
    first, second, between : float
        Correlations of either list with the third, and of the two lists.

    References
    ----------
    Williams (1959), Regression Analysis; Graham and Baldwin (2014), "Testing for significance of
    increased correlation with human judgment", EMNLP.

    Examples
    --------
    >>> round(williams(0.6, 0.5, 0.7, 103), 4)
    0.0542
    """
    if n < 4:
        raise InputError(f"`n` must be at least 4 for Williams' test; got {n}.")
    determinant = 1.0 - first**2 - second**2 - between**2 + 2.0 * first * second * between
    mean = (first + second) / 2.0
    below = 2.0 * max(0.0, determinant) * (n - 1) / (n - 3) + mean**2 * (1.0 - between) ** 3
    if below <= 0.0:
        return 0.5 if first == second else float(first < second)
    return t_below(-(first - second) * math.sqrt((n - 1) * (1.0 + between) / below), n - 3)
