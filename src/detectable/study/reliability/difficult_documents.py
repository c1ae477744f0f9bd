r"""Documents that move scores unlike the others do.

Estrella et al. (2007) saw by eye that metrics move apart when a certain document enters: a
difficult one, which human judges and metrics do not see alike. Here that is a number. For every
measure m and document d the change of the mean system's score when d enters last,

.. math:: \Delta_{md} = \frac{1}{S} \sum_s \bigl[ g(T_s) - g(T_s - T_{sd}) \bigr],

turned so that up is better, is divided by a robust standard deviation over documents (1.4826 times
the median absolute deviation), which makes metrics of different scales comparable:
:math:`u_{md}`. Then

* measures move apart by :math:`v_d = \max_m u_{md} - \min_m u_{md}`, where some rise and others
  fall,
* and all together by :math:`w_d = \operatorname{median}_m u_{md}`.

A document is named where its v is above the median of all documents by more than 3.5 robust
standard deviations, or its w is so far from its median on either side: the rule of Iglewicz and
Hoaglin for outliers. Without the condition on the directions, v would also name documents that
all measures find hard, or easy, by different amounts. With one measure there is no v. At least
eight documents are needed, or no distribution stands behind the rule. A long document moves
scores more than a short one, so where sizes differ much many are named.

References
----------
Iglewicz and Hoaglin (1993), How to Detect and Handle Outliers, ASQC (the factor 3.5). Hampel
(1974), "The influence curve and its role in robust estimation", JASA 69(346), 383–393 (the median
absolute deviation).
"""

import math
from typing import Literal

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.prefixes import known_scores, mean_of_runs
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.result import DifficultDocument

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
