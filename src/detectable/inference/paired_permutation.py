"""Sign-flip test of many paired comparisons at once, with one matrix of signs for all."""

from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.execute import run_blocks
from detectable.core.progress import Progress, silent
from detectable.core.result import Result, Signature
from detectable.core.rng import BLOCK, Block, blocks, resolve
from detectable.core.types import ArrayLike, FloatArray, IntArray, Seed
from detectable.core.wording import count, p_statement
from detectable.inference.cluster_mean import cluster_means
from detectable.inference.randomization import ROUNDING
from detectable.kernels.resample import Values, compact, half_sums, weighted_sums

_MOST_CLUSTERS = 62  # more sign patterns than a whole number holds are never enumerated


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedPermutation(Result):
    """Mean differences of many pairs with their permutation p-values; one entry per pair.

    Attributes
    ----------
    differences : array of shape (pairs,)
        Mean over the units where the pair was observed; NaN where there is none.
    p_values : array of shape (pairs,)
        Two-sided, never below 1 / (n_resamples + 1); NaN where there is no unit.
    standard_errors : array of shape (pairs,)
        Cluster-robust; NaN with fewer than two clusters.
    df : array of shape (pairs,)
        Clusters of the pair less one.
    n : array of shape (pairs,)
        Units of the pair.
    n_resamples : int
        Sign patterns other than the observed one: drawn, or all of them if `exact`.
    exact : bool
        True where all sign patterns were counted.
    null : array of shape (n_resamples, pairs) or None
        Mean differences under the sign patterns, which all pairs share:
        ``multiplicity.max_t(result.differences, result.null)`` adjusts for all pairs.
    notes : tuple of str
        What was left out, with its count.
    """

    differences: FloatArray
    p_values: FloatArray
    standard_errors: FloatArray
    df: IntArray
    n: IntArray
    n_resamples: int
    exact: bool
    notes: tuple[str, ...] = ()
    null: FloatArray | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": True}
    )

    def summary(self) -> str:
        """Say how many pairs differ at .05, and the smallest p-value."""
        known = self.p_values[~np.isnan(self.p_values)]
        if not known.size:
            return "undecided: no pair was observed on any unit"
        apart = int((known < 0.05).sum())
        return (
            f"{apart:,} of {count(known.size, 'pair')} differ at .05, unadjusted "
            f"(smallest {p_statement(float(known.min()))})"
        )


@dataclass(frozen=True, slots=True)
class _Payload:
    values: Values  # sums by cluster: (clusters, pairs)
    totals: FloatArray
    threshold: FloatArray  # a sum of at least this size is as extreme as the observed one
    keep: bool


def paired_permutation(
    differences: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    n_resamples: int = 10_000,
    keep_null: bool = True,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
) -> PairedPermutation:
    r"""Test many pairs of systems by flipping the signs of their differences.

    If two systems do not differ, the scores of a unit could as well have come from the other
    one, and its difference could have the other sign. With :math:`D_g` the sum of the
    differences in cluster g and independent signs :math:`s_{rg} = \pm 1`,

    .. math:: S = \sum_g D_g, \qquad S_r = \sum_g s_{rg} D_g, \qquad
              p = \frac{1 + \#\{r : |S_r| \ge |S|\}}{1 + R}.

    Equality counts as at least as extreme, with room for rounding, so p = 1 where all
    differences are zero, and p is never zero [1]_. Units of a cluster (sentences of a document)
    keep their signs together, because they may depend on each other. All pairs see the same
    signs: one matrix product tests them all, and the joint distribution serves
    `multiplicity.max_t`.

    With few clusters, :math:`2^G \le` `n_resamples`, all sign patterns are counted instead of
    drawn. R is then :math:`2^G - 1`, p is exact, and the signature says so.

    The standard error of the mean difference is cluster-robust, see `inference.cluster_mean`.

    Parameters
    ----------
    differences : array of shape (units, pairs)
        Score of the first system of a pair less that of the second, on each unit. NaN where the
        pair was not observed. A vector is one pair.
    clusters : array of int of shape (units,), optional
        Which units belong together. By default every unit stands alone.
    n_resamples : int
        Number of sign patterns, R.
    keep_null : bool
        Whether to return the R × pairs differences under the null hypothesis. False saves the
        memory when there are thousands of pairs.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero",
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> test = paired_permutation([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, float("nan")]])
    >>> test.differences.tolist(), test.p_values.tolist(), test.exact
    ([2.5, 0.0], [0.125, 1.0], True)
    """
    table = _table(differences)
    codes = _codes(clusters, len(table))
    n_resamples = check.positive_int(n_resamples, "n_resamples")
    sums, sizes = _by_cluster(table, codes)
    n = sizes.sum(axis=0)
    n_clusters = len(sums)
    # Rounding grows with what is added up, not with the sum that is left.
    totals = sums.sum(axis=0)
    slack = ROUNDING * np.abs(sums).sum(axis=0)
    payload = _Payload(compact(sums), totals, np.abs(totals) - slack, keep_null)
    exact = n_clusters <= _MOST_CLUSTERS and 2**n_clusters <= n_resamples
    settings: dict[str, str | int | float] = {
        "n": len(table),
        "clusters": n_clusters,
        "pairs": table.shape[1],
    }
    seed: str | None = None
    if exact:
        extreme, null = _enumerate(payload, n_clusters)
        n_resamples = 2**n_clusters - 1
        settings["signs"] = "all"
    else:
        generator, seed = resolve(rng)
        answers = run_blocks(
            _flip,
            payload,
            blocks(n_resamples, generator),
            n_jobs=n_jobs,
            executor=executor,
            progress=progress,
            step="sign flips",
        )
        extreme, null = _gather(answers, keep=keep_null)
        settings["R"] = n_resamples
    mean, standard_errors, df = cluster_means(sums, sizes)
    return PairedPermutation(
        differences=mean,
        p_values=np.where(n > 0, (extreme + 1.0) / (n_resamples + 1.0), np.nan),
        standard_errors=standard_errors,
        df=df,
        n=n,
        n_resamples=n_resamples,
        exact=exact,
        notes=_notes(table, n),
        null=None if null is None else null / np.maximum(n, 1),
        signature=Signature("paired-permutation", settings, seed),
    )


