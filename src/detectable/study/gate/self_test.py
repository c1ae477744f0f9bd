"""A/A: how often this gate would pass, fail or flip if nothing changed.

Many evaluations of one unchanged system are drawn on the questions at hand, twice each, and gated as
the real ones are. Rows are drawn independently of each other.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.margins import UNKNOWN, KnownRange
from detectable.core.choices import GateRule
from detectable.core.rng import BLOCK, blocks
from detectable.core.types import FloatArray
from detectable.inference.margin_score import MarginKind
from detectable.inference.shares import question_counts, tango_z
from detectable.inference.swap_power import detectable_share
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.study.gate.evidence import Evidence, RerunNoise, rerun_noise
from detectable.study.gate.matching import MatchedTask
from detectable.study.gate.result import FEWEST_CLUSTERS, OutcomeShares, SelfTest

_OWN = "the samples of each question"
_OTHERS = "the difference of both systems, as one sample of a question shows no noise"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A row that decides: its questions, its margin (NaN for none), and its kind of scores."""

    task: MatchedTask
    margin: float
    zero_one: bool
    sign: float
    known: KnownRange = UNKNOWN
    kind: MarginKind | None = None


def self_test(
    rows: Sequence[Repeated],
    *,
    rule: GateRule,
    alpha: float,
    power: float,
    n_simulations: int,
    rng: np.random.Generator,
) -> SelfTest:
    """Gate many evaluations of an unchanged system."""
    noises = [rerun_noise(row.task, zero_one=row.zero_one) for row in rows]
    tally = np.zeros(3)  # pass, fail, neither
    lower = 0
    for block in blocks(n_simulations, rng, size=BLOCK):
        found = [
            _simulated(row, noise, block.rows, child, rule=rule, alpha=alpha, power=power)
            for row, noise, child in zip(rows, noises, block.rng.spawn(len(rows)), strict=True)
        ]
        tally += _outcomes(found, rule, alpha)
        lower += int(np.any([one.value < 0.0 for one in found], axis=0).sum())
    fails = lower / n_simulations
    shares = (tally / n_simulations).tolist()
    return SelfTest(
        simulated=OutcomeShares(passed=shares[0], failed=shares[1], inconclusive=shares[2]),
        formula=_formula(rows, noises, rule=rule, alpha=alpha, power=power),
        naive=OutcomeShares(passed=1.0 - fails, failed=fails, inconclusive=0.0),
        n_simulations=n_simulations,
        noise=_OWN if all(noise.own for noise in noises) else _OTHERS,
    )


@dataclass(frozen=True, slots=True)
class Decisions:
    """What many evaluations of one row say: arrays of shape (evaluations,)."""

    value: FloatArray
    p_margin: FloatArray
    p_better: FloatArray
    p_worse: FloatArray
    could_see: NDArray[np.bool_]
    may_pass: bool


def _simulated(
    row: Repeated,
    noise: RerunNoise,
    n: int,
    rng: np.random.Generator,
    *,
    rule: GateRule,
    alpha: float,
    power: float,
) -> Decisions:
    task = row.task
    old, new = (
        noise.draw(one.samples.astype(np.float64), n, rng, zero_one=row.zero_one)
        for one in (task.old, task.new)
    )
    return decisions(row, new, old, rule=rule, alpha=alpha, power=power)


def decisions(
    row: Repeated,
    new: FloatArray,
    old: FloatArray,
    *,
    rule: GateRule,
    alpha: float,
    power: float,
) -> Decisions:
    """Return what `Evidence` says, for many evaluations at once.

    Parameters
    ----------
    new, old : arrays of shape (evaluations, questions)
        Mean scores.
    """
    if row.sign < 0.0:
        new, old = (old, new) if row.zero_one else (-new, -old)
    sees = rule == "no-regression"
    if row.zero_one:
        return _by_counts(row, new, old, sees=sees, alpha=alpha, power=power)
    return _by_score(row, new, old, sees=sees, alpha=alpha, power=power)


