"""What `compare` should say, put together by hand from direct calls of `inference`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.bootstrap import Draws, bootstrap, centred_p, interval
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.delta import Estimate, estimate
from detectable.inference.multiplicity import holm, max_t, max_t_threshold
from detectable.inference.randomization import randomization_test
from detectable.inference.runs import fixed_runs, random_runs
from detectable.inference.sample import Sample
from detectable.metrics.mean import Mean
from tests.study.comparison.tables import RootMeanSquare, noisy_scores, sample_of

ALPHA = 0.05
POWER = 0.80
SEED = 12345
RESAMPLES = 199
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
    estimates: list[list[Estimate]]
    draws: Draws | None
    p_values: FloatArray
    p_adjusted: FloatArray
    level: FloatArray  # what one pair has to pass, per metric

    def interval(self, case: Case, p: int, m: int) -> Interval:
        """Return the interval of a difference."""
        cell = self.estimates[p][m]
        if self.draws is None or case.interval == "delta":
            return cell.interval(1.0 - ALPHA)
        system, baseline = case.pairs[p]
        ours, theirs = (self.samples[m].influence(s).mean(axis=0) for s in (system, baseline))
        drawn = self.draws.difference(system, baseline, m)
        return interval(case.interval, cell.value, drawn, ours - theirs, level=1.0 - ALPHA)

    def score_interval(self, case: Case, s: int, m: int) -> Interval:
        """Return the interval of the mean score of a system, with its runs as fixed."""
        sample = self.samples[m]
        influence = sample.influence(s).mean(axis=0)
        if self.draws is None or case.interval == "delta":
            return estimate(sample.score(s), influence).interval(1.0 - ALPHA)
        drawn = self.draws.scores[:, s, m]
        return interval(case.interval, sample.score(s), drawn, influence, level=1.0 - ALPHA)


def expected(case: Case) -> Expected:
    """Put the answer together; the bootstrap draws come first in the stream of random numbers."""
    samples = tuple(sample_of(case.data(), metric) for metric in METRICS)
    rng = np.random.default_rng(SEED)
    estimates = [
        [
            random_runs(sample, *pair).estimate
            if case.runs == "random"
            else fixed_runs(sample, *pair)
            for sample in samples
        ]
        for pair in case.pairs
    ]
    draws = None
    if case.interval != "delta" or (case.test == "bootstrap" and case.compat is None):
        draws = bootstrap(samples, n_resamples=RESAMPLES, rng=rng)
    p_values, null, observed = _p_values(case, samples, rng, estimates, draws)
    adjusted, level = _corrected(case, p_values, observed, null)
    return Expected(samples, estimates, draws, p_values, adjusted, level)


def _p_values(
    case: Case,
    samples: tuple[Sample, ...],
    rng: np.random.Generator,
    estimates: list[list[Estimate]],
    draws: Draws | None,
) -> tuple[FloatArray, FloatArray | None, FloatArray]:
    values = np.array([[cell.value for cell in row] for row in estimates])
    if case.runs == "random":
        return np.array([[cell.p_value() for cell in row] for row in estimates]), None, values
    if case.compat == "multeval":
        theirs = multeval_p(samples, case.pairs, n_resamples=RESAMPLES, rng=rng)
        return theirs.p_values, None, values
    if case.compat == "sacrebleu":
        theirs = sacrebleu_p(
            samples, case.pairs, test=case.test, n_resamples=RESAMPLES, seed=SEED
        )
        return theirs.p_values, None, values
    if case.test == "randomization":
        ours = randomization_test(samples, case.pairs, n_resamples=RESAMPLES, rng=rng)
        # Of the pooled runs, as under the swaps: not the mean over runs, for a corpus metric.
        return ours.p_values, ours.null, ours.differences
    assert draws is not None
    p = np.empty((len(case.pairs), len(samples)))
    null = np.empty((RESAMPLES, *p.shape))
    for i, pair in enumerate(case.pairs):
        for m in range(len(samples)):
            drawn, observed = draws.difference(*pair, m), estimates[i][m].value
            p[i, m] = centred_p(observed, drawn)
            null[:, i, m] = drawn - observed
    return p, null, values


def _corrected(
    case: Case, p_values: FloatArray, observed: FloatArray, null: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    adjusted, level = p_values.copy(), np.full(p_values.shape[1], ALPHA)
    columns = [[0, 1]] if case.family == "systems-and-metrics" else [[0], [1]]
    for family in columns:
        p = p_values[:, family]
        if case.correction == "holm":
            adjusted[:, family] = holm(p.ravel()).reshape(p.shape)
            level[family] = ALPHA / p.size
        elif case.correction == "max-t":
            assert null is not None
            joint = null[:, :, family].reshape(RESAMPLES, -1)
            stepped = max_t(observed[:, family].ravel(), joint)
            adjusted[:, family] = stepped.reshape(p.shape)
            level[family] = 2.0 * ndtr(-max_t_threshold(joint, ALPHA))
    return adjusted, level
