"""Scenarios of third parties, with two methods each, as the documentation promises."""

from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtr, stdtr, stdtrit

import detectable as dt
from detectable.core.types import FloatArray


@dataclass(frozen=True)
class PairedT(dt.scenarios.Scenario):
    """Normal differences with a known spread, by the t test: power is known exactly."""

    sd: float = 1.0

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> FloatArray:
        return rng.normal(effect, self.sd, size=(trials, n_items))

    def analyse(self, data: FloatArray, *, alpha: float) -> dt.scenarios.Trials:  # noqa: ARG002 (p-values)
        n, means = data.shape[1], data.mean(axis=1)
        t = np.abs(means) * n**0.5 / data.std(axis=1, ddof=1)
        return dt.scenarios.Trials(means, 2 * stdtr(n - 1, -t))


@dataclass(frozen=True)
class Ceiling(dt.scenarios.Scenario):
    """A scenario whose power never exceeds one half, however large the evaluation."""

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> FloatArray:
        found = rng.random(trials) < 0.5 * (1 - np.exp(-n_items / 50)) * (1 - np.exp(-effect))
        return np.where(found, 1.0, 0.0)

    def analyse(self, data: FloatArray, *, alpha: float) -> dt.scenarios.Trials:  # noqa: ARG002 (p-values)
        return dt.scenarios.Trials(data, np.where(data > 0, 0.0, 1.0))


def t_power(n: int, effect: float) -> float:
    """Return the exact power of the two-sided t test, right sign only."""
    critical = stdtrit(n - 1, 0.975)
    return 1.0 - float(nctdtr(n - 1, effect * n**0.5, critical))
