r"""A system that beat all others, or lost to all: no finite estimate, but a bound and a test.

Its votes against the others, who can be ranked among each other, are a likelihood that rises all
the way to infinity. One end of its strength is bounded by the likelihood ratio,

.. math:: 2 \bigl(\ell_\infty - \ell(\lambda)\bigr) = \chi^2_{1, 1 - 2 \alpha},

with the others fitted anew at every λ. Whether it is above one other system is tested in the
same way: against the fit in which the two are one.
"""

import math
from dataclasses import replace

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.battles.design import Votes, plain_votes
from detectable.inference.battles.fit import fit_strengths
from detectable.kernels.distributions.normal import normal_below, normal_quantile
from detectable.kernels.roots import bracketed_root

_FAR = 30.0  # log-odds


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

    low, high = -_FAR, _FAR
    if excess(low) < 0.0:
        return -sign * math.inf
    return sign * bracketed_root(excess, low, high, tolerance=1e-8)


def p_above(
    ranked: Votes, against: IntArray, weight: FloatArray, other: int, *, sign: float
) -> float:
    """Return the one-sided p-value of «it is no better than one of the others».

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
