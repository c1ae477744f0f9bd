"""Judgments that all tests of monitoring share."""

import math
from functools import cache

import numpy as np

from detectable.core.types import FloatArray
from tests.helpers import reference_data

VALUES = np.arange(101.0)
TYPICAL, HIGH_MEAN = 53, 246  # rows of the stored histograms: mean 68.8, sd 27.4; mean 94.9


def made_up(n: int, seed: int) -> FloatArray:
    """Return whole numbers from −18 to 22 by a recursion that any language can repeat."""
    state, values = seed, []
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2**31
        values.append((state >> 16) % 41 - 18)
    return np.array(values, dtype=np.float64)


@cache
def histogram(row: int) -> FloatArray:
    """Return the probabilities of the scores 0 … 100 of one real system."""
    stored = np.load(reference_data("data", "shipdata", "shipdata_hist.npz"))
    counts = stored["all"][row].astype(np.float64)
    probabilities: FloatArray = counts / counts.sum()
    return probabilities


def tilted(probabilities: FloatArray, gain: float) -> FloatArray:
    """Return the same scores weighted exponentially so that their mean is higher by `gain`."""
    from scipy.optimize import brentq

    def weighted(rate: float) -> FloatArray:
        raw: FloatArray = probabilities * np.exp(rate * VALUES / 100)
        shares: FloatArray = raw / raw.sum()
        return shares

    target = float(probabilities @ VALUES) + gain
    rate = brentq(lambda r: float(weighted(r) @ VALUES) - target, -5, 5)
    return weighted(rate)


def unpaired(
    probabilities: FloatArray, *, gain: float, reps: int, n: int, rng: np.random.Generator
) -> FloatArray:
    """Return `reps` rows of `n` differences of independent scores."""
    better = probabilities if gain == 0.0 else tilted(probabilities, gain)
    a = rng.choice(101, size=(reps, n), p=better)
    differences: FloatArray = (a - rng.choice(101, size=(reps, n), p=probabilities)).astype(
        float
    )
    return differences


def standard_error(rate: float, reps: int, other: int) -> float:
    """Return the standard error of the difference of two simulated rates."""
    return math.sqrt(rate * (1 - rate) * (1 / reps + 1 / other))
