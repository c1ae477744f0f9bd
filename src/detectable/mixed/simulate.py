"""Draw new ratings from a fitted model and fit them again: power on the design at hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from detectable.core import check
from detectable.core.errors import ConvergenceError, InputError
from detectable.core.execute import run_blocks
from detectable.core.result import DRAWS, Result, Signature
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, Progress, Seed, silent
from detectable.mixed.equations import Solution
from detectable.mixed.model import Model, solve
from detectable.mixed.result import MixedFit, pairs, system_contrasts

if TYPE_CHECKING:
    from concurrent.futures import Executor

BLOCK = 50  # fits per block; part of every answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation(Result):
    """Fits of simulated ratings; a fit that failed has nan and counts as not significant."""

    contrasts: tuple[tuple[str, str | None], ...]  # system and baseline of each column
    truth: tuple[float, ...]  # of each contrast
    alpha: float
    power: tuple[
        float, ...
    ]  # share significant at alpha, with the right sign unless truth is 0
    standard_errors: tuple[float, ...]  # of the shares
    n_simulations: int
    n_failed: int
    estimates: FloatArray = field(repr=False, compare=False, metadata=DRAWS)
    errors: FloatArray = field(repr=False, compare=False, metadata=DRAWS)
    df: FloatArray = field(repr=False, compare=False, metadata=DRAWS)
    p_values: FloatArray = field(repr=False, compare=False, metadata=DRAWS)


@dataclass(frozen=True, slots=True)
class _Task:
    model: Model
    solution: Solution
    coefficients: FloatArray
    reml: bool
    baseline: str | None


def simulate(  # noqa: PLR0913 (what is true, how to test it, and how to run it)
    fit: MixedFit,
    *,
    n_simulations: int = 1000,
    effect: float | None = None,
    means: Mapping[str, float] | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
    rng: Seed = None,
) -> Simulation:
    """Simulate ratings with new raters and items on the design of a fit, and fit each set.

    Who rates what stays as it is; raters, items and noise are drawn anew with the fitted
    variances, and every set is fitted with the same model. All fits share the set-up.

    Parameters
    ----------
    fit : MixedFit
        Where design and variances come from.
    n_simulations : int
        Number of sets of ratings.
    effect : float, optional
        True difference between two systems, or true effect of one unit of a numeric system.
    means : mapping of str to float, optional
        True mean of every system; in place of `effect`. Neither: the fitted means.
    alpha : float
        Two-sided level.
    baseline : str, optional
        Compare all systems with this one; by default all pairs.
    n_jobs, executor, progress, rng
        As everywhere; the answer does not depend on the first three.

    Examples
    --------
    >>> from detectable.mixed.simulate import example_ratings
    >>> from detectable.mixed.fit import fit_mixed
    >>> fit = fit_mixed(example_ratings())
    >>> simulate(fit, effect=5.0, n_simulations=100, rng=1).power[0] > 0.8
    True
    """
    fit.require_data()
    n_simulations = check.repetitions(n_simulations, "n_simulations")
    alpha = check.probability(alpha, "alpha")
    generator, seed = resolve(rng)
    coefficients = _coefficients(fit, effect, means)
    task = _Task(fit.model, fit.solution, coefficients, fit.reml, baseline)
    if fit.model.layout is None:
        _ = fit.model.blocks  # made once here, and not in every process
    found = np.concatenate(
        run_blocks(
            _fits,
            task,
            blocks(n_simulations, generator, size=BLOCK),
            n_jobs=n_jobs,
            executor=executor,
            progress=progress,
            step="simulating",
        ),
        axis=1,
    )
    shown = system_contrasts(fit.model.design, fit.solution, baseline, 0.95)
    true = np.array([_truth(fit, coefficients, row.system, row.baseline) for row in shown])
    estimates, errors, df, p_values = found
    right = (np.sign(estimates) == np.sign(true)) | (np.abs(true) < 1e-12)
    power = ((p_values <= alpha) & right).mean(axis=0)
    return Simulation(
        contrasts=tuple((row.system, row.baseline) for row in shown),
        truth=tuple(true.tolist()),
        alpha=alpha,
        power=tuple(power.tolist()),
        standard_errors=tuple(np.sqrt(power * (1.0 - power) / n_simulations).tolist()),
        n_simulations=n_simulations,
        n_failed=int(np.isnan(p_values[:, 0]).sum()),
        estimates=estimates,
        errors=errors,
        df=df,
        p_values=p_values,
        signature=Signature(
            "mixed-simulation", {"n": fit.n_ratings, "R": n_simulations, "alpha": alpha}, seed
        ),
    )


def draw_ratings(
    model: Model,
    solution: Solution,
    coefficients: FloatArray,
    rows: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return `rows` sets of ratings from the model, of shape (rows, n)."""
    design = model.design
    fixed = design.fixed_rows()[design.system]
    drawn: FloatArray = rng.normal(0.0, np.sqrt(solution.sigma2), (rows, design.n))
    drawn += fixed @ coefficients
    for term, rho in zip(design.terms, solution.rho, strict=True):
        factor = design.factors[term.factor]
        columns = slice(0, 1) if term.kind == "intercept" else slice(1, design.p)
        width = fixed[:, columns].shape[1]
        sd = np.sqrt(rho * solution.sigma2)
        effects = rng.normal(0.0, 1.0, (rows, len(factor.levels), width)) * sd
        for j in range(width):
            drawn += effects[:, factor.codes, j] * fixed[:, columns][:, j]
    return drawn


