"""Many systems on many tasks: which ranks they may have, and who may be best in each task."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.contrast import Family
from detectable.inference.rank_sets import rank_ranges
from detectable.study.comparison.parts import (
    Standing,
    Standings,
    TaskLeaders,
    TaskRow,
    TaskRows,
)
from detectable.study.comparison.result import PairComparison
from detectable.study.comparison.settings import Question

_FEWEST_RANKED = 3  # systems: of two their pair says it


def standings(
    question: Question, rows: Sequence[PairComparison], tasks: TaskRows
) -> Standings | None:
    r"""Return the ranks that systems may have in the mean over tasks, and the leaders of every task.

    Ranks are :math:`[1 + \#\{j : j > i\}, K - \#\{j : i > j\}]` over the pairs that are significant
    after the correction for all pairs, so that all true ranks are in their sets at once [1]_. A
    system may be best in a task unless it is significantly worse than another there; p-values of
    all pairs and tasks of a metric are corrected together, after Holm.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91(1), 476–518.
    """
    names = question.measured.systems
    paired = len(question.pairs) == len(names) * (len(names) - 1) // 2
    ranked = paired and question.settings.claim == "better"
    if not ranked or len(names) < _FEWEST_RANKED:
        return None
    order: list[Standing] = []
    leaders: list[TaskLeaders] = []
    for sample in question.measured.units:
        metric = sample.metric
        if metric.higher_is_better is None:
            continue
        sign = 1.0 if metric.higher_is_better else -1.0
        low, high = rank_ranges(
            _above(names, [row for row in rows if row.metric == metric.name])
        )
        scores = question.measured.tasks
        means = [
            float(sample.score(s)) if scores is None else scores.score(sample, s).value
            for s in range(len(names))
        ]
        order += [
            Standing(
                metric=metric.name,
                system=names[i],
                score=means[i],
                rank_low=int(low[i]),
                rank_high=int(high[i]),
            )
            for i in sorted(range(len(names)), key=lambda i: -sign * means[i])
        ]
        own = [row for row in tasks.rows if row.metric == metric.name]
        leaders += _leaders(names, own, sign, question.settings.alpha)
    return Standings(systems=tuple(order), tasks=tuple(leaders))


def _above(names: Sequence[str], rows: Sequence[PairComparison]) -> NDArray[np.bool_]:
    """Return who is significantly above whom."""
    place = {name: i for i, name in enumerate(names)}
    above = np.zeros((len(names), len(names)), dtype=bool)
    for row in rows:
        if row.verdict in ("better", "worse"):
            ends = place[row.system], place[row.baseline]
            above[ends if row.verdict == "better" else ends[::-1]] = True
    return above


def _leaders(
    names: Sequence[str], rows: Sequence[TaskRow], sign: float, alpha: float
) -> list[TaskLeaders]:
    """Return who may be best in every task, with one correction over all its pairs and tasks."""
    p = Family(alpha=alpha).adjusted(np.array([row.p_value for row in rows]))
    beaten: dict[str, set[str]] = {}
    by_task: dict[str, dict[str, float]] = {}
    sizes: dict[str, int] = {}
    for row, adjusted in zip(rows, p.tolist(), strict=True):
        found = by_task.setdefault(row.task, {})
        found |= {row.system: row.score, row.baseline: row.baseline_score}
        sizes[row.task] = row.n_segments
        if adjusted <= alpha:
            worse = row.baseline if sign * row.difference > 0.0 else row.system
            beaten.setdefault(row.task, set()).add(worse)
    made = []
    for task, scores in by_task.items():
        order = sorted(names, key=lambda name: -sign * scores[name])
        metric = rows[0].metric
        made.append(
            TaskLeaders(
                metric=metric,
                task=task,
                n_segments=sizes[task],
                best=order[0],
                score=scores[order[0]],
                leaders=tuple(one for one in order if one not in beaten.get(task, ())),
            )
        )
    return made
