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

from detectable.core.types import FloatArray
from detectable.mixed.blocks import Blocks
from detectable.mixed.equations import Equations, no_residual, set_up_equations


@dataclass(frozen=True, slots=True)
class Factorised:
    """The criterion of ratings at given relative variances."""

    value: float  # the criterion
    sigma2: float  # residual variance
    equations: Equations
    coefficients: FloatArray  # (d,), of the unscaled dense columns: effects, then fixed
    dense_scores: FloatArray  # (q,), Z'Py of the dense random effects
    near_scores: FloatArray  # (groups, c), of the columns of documents


@dataclass(frozen=True, slots=True)
class Slopes:
    """First derivatives, and what the second ones are made of."""

    gradient: FloatArray  # (terms,)
    information: FloatArray  # (terms, terms), average information
    quadratic: FloatArray  # (terms,), q_t
    pairs: FloatArray  # (terms, terms), q_tu
    effects: FloatArray  # (blocks, k), Z'Py of the blocks


def residual_df(blocks: Blocks, *, reml: bool) -> int:
    """Return the divisor of the residual sum of squares."""
    return blocks.design.n - (blocks.design.p if reml else 0)


def factorise(blocks: Blocks, rho: FloatArray, *, reml: bool) -> Factorised:
    """Evaluate the criterion."""
    return evaluate(blocks, set_up_equations(blocks, rho, reml=reml))


def evaluate(blocks: Blocks, equations: Equations) -> Factorised:
    """Evaluate the criterion of the ratings of `blocks` where the equations are known."""
    from scipy.linalg.lapack import dpotrs

    q, nested, scale = blocks.q, equations.nested, equations.scale
    roots, own = equations.conditioned.roots, blocks.block_response
    known = np.einsum("jab,jb->ja", roots, own)
    near, dense = blocks.arrays.columns_of(np.einsum("jab,ja->jb", roots, known))
    squares = blocks.square - float(np.einsum("ja,ja->", known, known))
    right = blocks.dense_response - dense
    near_left = near_kept = blocks.near_response - near
    if nested.variance.size:
        near_kept = np.einsum("gij,gj->gi", nested.keep, near_left)
        shift = nested.variance * near_left
        right -= np.einsum("gi,gid->d", shift, nested.across)
        squares -= float(np.einsum("gi,gi->", shift, near_kept))
    right *= scale
    found, _ = dpotrs(equations.factor, right, lower=1)
    squares -= float(right @ found)
    if not squares > 1e-14 * blocks.square:
        raise no_residual()
    df = residual_df(blocks, reml=equations.reml)
    sigma2 = squares / df
    value = equations.log_det + df * (1.0 + float(np.log(2.0 * np.pi * sigma2)))
    coefficients = scale * found
    return Factorised(
        value,
        sigma2,
        equations,
        coefficients,
        # The equations say that what is left of the right side is the solution over S.
        found[:q] / scale[:q],
        near_kept - nested.across @ coefficients,
    )


def differentiate(blocks: Blocks, at: Factorised) -> Slopes:
    """Return the gradient and the average information."""
    equations, m = at.equations, blocks.n_terms
    left, own = equations.conditioned.left, equations.conditioned.own
    moved = -equations.nested.variance * at.near_scores
    seen = blocks.block_response + blocks.arrays.sums(moved, -at.coefficients)
    scores = np.einsum("jab,jb->ja", left, seen)
    quadratic = np.zeros(m)
    quadratic += np.bincount(blocks.block_terms, (scores**2).sum(axis=0), minlength=m)
    quadratic += np.bincount(blocks.term_of_column, at.dense_scores**2, minlength=m)
    if blocks.arrays.c:
        near_squares = (at.near_scores**2).sum(axis=0)
        quadratic += np.bincount(blocks.term_of_near, near_squares, minlength=m)
    inside = np.zeros((m, blocks.d)), np.zeros((m, m))
    near_pulls = []
    for t in blocks.term_of_block:
        part = np.where(blocks.block_terms == t, scores, 0.0)
        near, inside[0][t] = blocks.arrays.columns_of(np.einsum("jab,ja->jb", left, part))
        near_pulls.append(near)
    loads = np.einsum("ja,jab,jb->ab", scores, own, scores)
    np.add.at(inside[1], np.ix_(blocks.block_terms, blocks.block_terms), loads)
    if blocks.arrays.c:
        _add_documents(blocks, at, near_pulls, *inside)
    pairs = _pairs(blocks, at, *inside)
    gradient = equations.traces - quadratic / at.sigma2
    df = residual_df(blocks, reml=equations.reml)
    information = pairs / at.sigma2 - np.outer(quadratic, quadratic) / (at.sigma2**2 * df)
    return Slopes(gradient, information, quadratic, pairs, scores)


def _add_documents(
    blocks: Blocks,
    at: Factorised,
    near_pulls: list[FloatArray],
    columns: FloatArray,
    base: FloatArray,
) -> None:
    r"""Complete what blocks and documents add to `_pairs`, in place.

    With :math:`v_t = Z_tZ_t'Py` these are :math:`R'P_2v_t`, of shape (terms, d), and
    :math:`v_t'P_2v_u`, of shape (terms, terms); zero for terms among the dense columns.
    """
    nested = at.equations.nested
    shift, cover = nested.shift(blocks.d), nested.cover
    near = {
        int(t): np.where(blocks.term_of_near == t, at.near_scores, 0.0)
        for t in np.unique(blocks.term_of_near)
    }
    for t, v in near.items():
        columns[t] = np.einsum("gi,gid->d", v, nested.across)
        for u, other in near.items():
            base[t, u] = np.einsum("gi,gij,gj->", v, nested.kept, other)
    for t, pull in zip(blocks.term_of_block, near_pulls, strict=True):
        columns[t] -= np.einsum("gi,gid->d", pull, shift)
        for u, other in near.items():
            base[t, u] = base[u, t] = np.einsum("gi,gij,gj->", other, nested.keep, pull)
        for u, other in zip(blocks.term_of_block, near_pulls, strict=True):
            base[t, u] -= np.einsum("gi,gij,gj->", pull, cover, other)


def _pairs(
    blocks: Blocks, at: Factorised, inside_columns: FloatArray, inside_base: FloatArray
) -> FloatArray:
    """Return ``y'P Z_t Z_t' P Z_u Z_u' Py`` for all pairs of terms."""
    q, m = blocks.q, blocks.n_terms
    split = np.zeros((q, m))
    split[np.arange(q), blocks.term_of_column] = at.dense_scores
    columns = at.equations.reduced[:, :q] @ split + inside_columns.T
    across = split.T @ columns[:q]  # rows of terms that are not among the dense columns are 0
    inside = np.bincount(blocks.term_of_column, minlength=m) == 0
    base = np.where(inside[:, None], across.T, across) + inside_base
    return np.asarray(base - columns.T @ at.equations.solve(columns))