def _fits(task: _Task, block: Block) -> FloatArray:
    """Return estimate, standard error, df and p-value, of shape (4, rows, contrasts)."""
    ratings = draw_ratings(task.model, task.solution, task.coefficients, block.rows, block.rng)
    found = np.full((4, block.rows, len(pairs(task.model.design, task.baseline))), np.nan)
    for row, response in enumerate(ratings):
        try:
            solution = solve(task.model, response, reml=task.reml)
        except ConvergenceError:
            continue  # counted by its nan
        contrasts = system_contrasts(task.model.design, solution, task.baseline, 0.95)
        found[:, row] = np.transpose(
            [[c.estimate, c.standard_error, c.df, c.p_value] for c in contrasts]
        )
    return found


def _coefficients(
    fit: MixedFit, effect: float | None, means: Mapping[str, float] | None
) -> FloatArray:
    design, fitted = fit.model.design, fit.solution.coefficients
    if effect is not None and means is not None:
        raise InputError("give `effect` or `means`, not both.")
    if means is not None:
        if set(means) != set(design.systems):
            raise InputError(
                f"`means` must name every system: {', '.join(design.systems)}; got "
                f"{', '.join(means)}."
            )
        wanted = np.array([means[name] for name in design.systems])
        rows = design.fixed_rows()
        return np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0])
    if effect is None:
        return fitted
    if not design.numeric and len(design.systems) > 2:
        raise InputError(
            f"`effect` is for two systems; there are {len(design.systems)}. Use `means`."
        )
    step = 1.0 if design.numeric else float(np.ptp(design.coding[:, 0]))
    return np.array([fitted[0], effect / step])


def _truth(fit: MixedFit, coefficients: FloatArray, system: str, baseline: str | None) -> float:
    if baseline is None:
        return float(coefficients[1])
    design, rows = fit.model.design, fit.model.design.fixed_rows()
    row = rows[design.systems.index(system)] - rows[design.systems.index(baseline)]
    return float(row @ coefficients)


# --- A dozen ratings, small enough to follow by hand ---


def example_ratings() -> dict[str, list[int] | list[str]]:
    """Return ratings of three items of two systems by two raters; Ben is kinder than Ann.

    Examples
    --------
    >>> {name: values[:4] for name, values in example_ratings().items()}
    {'score': [3, 4, 2, 4], 'system': ['old', 'new', 'old', 'new'],
     'rater': ['ann', 'ann', 'ann', 'ann'], 'item': [1, 1, 2, 2]}
    """
    return {
        "score": [3, 4, 2, 4, 5, 5, 4, 5, 4, 6, 7, 6],
        "system": ["old", "new"] * 6,
        "rater": ["ann"] * 6 + ["ben"] * 6,
        "item": [1, 1, 2, 2, 3, 3] * 2,
    }
