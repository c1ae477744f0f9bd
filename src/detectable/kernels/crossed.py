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
from typing import NamedTuple

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
