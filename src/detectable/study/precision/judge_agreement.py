"""How far a judge agrees with people, and whether it favours a system."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast, Family
from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.core.wording import listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.inference.agreement import alpha_sums, chance_agreement
from detectable.inference.correlation import pearson
from detectable.inference.standard_errors import cluster_mean
from detectable.study.precision.metric_pool import MetricPool, MetricSource, metric_pool

MISLEADS = 0.9  # of one rater's answers the same: κ says little, the table all
_LEAST = 10  # items labelled, at least
_CATEGORIES = 10  # different answers up to which they are compared as same and not same


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOnSystem:
    """A judge beside people on one system.

    Attributes
    ----------
    share, kappa, ac1, ac1_error, krippendorff : float
        Same answers; beyond chance by Cohen, by Gwet (with standard error) and by Krippendorff.
        NaN where answers are not few categories that both use.
    table : tuple of four ints or None
        Both yes; judge yes, people no; judge no, people yes; both no.
    misleading : bool
        One answer makes up more than 90 % of a rater's: look at the table, not at κ.
    bias, interval
        Judge − people, with documents as clusters where they are known.
    correlation : float
        What a judge saves goes with its square.
    """

    system: str
    n_items: int
    share: float
    kappa: float
    ac1: float
    ac1_error: float
    krippendorff: float
    table: tuple[int, int, int, int] | None
    misleading: bool
    bias: float
    interval: Interval
    correlation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasDifference(Contrast):
    """Two systems: is the judge equally biased on both? Unequal bias turns rankings."""

    LAYOUT = "system baseline difference interval p_value p_adjusted verdict n_items"
    n_items = Alias[int]("n")

    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement(Result):
    """Agreement of a judge with people, by system, and bias between systems."""

    judge: str
    systems: tuple[JudgeOnSystem, ...]
    pairs: tuple[BiasDifference, ...]
    unit: str
    threshold: float | None
    alpha: float
    notes: tuple[str, ...]


def judge_agreement(
    judgments: Judgments | TableSource,
    judge: MetricSource,
    *,
    threshold: float | None = None,
    alpha: float = 0.05,
) -> JudgeAgreement:
    """Measure how far a judge agrees with people on the items that they labelled.

    Agreement is a report, not a licence to skip labels: a judge that agrees with people on 95 % of
    items and errs for one system turns a ranking. What matters is the correlation, which says what
    the judge saves (`control_variates`, `labels`), and whether its bias is the same for all systems.

    Parameters
    ----------
    judgments : Judgments
        Labels of people, on the judge's scale.
    judge : Scores, ``{system: {item: score}}``, or a file
        Of the same systems and items.
    threshold : float, optional
        Take the judge's score as 1 from here on, else 0.

    References
    ----------
    Cohen (1960); Gwet (2008); Krippendorff (2011). Feinstein and Cicchetti (1990), "High agreement but
    low kappa", Journal of Clinical Epidemiology 43, 543–549.

    Examples
    --------
    >>> items = [str(i) for i in range(12)]
    >>> people = {"system": ["A"] * 12, "item": items, "score": [1, 0] * 6}
    >>> judge = {"A": {item: 1.0 for item in items}}
    >>> found = judge_agreement(Judgments.build(people, scale=(0, 1)), judge)
    >>> found.systems[0].table, found.systems[0].bias
    ((6, 6, 0, 0), 0.5)
    """
    judgments = judgments_of(judgments)
    level = 1.0 - check.probability(alpha, "alpha")
    pool = metric_pool(judgments, judge)
    scores = pool.metric
    if threshold is not None:
        if not math.isfinite(threshold):
            raise InputError(f"`threshold` must be a finite number; got {threshold!r}.")
        scores = np.where(np.isfinite(scores), (scores >= threshold).astype(np.float64), np.nan)
    known = np.isfinite(pool.human) & np.isfinite(scores)
    enough = [s for s in range(len(pool.systems)) if known[s].sum() >= _LEAST]
    lost = [pool.systems[s] for s in range(len(pool.systems)) if s not in enough]
    if not enough:
        raise DataError(
            f"no system has {_LEAST} labels with a score by the judge; got at most "
            f"{int(known.sum(axis=1).max())}."
        )
    few = (f"Left out, fewer than {_LEAST} labels: {listing(lost)}.",) if lost else ()
    rows = tuple(_system(pool, scores, known, s, level) for s in enough)
    scale: tuple[str, ...] = ()
    if any(math.isnan(row.share) for row in rows):
        scale = (
            "Answers are not few categories that both use, so same and not same, κ and AC1 say "
            "nothing; --threshold makes a judge's score 0 or 1.",
        )
    settings: dict[str, str | int | float] = {"alpha": alpha}
    settings["unit"] = "item" if pool.documents is None else "document"
    if threshold is not None:
        settings["threshold"] = threshold
    return JudgeAgreement(
        judge=pool.name,
        systems=rows,
        pairs=_pairs(pool, scores, known, enough, alpha),
        unit=str(settings["unit"]),
        threshold=threshold,
        alpha=alpha,
        notes=(*pool.notes, *few, *scale),
        signature=Signature("judge-agreement", settings),
    )


def _system(
    pool: MetricPool, scores: FloatArray, known: np.ndarray, s: int, level: float
) -> JudgeOnSystem:
    human, judge = pool.human[s, known[s]], scores[s, known[s]]
    bias = cluster_mean(judge - human, _clusters(pool, known[s]))
    found = chance_agreement(judge, human)
    answers = np.unique(np.concatenate([judge, human]))
    shared = np.isin(np.unique(judge), np.unique(human)).any()
    categorical = answers.size <= _CATEGORIES and bool(shared)
    binary = bool(np.isin(answers, (0.0, 1.0)).all())
    common = max(float((v == a).mean()) for v in (judge, human) for a in answers)
    units = np.tile(np.arange(human.size), 2)
    both = np.concatenate([judge, human])
    alpha = alpha_sums(both, units, level="nominal").alpha()
    return JudgeOnSystem(
        system=pool.systems[s],
        n_items=human.size,
        share=found.share if categorical else math.nan,
        kappa=found.kappa if categorical else math.nan,
        ac1=found.ac1 if categorical else math.nan,
        ac1_error=found.ac1_error if categorical else math.nan,
        krippendorff=alpha if categorical else math.nan,
        table=_table(judge, human) if binary else None,
        misleading=categorical and common > MISLEADS,
        bias=bias.value,
        interval=bias.interval(level),
        correlation=float(pearson(human, judge)),
    )


def _table(judge: FloatArray, human: FloatArray) -> tuple[int, int, int, int]:
    cells = [
        int(((judge == j) & (human == h)).sum()) for j, h in ((1, 1), (1, 0), (0, 1), (0, 0))
    ]
    return cells[0], cells[1], cells[2], cells[3]


def _clusters(pool: MetricPool, known: np.ndarray) -> IntArray | None:
    return None if pool.documents is None else pool.documents[known]


def _pairs(
    pool: MetricPool, scores: FloatArray, known: np.ndarray, chosen: list[int], alpha: float
) -> tuple[BiasDifference, ...]:
    """Test for every two systems whether the judge is equally biased on the items of both."""
    off = scores - pool.human
    found = []
    for a, b in itertools.combinations(chosen, 2):
        both = known[a] & known[b]
        if both.sum() >= _LEAST:
            gap = cluster_mean(off[a, both] - off[b, both], _clusters(pool, both))
            found.append((a, b, int(both.sum()), gap))
    return Family(alpha=alpha).contrasts(
        BiasDifference,
        [gap for *_, gap in found],
        [
            {"system": pool.systems[a], "baseline": pool.systems[b], "n": n}
            for a, b, n, _ in found
        ],
        higher_is_better=None,
    )
