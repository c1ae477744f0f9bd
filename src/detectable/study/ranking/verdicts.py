"""What may be claimed of every pair of a ranking, and who beats whom."""

import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.types import IntArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.agreeing_interval import agreeing_interval
from detectable.inference.delta import Estimate
from detectable.inference.few_units import smallest_p, units_to_reject
from detectable.study.pairs.analysis import families, stepwise
from detectable.study.pairs.pair_claim import Claimed, PairClaim
from detectable.study.ranking.by_ranks import disagree, units_to_reject_by_ranks
from detectable.study.ranking.clusters import Beats
from detectable.study.ranking.paired_cells import Pairs
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.ranking import RankedPair
from detectable.study.ranking.run import Outcome
from detectable.study.ranking.settings import NEEDS_DOMAINS, RankSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The claim of every pair, and the verdict of the first system against the second."""

    claims: list[Claimed]
    verdicts: list[Verdict]


def decide_pairs(outcome: Outcome, settings: RankSettings) -> Decided:
    """Return what may be claimed of each pair, corrected for their number."""
    claims = _claims(outcome, settings)
    if settings.preset is not None or settings.one_sided:
        claims = [_of_preset(outcome, settings, k, claim) for k, claim in enumerate(claims)]
    verdicts = [_verdict(outcome, settings, k, claim) for k, claim in enumerate(claims)]
    return Decided(claims=claims, verdicts=verdicts)


def _claims(outcome: Outcome, settings: RankSettings) -> list[Claimed]:
    found, n = outcome.analysis, len(outcome.pairs)
    groups = families((n, 1), "systems")
    stepped = "none" if outcome.correction == "none" else "holm"
    equivalent = np.maximum(found.margins.above, found.margins.below)
    # The first system has the higher score: the second is not worse by more than the margin if
    # the difference is below it.
    inferior = found.margins.below
    adjusted = {
        "equivalent": stepwise(equivalent, groups, stepped)[:, 0],
        "non-inferior": stepwise(inferior, groups, stepped)[:, 0],
    }
    turned = disagree(outcome.tests, found)
    claims = []
    for k in range(n):
        pair = PairClaim(
            found=found,
            at=(k, 0),
            tests=1.0 if outcome.correction == "none" else float(n),
            margin=np.nan if settings.margin is None else settings.margin,
            alpha=settings.alpha,
            power=settings.power,
        )
        p_equivalence = float(adjusted["equivalent"][k])
        if settings.claim == "better":
            claim = pair.difference(p_equivalence, higher_is_better=True)
            claims.append(_unbracketed(claim) if turned[k] else claim)
        elif settings.claim == "equivalent":
            claims.append(pair.within(float(equivalent[k, 0]), p_equivalence))
        else:
            raw, corrected = float(inferior[k, 0]), float(adjusted["non-inferior"][k])
            claims.append(pair.not_worse(raw, corrected, higher_is_better=False))
    return claims


def _unbracketed(claim: Claimed) -> Claimed:
    """Return the claim with 0 in its intervals: ranks and mean speak for different systems."""
    alone = agreeing_interval(claim.interval_alone, 0.0, rejected=False)
    return replace(claim, interval_alone=alone)


def _of_preset(outcome: Outcome, settings: RankSettings, k: int, claim: Claimed) -> Claimed:
    """Return p-values as WMT reports them; its intervals are those of the pair alone."""
    tests = outcome.tests
    p = tests.p_greater if settings.one_sided else tests.p_two_sided
    adjusted = min(1.0, _factor(settings) * float(p[k]))
    level = settings.alpha
    if settings.one_sided:
        level = min(0.5, 2.0 * level / _factor(settings))
    cell: Estimate = outcome.analysis.estimates[k][0]
    smallest = float(outcome.analysis.attainable[k, 0])
    if settings.one_sided:
        smallest *= 0.5 * _factor(settings)
    return Claimed(
        claim="better",
        p_value=float(p[k]),
        p_adjusted=adjusted,
        p_equivalence=claim.p_equivalence,
        interval=cell.interval(settings.level_of_intervals),
        interval_alone=cell.interval(settings.level_of_intervals),
        attainable=smallest,
        mde=cell.detectable(alpha=level, power=settings.power)
        if smallest <= settings.alpha
        else math.nan,
        verdict=claim.verdict,
    )


def _factor(settings: RankSettings) -> float:
    return 2.0 if settings.preset == "wmt25" else 1.0  # WMT25 halves the level instead


def _verdict(outcome: Outcome, settings: RankSettings, k: int, claim: Claimed) -> Verdict:
    if settings.claim != "better":
        return claim.verdict
    tests = outcome.tests
    return decide(
        float(tests.favours[k]),
        p=claim.p_adjusted,
        p_against=_factor(settings) * float(tests.p_less[k]) if settings.one_sided else None,
        p_equivalence=claim.p_equivalence,
        alpha=settings.alpha,
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
        cell, claim = outcome.analysis.estimates[k][0], decided.claims[k]
        rows.append(
            RankedPair(
                better=names[a],
                worse=names[b],
                claim=claim.claim,
                difference=cell.value,
                interval=claim.interval,
                interval_level=claim.interval.level,
                interval_alone=claim.interval_alone,
                standard_error=cell.standard_error,
                df=cell.df,
                probability=float(outcome.tests.probability[k]),
                p_value=claim.p_value,
                p_adjusted=claim.p_adjusted,
                p_equivalence=claim.p_equivalence,
                attainable_p=claim.attainable,
                mde=claim.mde,
                units_needed=_units_needed(prepared, outcome, k, claim.attainable, settings),
                verdict=decided.verdicts[k],
                n=int(outcome.tests.n[k]),
                n_clusters=n_clusters[k],
            )
        )
    return tuple(rows)


def _units_needed(
    prepared: Prepared, outcome: Outcome, k: int, attainable: float, settings: RankSettings
) -> int | None:
    """Return the units at which the test could reject, where it cannot for want of them."""
    if not attainable > settings.alpha or settings.preset is not None:
        return None
    tests = 1.0 if outcome.correction == "none" else float(len(outcome.pairs))
    if prepared.test != "permutation":
        strata = prepared.strata if prepared.test in NEEDS_DOMAINS else None
        return units_to_reject_by_ranks(
            prepared.test,
            settings.alpha / tests,
            n_domains=1 if strata is None else np.unique(strata).size,
        )
    level = settings.alpha / (tests if outcome.correction == "holm" else 1.0)
    if settings.claim != "better":
        level *= 2.0  # one side of the margin: half as many patterns are as extreme
    if smallest_p(_n_units(prepared, k)) <= level:  # more sign patterns would do
        return None
    return units_to_reject(level)


def _n_units(prepared: Prepared, k: int) -> int:
    """Return the documents (or items) behind a pair that is tested on matched differences."""
    if prepared.differences is None:
        raise ValueError("no differences to count")
    known = np.isfinite(prepared.differences[:, k])
    clusters = prepared.clusters
    return int(known.sum() if clusters is None else np.unique(clusters[known]).size)


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
