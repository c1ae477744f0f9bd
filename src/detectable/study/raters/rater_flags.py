"""Signs of careless work that are no verdict: they ask for a look, and seldom name careful raters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.kernels.distributions import t_quantile

FLAGS = {
    "degraded-high": "degraded copies are scored no lower than ordinary items",
    "reference-beaten": "ordinary items are scored no lower than references",
    "reference-low": "references stand out less from ordinary items than for most raters",
    "fast-task": "a judgment took too little time, in the median task",
    "long-run": "the same score many times in a row, more often than by chance",
    "constant": "every judgment has the same score",
}
_SHUFFLES = 999  # with the scores as they are 1,000, so that p = .01 can be reached exactly
_LARGEST = 2_000_000  # shuffled scores held at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagLimits:
    """When to raise a flag.

    Attributes
    ----------
    seconds : float
        Shortest time of a judgment, in the median task of a rater.
    timed : int
        Judgments with a time that this needs.
    run : int
        Longest run of one score, in the order of the rows within a task.
    run_p : float
        How seldom the rater's own scores in random order may have a run as long.
    reference_p : float
        One-sided level at which references stand out less than for the median rater.
    """

    seconds: float = 3.0
    timed: int = 20
    run: int = 8
    run_p: float = 0.01
    reference_p: float = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterHabits:
    """What a rater's scores look like; NaN where the data cannot say."""

    n_judgments: int
    mean: float
    sd: float
    mean_system: float
    mean_degraded: float
    mean_reference: float
    longest_run: int
    run_p: float  # NaN where the run is within the limit
    fastest_task: float  # seconds
    pace: float  # seconds per judgment, the median task
    flags: tuple[str, ...] = ()


def rater_habits(
    judgments: Judgments, limits: FlagLimits, rng: np.random.Generator
) -> list[RaterHabits]:
    """Return the habits and flags of every rater, in the order of the judgments' raters.

    Times are those of single judgments. Runs longer than the limit are compared with those of the
    rater's own scores in random order: scores of a document among each other, and documents among
    each other, because scores of a document resemble each other. Only documents whose rows follow
    each other matter; where documents are not known, all rows change places.
    """
    raters = judgments.column("rater")
    task = raters.codes if judgments.task is None else cross_codes(*_task_columns(judgments))[0]
    order = np.argsort(raters.codes, kind="stable")
    edges = np.searchsorted(raters.codes[order], np.arange(raters.n_levels + 1))
    each = [order[first:last] for first, last in pairwise(edges.tolist())]
    streams = rng.spawn(len(each))  # the shuffles of a rater do not depend on the other raters
    habits = [
        _habits(judgments, rows, task, limits, stream)
        for rows, stream in zip(each, streams, strict=True)
    ]
    low = _references_low([judgments.score[rows] for rows in each],
                          [judgments.kind[rows] for rows in each], limits)  # fmt: skip
    return [
        replace(one, flags=_flags(one, limits, reference_low=below))
        for one, below in zip(habits, low, strict=True)
    ]


def _task_columns(judgments: Judgments) -> list[Factor]:
    given = [judgments.rater, judgments.campaign, judgments.language, judgments.task]
    return [column for column in given if column is not None]


def _habits(
    judgments: Judgments,
    rows: IntArray,
    task: IntArray,
    limits: FlagLimits,
    rng: np.random.Generator,
) -> RaterHabits:
    # A task may stand in pieces between other tasks; its own rows keep their order.
    rows = rows[np.argsort(task[rows], kind="stable")]
    score, kind, of_task = judgments.score[rows], judgments.kind[rows], task[rows]
    system, degraded, reference = (
        _mean(score[kind == KINDS.index(name)]) for name in ("system", "degraded", "reference")
    )
    run = int(longest_runs(score[None, :], _steps(of_task))[0])
    document = None if judgments.document is None else judgments.document.codes[rows]
    fastest, pace = (
        (math.nan, math.nan)
        if judgments.seconds is None
        else _times(judgments.seconds[rows], of_task, limits.timed)
    )
    return RaterHabits(
        n_judgments=int(score.size),
        mean=_mean(score),
        sd=float(score.std(ddof=1)) if score.size > 1 else math.nan,
        mean_system=system,
        mean_degraded=degraded,
        mean_reference=reference,
        longest_run=run,
        run_p=run_p(score, of_task, document, rng) if run > limits.run else math.nan,
        fastest_task=fastest,
        pace=pace,
    )


def _flags(found: RaterHabits, limits: FlagLimits, *, reference_low: bool) -> tuple[str, ...]:
    raised = {  # comparisons with NaN are false: what is not known raises no flag
        "degraded-high": found.mean_degraded >= found.mean_system,
        "reference-beaten": found.mean_system >= found.mean_reference,
        "reference-low": reference_low,
        "fast-task": found.pace < limits.seconds,
        "long-run": found.run_p <= limits.run_p,
        "constant": found.n_judgments > 1 and found.sd == 0.0,
    }
    return tuple(name for name in FLAGS if raised[name])


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else math.nan


