"""Two systems rated by all raters on all items: the mixed model from five mean squares.

With the half difference d = (y₊ − y₋)/2 and the half sum s = (y₊ + y₋)/2 of every rater and item,
the mean squares of raters and of items, in d and in s, and one shared error mean square are
sufficient for the variances of y ~ system + (1 + system || rater) + (1 + system || item), system
coded −1, +1. The last axis of `squares` holds raters of d, items of d, raters of s, items of s.
"""

import numpy as np

from detectable.core.types import FloatArray

_SWEEPS = 400
_PRECISION = 1e-9  # relative change of all variances at which the ML sweeps end


def mean_squares(ratings: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean half difference, the four mean squares and the error mean square.

    `ratings` has shape (…, raters, items, 2), the systems −1 and +1 on the last axis.
    """
    raters, items = ratings.shape[-3:-1]
    squares, errors, means = [], [], []
    for sign in (-1.0, 1.0):
        half = 0.5 * (ratings[..., 1] + sign * ratings[..., 0])
        mean = half.mean(axis=(-2, -1), keepdims=True)
        by_rater = half.mean(axis=-1, keepdims=True) - mean
        by_item = half.mean(axis=-2, keepdims=True) - mean
        rest = half - mean - by_rater - by_item
        squares.append(items * np.square(by_rater).sum(axis=(-2, -1)) / (raters - 1))
        squares.append(raters * np.square(by_item).sum(axis=(-2, -1)) / (items - 1))
        errors.append(np.square(rest).sum(axis=(-2, -1)))
        means.append(mean[..., 0, 0])
    error = (errors[0] + errors[1]) / (2.0 * (raters - 1) * (items - 1))
    return means[0], np.stack(squares, axis=-1), error


def degrees(raters: int, items: int) -> tuple[FloatArray, float]:
    """Return the degrees of freedom of the four mean squares and of the error."""
    own = np.array([raters - 1.0, items - 1.0, raters - 1.0, items - 1.0])
    return own, 2.0 * (raters - 1.0) * (items - 1.0)


def pool(
    squares: FloatArray, df: FloatArray, error: FloatArray, error_df: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the REML estimates of the expected mean squares, none of them below the error's.

    Variances cannot be negative, so a mean square below the error is pooled into it, the
    smallest first (pool-adjacent-violators for a tree order); this is REML exactly, singular
    fits included. Returns the mean squares, the error, and the degrees of freedom of the error.
    """
    order = np.argsort(squares, axis=-1)
    pooled = np.take_along_axis(squares, order, axis=-1)
    weights = np.broadcast_to(df, squares.shape)
    weights = np.take_along_axis(weights, order, axis=-1)
    error = np.array(error, dtype=np.float64)
    total = np.full(error.shape, error_df)
    below = np.ones(error.shape, dtype=bool)
    for k in range(squares.shape[-1]):
        below &= pooled[..., k] < error
        sums = error * total + pooled[..., k] * weights[..., k]
        joint = total + weights[..., k]
        error = np.where(below, sums / joint, error)
        total = np.where(below, joint, total)
    estimates = np.empty_like(squares)
    np.put_along_axis(estimates, order, np.maximum(pooled, error[..., None]), axis=-1)
    return estimates, error, total


def reml_error(
    squares: FloatArray, error: FloatArray, raters: int, items: int
) -> tuple[FloatArray, FloatArray]:
    r"""Return the REML variance of the mean half difference and Satterthwaite's df.

    .. math:: v = \frac{W + T - e}{IJ}, \qquad
              \nu = \frac{(W + T - e)^2}{W^2/(I-1) + T^2/(J-1) + e^2/\nu_e}.

    If W is pooled with e, v = T/IJ with J − 1 degrees of freedom; if both are, v = e/IJ with
    those of the pooled error.
    """
    df, error_df = degrees(raters, items)
    estimates, error, total = pool(squares, df, error, error_df)
    w, t = estimates[..., 0], estimates[..., 1]
    loose_w, loose_t = w > error, t > error
    combined = w + t - error
    spread = np.where(loose_w, w**2 / df[0], 0.0) + np.where(loose_t, t**2 / df[1], 0.0)
    spread += np.where(loose_w == loose_t, error**2 / total, 0.0)
    return combined / (raters * items), combined**2 / spread


def ml_error(squares: FloatArray, error: FloatArray, raters: int, items: int) -> FloatArray:
    r"""Return the maximum-likelihood variance of the mean half difference.

    ML adds :math:`\log(W_d + T_d - e) + \log(W_s + T_s - e)` to the REML criterion, the price
    of estimating two means. It is minimised one variance at a time: a quadratic equation for
    each mean square, Newton steps for the error; rows leave the sweeps as they converge.
    """
    df, error_df = degrees(raters, items)
    flat = squares.reshape(-1, 4)
    own = np.asarray(error, dtype=np.float64).reshape(-1)
    found, base, _ = pool(flat, df, own, error_df)
    active = np.arange(len(flat))
    for _ in range(_SWEEPS):
        before, old = found[active], base[active]
        after, new = _sweep(before, old, flat[active], own[active], df, error_df)
        found[active], base[active] = after, new
        change = np.abs(after / before - 1.0).max(axis=-1)
        moving = np.maximum(change, np.abs(new / old - 1.0)) > _PRECISION
        active = active[moving]
        if active.size == 0:
            break
    variance: FloatArray = (found[:, 0] + found[:, 1] - base) / (raters * items)
    return variance.reshape(squares.shape[:-1])


def _sweep(
    found: FloatArray,
    base: FloatArray,
    squares: FloatArray,
    error: FloatArray,
    df: FloatArray,
    error_df: float,
) -> tuple[FloatArray, FloatArray]:
    """Improve the four mean squares in turn, then the error with the excesses held."""
    found = found.copy()
    for k in range(4):
        other = found[:, k ^ 1] - base
        b = df[k] * (other - squares[:, k])
        c = df[k] * squares[:, k] * other
        root = (-b + np.sqrt(b * b + 4.0 * (df[k] + 1.0) * c)) / (2.0 * (df[k] + 1.0))
        found[:, k] = np.maximum(root, base)
    excess = found - base[:, None]
    pairs = excess[:, 0::2] + excess[:, 1::2]
    for _ in range(3):
        inverse = 1.0 / (excess + base[:, None])
        sums = 1.0 / (pairs + base[:, None])
        slope = ((inverse - squares * inverse**2) * df).sum(axis=-1) + sums.sum(axis=-1)
        slope += error_df * (1.0 / base - error / base**2)
        bend = (inverse**2 * df).sum(axis=-1) + (sums**2).sum(axis=-1) + error_df / base**2
        base = base - np.clip(slope / bend, -0.5 * base, 0.5 * base)
    return excess + base[:, None], base
