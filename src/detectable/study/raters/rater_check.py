"""Signs of careless work that are no verdict: they ask for a look, and seldom name careful raters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import CheckTest
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.inference.classic_tests import rank_sum, signed_rank
from detectable.inference.standard_errors import t_tail
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
    .. [1] Welch (1947), "The generalization of “Student's” problem when several different population
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


# --- The check of one rater: its test, and the power of that test ---


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTest:
    """One-sided test of degraded below original.

    Attributes
    ----------
    p_value, t, z : float
        NaN where the rater cannot be tested; `t` for the t test, `z` for the rank tests, both
        negative for a rater who sees the difference.
    mean_difference, sd_difference : float
        Of degraded − original.
    sd_score : float
        Of the scores of originals and of copies, each about its own mean.
    reason : str
        Why the rater cannot be tested; empty otherwise.
    """

    n_pairs: int
    p_value: float = math.nan
    t: float = math.nan
    z: float = math.nan
    mean_difference: float = math.nan
    sd_difference: float = math.nan
    sd_score: float = math.nan
    reason: str = ""


def check_rater(
    original: FloatArray, degraded: FloatArray, test: CheckTest, alpha: float
) -> RaterTest:
    r"""Test one rater's pairs, one-sided.

    ``paired-t`` is the rule of the WMT campaigns, with :math:`d` = degraded − original,

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \qquad p = P(T_{n-1} \le t).

    ``signed-rank`` replaces it by Wilcoxon's test with Pratt's zeros, ``mann-whitney`` by the
    test of two independent samples that Appraise shows. A rank test is not asked where even
    the clearest answer has an exact p above `alpha`: :math:`2^{-m}` for m differences that are
    not zero, :math:`1 / \binom{2n}{n}` for n against n scores.
    """
    n = int(original.size)
    d = degraded - original
    if n < 2:
        return RaterTest(
            n_pairs=n,
            mean_difference=float(d.mean()) if n else math.nan,
            reason=f"{count(n, 'pair')}, and two are needed" if n else "no pair",
        )
    reason = _reason(original, degraded, test, alpha)
    p, t, z = (math.nan,) * 3 if reason else _statistics(original, degraded, test)
    variances = original.var(ddof=1) + degraded.var(ddof=1)
    return RaterTest(
        n_pairs=n,
        p_value=p,
        t=t,
        z=z,
        mean_difference=float(d.mean()),
        sd_difference=float(d.std(ddof=1)),
        sd_score=math.sqrt(float(variances) / 2.0),
        reason=reason,
    )


def _statistics(
    original: FloatArray, degraded: FloatArray, test: CheckTest
) -> tuple[float, float, float]:
    """Return p, t and z."""
    d = degraded - original
    if test == "paired-t":
        t = float(d.mean()) / (float(d.std(ddof=1)) / math.sqrt(d.size))
        return t_tail(-t, d.size - 1.0), t, math.nan
    ranks = signed_rank(-d) if test == "signed-rank" else rank_sum(original, degraded)
    return ranks.p_greater, math.nan, -ranks.z


def _reason(original: FloatArray, degraded: FloatArray, test: CheckTest, alpha: float) -> str:
    """Return why the pairs cannot be tested, or nothing."""
    d = degraded - original
    n = d.size
    apart = int((d != 0.0).sum())
    if test == "paired-t":
        # R's t.test stops here (“data are essentially constant”); such workers have no class.
        if np.ptp(d) == 0.0:
            return f"all {n} differences equal {d[0]:g}, so there is no spread to test against"
        return ""
    if test == "signed-rank":
        if not apart:
            return f"all {n} differences are 0"
        if 2.0**-apart > alpha:
            return f"only {count(apart, 'difference')} apart from 0: no answer reaches p ≤ {alpha:g}"
        return ""
    if np.ptp(np.concatenate([original, degraded])) == 0.0:
        return f"all scores of the {n} pairs are equal"
    few = min(n, 100)  # beyond, the number has no end and the answer is plain
    if 1.0 / math.comb(2 * few, few) > alpha:
        return f"only {n} pairs: no answer reaches p ≤ {alpha:g}"
    return ""


# --- The power of a quality check itself: how likely a careful rater passes it ---

N_SIMULATIONS = 2000
_CERTAIN = 7.0  # standard errors between the mean and zero; the power is 1 to four digits
_LARGEST_OF_RATER_CHECK = 2_000_000  # simulated scores held at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class CarefulRater:
    """What a careful rater does, in points.

    Attributes
    ----------
    effect : float
        How much lower degraded copies are scored, on average.
    sd_difference : float
        Spread of the differences within a rater.
    sd_score : float
        Spread of the scores within a rater, which the unpaired test meets instead.
    """

    effect: float
    sd_difference: float
    sd_score: float

    @property
    def standardised(self) -> float:
        """The effect in standard deviations of the differences."""
        return self.effect / self.sd_difference if self.sd_difference > 0.0 else math.nan


def careful_rater(tests: Sequence[RaterTest], alpha: float) -> CarefulRater | None:
    r"""Return the typical rater among those that pass the t test, or None if nobody does.

    The mean difference of passing raters is too large: with few pairs only those pass whose
    difference happened to be large. So the standardised difference :math:`\delta` is the one
    under which the p-values of the passing raters, *given* that they passed, are uniform [1]_,

    .. math:: \frac1k \sum_r \frac{P(T_{n_r - 1,\,\delta\sqrt{n_r}} > |t_r|)}
              {P(T_{n_r - 1,\,\delta\sqrt{n_r}} > t_{1-\alpha,\,n_r - 1})} = \tfrac12,

    with the noncentral t distribution; zero where the raters pass no better than luck would
    have it. Where raters differ much, this is still too large: those who pass are the better
    ones. Spreads are pooled, :math:`s^2 = \sum (n_r - 1) s_r^2 / \sum (n_r - 1)`, and the
    effect is :math:`\delta s`.

    References
    ----------
    .. [1] van Assen, van Aert and Wicherts (2015), "Meta-analysis using effect size
       distributions of only statistically significant studies", Psychological Methods 20(3),
       293–309.
    """
    from scipy.special import stdtrit

    spread = [one for one in tests if one.n_pairs > 1 and one.sd_difference > 0.0]
    n = np.array([one.n_pairs for one in spread], dtype=np.float64)
    sd = np.array([one.sd_difference for one in spread])
    t = np.sqrt(n) * [-one.mean_difference for one in spread] / sd
    critical = stdtrit(n - 1.0, 1.0 - alpha)
    passed = t >= critical
    if not passed.any():
        return None
    n, sd, t, critical = n[passed], sd[passed], t[passed], critical[passed]
    scores = np.array([one.sd_score for one in spread])[passed]
    s = _pool(sd, n)
    effect = _given_passing(t, n, critical) * s
    return CarefulRater(effect=effect, sd_difference=s, sd_score=_pool(scores, n))


def _pool(sds: FloatArray, n: FloatArray) -> float:
    return math.sqrt(float(((n - 1.0) * sds**2).sum() / (n - 1.0).sum()))


def _given_passing(t: FloatArray, n: FloatArray, critical: FloatArray) -> float:
    """Return the standardised difference under which t, given that it passed, is typical."""
    from scipy.optimize import brentq

    def excess(delta: float) -> float:
        shift = delta * np.sqrt(n)
        return float((_above(t, n, shift) / _above(critical, n, shift)).mean()) - 0.5

    if excess(0.0) >= 0.0:
        return 0.0
    high = 1.0
    while excess(high) < 0.0:
        high *= 2.0
    return float(brentq(excess, 0.0, high, xtol=1e-8))


def _above(t: FloatArray, n: FloatArray, shift: FloatArray) -> FloatArray:
    """Return the chance of a noncentral t above `t`."""
    from scipy.special import nctdtr

    below = nctdtr(n - 1.0, shift, t)
    # Far in the tails the series gives up; there the answer is certain.
    certain = np.where(shift > t, 0.0, 1.0)
    above: FloatArray = 1.0 - np.where(np.isfinite(below), below, certain)
    return above


def check_power(
    n_pairs: int, careful: CarefulRater, test: CheckTest, alpha: float, rng: np.random.Generator
) -> float:
    r"""Return the chance that a careful rater with `n_pairs` passes.

    For the t test it is exact under normal differences,

    .. math:: 1 - F_{n-1,\,\delta\sqrt n / s}(t_{1-\alpha,\,n-1}),

    with the noncentral t distribution. For the rank tests normal scores are drawn 2,000 times,
    with the spread of the scores and of the differences that `careful` states (the unpaired
    test does not see the pairing, but its power depends on it).
    """
    if n_pairs < 2 or not careful.sd_difference > 0.0:
        return math.nan
    if test == "paired-t":
        return _power_t(n_pairs, careful, alpha)
    spread = careful.sd_difference
    if test == "mann-whitney":
        spread = max(spread, math.sqrt(2.0) * careful.sd_score)
    if math.sqrt(n_pairs) * careful.effect / spread > _CERTAIN and n_pairs >= 20:
        return 1.0
    passed = 0
    rows = max(1, min(N_SIMULATIONS, _LARGEST_OF_RATER_CHECK // n_pairs))
    done = 0
    while done < N_SIMULATIONS:
        size = min(rows, N_SIMULATIONS - done)
        passed += _passes(n_pairs, size, careful, test, alpha, rng)
        done += size
    return passed / N_SIMULATIONS


def _power_t(n: int, careful: CarefulRater, alpha: float) -> float:
    from scipy.special import stdtrit

    size = np.array([float(n)])
    critical = stdtrit(size - 1.0, 1.0 - alpha)
    return float(_above(critical, size, np.sqrt(size) * careful.standardised)[0])


def _passes(
    n: int,
    size: int,
    careful: CarefulRater,
    test: CheckTest,
    alpha: float,
    rng: np.random.Generator,
) -> int:
    from scipy.special import ndtri

    critical = -float(ndtri(alpha))
    d = rng.normal(careful.effect, careful.sd_difference, (size, n))  # original − degraded
    if test == "signed-rank":
        order = np.abs(d).argsort(axis=1)
        positive = np.take_along_axis(d > 0.0, order, axis=1)
        centred = positive @ np.arange(1, n + 1) - n * (n + 1) / 4.0
        spread = math.sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0)
    else:
        # Sum and difference of a pair with equal variances are independent.
        rest = max(0.0, 4.0 * careful.sd_score**2 - careful.sd_difference**2)
        s = rng.normal(0.0, math.sqrt(rest), (size, n))
        order = np.concatenate([(s + d) / 2.0, (s - d) / 2.0], axis=1).argsort(axis=1)
        ranks = (order < n) @ np.arange(1, 2 * n + 1)
        centred = ranks - n * (n + 1) / 2.0 - n * n / 2.0
        spread = math.sqrt(n * n * (2.0 * n + 1.0) / 12.0)
    return int(((centred - 0.5) / spread >= critical).sum())
