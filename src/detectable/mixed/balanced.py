r"""Balanced designs: every rater rates every item of every system equally often.

The ratings then split into orthogonal strata. With `I` raters, `J` items, `k` systems and `r`
ratings per cell, and contrasts with :math:`C'C = sI`, the expected mean squares are

.. math::
   \lambda_\text{rater} &= e + Jkr\,\sigma^2_\text{rater}, &
   \lambda_\text{item} &= e + Ikr\,\sigma^2_\text{item}, \\
   \lambda_\text{rater slope} &= e + Jrs\,\tau^2_\text{rater}, &
   \lambda_\text{item slope} &= e + Irs\,\tau^2_\text{item},

with `e` that of the residual. Minus twice the restricted log-likelihood is, but for a constant,
:math:`\sum \nu_t (\log\lambda_t + M_t/\lambda_t)` [1]_, so that its minimum under
:math:`\lambda_t \ge e` takes the mean squares :math:`M_t` as they are, and pools those below
the residual with it, smallest first [2]_. Maximum likelihood adds
:math:`\log(\lambda_\text{rater} + \lambda_\text{item} - e)` and the same for the slopes, `k - 1`
times; that minimum has no closed form and is found by Newton steps in four numbers.

References
----------
.. [1] Patterson and Thompson (1971), Biometrika 58(3), 545-554.
.. [2] Thompson (1962), "The problem of negative estimates of variance components", Annals of
   Mathematical Statistics 33(1), 273-289.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray, IntArray
from detectable.mixed.blocks import bounded_step
from detectable.mixed.design import Design
from detectable.mixed.equations import Solution, no_residual

# Strata in this order everywhere; the last is the residual.
_STRATA = (("rater", "intercept"), ("item", "intercept"), ("rater", "slope"), ("item", "slope"))
_MEAN = np.array([1.0, 1.0, 0.0, 0.0, -1.0])  # λ of the grand mean
_SYSTEM = np.array([0.0, 0.0, 1.0, 1.0, -1.0])  # λ of the differences between systems


@dataclass(frozen=True, slots=True)
class Layout:
    """How the ratings of a balanced design form a table."""

    order: IntArray  # sorts ratings by rater, item and system
    shape: tuple[int, int, int, int]  # raters, items, systems, ratings per cell


@dataclass(frozen=True, slots=True)
class _Strata:
    squares: FloatArray  # (5,), sums of squares; the residual is last
    df: FloatArray  # (5,)
    multiple: FloatArray  # (4,), λ = e + multiple · variance
    present: np.ndarray  # (4,), whether the model has the component


def find_layout(design: Design) -> Layout | None:
    """Return the table that the ratings fill, or None if the closed form does not hold."""
    if design.factors.keys() != {"rater", "item"}:  # documents have strata of their own
        return None
    coding = design.coding
    gram = coding.T @ coding
    orthogonal = (
        coding.shape[1] == len(design.systems) - 1
        and np.allclose(coding.sum(axis=0), 0.0, atol=1e-12 * np.abs(coding).max())
        and np.allclose(gram, gram[0, 0] * np.eye(len(gram)), rtol=0.0, atol=1e-12 * gram[0, 0])
    )
    rater, item = design.factors["rater"], design.factors["item"]
    shape = (len(rater.levels), len(item.levels), len(design.systems))
    cells = shape[0] * shape[1] * shape[2]
    if not orthogonal or design.n % cells:
        return None
    keys = (rater.codes * shape[1] + item.codes) * shape[2] + design.system
    repeats = design.n // cells
    if repeats == 0 or (np.bincount(keys, minlength=cells) != repeats).any():
        return None
    return Layout(np.argsort(keys, kind="stable"), (*shape, repeats))


def solve_balanced(
    design: Design,
    layout: Layout,
    response: FloatArray,
    *,
    reml: bool,
    held: Sequence[int] = (),
) -> Solution:
    """Fit a balanced design; see the head of this file. Terms `held` have no variance."""
    table = response[layout.order].reshape(layout.shape).mean(axis=3)
    center = float(table.mean())
    table = table - center
    names = {(t.factor, t.kind) for i, t in enumerate(design.terms) if i not in held}
    present = np.array([stratum in names for stratum in _STRATA])
    strata = _strata(design, layout, response - center, table, present)
    if not strata.squares[4] > 1e-14 * strata.squares.sum():
        raise no_residual()
    k = layout.shape[2]
    lam = _pool(strata)
    if not reml:
        lam = _maximise(strata, lam, k - 1)
    return _describe(design, strata, lam, table, center, reml=reml)


def _strata(
    design: Design,
    layout: Layout,
    response: FloatArray,
    table: FloatArray,
    present: np.ndarray,
) -> _Strata:
    raters, items, k, repeats = layout.shape
    by_rater, by_item = table.mean(axis=(1, 2)), table.mean(axis=(0, 2))
    by_system = table.mean(axis=(0, 1))
    squares = np.array(
        [
            items * k * repeats * float(by_rater @ by_rater),
            raters * k * repeats * float(by_item @ by_item),
            items * repeats * float((_deviations(table, 1) ** 2).sum()),
            raters * repeats * float((_deviations(table, 0) ** 2).sum()),
            0.0,
        ]
    )
    between = raters * items * repeats * float(by_system @ by_system)
    squares[4] = float(response @ response) - between - squares.sum()
    df = np.array([raters - 1, items - 1, (raters - 1) * (k - 1), (items - 1) * (k - 1), 0.0])
    df[4] = design.n - k - df.sum()
    norm = float(design.coding[:, 0] @ design.coding[:, 0])
    multiple = repeats * np.array([items * k, raters * k, items * norm, raters * norm])
    for t in np.flatnonzero(~present):  # what is not modelled is residual
        squares[4] += squares[t]
        df[4] += df[t]
        squares[t] = df[t] = 0.0
    return _Strata(squares, df, multiple, present)


def _deviations(table: FloatArray, axis: int) -> FloatArray:
    """Return the interaction with systems of the factor that is left when `axis` is averaged."""
    means = table.mean(axis=axis)
    means = means - means.mean(axis=1, keepdims=True)
    deviations: FloatArray = means - means.mean(axis=0)
    return deviations


def _pool(strata: _Strata) -> FloatArray:
    """Return the mean squares under the order restriction, for restricted likelihood."""
    squares, df = strata.squares[4], strata.df[4]
    means = np.full(4, np.inf)
    np.divide(strata.squares[:4], strata.df[:4], out=means, where=strata.present)
    lam = np.append(means, squares / df)
    for t in np.argsort(means):
        if not strata.present[t] or means[t] >= squares / df:
            break
        squares, df = squares + strata.squares[t], df + strata.df[t]
        lam[t] = -1.0
    residual = squares / df
    return np.where((lam < 0.0) | np.append(~strata.present, True), residual, lam)


def _maximise(strata: _Strata, start: FloatArray, contrasts: int) -> FloatArray:
    r"""Return the λ of maximum likelihood, from those of restricted likelihood.

    In :math:`x_t = \lambda_t / e - 1 \ge 0` with `e` profiled out.
    """
    x = np.where(strata.present, start[:4] / start[4] - 1.0, 0.0)
    value, gradient, hessian, e = _profile(strata, x, contrasts)
    for _ in range(200):
        step = np.zeros(4)
        part = strata.present
        step[part], gain = bounded_step(x[part], gradient[part], hessian[np.ix_(part, part)])
        if abs(gain) < 1e-13:
            return np.append(e * (1.0 + x), e)
        slack = 1e-13 * abs(value)
        for halving in range(60):
            new = np.maximum(x + 0.5**halving * step, 0.0)  # rounding may leave −1e-17
            fall = 1e-4 * float(gradient @ (new - x))
            if _profile(strata, new, contrasts)[0] <= value + fall + slack:
                x = new
                break
        value, gradient, hessian, e = _profile(strata, x, contrasts)
    raise ConvergenceError("the variances of maximum likelihood were not found. Use reml=True.")


def _profile(
    strata: _Strata, x: FloatArray, contrasts: int
) -> tuple[float, FloatArray, FloatArray, float]:
    """Return the deviance, its first and second derivatives, and the residual variance."""
    n = float(strata.df.sum()) + 1 + contrasts
    one = 1.0 + x
    total = float((strata.squares[:4] / one).sum() + strata.squares[4])
    first = -strata.squares[:4] / one**2
    second = 2.0 * strata.squares[:4] / one**3
    value = float((strata.df[:4] * np.log(one)).sum()) + n * np.log(total)
    gradient = strata.df[:4] / one + n * first / total
    hessian = np.diag(-strata.df[:4] / one**2 + n * second / total)
    hessian -= n * np.outer(first, first) / total**2
    for pair, weight in ((slice(0, 2), 1), (slice(2, 4), contrasts)):
        shared = 1.0 + x[pair].sum()
        value += weight * np.log(shared)
        gradient[pair] += weight / shared
        hessian[pair, pair] -= weight / shared**2
    return value, gradient, hessian, total / n


def _describe(
    design: Design,
    strata: _Strata,
    lam: FloatArray,
    table: FloatArray,
    center: float,
    *,
    reml: bool,
) -> Solution:
    k, n, e = len(design.systems), design.n, lam[4]
    norm = float(design.coding[:, 0] @ design.coding[:, 0])
    weights = np.array([n, *[n / k * norm] * (k - 1)])
    parts = np.array([_MEAN, *[_SYSTEM] * (k - 1)])  # λ of each coefficient, in the five
    # Parameters are the λ that differ from the residual, and the residual with those equal to it.
    own = np.flatnonzero(lam[:4] > e)
    classes = np.zeros((5, own.size + 1))
    classes[own, np.arange(own.size)] = 1.0
    classes[:, -1] = 1.0 - classes[:, :-1].sum(axis=1)
    means = parts @ lam
    curve = np.diag(-strata.df / lam**2 + 2.0 * strata.squares / lam**3)
    value = float((strata.df * np.log(lam) + strata.squares / lam).sum())
    if reml:
        value += float(np.log(weights).sum()) + (n - k) * np.log(2.0 * np.pi)
    else:
        value += float(np.log(means).sum()) + n * np.log(2.0 * np.pi)
        curve -= (parts.T / means**2) @ parts
    by_class = parts @ classes
    variances = np.where(strata.present, (lam[:4] - e) / strata.multiple, 0.0)
    order = [_STRATA.index((term.factor, term.kind)) for term in design.terms]
    system = table.mean(axis=(0, 1))
    return Solution(
        rho=variances[order] / e,
        sigma2=float(e),
        criterion=value,
        coefficients=np.array([center, *(design.coding.T @ system / norm)]),
        covariance=np.diag(means / weights),
        gradients=np.stack([np.diag(column / weights) for column in by_class.T]),
        uncertainty=2.0 * np.asarray(np.linalg.inv(classes.T @ curve @ classes), np.float64),
        effects=_effects(design, lam, table, norm),
        method="closed form" if reml else "mean squares",
    )


def _effects(
    design: Design, lam: FloatArray, table: FloatArray, norm: float
) -> dict[str, FloatArray]:
    """Return the deviations of raters and items, each shrunk by its own 1 - e / λ."""
    shrink = 1.0 - lam[4] / lam[:4]
    effects = {}
    for t, role in enumerate(("rater", "item")):
        columns = [shrink[t] * table.mean(axis=(1 - t, 2))[:, None]]
        if role in design.slopes:
            columns.append(shrink[t + 2] * _deviations(table, 1 - t) @ design.coding / norm)
        effects[role] = np.concatenate(columns, axis=1)
    return effects
