"""Inner loops of mixed models with crossed factors: one factor is eliminated level by level.

A level of the eliminated factor is a *block*. A block has `k` random effects (an intercept, and
the slopes) and touches few columns of the rest of the model: those of the raters who rated the
item, the fixed effects and the response. ``values[a, p]`` is the inner product of effect `a` of
a block with column ``columns[p]``; the entries of block `j` are ``starts[j]`` to
``starts[j + 1]``, in ascending order of column. ``gram[j]`` holds the inner products among the
effects of block `j`, and ``terms[a]`` is 0 for an intercept and 1 for a slope.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.inner import inner


@njit(cache=True, nogil=True)
def eliminate_blocks(
    rest: FloatArray,
    gram: FloatArray,
    values: FloatArray,
    columns: NDArray[np.int32],
    starts: IntArray,
    scale: FloatArray,
) -> float:
    """Subtract from the lower triangle of `rest` what the blocks explain; return log det.

    With ``scale`` the standard deviations of the effects of a block, relative to the residual,
    this is ``rest -= sum_j B_j' S (I + S A_j S)^-1 S B_j`` and the sum of ``log det(I + S A_j
    S)``. Only touched entries change, so the work is that of the ratings and not of the table.
    """
    k = scale.size
    factor = np.empty((k, k))
    rows = np.empty((k, _widest(starts)))
    log_det = 0.0
    for j in range(gram.shape[0]):
        log_det += _factorise(gram[j], scale, factor)
        begin, width = starts[j], starts[j + 1] - starts[j]
        for a in range(k):
            for p in range(width):
                total = scale[a] * values[a, begin + p]
                for b in range(a):
                    total -= factor[a, b] * rows[b, p]
                rows[a, p] = total / factor[a, a]
        for p in range(width):
            row = columns[begin + p]
            for q in range(p + 1):
                total = 0.0
                for a in range(k):
                    total += rows[a, p] * rows[a, q]
                rest[row, columns[begin + q]] -= total
    return log_det


@njit(cache=True, nogil=True)
def sweep_blocks(
    gram: FloatArray,
    values: FloatArray,
    columns: NDArray[np.int32],
    starts: IntArray,
    scale: FloatArray,
    terms: IntArray,
    inverse: FloatArray,
    solution: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the parts of the derivatives that belong to the blocks.

    Parameters
    ----------
    gram, values, columns, starts, scale, terms : arrays
        The blocks, see above.
    inverse : array of shape (m, m)
        Symmetric; the inverse over the first `m` columns, scaled back.
    solution : array of shape (d,)
        Coefficients whose product with the columns gives the response minus its prediction.

    Returns
    -------
    scores : array of shape (blocks, k)
        ``Z' P y``.
    traces : array of shape (2,)
        ``trace(Z' P Z)`` of the intercepts and of the slopes.
    pulls : array of shape (2, d)
        ``F' Z' P y`` for the two, with ``F`` as in `_condition`.
    loads : array of shape (2, 2)
        ``y' P Z K Z' P y`` between the two, with ``K`` as in `_condition`.
    """
    k = scale.size
    scores = np.zeros((gram.shape[0], k))
    traces, loads = np.zeros(2), np.zeros((2, 2))
    pulls = np.zeros((2, solution.size))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    rows = np.empty((k, _widest(starts)))
    for j in range(gram.shape[0]):
        begin, width = starts[j], starts[j + 1] - starts[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        for a in range(k):
            total = 0.0
            for p in range(width):
                total += rows[a, p] * solution[touched[p]]
            scores[j, a] = total
            for p in range(width):
                pulls[terms[a], touched[p]] += total * rows[a, p]
            traces[terms[a]] += own[a, a] - _quadratic(inverse, rows[a], rows[a], touched)
        for a in range(k):
            for b in range(k):
                loads[terms[a], terms[b]] += scores[j, a] * own[a, b] * scores[j, b]
    return scores, traces, pulls, loads


@njit(cache=True, nogil=True)
def curve_blocks(
    gram: FloatArray,
    values: FloatArray,
    columns: NDArray[np.int32],
    starts: IntArray,
    scale: FloatArray,
    terms: IntArray,
    inverse: FloatArray,
    size: int,
) -> tuple[FloatArray, FloatArray]:
    """Return what the second derivatives need from the blocks.

    Returns
    -------
    products : array of shape (1 or 2, size, size)
        ``F' F`` of intercepts, and of slopes where there are any, over all `size` columns.
    norms : array of shape (2, 2)
        ``sum_j |K_j|^2 - 2 <K_j, F_j Q F_j'>``, the part of ``|Z' P Z|^2`` that is local to the
        blocks.
    """
    k = scale.size
    products, norms = np.zeros((terms[k - 1] + 1, size, size)), np.zeros((2, 2))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    rows = np.empty((k, _widest(starts)))
    for j in range(gram.shape[0]):
        begin, width = starts[j], starts[j + 1] - starts[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        for a in range(k):
            product = products[terms[a]]
            for p in range(width):
                for q in range(width):
                    product[touched[p], touched[q]] += rows[a, p] * rows[a, q]
            for b in range(k):
                shared = _quadratic(inverse, rows[a], rows[b], touched)
                norms[terms[a], terms[b]] += own[a, b] * (own[a, b] - 2.0 * shared)
    return products, norms


@njit(cache=True, nogil=True)
def predict_blocks(
    gram: FloatArray,
    values: FloatArray,
    columns: NDArray[np.int32],
    starts: IntArray,
    scale: FloatArray,
    inverse: FloatArray,
) -> FloatArray:
    """Return the relative prediction error covariance of the effects of every block.

    These are the diagonal blocks of ``S² - S² Z' P Z S²``, of shape (blocks, k, k).
    """
    k = scale.size
    covariance = np.zeros((gram.shape[0], k, k))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    rows = np.empty((k, _widest(starts)))
    for j in range(gram.shape[0]):
        begin, width = starts[j], starts[j + 1] - starts[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        for a in range(k):
            for b in range(k):
                known = own[a, b] - _quadratic(inverse, rows[a], rows[b], touched)
                covariance[j, a, b] = -((scale[a] * scale[b]) ** 2) * known
            covariance[j, a, a] += scale[a] ** 2
    return covariance


@inner
def _widest(starts: IntArray) -> int:
    widest = 0
    for j in range(starts.size - 1):
        widest = max(widest, starts[j + 1] - starts[j])
    return widest


@inner
def _factorise(gram: FloatArray, scale: FloatArray, factor: FloatArray) -> float:
    """Put the Cholesky factor of ``I + S A S`` into `factor`; return its log determinant."""
    log_det = 0.0
    for a in range(scale.size):
        for b in range(a + 1):
            total = scale[a] * gram[a, b] * scale[b]
            if a == b:
                total += 1.0
            for c in range(b):
                total -= factor[a, c] * factor[b, c]
            if a == b:
                factor[a, a] = math.sqrt(total)
                log_det += math.log(total)
            else:
                factor[a, b] = total / factor[b, b]
    return log_det


@inner
def _condition(
    gram: FloatArray,
    values: FloatArray,
    scale: FloatArray,
    own: FloatArray,
    rows: FloatArray,
    work: FloatArray,
) -> None:
    """Put ``K = (I + A S²)^-1 A`` into `own` and ``F = (I + A S²)^-1 B`` into `rows`.

    Written as ``I - A S (I + S A S)^-1 S``, which holds for a variance of zero as well.
    """
    factor, inverse, spread = work[0], work[1], work[2]
    _factorise(gram, scale, factor)
    _invert(factor, inverse)
    for a in range(scale.size):  # S (I + S A S)^-1 S takes the place of the factor
        for b in range(scale.size):
            total = 0.0
            for c in range(max(a, b), scale.size):
                total += inverse[c, a] * inverse[c, b]
            factor[a, b] = scale[a] * total * scale[b]
    _multiply(gram, factor, inverse)
    for a in range(scale.size):
        for b in range(scale.size):
            spread[a, b] = -inverse[a, b]
        spread[a, a] += 1.0
    _multiply(spread, gram, own)
    _multiply(spread, values, rows)


@inner
def _invert(factor: FloatArray, inverse: FloatArray) -> None:
    """Put the inverse of a lower triangular matrix into `inverse`."""
    k = factor.shape[0]
    for c in range(k):
        for a in range(k):
            inverse[a, c] = 0.0
        inverse[c, c] = 1.0 / factor[c, c]
        for a in range(c + 1, k):
            total = 0.0
            for b in range(c, a):
                total -= factor[a, b] * inverse[b, c]
            inverse[a, c] = total / factor[a, a]


@inner
def _multiply(left: FloatArray, right: FloatArray, product: FloatArray) -> None:
    """Put ``left @ right`` into `product`, which may be wider; BLAS is slower when this small."""
    for a in range(left.shape[0]):
        for p in range(right.shape[1]):
            product[a, p] = 0.0
        for c in range(left.shape[1]):
            weight = left[a, c]
            for p in range(right.shape[1]):
                product[a, p] += weight * right[c, p]


@inner
def _quadratic(
    matrix: FloatArray, left: FloatArray, right: FloatArray, touched: NDArray[np.int32]
) -> float:
    """Return ``left' matrix right`` over those touched columns that `matrix` has."""
    size, total = matrix.shape[0], 0.0
    for p in range(touched.size):
        row = touched[p]
        if row >= size:
            break
        partial = 0.0
        for q in range(touched.size):
            column = touched[q]
            if column >= size:
                break
            partial += matrix[row, column] * right[q]
        total += left[p] * partial
    return total
