"""The covariance of strengths by random weights of clusters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from detectable.core.rng import blocks
from detectable.core.types import FloatArray, IntArray
from detectable.inference.battles.design import Votes, cells_of
from detectable.inference.battles.fit import Fit, fit_strengths
from detectable.inference.battles.models import Model

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
    cells, place = cells_of(votes)
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
