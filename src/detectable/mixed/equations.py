r"""The mixed-model equations of a design at given variances, and how sure their solution is.

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
from detectable.mixed.blocks import Blocks, Nested, eliminate_groups, stacked

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


# --- Second derivatives: how sure the variances are, and how the errors of means follow them ---


def curvature(at: Equations) -> tuple[FloatArray, FloatArray]:
    r"""Return the squared norms :math:`|Z_t'PZ_u|^2`, and the derivatives of a covariance.

    The latter, of shape (terms, p, p), are those of :math:`(X'V^{-1}X)^{-1}` by each relative
    variance. For maximum likelihood :math:`V^{-1}` takes the place of :math:`P`.

    Between dense effects and among them the norms follow from `M` entry by entry (see
    `detectable.mixed.equations`). With :math:`A_t = F_t'F_t` the products of a term of the blocks,
    theirs are :math:`\mathrm{tr}(MA_tMA_u)`, and between both the diagonal of
    :math:`S^{-2}MA_tMS^{-2}`: one product :math:`MA_t` for each such term gives all.
    """
    blocks, inverse, weighted = at.blocks, at.inverse, at.weighted
    q, width, m = blocks.q, inverse.shape[0], blocks.n_terms
    products = [_products(at, t) for t in blocks.term_of_block]
    member, near_member = (
        (terms == np.arange(m)[:, None]).astype(np.float64)
        for terms in (blocks.term_of_column, blocks.term_of_near)
    )
    variance = at.scale[:q] ** 2
    norms = member @ _squares(at, variance) @ member.T
    local = at.conditioned.own * (at.conditioned.own - 2.0 * at.shared)
    by_effect = local.sum(axis=0)
    covers = [inverse @ part.rest[:width, :width] for part in products]
    if blocks.arrays.c:
        between = ((weighted[:, :, :q] / variance) ** 2).sum(axis=0)
        both = near_member @ between @ member.T
        norms += both + both.T + _near_norms(at, near_member)
    for t, part, cover in zip(blocks.term_of_block, products, covers, strict=True):
        across = np.einsum("ij,ij->i", cover[:q], inverse[:q]) / variance**2
        norms[t] = norms[:, t] = member @ across
        if blocks.arrays.c:
            more = near_member @ _beside(at, part)
            norms[t] += more
            norms[:, t] += more
    for t, part, cover in zip(blocks.term_of_block, products, covers, strict=True):
        for u, other, covered in zip(blocks.term_of_block, products, covers, strict=True):
            own = np.outer(blocks.block_terms == t, blocks.block_terms == u)
            shared = float(by_effect[own].sum() + np.einsum("ij,ji->", cover, covered))
            norms[t, u] = shared + _within(at, part, other)
    return norms, _covariance_slopes(at, products)


def _products(at: Equations, term: int) -> Parts:
    """Return ``F'F`` of one term of the blocks when documents are known.

    `across` is what is left of its products with documents, `near` as if they were not known.
    """
    arrays, nested = at.blocks.arrays, at.nested
    rows = np.ascontiguousarray(at.conditioned.left[:, at.blocks.block_terms == term])
    found = Parts(*(np.zeros_like(part) for part in at.blocks.products))
    add_products(found, arrays, rows, 1.0)
    if not arrays.c:
        return found
    shift = nested.shift(arrays.d)
    moved = found.across - found.near @ shift
    rest = found.rest - stacked(found.across).T @ stacked(shift)
    rest -= stacked(shift).T @ stacked(moved)
    return Parts(rest, found.near, moved)


def _squares(at: Equations, variance: FloatArray) -> FloatArray:
    """Return the squares of ``Z'PZ`` of the dense random effects, of shape (q, q)."""
    q = variance.size
    squares = at.inverse[:q, :q] / variance
    squares /= variance[:, None]
    squares.flat[:: q + 1] = at.own
    squares *= squares
    return squares


def _beside(at: Equations, part: Parts) -> FloatArray:
    """Return the squared norms between a term of the blocks and each column of documents."""
    nested, weighted, width = at.nested, at.weighted, at.inverse.shape[0]
    own = np.einsum("gij,gjk,gik->i", nested.keep, part.near, nested.keep)
    own -= 2.0 * np.einsum("giw,giw->i", nested.keep @ part.across[:, :, :width], weighted)
    own += np.einsum("giw,giw->i", weighted @ part.rest[:width, :width], weighted)
    return np.asarray(own)


