"""What may be claimed of every pair, the clusters that follow, and what WMT's rule would say."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.analysis import families
from detectable.contrasts.claim import claims_of
from detectable.contrasts.contrast import Contrast
from detectable.core import check
from detectable.core.choices import ClusterRule
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.few_units import smallest_p, units_to_reject
from detectable.inference.multiplicity import rank_groups
from detectable.inference.standard_errors import Estimate, agreeing_interval
from detectable.study.ranking import pair_tests
from detectable.study.ranking.item_scores import SegmentScores, mean_parts
from detectable.study.ranking.prepare import Pairs, Prepared
from detectable.study.ranking.ranking import DifferentVerdict, RankedPair, WmtView
from detectable.study.ranking.run import Outcome
from detectable.study.ranking.settings import NEEDS_DOMAINS, RankSettings

Beats: TypeAlias = NDArray[np.bool_]
Verdicts: TypeAlias = Sequence[Verdict | None]


def cluster(beats: Beats, rule: ClusterRule = "all-pairs") -> list[list[int]]:
    r"""Split systems, ordered from best to worst, into clusters.

    With n systems and :math:`w_i` significant wins of the i-th over any other system, a line is
    drawn below rank i if

    ``all-pairs``
        every system above beats every system below;
    ``wmt-last``
        :math:`w_i = n - i`. This is what WMT published until 2022: it looks at the last system
        above the line only, so a line may separate systems that do not differ significantly (WMT21
        German–English: ranks 4 and 5 of 20);
    ``min-wins``
        :math:`\min_{j \le i} w_j = n - i`, as in Appraise;
    ``rank-ranges``
        no rank range reaches over the line, with ranges walked from neighbour to neighbour
        until the first significant difference (WMT25).

    Parameters
    ----------
    beats : array of shape (systems, systems)
        ``beats[i, j]``: the i-th system is significantly better than the j-th; systems in the
        order of their scores, best first.

    Examples
    --------
    >>> beats = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> cluster(beats), cluster(beats, "wmt-last")
    ([[0, 1, 2, 3]], [[0, 1], [2, 3]])
    """
    check.literal(rule, ClusterRule, "rule")
    n = len(beats)
    if rule == "all-pairs":
        return rank_groups(list(range(n)), beats)
    wins = beats.sum(axis=1)
    if rule == "wmt-last":
        ends = [i for i in range(1, n) if wins[i - 1] == n - i]
    elif rule == "min-wins":
        ends = [i for i in range(1, n) if wins[:i].min() == n - i]
    else:
        low, high = walked_ranges(beats)
        ends = [i for i in range(1, n) if max(high[:i]) <= i and min(low[i:]) > i]
    bounds = [0, *ends, n]
    return [list(range(a, b)) for a, b in itertools.pairwise(bounds)]


def rank_ranges(beats: Beats, rule: ClusterRule = "all-pairs") -> tuple[list[int], list[int]]:
    """Return the best and the worst rank that each system may have: losses + 1, n − wins."""
    if rule == "rank-ranges":
        return walked_ranges(beats)
    n = len(beats)
    low = (beats.sum(axis=0) + 1).tolist()
    high = (n - beats.sum(axis=1)).tolist()
    return low, high


def walked_ranges(beats: Beats) -> tuple[list[int], list[int]]:
    """Return rank ranges that end at the first significant difference, as WMT25 has them."""
    n = len(beats)
    low, high = [], []
    for i in range(n):
        above = next((j for j in range(i - 1, -1, -1) if beats[j, i]), -1)
        below = next((j for j in range(i + 1, n) if beats[i, j]), n)
        low.append(above + 2)
        high.append(below)
    return low, high


# --- What may be claimed of every pair of a ranking, and who beats whom ---


def decide_pairs(outcome: Outcome, settings: RankSettings) -> list[Contrast]:
    """Return what may be claimed of each pair, corrected for their number."""
    found = outcome.analysis
    margin = np.nan if settings.margin is None else settings.margin
    said = claims_of(
        found,
        families((len(outcome.pairs), 1), "systems"),
        "none" if outcome.correction == "none" else "holm",
        claim=settings.claim,
        margins=np.array([margin]),
        # The first system has the higher score: the second is not worse by more than the margin
        # if the difference is below it.
        better=[settings.claim != "non-inferior"],
        alpha=settings.alpha,
        power=settings.power,
    )
    claims = [claim for [claim] in said]
    if settings.claim != "better":
        return claims
    turned = pair_tests.disagree(outcome.tests, found)
    claims = [_unbracketed(one) if turned[k] else one for k, one in enumerate(claims)]
    if settings.preset is not None or settings.one_sided:
        claims = [_of_preset(outcome, settings, k, claim) for k, claim in enumerate(claims)]
    return [
        replace(claim, verdict=_verdict(outcome, settings, k, claim))
        for k, claim in enumerate(claims)
    ]


def _unbracketed(claim: Contrast) -> Contrast:
    """Return the claim with 0 in its intervals: ranks and mean speak for different systems."""
    alone = agreeing_interval(claim.interval_alone, 0.0, rejected=False)
    return replace(claim, interval_alone=alone)


def _of_preset(outcome: Outcome, settings: RankSettings, k: int, claim: Contrast) -> Contrast:
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
    interval = cell.interval(settings.level_of_intervals)
    return replace(
        claim,
        claim="better",
        p_value=float(p[k]),
        p_adjusted=adjusted,
        interval=interval,
        interval_alone=interval,
        attainable_p=smallest,
        mde=cell.detectable(alpha=level, power=settings.power)
        if smallest <= settings.alpha
        else math.nan,
        p_beyond=math.nan,
    )


def _factor(settings: RankSettings) -> float:
    return 2.0 if settings.preset == "wmt25" else 1.0  # WMT25 halves the level instead


def _verdict(outcome: Outcome, settings: RankSettings, k: int, claim: Contrast) -> Verdict:
    tests = outcome.tests
    return decide(
        float(tests.favours[k]),
        p=claim.p_adjusted,
        p_against=_factor(settings) * float(tests.p_less[k]) if settings.one_sided else None,
        p_equivalence=claim.p_equivalence,
        alpha=settings.alpha,
    )


def beats_matrix(outcome: Outcome, verdicts: Verdicts) -> Beats:
    """Return who beats whom, in the order of the ranking."""
    n = len(outcome.order)
    beats = np.zeros((n, n), dtype=bool)
    upper = np.triu_indices(n, 1)
    beats[upper] = [verdict == "better" for verdict in verdicts]
    beats.T[upper] = [verdict == "worse" for verdict in verdicts]
    return beats


def pair_rows(
    prepared: Prepared, outcome: Outcome, claims: list[Contrast], settings: RankSettings
) -> tuple[RankedPair, ...]:
    """Return one row per pair, in the order of the ranking."""
    names = prepared.scores.systems
    n_clusters = _n_clusters(prepared, outcome.pairs)
    rows = []
    for k, ((a, b), claim) in enumerate(zip(outcome.pairs, claims, strict=True)):
        rows.append(
            RankedPair.of(
                claim,
                system=names[a],
                baseline=names[b],
                probability=float(outcome.tests.probability[k]),
                units_needed=_units_needed(prepared, outcome, k, claim.attainable_p, settings),
                n=int(outcome.tests.n[k]),
                n_clusters=n_clusters[k],
                n_differing=None if outcome.n_differing is None else outcome.n_differing[k],
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
        return pair_tests.units_to_reject_by_ranks(
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


# --- What WMT's rule would have said about the same data ---

LEVEL = 0.05


def wmt_view(scores: SegmentScores, rows: tuple[RankedPair, ...]) -> WmtView:
    """Rank by the rule of WMT21: mean z, rank-sum one-sided at .05, last system of a cluster.

    Where raters are not known, raw scores take the place of z, as WMT had them in 2023; and so
    they do where no rater of some system has any spread, and with it a z.
    """
    without = scores.z is None or np.isnan(scores.z).all(axis=0).any()
    table = scores.raw if scores.z is None or without else scores.z
    means = [mean_parts(column).value for column in table.T]
    order = np.argsort(-np.array(means), kind="stable").tolist()
    beats = wmt_beats(table, order)
    names = [scores.systems[s] for s in order]
    groups = cluster(beats, "wmt-last")
    position = {name: i for i, name in enumerate(names)}
    return WmtView(
        clusters=tuple(tuple(names[i] for i in group) for group in groups),
        n_significant=int((beats | beats.T).sum()) // 2,
        n_pairs=len(rows),
        different=tuple(_different(rows, beats, position)),
    )


def wmt_beats(table: FloatArray, order: list[int]) -> Beats:
    """Return who beats whom, systems in the given order."""
    pairs = list(itertools.combinations(order, 2))
    tests = pair_tests.rank_sum_tests(table, pairs, None)
    beats = np.zeros((len(order), len(order)), dtype=bool)
    upper = np.triu_indices(len(order), 1)
    beats[upper] = tests.p_greater < LEVEL
    beats.T[upper] = tests.p_less < LEVEL
    return beats


def _different(
    rows: tuple[RankedPair, ...], beats: Beats, position: dict[str, int]
) -> list[DifferentVerdict]:
    found = []
    for row in rows:
        a, b = position[row.better], position[row.worse]
        theirs: Verdict = "undecided"
        if beats[a, b]:
            theirs = "better"
        elif beats[b, a]:
            theirs = "worse"
        ours: Verdict = "undecided" if row.verdict == "equivalent" else row.verdict
        if ours != theirs:
            found.append(
                DifferentVerdict(
                    better=row.better, worse=row.worse, verdict=row.verdict, wmt=theirs
                )
            )
    return found
