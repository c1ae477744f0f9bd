"""`compare` itself on statistics of real texts: what is calibrated is what users call."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, Progress, silent
from detectable.data.scores.scores import Scores
from detectable.metrics.base import Metric, ScoreMetric
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.calibration.nulls import Texts

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, eq=False)
class Given(ScoreMetric):
    """A metric whose statistics are known already."""

    metric: Metric
    table: FloatArray  # (outputs, segments, k)

    @property
    def name(self) -> str:  # type: ignore[override]  # a constant of the class elsewhere
        return self.metric.name

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        return self.metric.higher_is_better

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        progress(self.name, len(scores.systems), len(scores.systems))
        return self.table

    def score(self, sums: FloatArray) -> FloatArray:
        return self.metric.score(sums)

    def sizes(self, statistics: FloatArray) -> FloatArray:
        return self.metric.sizes(statistics)

    def centred(self, statistics: FloatArray) -> FloatArray:
        return self.metric.centred(statistics)

    def signature(self) -> str:
        return "given"  # the real one asks for versions of packages, thousands of times


def compared(
    texts: Texts, *runs: int, rng: np.random.Generator | int, **options: Any
) -> Comparison:
    """Return what `compare` says of outputs, taken as `runs` runs of systems A, B, …

    The scores are mere placeholders (the position of the output), since `Given` has the
    statistics; documents are the units of the texts.
    """
    ends = np.cumsum(runs)
    places = np.arange(float(ends[-1]))[:, None] + np.zeros(texts.units.size)
    tables = {
        name: places[end - n : end] for name, n, end in zip(NAMES, runs, ends, strict=False)
    }
    grouped = texts.n_units < texts.units.size
    documents = [str(unit) for unit in texts.units] if grouped else None
    metrics = [Given(m, v) for m, v in zip(texts.metrics, texts.values, strict=True)]
    data = Scores.build(tables, documents=documents)
    return compare(data, metrics, n_examples=0, rng=rng, **options)


def p_values(result: Comparison) -> FloatArray:
    """Return the raw p-values of the only pair, one per metric."""
    return np.array([pair.p_value for pair in result.pairs])


def outside(result: Comparison) -> FloatArray:
    """Return 1 where the interval of the only pair leaves out zero, one per metric."""
    return np.array([float(0.0 not in pair.interval) for pair in result.pairs])


def decided(result: Comparison) -> FloatArray:
    """Return for every metric whether any pair was decided."""
    names = dict.fromkeys(pair.metric for pair in result.pairs)
    return np.array(
        [
            float(any(p.verdict != "undecided" for p in result.pairs if p.metric == name))
            for name in names
        ]
    )


def same_numbers(rng: np.random.Generator) -> np.random.Generator:
    """Return a generator that will draw what `rng` would have drawn."""
    return copy.deepcopy(rng)
