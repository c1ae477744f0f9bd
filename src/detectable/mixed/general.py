"""Fit any design by its profiled deviance: exact derivatives, and the optimum on the boundary too."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.mixed.blocks import Blocks, bounded_step, near_place
from detectable.mixed.equations import (
    Equations,
    Solution,
    curvature,
    no_residual,
    set_up_equations,
)


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


# --- Fit any design by its profiled deviance ---

_FLAT = 1e-9  # a curvature below this, of a matrix with unit diagonal, is rounding


def solve_general(blocks: Blocks, *, reml: bool, held: Sequence[int] = ()) -> Solution:
    """Minimise the deviance and describe the minimum; terms `held` have no variance."""
    rho, at, slopes = minimise(blocks, reml=reml, held=held)
    norms, changes = curvature(at.equations)
    free = np.flatnonzero(rho > 0.0)
    q = blocks.q
    covariance = at.sigma2 * at.equations.fixed[q:]
    return Solution(
        rho=rho,
        sigma2=at.sigma2,
        criterion=at.value,
        coefficients=at.coefficients[q:],
        covariance=covariance,
        gradients=np.concatenate([at.sigma2 * changes[free], covariance[None] / at.sigma2]),
        uncertainty=_uncertainty(blocks, at, slopes, norms, free, reml=reml),
        effects=_effects(blocks, rho, at, slopes),
        method="profiled deviance",
    )


def _uncertainty(
    blocks: Blocks,
    at: Factorised,
    slopes: Slopes,
    norms: FloatArray,
    free: np.ndarray,
    *,
    reml: bool,
) -> FloatArray:
    """Return twice the inverse Hessian of the deviance in (rho, residual variance)."""
    hessian = np.empty((free.size + 1, free.size + 1))
    part = np.ix_(free, free)
    hessian[:-1, :-1] = 2.0 * slopes.pairs[part] / at.sigma2 - norms[part]
    hessian[-1, :-1] = hessian[:-1, -1] = slopes.quadratic[free] / at.sigma2**2
    hessian[-1, -1] = residual_df(blocks, reml=reml) / at.sigma2**2
    size = np.sqrt(np.abs(np.diagonal(hessian)))
    values, vectors = np.linalg.eigh(hessian / size / size[:, None])
    if values[0] < _FLAT:
        parts = np.abs(vectors[:-1, 0])
        names = [blocks.design.terms[t].name for t in free[parts > 0.2 * parts.max()]]
        raise ConvergenceError(
            f"the data cannot separate these spreads, or any of them from the residual: "
            f"{', '.join(names)}. Leave one out with `slopes`, or documents with `unit='item'`, or "
            "collect repeated ratings."
        )
    scaled = vectors / size[:, None]
    return np.asarray(2.0 * (scaled / values) @ scaled.T, np.float64)


def _effects(
    blocks: Blocks, rho: FloatArray, at: Factorised, slopes: Slopes
) -> dict[str, FloatArray]:
    """Return the predictions, which are the relative variance times Z'Py."""
    design = blocks.design
    dense = rho[blocks.term_of_column] * at.dense_scores
    own = rho[blocks.block_terms] * slopes.effects
    near = rho[blocks.term_of_near] * at.near_scores
    effects, offset = {}, 0
    for role, factor in design.factors.items():
        width = design.p if role in design.slopes else 1
        if role == blocks.eliminated:
            effects[role] = own
            continue
        if role in blocks.inside:
            group, first = near_place(design, role)
            effects[role] = near[group[:, None], first[:, None] + np.arange(width)]
            continue
        end = offset + width * len(factor.levels)
        effects[role] = dense[offset:end].reshape(-1, width)
        offset = end
    return effects


# --- Find the variances that minimise the deviance, on the boundary as well as inside ---

_STEPS = 200
_HALVINGS = 40
_ENOUGH = 1e-12  # what a further step would gain, in units of the deviance
_LARGE = 1e4  # with a residual this small beside a spread, rounding may end the descent
_LARGEST = 1e8  # a variance this many times the residual one means that there is no residual
_STARTS = (0.3, 3.0, 0.01)
_FEW = (
    200  # up to so many ratings the deviance may have several minima, so all starts are tried
)


def minimise(
    blocks: Blocks, *, reml: bool, held: Sequence[int] = ()
) -> tuple[FloatArray, Factorised, Slopes]:
    """Return the relative variances at the minimum, with the equations and derivatives there.

    The terms `held` stay at zero.
    """
    found = [_minimise_from(blocks, rho, reml=reml, held=held) for rho in _starts(blocks)]
    return min(found, key=lambda minimum: minimum[1].value)


def _starts(blocks: Blocks) -> list[FloatArray]:
    """Return where to begin: with few ratings in several places, else where the moments say."""
    plain = [np.full(blocks.n_terms, start) for start in _STARTS]
    if blocks.design.n <= _FEW:
        return plain
    near = blocks.moments.start(blocks.response)
    return plain[:1] if near is None else [near]


def _minimise_from(
    blocks: Blocks, start: FloatArray, *, reml: bool, held: Sequence[int]
) -> tuple[FloatArray, Factorised, Slopes]:
    """Return one minimum.

    Newton steps within the bounds, with the average information as curvature; a step that is
    not enough of a descent is halved.
    """
    rho = start.copy()
    allowed = np.ones(rho.size, bool)
    rho[list(held)], allowed[list(held)] = 0.0, False
    at = factorise(blocks, rho, reml=reml)
    for _ in range(_STEPS):
        slopes = differentiate(blocks, at)
        direction = np.zeros(rho.size)
        direction[allowed], gain = bounded_step(
            rho[allowed],
            slopes.gradient[allowed],
            slopes.information[np.ix_(allowed, allowed)],
        )
        if abs(gain) < _ENOUGH:
            return rho, at, slopes
        rho, at = _descend(blocks, rho, at, slopes.gradient, direction, reml=reml)
    raise ConvergenceError(
        f"the fit did not converge in {_STEPS} steps; the relative variances are at "
        f"{_listed(blocks, rho)}. Use slopes='none' or fewer slopes: the data may not tell all "
        "these spreads apart."
    )


def _descend(
    blocks: Blocks,
    rho: FloatArray,
    at: Factorised,
    gradient: FloatArray,
    direction: FloatArray,
    *,
    reml: bool,
) -> tuple[FloatArray, Factorised]:
    # No variance grows more than tenfold at once: far from the minimum the curvature misleads.
    length = float(np.min(1.0 / np.maximum(direction / (10.0 * (rho + 0.1)), 1.0)))
    noise = 1e-13 * max(1.0, abs(at.value))
    for _ in range(_HALVINGS):
        new = np.maximum(rho + length * direction, 0.0)
        if new.max() > _LARGEST:
            raise no_residual()
        there = factorise(blocks, new, reml=reml)
        if there.value <= at.value + 1e-4 * float(gradient @ (new - rho)) + noise:
            return new, there
        length *= 0.5
    if rho.max() > _LARGE:
        raise no_residual()
    raise ConvergenceError(
        f"the fit found no way down from {_listed(blocks, rho)} (relative variances). Use "
        "slopes='none' or fewer slopes, and look for ratings on another scale."
    )


def _listed(blocks: Blocks, rho: FloatArray) -> str:
    return ", ".join(
        f"{term.name} {value:.3g}" for term, value in zip(blocks.design.terms, rho, strict=True)
    )
