"""How soon the ranking of systems settles, when documents come in random order."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.inference.delta import estimate
from detectable.inference.multiplicity import holm
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.random_orders import OrderedErrors
from detectable.study.reliability.result import RankingPoint


def ranking_stability(
    one: Measure, ordered: OrderedErrors, *, alpha: float
) -> tuple[RankingPoint, ...]:
    r"""Return how rankings on the first documents agree with others, over random orders.

    Kendall's :math:`\tau` is the mean over pairs of systems of the product of the signs of both
    differences, so a tie, or a system without a score, counts as no agreement. The ranking of all
    documents contains the first ones, and agrees with it more than another test set would; the
    documents not taken do not, so that `remainder` is the honest number, and the only honest one
    where the question is what new documents would say.

    Pairs count as told apart by all documents where a t test over documents, corrected by Holm's
    method for all pairs, has p at most `alpha`.

    References
    ----------
    Kendall (1938), "A new measure of rank correlation", Biometrika 30, 81–93.
    """
    if len(one.systems) < 2:
        return ()
    pairs = np.array(list(itertools.combinations(range(len(one.systems)), 2)))
    whole = one.scores()
    full = _signs(whole[None, None], pairs)[0, 0]
    first = _signs(ordered.scores[one.place], pairs)
    rest = _signs(ordered.rest[one.place], pairs)
    told = _told_apart(one, pairs, alpha)
    kept = first == full
    same = _same_winner(one, ordered.scores[one.place], whole)
    points = []
    for i, k in enumerate(ordered.at.tolist()):
        points.append(
            RankingPoint(
                documents=k,
                full=float((first[:, i] * full).mean()),
                remainder=float((first[:, i] * rest[:, i]).mean())
                if 2 * k <= one.documents.n_documents
                else math.nan,
                same_winner=float(same[i]),
                significant_kept=float(kept[:, i][:, told].all(axis=1).mean())
                if told.any()
                else math.nan,
                exact=float(kept[:, i].all(axis=1).mean()),
            )
        )
    return tuple(points)


def _signs(scores: FloatArray, pairs: IntArray) -> FloatArray:
    """Return the sign of every difference of two systems, 0 where one of them has no score."""
    apart = scores[..., pairs[:, 0]] - scores[..., pairs[:, 1]]
    return np.sign(np.where(np.isnan(apart), 0.0, apart))


def _same_winner(one: Measure, scores: FloatArray, whole: FloatArray) -> FloatArray:
    """Return how often the best system is that of all documents; nan where none is best."""
    if one.higher_is_better is None:
        return np.full(scores.shape[1], math.nan)
    sign = 1.0 if one.higher_is_better else -1.0
    known = np.where(np.isnan(scores), -np.inf, sign * scores)
    best: FloatArray = (known.argmax(axis=-1) == np.nanargmax(sign * whole)).mean(axis=0)
    return best


def _told_apart(one: Measure, pairs: IntArray, alpha: float) -> NDArray[np.bool_]:
    influence = [one.document_influence(s) for s in range(len(one.systems))]
    scores = one.scores()
    p = [
        estimate(float(scores[a] - scores[b]), influence[a] - influence[b]).p_value()
        for a, b in pairs
    ]
    told: NDArray[np.bool_] = holm(np.array(p)) <= alpha
    return told
