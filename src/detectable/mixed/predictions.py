"""Predicted random effects: how severe a rater is, how hard an item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from detectable.core import check
from detectable.core.execute import run_blocks
from detectable.core.interval import Interval
from detectable.core.result import DRAWS, Result, Signature
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, Progress, Seed, silent
from detectable.mixed.blocks import near_place
from detectable.mixed.design import DOCUMENT_BY_SYSTEM
from detectable.mixed.equations import Solution, set_up_equations
from detectable.mixed.general import minimise
from detectable.mixed.model import Model, few_threads, solve
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import BLOCK, draw_ratings

if TYPE_CHECKING:
    from concurrent.futures import Executor


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


# --- Is there such a spread at all: tests of one variance component ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentTest(Result):
    """Outcome of a test that one variance is zero."""

    component: str
    statistic: float  # fall of the criterion when the component is added
    p_value: float
    method: Literal["likelihood-ratio", "bootstrap"]
    sd: float  # as fitted
    n_resamples: int  # 0 for the likelihood ratio
    null: FloatArray = field(repr=False, compare=False, metadata=DRAWS)


@dataclass(frozen=True, slots=True)
class _Task:
    model: Model
    solution: Solution  # without the component
    term: int
    reml: bool


def component_test(
    fit: MixedFit,
    component: str,
    *,
    method: Literal["likelihood-ratio", "bootstrap"] = "likelihood-ratio",
    n_resamples: int = 999,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
    rng: Seed = None,
) -> ComponentTest:
    r"""Test whether a variance component is zero.

    The statistic is :math:`T = D_0 - D_1`, the deviance without the component minus that with
    it, both with the same fixed effects, so that restricted likelihoods may be compared. Zero
    is at the edge of what a variance can be: under the null hypothesis `T` is half the time 0
    and else :math:`\chi^2_1`, so :math:`p = P(\chi^2_1 \ge T) / 2` [1]_. With few raters that is
    too large a p-value; the parametric bootstrap draws ratings from the model without the
    component instead, and :math:`p = (1 + \#\{T^* \ge T\}) / (1 + R)`.

    Parameters
    ----------
    fit : MixedFit
        The model with the component.
    component : str
        Its name, such as ``"rater slope"``.
    method : {'likelihood-ratio', 'bootstrap'}
        How to find the p-value.
    n_resamples : int
        Samples of the bootstrap.
    n_jobs, executor, progress, rng
        As everywhere; they serve the bootstrap.

    References
    ----------
    .. [1] Self and Liang (1987), "Asymptotic properties of maximum likelihood estimators and
       likelihood ratio tests under nonstandard conditions", JASA 82(398), 605-610.

    Examples
    --------
    >>> from detectable.mixed.simulate import example_ratings
    >>> from detectable.mixed.fit import fit_mixed
    >>> fit = fit_mixed(example_ratings())
    >>> component_test(fit, "rater intercept").summary()
    'rater intercept: SD ..., likelihood ratio ..., p = ... (likelihood-ratio).'
    """
    fit.require_data()
    names = [term.name for term in fit.model.design.terms]
    term = names.index(check.one_of(component, names, "component"))
    check.one_of(method, ("likelihood-ratio", "bootstrap"), "method")
    model = fit.model
    response = model.response
    without = solve(model, response, reml=fit.reml, held=(term,))
    statistic = max(without.criterion - fit.criterion, 0.0)
    null, seed, resamples = np.empty(0), None, 0
    if method == "likelihood-ratio":
        p_value = _chi_bar(statistic)
    else:
        resamples = check.repetitions(n_resamples, "n_resamples")
        generator, seed = resolve(rng)
        null = np.concatenate(
            run_blocks(
                _statistics,
                _Task(model, without, term, fit.reml),
                blocks(resamples, generator, size=BLOCK),
                n_jobs=n_jobs,
                executor=executor,
                progress=progress,
                step="bootstrap",
            )
        )
        # The optimiser stops within 1e-9 of the minimum: closer statistics are equal.
        p_value = (1 + int(np.count_nonzero(null >= statistic - 1e-8))) / (1 + resamples)
    return ComponentTest(
        component=component,
        statistic=statistic,
        p_value=p_value,
        method=method,
        sd=fit.component(component).sd,
        n_resamples=resamples,
        null=null,
        signature=Signature(
            "mixed-component", {"method": method, "R": resamples, "component": component}, seed
        ),
    )


def _chi_bar(statistic: float) -> float:
    from scipy.special import chdtrc

    return 0.5 * float(chdtrc(1.0, statistic)) if statistic > 1e-8 else 1.0


def _statistics(task: _Task, block: Block) -> FloatArray:
    ratings = draw_ratings(
        task.model, task.solution, task.solution.coefficients, block.rows, block.rng
    )
    falls = [
        _criterion(task, response, held=(task.term,)) - _criterion(task, response, held=())
        for response in ratings
    ]
    return np.maximum(np.array(falls, dtype=np.float64), 0.0)


def _criterion(task: _Task, response: FloatArray, *, held: tuple[int, ...]) -> float:
    """Return the criterion at its minimum, without the derivatives that only tests need."""
    if task.model.layout is not None:
        return solve(task.model, response, reml=task.reml, held=held).criterion
    drawn = task.model.blocks_for(response)
    with few_threads(drawn):
        return minimise(drawn, reml=task.reml, held=held)[1].value
