r"""The profiled deviance of a general design, with exact derivatives.

With :math:`V = I + \sum_t \rho_t Z_t Z_t'` and the residual variance profiled out, minus twice
the restricted log-likelihood is

.. math:: \log|V| + \log|X'V^{-1}X| + (n - p) (1 + \log(2 \pi\, y'Py / (n - p))),

where :math:`P = V^{-1} - V^{-1}X(X'V^{-1}X)^{-1}X'V^{-1}`; for maximum likelihood the second
term is absent and :math:`n` takes the place of :math:`n - p` [1]_ [2]_. It is a smooth function
of :math:`\rho \ge 0`, also at zero, where that of :math:`\theta = \sqrt\rho` has a stationary
point whether or not the minimum is there. Its derivatives are

.. math::
   \partial_t &= \mathrm{tr}(Z_t'PZ_t) - q_t / s^2, \qquad q_t = |Z_t'Py|^2, \\
   \partial_t \partial_u &= -|Z_t'PZ_u|^2 + 2 q_{tu} / s^2 - q_t q_u / (s^4 (n - p)),

with :math:`q_{tu} = y'PZ_tZ_t'PZ_uZ_u'Py` (for maximum likelihood :math:`V^{-1}` replaces
:math:`P` in the first summands). The average information matrix [3]_ replaces
:math:`|Z_t'PZ_u|^2` by its unbiased estimate :math:`q_{tu}/s^2`: it needs no more than a few
solutions of a factorised system, and is never indefinite.

References
----------
.. [1] Patterson and Thompson (1971), "Recovery of inter-block information when block sizes are
   unequal", Biometrika 58(3), 545-554.
.. [2] Bates, Mächler, Bolker and Walker (2015), "Fitting linear mixed-effects models using
   lme4", Journal of Statistical Software 67(1).
.. [3] Gilmour, Thompson and Cullis (1995), "Average information REML", Biometrics 51(4),
   1440-1450.
"""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.kernels.crossed import curve_blocks, eliminate_blocks, sweep_blocks
from detectable.mixed.blocks import Blocks
from detectable.mixed.nested import Nested, eliminate_groups, stacked

# A variance of zero is replaced by this one in formulas that divide by it. The derivatives are
# smooth at zero, so the error is of this order, and rounding stays near 1e-16 / 1e-7.
_TINY = 1e-14


