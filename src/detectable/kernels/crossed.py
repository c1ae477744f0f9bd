"""Inner loops of mixed models with crossed factors: one factor is eliminated level by level.

A level of the eliminated factor is a *block*. A block has `k` random effects (an intercept, and
the slopes) and touches few columns of the rest of the model: those of the raters who rated the
item, and the fixed effects. `B` are the inner products of the effects of a block with these
columns, `A` those among its effects, and `S` the standard deviations of the effects relative to
that of the residual.

Blocks may lie within larger *groups*, items within documents. The first `c` columns are then
those of the block's own group: they have the same numbers in every group, and no block touches
those of another one. All that concerns them is kept by group, in arrays of shape ``(groups, c,
c)`` among themselves (`near`) and ``(groups, c, d)`` with the other `d` columns (`across`);
column `c` is the first of the others (`rest`). Without groups `c` is 0.

Nothing here knows the ratings: many sets of them share what is computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Floats,
    Ids,
    Ints,
    OutFloats,
    Real,
    Size,
    check_places,
    check_shape,
    native,
)

_FULL = 0.15  # a table this full is faster by BLAS than entry by entry
_CELLS = 1 << 22  # of a table, how many are in memory at once: 32 MB


class Parts(NamedTuple):
    """A symmetric matrix over all columns: the others, within groups, and between both."""

    rest: FloatArray  # (d, d)
    near: FloatArray  # (groups, c, c)
    across: FloatArray  # (groups, c, d)


@dataclass(frozen=True, slots=True)
class BlockArrays:
    """The inner products of all blocks.

    ``values[a, e]`` is that of effect `a` with column ``columns[e]``; the entries of block `j`
    are ``starts[j]`` to ``starts[j + 1]``, at least one, in ascending order of column.
    """

    gram: FloatArray  # (blocks, k, k), A
    values: FloatArray  # (k, entries), B
    columns: NDArray[np.int32]  # (entries,)
    starts: IntArray  # (blocks + 1,)
    groups: IntArray  # (blocks,)
    c: int
    d: int
    # Derived: the block and the place of each entry in vectors over all columns, those of all
    # groups first; and a table (blocks, k, d) in place of entries where that is mostly full.
    block_of: IntArray = field(init=False, repr=False)
    places: IntArray = field(init=False, repr=False)
    table: FloatArray | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Derive what all kernels share, and check what they rely on."""
        counts, columns = np.diff(self.starts), self.columns
        if (
            counts.min() < 1
            or self.starts[0] != 0
            or self.starts[-1] != columns.size
            or columns.min() < 0
            or columns.max() >= self.c + self.d
            or self.groups.min() < 0
            or self.groups.size != counts.size
            or self.values.shape != (self.gram.shape[1], columns.size)
        ):
            raise ValueError("blocks, entries and columns do not belong together.")
        block_of = np.repeat(np.arange(counts.size), counts)
        own = self.groups[block_of] * self.c + columns
        last = (int(self.groups.max()) + 1) * self.c  # of the columns of groups, plus one
        places = np.where(columns < self.c, own, columns + last - self.c)
        full = self.c == 0 and columns.size > _FULL * counts.size * self.d
        object.__setattr__(self, "block_of", block_of)
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "table", None)
        if full:
            object.__setattr__(self, "table", self._table(slice(0, counts.size)))

    def tables(self) -> Iterator[tuple[slice, FloatArray]]:
        """Return tables of shape (some blocks, k, c + d), together all blocks."""
        n, k = self.gram.shape[:2]
        step = max(1, _CELLS // (k * (self.c + self.d)))
        for first in range(0, n, step):
            part = slice(first, min(first + step, n))
            yield part, self._table(part) if self.table is None else self.table[part]

    def _table(self, part: slice) -> FloatArray:
        first, last = self.starts[part.start], self.starts[part.stop]
        table = np.zeros((part.stop - part.start, self.gram.shape[1], self.c + self.d))
        rows = self.block_of[first:last] - part.start
        table[rows, :, self.columns[first:last]] = self.values[:, first:last].T
        return table

    def sums(self, near: FloatArray, rest: FloatArray) -> FloatArray:
        """Return ``B v`` of every block, of shape (blocks, k), for a vector over all columns."""
        if self.table is not None:
            n, k, d = self.table.shape
            return np.asarray((self.table.reshape(n * k, d) @ rest).reshape(n, k))
        v = np.concatenate([near.ravel(), rest])[self.places]
        found: FloatArray = np.add.reduceat(self.values * v, self.starts[:-1], axis=1).T
        return found

    def columns_of(self, effects: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sum of ``B' e`` over blocks, of shapes (groups, c) and (d,)."""
        n_groups = int(self.groups.max()) + 1
        if self.table is not None:
            n, k, d = self.table.shape
            return np.zeros((n_groups, 0)), effects.ravel() @ self.table.reshape(n * k, d)
        weights = np.einsum("ae,ea->e", self.values, effects[self.block_of])
        far = n_groups * self.c
        found = np.zeros(far + self.d)
        found += np.bincount(self.places, weights, minlength=found.size)
        return found[:far].reshape(n_groups, self.c), found[far:]


class Conditioned(NamedTuple):
    """Blocks at given standard deviations; arrays of shape (blocks, k, k)."""

    roots: FloatArray  # V, with V'V = S (I + S A S)^-1 S
    left: FloatArray  # U = (I + A S²)^-1
    own: FloatArray  # U A
    log_det: float  # the sum of log det(I + S A S)


def condition_blocks(blocks: BlockArrays, scale: FloatArray) -> Conditioned:
    """Return what is left of each block when its own effects are known.

    `U` is written as ``I - A S (I + S A S)^-1 S``, which holds for a variance of zero as well.
    """
    gram = blocks.gram
    n, k = gram.shape[:2]
    condition = native(
        "condition_blocks",
        Floats,
        Size,
        Size,
        Floats,
        OutFloats,
        OutFloats,
        OutFloats,
        OutFloats,
    )
    if condition is not None:
        roots, left, own = np.empty((3, n, k, k))
        log_det = np.empty(1)
        condition(gram, n, k, scale, roots, left, own, log_det)
        return Conditioned(roots, left, own, float(log_det[0]))
    factor = np.linalg.cholesky(np.eye(k) + gram * scale * scale[:, None])
    roots = np.linalg.inv(factor) * scale
    left = np.eye(k) - gram @ (roots.swapaxes(1, 2) @ roots)
    logs = np.log(np.diagonal(factor, axis1=1, axis2=2))
    return Conditioned(roots, left, left @ gram, 2.0 * float(logs.sum()))


def add_products(target: Parts, blocks: BlockArrays, roots: FloatArray, sign: float) -> None:
    """Add `sign` times the sum over blocks of ``(V B)'(V B)`` to a symmetric matrix, in place.

    `roots` are the `V`, of shape (blocks, rows, k). Entry by entry the work is that of the
    ratings and not of the table; where the table is mostly full, or without the library, BLAS
    does it.
    """
    rest, near, across = target
    c, d, (n, r, k) = blocks.c, blocks.d, roots.shape
    add = native(
        *("add_products", OutFloats, OutFloats, OutFloats, Size, Size, Floats, Size, Size),
        *(Floats, Size, Ids, Ints, Ints, Size, Real),
    )
    if add is not None and blocks.table is None:
        add(
            *(rest, near, across, d, c, roots, r, k),
            *(blocks.values, blocks.columns.size, blocks.columns, blocks.starts),
            *(blocks.groups, n, sign),
        )
        return
    for part, table in blocks.tables():
        rows = roots[part] @ table
        flat = rows[:, :, c:].reshape(-1, d)
        rest += sign * (flat.T @ flat)
        if c:
            own, groups = rows[:, :, :c].swapaxes(1, 2), blocks.groups[part]
            np.add.at(near, groups, sign * (own @ rows[:, :, :c]))
            np.add.at(across, groups, sign * (own @ rows[:, :, c:]))


def collect_blocks(blocks: BlockArrays, inverse: Parts) -> FloatArray:
    """Return ``B M B'`` of every block, of shape (blocks, k, k).

    `inverse` is symmetric, over the columns of groups and the first few of the others.
    """
    rest, near, across = inverse
    c, known, (n, k) = blocks.c, rest.shape[0], blocks.gram.shape[:2]
    found = np.empty((n, k, k))
    collect = native(
        *("collect_blocks", Floats, Floats, Floats, Size, Size, Size, Floats, Size),
        *(Ids, Ints, Ints, Size, OutFloats),
    )
    if collect is not None and blocks.table is None:
        collect(
            *(rest, near, across, known, c, k, blocks.values, blocks.columns.size),
            *(blocks.columns, blocks.starts, blocks.groups, n, found),
        )
        return found
    for part, table in blocks.tables():
        other = table[:, :, c : c + known]
        seen = (other.reshape(other.shape[0] * k, known) @ rest).reshape(other.shape)
        if c:
            own, groups = table[:, :, :c], blocks.groups[part]
            beside = own @ across[groups]
            within = own @ near[groups] @ own.swapaxes(1, 2)
            crossed = beside @ other.swapaxes(1, 2)
            found[part] = seen @ other.swapaxes(1, 2) + within + crossed
            found[part] += crossed.swapaxes(1, 2)
        else:
            found[part] = seen @ other.swapaxes(1, 2)
    return found


# --- Two systems rated by all raters on all items: the mixed model from five mean squares ---
#
# With the half difference d = (y₊ − y₋)/2 and the half sum s = (y₊ + y₋)/2 of every rater and item,
# the mean squares of raters and of items, in d and in s, and one shared error mean square are
# sufficient for the variances of y ~ system + (1 + system || rater) + (1 + system || item), system
# coded −1, +1. The last axis of `squares` holds raters of d, items of d, raters of s, items of s.

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


# --- Sums over the rows of a product of a sparse and a dense matrix ---


def product_squares(sparse: Any, dense: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for every column of a product its sum and its sum of squares over the rows.

    Parameters
    ----------
    sparse : csr_array of shape (rows, columns)
    dense : array of shape (columns, k)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> product_squares(csr_array([[1.0, 0.0], [2.0, 1.0]]), np.array([[1.0], [3.0]]))
    (array([6.]), array([26.]))
    """
    rows, columns = sparse.shape
    check_shape(dense, (columns, dense.shape[1]), "dense")
    compiled = native(
        "product_squares", Ints, Size, Ints, Floats, Floats, Size, OutFloats, OutFloats
    )
    if compiled is None:
        product = sparse @ dense
        return product.sum(axis=0), np.einsum("ij,ij->j", product, product)
    totals, squares = np.zeros(dense.shape[1]), np.zeros(dense.shape[1])
    starts, places = sparse.indptr.astype(np.int64), sparse.indices.astype(np.int64)
    check_places(places, columns, "places")
    table = np.ascontiguousarray(dense)
    compiled(starts, rows, places, sparse.data, table, dense.shape[1], totals, squares)
    return totals, squares
