"""Fit any design by its profiled deviance."""

from collections.abc import Sequence

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.mixed.blocks import Blocks, near_place
from detectable.mixed.curvature import curvature
from detectable.mixed.deviance import Factorised, Slopes, residual_df
from detectable.mixed.optimum import minimise
from detectable.mixed.solution import Solution

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
            f"the data cannot tell these spreads apart, or from the residual: "
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
