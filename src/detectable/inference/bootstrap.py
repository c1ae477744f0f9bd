"""Bootstrap distributions of corpus scores: intervals and a centred two-sided test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.execute import run_blocks
from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, Progress, Seed, silent
from detectable.inference.randomization import side_by_side
from detectable.inference.sample import Sample, same_units
from detectable.inference.swaps import ROUNDING
from detectable.kernels.resample import Values, bootstrap_sums, compact
from detectable.metrics.base import Metric

if TYPE_CHECKING:
    from concurrent.futures import Executor

# A score is a ratio of sums of rounded numbers.
_SCORES = 16.0 * float(np.finfo(np.float64).eps)

Method: TypeAlias = Literal["percentile", "basic", "bca"]


@dataclass(frozen=True, slots=True)
class _Payload:
    metrics: tuple[Metric, ...]
    values: list[Values]  # per metric: (units, outputs · k)
    n_outputs: int


@dataclass(frozen=True, slots=True)
class Draws:
    """Bootstrap scores of every system, averaged over its runs.

    Attributes
    ----------
    scores : array of shape (resamples, systems, metrics)
        All systems and metrics see the same resampled units.
    seed : str
        The label that repeats the draws.
    """

    scores: FloatArray
    seed: str

    def difference(self, system: int, baseline: int, metric: int) -> FloatArray:
        """Return the resampled differences of one pair under one metric."""
        difference: FloatArray = (
            self.scores[:, system, metric] - self.scores[:, baseline, metric]
        )
        return difference


def bootstrap(
    samples: tuple[Sample, ...],
    *,
    n_resamples: int = 10_000,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Draws:
    """Draw units with replacement and score every run of every system on each resample.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap. For MT: Koehn (2004),
    "Statistical significance tests for machine translation evaluation", EMNLP.
    """
    same_units(samples)
    n_resamples = check.repetitions(n_resamples, "n_resamples")
    generator, seed = resolve(rng)
    payload = _Payload(
        metrics=tuple(sample.metric for sample in samples),
        values=[compact(side_by_side(sample.statistics)) for sample in samples],
        n_outputs=len(samples[0].statistics),
    )
    answers = run_blocks(
        _resampled_scores,
        payload,
        blocks(n_resamples, generator),
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
        step="bootstrap",
    )
    starts = np.cumsum([0, *samples[0].runs[:-1]])
    runs = np.array(samples[0].runs)[:, None]
    means = np.add.reduceat(np.concatenate(answers), starts, axis=1) / runs
    return Draws(means, seed)


def _resampled_scores(payload: _Payload, block: Block) -> FloatArray:
    sums = bootstrap_sums(payload.values, block.rows, block.rng)
    columns = [
        metric.score(total.reshape(block.rows, payload.n_outputs, -1))
        for metric, total in zip(payload.metrics, sums, strict=True)
    ]
    return np.stack(columns, axis=-1)


def tie_slack(draws: FloatArray, score: float) -> float:
    """Return how close two differences of scores of this size are when they are equal."""
    return ROUNDING * float(np.abs(draws).max()) + _SCORES * abs(score)


def centred_p(observed: float, draws: FloatArray, *, score: float = 0.0) -> float:
    r"""Return the two-sided bootstrap p-value of a difference.

    :math:`p = (1 + \#\{|d^*_r - d| \ge |d|\}) / (1 + R)`: the draws, moved so that they are
    centred at zero, stand for the null hypothesis. Signs are kept: sacreBLEU and the Moses
    script centre *absolute* differences, which makes the test one-sided for large effects and
    rejects a true null about 10 % of the time at .05 (docs/calibration.md).

    Ties are relative to the drawn differences, and to the rounding of a `score` of that size.
    """
    extreme = np.abs(draws - observed) >= abs(observed) - tie_slack(draws, score)
    return float((extreme.sum() + 1.0) / (draws.size + 1.0))


def interval(
    method: Method, observed: float, draws: FloatArray, influence: FloatArray, *, level: float
) -> Interval:
    r"""Return a bootstrap interval.

    ``percentile``: quantiles of the draws. ``basic``: mirrored at the observed value.
    ``bca``: quantiles moved by a bias correction :math:`z_0` (share of draws below the
    observed value) and an acceleration :math:`a = \sum\psi^3 / (6 (\sum\psi^2)^{3/2})` from the
    influence values ψ, which replace the usual n re-scorings of the jackknife.

    References
    ----------
    Efron and Tibshirani (1993), chapters 13 and 14; acceleration: their equation 14.15 with
    empirical influence values (Efron 1987, JASA 82(397), equation 6.6).
    """
    tails = np.array([0.5 - level / 2.0, 0.5 + level / 2.0])
    if method == "basic":
        low, high = 2.0 * observed - np.quantile(draws, tails)[::-1]
        return Interval(float(low), float(high), level)
    if method == "bca":
        tails = _bca_tails(tails, observed, draws, influence)
    low, high = np.quantile(draws, tails)
    return Interval(float(low), float(high), level)


def _bca_tails(
    tails: FloatArray, observed: float, draws: FloatArray, influence: FloatArray
) -> FloatArray:
    from scipy.special import ndtr, ndtri

    squares = float(np.square(influence).sum())
    if squares == 0.0:
        return tails  # nothing varies: every quantile is the observed value
    acceleration = float((influence**3).sum()) / (6.0 * squares**1.5)
    below = np.mean(draws < observed) + np.mean(draws == observed) / 2.0
    clipped = np.clip(below, 1.0 / (2 * draws.size), 1.0 - 1.0 / (2 * draws.size))
    bias, normal = ndtri(clipped), ndtri(tails)
    moved: FloatArray = ndtr(bias + (bias + normal) / (1.0 - acceleration * (bias + normal)))
    return moved
