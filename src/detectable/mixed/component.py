"""Is there such a spread at all: tests of one variance component."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from detectable.core import check
from detectable.core.execute import run_blocks
from detectable.core.result import DRAWS, Result, Signature
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, Progress, Seed, silent
from detectable.mixed.equations import Solution
from detectable.mixed.general import minimise
from detectable.mixed.model import Model, few_threads, solve
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import BLOCK, draw_ratings

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
