"""How sure two measures are of which of two systems is better, pair by pair."""

import numpy as np

from detectable.core.rng import BLOCK
from detectable.core.types import FloatArray
from detectable.inference.few_units import ENUMERATED
from detectable.kernels.distributions.normal import normal_below_each

# A statistic within this of the observed one is as large: sums of the same numbers, rounded.
_ROUNDING = 1e-10


def normal_p(sums: FloatArray, squares: FloatArray) -> FloatArray:
    r"""Return one-sided p-values of «the first system is better», without random numbers.

    :math:`p = \Phi(-\sum d / \sqrt{\sum d^2})`, to which the p-value of random sign flips of the
    differences d tends. It is ½ where all differences are 0.

    Parameters
    ----------
    sums, squares : arrays
        Of the differences, and of their squares.
    """
    spread = np.sqrt(squares)
    known = spread > 0.0
    score = np.where(known, sums, 0.0) / np.where(known, spread, 1.0)
    return normal_below_each(-score)


def permutation_p(
    differences: FloatArray, n_permutations: int, rng: np.random.Generator
) -> FloatArray:
    """Return the same p-values by sign flips that all pairs share, (1 + c)/(1 + R).

    All sign patterns are counted where they are no more than 16,384 and no more than were asked
    for; the p-value then is their share.

    Parameters
    ----------
    differences : array of shape (items, pairs)
        0 where a pair was not observed.
    """
    n = len(differences)
    observed = differences.sum(axis=0)
    room = _ROUNDING * np.abs(differences).sum(axis=0)
    least = observed - room
    patterns = 2**n if n < 64 else n_permutations + 1
    if patterns <= min(ENUMERATED, n_permutations):
        signs = 1.0 - 2.0 * ((np.arange(patterns)[:, None] >> np.arange(n)) & 1)
        share: FloatArray = (signs @ differences >= least).mean(axis=0)
        return share
    above = np.zeros(differences.shape[1])
    for start in range(0, n_permutations, BLOCK):
        rows = min(BLOCK, n_permutations - start)
        words = rng.integers(0, 1 << 64, (rows, -(-n // 64)), np.uint64)
        flips = np.unpackbits(words.view(np.uint8), axis=1, count=n).astype(np.float64)
        above += (observed - 2.0 * (flips @ differences) >= least).sum(axis=0)
    found: FloatArray = (1.0 + above) / (1.0 + n_permutations)
    return found


def soft_accuracy(first: FloatArray, second: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Return :math:`1 - \sum_p w_p |p^1_p - p^2_p| / \sum_p w_p` over the last axis.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, arXiv:2409.09598.

    Examples
    --------
    >>> p, q = np.array([0.01, 0.6]), np.array([0.03, 0.4])
    >>> float(soft_accuracy(p, q, np.ones(2)).round(6))
    0.89
    """
    total = weights.sum(axis=-1)
    known = total > 0.0
    apart = (weights * np.abs(first - second)).sum(axis=-1)
    found: FloatArray = 1.0 - np.where(known, apart, np.nan) / np.where(known, total, 1.0)
    return found
