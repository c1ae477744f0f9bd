"""Running sums behind monitoring: wealth of many bets, a band from them, running moments.

Everything goes judgment by judgment, in one order, so that a stream that is cut anywhere ends in
the same bits as one that is not. Without the compiled library the same operations are done in the
same order on whole arrays of judgments or candidates, and the bits are the same again.
"""

import math

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Floats,
    OutFloats,
    OutInts,
    Real,
    Size,
    check_shape,
    native,
)

_LARGE = 2.0**300  # a wealth beyond this, or below its inverse, moves to its exponent
_LOG_2 = math.log(2.0)
_FARTHEST = (
    1 << 60
)  # exponents beyond it come from no stream; sums of them would not fit 64 bits
_STRETCH = (
    256  # judgments taken at once without the library; few products leave the range before
)


_State = tuple[FloatArray, IntArray, FloatArray]  # wealth, exponents and scale
_BAND = (
    Floats,
    Size,
    Floats,
    Size,
    Floats,
    Size,
    Real,
    OutFloats,
    OutInts,
    OutFloats,
    OutFloats,
)


def relative_scale(exponents: IntArray) -> FloatArray:
    """Return the `scale` of `wealth_path` that belongs to stored exponents.

    More than 1,000 powers of two below the top a wealth counts nothing, not even in the last bit.
    """
    whole = exponents.astype(
        np.uint64
    )  # their distances fit, also of exponents from a bad file
    top = exponents.max(axis=-1, keepdims=True).astype(np.uint64)
    below = np.minimum(top - whole, np.uint64(1000)).astype(np.int64)
    scale: FloatArray = np.ldexp(1.0, -below)
    return scale


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
    _check_state(bets, wealth, exponents, scale)
    x = np.ascontiguousarray(x)
    path = np.empty((3, x.size))
    compiled = native(
        "wealth_path", Floats, Size, Floats, Size, OutFloats, OutInts, OutFloats, OutFloats
    )
    if compiled is not None:
        compiled(x, x.size, bets, bets.size, wealth, exponents, scale, path)
        return path
    for side, sign in enumerate((1.0, -1.0)):
        path[1 + side] = _one_side(sign * x, bets, wealth[side], exponents[side], scale[side])
    top, less = np.maximum(path[1], path[2]), np.minimum(path[1], path[2])
    path[0] = top + _logs(0.5 * (1.0 + _exponentials(less - top)))
    return path


def _check_state(
    bets: FloatArray, wealth: FloatArray, exponents: IntArray, scale: FloatArray
) -> None:
    if not bets.size:
        raise InputError("`bets` must hold at least one stake; got none.")
    for array, name in ((wealth, "wealth"), (exponents, "exponents"), (scale, "scale")):
        check_shape(array, (2, bets.size), name)


def _one_side(
    x: FloatArray, bets: FloatArray, wealth: FloatArray, exponents: IntArray, scale: FloatArray
) -> FloatArray:
    """Return the log of the mean wealth after each x, stretch by stretch.

    A stretch ends where a wealth has left the range: then powers of two are moved.
    """
    path = np.empty(x.size)
    at = 0
    while at < x.size:
        factors = 1.0 + np.multiply.outer(x[at : at + _STRETCH], bets)
        factors[0] *= wealth
        with np.errstate(over="ignore"):  # only behind the end of the stretch
            reached = np.multiply.accumulate(factors)
        left = np.flatnonzero(_has_left(reached))
        inside = int(left[0]) if left.size else len(reached)
        path[at : at + inside] = _log_means(reached[:inside], exponents, scale)
        at += inside
        wealth[:] = reached[min(inside, len(reached) - 1)]
        if left.size:
            wealth[:], exponents[:], scale[:] = _rescaled(wealth, exponents)
            path[at] = _log_means(wealth[None], exponents, scale)[0]
            at += 1
    return path


