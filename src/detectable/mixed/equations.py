r"""The mixed-model equations of a design at given variances, factorised.

Nothing here knows the ratings: all sets of ratings of one design share it. Blocks are eliminated
first, then documents, and what is left is dense. With `G` the inner products of the dense columns
that blocks and documents leave, `S` the relative standard deviations (1 for fixed effects) and
`D` one for random effects and zero for fixed ones, the equations are

.. math:: D + S G S = L L', \qquad M = S (D + S G S)^{-1} S.

From these, for the dense random effects, :math:`(I - MG) = M S^{-2}` and
:math:`Z'PZ = S^{-2} - S^{-2} M S^{-2}`, where only the diagonal can lose digits: it is taken as a
row of `G` times a column of `M` instead.
"""

import functools
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.kernels.crossed import (
    Conditioned,
    Parts,
    add_products,
    collect_blocks,
    condition_blocks,
)
from detectable.mixed.blocks import Blocks
from detectable.mixed.nested import Nested, eliminate_groups

# A variance of zero is replaced by this one in formulas that divide by it. The derivatives are
# smooth at zero, so the error is of this order, and rounding stays near 1e-16 / 1e-7.
_TINY = 1e-14
_TILE = 128  # rows that are mirrored at once


@dataclass(frozen=True)  # without slots: what is computed once is kept
class Equations:
    """The equations at given relative variances; `d` dense columns, the first `q` random."""

    blocks: Blocks  # whose ratings play no role here
    reml: bool
    floor: FloatArray  # (terms,), the relative variances, none of them quite zero
    conditioned: Conditioned
    nested: Nested  # the columns of documents, where they are groups of blocks
    scale: FloatArray  # (d,), S
    reduced: FloatArray  # (d, d), G
    factor: FloatArray  # (d, d), of which the lower triangle is L
    log_det: float  # of V, and of X'V^-1 X for restricted likelihood

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve the equations, scaled back: ``M right``."""
        from scipy.linalg.lapack import dpotrs

        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        found, _ = dpotrs(self.factor, scale * right, lower=1)
        answer: FloatArray = scale * found
        return answer

    def inverse_over(self, size: int) -> FloatArray:
        """Return the inverse over the first `size` columns, scaled back."""
        from scipy.linalg.lapack import dpotri

        if size == 0:  # maximum likelihood without any dense random effect
            return np.zeros((0, 0))
        copied = self.factor[:size, :size].copy(order="F")
        lower, _ = dpotri(copied, lower=1, overwrite_c=1)
        mirror(lower)
        full: FloatArray = lower.T  # the same, in the order of C
        full *= self.scale[:size]
        full *= self.scale[:size, None]
        return full

    @functools.cached_property
    def inverse(self) -> FloatArray:
        """`M`; for maximum likelihood with fixed effects known, over random effects only."""
        return self.inverse_over(self.scale.size if self.reml else self.blocks.q)

    @functools.cached_property
    def fixed(self) -> FloatArray:
        """The columns of the whole inverse that belong to fixed effects, of shape (d, p)."""
        q, d = self.blocks.q, self.scale.size
        ends = np.zeros((d, d - q))
        ends[q:] = np.eye(d - q)
        return self.solve(ends)

    @functools.cached_property
    def weighted(self) -> FloatArray:
        """What the inverse makes of the documents, of shape (groups, c, width of it)."""
        return self.nested.weighted(self.inverse)

    @functools.cached_property
    def shared(self) -> FloatArray:
        """``F M F'`` of every block over all columns, of shape (blocks, k, k); F = U B."""
        parts = Parts(self.inverse, *self.nested.inverse(self.weighted))
        left = self.conditioned.left
        return np.asarray(
            left @ collect_blocks(self.blocks.arrays, parts) @ left.swapaxes(1, 2)
        )

    @functools.cached_property
    def own(self) -> FloatArray:
        """The diagonal of ``Z'PZ`` of the dense random effects, of shape (q,)."""
        q, width = self.blocks.q, self.inverse.shape[0]
        rows = np.einsum("ij,ij->i", self.reduced[:q, :width], self.inverse[:q])
        return np.asarray(rows / self.scale[:q] ** 2)

    @functools.cached_property
    def traces(self) -> FloatArray:
        """``trace(Z'PZ)`` of every term."""
        blocks, m = self.blocks, self.blocks.n_terms
        left = np.einsum("jaa->a", self.conditioned.own - self.shared)
        found = np.zeros(m)
        found += np.bincount(blocks.block_terms, left, minlength=m)
        found += np.bincount(blocks.term_of_column, self.own, minlength=m)
        if blocks.arrays.c:
            within = np.einsum("gii->i", self.nested.kept - self.nested.lost(self.weighted))
            found += np.bincount(blocks.term_of_near, within, minlength=m)
        return found


def no_residual() -> ConvergenceError:
    """Return the error to raise when the likelihood grows without end."""
    return ConvergenceError(
        "the ratings leave no residual: the model explains every one of them, or its spreads "
        "cannot be told from noise, so its likelihood has no maximum. Use slopes='none', or "
        "collect more ratings per cell."
    )


def set_up_equations(blocks: Blocks, rho: FloatArray, *, reml: bool) -> Equations:
    """Eliminate blocks and documents, and factorise what is left."""
    from scipy.linalg.lapack import dpotrf

    floor = np.maximum(rho, _TINY)
    q, d = blocks.q, blocks.d
    conditioned = condition_blocks(blocks.arrays, np.sqrt(floor[blocks.block_terms]))
    left = Parts(*(part.copy() for part in blocks.products))
    add_products(left, blocks.arrays, conditioned.roots, -1.0)
    nested, more = eliminate_groups(left, floor[blocks.term_of_near])
    reduced = left.rest
    scale = np.ones(d)
    scale[:q] = np.sqrt(floor[blocks.term_of_column])
    scaled = reduced * scale
    scaled *= scale[:, None]
    scaled.flat[: q * (d + 1) : d + 1] += 1.0
    # It is symmetric, so that its transpose is the matrix in the order of LAPACK, uncopied.
    factor, failed = dpotrf(scaled.T, lower=1, clean=0, overwrite_a=1)
    if failed != 0:
        raise no_residual()
    logs = 2.0 * np.log(np.diagonal(factor))
    log_det = conditioned.log_det + more + float(logs.sum() if reml else logs[:q].sum())
    return Equations(blocks, reml, floor, conditioned, nested, scale, reduced, factor, log_det)


def mirror(matrix: FloatArray) -> None:
    """Copy the lower triangle of a square matrix to the upper one, in place."""
    for first in range(0, matrix.shape[0], _TILE):
        rows = slice(first, first + _TILE)
        matrix[:first, rows] = matrix[rows, :first].T
        tile = matrix[rows, rows]
        np.copyto(tile, tile.T, where=_above(tile.shape[0]))


@functools.cache
def _above(n: int) -> np.ndarray:
    """Return where the upper triangle of a tile is."""
    return np.triu(np.ones((n, n), bool), 1)
