"""The tests of a ranking: by means, by ranks, by a mixed model; every pair of systems."""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.contrasts.analysis import (
    Analysis,
    agreeing,
    families,
    family_sizes,
    stepwise,
    together,
)
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.judgments import Judgments
from detectable.inference.classic_tests import RankTest, rank_sum, signed_rank
from detectable.inference.multiplicity import stouffer, unsigned_stouffer
from detectable.inference.randomization import SwapParts
from detectable.inference.standard_errors import Estimate, robust_variance
from detectable.kernels.distributions import normal_below, normal_below_each, normal_quantile
from detectable.kernels.means import exact_mean, group_means
from detectable.study.ranking.prepare import Pairs, Prepared
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
    p_two_sided: FloatArray,
    differences: FloatArray | None,
    values: FloatArray,
    n: IntArray,
    weights: FloatArray | None = None,
) -> PairTests:
    """Return tests of mean differences, which go by the sign of the mean."""
    unknown = np.full(values.size, np.nan)
    probability = unknown
    if differences is not None:
        probability = np.array([_share_above(column, weights) for column in differences.T])
    return PairTests(
        p_two_sided=p_two_sided,
        p_greater=unknown,
        p_less=unknown,
        favours=np.sign(values).astype(np.int64),
        probability=probability,
        n=n,
    )


def _share_above(column: FloatArray, weights: FloatArray | None = None) -> float:
    known = np.isfinite(column)
    values = column[known]
    if not values.size:
        return float("nan")
    if weights is not None:
        wins = (values > 0.0) + 0.5 * (values == 0.0)
        return float(weights[known] @ wins / weights[known].sum())
    return float(((values > 0.0).sum() + 0.5 * (values == 0.0).sum()) / values.size)


def cluster_means(table: FloatArray, clusters: IntArray) -> FloatArray:
    """Return the mean of the known values of every cluster, column by column."""
    codes = np.unique(clusters, return_inverse=True)[1]
    size = int(codes.max()) + 1
    return np.stack([group_means(column, codes, size) for column in table.T], axis=1)


# --- Tests of ranks: p-values from ranks, and intervals of the mean difference that agree with them ---

UNPAIRED = ("rank-sum", "rank-sum-matched")
_MOST = 1_000  # units at which a search gives up


def rank_tests(prepared: Prepared, settings: RankSettings) -> PairTests:
    """Return the tests of ranks of all pairs."""
    clusters = prepared.clusters
    if prepared.test in UNPAIRED:
        matched = prepared.test == "rank-sum-matched"
        return rank_sum_tests(prepared.tested, prepared.pairs, clusters, matched=matched)
    if prepared.differences is None:
        raise InputError(f"`test={prepared.test!r}` needs matched differences.")
    if prepared.test == "signed-rank" or prepared.strata is None:
        return signed_rank_tests(prepared.differences, clusters, settings)
    signed = prepared.test == "stouffer"
    return stouffer_tests(
        prepared.differences, clusters, prepared.strata, settings, signed=signed
    )


def by_ranks(
    prepared: Prepared,
    settings: RankSettings,
    correction: str,
    by_error: Analysis,
    tests: PairTests,
) -> Analysis:
    """Take p-values from ranks; intervals and margins stay those of the mean, by t.

    Parameters
    ----------
    by_error : Analysis
        The same pairs tested by t.
    """
    raw = tests.p_two_sided[:, None]
    groups = families(raw.shape, "systems")
    adjusted = stepwise(raw, groups, correction)
    tested = np.ones(raw.shape)
    if correction != "none":
        tested = family_sizes(raw.shape, groups)

    corrected = together(by_error.interval_alone, tested)
    # Where ranks and means point to different systems no interval of means can agree.
    turned = disagree(tests, by_error)[:, None]
    smallest = rank_tests(_ideal(prepared), settings).p_two_sided[:, None]
    attainable = stepwise(smallest, groups, correction)
    return by_error._replace(
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(
            by_error.estimates, np.where(turned, 1.0, adjusted), settings.alpha, corrected
        ),
        attainable=attainable,
        possible=attainable <= settings.alpha,
    )


def disagree(tests: PairTests, found: Analysis) -> FloatArray:
    """Return where the statistic and the mean difference speak for different systems."""
    values = np.array([row[0].value for row in found.estimates])
    return np.asarray(tests.favours != np.sign(values))


