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
    found: list[tuple[float, QuestionLoss]] = []
    for metric, sign, task in rows:
        old, new = task.old.means, task.new.means
        lost = sign * (old - new)
        largest = float(np.abs(lost).max(initial=0.0))
        for place in np.argsort(-lost, kind="stable")[:MOST].tolist():
            if lost[place] > 0.0:
                loss = QuestionLoss(
                    task=task.task,
                    metric=metric,
                    item=task.new.items[place],
                    old=float(old[place]),
                    new=float(new[place]),
                )
                found.append((float(lost[place]) / largest, loss))
    found.sort(key=lambda pair: -pair[0])
    return tuple(loss for _, loss in found[:MOST])
