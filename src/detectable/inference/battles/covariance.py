r"""How far strengths would have come out otherwise, had other prompts or voters been drawn.

With the score s_c of all votes of a cluster and the inverse information,

.. math:: V = H^+ B H^+, \qquad B = \frac{C}{C-1} \sum_c s_c s_c',

where the factor is left out if every vote stands alone.

For two kinds of clusters at once, V of the one plus V of the other minus V of their crossing [1]_;
negative eigenvalues are cut to zero.

References
----------
.. [1] Cameron, Gelbach and Miller (2011), "Robust inference with multiway clustering", Journal of
   Business and Economic Statistics 29(2), 238–249.
"""

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.battles.design import Votes
from detectable.inference.battles.fit import Fit, scores
from detectable.inference.battles.models import Model

_CELLS = 4_000_000  # numbers of a block of clusters


def clustered(
    votes: Votes, model: Model, fit: Fit, clusters: IntArray | None = None
) -> FloatArray:
    """Return the covariance of all parameters; without clusters every vote stands alone.

    Parameters
    ----------
    clusters : array of int of shape (votes,), optional
        Which votes belong together, from 0 without gaps.
    """
    score, tie = scores(votes, model, fit)
    middle = _outer(votes, votes.weight * score, clusters)
    if tie is not None:
        middle = _with_ties(votes, middle, (votes.weight * score, votes.weight * tie), clusters)
    whole = np.asarray(fit.inverse @ middle @ fit.inverse)
    n = 0 if clusters is None else int(clusters.max()) + 1
    return whole * (n / (n - 1.0)) if n > 1 else whole


def two_way(first: FloatArray, second: FloatArray, crossed: FloatArray) -> FloatArray:
    """Return the covariance for two kinds of clusters at once."""
    return without_negative(first + second - crossed)


def without_negative(matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix with its negative eigenvalues cut to zero.

    Examples
    --------
    >>> without_negative(np.array([[1.0, 0.0], [0.0, -1.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    if values[0] >= 0.0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def larger(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return a covariance at least as large as both, in every direction."""
    return np.asarray(first + without_negative(second - first))


def _outer(votes: Votes, each: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return the sum over clusters of s s', with s the sum of a cluster's scores."""
    if clusters is None:
        return votes.information(each**2)
    sizes = np.bincount(clusters)
    alone = sizes[clusters] == 1  # most clusters of a crossing: no matrix is needed for them
    middle = votes.take(np.flatnonzero(alone)).information(each[alone] ** 2)
    rows = np.flatnonzero(~alone)
    for part, of_cluster in _blocks(rows, clusters, votes.n_systems + votes.n_effects):
        sums = _sums(votes, each, part, of_cluster)
        middle = middle + sums.T @ sums
    return middle


def _with_ties(
    votes: Votes,
    middle: FloatArray,
    each: tuple[FloatArray, FloatArray],
    clusters: IntArray | None,
) -> FloatArray:
    """Return the sum over clusters with the score of ties as one more parameter."""
    gap, tie = each
    codes = np.arange(votes.n) if clusters is None else clusters
    of_ties = np.bincount(codes, tie)
    crossed = votes.sums(gap * of_ties[codes])
    corner = np.array([[float(of_ties @ of_ties)]])
    return np.block([[middle, crossed[:, None]], [crossed[None, :], corner]])


def _blocks(
    rows: IntArray, clusters: IntArray, width: int
) -> "list[tuple[IntArray, IntArray]]":
    """Return votes in blocks of whole clusters, each with the number of its cluster in the block."""
    if not rows.size:
        return []
    order = rows[np.argsort(clusters[rows], kind="stable")]
    dense = np.cumsum(np.diff(clusters[order], prepend=clusters[order[0]]) != 0)
    per_block = max(1, _CELLS // width)
    cuts = np.searchsorted(dense, np.arange(per_block, int(dense[-1]) + 1, per_block))
    return [
        (part, dense[start : start + part.size] - dense[start])
        for part, start in zip(np.split(order, cuts), [0, *cuts.tolist()], strict=True)
    ]


def _sums(votes: Votes, each: FloatArray, rows: IntArray, of_cluster: IntArray) -> FloatArray:
    k, n = votes.n_systems, int(of_cluster[-1]) + 1
    values = each[rows]
    strengths = np.bincount(of_cluster * k + votes.a[rows], values, n * k)
    strengths -= np.bincount(of_cluster * k + votes.b[rows], values, n * k)
    further = [
        np.bincount(of_cluster, values * votes.further[rows, column], n)
        for column in range(votes.n_effects)
    ]
    return np.column_stack([strengths.reshape(n, k), *further])