def _ideal(prepared: Prepared) -> Prepared:
    """Return data of the same design that no test of ranks could reject with a smaller p-value.

    All differences are equal, so that the squares of their ranks add up to least; unpaired, all
    scores of a system are.
    """
    places = np.empty(len(prepared.order))
    places[prepared.order] = -np.arange(len(prepared.order))
    differences = prepared.differences
    if differences is not None:
        differences = np.where(np.isfinite(differences), 1.0, np.nan)
    tested = np.where(np.isfinite(prepared.tested), places, np.nan)
    return replace(prepared, differences=differences, tested=tested)


@functools.lru_cache(maxsize=256)
def units_to_reject_by_ranks(test: str, level: float, *, n_domains: int = 1) -> int | None:
    """Return the smallest number of units (of each system, if unpaired) that can be significant.

    Examples
    --------
    >>> units_to_reject_by_ranks("signed-rank", 0.05), units_to_reject_by_ranks("rank-sum", 0.05)
    (5, 3)
    """
    for n in range(2, _MOST):
        if test in UNPAIRED:
            p = rank_sum(np.ones(n), np.zeros(n)).p_two_sided
        elif n_domains > 1:
            p = stouffer([signed_rank(np.ones(n)).z_corrected] * n_domains).p_two_sided
        else:
            p = signed_rank(np.ones(n)).p_two_sided
        if p <= level:
            return n * n_domains
    return None


# --- Mean differences of all pairs at once, and what each document (or item) adds to them ---

# Where units differ by the same amount but for rounding, a t test would take the rounding for their
# spread, and be certain.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMeans:
    """Mean differences of all pairs, over the same clusters.

    Attributes
    ----------
    estimates : list of Estimate
        With their cluster-robust errors: those of `estimates.system_estimate`, column by column.
    parts, shares : array of shape (clusters, pairs)
        What each cluster adds to a difference, and how much it weighs there; 0 where a pair was
        not observed.
    """

    estimates: list[Estimate]
    parts: FloatArray
    shares: FloatArray

    def swap_parts(self) -> list[SwapParts]:
        """Return the parts pair by pair."""
        return [
            SwapParts(estimate.value, self.parts[:, k], self.shares[:, k])
            for k, estimate in enumerate(self.estimates)
        ]


def pair_means(
    differences: FloatArray,
    strata: IntArray | None,
    clusters: IntArray | None,
    weights: FloatArray | None = None,
) -> PairMeans:
    """Return the mean difference of every pair with its error, and its parts.

    With strata (domains) the difference is the mean of their means: an item counts with its
    weight there. See `estimates.mean_parts` for the formulas.

    Parameters
    ----------
    differences : array of shape (items, pairs)
        NaN where a pair was not observed.
    weights : array of shape (items,), optional
        What each item stands for, where items were drawn with unequal probabilities: parts, shares
        and errors are then of weighted sums. Without strata.
    """
    codes = np.arange(len(differences))
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
    if weights is not None:
        return _weighted_means(differences, codes, weights)
    return _plain_means(differences, strata, codes)


