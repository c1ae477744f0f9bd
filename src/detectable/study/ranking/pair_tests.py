"""The tests of a ranking: every pair of systems, best first."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.rank_tests import RankTest, rank_sum, signed_rank
from detectable.inference.stouffer import stouffer, unsigned_stouffer
from detectable.kernels.distributions.normal import (
    normal_below,
    normal_below_each,
    normal_quantile,
)
from detectable.kernels.group_means import group_means
from detectable.study.ranking.paired_cells import Pairs
from detectable.study.ranking.settings import RankSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTests:
    """P-values of all pairs; the first system of a pair has the higher score.

    Attributes
    ----------
    p_greater, p_less : array
        That the first (the second) is better; NaN where a test has no direction of its own.
    favours : array of int
        1 where the statistic speaks for the first system, −1 for the second, 0 for neither.
    probability : array
        P(first > second) + ½ P(equal) of a unit.
    n : array of int
        Units behind each test: matched ones, or those of both systems.
    """

    p_two_sided: FloatArray
    p_greater: FloatArray
    p_less: FloatArray
    favours: IntArray
    probability: FloatArray
    n: IntArray


def rank_sum_tests(
    scores: FloatArray, pairs: Pairs, clusters: IntArray | None, *, matched: bool = False
) -> PairTests:
    """Test scores of two systems as independent samples (Mann-Whitney).

    Parameters
    ----------
    scores : array of shape (items, systems)
    clusters : array of int, optional
        Documents: their means are what is ranked.
    matched : bool
        Only the items that both systems have, as in WMT's evaluation by Appraise.
    """
    table = scores if clusters is None else cluster_means(scores, clusters)
    known = np.isfinite(table)
    found = []
    for a, b in pairs:
        rows_a, rows_b = known[:, a], known[:, b]
        if matched:
            rows_a = rows_b = rows_a & rows_b
        found.append(rank_sum(table[rows_a, a], table[rows_b, b]))
    return _from_rank_tests(found, [sum(test.n) for test in found], continuity=True)


def signed_rank_tests(
    differences: FloatArray, clusters: IntArray | None, settings: RankSettings
) -> PairTests:
    """Test paired differences by their signed ranks; documents by their means."""
    table = differences if clusters is None else cluster_means(differences, clusters)
    found = [_signed(column, settings) for column in table.T]
    return _from_rank_tests(
        found,
        np.isfinite(table).sum(axis=0).tolist(),
        continuity=settings.continuity,
        probability=[_share_above(column) for column in table.T],
    )


def stouffer_tests(
    differences: FloatArray,
    clusters: IntArray | None,
    domains: IntArray,
    settings: RankSettings,
    *,
    signed: bool = True,
) -> PairTests:
    """Test every domain by signed ranks and combine the domains, which all count alike."""
    levels = np.unique(domains)
    rows = []
    for column in differences.T:
        parts = []
        for level in levels:
            inside = column[domains == level][:, None]
            within = None if clusters is None else clusters[domains == level]
            values = inside if within is None else cluster_means(inside, within)
            if np.isfinite(values).any():
                parts.append(_signed(values[:, 0], settings))
        rows.append(parts)
    if not signed:
        return _unsigned(rows, differences)
    combined = [stouffer([_z(part, settings) for part in parts]) for parts in rows]
    z = np.array([test.z for test in combined])
    p_greater = np.array([test.p_greater for test in combined])
    return PairTests(
        p_two_sided=np.array([test.p_two_sided for test in combined]),
        p_greater=p_greater,
        p_less=1.0 - p_greater,
        favours=np.sign(z).astype(np.int64),
        probability=np.array([_share_above(column) for column in differences.T]),
        n=np.isfinite(differences).sum(axis=0),
    )


def _unsigned(rows: list[list[RankTest]], differences: FloatArray) -> PairTests:
    """Combine as WMT24 did: uncorrected two-sided p-values, which have no direction."""
    p = np.array(
        [
            unsigned_stouffer([2.0 * normal_below(-abs(part.z)) for part in parts])
            for parts in rows
        ]
    )
    unknown = np.full(p.size, np.nan)
    return PairTests(
        p_two_sided=p,
        p_greater=unknown,
        p_less=unknown,
        favours=np.ones(p.size, dtype=np.int64),  # the order of the means decides
        probability=np.array([_share_above(column) for column in differences.T]),
        n=np.isfinite(differences).sum(axis=0),
    )


def _signed(column: FloatArray, settings: RankSettings) -> RankTest:
    values = column[np.isfinite(column)]
    if settings.zeros == "drop" and (values != 0.0).any():
        values = values[values != 0.0]
    return signed_rank(values)


def _z(test: RankTest, settings: RankSettings) -> float:
    return test.z_corrected if settings.continuity else test.z


def _from_rank_tests(
    tests: list[RankTest],
    n: list[int],
    *,
    continuity: bool,
    probability: list[float] | None = None,
) -> PairTests:
    z = np.array([test.z for test in tests])
    if continuity:
        two_sided = np.array([test.p_two_sided for test in tests])
        greater = np.array([test.p_greater for test in tests])
        less = np.array([_mirrored(test) for test in tests])
    else:
        two_sided, greater, less = (
            2.0 * normal_below_each(-np.abs(z)),
            normal_below_each(-z),
            normal_below_each(z),
        )
    shares = [test.probability for test in tests] if probability is None else probability
    return PairTests(
        p_two_sided=np.minimum(1.0, two_sided),
        p_greater=greater,
        p_less=less,
        favours=np.sign(z).astype(np.int64),
        probability=np.array(shares),
        n=np.array(n),
    )


def _mirrored(test: RankTest) -> float:
    """Return the p-value in the other direction, with the correction against that claim."""
    if test.z_corrected != 0.0:
        step = abs(test.z - test.z_corrected)
    else:  # half a step or less from the middle, where the correction was cut short
        step = test.z + normal_quantile(test.p_greater)
    return normal_below(test.z + step)


def of_means(
    p_two_sided: FloatArray, differences: FloatArray | None, values: FloatArray, n: IntArray
) -> PairTests:
    """Return tests of mean differences, which go by the sign of the mean."""
    unknown = np.full(values.size, np.nan)
    probability = unknown
    if differences is not None:
        probability = np.array([_share_above(column) for column in differences.T])
    return PairTests(
        p_two_sided=p_two_sided,
        p_greater=unknown,
        p_less=unknown,
        favours=np.sign(values).astype(np.int64),
        probability=probability,
        n=n,
    )


def _share_above(column: FloatArray) -> float:
    values = column[np.isfinite(column)]
    if not values.size:
        return float("nan")
    return float(((values > 0.0).sum() + 0.5 * (values == 0.0).sum()) / values.size)


def cluster_means(table: FloatArray, clusters: IntArray) -> FloatArray:
    """Return the mean of the known values of every cluster, column by column."""
    codes = np.unique(clusters, return_inverse=True)[1]
    size = int(codes.max()) + 1
    return np.stack([group_means(column, codes, size) for column in table.T], axis=1)
