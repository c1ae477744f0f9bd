r"""Second derivatives: how sure the variances are, and how the errors of means follow them."""

import numpy as np

from detectable.core.types import FloatArray
from detectable.kernels.crossed import Parts, add_products
from detectable.mixed.equations import Equations
from detectable.mixed.nested import stacked


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
