"""Predicted random effects: how severe a rater is, how hard an item."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.mixed.blocks import near_place
from detectable.mixed.design import DOCUMENT_BY_SYSTEM
from detectable.mixed.equations import set_up_equations
from detectable.mixed.model import few_threads
from detectable.mixed.result import MixedFit


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPrediction:
    """One rater, item or document against the average one."""

    level: str
    effect: float  # in units of the rating; below zero: severe, or hard
    standard_error: float
    interval: Interval
    by_system: Mapping[str, float]  # what comes on top for each system; empty if nothing does
    by_system_errors: Mapping[str, float]
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPredictions(Result):
    """All levels of one factor."""

    factor: str
    effects: tuple[EffectPrediction, ...]


def predict_effects(fit: MixedFit, *, factor: str) -> EffectPredictions:
    r"""Predict the effect of every rater, item or document.

    The best linear unbiased predictions :math:`\hat b = \sigma_t^2 Z_t' V^{-1} (y - X\hat\beta)`
    are pulled towards zero, the more so the fewer the ratings. The standard error is that of
    :math:`\hat b - b`, with the fixed effects estimated and the variances taken as known [1]_.

    Parameters
    ----------
    fit : MixedFit
        A fitted model.
    factor : {'rater', 'item', 'document'}
        Whose effects.

    References
    ----------
    .. [1] Henderson (1975), "Best linear unbiased estimation and prediction under a selection
       model", Biometrics 31(2), 423-447.

    Examples
    --------
    >>> from detectable.mixed.simulate import example_ratings
    >>> from detectable.mixed.fit import fit_mixed
    >>> fit = fit_mixed(example_ratings())
    >>> [round(row.effect, 2) for row in predict_effects(fit, factor="rater").effects]
    [-0.73, 0.73]
    """
    fit.require_data()
    design = fit.model.design
    check.one_of(factor, design.groups, "factor")
    values, covariance = fit.solution.effects[factor], _covariance(fit, factor)
    names: tuple[str, ...] = ()
    by_system = by_system_errors = np.zeros((len(values), 0))
    if factor == "document" and DOCUMENT_BY_SYSTEM in design.factors:
        names, by_system, by_system_errors = _crossed(fit)
    elif factor in design.slopes:
        names, by_system, by_system_errors = _sloped(fit, values, covariance)
    counts = np.bincount(design.factors[factor].codes)
    half = _normal(1.0 - fit.alpha)
    effects = []
    for level, value, spread, own, errors, n in zip(
        design.factors[factor].levels,
        values,
        covariance,
        by_system,
        by_system_errors,
        counts,
        strict=True,
    ):
        effect, error = float(value[0]), float(np.sqrt(max(spread[0, 0], 0.0)))
        effects.append(
            EffectPrediction(
                level=level,
                effect=effect,
                standard_error=error,
                interval=Interval(
                    effect - half * error, effect + half * error, 1.0 - fit.alpha
                ),
                by_system=dict(zip(names, own.tolist(), strict=True)),
                by_system_errors=dict(zip(names, errors.tolist(), strict=True)),
                n_ratings=int(n),
            )
        )
    return EffectPredictions(
        factor=factor,
        effects=tuple(effects),
        signature=Signature("mixed-predictions", {"factor": factor, "n": design.n}),
    )


def _sloped(
    fit: MixedFit, values: FloatArray, covariance: FloatArray
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Return what slopes add for each system, or for a unit of a number, and the errors."""
    design = fit.model.design
    rows, names = design.coding, design.systems
    if design.numeric:
        rows, names = np.ones((1, 1)), ("1 unit",)
    spread = np.einsum("si,lij,sj->ls", rows, covariance[:, 1:, 1:], rows)
    return names, values[:, 1:] @ rows.T, np.sqrt(np.maximum(spread, 0.0))


def _crossed(fit: MixedFit) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Return the effect of each document and system; 0 ± the spread where they never met."""
    design = fit.model.design
    cells = design.factors[DOCUMENT_BY_SYSTEM]
    _, first = np.unique(cells.codes, return_index=True)
    place = design.factors["document"].codes[first], design.system[first]
    shape = design.groups["document"], len(design.systems)
    effects = np.zeros(shape)
    errors = np.full(shape, fit.component(DOCUMENT_BY_SYSTEM).sd)
    effects[place] = fit.solution.effects[DOCUMENT_BY_SYSTEM][:, 0]
    covariance = _covariance(fit, DOCUMENT_BY_SYSTEM)
    errors[place] = np.sqrt(np.maximum(covariance[:, 0, 0], 0.0))
    return design.systems, effects, errors


def _covariance(fit: MixedFit, factor: str) -> FloatArray:
    """Return the prediction error covariance of each level, of shape (levels, k, k)."""
    blocks, solution = fit.model.blocks_for(fit.model.response), fit.solution
    with few_threads(blocks):
        # Restricted: fixed effects are never known, however the variances were found.
        at = set_up_equations(blocks, solution.rho, reml=True)
        near, _ = at.nested.inverse(at.weighted)
    if factor == blocks.eliminated:
        variance = at.floor[blocks.block_terms]
        left = at.conditioned.own - at.shared  # Z'PZ of every block
        relative = np.diag(variance) - variance[:, None] * left * variance
    elif factor in blocks.inside:
        design = fit.model.design
        group, first = near_place(design, factor)
        index = first[:, None] + np.arange(design.p if factor in design.slopes else 1)
        relative = near[group[:, None, None], index[:, :, None], index[:, None, :]]
    else:
        relative = _dense_covariance(fit, factor, at.inverse)
    return solution.sigma2 * relative


def _dense_covariance(fit: MixedFit, factor: str, inverse: FloatArray) -> FloatArray:
    design, offset = fit.model.design, 0
    for role, other in design.factors.items():
        width = design.p if role in design.slopes else 1
        if role == factor:
            starts = offset + width * np.arange(len(other.levels))
            index = starts[:, None] + np.arange(width)
            found: FloatArray = inverse[index[:, :, None], index[:, None, :]]
            return found
        if role not in (fit.model.blocks.eliminated, *fit.model.blocks.inside):
            offset += width * len(other.levels)
    raise KeyError(factor)  # unreachable: the caller checked the name


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))
