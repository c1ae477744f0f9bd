r"""A cubic through a falling curve, :math:`f(x) = d x^3 + c x^2 + b x + a`, and its minimum.

Estrella et al. (2007) offer it beside the power law. The minimum is where the slope is zero and
the curvature positive. Of both roots of :math:`3 d x^2 + 2 c x + b` that is

.. math:: x_{max} = \frac{-c + \sqrt{c^2 - 3 b d}}{3 d},

whatever the sign of d, since :math:`f'' = 2 \sqrt{c^2 - 3 b d}` there. The paper prints
:math:`-c / (2d)` for the first term and takes the smaller positive root, which is a maximum where
d > 0. There is no minimum where :math:`c^2 < 3 b d`. The tangent at a point meets zero at

.. math:: x_{min} = x_1 - f(x_1) / f'(x_1).

A cubic is here for comparison only. Through an exact :math:`x^{-1/2}` on 1 … 15 it has no minimum,
and where real data give one, it tells of the range of the fit rather than of the data.

References
----------
Estrella, Hamon and Popescu-Belis (2007), "How much data is needed for reliable MT evaluation?",
MT Summit XI.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import ArrayLike
from detectable.inference.power_law import explained

_FEWEST = 5  # points: four lie on a cubic whatever they are


@dataclass(frozen=True, slots=True, kw_only=True)
class CubicCurve:
    """A fitted cubic; `r2` is the share of the variance that it explains."""

    d: float
    c: float
    b: float
    a: float
    r2: float

    def at(self, x: float) -> float:
        """Return the height of the curve."""
        return ((self.d * x + self.c) * x + self.b) * x + self.a

    def slope(self, x: float) -> float:
        """Return the slope of the curve."""
        return (3.0 * self.d * x + 2.0 * self.c) * x + self.b

    @property
    def x_min(self) -> float | None:
        """Where the tangent at 1 meets zero; None where the curve does not fall there."""
        return self.tangent_end(1.0)

    def tangent_end(self, x: float) -> float | None:
        """Return where the tangent at a point meets zero; None where it does not fall."""
        slope = self.slope(x)
        return x - self.at(x) / slope if slope < 0.0 else None

    @property
    def x_max(self) -> float | None:
        """The local minimum; None where there is none at a positive x."""
        return local_minimum(self.d, self.c, self.b)


def local_minimum(d: float, c: float, b: float) -> float | None:
    """Return where :math:`d x^3 + c x^2 + b x` has its minimum; None without one above zero.

    Examples
    --------
    >>> round(local_minimum(-1e-4, 0.004, -0.05), 6), round(local_minimum(2e-4, -1e-3, -0.01), 4)
    (10.0, 6.0763)
    >>> local_minimum(-1.0, 0.0, -1.0) is None
    True
    """
    inside = c * c - 3.0 * d * b
    if inside <= 0.0:  # no point without slope, or one of inflection
        return None
    if c >= 0.0:
        # The same root without a difference of equals, or a division by a d of zero.
        root = -b / (c + math.sqrt(inside))
    elif d != 0.0:
        root = (-c + math.sqrt(inside)) / (3.0 * d)
    else:  # a parabola that opens downwards
        return None
    return root if root > 0.0 else None


def fit_cubic(x: ArrayLike, y: ArrayLike) -> CubicCurve | None:
    """Fit a cubic by least squares; None with fewer than five known points.

    Examples
    --------
    >>> found = fit_cubic([1, 2, 3, 4, 5, 6], [1, 8, 27, 64, 125, 216])
    >>> round(found.d, 9), round(found.r2, 9)
    (1.0, 1.0)
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (x, y))
    known = np.isfinite(y)
    x, y = x[known], y[known]
    if x.size < _FEWEST:
        return None
    # Fitted on −1 … 1, where the powers of x are far from each other, and moved back.
    fitted = np.polynomial.Polynomial.fit(x, y, 3)
    a, b, c, d = _padded(fitted.convert().coef.tolist())
    return CubicCurve(d=d, c=c, b=b, a=a, r2=explained(y, fitted(x)))


def _padded(coefficients: list[float]) -> tuple[float, float, float, float]:
    """Return four coefficients: leading zeros are dropped by the conversion."""
    a, b, c, d = (*coefficients, 0.0, 0.0, 0.0)[:4]
    return a, b, c, d
