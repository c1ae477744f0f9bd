r"""Maximum likelihood of strengths, its errors, and systems that beat or lost to all.

The strengths add up to zero: only their differences are known. With the score g and the information
H of all votes, a step is the solution of :math:`(H + c\,11') s = g` over the strengths, which is
the pseudo-inverse :math:`H^+ g` where :math:`1'g = 0`. A step that lowers the likelihood is halved.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.rng import blocks
from detectable.core.types import FloatArray, IntArray
from detectable.inference.battle_votes import (
    HalfTies,
    Model,
    Parts,
    Votes,
    cells_and_places,
    plain_votes,
)
from detectable.inference.left_out_clusters import left_out_scores, sums_by
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.kernels.roots import bracketed_root

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
    >>> from detectable.inference.battle_votes import plain_votes
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


def parts_at(votes: Votes, model: Model, fit: Fit) -> Parts:
    """Return what each vote adds to likelihood, score and information at a fit, unweighted."""
    return model.parts(votes.outcome, votes.gaps(fit.strengths, fit.effects), fit.tie or 0.0)


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


# --- A system that beat all others, or lost to all: no finite estimate, but a bound and a test ---
#
# Its votes against the others, who can be ranked among each other, are a likelihood that rises all
# the way to infinity. One end of its strength is bounded by the likelihood ratio,
#
# .. math:: 2 \bigl(\ell_\infty - \ell(\lambda)\bigr) = \chi^2_{1, 1 - 2 \alpha},
#
# with the others fitted anew at every λ. Whether it is above one other system is tested in the
# same way: against the fit in which the two are one.

_UNBEATEN_FAR = 30.0  # log-odds


def bound(
    ranked: Votes, against: IntArray, won: FloatArray, weight: FloatArray, *, alpha: float
) -> float:
    """Return the one-sided limit of the strength of a system that won (or lost) everything.

    Parameters
    ----------
    ranked : Votes
        Of the others among each other: strongly connected, without further effects.
    against : array of int
        Whom of them it met.
    won : array
        All ones, or all zeros.
    weight : array
        How much each of its votes counts.

    Returns
    -------
    float
        Beside the mean of the others: a lower limit for one that won, an upper for one that lost.
    """
    at_infinity = fit_strengths(ranked).likelihood
    limit = 0.5 * normal_quantile(1.0 - alpha) ** 2
    sign = 1.0 if won[0] == 1.0 else -1.0

    def excess(strength: float) -> float:
        return at_infinity - _held(ranked, against, weight, sign * strength, sign=sign) - limit

    low, high = -_UNBEATEN_FAR, _UNBEATEN_FAR
    if excess(low) < 0.0:
        return -sign * math.inf
    return sign * bracketed_root(excess, low, high, tolerance=1e-8)


def p_above(
    ranked: Votes, against: IntArray, weight: FloatArray, other: int, *, sign: float
) -> float:
    """Return the one-sided p-value of “it is no better than one of the others”.

    `sign` is 1 for a system that won everything, −1 for one that lost everything.
    """
    at_infinity = fit_strengths(ranked).likelihood
    merged = np.full(against.size, other)
    first, second = (merged, against) if sign > 0 else (against, merged)
    apart = first != second
    joined = plain_votes(
        ranked.n_systems,
        np.concatenate([ranked.a, first[apart]]),
        np.concatenate([ranked.b, second[apart]]),
        np.concatenate([ranked.outcome, np.ones(int(apart.sum()))]),
        np.concatenate([ranked.weight, weight[apart]]),
    )
    # A vote between the two, who are one now, is a toss of a coin.
    coins = float(weight[~apart].sum()) * math.log(2.0)
    ratio = max(0.0, at_infinity - fit_strengths(joined).likelihood + coins)
    return normal_below(-math.sqrt(2.0 * ratio))


def _held(
    ranked: Votes, against: IntArray, weight: FloatArray, strength: float, *, sign: float
) -> float:
    """Return the highest likelihood where the strength of the system is held.

    The others keep their mean at zero, so that the held strength is beside it. Its votes are an
    offset model, whose score and information are added to those of the others.
    """
    k = ranked.n_systems
    found = fit_strengths(ranked).strengths
    per = np.bincount(against, weight, k)
    value = -math.inf
    for _ in range(200):
        gap = sign * (strength - found)  # its own, against each of the others
        chance = np.exp(-np.logaddexp(0.0, -gap))
        among = ranked.gaps(found, np.zeros(0))
        inner = np.exp(-np.logaddexp(0.0, -among))
        new = float(
            ranked.weight @ (ranked.outcome * among - np.logaddexp(0.0, among))
            - per @ np.logaddexp(0.0, -gap)
        )
        gradient = ranked.sums(ranked.weight * (ranked.outcome - inner)) - sign * per * (
            1.0 - chance
        )
        information = ranked.information(ranked.weight * inner * (1.0 - inner))
        information = information + np.diag(per * chance * (1.0 - chance))
        # On the plane of strengths that add up to zero.
        lifted = np.block([[information, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        step = np.linalg.lstsq(lifted, np.append(gradient, 0.0), rcond=None)[0][:k]
        largest = float(np.abs(step).max())
        found = found + step * min(1.0, 2.0 / largest if largest else 1.0)
        if largest < 1e-10:
            return new
        value = new
    return value


def in_clusters(weight: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return weights with which all votes of a cluster count as one."""
    if clusters is None:
        return weight
    codes = np.unique(clusters, return_inverse=True)[1]
    return np.asarray(weight / np.bincount(codes)[codes])


