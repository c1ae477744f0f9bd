"""Power, Type-M and Type-S of an estimate that is normal, in closed form."""

import math

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
    p_right, p_wrong = phi(right), phi(wrong)
    any_sign = p_right + p_wrong
    if any_sign == 0.0:
        return Closed(0.0, math.nan, math.nan, "closed-form")
    size = distance * (p_right - p_wrong) + standard_error * (density(right) + density(wrong))
    return Closed(p_right, size / (distance * any_sign), p_wrong / any_sign, "closed-form")


def phi(x: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def density(x: float) -> float:
    """Return the standard normal density."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def quantile(p: float) -> float:
    """Return the standard normal quantile."""
    from scipy.special import ndtri  # scipy.stats would triple the start-up time

    return float(ndtri(p))
