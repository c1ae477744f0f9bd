"""The binomial distribution."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_SMALL = 16  # below this, factorials are multiplied out; from here on by Stirling's series
_ENOUGH = 1e-17  # a term this small beside the sum no longer counts
_NEAR = 0.1  # of the mean: where a logarithm would lose digits


def log_factorials(k: IntArray | FloatArray | int) -> FloatArray:
    r"""Return log k! of whole numbers from 0 on.

    By Stirling's series for :math:`x = k + 1`,

    .. math:: (x - \tfrac12) \log x - x + \tfrac12 \log 2π + \frac1{12 x} - \frac1{360 x^3} + \cdots,

    to the last digit or two of scipy's gammaln.

    Examples
    --------
    >>> log_factorials([0, 1, 3]).round(6).tolist()
    [0.0, 0.0, 1.791759]
    """
    x = np.asarray(k, dtype=np.float64) + 1.0
    large = np.maximum(x, _SMALL)
    found: FloatArray = (large - 0.5) * np.log(large) - large + _HALF_LOG_2PI + _series(large)
    few = x < _SMALL
    if few.any():
        place = np.where(few, x, 1.0).astype(np.int64) - 1
        found = np.where(few, _small_log_factorials()[place], found)
    return found


def binomial_at_most(k: int, n: int, share: float) -> float:
    r"""Return the chance of at most `k` successes out of `n`, each with chance `share`.

    The chance of exactly k without loss of digits [1]_, times the sum of the ratios of the chances
    of k − 1, k − 2, … to it, which fall; above the mean the sum of k + 1, k + 2, … from 1. Within
    1e-12 of scipy's bdtr, relative, for n up to a million and chances down to 1e-200.

    References
    ----------
    .. [1] Loader (2000), "Fast and accurate computation of binomial probabilities".

    Examples
    --------
    >>> round(binomial_at_most(1, 9, 0.5), 12)
    0.01953125
    """
    if k >= n:
        return 1.0
    if k < 0:
        return 0.0
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 else 0.0
    if k < n * share:
        odds = (1.0 - share) / share
        ratios = (j / (n - j + 1.0) * odds for j in range(k, 0, -1))
        return min(1.0, _exactly(k, n, share) * _sum_of_products(ratios))
    odds = share / (1.0 - share)
    ratios = ((n - j) / (j + 1.0) * odds for j in range(k + 1, n))
    return max(0.0, 1.0 - _exactly(k + 1, n, share) * _sum_of_products(ratios))


def _sum_of_products(ratios: Iterator[float]) -> float:
    """Return 1 + r₁ + r₁r₂ + … of ratios that fall, until nothing is added."""
    total = term = 1.0
    for ratio in ratios:
        term *= ratio
        total += term
        if term < _ENOUGH * total:
            break
    return total


def _exactly(k: int, n: int, share: float) -> float:
    """Return the chance of exactly `k` successes."""
    if k == 0:
        return math.exp(n * math.log1p(-share))
    if k == n:
        return math.exp(n * math.log(share))
    rest = n - k
    log = _beyond_stirling(n) - _beyond_stirling(k) - _beyond_stirling(rest)
    log -= _deviance(k, n * share) + _deviance(rest, n * (1.0 - share))
    return math.exp(log) * math.sqrt(n / (2.0 * math.pi * k * rest))


def _deviance(k: float, mean: float) -> float:
    """Return k log(k / mean) + mean − k; by a series where that would lose digits."""
    v = (k - mean) / (k + mean)
    if abs(v) >= _NEAR:
        return k * math.log(k / mean) + mean - k
    total, term, square = (k - mean) * v, 2.0 * k * v, v * v
    for odd in range(3, 40, 2):
        term *= square
        total += term / odd
        if abs(term) < _ENOUGH * total:
            break
    return total


@functools.lru_cache(maxsize=4096)
def _beyond_stirling(n: int) -> float:
    """Return log n! less Stirling's n log n − n + log(2πn) / 2."""
    if n < _SMALL:
        return math.log(math.factorial(n)) - (
            n * math.log(n) - n + 0.5 * math.log(n) + _HALF_LOG_2PI
        )
    return float(_series(float(n)))


def _series(x: Any) -> Any:
    """Return what Stirling's formula leaves out, of numbers from 16 on."""
    i = 1.0 / (x * x)
    return (
        1 / 12
        - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 * i) * i) * i) * i) * i
    ) / x


@functools.cache
def _small_log_factorials() -> FloatArray:
    return np.array([math.log(math.factorial(k)) for k in range(_SMALL)])
