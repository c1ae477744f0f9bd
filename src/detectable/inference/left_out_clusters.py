r"""Votes as they look without their own cluster, and how many clusters there are in effect.

A cluster with many votes pulls the strengths towards its own taste, so that its residuals, from which
a sandwich takes the errors, are too small. Without the cluster c, one step of Newton's method moves all
parameters by

.. math:: -u_c, \qquad u_c = (H - H_c)^+ s_c,

with the information H of all votes, that of the cluster, and its score. The sum of :math:`u_c u_c'` is the
jackknife over clusters, CR3 [1]_ [2]_. Since :math:`H u_c = s_c + H_c u_c`, it is the usual sandwich of
residuals r that are taken where the cluster had no say: :math:`r_v + w_v x_v' u_c`, with the information w
of a vote.

References
----------
.. [1] Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
   multi-stage samples", Survey Methodology 28(2), 169–181.
.. [2] MacKinnon, Nielsen and Webb (2023), "Cluster-robust inference: a guide to empirical practice",
   Journal of Econometrics 232(2), 272–299, section 4 (one step in place of a new fit).
.. [3] Carter, Schnepel and Steigerwald (2017), "Asymptotic behavior of a t-test robust to cluster
   heterogeneity", Review of Economics and Statistics 99(4), 698–709.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.battle_votes import Parts, Votes
from detectable.kernels.crossed import product_squares

_CELLS = 4_000_000  # numbers of a block of clusters
_AT_ONCE = 64  # contrasts; does not change the answer
_CLEAR = 0.01  # of the information of a direction that is left for certain
_SINGULAR = 1e-8  # of what is left of the information, below which nothing is left
_MOST_SYSTEMS = 40  # all of whose pairs are looked at


def left_out_scores(
    votes: Votes,
    parts: Parts,
    information: FloatArray,
    inverse: FloatArray,
    clusters: IntArray,
) -> tuple[FloatArray, FloatArray | None]:
    """Return the weighted score of each vote, by its gap and by ties, without its own cluster.

    Parameters
    ----------
    parts : Parts
        Of the votes, at the maximum.
    information, inverse : array of shape (parameters, parameters)
        Of all votes; the inverse over strengths that add up to zero.
    clusters : array of int of shape (votes,)
        From 0 without gaps.

    Notes
    -----
    A cluster with fewer votes than there are parameters is solved in its votes,
    :math:`(I - W X H^+ X') q = r`, a larger one in the parameters. Where a cluster is all that is known
    of some parameter, that one stays where it is.
    """
    weight = votes.weight
    score = weight * parts.score
    tie = None if parts.tie_score is None else weight * parts.tie_score
    sizes = np.bincount(clusters)
    tied = int(tie is not None)
    small = sizes + tied <= len(information)
    order = np.argsort(clusters, kind="stable") if small.any() else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)])
    singular = []
    for size in np.unique(sizes[small]).tolist():
        of_size = np.flatnonzero(small & (sizes == size))
        for some in _in_blocks(of_size, (size + tied) ** 2):
            rows = order[start[some][:, None] + np.arange(size)]
            hard = _by_votes(votes, parts, inverse, rows, (score, tie))
            singular.append(some[hard])
    rest = np.concatenate([np.flatnonzero(~small), *singular])
    for some in _in_blocks(rest, len(information) ** 2):
        _by_parameters(votes, parts, (information, inverse), (clusters, some), (score, tie))
    return score, tie


def _in_blocks(clusters: IntArray, width: int) -> Iterator[IntArray]:
    step = max(1, _CELLS // width)
    for first in range(0, clusters.size, step):
        yield clusters[first : first + step]


def _by_votes(
    votes: Votes,
    parts: Parts,
    inverse: FloatArray,
    rows: IntArray,
    scores: tuple[FloatArray, FloatArray | None],
) -> IntArray:
    """Write the scores of clusters of one size; return the places of those that are singular."""
    score, tie = scores
    n, size = rows.shape
    weight = votes.weight
    if size == 1 and tie is None:
        one = rows[:, 0]
        left = 1.0 - weight[one] * parts.information[one] * _leverage(votes, inverse, one)
        fine = left > _SINGULAR
        score[one[fine]] /= left[fine]
        return np.flatnonzero(~fine)
    own, right = (weight * parts.information)[rows], score[rows]
    spread = _spread(votes, inverse, rows)
    pulled = own[:, :, None] * spread
    if tie is not None and parts.crossed is not None and parts.tie_information is not None:
        k, e = votes.n_systems, votes.n_effects
        column = inverse[votes.a[rows], -1] - inverse[votes.b[rows], -1]
        column = column + votes.further[rows] @ inverse[k : k + e, -1]
        crossed = (weight * parts.crossed)[rows]
        corner = (weight * parts.tie_information)[rows].sum(axis=1)
        last = np.full((n, 1), inverse[-1, -1])
        pulled = pulled + crossed[:, :, None] * column[:, None, :]
        beside = own * column + crossed * last
        below = np.einsum("cv,cvj->cj", crossed, spread) + corner[:, None] * column
        end = (crossed * column).sum(axis=1) + corner * last[:, 0]
        pulled = np.concatenate(
            [
                np.concatenate([pulled, beside[:, :, None]], axis=2),
                np.column_stack([below, end])[:, None, :],
            ],
            axis=1,
        )
        right = np.column_stack([right, tie[rows].sum(axis=1)])
    left = np.eye(right.shape[1]) - pulled
    # What is left is at least 1 − the leverage of the whole cluster.
    fine = np.trace(pulled, axis1=1, axis2=2) < 1.0 - _CLEAR
    fine[~fine] = np.linalg.det(left[~fine]) > _SINGULAR
    found = np.linalg.solve(left[fine], right[fine][:, :, None])[:, :, 0]
    score[rows[fine]] = found[:, :size]
    if tie is not None:  # only their sum is used
        tie[rows[fine]] = 0.0
        tie[rows[fine, 0]] = found[:, size]
    return np.flatnonzero(~fine)


def _spread(votes: Votes, inverse: FloatArray, rows: IntArray) -> FloatArray:
    """Return X H⁺ X' of the votes of every cluster, a row each."""
    k, e = votes.n_systems, votes.n_effects
    a, b = votes.a[rows], votes.b[rows]
    table = inverse.ravel()
    at_a, at_b = a[:, :, None] * len(inverse), b[:, :, None] * len(inverse)
    a, b = a[:, None, :], b[:, None, :]
    spread = table[at_a + a] - table[at_a + b] - table[at_b + a] + table[at_b + b]
    if e:
        further = votes.further[rows]
        crossed = (inverse[votes.a[rows], k : k + e] - inverse[votes.b[rows], k : k + e]) @ (
            further.transpose(0, 2, 1)
        )
        spread = spread + crossed + crossed.transpose(0, 2, 1)
        spread = spread + further @ inverse[k : k + e, k : k + e] @ further.transpose(0, 2, 1)
    return np.asarray(spread)