def _table(differences: ArrayLike) -> FloatArray:
    table = np.asarray(differences, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            "`differences` must have one row per unit and one column per pair; "
            f"got shape {table.shape}."
        )
    if np.isinf(table).any():
        row, pair = np.argwhere(np.isinf(table))[0].tolist()
        raise InputError(
            f"`differences` must be finite, or NaN where a pair was not observed; "
            f"got {table[row, pair]} in row {row}, pair {pair}."
        )
    return table


def _codes(clusters: ArrayLike | None, units: int) -> IntArray | None:
    """Return the cluster of each unit as 0, 1, 2 …, or None where every unit stands alone."""
    if clusters is None:
        return None
    codes = np.asarray(clusters)
    if codes.shape != (units,):
        raise InputError(
            f"`clusters` must name the cluster of each of the {count(units, 'unit')}; "
            f"got shape {codes.shape}."
        )
    return np.unique(codes, return_inverse=True)[1]


def _by_cluster(table: FloatArray, codes: IntArray | None) -> tuple[FloatArray, IntArray]:
    """Return sum and number of the observed differences of every pair in each cluster."""
    seen = ~np.isnan(table)
    values = np.where(seen, table, 0.0)
    if codes is None:
        return values, seen.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return (
        np.add.reduceat(values[order], starts, axis=0),
        np.add.reduceat(seen[order].astype(np.int64), starts, axis=0),
    )


def _flip(payload: _Payload, block: Block) -> tuple[IntArray, FloatArray | None]:
    """Return how often `block.rows` random sign patterns are as extreme, and their sums.

    The sum with flipped signs is twice the sum over the units that kept theirs, less the total.
    """
    (kept,) = half_sums([payload.values], block.rows, block.rng)
    return _extreme(payload, kept)


def _enumerate(payload: _Payload, n_clusters: int) -> tuple[IntArray, FloatArray | None]:
    """Do the same for all sign patterns but the observed one."""
    patterns = 2**n_clusters - 1  # the last one keeps all signs: it is the observed sum
    bits = np.arange(n_clusters)
    answers = []
    for start in range(0, patterns, BLOCK):
        codes = np.arange(start, min(start + BLOCK, patterns))
        taken = (codes[:, None] >> bits) & 1
        answers.append(_extreme(payload, weighted_sums(taken, [payload.values])[0]))
    return _gather(answers, keep=payload.keep)


def _extreme(payload: _Payload, kept: FloatArray) -> tuple[IntArray, FloatArray | None]:
    flipped = 2.0 * kept - payload.totals
    extreme = (np.abs(flipped) >= payload.threshold).sum(axis=0)
    return extreme, flipped if payload.keep else None


def _gather(
    answers: list[tuple[IntArray, FloatArray | None]], *, keep: bool
) -> tuple[IntArray, FloatArray | None]:
    extreme = np.sum([counts for counts, _ in answers], axis=0)
    if not keep:
        return extreme, None
    return extreme, np.concatenate([null for _, null in answers if null is not None])


def _notes(table: FloatArray, n: IntArray) -> tuple[str, ...]:
    missing = int(table.size - n.sum())
    notes = []
    if missing:
        notes.append(
            f"{missing:,} of {table.size:,} differences were not observed; each pair is tested "
            "on its own units."
        )
    never = int((n == 0).sum())
    if never:
        notes.append(f"{count(never, 'pair')} without a common unit: not tested.")
    return tuple(notes)
