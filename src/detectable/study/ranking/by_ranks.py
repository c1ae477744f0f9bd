"""Tests of ranks: p-values from ranks, and intervals of the mean difference that agree with them."""

import functools
from dataclasses import replace

import numpy as np

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.rank_tests import rank_sum, signed_rank
from detectable.inference.stouffer import stouffer
from detectable.study.pairs.analysis import (
    Analysis,
    agreeing,
    families,
    family_sizes,
    stepwise,
)
from detectable.study.ranking.pair_tests import (
    PairTests,
    rank_sum_tests,
    signed_rank_tests,
    stouffer_tests,
)
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.settings import RankSettings

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

    def corrected(p: int, m: int, a: float) -> Interval:
        found = by_error.interval_alone(p, m, a / float(tested[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    # Where ranks and means point to different systems no interval of means can agree.
    turned = disagree(tests, by_error)[:, None]
    smallest = rank_tests(_ideal(prepared), settings).p_two_sided[:, None]
    return replace(
        by_error,
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(
            by_error.estimates, np.where(turned, 1.0, adjusted), settings.alpha, corrected
        ),
        attainable=stepwise(smallest, groups, correction),
    )


def disagree(tests: PairTests, found: Analysis) -> FloatArray:
    """Return where the statistic and the mean difference speak for different systems."""
    values = np.array([row[0].value for row in found.estimates])
    return np.asarray(tests.favours != np.sign(values))


def _ideal(prepared: Prepared) -> Prepared:
    """Return data of the same design that no test of ranks could reject more surely.

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
