r"""Curves through falling errors: a power law, :math:`f(x) = a x^{-b}`, and a cubic.

Estrella et al. (2007) fit it to the relative spread of a score on 1, 2, … documents. Two numbers
are read off the fit. `steepest_end` is where the tangent at x = 1 meets zero,

.. math:: x_{min} = x_1 - f(x_1) / f'(x_1) = x_1 (1 + b) / b,

and `flat_from` is where the slope has shrunk to ε,

.. math:: |f'(x)| = \varepsilon \iff x_{max} = (a b / \varepsilon)^{1 / (b + 1)}.

The paper prints :math:`f' = +\varepsilon`, a negative base; a falling curve needs −ε. The first
number has no a in it: it restates the exponent, and says nothing about how reliable a score is.

References
----------
Estrella, Hamon and Popescu-Belis (2007), "How much data is needed for reliable MT evaluation?
Using bootstrapping to study human and automatic metrics", MT Summit XI.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.choices import PowerFit
from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray

_FEWEST = 3  # points: two lie on a power law whatever they are


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """A fitted power law.

    Attributes
    ----------
    a, b : float
        Height at x = 1, and the exponent.
    r2_log, r2_lin : float
        Share of the variance of log y, and of y, that the law explains; nan where y is constant.
    """

    a: float
    b: float
    r2_log: float
    r2_lin: float

    def at(self, x: FloatArray) -> FloatArray:
        """Return the height of the curve."""
        height: FloatArray = self.a * x**-self.b
        return height

    @property
    def x_min(self) -> float | None:
        """Where the tangent at 1 meets zero; None where the curve does not fall."""
        return steepest_end(self.b)

    def x_max(self, epsilon: float) -> float | None:
        """Where the curve falls by `epsilon` per step; None where it does not fall."""
        return flat_from(self.a, self.b, epsilon)


def fit_power_law(x: ArrayLike, y: ArrayLike, *, fit: PowerFit = "log") -> PowerLaw | None:
    """Fit a power law to points with positive coordinates; None with fewer than three.

    Parameters
    ----------
    x, y : array_like
        Points; those whose y is not a number above zero do not count.
    fit : {'log', 'nls'}
        A straight line through the logarithms, as a spreadsheet's trend line is; or nonlinear
        least squares, which gives the high points more weight.

    Examples
    --------
    >>> law = fit_power_law([1, 2, 4], [0.08, 0.04, 0.02])
    >>> round(law.a, 6), round(law.b, 6), round(law.r2_log, 6)
    (0.08, 1.0, 1.0)
    """
    check.literal(fit, PowerFit, "fit")
    x, y = (np.asarray(values, dtype=np.float64) for values in (x, y))
    if x.shape != y.shape or x.ndim != 1:
        raise InputError(
            f"`x` and `y` must be vectors of one length; got {x.shape} and {y.shape}."
        )
    usable = np.isfinite(y) & (y > 0.0)
    x, y = x[usable], y[usable]
    if x.size < _FEWEST:
        return None
    logs, heights = np.log(x), np.log(y)
    slope, height = np.polyfit(logs, heights, 1)
    a, b = math.exp(height), -float(slope)
    if fit == "nls":
        a, b = _least_squares(x, y, a, b)
    return PowerLaw(
        a=a,
        b=b,
        r2_log=explained(heights, math.log(a) - b * logs),
        r2_lin=explained(y, a * x**-b),
    )


def exponents(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the exponent b of many curves over the last axis, by lines through the logarithms.

    No two points may have the same `x`.

    Points whose y is not a number above zero do not count; nan with fewer than three.

    Examples
    --------
    >>> falling = exponents(np.array([1.0, 2.0, 4.0]), np.array([[8.0, 4.0, 2.0], [1.0, 2.0, 0.0]]))
    >>> falling.round(9).tolist()
    [1.0, nan]
    """
    usable = np.isfinite(y) & (y > 0.0)
    n = usable.sum(axis=-1, keepdims=True)
    logs = np.where(usable, np.log(x), 0.0)
    heights = np.log(np.where(usable, y, 1.0))
    middle = logs.sum(axis=-1, keepdims=True) / np.maximum(n, 1)
    apart = np.where(usable, logs - middle, 0.0)
    below = np.square(apart).sum(axis=-1)
    enough = n[..., 0] >= _FEWEST
    slope: FloatArray = (apart * heights).sum(axis=-1) / np.where(enough, below, np.nan)
    return -slope


