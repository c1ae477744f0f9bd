r"""Maximum likelihood of strengths, by Newton's method.

The strengths add up to zero: only their differences are known. With the score g and the information
H of all votes, a step is the solution of :math:`(H + c\,11') s = g` over the strengths, which is
the pseudo-inverse :math:`H^+ g` where :math:`1'g = 0`. A step that lowers the likelihood is halved.
"""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.inference.battles.design import Votes
from detectable.inference.battles.models import HalfTies, Model, Parts

_STEPS = 100
_PRECISION = 1e-12
_HALVINGS = 40
_FAR = 40.0  # log-odds beyond which a strength is on its way to infinity
_SINGULAR = 1e-10  # of the smallest to the largest eigenvalue
_INFINITE = (
    "the strengths have no finite estimate: a side, a covariate or a system separates wins from "
    "losses entirely. Leave the side or the covariate out, or take penalty='firth'."
)


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths and what goes with them.

    Attributes
    ----------
    strengths : array of shape (systems,)
        They add up to zero.
    effects : array of shape (effects,)
        Of the side and of covariates, in the order of the votes.
    tie : float or None
        The parameter of ties, where the model has one.
    inverse : array of shape (parameters, parameters)
        The inverse of the information, strengths first, then effects, then ties: what the
        covariance would be if the model were right and all votes were independent.
    likelihood : float
        Its logarithm, at the maximum.
    """

    strengths: FloatArray
    effects: FloatArray
    tie: float | None
    inverse: FloatArray
    likelihood: float


def fit_strengths(
    votes: Votes, model: Model | None = None, *, firth: bool = False, start: Fit | None = None
) -> Fit:
    """Return the strengths at which the votes are most likely.

    Parameters
    ----------
    votes : Votes
        All systems strongly connected, unless `firth`.
    model : Model, optional
        The rule for ties; half a win each by default.
    firth : bool
        Whether to take away the first-order bias, which makes all estimates finite [1]_. For
        votes in which a tie is half a win.
    start : Fit, optional
        Where to begin.

    References
    ----------
    .. [1] Firth (1993), "Bias reduction of maximum likelihood estimates", Biometrika 80(1), 27–38.

    Examples
    --------
    >>> a, b, won = np.array([0, 0, 0]), np.array([1, 1, 1]), np.array([1.0, 1.0, 0.0])
    >>> from detectable.inference.battles.design import plain_votes
    >>> found = fit_strengths(plain_votes(2, a, b, won))
    >>> round(float(found.strengths[0] - found.strengths[1]), 6)  # log 2
    0.693147
    """
    model = HalfTies() if model is None else model
    k, extra = votes.n_systems, votes.n_effects
    theta = np.zeros(k + extra + model.has_ties)
    if model.has_ties:
        theta[-1] = model.start
    if start is not None:
        theta = np.concatenate(
            [start.strengths, start.effects, [] if start.tie is None else [start.tie]]
        )
    parts, value = _at(votes, model, theta, firth=firth)
    for _ in range(_STEPS):
        gradient, information = _newton(votes, parts)
        inverse = _inverse(information, k)
        if firth:
            gradient = gradient + _firth(votes, parts, inverse, theta)
        step = inverse @ gradient
        size = float(np.abs(step).max())
        step *= min(1.0, 5.0 / size) if size else 1.0
        tried, reached = _at(votes, model, theta + step, firth=firth)
        for _ in range(_HALVINGS):
            if reached >= value - 1e-9 * (1.0 + abs(value)):
                break
            step *= 0.5
            tried, reached = _at(votes, model, theta + step, firth=firth)
        theta, parts, value = theta + step, tried, reached
        if np.abs(step).max() < _PRECISION * (1.0 + np.abs(theta).max()):
            break
        if np.abs(theta[: k + extra]).max() > _FAR:
            raise ConvergenceError(_INFINITE)
    else:
        raise ConvergenceError(f"the strengths were not found in {_STEPS} steps.")
    _, information = _newton(votes, parts)
    return Fit(
        strengths=theta[:k] - theta[:k].mean(),
        effects=theta[k : k + extra],
        tie=float(theta[-1]) if model.has_ties else None,
        inverse=_inverse(information, k),
        likelihood=float(votes.weight @ parts.likelihood),
    )


def identified(votes: Votes, model: Model | None = None) -> bool:
    """Return whether further effects can be told from strengths and from each other."""
    parts = (model or HalfTies()).parts(votes.outcome, np.zeros(votes.n), 0.3)
    _, information = _newton(votes, parts)
    k = votes.n_systems
    information[:k, :k] += np.trace(information[:k, :k]) / k**2
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values = np.linalg.eigvalsh(information / np.outer(scale, scale))
    return bool(values[0] > _SINGULAR * values[-1])


def scores(votes: Votes, model: Model, fit: Fit) -> tuple[FloatArray, FloatArray | None]:
    """Return the derivative of each vote by its gap, and by the parameter of ties, unweighted."""
    parts = model.parts(votes.outcome, votes.gaps(fit.strengths, fit.effects), fit.tie or 0.0)
    return parts.score, parts.tie_score


def _at(votes: Votes, model: Model, theta: FloatArray, *, firth: bool) -> tuple[Parts, float]:
    k = votes.n_systems
    tie = float(theta[-1]) if model.has_ties else 0.0
    effects = theta[k : k + votes.n_effects]
    parts = model.parts(votes.outcome, votes.gaps(theta[:k], effects), tie)
    value = float(votes.weight @ parts.likelihood)
    if firth:
        _, information = _newton(votes, parts)
        information[:k, :k] += 1.0 / k
        value += 0.5 * float(np.linalg.slogdet(information)[1])
    return parts, value if np.isfinite(value) else -np.inf


def _newton(votes: Votes, parts: Parts) -> tuple[FloatArray, FloatArray]:
    """Return score and information of all parameters."""
    weight = votes.weight
    gradient = votes.sums(weight * parts.score)
    information = votes.information(weight * parts.information)
    if parts.tie_score is None or parts.tie_information is None or parts.crossed is None:
        return gradient, information
    crossed = votes.sums(weight * parts.crossed)
    corner = np.array([[float(weight @ parts.tie_information)]])
    whole = np.block([[information, crossed[:, None]], [crossed[None, :], corner]])
    return np.append(gradient, float(weight @ parts.tie_score)), whole


def _inverse(information: FloatArray, k: int) -> FloatArray:
    """Return the inverse over strengths that add up to zero."""
    lifted = information.copy()
    lift = max(np.trace(information[:k, :k]) / k, 1e-300)
    lifted[:k, :k] += lift / k
    try:
        inverse = np.linalg.inv(lifted)
    except np.linalg.LinAlgError as error:
        raise ConvergenceError(_INFINITE) from error
    inverse[:k, :k] -= 1.0 / (lift * k)
    return np.asarray(inverse)


def _firth(votes: Votes, parts: Parts, inverse: FloatArray, theta: FloatArray) -> FloatArray:
    """Return what the penalty adds to the score: h (½ − p), with h the leverage of a vote."""
    k = votes.n_systems
    strengths = inverse[:k, :k]
    a, b = votes.a, votes.b
    spread = strengths[a, a] + strengths[b, b] - 2.0 * strengths[a, b]
    if votes.n_effects:
        further = votes.further
        spread = spread + 2.0 * ((inverse[a, k:] - inverse[b, k:]) * further).sum(axis=1)
        spread = spread + ((further @ inverse[k:, k:]) * further).sum(axis=1)
    leverage = votes.weight * parts.information * spread
    effects = theta[k : k + votes.n_effects]
    chance = np.exp(-np.logaddexp(0.0, -votes.gaps(theta[:k], effects)))
    return votes.sums(leverage * (0.5 - chance))
