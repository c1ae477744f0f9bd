r"""How many documents a target takes, which of them are difficult, and when the ranking settles.

The standard error of a score on k documents is :math:`c / \sqrt k`. The constant c is known from
all documents at hand: :math:`c^2 = K \cdot \frac{K}{K-1} \sum_d \Psi_d^2` with the influence
:math:`\Psi_d` of each document on the score, or the difference of both systems' influences for a
paired difference. So no curve has to be fitted. A half-width h takes the smallest k with

.. math:: t_{k-1,\,1-\alpha/2} \; c / \sqrt k \le h,

with many documents :math:`(z_{1-\alpha/2} c / h)^2`. A paired difference takes as many documents as
any plan in documents says (`planning.documents`), which `compare` and `sample_size` say of the same
data.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.contrast import Family
from detectable.core.types import FloatArray, IntArray
from detectable.inference.prefixes import known_scores, mean_of_runs
from detectable.inference.randomization import swap_parts
from detectable.inference.standard_errors import estimate
from detectable.kernels.distributions import t_quantile
from detectable.planning.documents import DocumentSpread
from detectable.study.reliability.curves import OrderedErrors
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.result import DifficultDocument, DocumentsFor, RankingPoint
from detectable.study.settings import ReliabilitySettings

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
    share = SHARE * float(np.median(np.abs(one.scores()))) if one.relative else math.nan
    found = [_width_row(one, half_width.get(one.name, share), settings)]
    if len(one.systems) > 1:
        found.append(_effect_row(one, effect.get(one.name, share), settings))
    return [*found, *_ranking(one, points)]


def _width_row(one: Measure, value: float, settings: ReliabilitySettings) -> DocumentsFor:
    """Return what the half-width of an interval takes."""
    n, tail = one.documents.n_documents, 0.5 + settings.level / 2.0

    def errors(k: int) -> float:
        return t_quantile(tail, k - 1.0)

    constants = [
        math.sqrt(n) * estimate(0.0, one.document_influence(s)).standard_error
        for s in range(len(one.systems))
    ]
    typical, most = float(np.median(constants)), max(constants)
    # A measure without a natural zero has no target of its own.
    asked = value > 0.0
    documents = smallest(typical / value, errors) if asked else None
    return DocumentsFor(
        metric=one.name,
        target="half-width",
        value=value,
        documents=documents,
        documents_most=smallest(most / value, errors) if asked else None,
        segments=_segments_of(one, documents),
        now=errors(n) * typical / math.sqrt(n),
    )


def _effect_row(one: Measure, value: float, settings: ReliabilitySettings) -> DocumentsFor:
    """Return what a paired difference takes, by the rule of every plan in documents."""
    asked = {"alpha": settings.alpha, "power": settings.power}
    spreads = [spread for spread in _pair_spreads(one) if spread is not None]
    needed = [spread.needed(value, **asked) for spread in spreads] if value > 0.0 else []
    now = [spread.detectable(one.documents.n_documents, **asked) for spread in spreads]
    documents = _middle(needed)
    return DocumentsFor(
        metric=one.name,
        target="effect",
        value=value,
        documents=documents,
        documents_most=_most(needed),
        segments=_segments_of(one, documents),
        now=float(np.median(now)) if now else 0.0,
    )


def _pair_spreads(one: Measure) -> Iterator[DocumentSpread | None]:
    """Yield how documents differ for every pair of systems; None where they do not."""
    codes = np.repeat(np.arange(one.documents.n_documents), np.diff(one.documents.starts))
    whole = one.sample.by_document(codes)
    pairs = list(itertools.combinations(range(len(one.systems)), 2))
    for part in swap_parts(whole, pairs):
        found = part.estimate()
        spread = found.standard_error > 0.0
        yield (
            DocumentSpread.of_estimate(found, part.shares, found, part.shares.size)
            if spread
            else None
        )


def _middle(needed: Sequence[int | None]) -> int | None:
    """Return the upper of the middle numbers; what is out of reach is larger than all others."""
    if not needed:
        return None
    ordered = sorted(needed, key=lambda n: math.inf if n is None else n)
    return ordered[len(ordered) // 2]


def _most(needed: Sequence[int | None]) -> int | None:
    known = [n for n in needed if n is not None]
    return max(known) if known and len(known) == len(needed) else None


def _segments_of(one: Measure, documents: int | None) -> int | None:
    if documents is None:
        return None
    return math.ceil(documents * one.documents.n_segments / one.documents.n_documents)


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


# --- Documents that move scores unlike the others do ---
#
# Estrella et al. (2007) saw by eye that metrics move apart when a certain document enters: a
# difficult one, which human judges and metrics do not see alike. Here that is a number. For every
# measure m and document d the change of the mean system's score when d enters last,
#
# .. math:: \Delta_{md} = \frac{1}{S} \sum_s \bigl[ g(T_s) - g(T_s - T_{sd}) \bigr],
#
# turned so that up is better, is divided by a robust standard deviation over documents (1.4826 times
# the median absolute deviation), which makes metrics of different scales comparable:
# :math:`u_{md}`. Then
#
# * measures move apart by :math:`v_d = \max_m u_{md} - \min_m u_{md}`, where some rise and others
# fall,
# * and all together by :math:`w_d = \operatorname{median}_m u_{md}`.
#
# A document is named where its v is above the median of all documents by more than 3.5 robust
# standard deviations, or its w is so far from its median on either side: the rule of Iglewicz and
# Hoaglin for outliers. Without the condition on the directions, v would also name documents that
# all measures find hard, or easy, by different amounts. With one measure there is no v. At least
# eight documents are needed, or no distribution stands behind the rule. A long document moves
# scores more than a short one, so where sizes differ much many are named.
#
# References
# ----------
# Iglewicz and Hoaglin (1993), How to Detect and Handle Outliers, ASQC (the factor 3.5). Hampel
# (1974), "The influence curve and its role in robust estimation", JASA 69(346), 383–393 (the median
# absolute deviation).

_FEWEST = 8  # documents
_FACTOR = 3.5
_NORMAL = 1.482602218505602  # standard deviation of a normal over its median absolute deviation


def difficult_documents(measures: tuple[Measure, ...]) -> tuple[DifficultDocument, ...]:
    """Return the documents that stand out, in the given order."""
    names = list(dict.fromkeys(name for one in measures for name in one.documents.names))
    if len(names) < _FEWEST:
        return ()
    position = {name: d for d, name in enumerate(names)}
    change = np.full((len(measures), len(names)), np.nan)
    for m, one in enumerate(measures):
        places = [position[name] for name in one.documents.names]
        change[m, places] = _entering(one)
    oriented = np.array([-1.0 if one.higher_is_better is False else 1.0 for one in measures])
    units = change * oriented[:, None] / _robust_sd(change)[:, None]
    found = [
        DifficultDocument(
            document=names[d],
            place=d + 1,
            segments=_segments(measures, names[d]),
            reason=reason,
            change=_by_name(measures, change[:, d]),
            standardised=_by_name(measures, units[:, d]),
            statistic=float(statistic[d]),
            threshold=threshold,
        )
        for reason, statistic, threshold in _statistics(units)
        for d in np.flatnonzero(statistic > threshold).tolist()
    ]
    apart = {row.document for row in found if row.reason == "apart"}
    kept = [row for row in found if row.reason == "apart" or row.document not in apart]
    return tuple(sorted(kept, key=lambda row: row.place))


def _entering(one: Measure) -> FloatArray:
    """Return what each document adds to the score of the mean system when it comes last."""
    sample = one.sample
    sums = one.documents.sums(one.place)
    total = sums.sum(axis=1, keepdims=True)
    whole, without = (
        mean_of_runs(np.moveaxis(known_scores(sample.metric, part), 0, -1), sample.runs)
        for part in (total, total - sums)
    )
    apart = whole - without
    known = ~np.isnan(apart)
    mean: FloatArray = np.where(known, apart, 0.0).sum(axis=-1) / np.maximum(known.sum(-1), 1)
    return np.where(known.any(axis=-1), mean, np.nan)


def _robust_sd(values: FloatArray) -> FloatArray:
    """Return the robust standard deviation of each row; nan where half of it is equal."""
    middle = np.nanmedian(values, axis=-1, keepdims=True)
    spread = _NORMAL * np.nanmedian(np.abs(values - middle), axis=-1)
    return np.where(spread > 0.0, spread, np.nan)


def _statistics(
    units: FloatArray,
) -> list[tuple[Literal["apart", "pull"], FloatArray, float]]:
    """Return both statistics of every document, with their thresholds; nan counts for nothing."""
    known = ~np.isnan(units)
    several = known.sum(axis=0) > 1
    high = np.where(known, units, -np.inf).max(axis=0)
    low = np.where(known, units, np.inf).min(axis=0)
    apart = np.where(several, high, np.nan) - np.where(several, low, np.nan)
    opposite = np.where((low < 0.0) & (high > 0.0), apart, np.nan)
    some = known.any(axis=0)
    middle = np.full(units.shape[1], np.nan)
    middle[some] = np.nanmedian(units[:, some], axis=0)
    centre, spread = _centre(middle)
    usual, unusual = _centre(apart)
    return [
        ("apart", opposite, usual + _FACTOR * unusual),
        ("pull", np.abs(middle - centre), _FACTOR * spread),
    ]


def _centre(values: FloatArray) -> tuple[float, float]:
    """Return median and robust standard deviation; infinite with too few values or no spread."""
    known = values[~np.isnan(values)]
    if known.size < _FEWEST:
        return 0.0, math.inf
    spread = float(_robust_sd(known[None])[0])
    return float(np.median(known)), spread if spread > 0.0 else math.inf


def _segments(measures: tuple[Measure, ...], name: str) -> int:
    one = next(one for one in measures if name in one.documents.names)
    return int(one.documents.sizes[one.documents.names.index(name)])


def _by_name(measures: tuple[Measure, ...], values: FloatArray) -> dict[str, float]:
    return {
        one.name: float(value)
        for one, value in zip(measures, values, strict=True)
        if not np.isnan(value)
    }


# --- How soon the ranking of systems settles, when documents come in random order ---


def ranking_stability(
    one: Measure, ordered: OrderedErrors, *, alpha: float
) -> tuple[RankingPoint, ...]:
    r"""Return how rankings on the first documents agree with others, over random orders.

    Kendall's :math:`\tau` is the mean over pairs of systems of the product of the signs of both
    differences, so a tie, or a system without a score, counts as no agreement. The ranking of all
    documents contains the first ones, and agrees with it more than another test set would; the
    documents not taken do not, so that `remainder` is the honest number, and the only honest one
    where the question is what new documents would say.

    Pairs count as different on all documents where a t test over documents, corrected by Holm's
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
    told: NDArray[np.bool_] = Family(alpha=alpha).adjusted(np.array(p)) <= alpha
    return told