def _by_counts(
    row: Repeated, new: FloatArray, old: FloatArray, *, sees: bool, alpha: float, power: float
) -> Decisions:
    from scipy.special import bdtr, ndtr, stdtr

    task, clusters = row.task, row.task.clusters
    n = new.shape[-1]
    groups = n if clusters is None else int(clusters.max()) + 1
    found = question_counts(new, old, answers=task.answers, clusters=clusters)
    won, lost = found.fixed * found.effective, found.broken * found.effective

    def tail(z: FloatArray) -> FloatArray:
        below: FloatArray = ndtr(-z) if math.isinf(found.df) else stdtr(found.df, -z)
        return below

    def p_above(bound: float) -> FloatArray:
        return tail(tango_z(won, lost, found.effective, bound))

    p_margin = np.ones(len(new)) if math.isnan(row.margin) else p_above(-row.margin)
    value = found.fixed - found.broken
    still = np.ptp(new - old, axis=-1) == 0.0
    if not math.isnan(row.margin):
        three = math.exp(-groups * row.margin)
        p_margin = np.where(still & (value == 0.0), np.maximum(p_margin, three), p_margin)
    if math.isinf(found.df):
        wins, losses = np.rint(won), np.rint(lost)
        decided = (wins + losses).astype(np.int64)
        p_better, p_worse = (bdtr(k, decided, 0.5) for k in (losses, wins))
    else:
        z = tango_z(won, lost, found.effective, 0.0)
        p_better, p_worse = tail(z), tail(-z)
    could = np.ones(len(new), dtype=bool)
    if sees:
        pairs = np.maximum(np.rint(found.effective), 1.0).astype(int)
        discordant = np.rint((found.fixed + found.broken) * pairs).astype(int)
        could = np.array(
            [
                detectable_share(a, b, level=2.0 * alpha, power=power) <= row.margin
                for a, b in zip(pairs.tolist(), discordant.tolist(), strict=True)
            ]
        )
    return Decisions(value, p_margin, p_better, p_worse, could, groups >= FEWEST_CLUSTERS)


def _by_score(
    row: Repeated, new: FloatArray, old: FloatArray, *, sees: bool, alpha: float, power: float
) -> Decisions:
    """Return what the score rule says of one evaluation after the other; its root is of each own."""
    bound = -row.margin
    kept, could = [], []
    groups = new.shape[-1]
    for one, other in zip(new, old, strict=True):
        found = Evidence.of(
            one,
            other,
            clusters=row.task.clusters,
            answers=row.task.answers,
            zero_one=False,
            sign=1.0,  # mirrored before
            known=row.known,
            kind=row.kind,
        )
        groups = found.n_clusters
        margin = 1.0 if math.isnan(bound) else found.p_above(bound)
        kept.append((found.value, margin, found.p_above(0.0), found.p_below(0.0)))
        could.append(not sees or found.score.passable(alpha, power) <= row.margin)
    value, p_margin, p_better, p_worse = np.array(kept).T
    enough = groups >= FEWEST_CLUSTERS
    return Decisions(value, p_margin, p_better, p_worse, np.array(could), enough)


def _outcomes(rows: Sequence[Decisions], rule: GateRule, alpha: float) -> FloatArray:
    """Return how many evaluations pass, fail, and do neither."""
    worse = np.array([row.p_worse for row in rows])
    # Holm rejects something if and only if the smallest p-value passes the first step; which rows
    # it rejects beyond that changes no outcome of the gate, unless they pass.
    rejected = _holm_rejected(worse, alpha)
    passes, fails = [], []
    for row, bad in zip(rows, rejected, strict=True):
        within = row.p_margin <= alpha
        if rule == "non-inferiority":
            passes.append(within & row.may_pass)
            fails.append(bad & ~within)
        elif rule == "superiority":
            passes.append(~bad & (row.p_better <= alpha) & row.may_pass)
            fails.append(bad)
        else:
            passes.append(~bad & (row.p_worse > alpha) & row.could_see & row.may_pass)
            fails.append(bad)
    failed = np.any(fails, axis=0)
    passed = ~failed & np.all(passes, axis=0)
    return np.array([passed.sum(), failed.sum(), (~passed & ~failed).sum()], dtype=np.float64)