def _leverage(votes: Votes, inverse: FloatArray, rows: IntArray) -> FloatArray:
    """Return x' H⁺ x of some votes."""
    k = votes.n_systems
    a, b, further = votes.a[rows], votes.b[rows], votes.further[rows]
    spread = inverse[a, a] + inverse[b, b] - 2.0 * inverse[a, b]
    if votes.n_effects:
        spread = spread + 2.0 * ((inverse[a, k:] - inverse[b, k:]) * further).sum(axis=1)
        spread = spread + ((further @ inverse[k:, k:]) * further).sum(axis=1)
    return np.asarray(spread)


def _by_parameters(
    votes: Votes,
    parts: Parts,
    matrices: tuple[FloatArray, FloatArray],
    which: tuple[IntArray, IntArray],
    scores: tuple[FloatArray, FloatArray | None],
) -> None:
    """Write the scores of some clusters, solved in the parameters."""
    clusters, some = which
    score, tie = scores
    information, inverse = matrices
    k, p = votes.n_systems, len(information)
    place = np.full(int(clusters.max()) + 1, -1)
    place[some] = np.arange(some.size)
    rows = np.flatnonzero(place[clusters] >= 0)
    cut, of = votes.take(rows), place[clusters[rows]]
    own = cut.weight * parts.information[rows]
    crossed = corner = np.zeros(rows.size)
    right = sums_by(cut, score[rows], of, some.size)
    if tie is not None and parts.crossed is not None and parts.tie_information is not None:
        crossed = cut.weight * parts.crossed[rows]
        corner = cut.weight * parts.tie_information[rows]
        right = np.column_stack([right, np.bincount(of, tie[rows], some.size)])
    lifted = information.copy()
    lifted[:k, :k] += np.trace(information[:k, :k]) / k**2
    left = _information(cut, (own, crossed, corner), of, (some.size, p))
    np.subtract(lifted, left, out=left)
    clear = np.zeros(some.size, dtype=bool)
    if tie is None:
        clear = np.bincount(of, own * _leverage(votes, inverse, rows)) < 1.0 - _CLEAR
    moved = np.empty_like(right)
    if clear.all():  # no copies
        moved[:] = np.linalg.solve(left, right[:, :, None])[:, :, 0]
    else:
        moved[clear] = np.linalg.solve(left[clear], right[clear][:, :, None])[:, :, 0]
        moved[~clear] = _solved(left[~clear], right[~clear])
    ahead = moved[of, cut.a] - moved[of, cut.b]
    ahead += (moved[of, k : k + votes.n_effects] * cut.further).sum(axis=1)
    score[rows] += own * ahead
    if tie is not None:
        score[rows] += crossed * moved[of, -1]
        tie[rows] += crossed * ahead + corner * moved[of, -1]