# --- Runs of one score ---


def run_p(
    score: FloatArray, task: IntArray, document: IntArray | None, rng: np.random.Generator
) -> float:
    r"""Return how often the scores in random order have a run as long.

    .. math:: p = \frac{1 + \#\{b : L_b \ge L\}}{1 + B}

    over B = 999 orders [1]_. Runs may cross from a task into the next here, in the data as in the
    shuffled scores: a document may come to stand anywhere.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero", Statistical
       Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> rng, alone = np.random.default_rng(1), np.zeros(40, dtype=int)
    >>> run_p(np.array([1.0] * 20 + [0.0, 1.0] * 10), alone, None, rng)
    0.001
    >>> run_p(np.ones(40), alone, None, rng)
    1.0
    """
    block = np.arange(score.size) if document is None else _stretches(task, document)
    n = score.size
    unbroken = np.zeros(n - 1, dtype=bool)
    seen = int(longest_runs(score[None, :], unbroken)[0])
    as_long = done = 0
    while done < _SHUFFLES:
        size = min(_SHUFFLES - done, max(1, _LARGEST // n))
        places = rng.permuted(np.tile(np.arange(block[-1] + 1), (size, 1)), axis=1)
        order = np.argsort(places[:, block] + rng.random((size, n)), axis=1)
        as_long += int((longest_runs(score[order], unbroken) >= seen).sum())
        done += size
    return (1 + as_long) / (1 + _SHUFFLES)


def longest_runs(scores: FloatArray, new: NDArray[np.bool_]) -> IntArray:
    """Return the longest run of one value in every row; `new` begins another after a place.

    Examples
    --------
    >>> longest_runs(np.array([[1.0, 1.0, 2.0, 2.0, 2.0]]), np.array([False] * 4)).tolist()
    [3]
    """
    size, n = scores.shape
    starts = np.ones((size, n), dtype=bool)
    starts[:, 1:] = (scores[:, 1:] != scores[:, :-1]) | new
    first = np.flatnonzero(starts)
    lengths = np.diff(first, append=size * n)
    return np.asarray(np.maximum.reduceat(lengths, np.searchsorted(first, np.arange(size) * n)))


def _steps(codes: IntArray) -> NDArray[np.bool_]:
    return np.asarray(codes[1:] != codes[:-1])


def _stretches(task: IntArray, document: IntArray) -> IntArray:
    """Return the number of each stretch of rows of one document in one task."""
    return np.concatenate([[0], np.cumsum(_steps(task) | _steps(document))])


# --- Time ---


def _times(seconds: FloatArray, task: IntArray, timed: int) -> tuple[float, float]:
    """Return the time of the quickest task, and the time of a judgment in the median task.

    The former of tasks that are timed throughout; the latter where enough judgments have a time.
    """
    known = np.isfinite(seconds)
    place = np.unique(task, return_inverse=True)[1]
    rows, with_time = np.bincount(place), np.bincount(place, known)
    total = np.bincount(place, np.where(known, seconds, 0.0))
    whole, some = total[with_time == rows], with_time > 0
    fastest = float(whole.min()) if whole.size else math.nan
    if int(known.sum()) < timed:
        return fastest, math.nan
    return fastest, float(np.median(total[some] / with_time[some]))


# --- References beside ordinary items ---


def _references_low(
    scores: Sequence[FloatArray], kinds: Sequence[IntArray], limits: FlagLimits
) -> list[bool]:
    r"""Return whose references stand out less from the rater's own ordinary items than usual.

    With :math:`g` = mean of references − mean of ordinary items of a rater, where Welch's [1]_ upper
    limit :math:`g + t_{1-\alpha, \nu} s_g` is below the median of all raters' g. A severe rater, and one
    who uses a part of the scale, is compared with their own scores. Two scores of either kind are
    needed, and some spread.

    References
    ----------
    .. [1] Welch (1947), "The generalization of «Student's» problem when several different population
       variances are involved", Biometrika 34(1/2), 28–35.
    """
    gaps, limit = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    for i, (score, kind) in enumerate(zip(scores, kinds, strict=True)):
        both = [score[kind == KINDS.index(name)] for name in ("reference", "system")]
        if min(values.size for values in both) < 2:
            continue
        reference, system = both
        gaps[i] = reference.mean() - system.mean()
        parts = [float(values.var(ddof=1)) / values.size for values in both]
        if sum(parts) > 0.0:
            df = sum(parts) ** 2 / sum(
                part**2 / (values.size - 1) for part, values in zip(parts, both, strict=True)
            )
            error = math.sqrt(sum(parts))
            limit[i] = gaps[i] + t_quantile(1.0 - limits.reference_p, df) * error
    if np.isnan(gaps).all():
        return [False] * len(scores)
    return [bool(one) for one in limit < np.nanmedian(gaps)]