def _holm_rejected(p_values: FloatArray, alpha: float) -> NDArray[np.bool_]:
    """Return which of the p-values (tests, evaluations) Holm rejects."""
    order = np.argsort(p_values, axis=0, kind="stable")
    factors = np.arange(len(p_values), 0, -1)[:, np.newaxis]
    stepped = np.maximum.accumulate(
        factors * np.take_along_axis(p_values, order, axis=0), axis=0
    )
    rejected = np.empty(p_values.shape, dtype=bool)
    np.put_along_axis(rejected, order, stepped <= alpha, axis=0)
    return rejected


def _formula(
    rows: Sequence[Repeated],
    noises: Iterable[RerunNoise],
    *,
    rule: GateRule,
    alpha: float,
    power: float,
) -> OutcomeShares:
    found = []
    for row, noise in zip(rows, noises, strict=True):
        error = noise.standard_error(row.task)
        if error > 0.0:
            ratio = row.margin / error
            found.append(
                outcome_chances(ratio, rule=rule, alpha=alpha, power=power, rows=len(rows))
            )
            continue
        groups = row.task.old.samples.size
        if row.task.clusters is not None:
            groups = int(row.task.clusters.max()) + 1
        sure = (
            row.zero_one and rule != "superiority" and -math.log(alpha) <= groups * row.margin
        )
        found.append(
            OutcomeShares(passed=float(sure), failed=0.0, inconclusive=float(not sure))
        )
    return chances_together(found)


# --- How often a gate ends how, if its standard error is known and the difference is normal ---
#
# With R the margin in standard errors and δ the true difference in standard errors, a row passes by
# *non-inferiority* with chance :math:`\Phi(\delta + R - z_{1-\alpha})` and fails with chance
# :math:`\Phi(-z_{1-\alpha/m} - \delta)`, m being the rows that are corrected together, but never when
# it passes. So a margin of 2.49 standard errors passes an unchanged system four times in five.


def outcome_chances(
    ratio: float,
    *,
    rule: GateRule = "non-inferiority",
    shift: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    rows: int = 1,
) -> OutcomeShares:
    """Return the chances of the three outcomes of one row.

    Parameters
    ----------
    ratio : float
        Margin over standard error.
    shift : float
        True difference over standard error: 0 for an unchanged system, −`ratio` at the margin.
    rows : int
        How many are corrected together, of which this is the first that Holm looks at.

    Examples
    --------
    >>> found = outcome_chances(2.4865)
    >>> round(found.passed, 3), round(found.failed, 3), round(found.flips, 3)
    (0.8, 0.05, 0.335)
    """
    z = normal_quantile(1.0 - alpha)
    worse = normal_below(-normal_quantile(1.0 - alpha / rows) - shift)
    if rule == "non-inferiority":
        passed = normal_below(shift + ratio - z)
        failed = min(worse, 1.0 - passed)
    else:
        failed = worse
        if rule == "superiority":
            passed = normal_below(shift - z)
        else:
            could_see = z + normal_quantile(power) <= ratio
            passed = 1.0 - normal_below(-z - shift) if could_see else 0.0
    return OutcomeShares(
        passed=passed, failed=failed, inconclusive=max(0.0, 1.0 - passed - failed)
    )


def chances_together(rows: Iterable[OutcomeShares]) -> OutcomeShares:
    """Return the chances of a gate of independent rows: all pass, or any fails.

    Examples
    --------
    >>> one = OutcomeShares(passed=0.9, failed=0.005, inconclusive=0.095)
    >>> round(chances_together([one] * 10).passed, 4)
    0.3487
    """
    found = list(rows)
    passed = math.prod(row.passed for row in found)
    failed = 1.0 - math.prod(1.0 - row.failed for row in found)
    return OutcomeShares(
        passed=passed, failed=failed, inconclusive=max(0.0, 1.0 - passed - failed)
    )
