"""The questions that lost most: where to look first."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from detectable.study.gate.matching import MatchedTask

MOST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLoss:
    """A question whose score fell."""

    task: str
    metric: str
    item: str
    old: float
    new: float


def largest_losses(rows: Iterable[tuple[str, float, MatchedTask]]) -> tuple[QuestionLoss, ...]:
    """Return the questions that lost most, from (metric, sign, task); at most ten.

    Equal losses stay in the order of the data. Losses of different metrics are compared as shares
    of the largest of their own metric.
    """
    given = [
        (metric, task, sign * (task.old.means - task.new.means)) for metric, sign, task in rows
    ]
    largest: dict[str, float] = {}
    for metric, _, lost in given:
        largest[metric] = max(largest.get(metric, 0.0), float(np.abs(lost).max()))
    found = [
        (
            float(lost[place]) / largest[metric],
            QuestionLoss(
                task=task.task,
                metric=metric,
                item=task.new.items[place],
                old=float(task.old.means[place]),
                new=float(task.new.means[place]),
            ),
        )
        for metric, task, lost in given
        for place in np.argsort(-lost, kind="stable")[:MOST].tolist()
        if lost[place] > 0.0
    ]
    found.sort(key=lambda pair: -pair[0])
    return tuple(loss for _, loss in found[:MOST])
