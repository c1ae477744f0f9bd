r"""Ranks that hold for all systems at once.

For estimates with covariance V, every pair has :math:`t_{ij} = (\lambda_i - \lambda_j) / s_{ij}`. With
c the 1 − α quantile of the largest :math:`|t|` of all pairs under N(0, V), the ranks that a system
may have are

.. math:: \bigl[1 + \#\{j : t_{ji} > c\},\; K - \#\{j : t_{ij} > c\}\bigr],

and all true ranks are in their sets at once with chance 1 − α [1]_.

References
----------
.. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
   across neighbourhoods and academic achievement across countries", Review of Economic Studies
   91(1), 476–518.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.rng import blocks
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.distributions import largest_gaps, normal_below_each
from detectable.kernels.roots import bracketed_root

_BLOCK = 1000  # draws; part of every answer
_DRAWS = (
    20_000  # directions, which leave a critical value unsure by .002 for 6 systems, .003 for 12
)
_GROUPS = 250  # of directions, by how far they separate a pair
_GRID = np.concatenate(  # far out for one or two degrees of freedom
    [np.arange(0.0, 10.0, 0.05), np.arange(10.0, 38.0), np.geomspace(38.0, 1e7, 100)]
)
_ZERO = 1e-12  # of a variance, beside the largest


@dataclass(frozen=True, slots=True)
class LargestOfAll:
    """The distribution of the largest |t| of all pairs where all true differences are zero.

    Attributes
    ----------
    t, log_p : array
        Values of |t|, and the logarithm of the chance that the largest is beyond.
    """

    t: FloatArray
    log_p: FloatArray

    def critical(self, alpha: float) -> float:
        """Return the value beyond which a pair differs significantly; exactly then `p` is below α."""
        return float(np.interp(math.log(alpha), self.log_p[::-1], self.t[::-1]))

    def p(self, t: FloatArray) -> FloatArray:
        """Return p-values for all pairs together."""
        return np.asarray(np.exp(np.interp(np.abs(t), self.t, self.log_p)))


def pair_errors(covariance: FloatArray) -> FloatArray:
    """Return the standard error of every difference, as a matrix."""
    variances = np.diag(covariance)
    spread = variances[:, None] + variances[None, :] - 2.0 * covariance
    largest = float(np.abs(covariance).max(initial=0.0))
    return np.sqrt(np.where(spread > _ZERO * largest, spread, 0.0))


def largest_of_all(
    covariance: FloatArray,
    rng: np.random.Generator,
    *,
    n_draws: int = _DRAWS,
    df: float = math.inf,
) -> LargestOfAll:
    r"""Return the distribution of the largest |t| of all pairs.

    A normal vector is a direction u and, independent of it, a length whose square is
    :math:`\chi^2_r`. In a direction the largest |t| is the length times m(u), so that

    .. math:: P(\max |t| > c) = E_u\, P\bigl(\chi^2_r > (c / m(u))^2\bigr).

    Only directions are drawn, which makes the critical value some ten times as sure as draws of
    the largest |t| itself. With `df` degrees of freedom :math:`\chi^2_r` becomes :math:`r F_{r, df}`.

    Parameters
    ----------
    covariance : array of shape (systems, systems)
        Of the estimates; only differences count.
    n_draws : int
        Directions.
    df : float
        Degrees of freedom of the covariance, which all pairs share.
    """
    errors = pair_errors(covariance)
    scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0.0)
    # The mean of all estimates takes no part in differences.
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centred = centred + covariance.mean()
    values, vectors = np.linalg.eigh(0.5 * (centred + centred.T))
    used = values > _ZERO * max(values[-1], 0.0)
    rank = int(used.sum())
    if rank == 0:
        return LargestOfAll(_GRID, np.linspace(0.0, -700.0, _GRID.size))
    root = vectors[:, used] * np.sqrt(values[used])
    found = []
    for block in blocks(n_draws, rng, size=_BLOCK):
        drawn = block.rng.standard_normal((block.rows, rank))
        drawn /= np.sqrt((drawn**2).sum(axis=1))[:, None]
        found.append(largest_gaps(drawn @ root.T, scale))
    slopes = np.sort(np.concatenate(found))
    starts = np.unique(np.linspace(0, slopes.size, _GROUPS, endpoint=False).astype(np.int64))
    sizes = np.diff(starts, append=slopes.size)
    mean, share = np.add.reduceat(slopes, starts) / sizes, sizes / slopes.size
    return LargestOfAll(_GRID, _log_beyond(mean, share, rank, df))


def _log_beyond(slopes: FloatArray, shares: FloatArray, rank: int, df: float) -> FloatArray:
    """Return the logarithm of P(max |t| > c) for every c of the grid."""
    from scipy.special import chdtrc, fdtrc  # scipy.stats would triple the start-up time

    squares = (_GRID[:, None] / slopes[None, :]) ** 2
    known = math.isfinite(df)
    beyond = fdtrc(rank, df, squares / rank) if known else chdtrc(rank, squares)
    return np.asarray(np.log(np.clip(beyond @ shares, 1e-300, 1.0)))


def rank_ranges(above: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the lowest and the highest rank of each system; `above[i, j]`: i is significantly above j.

    Examples
    --------
    >>> above = np.zeros((3, 3), dtype=bool)
    >>> above[0, 2] = True
    >>> [ranks.tolist() for ranks in rank_ranges(above)]
    [[1, 1, 2], [2, 3, 3]]
    """
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def largest_range(k: int, alpha: float) -> float:
    r"""Return the critical |t| of all pairs of k independent estimates that are equally sure.

    The studentized range with infinite degrees of freedom, over √2:
    :math:`P(R \le q) = k \int \varphi(z) [\Phi(z) - \Phi(z - q)]^{k-1} dz` [1]_.

    References
    ----------
    .. [1] Tukey (1953), "The problem of multiple comparisons"; Miller (1981), Simultaneous
       Statistical Inference, 2nd ed., Springer, chapter 2.

    Examples
    --------
    >>> round(largest_range(2, 0.05), 6), round(largest_range(6, 0.05), 4)
    (1.959964, 2.8497)
    """
    z = np.linspace(-9.0, 9.0, 3601)
    density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    below = normal_below_each(z)

    def beyond(q: float) -> float:
        inside = np.maximum(below - normal_below_each(z - q), 0.0) ** (k - 1)
        return 1.0 - k * float((density * inside).sum() * (z[1] - z[0])) - alpha

    return bracketed_root(beyond, 0.01, 40.0) / math.sqrt(2.0)
