r"""What a row of a gate rests on: the difference of two systems on the questions of one task.

All scores go by the score rule (`inference.margin_score`), with what groups questions as clusters:
those of 0 and 1 by their counts, which for several sampled answers are expected ones
(`inference.shares`), others by the means of questions. Against zero, 0/1 scores with one answer per
question go by the exact sign test, as everywhere.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.contrasts.margins import UNKNOWN, KnownRange
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.direction import HEAVIEST_MQM, penalty_range
from detectable.inference.margin_score import MarginKind, MarginScore
from detectable.inference.margin_test import check_largest_loss, check_on_scale
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import Estimate, agreeing_interval, cluster_mean
from detectable.kernels.distributions import binomial_at_most
from detectable.study.gate.matching import Matched, MatchedTask

_ROUNDING = 1e-12  # differences closer than this, relative to the largest, are equal


@dataclass(frozen=True, slots=True)
class Evidence:
    """A difference, turned so that higher is better, and what its uncertainty rests on.

    Attributes
    ----------
    value : float
        New − old.
    n_questions, n_clusters : int
        Questions in both, and the independent groups that they form.
    score : MarginScore
        What every test and interval goes by.
    estimate : Estimate
        The mean difference with its standard error.
    shares : PairedShares or None
        The counts of 0/1 scores.
    unchanged : bool
        Whether every question has the same difference.
    typical : float
        Questions in the cluster of a typical question: 1 where each stands alone.
    """

    value: float
    n_questions: int
    n_clusters: int
    score: MarginScore
    estimate: Estimate
    shares: PairedShares | None
    unchanged: bool
    typical: float = 1.0

    @classmethod
    def of(
        cls,
        new: FloatArray,
        old: FloatArray,
        *,
        clusters: IntArray | None,
        answers: float,
        zero_one: bool,
        sign: float,
        known: KnownRange = UNKNOWN,
        kind: MarginKind | None = None,
    ) -> "Evidence":
        """Return the evidence of mean scores of the same questions.

        Parameters
        ----------
        new, old : array of shape (questions,)
            Mean scores of each question.
        clusters : array of int, optional
            Codes of what groups questions.
        answers : float
            Harmonic mean of the numbers of samples per question.
        zero_one : bool
            Whether every sample is 0 or 1.
        sign : float
            −1 where lower is better.
        known : KnownRange
            The scale, and the largest loss of a question.
        kind : {'two-valued', 'sparse', 'dense'}, optional
            As the baseline has it; by default these scores tell.
        """
        differences = sign * (new - old)
        largest = float(np.abs(differences).max())
        flat = float(np.ptp(differences)) <= _ROUNDING * max(1.0, largest)
        shares = None
        if zero_one:
            up, down = (new, old) if sign > 0.0 else (old, new)
            shares = (
                PairedShares.of(up, down, clusters)
                if answers == 1.0
                else PairedShares.of_rates(up, down, answers, clusters)
            )
        estimate = cluster_mean(differences, clusters)
        sizes = np.ones(new.size) if clusters is None else np.bincount(clusters)
        n_clusters = int(np.count_nonzero(sizes))
        if shares is not None:
            score = MarginScore.of_shares(
                shares, n_clusters, unchanged=flat and estimate.value == 0.0
            )
        else:
            score = MarginScore.of(
                sign * new,
                sign * old,
                clusters,
                scale=_mirrored(known.scale, sign),
                largest_loss=known.largest_loss,
                kind=kind,
            )
        return cls(
            value=estimate.value,
            n_questions=differences.size,
            n_clusters=n_clusters,
            score=score,
            estimate=estimate,
            shares=shares,
            unchanged=flat,
            typical=float(np.square(sizes).sum()) / differences.size,
        )

    @property
    def is_exact(self) -> bool:
        """Whether zero is tested by counting answers: one each, and no groups."""
        return self.shares is not None and math.isinf(self.shares.df)

    @property
    def df(self) -> float:
        """Degrees of freedom; infinite where answers are counted."""
        return self.score.df

    @property
    def standard_error(self) -> float:
        """Of the difference."""
        if self.shares is None:
            return self.estimate.standard_error
        shares = self.shares
        discordant = (shares.fixed + shares.broken) / shares.n
        return math.sqrt(
            max(discordant - shares.value**2, 0.0) * shares.design_effect / shares.n
        )

    @property
    def speaks(self) -> bool:
        """Whether anything follows: there are two clusters, and a spread or a known reach."""
        return self.score.speaks

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true difference is at most `bound`”; 1 if nothing follows."""
        if not self.speaks:
            return 1.0
        if self.shares is not None and self.is_exact and bound == 0.0:
            return _sign_p(self.shares.broken, self.shares.fixed)
        return self.score.p_above(bound)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”; 1 if nothing follows."""
        if not self.speaks:
            return 1.0
        if self.shares is not None and self.is_exact and bound == 0.0:
            return _sign_p(self.shares.fixed, self.shares.broken)
        return self.score.p_below(bound)

    def interval(self, alpha: float) -> Interval:
        """Return the interval of both one-sided tests at α: its level is 1 − 2α."""
        found = self.score.interval(alpha)
        if not self.is_exact or self.score.unchanged:
            return found
        rejected = min(self.p_above(0.0), self.p_below(0.0)) <= alpha
        return agreeing_interval(found, self.value, rejected=rejected)


def _mirrored(scale: tuple[float, float] | None, sign: float) -> tuple[float, float] | None:
    return scale if scale is None or sign > 0.0 else (-scale[1], -scale[0])


def known_of(
    of: Matched, scale: tuple[float, float] | None, largest_loss: float | None
) -> KnownRange:
    """Return what is known of the scores of a metric: as told, or as its name says."""
    if scale is None and largest_loss is None and not of.zero_one:
        means = [one.means for task in of.tasks for one in (task.old, task.new)]
        found = penalty_range(
            of.metric, np.concatenate(means), lower_is_better=not of.higher_is_better
        )
        if found is not None:
            return KnownRange(found, HEAVIEST_MQM, "MQM")
    return KnownRange(scale, largest_loss)


def check_known(
    known: KnownRange, metric: str, margin: float | None, task: MatchedTask, *, sign: float
) -> None:
    """Refuse scores off their scale, a margin that no loss reaches, a loss beyond the largest."""
    if known.scale is not None and not known.of:
        scores = {
            f"{which} {metric} on {task.task}": one.means
            for which, one in (("old", task.old), ("new", task.new))
        }
        check_on_scale(known.scale, margin or 0.0, scores)
    if not known.of:
        check_largest_loss(known.largest_loss, sign * (task.new.means - task.old.means))


def _sign_p(losses: float, wins: float) -> float:
    """Return the chance of at most so many losses if a win is as likely."""
    decided = round(losses + wins)
    return binomial_at_most(round(losses), decided, 0.5) if decided else 1.0


# --- How much the score of a question changes when an unchanged system answers it again ---
#
# The variance within questions, :math:`\sigma_w^2`, is pooled over both systems. Questions scatter by
# what is left of the variance of their means: :math:`\sigma_q^2 = \mathrm{var}(m_i) - \sigma_w^2\,
# \overline{1/k_i}`. Drawn towards the mean until they scatter by no more, the means are chances that
# answers can be drawn from: with the means themselves, questions would be too different and their
# answers too certain.
#
# With one sample of each question no noise is seen. Then the answers of both systems are taken as two
# samples of one: too much noise, if the systems differ.


@dataclass(frozen=True, slots=True)
class RerunNoise:
    """What evaluations of an unchanged system on one task are drawn from.

    Attributes
    ----------
    levels : array of shape (questions,)
        The score that each question has on average.
    variance : float
        Of one sample about it.
    own : bool
        Whether samples of a question tell it, or only the difference of the systems.
    """

    levels: FloatArray
    variance: float
    own: bool

    def standard_error(self, task: MatchedTask) -> float:
        """Return the standard error of the difference of two evaluations on these questions."""
        each = 1.0 / task.old.samples + 1.0 / task.new.samples
        return math.sqrt(self.variance * float(each.sum())) / each.size

    def draw(
        self, samples: FloatArray, n: int, rng: np.random.Generator, *, zero_one: bool
    ) -> FloatArray:
        """Return mean scores of shape (n, questions) of so many samples per question."""
        if zero_one:
            drawn = rng.binomial(samples.astype(np.int64), self.levels, (n, samples.size))
            return drawn / samples
        noise = rng.standard_normal((n, samples.size))
        return self.levels + noise * np.sqrt(self.variance / samples)


def rerun_noise(task: MatchedTask, *, zero_one: bool) -> RerunNoise:
    """Return what the samples of both systems say about an unchanged one."""
    within = freedom = 0.0
    for one in (task.old, task.new):
        within += float((one.squares - one.sums**2 / one.samples).sum())
        freedom += float((one.samples - 1).sum())
    samples = task.old.samples + task.new.samples
    means = (task.old.sums + task.new.sums) / samples
    own = freedom > 0.0
    if not own:
        within = 0.5 * float(np.square(task.new.means - task.old.means).sum())
        freedom = float(means.size)
    variance = max(within / freedom, 0.0)
    centre = float(means.mean())
    scatter = float(means.var(ddof=1)) if means.size > 1 else 0.0
    between = max(scatter - variance * float((1.0 / samples).mean()), 0.0)
    kept = math.sqrt(between / scatter) if scatter > 0.0 else 0.0
    levels = centre + kept * (means - centre)
    if zero_one:
        levels = np.clip(levels, 0.0, 1.0)
    return RerunNoise(levels, variance, own)
