r"""A power law through a falling curve, :math:`f(x) = a x^{-b}`, and where it becomes flat.

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
