"""The difference of two estimates from independent data."""

import math

from detectable.inference.delta import Estimate


def independent_difference(first: Estimate, second: Estimate) -> Estimate:
    r"""Return first − second, of estimates that share no unit.

    Squared errors add up, and the degrees of freedom are Satterthwaite's,

    .. math:: \text{df} = \frac{(s_1^2 + s_2^2)^2}{s_1^4 / \text{df}_1 + s_2^4 / \text{df}_2},

    as in Welch's test, with the degrees of freedom of Bell and McCaffrey for clusters of unequal
    size in place of n − 1. Where neither varies, the smaller of the two counts.

    References
    ----------
    Welch (1947), "The generalization of Student's problem when several different population
    variances are involved", Biometrika 34, 28–35.

    Examples
    --------
    >>> independent_difference(Estimate(5.0, 3.0, 9.0), Estimate(1.0, 4.0, 9.0)).standard_error
    5.0
    """
    one, two = first.standard_error**2, second.standard_error**2
    noise = one**2 / first.df + two**2 / second.df
    df = (one + two) ** 2 / noise if noise > 0.0 else min(first.df, second.df)
    return Estimate(first.value - second.value, math.sqrt(one + two), df)
