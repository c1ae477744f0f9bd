r"""How many documents like these a target takes.

The standard error of a score on k documents is :math:`c / \sqrt k`. The constant c is known from
all documents at hand: :math:`c^2 = K \cdot \frac{K}{K-1} \sum_d \Psi_d^2` with the influence
:math:`\Psi_d` of each document on the score, or the difference of both systems' influences for a
paired difference. So no curve has to be fitted. A half-width h takes the smallest k with

.. math:: t_{k-1,\,1-\alpha/2} \; c / \sqrt k \le h,

and a paired difference δ the smallest k at which a t test over documents finds it with the asked
power (`inference.delta.detectable_shift`). With many documents these are
:math:`(z_{1-\alpha/2} c / h)^2` and :math:`((z_{1-\alpha/2} + z_{power}) c / \delta)^2`.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.delta import detectable_shift, estimate
from detectable.kernels.distributions.student import t_quantile
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.result import DocumentsFor, RankingPoint
from detectable.study.reliability.settings import ReliabilitySettings

SHARE = 0.02  # of the score: the half-width and the difference asked for where none is named
TAU = 0.9
_MOST = 1 << 40  # documents; beyond that a target is out of reach


def documents_for(
    one: Measure,
    points: Sequence[RankingPoint],
    half_width: Mapping[str, float],
    effect: Mapping[str, float],
    settings: ReliabilitySettings,
) -> list[DocumentsFor]:
    """Return what each target takes under one measure."""
    influence = [one.document_influence(s) for s in range(len(one.systems))]
    pairs = itertools.combinations(range(len(influence)), 2)
    apart = [influence[a] - influence[b] for a, b in pairs]
    share = SHARE * float(np.median(np.abs(one.scores()))) if one.relative else math.nan
    found = []
    for target, wanted, values, errors in (
        ("half-width", half_width, influence, _half_width(settings)),
        ("effect", effect, apart, _detectable(settings)),
    ):
        value = wanted.get(one.name, share)
        if values:
            found.append(_row(one, target, value, values, errors))
    return [*found, *_ranking(one, points)]


def _half_width(settings: ReliabilitySettings) -> Callable[[int], float]:
    tail = 0.5 + settings.level / 2.0
    return lambda k: t_quantile(tail, k - 1.0)


def _detectable(settings: ReliabilitySettings) -> Callable[[int], float]:
    return lambda k: detectable_shift(k - 1.0, alpha=settings.alpha, power=settings.power)


def _row(
    one: Measure,
    target: str,
    value: float,
    influence: list[FloatArray],
    errors: Callable[[int], float],
) -> DocumentsFor:
    n = one.documents.n_documents
    constants = [
        math.sqrt(n) * estimate(0.0, np.asarray(values)).standard_error for values in influence
    ]
    typical, most = float(np.median(constants)), max(constants)
    # A measure without a natural zero has no target of its own.
    asked = value > 0.0
    documents = smallest(typical / value, errors) if asked else None
    return DocumentsFor(
        metric=one.name,
        target=target,  # type: ignore[arg-type]  # one of the two words above
        value=value,
        documents=documents,
        documents_most=smallest(most / value, errors) if asked else None,
        segments=None
        if documents is None
        else math.ceil(documents * one.documents.n_segments / n),
        now=errors(n) * typical / math.sqrt(n),
    )


def smallest(ratio: float, errors: Callable[[int], float]) -> int | None:
    """Return the smallest k ≥ 2 with ``errors(k) · ratio ≤ √k``; None where it is beyond reach.

    `errors` falls with k: the number of standard errors that the target must hold.

    Examples
    --------
    >>> smallest(5.0, lambda k: 2.0), smallest(0.1, lambda k: 2.0)
    (100, 2)
    """
    low, high = 1, 2
    while errors(high) * ratio > math.sqrt(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if errors(middle) * ratio <= math.sqrt(middle):
            high = middle
        else:
            low = middle
    return high


def _ranking(one: Measure, points: Sequence[RankingPoint]) -> list[DocumentsFor]:
    """Return the first number of documents at which rankings agree well; None if only all do."""
    if not points:
        return []
    n = one.documents.n_documents
    reached = [point.documents for point in points if point.full >= TAU]
    first = min(reached, default=n)
    enough = first if first < n else None
    halves = [point for point in points if 2 * point.documents <= n]
    return [
        DocumentsFor(
            metric=one.name,
            target="tau",
            value=TAU,
            documents=enough,
            documents_most=None,
            segments=None
            if enough is None
            else math.ceil(enough * one.documents.n_segments / n),
            now=halves[-1].remainder if halves else math.nan,
        )
    ]
