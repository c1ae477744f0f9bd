"""Swap tests the slow way: every pattern is held, nothing is streamed, no closed form is used."""

import numpy as np

from detectable.core.types import FloatArray

SLACK = 1e-10


def all_signs(n_units: int) -> FloatArray:
    """Return all 2^G sign patterns, the data first; the second half mirrors the first."""
    flipped = (np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1
    return np.where(flipped, -1.0, 1.0)


def p_of_all_signs(parts: FloatArray) -> float:
    """Return the two-sided p-value of Σ D over all sign patterns."""
    sums = np.abs(all_signs(parts.size) @ parts)
    return float(np.mean(sums >= abs(parts.sum()) - SLACK * np.abs(parts).sum()))


def p_at(value: float, sums: FloatArray, sizes: FloatArray) -> float:
    """Return the p-value of «the mean difference is `value`»: the test of shifted differences."""
    return p_of_all_signs(sums - value * sizes)


def statistics(sums: FloatArray, signs: FloatArray) -> FloatArray:
    """Return |Σ s D| / √ΣD² of every pattern (rows) and pair (columns); 0 without any difference."""
    scale = np.sqrt(np.square(sums).sum(axis=0))
    safe = np.where(scale > 0.0, scale, 1.0)
    return np.where(scale > 0.0, np.abs(signs @ sums) / safe, 0.0)


def step_down(observed: FloatArray, null: FloatArray) -> FloatArray:
    """Return Westfall and Young's step-down max-T p-values; `null` holds the data too.

    One hypothesis at a time: the share of patterns in which the largest statistic of those not yet
    stepped over is at least the observed one; p-values never fall on the way down.
    """
    adjusted = np.full(observed.size, np.nan)
    remaining, reached = list(np.argsort(-observed, kind="stable")), 0.0
    while remaining:
        first = remaining[0]
        beyond = [row[remaining].max() >= observed[first] - 1e-9 for row in null]
        reached = max(reached, float(np.mean(beyond)))
        adjusted[first] = reached
        remaining = remaining[1:]
    return adjusted


def critical_value(null: FloatArray, alpha: float) -> float:
    """Return the k-th largest of the largest statistics of all patterns, k = ⌊α · patterns⌋."""
    k = int(np.floor(alpha * len(null) + 1e-9))
    return float(np.sort(null.max(axis=1))[::-1][k - 1]) if k else float("inf")