def _plain_means(
    differences: FloatArray, strata: IntArray | None, codes: IntArray
) -> PairMeans:
    """Return the same where all items weigh alike."""
    levels = [np.arange(len(differences))]
    if strata is not None:
        levels = [np.flatnonzero(strata == level) for level in np.unique(strata)]
    present = np.sum([np.isfinite(differences[rows]).any(axis=0) for rows in levels], axis=0)
    of_all = 1.0 / np.maximum(present, 1)  # what a stratum counts for
    shape = int(codes.max()) + 1, differences.shape[1]
    parts, shares, influence = (np.zeros(shape) for _ in range(3))
    value, sizes, weighed = (np.zeros(shape[1]) for _ in range(3))
    for rows in levels:
        d = differences[rows]
        known = np.isfinite(d)
        n = known.sum(axis=0)
        mean = np.array([exact_mean(d[known[:, k], k]) for k in range(shape[1])])
        mean = np.where(n > 0, mean, 0.0)
        weight = of_all / np.maximum(n, 1)
        counts = _by_cluster(known.astype(np.float64), codes[rows], shape[0])
        sums = _by_cluster(np.where(known, d, 0.0), codes[rows], shape[0])
        apart = _by_cluster(np.where(known, d - mean, 0.0), codes[rows], shape[0])
        share = counts / np.maximum(n, 1)
        _, df = robust_variance(share, np.where(n > 0, share, 1.0 / shape[0]))
        value += of_all * mean
        parts += weight * sums
        shares += weight * counts
        with np.errstate(divide="ignore", invalid="ignore"):  # one cluster: df is NaN too
            influence += np.where(counts > 0.0, weight * apart / np.sqrt(1.0 - share), 0.0)
        size = np.where(n > 0, of_all**2 / np.maximum(n, 1), 0.0)
        sizes += size
        with np.errstate(divide="ignore"):
            weighed += np.where(n > 0, size**2 / df, 0.0)
    error = np.sqrt(np.square(influence).sum(axis=0))
    flat = error <= _SAME * np.abs(value)
    error, parts = np.where(flat, 0.0, error), np.where(flat, shares * value, parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = sizes**2 / weighed
    whole = np.rint(df)
    df = np.where(np.abs(df - whole) < _SAME * whole, whole, df)
    estimates = [
        Estimate(v, e, f) if f > 0.0 else Estimate(v if p else math.nan, math.nan, math.nan)
        for v, e, f, p in zip(
            value.tolist(), error.tolist(), df.tolist(), present.tolist(), strict=True
        )
    ]
    return PairMeans(estimates=estimates, parts=parts, shares=shares)


def _weighted_means(differences: FloatArray, codes: IntArray, weights: FloatArray) -> PairMeans:
    """Return the same with weights: Hájek's means, with CR2 errors."""
    known = np.isfinite(differences)
    each = np.where(known, weights[:, np.newaxis], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = each / each.sum(axis=0)
    d = np.where(known, differences, 0.0)
    value = (each * d).sum(axis=0)
    shape = int(codes.max()) + 1
    parts, shares, apart = (
        _by_cluster(one, codes, shape)
        for one in (each * d, each, each * np.where(known, d - value, 0.0))
    )
    variance, df = robust_variance(apart, shares)
    error = np.sqrt(variance)
    flat = error <= _SAME * np.abs(value)
    error, parts = np.where(flat, 0.0, error), np.where(flat, shares * value, parts)
    estimates = [
        Estimate(v, e, f) if f > 0.0 else Estimate(v, math.nan, math.nan)
        for v, e, f in zip(value.tolist(), error.tolist(), df.tolist(), strict=True)
    ]
    return PairMeans(estimates=estimates, parts=parts, shares=shares)


def _by_cluster(values: FloatArray, codes: IntArray, size: int) -> FloatArray:
    """Return the sums of rows of the same cluster."""
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    found = np.zeros((size, values.shape[1]))
    found[present] = np.add.reduceat(values[order], starts, axis=0)
    return found


# --- A ranking from a mixed model: raters and items as samples of more raters and items ---


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedAnswer:
    """Means and differences of a mixed model."""

    means: dict[str, Estimate]
    differences: dict[tuple[str, str], tuple[Estimate, float]]  # first − second, and p
    notes: tuple[str, ...]

    def difference(self, first: str, second: str) -> tuple[Estimate, float]:
        """Return the estimate of first − second, and its p-value."""
        if (first, second) in self.differences:
            return self.differences[first, second]
        found, p = self.differences[second, first]
        return Estimate(-found.value, found.standard_error, found.df), p


def fit_ranking(judgments: Judgments, settings: RankSettings) -> MixedAnswer:
    """Fit all ordinary judgments, repeats averaged; documents take part where they are known."""
    from detectable.mixed.fit import fit_mixed

    fit = fit_mixed(judgments, unit=settings.unit, alpha=settings.alpha)
    return MixedAnswer(
        means={
            row.system: Estimate(row.mean, row.standard_error, row.df) for row in fit.systems
        },
        differences={
            (row.system, str(row.baseline)): (
                Estimate(row.estimate, row.standard_error, row.df),
                row.p_value,
            )
            for row in fit.contrasts
        },
        notes=fit.notes,
    )


def p_values(answer: MixedAnswer, pairs: list[tuple[str, str]]) -> FloatArray:
    """Return the p-value of every pair."""
    return np.array([answer.difference(*pair)[1] for pair in pairs])
