"""What `compare` should say, put together by hand from direct calls of `inference`."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.bootstrap import Draws, bootstrap, centred_p, interval
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.multiplicity import holm, max_t, max_t_threshold
from detectable.inference.randomization import (
    Randomization,
    SwapParts,
    randomization_test,
    swap_parts,
)
from detectable.inference.runs import random_runs
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate, estimate, median_unbiased
from detectable.inference.swap_power import max_t_shift, swap_shift
from detectable.inference.swaps import SwapRequest
from detectable.metrics.mean import Mean
from tests.study.comparison.tables import RootMeanSquare, noisy_scores, sample_of

ALPHA = 0.05
POWER = 0.80
SEED = 12345
RESAMPLES = 399  # so many that Holm over 12 tests could reject
METRICS = (Mean(), RootMeanSquare())
AGAINST_A = ((1, 0), (2, 0), (3, 0))
ALL_PAIRS = ((1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2))


@dataclass(frozen=True)
class Case:
    """One choice of every option that changes a p-value or an interval."""

    test: Any = "randomization"
    interval: Any = "delta"
    correction: Any = "holm"
    family: Any = "systems"
    runs: Any = "fixed"
    compat: Any = None
    n_runs: int = 1
    all_pairs: bool = False

    def __str__(self) -> str:
        words = (self.compat, self.test, self.interval, self.correction, self.family, self.runs)
        pairs = "all" if self.all_pairs else None
        return "-".join(word for word in (*words, pairs) if word)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return ALL_PAIRS if self.all_pairs else AGAINST_A

    @property
    def families(self) -> tuple[Any, ...]:
        """Columns, pair · metrics + metric, that are corrected together."""
        columns = np.arange(2 * len(self.pairs)).reshape(-1, 2)
        if self.family == "systems-and-metrics":
            return (columns.ravel(),)
        return columns[:, 0], columns[:, 1]

    @property
    def tests(self) -> int:
        """How many tests are corrected together."""
        return 1 if self.correction == "none" else len(self.families[0])

    def data(self) -> Scores:
        """Return four systems; the shifts make small, middling and large p-values."""
        return noisy_scores(
            0.30, 0.12, -0.02, n=50, runs=self.n_runs, run_sd=0.1, level=2.0, seed=3
        )

    def options(self) -> dict[str, Any]:
        """Return the arguments of `compare`."""
        return {
            "metrics": METRICS,
            "baseline": None if self.all_pairs else "A",
            "test": self.test,
            "interval": self.interval,
            "correction": self.correction,
            "family": self.family,
            "runs": self.runs,
            "compat": self.compat,
            "n_resamples": RESAMPLES,
            "n_examples": 0,
            "rng": SEED,
        }


@dataclass(frozen=True)
class Expected:
    """Rows are pairs, columns metrics."""

    samples: tuple[Sample, ...]
    parts: list[list[SwapParts]]
    estimates: list[list[Estimate]]
    draws: Draws | None
    swaps: Randomization | None
    p_values: FloatArray
    p_adjusted: FloatArray

    def interval(self, case: Case, p: int, m: int) -> Interval:
        """Return the interval of a difference, at the level of its family."""
        found = self._method(case, p, m)
        value = self.estimates[p][m].value
        low, high = found.low, found.high
        if self.p_adjusted[p, m] > ALPHA:  # 0 is not rejected: it is inside
            low, high = min(low, 0.0), max(high, 0.0)
        elif value > 0.0:
            low = max(low, math.ulp(0.0))
        else:
            high = min(high, -math.ulp(0.0))
        return Interval(low, high, 1.0 - ALPHA)

    def _method(self, case: Case, p: int, m: int) -> Interval:
        cell, level = self.estimates[p][m], 1.0 - ALPHA / case.tests
        if case.interval in ("percentile", "basic", "bca"):
            assert self.draws is not None
            system, baseline = case.pairs[p]
            sample = self.samples[m]
            ours, theirs = (sample.influence(s).mean(axis=0) for s in (system, baseline))
            drawn = self.draws.difference(system, baseline, m)
            return interval(case.interval, cell.value, drawn, ours - theirs, level=level)
        if case.interval == "delta" or case.compat or case.runs == "random" or case.test == "t":
            return cell.interval(level)
        if case.test == "bootstrap":
            return self._by_bootstrap(case, p, m)
        assert self.swaps is not None
        if case.correction == "max-t":
            return self.parts[p][m].interval(self.critical(case, p, m), level)
        found = self.swaps.swaps.interval(2 * p + m, ALPHA / case.tests)
        shift = cell.value - float(self.swaps.differences[p, m])
        return Interval(found.low + shift, found.high + shift, level)

    def _by_bootstrap(self, case: Case, p: int, m: int) -> Interval:
        value = self.estimates[p][m].value
        null = self.null(case)
        if case.correction == "max-t":
            joint = null[:, self._family(case, p, m)]
            half = max_t_threshold(joint, ALPHA) * float(null[:, 2 * p + m].std())
        else:
            apart = np.abs(null[:, 2 * p + m])
            half = float(np.quantile(apart, 1.0 - ALPHA / case.tests))
        return Interval(value - half, value + half, 1.0 - ALPHA)

    def null(self, case: Case) -> FloatArray:
        """Return resampled differences around their observed value: (resamples, columns)."""
        assert self.draws is not None
        columns = [
            self.draws.difference(*pair, m) - self.estimates[p][m].value
            for p, pair in enumerate(case.pairs)
            for m in range(len(METRICS))
        ]
        return np.stack(columns, axis=1)

    def _family(self, case: Case, p: int, m: int) -> Any:
        return next(columns for columns in case.families if 2 * p + m in columns)

    def critical(self, case: Case, p: int, m: int) -> float:
        """Return the critical value of the largest T of the family of a cell."""
        assert self.swaps is not None
        family = next(f for f, columns in enumerate(case.families) if 2 * p + m in columns)
        return self.swaps.swaps.critical(family, ALPHA)

    def mde(self, case: Case, p: int, m: int) -> float:
        """Return the smallest difference that the very test finds."""
        cell, n = self.estimates[p][m], self.samples[m].n_units
        if case.runs == "random":
            units = [row[m].estimate() for row in self.parts]
            two_way = random_runs(self.samples[m], case.pairs, units)[p]
            return two_way.detectable(alpha=ALPHA / case.tests, power=POWER)
        if case.compat or case.test == "t":
            return cell.detectable(alpha=ALPHA / case.tests, power=POWER)
        if case.test == "bootstrap":
            level = ALPHA / case.tests
            if case.correction == "max-t":
                joint = self.null(case)[:, self._family(case, p, m)]
                level = 2.0 * float(ndtr(-max_t_threshold(joint, ALPHA)))
            return cell.detectable(alpha=level, power=POWER)
        if case.correction == "max-t":
            shift = max_t_shift(self.critical(case, p, m), n, power=POWER)
        else:
            shift = swap_shift(n, level=ALPHA / case.tests, power=POWER)
        return median_unbiased(cell.standard_error, cell.df) * shift

    def score_interval(self, case: Case, s: int, m: int) -> Interval:
        """Return the interval of the mean score of a system, with its runs as fixed."""
        sample = self.samples[m]
        influence = sample.influence(s).mean(axis=0)
        if case.interval not in ("percentile", "basic", "bca") or self.draws is None:
            return estimate(sample.score(s), influence).interval(1.0 - ALPHA)
        drawn = self.draws.scores[:, s, m]
        return interval(case.interval, sample.score(s), drawn, influence, level=1.0 - ALPHA)


def expected(case: Case) -> Expected:
    """Put the answer together; the bootstrap draws come first in the stream of random numbers."""
    samples = tuple(sample_of(case.data(), metric) for metric in METRICS)
    rng = np.random.default_rng(SEED)
    columns = [swap_parts(sample, case.pairs) for sample in samples]
    parts = [list(row) for row in zip(*columns, strict=True)]
    estimates = [[part.estimate() for part in row] for row in parts]
    if case.runs == "random":
        two_way = [
            random_runs(sample, case.pairs, [row[m] for row in estimates])
            for m, sample in enumerate(samples)
        ]
        estimates = [[column[p].estimate for column in two_way] for p in range(len(case.pairs))]
    draws = None
    if case.interval in ("percentile", "basic", "bca") or (
        case.test == "bootstrap" and case.compat is None
    ):
        draws = bootstrap(samples, n_resamples=RESAMPLES, rng=rng)
    swaps = None
    if case.test == "randomization" and case.compat is None:
        request = SwapRequest(
            alpha=ALPHA,
            families=case.families,
            scale=np.array([[part.scale for part in row] for row in parts]),
        )
        swaps = randomization_test(
            samples, case.pairs, request=request, n_resamples=RESAMPLES, rng=rng
        )
    p_values = _p_values(case, samples, rng, estimates, draws, swaps)
    unadjusted = Expected(samples, parts, estimates, draws, swaps, p_values, p_values)
    adjusted = _corrected(case, unadjusted)
    return Expected(samples, parts, estimates, draws, swaps, p_values, adjusted)


def _p_values(
    case: Case,
    samples: tuple[Sample, ...],
    rng: np.random.Generator,
    estimates: list[list[Estimate]],
    draws: Draws | None,
    swaps: Randomization | None,
) -> FloatArray:
    if case.runs == "random" or case.test == "t":
        return np.array([[cell.p_value() for cell in row] for row in estimates])
    if case.compat == "multeval":
        return multeval_p(samples, case.pairs, n_resamples=RESAMPLES, rng=rng).p_values
    if case.compat == "sacrebleu":
        test: Any = "bootstrap" if case.test == "bootstrap" else "randomization"
        theirs = sacrebleu_p(samples, case.pairs, test=test, n_resamples=RESAMPLES, seed=SEED)
        return theirs.p_values
    if swaps is not None:
        return swaps.p_values
    assert draws is not None
    return np.array(
        [
            [
                centred_p(estimates[p][m].value, draws.difference(*pair, m))
                for m in range(len(samples))
            ]
            for p, pair in enumerate(case.pairs)
        ]
    )


def _corrected(case: Case, found: Expected) -> FloatArray:
    if case.correction == "none":
        return found.p_values
    if case.correction == "max-t" and found.swaps is not None:
        return found.swaps.swaps.p_max_t().reshape(found.p_values.shape)
    p_values = found.p_values.ravel()
    adjusted = np.empty(p_values.size)
    observed = np.array([[cell.value for cell in row] for row in found.estimates]).ravel()
    for columns in case.families:
        if case.correction == "holm":
            adjusted[columns] = holm(p_values[columns])
        else:
            adjusted[columns] = max_t(observed[columns], found.null(case)[:, columns])
    return adjusted.reshape(found.p_values.shape)