@dataclass(frozen=True, slots=True)
class Factorised:
    """The mixed-model equations at given relative variances, factorised."""

    value: float  # the criterion
    sigma2: float  # residual variance
    scale: FloatArray  # (d - 1,), relative standard deviation of dense columns, 1 for fixed
    block_scale: FloatArray  # (k,)
    nested: Nested  # the columns of documents, where they are groups of blocks
    reduced: FloatArray  # (d, d), dense products after elimination, symmetric
    factor: FloatArray  # (d - 1, d - 1), lower Cholesky factor of the scaled equations
    coefficients: FloatArray  # (d - 1,), of the unscaled dense columns: effects, then fixed

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve the equations, scaled back: ``Q right``."""
        from scipy.linalg.lapack import dpotrs

        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        found, _ = dpotrs(self.factor, scale * right, lower=1)
        answer: FloatArray = scale * found
        return answer

    def inverse(self, size: int) -> FloatArray:
        """Return the inverse over the first `size` columns, scaled back."""
        from scipy.linalg.lapack import dpotri

        if size == 0:  # maximum likelihood without any dense random effect
            return np.zeros((0, 0))
        lower, _ = dpotri(self.factor[:size, :size], lower=1)
        full = _symmetric(lower)
        return full * self.scale[:size] * self.scale[:size, None]


@dataclass(frozen=True, slots=True)
class Slopes:
    """First derivatives, and what the second ones are made of."""

    gradient: FloatArray  # (terms,)
    information: FloatArray  # (terms, terms), average information
    quadratic: FloatArray  # (terms,), q_t
    pairs: FloatArray  # (terms, terms), q_tu
    effects: FloatArray  # (blocks, k), Z'Py of the blocks
    near_effects: FloatArray  # (groups, c), of the columns of documents
    dense_effects: FloatArray  # (q,), of the dense columns


def no_residual() -> ConvergenceError:
    """Return the error to raise when the likelihood grows without end."""
    return ConvergenceError(
        "the ratings leave no residual: the model explains every one of them, or its spreads "
        "cannot be told from noise, so its likelihood has no maximum. Use slopes='none', or "
        "collect more ratings per cell."
    )


def residual_df(blocks: Blocks, *, reml: bool) -> int:
    """Return the divisor of the residual sum of squares."""
    return blocks.design.n - (blocks.design.p if reml else 0)


def factorise(blocks: Blocks, rho: FloatArray, *, reml: bool) -> Factorised:
    """Evaluate the criterion."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    floor = np.maximum(rho, _TINY)
    block_scale = np.sqrt(floor[np.array(blocks.term_of_block)[blocks.block_terms]])
    q, size = blocks.q, blocks.rest.shape[0] - 1
    reduced, near, across = blocks.rest.copy(), blocks.near.copy(), blocks.across.copy()
    log_det = eliminate_blocks(reduced, near, across, blocks.arrays, block_scale)
    near = near if near.size == 0 else np.tril(near) + np.tril(near, -1).swapaxes(1, 2)
    nested, more = eliminate_groups(reduced, near, across, floor[blocks.term_of_near])
    log_det += more
    reduced = _symmetric(reduced)
    scale = np.ones(size)
    scale[:q] = np.sqrt(floor[blocks.term_of_column])
    scaled = reduced[:size, :size] * scale * scale[:, None]
    scaled.flat[: q * (size + 1) : size + 1] += 1.0
    factor, failed = dpotrf(scaled, lower=1)
    right = scale * reduced[size, :size]
    found = dpotrs(factor, right, lower=1)[0] if failed == 0 else right
    squares = reduced[size, size] - float(right @ found)
    if failed != 0 or not squares > 1e-14 * blocks.rest[size, size]:
        raise no_residual()
    logs = 2.0 * np.log(np.diagonal(factor))
    df = residual_df(blocks, reml=reml)
    log_det += float(logs.sum() if reml else logs[:q].sum())
    sigma2 = squares / df
    value = log_det + df * (1.0 + np.log(2.0 * np.pi * sigma2))
    return Factorised(
        float(value), sigma2, scale, block_scale, nested, reduced, factor, scale * found
    )


def differentiate(blocks: Blocks, at: Factorised, *, reml: bool) -> Slopes:
    """Return the gradient and the average information."""
    q, size, nested = blocks.q, at.factor.shape[0], at.nested
    inverse = at.inverse(size if reml else q)
    weighted = nested.weighted(inverse)
    residual = np.append(-at.coefficients, 1.0)
    near_scores = nested.across @ residual
    scores, traces, pulls, near_pulls, loads = sweep_blocks(
        blocks.arrays,
        at.block_scale,
        blocks.block_terms,
        (inverse, *nested.inverse(weighted)),
        residual,
        -nested.variance * near_scores,
    )
    dense = at.reduced[:q] @ residual
    m = len(blocks.design.terms)
    trace = np.zeros(m)
    trace[list(blocks.term_of_block)] = traces[: len(blocks.term_of_block)]
    width = inverse.shape[0]
    # 1 - (I + SGS)^-1, divided by the variance, from one row times one column of the inverse.
    own = np.einsum("ij,ij->i", at.reduced[:q, :width], inverse[:q]) / at.scale[:q] ** 2
    trace += np.bincount(blocks.term_of_column, own, minlength=m)
    left = np.einsum("gii->i", nested.kept - nested.lost(weighted))
    trace += np.bincount(blocks.term_of_near, left, minlength=m)
    quadratic = np.bincount(blocks.term_of_column, dense**2, minlength=m).astype(np.float64)
    quadratic += np.bincount(blocks.term_of_near, (near_scores**2).sum(axis=0), minlength=m)
    for local, term in enumerate(blocks.term_of_block):
        quadratic[term] = float((scores[:, blocks.block_terms == local] ** 2).sum())
    inside = _inside_pairs(blocks, nested, near_scores, pulls, near_pulls, loads)
    pairs = _pairs(blocks, at, dense, *inside)
    gradient = trace - quadratic / at.sigma2
    df = residual_df(blocks, reml=reml)
    information = pairs / at.sigma2 - np.outer(quadratic, quadratic) / (at.sigma2**2 * df)
    return Slopes(gradient, information, quadratic, pairs, scores, near_scores, dense)


