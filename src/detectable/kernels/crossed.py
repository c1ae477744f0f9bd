"""Inner loops of mixed models with crossed factors: one factor is eliminated level by level.

A level of the eliminated factor is a *block*. A block has `k` random effects (an intercept, and
the slopes) and touches few columns of the rest of the model: those of the raters who rated the
item, the fixed effects and the response. ``values[a, p]`` is the inner product of effect `a` of
a block with column ``columns[p]``; the entries of block `j` are ``starts[j]`` to
``starts[j + 1]``, in ascending order of column. ``gram[j]`` holds the inner products among the
effects of block `j`, and ``terms[a]`` is 0 for an intercept and 1 for a slope.

Blocks may lie within larger *groups*, items within documents. The first `c` columns are then
those of the block's own group, ``groups[j]``: they have the same numbers in every group, and no
block touches those of another one. All that concerns them is kept by group, in arrays of shape
``(groups, c, c)`` among themselves (`near`) and ``(groups, c, d)`` with the other `d` columns
(`across`); column `c` is the first of the others. Without groups `c` is 0.
"""

import math
from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.inner import inner

# gram, values, columns, starts and groups.
BlockArrays: TypeAlias = tuple[FloatArray, FloatArray, NDArray[np.int32], IntArray, IntArray]
Inverse: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]  # rest, near and across


@njit(cache=True, nogil=True)
def eliminate_blocks(
    rest: FloatArray,
    near: FloatArray,
    across: FloatArray,
    blocks: BlockArrays,
    scale: FloatArray,
) -> float:
    """Subtract from `rest`, `near` and `across` what the blocks explain; return log det.

    With ``scale`` the standard deviations of the effects of a block, relative to the residual,
    this is ``rest -= sum_j B_j' S (I + S A_j S)^-1 S B_j`` and the sum of ``log det(I + S A_j
    S)``. Of `rest` and `near` the lower triangles change. Only touched entries do, so the work
    is that of the ratings and not of the table.
    """
    gram, values, columns, starts, groups = blocks
    k, c = scale.size, near.shape[1]
    factor = np.empty((k, k))
    rows = np.empty((k, _widest(starts)))
    log_det = 0.0
    for j in range(gram.shape[0]):
        log_det += _factorise(gram[j], scale, factor)
        begin, width, group = starts[j], starts[j + 1] - starts[j], groups[j]
        for a in range(k):
            for p in range(width):
                total = scale[a] * values[a, begin + p]
                for b in range(a):
                    total -= factor[a, b] * rows[b, p]
                rows[a, p] = total / factor[a, a]
        touched = columns[begin : begin + width]
        first = _first_outside(touched, c)
        for p in range(first):
            for q in range(p + 1):
                near[group, touched[p], touched[q]] -= _product(rows, p, q)
        for p in range(first, width):
            row = touched[p] - c
            for q in range(first):
                across[group, touched[q], row] -= _product(rows, p, q)
            for q in range(first, p + 1):
                rest[row, touched[q] - c] -= _product(rows, p, q)
    return log_det


