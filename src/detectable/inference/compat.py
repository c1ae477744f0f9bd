"""Other tools' tests, number for number, with what is wrong with each.

They exist so that a published p-value can be checked and a change of tool explained. None of
them is a default.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.inference.randomization import randomization_test, side_by_side
from detectable.inference.sample import Sample
from detectable.inference.swaps import SwapRequest
from detectable.kernels.resample import compact, weighted_sums

if TYPE_CHECKING:
    from concurrent.futures import Executor

WARNINGS: dict[str, str] = {
    "multeval": (
        "compat='multeval' counts every run as further independent sentences and a tie as less "
        "extreme: p is too small whenever runs resemble each other, and identical systems get "
        "the smallest p there is. Its swaps are corrected here (MultEval 0.5.1 pairs runs by a "
        "permutation for one system and by its inverse for the other)."
    ),
    "sacrebleu-randomization": (
        "compat='sacrebleu' counts a tie as less extreme, so identical systems get the smallest "
        "p there is, and it knows one run, no documents and no correction for several systems."
    ),
    "sacrebleu-bootstrap": (
        "compat='sacrebleu' with the bootstrap centres absolute differences: it rejects a true "
        "null 9 to 11 % of the time at .05 (docs/calibration.md) and its p cannot approach 1. It "
        "knows one run, no documents and no correction for several systems."
    ),
}

_CELLS = 1 << 20  # selectors in memory at a time; does not change the answer


@dataclass(frozen=True, slots=True)
class CompatP:
    """P-values of (pairs, metrics) under another tool's rule."""

    p_values: FloatArray
    seed: str


def multeval_p(
    samples: tuple[Sample, ...],
    pairs: tuple[tuple[int, int], ...],
    *,
    n_resamples: int,
    rng: Seed,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> CompatP:
    """Return MultEval's p-values: an independent swap for each sentence *and run*, strict >.

    Rows of all runs are pooled into one long corpus. MultEval also permutes the runs of a
    sentence; when both systems are permuted alike that changes nothing.

    References
    ----------
    Clark et al. (2011); MultEval 0.5.1, StratifiedApproximateRandomizationTest.
    """
    long = tuple(_runs_as_units(sample) for sample in samples)
    test = randomization_test(
        long,
        pairs,
        request=SwapRequest(draw=True, strict=True),  # drawn, however few the sentences
        n_resamples=n_resamples,
        rng=rng,
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
    )
    return CompatP(test.p_values, str(test.signature.seed))


def _runs_as_units(sample: Sample) -> Sample:
    if len(set(sample.runs)) != 1:
        raise InputError(
            "compat='multeval' needs the same number of runs of every system; got "
            f"{dict(zip(sample.systems, sample.runs, strict=True))}."
        )
    systems, k = len(sample.systems), sample.statistics.shape[-1]
    rows = sample.statistics.reshape(systems, -1, k)
    return Sample(sample.metric, sample.systems, (1,) * systems, rows)


def sacrebleu_p(
    samples: tuple[Sample, ...],
    pairs: tuple[tuple[int, int], ...],
    *,
    test: Literal["randomization", "bootstrap"],
    n_resamples: int,
    seed: int,
) -> CompatP:
    """Return the p-values of sacreBLEU 2.6's paired tests, from the same random calls.

    The numbers are identical, not only equal in distribution: sacreBLEU draws its selectors
    afresh with the same seed for every system, so one matrix serves all pairs.

    References
    ----------
    sacreBLEU 2.6.0, ``significance.py``; Riezler and Maxwell (2005) for the randomization.
    """
    if any(runs != 1 for sample in samples for runs in sample.runs):
        raise InputError(
            "compat='sacrebleu' knows one run per system; got several. Drop runs or `compat`."
        )
    generator = np.random.default_rng(seed)
    rule = _sacrebleu_randomization if test == "randomization" else _sacrebleu_bootstrap
    return CompatP(rule(samples, np.array(pairs), n_resamples, generator), str(seed))


def _sacrebleu_randomization(
    samples: tuple[Sample, ...], pairs: IntArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    n = samples[0].n_units
    values = [compact(side_by_side(sample.statistics)) for sample in samples]
    totals = [sample.statistics.sum(axis=1, dtype=np.float64) for sample in samples]
    system, baseline = pairs.T
    beyond = np.zeros((len(pairs), len(samples)))
    for rows in _batches(n_resamples, n):
        halves = weighted_sums(rng.integers(2, size=(rows, n), dtype=bool), values)
        for m, (sample, half, total) in enumerate(zip(samples, halves, totals, strict=True)):
            own = half.reshape(rows, *total.shape)
            rest = total - own
            score = sample.metric.score
            first = score(own[:, baseline] + rest[:, system])
            second = score(own[:, system] + rest[:, baseline])
            observed = np.abs(score(total)[baseline] - score(total)[system])
            beyond[:, m] += (np.abs(first - second) > observed).sum(axis=0)
    return (beyond + 1.0) / (n_resamples + 1.0)


def _sacrebleu_bootstrap(
    samples: tuple[Sample, ...], pairs: IntArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    n = samples[0].n_units
    values = [compact(side_by_side(sample.statistics)) for sample in samples]
    drawn: list[list[FloatArray]] = [[] for _ in samples]
    for rows in _batches(n_resamples, n):
        picks = rng.choice(n, size=(rows, n), replace=True) + n * np.arange(rows)[:, None]
        taken = np.bincount(picks.ravel(), minlength=rows * n).reshape(rows, n)
        for sample, sums, parts in zip(
            samples, weighted_sums(taken, values), drawn, strict=True
        ):
            shape = rows, -1, sample.statistics.shape[-1]
            parts.append(sample.metric.score(sums.reshape(shape)))
    columns = []
    for sample, parts in zip(samples, drawn, strict=True):
        scores = np.concatenate(parts)
        total = sample.metric.score(sample.statistics.sum(axis=1, dtype=np.float64))
        beyond = np.empty(len(pairs))
        for p, (system, baseline) in enumerate(pairs.tolist()):
            spread = np.abs(scores[:, system] - scores[:, baseline])
            observed = np.abs(total[baseline] - total[system])
            beyond[p] = (spread - spread.mean() > observed).sum()
        columns.append(beyond)
    return (np.stack(columns, axis=-1) + 1.0) / (n_resamples + 1.0)


def _batches(total: int, n: int) -> list[int]:
    """Return batch sizes that leave sacreBLEU's stream of random numbers as it is.

    numpy draws row by row, and random bits in words of 32: whole multiples of 32 rows keep
    the words of one large call and of several small ones aligned.
    """
    step = max(32, _CELLS // n // 32 * 32)
    return [min(step, total - start) for start in range(0, total, step)]
