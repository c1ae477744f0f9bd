r"""The interval of an estimate by leaving out units of one kind, or of several kinds, one at a time.

With the estimates :math:`g_{(-i)}` without unit i of m, on a scale on which they are about normal,

.. math:: V = \sum_{kinds} \frac{m-1}{m} \sum_i (g_{(-i)} - \bar g)^2, \qquad
          g \pm t_\nu \sqrt V, \qquad \nu = \frac{V^2}{\sum_{kinds} V_k^2 / (m_k - 1)}.

Two kinds that are crossed (documents and raters) add up; what they share is counted twice, on the safe
side [1]_ [2]_.

References
----------
.. [1] Efron and Stein (1981), "The jackknife estimate of variance", Annals of Statistics 9(3), 586–596.
.. [2] Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 386–411.
.. [3] Satterthwaite (1946), "An approximate distribution of estimates of variance components",
   Biometrics Bulletin 2(6), 110–114.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.kernels.distributions import t_quantile

FEWEST = 4  # units; from three nothing is known of the spread
_NOTHING = 1e-6  # of noise, where an estimate says that there is none or less


def jackknife_interval(
    value: float,
    left_out: Sequence[FloatArray],
    level: float,
    *,
    to: Callable[[FloatArray], FloatArray] = np.asarray,
    back: Callable[[float], float] = float,
) -> Interval | None:
    """Return the interval of an estimate; None where it cannot be had.

    Parameters
    ----------
    value : float
        The estimate of all units.
    left_out : sequence of array
        The estimates without one unit, for each kind of units.
    to, back : callable
        To the scale on which estimates are about normal, and back.

    Examples
    --------
    >>> x = np.array([3.0, 5.0, 4.0, 8.0])
    >>> found = jackknife_interval(x.mean(), [(x.sum() - x) / 3], 0.95)
    >>> round(found.low, 3), round(found.high, 3)  # that of the t test
    (1.563, 8.437)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = float(to(np.array([value]))[0])
        scaled = [to(np.asarray(one, dtype=np.float64)) for one in left_out]
    if not scaled or not all(np.isfinite(one).all() for one in (*scaled, np.array(whole))):
        return None
    parts = [
        (one.size - 1.0) / one.size * float(((one - one.mean()) ** 2).sum()) for one in scaled
    ]
    variance = sum(parts)
    if not variance > 0.0:
        return Interval(value, value, level)
    df = variance**2 / sum(
        part**2 / (one.size - 1.0) for part, one in zip(parts, scaled, strict=True)
    )
    half = t_quantile(0.5 + 0.5 * level, df) * math.sqrt(variance)
    return Interval(back(whole - half), back(whole + half), level)


def share_scale(share: FloatArray) -> FloatArray:
    """Return −ln(1 − share): what is left to 1 on the scale of logarithms; it may be negative."""
    return np.asarray(-np.log(np.maximum(1.0 - share, _NOTHING)))


def share_back(g: float) -> float:
    """Return the share whose `share_scale` is g."""
    return 1.0 - math.exp(-g)


def share_interval(
    value: float, left_out: Sequence[FloatArray], level: float
) -> Interval | None:
    """Return the interval of a share of which 1 is the most, as of agreement beyond chance."""
    return jackknife_interval(value, left_out, level, to=share_scale, back=share_back)


def variance_interval(
    value: float, left_out: Sequence[FloatArray], level: float
) -> Interval | None:
    """Return the interval of a variance, on the scale of logarithms."""
    return jackknife_interval(value, left_out, level, to=np.log, back=math.exp)
