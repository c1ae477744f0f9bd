"""Running sums behind monitoring: wealth of many bets, a band from them, running moments.

Everything goes judgment by judgment, in one order, so that a stream that is cut anywhere ends in
the same bits as one that is not.
"""

import math

import numpy as np
from numba import njit

from detectable.core.types import FloatArray, IntArray

_LARGE = 2.0**300  # a wealth beyond this, or below its inverse, moves to its exponent
_LOG_2 = math.log(2.0)


@njit(cache=True, nogil=True)
def _pay(x: float, bets: FloatArray, wealth: FloatArray) -> bool:
    """Multiply each wealth by 1 + bet · x; say whether one has left the range of floats."""
    for j in range(bets.size):
        wealth[j] *= 1.0 + bets[j] * x
    smallest, largest = wealth[0], wealth[0]
    for j in range(1, bets.size):
        smallest, largest = min(smallest, wealth[j]), max(largest, wealth[j])
    return bool(largest > _LARGE or smallest < 1.0 / _LARGE)


@njit(cache=True, nogil=True)
def _rescale(wealth: FloatArray, exponents: IntArray, scale: FloatArray) -> None:
    """Move powers of two, which is exact, so that every wealth lies between ½ and 1.

    `scale` becomes what each wealth counts beside the one with the largest exponent.
    """
    for j in range(wealth.size):
        wealth[j], moved = math.frexp(wealth[j])
        exponents[j] += moved
    top = exponents.max()
    for j in range(wealth.size):
        # More than 1,000 powers of two below the top it counts nothing, not even in the last bit.
        scale[j] = math.ldexp(1.0, max(exponents[j] - top, -1000))


def relative_scale(exponents: IntArray) -> FloatArray:
    """Return the `scale` of `wealth_path` that belongs to stored exponents."""
    below = np.maximum(exponents - exponents.max(axis=1, keepdims=True), -1000)
    scale: FloatArray = np.ldexp(1.0, below)
    return scale


@njit(cache=True, nogil=True)
def _log_mean(wealth: FloatArray, exponents: IntArray, scale: FloatArray) -> float:
    """Return the log of the mean wealth."""
    total, top = 0.0, exponents[0]
    for j in range(wealth.size):
        total += wealth[j] * scale[j]
        top = max(top, exponents[j])
    return float(np.log(total / wealth.size) + top * _LOG_2)


@njit(cache=True, nogil=True)
def wealth_path(
    x: FloatArray, bets: FloatArray, wealth: FloatArray, exponents: IntArray, scale: FloatArray
) -> FloatArray:
    r"""Return the log e-values after each x: rows two-sided, better, worse; shape (3, n).

    .. math:: E^{\pm}_t = \frac1J \sum_j \prod_{i \le t} (1 \pm \lambda_j x_i), \qquad
              E_t = \tfrac12 (E^+_t + E^-_t).

    The products are `wealth` · 2**`exponents`, both of shape (2, J), like `scale`; all three start
    as ones, zeros and ones, and are brought up to date. So no product is too large or too small,
    and a judgment costs a multiplication per stake, not a logarithm.
    """
    path = np.empty((3, x.size))
    for i in range(x.size):
        for side in range(2):
            if _pay(x[i] if side == 0 else -x[i], bets, wealth[side]):
                _rescale(wealth[side], exponents[side], scale[side])
            path[1 + side, i] = _log_mean(wealth[side], exponents[side], scale[side])
        top = max(path[1, i], path[2, i])
        less = min(path[1, i], path[2, i])
        path[0, i] = top + np.log(0.5 * (1.0 + np.exp(less - top)))
    return path


@njit(cache=True, nogil=True)
def betting_band(
    x: FloatArray, bets: FloatArray, grid: FloatArray, log_threshold: float
) -> FloatArray:
    r"""Return lower and upper bounds of the mean after each x: shape (2, n).

    The candidate m is bet against with :math:`\lambda_j / (1 + |m|)`. Then
    :math:`(x - m) / (1 + |m|)` falls in m, so the wealth :math:`E^+(m)` falls and
    :math:`E^-(m)` rises: candidates leave from the two ends, and only the outermost of those that
    are left need to be compared with the threshold. A bound is the last candidate that left,
    which makes it valid between the grid points too. When the last candidate has left, the band
    stays as it is: two neighbours on the grid.
    """
    shape = (2, grid.size, bets.size)
    wealth, scale, exponents = np.ones(shape), np.ones(shape), np.zeros(shape, np.int64)
    first, last = 0, grid.size - 1
    low, high = -1.0, 1.0
    band = np.empty((2, x.size))
    for i in range(x.size):
        for g in range(first, last + 1):
            scaled = (x[i] - grid[g]) / (1.0 + abs(grid[g]))
            for side in range(2):
                if _pay(scaled if side == 0 else -scaled, bets, wealth[side, g]):
                    _rescale(wealth[side, g], exponents[side, g], scale[side, g])
        while first <= last and (
            _log_mean(wealth[0, first], exponents[0, first], scale[0, first]) >= log_threshold
        ):
            low = grid[first]
            first += 1
        while first <= last and (
            _log_mean(wealth[1, last], exponents[1, last], scale[1, last]) >= log_threshold
        ):
            high = grid[last]
            last -= 1
        band[0, i] = low
        band[1, i] = high
    return band


@njit(cache=True, nogil=True)
def moments_path(x: FloatArray, state: FloatArray) -> FloatArray:
    """Return running means and variances (n − 1) after each x, by Welford: shape (2, n).

    `state` holds count, mean and sum of squares about it, and is brought up to date.
    """
    path = np.empty((2, x.size))
    n, mean, squares = state[0], state[1], state[2]
    for i in range(x.size):
        n += 1.0
        step = x[i] - mean
        mean += step / n
        squares += step * (x[i] - mean)
        path[0, i] = mean
        path[1, i] = squares / (n - 1.0) if n > 1.0 else np.nan
    state[0], state[1], state[2] = n, mean, squares
    return path
