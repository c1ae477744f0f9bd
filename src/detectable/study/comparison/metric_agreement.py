"""Do the metrics tell the same story, and which systems can be told apart."""

import itertools

import numpy as np

from detectable.inference.grouping import rank_groups
from detectable.inference.sample import Sample
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.pair import PairComparison
from detectable.study.comparison.result import Agreement

_OPPOSITE = {("better", "worse"), ("worse", "better")}


def agreement(measured: Measured, pairs: tuple[PairComparison, ...]) -> tuple[Agreement, ...]:
    """Compare the order of systems under each two metrics that have a direction."""
    judging = [s for s in measured.units if s.metric.higher_is_better is not None]
    found = []
    for first, second in itertools.combinations(judging, 2):
        names = (first.metric.name, second.metric.name)
        scores = [_oriented(sample) for sample in (first, second)]
        couples = list(itertools.combinations(range(len(measured.systems)), 2))
        same = sum(
            bool(np.sign(scores[0][i] - scores[0][j]) == np.sign(scores[1][i] - scores[1][j]))
            for i, j in couples
        )
        found.append(
            Agreement(
                metrics=names,
                same_order=same,
                pairs=len(couples),
                conflicts=_conflicts(names, pairs),
            )
        )
    return tuple(found)


def _oriented(sample: Sample) -> list[float]:
    """Return the score of each system, with the sign turned so that higher is better."""
    sign = 1.0 if sample.metric.higher_is_better else -1.0
    return [sign * sample.score(i) for i in range(len(sample.systems))]


def _conflicts(names: tuple[str, str], pairs: tuple[PairComparison, ...]) -> tuple[str, ...]:
    verdicts = {(p.metric, p.system, p.baseline): p.verdict for p in pairs}
    return tuple(
        f"{system} against {baseline}"
        for metric, system, baseline in verdicts
        if metric == names[0]
        and (verdicts[metric, system, baseline], verdicts[names[1], system, baseline])
        in _OPPOSITE
    )


def groups_by_metric(
    measured: Measured, pairs: tuple[PairComparison, ...]
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return rank groups per metric that has a direction; every pair must have been tested."""
    names = measured.systems
    position = {name: i for i, name in enumerate(names)}
    groups = {}
    for sample in measured.units:
        if sample.metric.higher_is_better is None:
            continue
        beats = np.zeros((len(names), len(names)), dtype=bool)
        for pair in pairs:
            if pair.metric == sample.metric.name and pair.verdict in ("better", "worse"):
                winner, loser = (
                    (pair.system, pair.baseline)
                    if pair.verdict == "better"
                    else (pair.baseline, pair.system)
                )
                beats[position[winner], position[loser]] = True
        scores = _oriented(sample)
        order = sorted(range(len(names)), key=lambda i: -scores[i])
        groups[sample.metric.name] = tuple(
            tuple(names[i] for i in group) for group in rank_groups(order, beats)
        )
    return groups