def _has_left(wealth: FloatArray) -> NDArray[np.bool_]:
    """Say which rows hold a wealth that has left the range of floats."""
    outside = (wealth > _LARGE) | (wealth < 1.0 / _LARGE)
    return np.asarray(outside.any(axis=-1))


def _rescaled(
    wealth: FloatArray, exponents: IntArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Move powers of two, which is exact, so that every wealth lies between ½ and 1.

    The third array is what each wealth counts beside the one with the largest exponent.
    """
    small, moved = np.frexp(wealth)
    exponents = exponents + moved
    return small, exponents, relative_scale(exponents)


def _log_means(wealth: FloatArray, exponents: IntArray, scale: FloatArray) -> FloatArray:
    """Return the log of the mean wealth of each row, added stake after stake as C does."""
    total = np.add.accumulate(wealth * scale, axis=-1)[:, -1]
    return _logs(total / wealth.shape[-1]) + float(exponents.max()) * _LOG_2


def _logs(values: FloatArray) -> FloatArray:
    """Return logarithms by the C library: those of numpy differ in the last bit on some machines."""
    return np.array([math.log(value) for value in values.tolist()])


def _exponentials(values: FloatArray) -> FloatArray:
    return np.array([math.exp(value) for value in values.tolist()])


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
    if not bets.size:
        raise InputError("`bets` must hold at least one stake; got none.")
    shape = (2, grid.size, bets.size)
    state = np.ones(shape), np.zeros(shape, np.int64), np.ones(shape)
    x, band = np.ascontiguousarray(x), np.empty((2, x.size))
    compiled = native("betting_band", *_BAND)
    if compiled is not None:
        sizes = (x, x.size, bets, bets.size, grid, grid.size)
        compiled(*sizes, log_threshold, *state, band)
        return band
    first, last = 0, grid.size - 1
    low, high = -1.0, 1.0
    for i in range(x.size):
        _bet_on_all(x[i], bets, grid, slice(first, last + 1), state)
        while first <= last and _log_wealth(state, 0, first) >= log_threshold:
            low = grid[first]
            first += 1
        while first <= last and _log_wealth(state, 1, last) >= log_threshold:
            high = grid[last]
            last -= 1
        band[:, i] = low, high
    return band


def _bet_on_all(
    x: float, bets: FloatArray, grid: FloatArray, left: slice, state: _State
) -> None:
    """Bring the wealth against all candidates that are left up to date."""
    wealth, exponents, scale = state[0][:, left], state[1][:, left], state[2][:, left]
    scaled = (x - grid[left]) / (1.0 + np.abs(grid[left]))
    wealth[0] *= 1.0 + np.multiply.outer(scaled, bets)
    wealth[1] *= 1.0 + np.multiply.outer(-scaled, bets)
    at = np.nonzero(_has_left(wealth))
    wealth[at], exponents[at], scale[at] = _rescaled(wealth[at], exponents[at])


def _log_wealth(state: _State, side: int, candidate: int) -> float:
    wealth, exponents, scale = state
    at = side, candidate
    return float(_log_means(wealth[at][None], exponents[at], scale[at])[0])


def moments_path(x: FloatArray, state: FloatArray) -> FloatArray:
    """Return running means and variances (n − 1) after each x, by Welford: shape (2, n).

    `state` holds count, mean and sum of squares about it, and is brought up to date.
    """
    check_shape(state, (3,), "state")
    x = np.ascontiguousarray(x)
    path = np.empty((2, x.size))
    compiled = native("moments_path", Floats, Size, OutFloats, OutFloats)
    if compiled is not None:
        compiled(x, x.size, state, path)
        return path
    n, mean, squares = state.tolist()
    for i, value in enumerate(x.tolist()):
        n += 1.0
        step = value - mean
        mean += step / n
        squares += step * (value - mean)
        path[0, i] = mean
        path[1, i] = squares / (n - 1.0) if n > 1.0 else math.nan
    state[:] = n, mean, squares
    return path