def _inside_pairs(
    blocks: Blocks,
    nested: Nested,
    near_scores: FloatArray,
    pulls: FloatArray,
    near_pulls: FloatArray,
    loads: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    r"""Return what blocks and documents add to `_pairs`.

    With :math:`v_t = Z_tZ_t'Py` these are :math:`R'P_2v_t`, of shape (terms, d), and
    :math:`v_t'P_2v_u`, of shape (terms, terms); zero for terms among the dense columns.
    """
    m, d = len(blocks.design.terms), pulls.shape[1]
    columns, base = np.zeros((m, d)), np.zeros((m, m))
    if nested.variance.size == 0:
        own = list(blocks.term_of_block)
        columns[own], base[np.ix_(own, own)] = pulls[: len(own)], loads[: len(own), : len(own)]
        return columns, base
    shift, cover = nested.shift(d), nested.cover
    near = {
        int(t): np.where(blocks.term_of_near == t, near_scores, 0.0)
        for t in np.unique(blocks.term_of_near)
    }
    for t, v in near.items():
        columns[t] = np.einsum("gi,gid->d", v, nested.across)
        for u, other in near.items():
            base[t, u] = np.einsum("gi,gij,gj->", v, nested.kept, other)
    for a, t in enumerate(blocks.term_of_block):
        columns[t] = pulls[a] - np.einsum("gi,gid->d", near_pulls[a], shift)
        for u, other in near.items():
            base[t, u] = base[u, t] = np.einsum(
                "gi,gij,gj->", other, nested.keep, near_pulls[a]
            )
        for b, u in enumerate(blocks.term_of_block):
            known = np.einsum("gi,gij,gj->", near_pulls[a], cover, near_pulls[b])
            base[t, u] = loads[a, b] - known
    return columns, base


def _pairs(
    blocks: Blocks,
    at: Factorised,
    dense: FloatArray,
    inside_columns: FloatArray,
    inside_base: FloatArray,
) -> FloatArray:
    """Return ``y'P Z_t Z_t' P Z_u Z_u' Py`` for all pairs of terms."""
    q, size, m = blocks.q, at.factor.shape[0], len(blocks.design.terms)
    split = np.zeros((q, m))
    split[np.arange(q), blocks.term_of_column] = dense
    columns = at.reduced[:size, :q] @ split + inside_columns[:, :size].T
    across = split.T @ columns[:q]  # rows of terms that are not among the dense columns are 0
    inside = ~np.isin(np.arange(m), blocks.term_of_column)
    base = np.where(inside[:, None], across.T, across) + inside_base
    return base - columns.T @ at.solve(columns)


def curvature(blocks: Blocks, at: Factorised, *, reml: bool) -> tuple[FloatArray, FloatArray]:
    r"""Return the squared norms :math:`|Z_t'PZ_u|^2`, and the derivatives of a covariance.

    The latter, of shape (terms, p, p), are those of :math:`(X'V^{-1}X)^{-1}` by each relative
    variance.
    """
    q, size, nested = blocks.q, at.factor.shape[0], at.nested
    width = size if reml else q
    inverse = at.inverse(width)
    weighted = nested.weighted(inverse)
    products, near_products, across_products, local = curve_blocks(
        blocks.arrays,
        at.block_scale,
        blocks.block_terms,
        (inverse, *nested.inverse(weighted)),
        size,
    )
    # What is left of the blocks' columns, and of their products, when documents are known.
    moved = across_products - near_products @ nested.shift(size)
    shift = stacked(nested.shift(size))
    for a in range(len(products)):
        products[a] -= stacked(across_products[a]).T @ shift
        products[a] -= shift.T @ stacked(moved[a])
    m = len(blocks.design.terms)
    member, near_member = (
        (terms == np.arange(m)[:, None]).astype(np.float64)
        for terms in (blocks.term_of_column, blocks.term_of_near)
    )
    project = -inverse @ at.reduced[:width, :q]
    project.flat[: q * (q + 1) : q + 1] += 1.0
    dense = at.reduced[:q, :width] @ project
    norms = member @ dense**2 @ member.T
    between = ((nested.flat(width) @ project) ** 2).reshape(*nested.across.shape[:2], q)
    both = near_member @ between.sum(axis=0) @ member.T
    norms += both + both.T + _near_norms(blocks, nested, inverse, weighted, near_member)
    for a, t in enumerate(blocks.term_of_block):
        product = products[a, :width, :width]
        across = np.einsum("ij,ij->j", project, product @ project)
        own = np.einsum("gij,gjk,gik->i", nested.keep, near_products[a], nested.keep)
        own -= 2.0 * np.einsum("giw,giw->i", nested.keep @ moved[a][:, :, :width], weighted)
        own += np.einsum("giw,giw->i", weighted @ product, weighted)
        norms[t] = norms[:, t] = member @ across + near_member @ own
    for a, t in enumerate(blocks.term_of_block):
        left = inverse @ products[a, :width, :width]
        covered = nested.cover @ near_products[a]
        part = nested.cover @ (moved[a][:, :, :width] @ inverse)
        for b, u in enumerate(blocks.term_of_block):
            shared = float(np.sum(left * (products[b, :width, :width] @ inverse)))
            shared += float(np.einsum("gij,gji->", covered, nested.cover @ near_products[b]))
            shared += 2.0 * float(np.sum(part * moved[b][:, :, :width]))
            norms[t, u] = local[a, b] + shared
    return norms, _covariance_slopes(blocks, at, products)


def _near_norms(
    blocks: Blocks,
    nested: Nested,
    inverse: FloatArray,
    weighted: FloatArray,
    member: FloatArray,
) -> FloatArray:
    """Return the squared norms among the terms of documents, and zero elsewhere."""
    kept, lost = nested.kept, nested.lost(weighted)
    norms: FloatArray = member @ (kept * (kept - 2.0 * lost)).sum(axis=0) @ member.T
    width = inverse.shape[0]
    loads = {}
    for t in np.unique(blocks.term_of_near):
        rows = stacked(nested.across[:, blocks.term_of_near == t, :width])
        loads[int(t)] = inverse @ (rows.T @ rows)
    for t, u in np.ndindex(norms.shape):
        if t in loads and u in loads:
            norms[t, u] += float(np.sum(loads[t] * loads[u].T))
    return norms


def _covariance_slopes(blocks: Blocks, at: Factorised, products: FloatArray) -> FloatArray:
    q, size = blocks.q, at.factor.shape[0]
    ends = np.zeros((size, size - q))
    ends[q:] = np.eye(size - q)
    fixed = at.solve(ends)  # the columns of Q that belong to the fixed effects
    dense = at.reduced[:q, :size] @ fixed
    near = at.nested.across[:, :, :size] @ fixed
    slopes = np.zeros((len(blocks.design.terms), size - q, size - q))
    for term in np.unique(blocks.term_of_column):
        rows = dense[blocks.term_of_column == term]
        slopes[term] = rows.T @ rows
    for term in np.unique(blocks.term_of_near):
        rows = stacked(near[:, blocks.term_of_near == term])
        slopes[term] = rows.T @ rows
    for local, term in enumerate(blocks.term_of_block):
        slopes[term] = fixed.T @ products[local] @ fixed
    return slopes


def _symmetric(lower: FloatArray) -> FloatArray:
    """Return the whole of a matrix whose lower triangle is valid."""
    triangle = np.tril(lower)
    full: FloatArray = triangle + triangle.T
    full.flat[:: full.shape[0] + 1] *= 0.5
    return full