def among(votes: Votes, members: IntArray) -> Votes:
    """Return the votes between some systems, numbered anew."""
    new = np.full(votes.n_systems, -1)
    new[members] = np.arange(members.size)
    rows = np.flatnonzero((new[votes.a] >= 0) & (new[votes.b] >= 0))
    cut = votes.take(rows)
    return replace(cut, n_systems=members.size, a=new[cut.a], b=new[cut.b])


# --- How far strengths would have come out otherwise, had other prompts or voters been drawn ---
#
# With the score s_c of all votes of a cluster and the inverse information,
#
# .. math:: V = H^+ B H^+, \qquad B = \frac{C}{C-1} \sum_c s_c s_c',
#
# where the factor is left out if every vote stands alone (CR1). With the scores that a cluster has
# where it had no say itself, the factor is (C − 1)/C (CR3; left_out_clusters.py).
#
# For two kinds of clusters at once, V of the one plus V of the other minus V of their crossing [1]_;
# negative eigenvalues are cut to zero.
#
# References
# ----------
# .. [1] Cameron, Gelbach and Miller (2011), "Robust inference with multiway clustering", Journal of
# Business and Economic Statistics 29(2), 238–249.

_CELLS = 4_000_000  # numbers of a block of clusters


def clustered(
    votes: Votes, model: Model, fit: Fit, clusters: IntArray | None = None
) -> FloatArray:
    """Return the covariance of all parameters (CR1); without clusters every vote stands alone.

    Parameters
    ----------
    clusters : array of int of shape (votes,), optional
        Which votes belong together, from 0 without gaps.
    """
    parts = parts_at(votes, model, fit)
    tie = None if parts.tie_score is None else votes.weight * parts.tie_score
    whole = _sandwich(votes, fit, (votes.weight * parts.score, tie), clusters)
    n = 0 if clusters is None else int(clusters.max()) + 1
    return whole * (n / (n - 1.0)) if n > 1 else whole


def left_out(votes: Votes, model: Model, fit: Fit, clusters: IntArray) -> FloatArray:
    """Return the covariance of all parameters by leaving out clusters in one step each (CR3).

    A cluster with many votes counts in full: CR1 takes its errors from residuals that it has made
    small itself, and says too little where clusters are unequal.
    """
    parts = parts_at(votes, model, fit)
    _, information = _newton(votes, parts)
    each = left_out_scores(votes, parts, information, fit.inverse, clusters)
    n = int(clusters.max()) + 1
    return np.asarray(_sandwich(votes, fit, each, clusters) * ((n - 1.0) / n))


def _sandwich(
    votes: Votes,
    fit: Fit,
    each: tuple[FloatArray, FloatArray | None],
    clusters: IntArray | None,
) -> FloatArray:
    score, tie = each
    middle = _outer(votes, score, clusters)
    if tie is not None:
        middle = _with_ties(votes, middle, (score, tie), clusters)
    return np.asarray(fit.inverse @ middle @ fit.inverse)


