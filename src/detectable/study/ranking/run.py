"""Test every pair of a ranking, correct, and turn numbers into verdicts."""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict, decide
from detectable.core.wording import count
from detectable.inference.delta import Estimate
from detectable.inference.multiplicity import holm
from detectable.study.ranking.clusters import Beats
from detectable.study.ranking.estimates import system_estimate, unpaired_estimate
from detectable.study.ranking.mixed_pairs import fit_ranking, p_values
from detectable.study.ranking.pair_tests import (
    PairTests,
    permutation_tests,
    rank_sum_tests,
    resamples_needed,
    signed_rank_tests,
    stouffer_tests,
)
from detectable.study.ranking.paired_cells import Pairs
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.ranking import RankedPair
from detectable.study.ranking.settings import PAIRED, RankSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything that was computed about systems and pairs."""

    means: list[Estimate]  # by position of the system
    order: list[int]
    pairs: Pairs
    estimates: list[Estimate]
    tests: PairTests
    n_resamples: int | None
    notes: tuple[str, ...] = ()


def run(prepared: Prepared, settings: RankSettings, engine: Engine) -> Outcome:
    """Estimate and test every pair."""
    if prepared.test == "mixed":
        engine.progress("fitting the mixed model", 0, None)
        return _mixed(prepared, settings)
    n_resamples = None
    if prepared.test == "permutation":
        n_units = len(prepared.tested)
        if prepared.clusters is not None:
            n_units = np.unique(prepared.clusters).size
        n_resamples = resamples_needed(len(prepared.pairs), n_units, settings)
    notes: tuple[str, ...] = ()
    if n_resamples is not None and n_resamples > settings.n_resamples:
        notes = (
            f"{n_resamples:,} sign patterns instead of {settings.n_resamples:,}, as p-values are "
            f"corrected for {count(len(prepared.pairs), 'pair')}.",
        )
    return Outcome(
        means=prepared.means,
        order=prepared.order,
        pairs=prepared.pairs,
        estimates=_estimates(prepared),
        tests=_tests(prepared, settings, engine, n_resamples),
        n_resamples=n_resamples,
        notes=notes,
    )


def _tests(
    prepared: Prepared, settings: RankSettings, engine: Engine, n_resamples: int | None
) -> PairTests:
    clusters = prepared.clusters
    if prepared.test in ("rank-sum", "rank-sum-matched"):
        matched = prepared.test == "rank-sum-matched"
        return rank_sum_tests(prepared.tested, prepared.pairs, clusters, matched=matched)
    if prepared.differences is None:
        raise InputError(f"`test={prepared.test!r}` needs matched differences.")
    if prepared.test == "permutation":
        return permutation_tests(
            prepared.differences,
            clusters,
            prepared.strata,
            n_resamples=n_resamples or settings.n_resamples,
            engine=engine,
        )
    if prepared.test == "signed-rank" or prepared.strata is None:
        return signed_rank_tests(prepared.differences, clusters, settings)
    signed = prepared.test == "stouffer"
    return stouffer_tests(
        prepared.differences, clusters, prepared.strata, settings, signed=signed
    )


def _estimates(prepared: Prepared) -> list[Estimate]:
    differences, strata = prepared.differences, prepared.strata
    if differences is not None and prepared.test in PAIRED:
        clusters = prepared.clusters if prepared.origin is None else prepared.origin
        return [system_estimate(column, strata, clusters) for column in differences.T]
    found = []
    for a, b in prepared.pairs:
        first, second = prepared.tested[:, a], prepared.tested[:, b]
        if prepared.test == "rank-sum-matched":
            found.append(system_estimate(first - second, strata, prepared.clusters))
        else:
            found.append(unpaired_estimate(first, second, strata, prepared.clusters))
    return found


def _mixed(prepared: Prepared, settings: RankSettings) -> Outcome:
    if prepared.judgments is None or prepared.judgments.rater is None:
        raise InputError(
            "`test='mixed'` needs to know who judged. Give the judgments with their raters."
        )
    answer = fit_ranking(prepared.judgments, settings)
    names = prepared.scores.systems
    means = [answer.means[name] for name in names]
    order = np.argsort([-mean.value for mean in means], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    named = [(names[a], names[b]) for a, b in pairs]
    estimates = [answer.difference(*pair)[0] for pair in named]
    shares = rank_sum_tests(prepared.tested, pairs, None)
    unknown = np.full(len(pairs), np.nan)
    tests = replace(
        shares,
        p_two_sided=p_values(answer, named),
        p_greater=unknown,
        p_less=unknown,
        favours=np.sign([cell.value for cell in estimates]).astype(np.int64),
    )
    return Outcome(
        means=means,
        order=order,
        pairs=pairs,
        estimates=estimates,
        tests=tests,
        n_resamples=None,
        notes=answer.notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """P-values as they are reported, and the verdicts they give."""

    p_value: FloatArray
    p_adjusted: FloatArray
    p_equivalence: FloatArray
    verdicts: list[Verdict]
    level: float  # two-sided, that a single pair must pass first


def decide_pairs(outcome: Outcome, settings: RankSettings) -> Decided:
    """Correct for the number of pairs and return what may be claimed of each."""
    tests = outcome.tests
    p = tests.p_greater if settings.one_sided else tests.p_two_sided
    factor = 2.0 if settings.preset == "wmt25" else 1.0  # WMT25 halves the level instead
    adjusted = holm(p) if settings.correction != "none" else np.minimum(1.0, factor * p)
    equivalence = np.full(p.size, np.nan)
    if settings.margin is not None:
        raw = np.array([cell.equivalence_p(settings.margin) for cell in outcome.estimates])
        equivalence = holm(raw) if settings.correction != "none" else raw
    verdicts = [
        decide(
            float(tests.favours[k]),
            p=float(adjusted[k]),
            p_against=float(factor * tests.p_less[k]) if settings.one_sided else None,
            p_equivalence=float(equivalence[k]),
            alpha=settings.alpha,
        )
        for k in range(p.size)
    ]
    level = settings.alpha / (p.size if settings.correction != "none" else 1)
    if settings.one_sided:
        level = min(0.5, 2.0 * level / factor)
    return Decided(
        p_value=p,
        p_adjusted=adjusted,
        p_equivalence=equivalence,
        verdicts=verdicts,
        level=level,
    )


def beats_matrix(outcome: Outcome, verdicts: list[Verdict]) -> Beats:
    """Return who beats whom, in the order of the ranking."""
    n = len(outcome.order)
    beats = np.zeros((n, n), dtype=bool)
    upper = np.triu_indices(n, 1)
    beats[upper] = [verdict == "better" for verdict in verdicts]
    beats.T[upper] = [verdict == "worse" for verdict in verdicts]
    return beats


def pair_rows(
    prepared: Prepared, outcome: Outcome, decided: Decided, settings: RankSettings
) -> tuple[RankedPair, ...]:
    """Return one row per pair, in the order of the ranking."""
    names = prepared.scores.systems
    n_clusters = _n_clusters(prepared, outcome.pairs)
    rows = []
    for k, (a, b) in enumerate(outcome.pairs):
        cell = outcome.estimates[k]
        rows.append(
            RankedPair(
                better=names[a],
                worse=names[b],
                difference=cell.value,
                interval=cell.interval(settings.level_of_intervals),
                standard_error=cell.standard_error,
                probability=float(outcome.tests.probability[k]),
                p_value=float(decided.p_value[k]),
                p_adjusted=float(decided.p_adjusted[k]),
                p_equivalence=float(decided.p_equivalence[k]),
                mde=cell.detectable(alpha=decided.level, power=settings.power),
                verdict=decided.verdicts[k],
                n=int(outcome.tests.n[k]),
                n_clusters=n_clusters[k],
            )
        )
    return tuple(rows)


def _n_clusters(prepared: Prepared, pairs: Pairs) -> list[int | None]:
    clusters: IntArray | None = prepared.clusters
    if clusters is None:
        return [None] * len(pairs)
    if prepared.differences is not None:
        seen = np.isfinite(prepared.differences)
    else:
        known = np.isfinite(prepared.tested)
        seen = np.stack([known[:, a] | known[:, b] for a, b in pairs], axis=1)
    return [int(np.unique(clusters[column]).size) for column in seen.T]