def _information(
    votes: Votes,
    each: tuple[FloatArray, FloatArray, FloatArray],
    of: IntArray,
    shape: tuple[int, int],
) -> FloatArray:
    """Return the information of every cluster, from that of votes by gap, by both and by ties."""
    own, crossed, corner = each
    n, p = shape
    k, e = votes.n_systems, votes.n_effects
    met = np.bincount((of * p + votes.a) * p + votes.b, own, n * p * p).astype(np.float64)
    met = met.reshape(n, p, p)
    found: FloatArray = -met - met.transpose(0, 2, 1)
    found[:, range(p), range(p)] = -found.sum(axis=2)
    for column in range(e):
        drawn = sums_by(votes, own * votes.further[:, column], of, n)
        found[:, k + column, : k + e] = found[:, : k + e, k + column] = drawn
    if p > k + e:
        found[:, -1, :-1] = found[:, :-1, -1] = sums_by(votes, crossed, of, n)
        found[:, -1, -1] = np.bincount(of, corner, n)
    return found


def sums_by(votes: Votes, each: FloatArray, of: IntArray, n: int) -> FloatArray:
    """Return what strengths and effects collect in each of n clusters, as `Votes.sums` does."""
    k = votes.n_systems
    strengths = np.bincount(of * k + votes.a, each, n * k)
    strengths -= np.bincount(of * k + votes.b, each, n * k)
    further = [
        np.bincount(of, each * votes.further[:, column], n) for column in range(votes.n_effects)
    ]
    return np.column_stack([strengths.reshape(n, k), *further])


