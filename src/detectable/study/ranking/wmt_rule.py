"""What WMT's rule would have said about the same data."""

import itertools

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.study.ranking.clusters import Beats, cluster
from detectable.study.ranking.estimates import mean_parts
from detectable.study.ranking.pair_tests import rank_sum_tests
from detectable.study.ranking.ranking import DifferentVerdict, RankedPair, WmtView
from detectable.study.ranking.segment_scores import SegmentScores

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
    tests = rank_sum_tests(table, pairs, None)
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
