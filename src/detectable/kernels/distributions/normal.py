"""The standard normal distribution."""

import math

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import Floats, OutFloats, Size, native

_ROOT_2 = math.sqrt(2.0)
_ROOT_2PI = math.sqrt(2.0 * math.pi)
_FAR = 37.0
_CENTRE = 0.25  # quantiles of probabilities this near to 1/2 are solved from the middle
_STEPS = 3  # each triples the digits, of which the start has two or more


def normal_below(x: float) -> float:
    """Return the chance that a standard normal variable is at most `x`.

    Within 1e-13 of scipy's ndtr, relative, down to 1e-300.

    Examples
    --------
    >>> round(normal_below(-1.959964), 6)
    0.025
    """
    return 0.5 * math.erfc(-x / _ROOT_2)


def normal_below_each(x: FloatArray | IntArray) -> FloatArray:
    """Return `normal_below` of every entry, in the same shape."""
    values = np.ascontiguousarray(x, dtype=np.float64)
    below = np.empty_like(values)
    each = native("normal_below_each", Floats, OutFloats, Size)
    if each is not None:
        each(values, below, values.size)
    else:
        below[...] = np.reshape(
            [normal_below(x) for x in values.ravel().tolist()], values.shape
        )
    return below.reshape(np.shape(x))


def normal_quantile(p: float) -> float:
    r"""Return the `p` quantile of the standard normal distribution.

    A rational start [1]_, then Halley's steps on the distribution function: with the error e in
    units of the density, :math:`x \leftarrow x - e / (1 + x e / 2)`. About the middle the steps
    are taken on :math:`p - 1/2`, which keeps the digits of small quantiles. Within 1e-15 of
    scipy's ndtri, relative.

    References
    ----------
    .. [1] Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.2.23.

    Examples
    --------
    >>> round(normal_quantile(0.975), 6), normal_quantile(0.5), normal_quantile(1.0)
    (1.959964, 0.0, inf)
    """
    if not 0.0 < p < 1.0:
        return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)
    if abs(p - 0.5) < _CENTRE:
        return _central_quantile(p - 0.5)
    # The tail that is small: its digits are the ones that count.
    return _tail_quantile(p) if p < 0.5 else -_tail_quantile(1.0 - p)


def _central_quantile(excess: float) -> float:
    """Return x with P(0 < Z < x) = `excess`, which may be negative."""
    x = excess * _ROOT_2PI
    for _ in range(_STEPS):
        error = (0.5 * math.erf(x / _ROOT_2) - excess) * _ROOT_2PI * math.exp(0.5 * x * x)
        x -= error / (1.0 + 0.5 * x * error)
    return x


def _tail_quantile(p: float) -> float:
    t = math.sqrt(-2.0 * math.log(p))
    below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    x = (2.515517 + t * (0.802853 + t * 0.010328)) / below - t
    for _ in range(_STEPS):
        error = _excess(x, p)
        x -= error / (1.0 + 0.5 * x * error)
    return x


def _excess(x: float, p: float) -> float:
    """Return P(Z < x) − p in units of the density at x."""
    below = normal_below(x)
    if x > -_FAR:
        return (below - p) * _ROOT_2PI * math.exp(0.5 * x * x)
    # exp(x²/2) cannot be held there; the tail is 1 / (|x| + 1 / |x|) densities up to 1e-6.
    return (1.0 - p / below if below else -1.0) / (1.0 / abs(x) - x)
