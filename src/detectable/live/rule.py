"""What is fixed before the first answer, and the looks at prefixes that follow from it.

Samples of an evaluation do not end in the order in which they began: wrong answers may take longer,
and what failed is tried again at the back of the queue. So decisions rest on prefixes of the schedule,
and what is unfinished in a prefix counts against the claim: as the lowest score for a pass, as the
highest for a fail. Tango's statistic of 0/1 scores rises with every right answer, so the whole prefix
would have crossed the same boundary, however often one looks.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.shares import PairedShares, tango_z, wilson_interval
from detectable.inference.standard_errors import cluster_mean
from detectable.sequential.look_statistic import paired_mean
from detectable.sequential.prefix_looks import (
    FIRST,
    FUTILE_FROM,
    UNLIKELY,
    PrefixLooks,
    predictive_power,
)

_UNFINISHED = 0.2  # of a prefix of 0/1 scores, at most
_UNFINISHED_BOUNDED = 0.1  # of other scores with a lowest and a highest one
_SPREAD = (
    0.8  # of α in the rule of precision: a stop at a narrow interval favours extreme shares
)

CONTINUE = "continue"
ZERO_ONE = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is fixed for one task before its first answer.

    Attributes
    ----------
    seed : int
        Of the order of the questions.
    metric : str or None
        The scorer that decides; None for the only one.
    margin : float or None
        The loss that must be ruled out for a pass; without one it ends as better or worse.
    alpha, alpha_fail : float
        One-sided levels of a pass, and of a fail: all tasks share the latter.
    looks, first, family
        Every how many-th part of the samples is looked at, from which number on, and what spends α.
    half_width : float or None
        Of the interval, at level 1 − α, that ends it instead of a claim.
    lower_is_better : bool
        Then scores are mirrored.
    scale : (float, float) or None
        The lowest and the highest possible score; None if there are none.
    futility : bool
        Whether it also ends where pass and fail have both become unlikely; else that is noted.
    """

    seed: int = 0
    metric: str | None = None
    margin: float | None = None
    alpha: float = 0.05
    alpha_fail: float | None = None
    looks: int = 20
    first: int = FIRST
    family: str = "hsd"
    half_width: float | None = None
    lower_is_better: bool = False
    scale: tuple[float, float] | None = ZERO_ONE
    futility: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check.probability(self.alpha, "alpha")
        if self.margin is not None:
            check.positive(self.margin, "margin")
        if self.half_width is not None:
            check.positive(self.half_width, "half_width")
            if self.margin is not None:
                raise InputError(
                    "`half_width` and `margin` ask for different ends. Give one of them."
                )
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise InputError(
                f"`scale` must go from low to high; got {self.scale[0]:g} to {self.scale[1]:g}."
            )

    @property
    def errors_count(self) -> float | None:
        """What a sample that ended in an error counts: the worst score; None if there is none."""
        if self.scale is None:
            return None if self.lower_is_better else 0.0
        return self.scale[1] if self.lower_is_better else self.scale[0]

    def schedule(self, total: int) -> PrefixLooks:
        """Return the looks at so many samples."""
        return PrefixLooks.of(
            total,
            alpha=self.alpha,
            alpha_fail=self.alpha_fail,
            looks=self.looks,
            first=self.first,
            family=self.family,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixLook:
    """One look at a prefix.

    Attributes
    ----------
    n : int
        Questions in it.
    t : float
        Its share of the samples.
    estimate : float
        The mean difference with what is unfinished counted against a pass. Never print it as the
        difference.
    z_pass, z_fail : float
        Against the margin, and against no difference; the ends of the interval where it ends by
        precision.
    bound, bound_fail : float or None
        What they had to reach: ``z_pass ≥ bound``, ``z_fail ≤ −bound_fail``.
    unfinished : int
        Samples in it without an answer.
    futile : bool
        Whether pass and fail are both unlikely by now.
    """

    n: int
    t: float
    estimate: float
    z_pass: float
    z_fail: float
    bound: float | None
    bound_fail: float | None
    unfinished: int
    decision: str
    futile: bool = False


class Prefixes:
    """The answers to one schedule, epoch by epoch, and the looks that they allow.

    Parameters
    ----------
    rule : Rule
    old : array of shape (questions,), optional
        Mean scores of the baseline; None for one system. NaN for those that are still to come, of
        two systems that run together.
    n_questions, n_epochs : int
        The schedule: all questions once, then all twice, and so on.
    """

    def __init__(
        self, rule: Rule, old: FloatArray | None, *, n_questions: int, n_epochs: int
    ) -> None:
        if n_questions * n_epochs < 2:
            raise DataError(
                f"{n_questions * n_epochs} samples are planned, and no look at them can decide. "
                "Give two or more."
            )
        self.rule = rule
        self._scale = rule.scale
        self._new = np.full((n_epochs, n_questions), math.nan)
        self._old = np.zeros(n_questions) if old is None else self._turned(np.asarray(old))
        self._alone = old is None
        self._begin(rule.schedule(n_questions * n_epochs))
        self._other = 0 if self._known_old_is_zero_one() else 1  # answers that are not 0 or 1

    def _begin(self, looks: PrefixLooks) -> None:
        """Count all answers so far, by the first look that sees each."""
        self.looks = looks
        self._at = list(looks.at)
        self.next = 0
        self._bins = [[0.0] * 5 for _ in self._at]
        for epoch, row in enumerate(self._new.tolist()):
            for question, value in enumerate(row):
                self._count(question, epoch, value, 1.0)

    def _known_old_is_zero_one(self) -> bool:
        known = self._old[np.isfinite(self._old)]
        return self._scale == ZERO_ONE and bool(np.isin(known, ZERO_ONE).all())

    @property
    def total(self) -> int:
        """Samples of the whole schedule."""
        return self._new.size

    @property
    def n_epochs(self) -> int:
        """Samples of a question."""
        return int(self._new.shape[0])

    @property
    def zero_one(self) -> bool:
        """Whether all scores are right or wrong, one of each question."""
        return self._new.shape[0] == 1 and self._other == 0

    def checked(self, score: float) -> float:
        """Return a score as it counts: higher is better; refuse one outside the scale."""
        value = float(score)
        if not math.isfinite(value):
            raise DataError(f"the score {value:g} is no finite number.")
        scale = self.rule.scale
        if scale is not None and not scale[0] <= value <= scale[1]:
            raise DataError(
                f"the score {value:g} lies outside the scale {scale[0]:g} to {scale[1]:g} of the "
                "plan."
            )
        return float(self._turned(value))

    def _turned(self, values: ArrayLike) -> FloatArray:
        """Return scores of which higher is better, on the same scale."""
        known = np.asarray(values, dtype=np.float64)
        if not self.rule.lower_is_better:
            return known
        return (0.0 if self._scale is None else sum(self._scale)) - known

    def error(self) -> float:
        """Return what counts for a sample that ended in an error."""
        worst = self.rule.errors_count
        if worst is None:
            raise DataError(
                "a sample ended in an error, and scores where lower is better have no worst one. "
                "Give the scale: --scale LOW:HIGH."
            )
        return float(self._turned(worst))

    def take(
        self, question: int, epoch: int, value: float, *, old: float | None = None
    ) -> None:
        """Take one answer, in place of an earlier one to the same sample.

        Parameters
        ----------
        question, epoch : int
            Its place, from 0.
        value : float
            As `checked` returns it.
        old : float, optional
            What the other of two systems that run together scored.
        """
        before = float(self._new[epoch, question])
        self._count(question, epoch, before, -1.0)
        if math.isfinite(before):
            self._other -= before not in ZERO_ONE
        if old is not None:
            self._old[question] = old
            self._other += old not in ZERO_ONE
        self._new[epoch, question] = value
        self._other += value not in ZERO_ONE
        self._count(question, epoch, value, 1.0)

    def _count(self, question: int, epoch: int, value: float, sign: float) -> None:
        """Put an answer, or a missing one, into the counts of its look, or take it out.

        These are the answers, and the fixed and broken items with what is unfinished as wrong, and as
        right; the latter mean something for 0/1 scores alone.
        """
        slot = epoch * self._new.shape[1] + question
        k = bisect.bisect_right(self._at, slot)
        if k == len(self._at):
            return  # beyond a declared end
        counts, old = self._bins[k], float(self._old[question])
        known, told = math.isfinite(value), math.isfinite(old)
        counts[0] += sign * known
        for side in (0, 1):
            new = value if known else float(side)
            theirs = old if told else 1.0 - side
            counts[1 + 2 * side] += sign * new * (1.0 - theirs)
            counts[2 + 2 * side] += sign * (1.0 - new) * theirs

    # --- What may be looked at ---

    def test(self) -> list[PrefixLook]:
        """Look at every planned prefix that is not passed yet and finished far enough.

        A look that decides is the last of them. One with unfinished samples that decides nothing is
        none: its prefix is looked at again.
        """
        share = self._most_unfinished()
        found: list[PrefixLook] = []
        counts = self._counts(self.next)
        begun = self.next
        for k in range(begun, len(self._at)):
            if k > begun:
                counts = [a + b for a, b in zip(counts, self._bins[k], strict=True)]
            size = self._at[k]
            unfinished = size - round(counts[0])
            if unfinished > share * size:
                break
            if unfinished and self.zero_one and not self._may_decide(k, counts):
                continue
            look = self._look(k, counts)
            if look.decision != CONTINUE or not unfinished:
                found.append(look)
                self.next = k + 1
            if look.decision != CONTINUE:
                break
        return found

    def _counts(self, k: int) -> list[float]:
        """Return the counts of a prefix."""
        made = [sum(column) for column in zip(*self._bins[: k + 1], strict=True)]
        return made or [0.0] * 5

    def _may_decide(self, k: int, counts: Sequence[float]) -> bool:
        """Whether 0/1 scores can be beyond a boundary at all: Tango's variance has a least value.

        At −M it is n M (1 − M) or more, at 0 the discordant items.
        """
        _, fixed, broken, up, down = counts
        margin, n = self.rule.margin or 0.0, self._at[k]
        least = max(n * margin * (1.0 - margin), 0.0)
        passes = fixed - broken + n * margin >= self.looks.z[k] * math.sqrt(least)
        fails = down - up >= self.looks.z_fail[k] * math.sqrt(max(up + down, 0.0))
        return passes or fails

    def end(self, n: int) -> PrefixLook:
        """Declare the prefix of n samples the last look: what is left of α is spent there."""
        self._begin(self.looks.ended_at(n))
        self.next = len(self._at) - 1
        return self.look_at(n)

    def look_at(self, n: int) -> PrefixLook:
        """Return what a whole prefix of n samples says, as it was looked at before."""
        k = self._at.index(n)
        return self._look(k, self._counts(k))

    def pass_over(self, n: int) -> None:
        """Pass all prefixes of up to n samples, which were looked at before."""
        self.next = bisect.bisect_right(self._at, n)

    def _look(self, k: int, counts: Sequence[float]) -> PrefixLook:
        unfinished = self._at[k] - round(counts[0])
        if self.rule.half_width is not None:
            return self._precise(k)
        return self._decided(k, self._z(k, counts), unfinished)

    def finished(self) -> int:
        """Return how many samples from the first one on have an answer, without a gap."""
        gaps = np.flatnonzero(~np.isfinite(self._new.ravel()))
        return int(gaps[0]) if gaps.size else self._new.size

    def _most_unfinished(self) -> float:
        if self.rule.half_width is not None or self._scale is None:
            return 0.0
        return _UNFINISHED if self.zero_one else _UNFINISHED_BOUNDED

    def _z(self, k: int, counts: Sequence[float]) -> tuple[float, float, float]:
        """Return the statistics of a prefix against the margin, and against no difference.

        The third is against the margin too, with what is unfinished as right: a pass that has become
        unlikely is a condition of a fail, and against a fail the unfinished must count there as well.
        """
        margin = self.rule.margin or 0.0
        if self.zero_one:
            _, fixed, broken, up, down = counts
            z = tango_z(
                [fixed, up, up], [broken, down, down], self._at[k], [-margin, 0.0, -margin]
            )
            return float(z[0]), float(z[1]), float(z[2])
        low, high, old = self._means(k)
        hopeful = high - old[1]
        return _t_as_z(low - old[0] + margin), _t_as_z(hopeful), _t_as_z(hopeful + margin)

    def _means(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the means of the questions of a prefix, counted against either claim."""
        n = self._new.shape[1]
        whole, rest = divmod(int(self._at[k]), n)
        width = n if whole else rest
        lowest, highest = (math.nan, math.nan) if self._scale is None else self._scale
        used = self._new[: whole + (rest > 0), :width].copy()
        if whole and rest:
            used[-1, rest:] = math.inf  # not in the prefix
        inside = used != math.inf
        old = self._old[:width]
        olds = np.stack([np.where(np.isfinite(old), old, end) for end in (highest, lowest)])
        means = []
        for unfinished in (lowest, highest):
            filled = np.where(np.isnan(used), unfinished, used)
            total = np.where(inside, filled, 0.0).sum(axis=0)
            means.append(total / inside.sum(axis=0))
        return means[0], means[1], olds

    def _decided(self, k: int, z: tuple[float, float, float], unfinished: int) -> PrefixLook:
        rule, looks = self.rule, self.looks
        z_pass, z_fail, z_hopeful = z
        t = looks.times[k]
        bound, bound_fail = looks.z[k], looks.z_fail[k]
        last = k == len(self._at) - 1
        passes, fails = z_pass >= bound, z_fail <= -bound_fail
        likely = predictive_power(z_hopeful, t, looks.z[-1]) >= UNLIKELY
        lost = predictive_power(-z_fail, t, looks.z_fail[-1]) >= UNLIKELY
        futile = FUTILE_FROM <= t < 1.0 and not likely and not lost and not unfinished
        decision = CONTINUE
        if passes:
            decision = "stop: better" if rule.margin is None else "stop: pass"
        elif fails and (rule.margin is None or not likely):
            decision = "stop: worse" if rule.margin is None else "stop: fail"
        elif last and not unfinished:
            decision = "stop: inconclusive"
        elif futile and rule.futility:
            decision = "stop: futile"
        low, _, old = self._means(k)
        return PrefixLook(
            n=low.size,
            t=t,
            estimate=float((low - old[0]).mean()),
            z_pass=z_pass,
            z_fail=z_fail,
            bound=bound,
            bound_fail=bound_fail,
            unfinished=unfinished,
            decision=decision,
            futile=futile,
        )

    def _precise(self, k: int) -> PrefixLook:
        """Look whether the interval is narrow enough; only whole prefixes come here."""
        low, _, old = self._means(k)
        found = precise_interval(
            low, None if self._alone else old[0], alpha=self.rule.alpha, zero_one=self.zero_one
        )
        wanted = float(self.rule.half_width or 0.0)
        done = (found.high - found.low) / 2.0 <= wanted
        last = k == len(self._at) - 1
        return PrefixLook(
            n=low.size,
            t=self.looks.times[k],
            estimate=float((low - old[0]).mean()),
            z_pass=found.low,
            z_fail=found.high,
            bound=None,
            bound_fail=None,
            unfinished=0,
            decision="stop: precise" if done else "stop: imprecise" if last else CONTINUE,
        )


def precise_interval(
    new: FloatArray, old: FloatArray | None, *, alpha: float, zero_one: bool
) -> Interval:
    """Return the interval that a target of precision waits for, at level 1 − .8α.

    Of one system Wilson's, of two Tango's, of other scores t. It is reported at 1 − α: to stop where
    an interval is narrow favours shares close to 0 and 1, and Wilson's at 1 − α would cover .940.
    """
    level = 1.0 - _SPREAD * alpha
    if zero_one and old is None:
        return wilson_interval(round(new.sum()), new.size, alpha=_SPREAD * alpha)
    if zero_one and old is not None:
        return PairedShares.of(new, old).interval(level)
    return cluster_mean(new if old is None else new - old, None).interval(level)


def _t_as_z(differences: FloatArray) -> float:
    """Return t of a mean as z; differences that are all equal say nothing of their spread."""
    if np.ptp(differences) < 1e-12:
        return 0.0
    return paired_mean(differences).z
