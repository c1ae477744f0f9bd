r"""How much the score of a question changes when an unchanged system answers it again.

The variance within questions, :math:`\sigma_w^2`, is pooled over both systems. Questions scatter by
what is left of the variance of their means: :math:`\sigma_q^2 = \mathrm{var}(m_i) - \sigma_w^2\,
\overline{1/k_i}`. Drawn towards the mean until they scatter by no more, the means are chances that
answers can be drawn from: with the means themselves, questions would be too different and their
answers too certain.

With one sample of each question no noise is seen. Then the answers of both systems are taken as two
samples of one: too much noise, if the systems differ.
"""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.study.gate.matching import MatchedTask


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