def _least_squares(x: FloatArray, y: FloatArray, a: float, b: float) -> tuple[float, float]:
    """Return a and b with the smallest squares of y, starting from the fit of the logarithms."""
    from scipy.optimize import least_squares

    # log a keeps the height positive, and both unknowns of a size.
    found = least_squares(
        lambda unknown: (np.exp(unknown[0]) * x ** -unknown[1] - y) / y.mean(),
        (math.log(a), b),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    ).x
    return math.exp(float(found[0])), float(found[1])


def explained(y: FloatArray, fitted: FloatArray) -> float:
    """Return the share of the variance that a fit explains; nan where y does not vary."""
    spread = float(np.square(y - y.mean()).sum())
    if spread == 0.0:
        return math.nan
    return 1.0 - float(np.square(y - fitted).sum()) / spread


def steepest_end(b: float, at: float = 1.0) -> float | None:
    """Return where the tangent of a power law at a point meets zero.

    Examples
    --------
    >>> steepest_end(0.5), steepest_end(0.5, at=2.0), steepest_end(-0.1)
    (3.0, 6.0, None)
    """
    return at * (1.0 + b) / b if b > 0.0 else None


def flat_from(a: float, b: float, epsilon: float) -> float | None:
    """Return where a power law falls by `epsilon` per step.

    `a` and `epsilon` are in the same units: fractions both, or percent both.

    Examples
    --------
    >>> round(flat_from(0.09, 0.5, 1e-4), 3), round(flat_from(9.0, 0.5, 1e-2), 3)
    (58.723, 58.723)
    """
    epsilon = check.positive(epsilon, "epsilon")
    return float((a * b / epsilon) ** (1.0 / (b + 1.0))) if a > 0.0 and b > 0.0 else None


# --- A cubic through a falling curve, :math:`f(x) = d x^3 + c x^2 + b x + a`, and its minimum ---
#
# Estrella et al. (2007) offer it beside the power law. The minimum is where the slope is zero and
# the curvature positive. Of both roots of :math:`3 d x^2 + 2 c x + b` that is
#
# .. math:: x_{max} = \frac{-c + \sqrt{c^2 - 3 b d}}{3 d},
#
# whatever the sign of d, since :math:`f'' = 2 \sqrt{c^2 - 3 b d}` there. The paper prints
# :math:`-c / (2d)` for the first term and takes the smaller positive root, which is a maximum where
# d > 0. There is no minimum where :math:`c^2 < 3 b d`. The tangent at a point meets zero at
#
# .. math:: x_{min} = x_1 - f(x_1) / f'(x_1).
#
# A cubic is here for comparison only. Through an exact :math:`x^{-1/2}` on 1 … 15 it has no minimum,
# and where real data give one, it tells of the range of the fit rather than of the data.
#
# References
# ----------
# Estrella, Hamon and Popescu-Belis (2007), "How much data is needed for reliable MT evaluation?",
# MT Summit XI.

_FEWEST_FOR_CUBIC = 5  # points: four lie on a cubic whatever they are


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
    if x.size < _FEWEST_FOR_CUBIC:
        return None
    # Fitted on −1 … 1, where the powers of x are far from each other, and moved back.
    fitted = np.polynomial.Polynomial.fit(x, y, 3)
    a, b, c, d = _padded(fitted.convert().coef.tolist())
    return CubicCurve(d=d, c=c, b=b, a=a, r2=explained(y, fitted(x)))


def _padded(coefficients: list[float]) -> tuple[float, float, float, float]:
    """Return four coefficients: leading zeros are dropped by the conversion."""
    a, b, c, d = (*coefficients, 0.0, 0.0, 0.0)[:4]
    return a, b, c, d
