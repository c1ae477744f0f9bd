"""How far a judge agrees with people, and whether it favours a system."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast, Family
from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.core.wording import listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.human.read_judgments import judgments_of
from detectable.data.scores.scores import Scores
from detectable.inference.agreement import alpha_sums, chance_agreement
from detectable.inference.correlation import pearson
from detectable.inference.standard_errors import cluster_mean
from detectable.study.metric_pool import (
    MetricPool,
    MetricSource,
    as_scores,
    metric_pool,
    pool_columns,
)
from detectable.study.precision.judge_faults import (
    JudgeDrift,
    JudgeErrors,
    JudgeRepeats,
    LengthError,
    SliceError,
    error_by_length,
    errors_by,
    judge_drift,
    judge_repeats,
)

# --- How far a judge agrees with people, and whether it favours a system ---

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
class ReplacedRater:
    """A rater and the judge, each beside the other raters.

    Attributes
    ----------
    n_items, n_units : int
        Outputs that this rater and at least one other rated, and what of them is independent.
    judge, rater_itself : float
        Shares of them on which the judge is at least as close to the others as this rater, and the
        other way round.
    p_value, p_adjusted : float
        That the judge is worse than this rater by ε or more; corrected after Benjamini and Yekutieli.
    replaced : bool
        Whether that is refuted: the judge represents the others as well as this rater does.
    """

    rater: str
    n_items: int
    n_units: int
    judge: float
    rater_itself: float
    p_value: float
    p_adjusted: float
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AltTest:
    """May the judge stand in for raters: the alternative annotator test of Calderon et al. (2025).

    Attributes
    ----------
    epsilon : float
        By how much a judge may be worse than a rater, for it costs less.
    closeness : {'same', 'rmse'}
        Whether answers are the same, or how far they are apart.
    winning_rate : float
        Share of raters that the judge can replace; it passes from one half on.
    advantage : float
        Mean share of outputs on which the judge is at least as close to the others as a rater.
    unit : str
        What is independent.
    """

    epsilon: float
    closeness: Literal["same", "rmse"]
    winning_rate: float
    advantage: float
    passed: bool
    raters: tuple[ReplacedRater, ...]
    unit: str


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
    replaces: AltTest | None = field(default=None, metadata=ADDED_IF_KNOWN)
    repeats: tuple[JudgeRepeats, ...] | None = field(default=None, metadata=ADDED_IF_KNOWN)
    drift: tuple[JudgeDrift, ...] | None = field(default=None, metadata=ADDED_IF_KNOWN)
    slices: tuple[SliceError, ...] | None = field(default=None, metadata=ADDED_IF_KNOWN)
    length: LengthError | None = field(default=None, metadata=ADDED_IF_KNOWN)


def judge_agreement(
    judgments: Judgments | TableSource,
    judge: MetricSource,
    *,
    threshold: float | None = None,
    epsilon: float | None = None,
    earlier: MetricSource | None = None,
    by: str | None = None,
    length: str | None = None,
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
    epsilon : float, optional
        Also ask whether the judge may stand in for raters, being worse by less than this: the
        alternative annotator test [1]_, which suggests .1 for crowd workers, .15 for skilled raters and .2
        for experts.
    earlier : as `judge`, optional
        The judge's scores at an earlier time, of the same outputs: has it drifted on this anchor set?
        They need no labels.
    by : str, optional
        A column of the judge's table: is the error larger in one of its values than in the others?
    length : str, optional
        A column of the judge's table with outputs, whose words are counted, or with their lengths: does
        the error go with it?

    A judge that scored outputs several times is asked how often it says the same.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025), "The alternative annotator test for LLM-as-a-judge: how
       to statistically justify replacing human annotators with LLMs", ACL 2025, 16051–16081.

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
    given, _ = as_scores(judge)
    pool = metric_pool(judgments, given)
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
    replaces: AltTest | None = None
    skipped: tuple[str, ...] = ()
    if epsilon is not None:
        if not 0.0 <= epsilon < 1.0:
            raise InputError(
                f"`epsilon` must be a share from 0 on and below 1; got {epsilon!r}."
            )
        settings["epsilon"] = epsilon
        replaces, skipped = _alt_test(judgments, given, pool, scores, epsilon, alpha)
    errors = np.where(known, scores - pool.human, np.nan)
    faults = JudgeErrors(pool.systems, pool.items, errors, pool.documents)
    settings |= {name: of for name, of in (("by", by), ("length", length)) if of is not None}
    return JudgeAgreement(
        judge=pool.name,
        systems=rows,
        pairs=_pairs(pool, scores, known, enough, alpha),
        unit=str(settings["unit"]),
        threshold=threshold,
        alpha=alpha,
        notes=(*pool.notes, *judgments.weights_not_used(), *few, *scale, *skipped),
        replaces=replaces,
        repeats=judge_repeats(given, level) or None,
        drift=None if earlier is None else judge_drift(given, as_scores(earlier)[0], alpha),
        slices=None if by is None else errors_by(faults, judge, by, alpha),
        length=None if length is None else error_by_length(faults, judge, length, level),
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


# --- May a judge stand in for raters: each is left out once, and both are held against the others ---

_FEWEST_OF_A_RATER = 30  # outputs, below which t is no good: as the paper has it
_PASSES = 0.5  # of the raters
_ALIKE = 1e-12  # closeness that differs by less is equal


def _alt_test(
    judgments: Judgments,
    given: Scores,
    pool: MetricPool,
    scores: FloatArray,
    epsilon: float,
    alpha: float,
) -> tuple[AltTest, tuple[str, ...]]:
    r"""Hold the judge and every rater against the other raters.

    For rater j and output i let :math:`S(a)` be the closeness of an answer a to those of the other
    raters: the share of equal answers, or minus the root mean squared distance. With
    :math:`W^f = [S(f_i) \ge S(h_i)]` for the judge and :math:`W^h` the other way round, the null hypothesis
    is :math:`E[W^h - W^f] \ge \varepsilon`. Raters for whom it is refuted, at a false discovery rate of α
    after Benjamini and Yekutieli, are those that the judge wins; the mean of :math:`W^f` over outputs
    and raters is its advantage probability.

    The paper takes outputs as independent. Here outputs of one document are a cluster, and where
    documents are not known those of one item by several systems, by CR2 errors; with one system and no
    documents it is the paper's t test. Where no output speaks for one side alone, t has no error, and
    the p-value is :math:`(1 - \varepsilon)^G`, the chance of seeing none among G clusters.
    """
    cells = one_evaluation(judgments).cells()
    if cells.rater is None or cells.raters is None:
        raise InputError(
            "`epsilon` asks whether the judge may stand in for raters, and these judgments do not "
            "name theirs. Name their column (rater), or leave it out."
        )
    column = pool_columns(cells.judgments, given.items, given.documents)
    place = {name: s for s, name in enumerate(pool.systems)}
    row = np.array([place.get(name, -1) for name in cells.systems])[cells.system]
    at = column[cells.item]
    known = (row >= 0) & (at >= 0)
    known[known] = np.isfinite(scores[row[known], at[known]])
    output = row * scores.shape[1] + at
    by_output: dict[int, dict[int, float]] = {}
    for cell in np.flatnonzero(known).tolist():
        by_output.setdefault(int(output[cell]), {})[int(cells.rater[cell])] = float(
            cells.mean[cell]
        )
    several = {key: answers for key, answers in by_output.items() if len(answers) > 1}
    people = np.unique([value for answers in several.values() for value in answers.values()])
    theirs = np.array([scores.flat[key] for key in several])
    same = people.size <= _CATEGORIES and bool(np.isin(theirs, people).all())
    found = [
        _left_out(rater, several, scores, pool, epsilon, same=same)
        for rater in range(len(cells.raters))
    ]
    kept = [
        (name, one) for name, one in zip(cells.raters, found, strict=True) if one is not None
    ]
    if not kept:
        raise DataError(
            f"no rater has {_FEWEST_OF_A_RATER} outputs that another rater and the judge rated too, "
            "so that nobody can be left out. Leave `epsilon` out, or let raters overlap."
        )
    p = np.array([one.p_value for _, one in kept])
    harmonic = float((1.0 / np.arange(1, p.size + 1)).sum())
    stepped = Family(alpha=alpha, correction="benjamini-hochberg").adjusted(p)
    adjusted = np.minimum(1.0, stepped * harmonic)
    rows = tuple(
        replace(one, rater=name, p_adjusted=float(q), replaced=bool(q <= alpha))
        for (name, one), q in zip(kept, adjusted, strict=True)
    )
    rate = float(np.mean([one.replaced for one in rows]))
    skipped = [name for name, one in zip(cells.raters, found, strict=True) if one is None]
    said = (
        f"Not left out, fewer than {_FEWEST_OF_A_RATER} outputs that others rated too: "
        f"{listing(skipped)}."
    )
    made = AltTest(
        epsilon=epsilon,
        closeness="same" if same else "rmse",
        winning_rate=rate,
        advantage=float(np.mean([one.judge for one in rows])),
        passed=rate >= _PASSES,
        raters=rows,
        unit=_unit_of(pool),
    )
    return made, (said,) if skipped else ()


def _left_out(
    rater: int,
    several: Mapping[int, Mapping[int, float]],
    scores: FloatArray,
    pool: MetricPool,
    epsilon: float,
    *,
    same: bool,
) -> ReplacedRater | None:
    """Return how the judge and one rater do beside the others; None with too few outputs."""
    keys = [key for key, answers in several.items() if rater in answers]
    if len(keys) < _FEWEST_OF_A_RATER:
        return None
    wins, losses = np.empty(len(keys)), np.empty(len(keys))
    for place, key in enumerate(keys):
        answers = several[key]
        others = np.array([value for who, value in answers.items() if who != rater])
        judge, own = (
            _closeness(value, others, same=same) for value in (scores.flat[key], answers[rater])
        )
        wins[place], losses[place] = judge >= own - _ALIKE, own >= judge - _ALIKE
    clusters = _units(pool, np.array(keys))
    n_units = len(keys) if clusters is None else int(np.unique(clusters).size)
    difference = losses - wins
    if np.ptp(difference) == 0.0:
        sure = float(difference[0]) <= 0.0
        p = (1.0 - epsilon) ** n_units if sure else 1.0
    else:
        p = cluster_mean(difference, clusters).p_below(epsilon)
    return ReplacedRater(
        rater="",
        n_items=len(keys),
        n_units=n_units,
        judge=float(wins.mean()),
        rater_itself=float(losses.mean()),
        p_value=p,
        p_adjusted=p,
        replaced=False,
    )


def _closeness(answer: float, others: FloatArray, *, same: bool) -> float:
    """Return how close an answer is to others: more is closer."""
    if same:
        return float((others == answer).mean())
    return -math.sqrt(float(np.square(others - answer).mean()))


def _units(pool: MetricPool, keys: IntArray) -> IntArray | None:
    """Return what of the outputs is independent; None where each is."""
    item = keys % pool.metric.shape[1]
    if pool.documents is not None:
        found: IntArray = pool.documents[item]
        return found
    return item if len(pool.systems) > 1 else None


def _unit_of(pool: MetricPool) -> str:
    if pool.documents is not None:
        return "document"
    return "item" if len(pool.systems) > 1 else "output"
