"""Approximate randomization: swap the outputs of two systems and compare again."""

from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.execute import run_blocks
from detectable.core.progress import Progress, silent
from detectable.core.result import Result, Signature
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, IntArray, Seed
from detectable.inference.sample import Sample, same_units
from detectable.kernels.resample import Values, compact, half_sums
from detectable.metrics.base import Metric

ROUNDING = 1e-10  # differences that agree to this share of what is summed are ties
_DATA = 4.0 * float(np.finfo(np.float64).eps)  # scores are rounded before we see them


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomization(Result):
    """Null distributions of score differences; one row per pair, one column per metric."""

    differences: FloatArray  # score of the pooled runs, system − baseline: (pairs, metrics)
    p_values: FloatArray  # two-sided, never below 1 / (n_resamples + 1)
    slack: FloatArray  # differences that are closer than this are ties: (pairs, metrics)
    n_resamples: int
    null: FloatArray = field(repr=False, compare=False, metadata={"bulk": True})

    def summary(self) -> str:
        """Say the smallest and the largest p-value."""
        low, high = self.p_values.min(), self.p_values.max()
        return f"{self.p_values.size} tests, p from {low:.4f} to {high:.4f}"


@dataclass(frozen=True, slots=True)
class _Payload:
    metrics: tuple[Metric, ...]
    values: list[Values]  # per metric: (units, systems · k)
    totals: list[FloatArray]  # per metric: (systems, k)
    slack: FloatArray  # (pairs, metrics)
    system: IntArray
    baseline: IntArray


def randomization_test(
    samples: tuple[Sample, ...],
    pairs: tuple[tuple[int, int], ...],
    *,
    n_resamples: int = 10_000,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
) -> Randomization:
    r"""Test pairs of systems by swapping their outputs, unit by unit.

    If two systems do not differ, the outputs of each unit could as well have come from the
    other one. With :math:`R` random swaps of all units,

    .. math:: p = \frac{1 + \#\{r : |d_r| \ge |d|\}}{1 + R}, \qquad
              d = g\Bigl(\sum_i A_i\Bigr) - g\Bigl(\sum_i B_i\Bigr).

    Equality counts as at least as extreme, so a system compared with its copy has p = 1, and
    p is never zero [1]_. All metrics and all pairs see the same swaps: the joint distribution
    serves `multiplicity.max_t`.

    **Ties.** Two differences are equal if they agree to 1e-10 of the score of the absolute
    statistics, for means of the mean :math:`|A_i - B_i|`, or to the rounding of the scores
    themselves. There is no absolute floor, so that p does not depend on the unit of the scores;
    nor, for means, on a constant added to all of them, because the swaps are of differences.

    **Several runs.** All runs of a unit are swapped together: the runs share their sentences,
    so they are not further independent sentences. MultEval [2]_ swaps run by run, and finds
    one run copied three times significantly different from the other system's three copies.

    Parameters
    ----------
    samples : tuple of Sample
        One per metric, over the same systems and units.
    pairs : tuple of (int, int)
        Positions of (system, baseline) in ``samples[0].systems``.
    n_resamples : int
        Number of swaps, :math:`R`.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero",
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical
       machine translation: controlling for optimizer instability", ACL.
    """
    units = same_units(samples)
    n_resamples = check.positive_int(n_resamples, "n_resamples")
    generator, seed = resolve(rng)
    payload = _payload(samples, pairs)
    answers = run_blocks(
        _shuffled_differences,
        payload,
        blocks(n_resamples, generator),
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
        step="approximate randomization",
    )
    null = np.concatenate(answers)
    observed = observed_differences(payload.metrics, payload.totals, pairs)
    return Randomization(
        differences=observed,
        p_values=two_sided_p(observed, null, payload.slack),
        slack=payload.slack,
        n_resamples=n_resamples,
        null=null,
        signature=Signature("randomization", {"n": units, "R": n_resamples}, seed),
    )


def observed_differences(
    metrics: tuple[Metric, ...], totals: list[FloatArray], pairs: tuple[tuple[int, int], ...]
) -> FloatArray:
    """Return score differences system − baseline, one row per pair, one column per metric."""
    system, baseline = np.array(pairs).T
    scores = [metric.score(total) for metric, total in zip(metrics, totals, strict=True)]
    return np.stack([s[system] - s[baseline] for s in scores], axis=-1)


def two_sided_p(observed: FloatArray, null: FloatArray, slack: FloatArray) -> FloatArray:
    """Return (1 + #{|null| ≥ |observed|}) / (1 + R) along the first axis of `null`."""
    extreme = np.abs(null) >= np.abs(observed) - slack
    p: FloatArray = (extreme.sum(axis=0, dtype=np.float64) + 1.0) / (len(null) + 1.0)
    return p


def _payload(samples: tuple[Sample, ...], pairs: tuple[tuple[int, int], ...]) -> _Payload:
    system, baseline = np.array(pairs).T
    centred, slack = [], []
    for sample in samples:
        given = sample.pooled()
        tables = sample.metric.centred(given)
        data, summed = (
            _size(sample.metric, table, system, baseline) for table in (given, tables)
        )
        centred.append(tables)
        slack.append(ROUNDING * summed + _DATA * data)
    return _Payload(
        metrics=tuple(sample.metric for sample in samples),
        values=[compact(side_by_side(tables)) for tables in centred],
        totals=[tables.sum(axis=1) for tables in centred],
        slack=np.stack(slack, axis=-1),
        system=system,
        baseline=baseline,
    )


def side_by_side(tables: FloatArray) -> FloatArray:
    """Turn (outputs, units, k) into (units, outputs · k)."""
    outputs, units, k = tables.shape
    return np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(units, outputs * k)


def _size(
    metric: Metric, tables: FloatArray, system: IntArray, baseline: IntArray
) -> FloatArray:
    """Return how large the summed statistics of a pair are, as a score.

    Without their signs: rounding grows with what is added up, not with the sum that is left.
    """
    scores = np.abs(metric.score(np.abs(tables).sum(axis=1)))
    return np.fmax(scores[system], scores[baseline])


def _shuffled_differences(payload: _Payload, block: Block) -> FloatArray:
    """Return the score differences of `block.rows` random swaps: (rows, pairs, metrics).

    One product gives the sums over a random half of every system; a swapped system is its
    own half and the other system's other half.
    """
    halves = half_sums(payload.values, block.rows, block.rng)
    columns = []
    for metric, half, total in zip(payload.metrics, halves, payload.totals, strict=True):
        own = half.reshape(block.rows, *total.shape)
        rest = total - own
        first = own[:, payload.system] + rest[:, payload.baseline]
        second = own[:, payload.baseline] + rest[:, payload.system]
        columns.append(metric.score(first) - metric.score(second))
    return np.stack(columns, axis=-1)