def _within(at: Equations, part: Parts, other: Parts) -> float:
    """Return what documents add to the squared norm between two terms of the blocks."""
    nested, width = at.nested, at.inverse.shape[0]
    if not nested.variance.size:
        return 0.0
    covered = nested.cover @ part.near
    shared = float(np.einsum("gij,gji->", covered, nested.cover @ other.near))
    moved = nested.cover @ (part.across[:, :, :width] @ at.inverse)
    return shared + 2.0 * float(np.sum(moved * other.across[:, :, :width]))


def _near_norms(at: Equations, member: FloatArray) -> FloatArray:
    """Return the squared norms among the terms of documents, and zero elsewhere."""
    nested, inverse, terms = at.nested, at.inverse, at.blocks.term_of_near
    kept, lost = nested.kept, nested.lost(at.weighted)
    norms: FloatArray = member @ (kept * (kept - 2.0 * lost)).sum(axis=0) @ member.T
    width = inverse.shape[0]
    loads = {}
    for t in np.unique(terms):
        rows = stacked(nested.across[:, terms == t, :width])
        loads[int(t)] = inverse @ (rows.T @ rows)
    for t, u in np.ndindex(norms.shape):
        if t in loads and u in loads:
            norms[t, u] += float(np.sum(loads[t] * loads[u].T))
    return norms


def _covariance_slopes(at: Equations, products: list[Parts]) -> FloatArray:
    blocks, q, fixed = at.blocks, at.blocks.q, at.fixed
    dense = at.reduced[:q] @ fixed
    slopes = np.zeros((blocks.n_terms, fixed.shape[1], fixed.shape[1]))
    for term in np.unique(blocks.term_of_column):
        rows = dense[blocks.term_of_column == term]
        slopes[term] = rows.T @ rows
    near = at.nested.across @ fixed
    for term in np.unique(blocks.term_of_near):
        rows = stacked(near[:, blocks.term_of_near == term])
        slopes[term] = rows.T @ rows
    for term, part in zip(blocks.term_of_block, products, strict=True):
        slopes[term] = fixed.T @ part.rest @ fixed
    return slopes


# --- What either way of fitting gives: estimates, and how sure they are ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A fitted model in numbers.

    Attributes
    ----------
    rho : array of shape (terms,)
        Variances relative to that of the residual.
    sigma2 : float
        Residual variance.
    criterion : float
        Minus twice the (restricted) log-likelihood.
    coefficients : array of shape (p,)
        Fixed effects of the coded design.
    covariance : array of shape (p, p)
        Their covariance.
    gradients : array of shape (parameters, p, p)
        Derivatives of the covariance by the variance parameters that are not at zero.
    uncertainty : array of shape (parameters, parameters)
        Asymptotic covariance of these parameters.
    effects : dict of str to array of shape (levels, 1) or (levels, p)
        Predicted intercepts, and slopes where the factor has them, by factor.
    method : str
        How it was found.
    """

    rho: FloatArray
    sigma2: float
    criterion: float
    coefficients: FloatArray
    covariance: FloatArray
    gradients: FloatArray
    uncertainty: FloatArray
    effects: dict[str, FloatArray]
    method: str

    def satterthwaite(self, contrast: FloatArray) -> float:
        r"""Return the degrees of freedom of a contrast of fixed effects.

        If :math:`v = c' \mathrm{Cov}(\hat\beta) c` were a multiple of a χ², its degrees of
        freedom would be :math:`2 v^2 / \mathrm{Var}(v)` [1]_, and the delta method gives
        :math:`\mathrm{Var}(v) = g'Ag` with `g` the gradient of `v` and `A` the covariance of
        the variance parameters [2]_. Variances at zero stay there: the deviance is even in
        their square roots, in which the gradient of `v` vanishes.

        References
        ----------
        .. [1] Satterthwaite (1946), "An approximate distribution of estimates of variance
           components", Biometrics Bulletin 2(6), 110-114.
        .. [2] Kuznetsova, Brockhoff and Christensen (2017), "lmerTest package: tests in linear
           mixed effects models", Journal of Statistical Software 82(13).
        """
        variance = float(contrast @ self.covariance @ contrast)
        gradient = np.einsum("i,tij,j->t", contrast, self.gradients, contrast)
        return 2.0 * variance**2 / float(gradient @ self.uncertainty @ gradient)