@njit(cache=True, nogil=True)
def sweep_blocks(
    blocks: BlockArrays,
    scale: FloatArray,
    terms: IntArray,
    inverse: Inverse,
    solution: FloatArray,
    near_solution: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the parts of the derivatives that belong to the blocks.

    Parameters
    ----------
    blocks, scale, terms : arrays
        The blocks, see above.
    inverse : arrays of shape (m, m), (groups, c, c) and (groups, c, m)
        Symmetric; the inverse over all columns of groups and the first `m` others, scaled back:
        among the others, within groups and across.
    solution, near_solution : arrays of shape (d,) and (groups, c)
        Coefficients whose product with the columns gives the response minus its prediction.

    Returns
    -------
    scores : array of shape (blocks, k)
        ``Z' P y``.
    traces : array of shape (2,)
        ``trace(Z' P Z)`` of the intercepts and of the slopes.
    pulls, near_pulls : arrays of shape (2, d) and (2, groups, c)
        ``F' Z' P y`` for the two, with ``F`` as in `_condition`.
    loads : array of shape (2, 2)
        ``y' P Z K Z' P y`` between the two, with ``K`` as in `_condition`.
    """
    gram, values, columns, starts, groups = blocks
    k, c = scale.size, near_solution.shape[1]
    scores = np.zeros((gram.shape[0], k))
    traces, loads = np.zeros(2), np.zeros((2, 2))
    pulls = np.zeros((2, solution.size))
    near_pulls = np.zeros((2, near_solution.shape[0], c))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    widest = _widest(starts)
    rows, local = np.empty((k, widest)), np.empty((widest, widest))
    for j in range(gram.shape[0]):
        begin, width, group = starts[j], starts[j + 1] - starts[j], groups[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        known = _gather(inverse, group, touched, local)
        first = _first_outside(touched, c)
        for a in range(k):
            total = 0.0
            for p in range(first):
                total += rows[a, p] * near_solution[group, touched[p]]
            for p in range(first, width):
                total += rows[a, p] * solution[touched[p] - c]
            scores[j, a] = total
            for p in range(first):
                near_pulls[terms[a], group, touched[p]] += total * rows[a, p]
            for p in range(first, width):
                pulls[terms[a], touched[p] - c] += total * rows[a, p]
            traces[terms[a]] += own[a, a] - _quadratic(local, rows[a], rows[a], known)
        for a in range(k):
            for b in range(k):
                loads[terms[a], terms[b]] += scores[j, a] * own[a, b] * scores[j, b]
    return scores, traces, pulls, near_pulls, loads


@njit(cache=True, nogil=True)
def curve_blocks(
    blocks: BlockArrays,
    scale: FloatArray,
    terms: IntArray,
    inverse: Inverse,
    size: int,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return what the second derivatives need from the blocks.

    Returns
    -------
    products : array of shape (1 or 2, size, size)
        ``F' F`` of intercepts, and of slopes where there are any, over the first `size` columns
        that are not of groups.
    near_products, across_products : arrays of shape (1 or 2, groups, c, c or size)
        The same among the columns of a group, and between these and the others.
    norms : array of shape (2, 2)
        ``sum_j |K_j|^2 - 2 <K_j, F_j Q F_j'>``, the part of ``|Z' P Z|^2`` that is local to the
        blocks.
    """
    gram, values, columns, starts, groups = blocks
    k, m = scale.size, terms[scale.size - 1] + 1
    n_groups, c = inverse[1].shape[:2]
    products, norms = np.zeros((m, size, size)), np.zeros((2, 2))
    near_products = np.zeros((m, n_groups, c, c))
    across_products = np.zeros((m, n_groups, c, size))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    widest = _widest(starts)
    rows, local = np.empty((k, widest)), np.empty((widest, widest))
    for j in range(gram.shape[0]):
        begin, width, group = starts[j], starts[j + 1] - starts[j], groups[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        known = _gather(inverse, group, touched, local)
        first, last = _first_outside(touched, c), _first_outside(touched, c + size)
        for a in range(k):
            term = terms[a]
            for p in range(first):
                for q in range(first):
                    near_products[term, group, touched[p], touched[q]] += (
                        rows[a, p] * rows[a, q]
                    )
                for q in range(first, last):
                    across_products[term, group, touched[p], touched[q] - c] += (
                        rows[a, p] * rows[a, q]
                    )
            for p in range(first, last):
                for q in range(first, last):
                    products[term, touched[p] - c, touched[q] - c] += rows[a, p] * rows[a, q]
            for b in range(k):
                shared = _quadratic(local, rows[a], rows[b], known)
                norms[term, terms[b]] += own[a, b] * (own[a, b] - 2.0 * shared)
    return products, near_products, across_products, norms


@njit(cache=True, nogil=True)
def predict_blocks(
    blocks: BlockArrays,
    scale: FloatArray,
    inverse: Inverse,
) -> FloatArray:
    """Return the relative prediction error covariance of the effects of every block.

    These are the diagonal blocks of ``S² - S² Z' P Z S²``, of shape (blocks, k, k).
    """
    gram, values, columns, starts, groups = blocks
    k = scale.size
    covariance = np.zeros((gram.shape[0], k, k))
    own, work = np.empty((k, k)), np.empty((3, k, k))
    widest = _widest(starts)
    rows, local = np.empty((k, widest)), np.empty((widest, widest))
    for j in range(gram.shape[0]):
        begin, width = starts[j], starts[j + 1] - starts[j]
        _condition(gram[j], values[:, begin : begin + width], scale, own, rows, work)
        touched = columns[begin : begin + width]
        known = _gather(inverse, groups[j], touched, local)
        for a in range(k):
            for b in range(k):
                less = own[a, b] - _quadratic(local, rows[a], rows[b], known)
                covariance[j, a, b] = -((scale[a] * scale[b]) ** 2) * less
            covariance[j, a, a] += scale[a] ** 2
    return covariance


@inner
def _widest(starts: IntArray) -> int:
    widest = 0
    for j in range(starts.size - 1):
        widest = max(widest, starts[j + 1] - starts[j])
    return widest


@inner
def _first_outside(touched: NDArray[np.int32], bound: int) -> int:
    """Return the position of the first touched column that is not below `bound`."""
    position = touched.size
    while position > 0 and touched[position - 1] >= bound:
        position -= 1
    return position


@inner
def _product(rows: FloatArray, p: int, q: int) -> float:
    """Return the inner product of two columns."""
    total = 0.0
    for a in range(rows.shape[0]):
        total += rows[a, p] * rows[a, q]
    return total


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
def _gather(inverse: Inverse, group: int, touched: NDArray[np.int32], local: FloatArray) -> int:
    """Put the touched part of the inverse into `local`; return how many columns it has."""
    rest, near, across = inverse
    c = near.shape[1]
    first, known = _first_outside(touched, c), _first_outside(touched, c + rest.shape[0])
    for p in range(first):
        for q in range(first):
            local[p, q] = near[group, touched[p], touched[q]]
        for q in range(first, known):
            local[p, q] = local[q, p] = across[group, touched[p], touched[q] - c]
    for p in range(first, known):
        for q in range(first, known):
            local[p, q] = rest[touched[p] - c, touched[q] - c]
    return known


@inner
def _quadratic(matrix: FloatArray, left: FloatArray, right: FloatArray, size: int) -> float:
    """Return ``left' matrix right`` over the first `size` columns."""
    total = 0.0
    for p in range(size):
        partial = 0.0
        for q in range(size):
            partial += matrix[p, q] * right[q]
        total += left[p] * partial
    return total
