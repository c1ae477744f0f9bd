"""A share corrected for a judge's errors, where labels come from another data set."""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.inference.agreement import JudgedShare
from detectable.study.metric_pool import MetricSource, as_scores, metric_pool

_PPI = (
    "Use control variates (PPI), which correct by labels of this data set without assuming it"
)
_LEAST = 5  # labels of either kind


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedShare:
    """The share of right answers of a system, as people would have counted it.

    Attributes
    ----------
    share, interval
        Corrected; the interval is that of Lang and Reiczigel. Both are cut to [0, 1].
    standard_error : float
        Of `untruncated`, by the delta method.
    judged_share : float
        What the judge says.
    sensitivity, specificity : float
        Share of right answers that the judge calls right, and of wrong ones that it calls wrong.
    untruncated : float
        The share before it was cut; not a number in results of versions that cut nothing.
    """

    system: str
    share: float
    standard_error: float
    interval: Interval
    judged_share: float
    sensitivity: float
    specificity: float
    n_pool: int
    n_right: int  # labels, of the other data set
    n_wrong: int
    untruncated: float = field(default=math.nan, metadata={"added": True})

    @property
    def cut(self) -> bool:
        """Whether the share lay outside of [0, 1] before it was cut."""
        return not math.isnan(self.untruncated) and self.untruncated != self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class RoganGladen(Result):
    """Shares corrected by a judge's sensitivity and specificity on another data set."""

    judge: str
    systems: tuple[CorrectedShare, ...]
    alpha: float
    notes: tuple[str, ...]


def rogan_gladen(
    judgments: Judgments | TableSource,
    labelled_judge: MetricSource,
    judge: MetricSource,
    *,
    alpha: float = 0.05,
) -> RoganGladen:
    """Correct the share of right answers by a judge's errors on another, labelled data set.

    Only for labels that come from *another* data set: then nothing else can be had, and it must be
    assumed that the judge errs here as it does there. With labels of this data set it is refused:
    `control_variates` is always better then, by the square of the judge's correlation with people.

    A share that comes out below 0 or above 1 is cut: with few right answers and few labels, half of
    all good data sets are there by chance. It is refused only where the whole interval lies
    outside, so that no share between 0 and 1 agrees with the judge's errors.

    Parameters
    ----------
    judgments : Judgments
        Labels 0 and 1 of another data set, of each system.
    labelled_judge, judge : Scores, ``{system: {item: score}}``, or files
        The judge's answers, 0 and 1, there and here.

    References
    ----------
    Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test", American
    Journal of Epidemiology 107(1), 71–76. Lang and Reiczigel (2014), "Confidence limits for prevalence
    of disease adjusted for estimated sensitivity and specificity", Preventive Veterinary Medicine
    113(1), 13–22.
    """
    judgments = judgments_of(judgments)
    level = 1.0 - check.probability(alpha, "alpha")
    judgments.refuse_weights("Rogan and Gladen's correction", "`control-variates` without it")
    pool = metric_pool(judgments, labelled_judge)
    scores, notes = as_scores(judge)
    shared = set(pool.items) & set(scores.items)
    if shared:
        raise DataError(
            f"{count(len(shared), 'item')} of the labelled data set are items of this one (first: "
            f"{min(shared)!r}), so the labels are its own. {_PPI} (detectable control-variates)."
        )
    rows = []
    absent = [name for name in scores.systems if name not in pool.systems]
    for name, table in scores.systems.items():
        if name in absent:
            continue
        s = pool.systems.index(name)
        known = np.isfinite(pool.human[s]) & np.isfinite(pool.metric[s])
        here = table.mean(axis=0)
        rows.append(
            _row(
                name,
                pool.human[s, known],
                pool.metric[s, known],
                here[np.isfinite(here)],
                level,
            )
        )
    if not rows:
        raise DataError(
            "no system of this data set has labels in the other. Labelled: "
            f"{listing(list(pool.systems))}; judged here: {listing(list(scores.systems))}."
        )
    lost = (f"Left out, without labels: {listing(absent)}.",) if absent else ()
    return RoganGladen(
        judge=scores.metric or pool.name,
        systems=tuple(rows),
        alpha=alpha,
        notes=(*pool.notes, *notes, *lost),
        signature=Signature("rogan-gladen", {"alpha": alpha}),
    )


def _row(
    name: str, human: FloatArray, judge: FloatArray, here: FloatArray, level: float
) -> CorrectedShare:
    for what, values in (
        ("labels", human),
        ("judge's answers", judge),
        ("judge's answers", here),
    ):
        if not np.isin(values, (0.0, 1.0)).all():
            wrong = values[~np.isin(values, (0.0, 1.0))][0]
            raise DataError(
                f"{name}: the {what} must be 0 or 1 for Rogan and Gladen's correction; got "
                f"{wrong:g}. {_PPI}."
            )
    right, wrong_ones = human == 1.0, human == 0.0
    n1, n0, n = int(right.sum()), int(wrong_ones.sum()), here.size
    if min(n1, n0) < _LEAST:
        raise DataError(
            f"{name}: {_LEAST} labels of either kind are needed to know how the judge errs; got "
            f"{n1} right and {n0} wrong. Label more."
        )
    se, sp, p = (
        float(judge[right].mean()),
        float(1.0 - judge[wrong_ones].mean()),
        float(here.mean()),
    )
    found = JudgedShare(p, se, sp, n, n1, n0)
    able = found.power_interval(level)
    if able.low <= 0.0:
        raise DataError(
            f"{name}: the judge is not shown to be better than a coin (sensitivity {se:.3f} + "
            f"specificity {sp:.3f} − 1 = {found.power:.3f}, {level:.0%} interval {able.low:.3f} to "
            f"{able.high:.3f}), so nothing can be corrected by it. {_PPI}."
        )
    uncut = found.interval(level)
    if uncut.high <= 0.0 or uncut.low >= 1.0:
        raise DataError(
            f"{name}: the judge calls {p:.3f} right, outside of {1.0 - sp:.3f} to {se:.3f}, which is "
            "all that its errors on the labelled data set allow, by more than chance "
            f"({level:.0%} interval of the share {uncut.low:.3f} to {uncut.high:.3f}): it errs "
            f"otherwise here. Label some items of this data set. {_PPI}."
        )
    return CorrectedShare(
        system=name,
        share=_cut(found.share),
        untruncated=found.share,
        standard_error=found.standard_error,
        interval=Interval(_cut(uncut.low), _cut(uncut.high), level),
        judged_share=p,
        sensitivity=se,
        specificity=sp,
        n_pool=n,
        n_right=n1,
        n_wrong=n0,
    )


def _cut(share: float) -> float:
    return min(max(share, 0.0), 1.0)
