"""Small tables of scores for tests of comparisons, and a metric that is no mean."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from detectable.core.types import FloatArray, Progress, silent
from detectable.data.scores.scores import Scores
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric, ScoreMetric
from detectable.study.comparison.result import Comparison, PairComparison, SystemScore


@dataclass(frozen=True, slots=True)
class RootMeanSquare(ScoreMetric):
    """The root of the mean square: not a mean, and neither high nor low is better."""

    name: ClassVar[str] = "rms"
    higher_is_better: ClassVar[bool | None] = None
    digits: ClassVar[int] = 3

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        values = np.concatenate(list(scores.systems.values()))
        progress(self.name, 1, 1)
        return np.stack([values**2, np.ones_like(values)], axis=-1)

    def score(self, sums: FloatArray) -> FloatArray:
        # A part without any score has none; below zero is only rounding.
        size = np.where(sums[..., 1] > 0.0, sums[..., 1], np.nan)
        return np.sqrt(np.maximum(sums[..., 0], 0.0) / size)

    def signature(self) -> str:
        return "aggregation:rms"


def noisy_scores(
    *shifts: float,
    n: int = 60,
    runs: int = 1,
    run_sd: float = 0.0,
    item_sd: float = 0.0,
    level: float = 0.0,
    seed: int = 1,
    **more: Any,
) -> Scores:
    """Return systems A, B, …: A plus `shifts`, and noise of each score.

    `run_sd` adds an effect of each run, `item_sd` one of each item that the runs of a system share.
    """
    rng = np.random.default_rng(seed)
    base = level + rng.normal(size=n)
    tables: dict[str, FloatArray] = {}
    for name, shift in zip("ABCDEFG", (0.0, *shifts), strict=False):
        between = run_sd * rng.normal(size=(runs, 1))
        shared = item_sd * rng.normal(size=n) if item_sd else 0.0
        tables[name] = base + shift + between + shared + 0.5 * rng.normal(size=(runs, n))
    return Scores.build(tables, **more)


def documents_of(sizes: list[int]) -> list[str]:
    """Return document labels d0, d0, d1, … for documents of these sizes."""
    return [f"d{d}" for d, size in enumerate(sizes) for _ in range(size)]


def sample_of(scores: Scores, metric: Metric) -> Sample:
    """Return the sample that `compare` should have made, segments as units."""
    runs = tuple(scores.n_runs(name) for name in scores.systems)
    statistics = metric.statistics(scores)  # type: ignore[attr-defined]
    return Sample(metric, tuple(scores.systems), runs, statistics)


def pair_of(result: Comparison, system: str = "B", metric: str = "mean") -> PairComparison:
    """Return the one row of a system under a metric."""
    [found] = [p for p in result.pairs if p.system == system and p.metric == metric]
    return found


def row_of(result: Comparison, system: str, metric: str = "mean") -> SystemScore:
    """Return the one row of a system under a metric."""
    [found] = [r for r in result.systems if r.system == system and r.metric == metric]
    return found