def two_way(first: FloatArray, second: FloatArray, crossed: FloatArray) -> FloatArray:
    """Return the covariance for two kinds of clusters at once."""
    return without_negative(first + second - crossed)


def without_negative(matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix with its negative eigenvalues cut to zero.

    Examples
    --------
    >>> without_negative(np.array([[1.0, 0.0], [0.0, -1.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    if values[0] >= 0.0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def larger(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return a covariance at least as large as both, in every direction."""
    return np.asarray(first + without_negative(second - first))


def _outer(votes: Votes, each: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return the sum over clusters of s s', with s the sum of a cluster's scores."""
    if clusters is None:
        return votes.information(each**2)
    sizes = np.bincount(clusters)
    alone = sizes[clusters] == 1  # most clusters of a crossing: no matrix is needed for them
    middle = votes.take(np.flatnonzero(alone)).information(each[alone] ** 2)
    rows = np.flatnonzero(~alone)
    for part, of_cluster in _blocks(rows, clusters, votes.n_systems + votes.n_effects):
        sums = sums_by(votes.take(part), each[part], of_cluster, int(of_cluster[-1]) + 1)
        middle = middle + sums.T @ sums
    return middle


def _with_ties(
    votes: Votes,
    middle: FloatArray,
    each: tuple[FloatArray, FloatArray],
    clusters: IntArray | None,
) -> FloatArray:
    """Return the sum over clusters with the score of ties as one more parameter."""
    gap, tie = each
    codes = np.arange(votes.n) if clusters is None else clusters
    of_ties = np.bincount(codes, tie)
    crossed = votes.sums(gap * of_ties[codes])
    corner = np.array([[float(of_ties @ of_ties)]])
    return np.block([[middle, crossed[:, None]], [crossed[None, :], corner]])


def _blocks(
    rows: IntArray, clusters: IntArray, width: int
) -> "list[tuple[IntArray, IntArray]]":
    """Return votes in blocks of whole clusters, each with the number of its cluster in the block."""
    if not rows.size:
        return []
    order = rows[np.argsort(clusters[rows], kind="stable")]
    dense = np.cumsum(np.diff(clusters[order], prepend=clusters[order[0]]) != 0)
    per_block = max(1, _CELLS // width)
    cuts = np.searchsorted(dense, np.arange(per_block, int(dense[-1]) + 1, per_block))
    return [
        (part, dense[start : start + part.size] - dense[start])
        for part, start in zip(np.split(order, cuts), [0, *cuts.tolist()], strict=True)
    ]


# --- The covariance of strengths by random weights of clusters ---

_BLOCK = 50  # draws; part of every answer


def bootstrap_covariance(
    votes: Votes,
    model: Model,
    fit: Fit,
    clusters: Sequence[IntArray],
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the covariance of all parameters over draws of the Bayesian bootstrap.

    Every cluster gets a weight from the exponential distribution [1]_, and the model is fitted
    again. No draw loses a system or takes the graph apart, as drawing clusters with replacement
    may. With several kinds of clusters the weights of a vote are multiplied [2]_.

    Parameters
    ----------
    clusters : sequence of array of int
        One per kind; empty where every vote stands alone.

    References
    ----------
    .. [1] Rubin (1981), "The Bayesian bootstrap", Annals of Statistics 9(1), 130–134.
    .. [2] Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 386–411.
    """
    cells, place = cells_and_places(votes)
    kinds = clusters or [np.arange(votes.n)]
    found = []
    for block in blocks(n_draws, rng, size=_BLOCK):
        for _ in range(block.rows):
            weight = votes.weight.copy()
            for codes in kinds:
                drawn = block.rng.standard_exponential(int(codes.max()) + 1)
                weight *= (drawn / drawn.mean())[codes]
            again = replace(
                cells, weight=np.bincount(place, weight, cells.n).astype(np.float64)
            )
            one = fit_strengths(again, model, start=fit)
            tie = [] if one.tie is None else [one.tie]
            found.append(np.concatenate([one.strengths, one.effects, tie]))
    return np.atleast_2d(np.cov(np.array(found), rowvar=False))
