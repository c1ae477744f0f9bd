"""Small samples for tests of inference."""

import numpy as np

from detectable.core.types import ArrayLike, FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.sample import Sample
from detectable.metrics.mean import Mean


def mean_sample(*systems: ArrayLike) -> Sample:
    """Return a sample of means; a vector is one run, a matrix has one row per run."""
    scores = Scores.build({f"S{i}": values for i, values in enumerate(systems)})
    runs = tuple(scores.n_runs(name) for name in scores.systems)
    return Sample(Mean(), tuple(scores.systems), runs, Mean().statistics(scores))


def noisy_runs(
    n_runs: int, n_units: int, *, between: float, within: float, rng: np.random.Generator
) -> FloatArray:
    """Return scores of runs: shared unit effects, a run effect and what is left."""
    units = rng.normal(size=n_units)
    runs = between * rng.normal(size=(n_runs, 1))
    return np.asarray(units + runs + within * rng.normal(size=(n_runs, n_units)))