def _solved(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solutions of symmetric systems; what a singular one does not know is 0."""
    try:
        inverse = np.linalg.inv(left)
    except np.linalg.LinAlgError:
        hard = np.ones(len(left), dtype=bool)
        inverse = np.zeros_like(left)
    else:
        size = np.abs(left).sum(axis=1).max(axis=1) * np.abs(inverse).sum(axis=1).max(axis=1)
        hard = ~(size < 1.0 / _SINGULAR)
    if hard.any():
        inverse[hard] = np.linalg.pinv(left[hard], rcond=_SINGULAR, hermitian=True)
    return np.asarray((inverse @ right[:, :, None])[:, :, 0])


# --- How many clusters there are in effect ---


def effective_clusters(
    votes: Votes, each: FloatArray, clusters: IntArray, *, tastes: float = 0.0
) -> FloatArray:
    r"""Return the effective number of clusters [3]_ of every difference of two strengths.

    With x the row of :math:`H^+` that a difference ℓ takes,

    .. math:: \gamma_c = x' H_c x, \qquad G^* = \frac{(\sum_c \gamma_c)^2}{\sum_c \gamma_c^2} ,

    which is C for equal clusters, and near 1 where one of them has most votes. A share `tastes` of the
    weight goes by :math:`\lVert H_c x \rVert^2` instead: what a taste of the cluster would add, which all its votes
    share.

    Parameters
    ----------
    each : array of shape (votes,)
        Information of each vote, weighted.
    clusters : array of int of shape (votes,)
        From 0 without gaps.

    Returns
    -------
    array of shape (systems, systems)
        NaN on the diagonal. With more than 40 systems, of pairs of the 40 whose strengths rest on
        the fewest clusters; NaN elsewhere.

    Examples
    --------
    >>> from detectable.inference.battle_votes import plain_votes
    >>> who = np.repeat(np.arange(40), [39] + [1] * 39)
    >>> votes = plain_votes(2, np.zeros(78, int), np.ones(78, int), np.ones(78))
    >>> round(float(effective_clusters(votes, votes.weight, who)[0, 1]), 3)
    3.9
    """
    # Side, covariates and ties are left aside: they hardly change who decides a difference.
    k = votes.n_systems
    information = votes.information(each)[:k, :k]
    lift = np.trace(information) / k
    inverse = np.linalg.pinv(information + lift / k, rcond=_SINGULAR, hermitian=True)
    inverse = inverse - 1.0 / (lift * k)
    cells = _Cells.of(votes, each, clusters)
    used = np.arange(k)
    if k > _MOST_SYSTEMS:
        alone = cells.in_effect(inverse, tastes)
        used = np.sort(np.argsort(alone, kind="stable")[:_MOST_SYSTEMS])
    i, j = (used[part] for part in np.triu_indices(used.size, 1))
    found = np.full((k, k), np.nan)
    found[i, j] = found[j, i] = cells.in_effect(inverse[i] - inverse[j], tastes)
    return found


@dataclass(frozen=True, slots=True)
class _Cells:
    """Information of the votes of one cluster on one pair of systems, as sparse matrices.

    Attributes
    ----------
    low, high : array
        The systems of each pair.
    of_pairs : sparse matrix (clusters, pairs)
    on_systems : sparse matrix (systems of clusters, pairs)
        Rows are the systems of the first cluster, then of the next.
    start : array
        Where each cluster begins among the rows of `on_systems`.
    """

    low: IntArray
    high: IntArray
    of_pairs: Any
    on_systems: Any
    start: IntArray

    @classmethod
    def of(cls, votes: Votes, each: FloatArray, clusters: IntArray) -> "_Cells":
        from scipy.sparse import csr_array  # loaded where it is needed: it takes a while

        k, n = votes.n_systems, int(clusters.max()) + 1
        low, high = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
        pairs, pair = np.unique(low * k + high, return_inverse=True)
        systems = np.concatenate([clusters * k + low, clusters * k + high])
        rows, row = np.unique(systems, return_inverse=True)
        signed = np.concatenate([each, -each])
        shape = (rows.size, pairs.size)
        return cls(
            pairs // k,
            pairs % k,
            csr_array((each, (clusters, pair)), shape=(n, pairs.size)),
            csr_array((signed, (row, np.tile(pair, 2))), shape=shape),
            np.searchsorted(rows // k, np.arange(n)),
        )

    def in_effect(self, x: FloatArray, tastes: float) -> FloatArray:
        """Return the effective clusters of the contrasts whose rows of H⁺ are given."""
        found = np.empty(len(x))
        # Without tastes no product is kept, and a row of 64 of them is added up at once.
        step = max(1, _CELLS // self.on_systems.shape[0]) if tastes else _AT_ONCE
        for first in range(0, len(x), step):
            some = x[first : first + step]
            apart = (some[:, self.low] - some[:, self.high]).T
            if not tastes:
                sums = product_squares(self.of_pairs, apart**2)
                found[first : first + step] = _in_effect(*sums, self.of_pairs.shape[0])
                continue
            parts = self.of_pairs @ apart**2
            pulls = np.add.reduceat((self.on_systems @ apart) ** 2, self.start, axis=0)
            share = (1.0 - tastes) * _shares(parts) + tastes * _shares(pulls)
            squares = np.einsum("ij,ij->j", share, share)
            found[first : first + step] = _in_effect(share.sum(axis=0), squares, len(share))
        return found


def _in_effect(totals: FloatArray, squares: FloatArray, n: int) -> FloatArray:
    """Return (Σ γ)² / Σ γ²; the number of clusters where it is 0."""
    known = squares > 0.0
    return np.where(known, totals**2 / np.where(known, squares, 1.0), float(n))


def _shares(parts: FloatArray) -> FloatArray:
    """Return the share of each row in its column; equal where the column is 0."""
    total = parts.sum(axis=0)
    found: FloatArray = np.full_like(parts, 1.0 / len(parts))
    np.divide(parts, total, out=found, where=total > 0.0)
    return found
