"""One metric for each task of an evaluation: what to call them together, and whether they go together.

An evaluation on several tasks often has a metric for each: accuracy for one, exact match for the next.
Scores of all of them can be compared task by task, and in the mean over tasks, as long as every task
has one metric, all point the same way, and all are on one scale.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import ArrayLike
from detectable.core.wording import listing
from detectable.data.scores.direction import direction_of_name

_SHARE = 1.0  # scores up to here are shares, and those beyond are on another scale


class TaskMetrics(NamedTuple):
    """What the scores of all tasks are: a name, which way they go if it does not tell, a note."""

    name: str
    lower_is_better: bool | None = None
    notes: tuple[str, ...] = ()


def metric_of_tasks(
    scored: Iterable[tuple[str, str, ArrayLike]], *, noun: str = "metrics"
) -> TaskMetrics:
    """Return the metric, or all of them together where each task has one.

    Parameters
    ----------
    scored : iterable of (str, str, array_like)
        Task, metric and scores of every log, or of every part of a table.
    noun : str
        What the format calls metrics.

    Raises
    ------
    DataError
        Where a task has several metrics, or metrics of tasks do not go together.

    Examples
    --------
    >>> metric_of_tasks([("arc", "acc", [0, 1]), ("gsm8k", "exact_match", [1, 1])]).notes
    ('A metric for each task: acc (arc), exact_match (gsm8k).',)
    """
    tasks: dict[str, dict[str, None]] = {}  # of every metric, in the order in which they come
    metrics: dict[str, dict[str, None]] = {}  # of every task
    largest: dict[str, float] = {}
    for task, metric, scores in scored:
        tasks.setdefault(metric, {})[task] = None
        metrics.setdefault(task, {})[metric] = None
        known = np.abs(np.asarray(scores, dtype=np.float64))
        known = known[np.isfinite(known)]
        top = float(known.max()) if known.size else 0.0
        largest[metric] = max(largest.get(metric, 0.0), top)
    names = list(tasks)
    if len(names) == 1:
        return TaskMetrics(names[0])
    if any(len(of) > 1 for of in metrics.values()):
        raise DataError(
            f"the logs hold different {noun}: {', '.join(names)}. Choose one with metric=…."
        )
    lower = _together(names, largest, noun)
    each = listing([f"{name} ({listing(list(tasks[name]))})" for name in names], most=20)
    return TaskMetrics(", ".join(names), lower, (f"A metric for each task: {each}.",))


def _together(names: list[str], largest: Mapping[str, float], noun: str) -> bool | None:
    """Return whether lower is better, or refuse metrics whose mean over tasks would say nothing."""
    ways = {name: direction_of_name(name) for name in names}
    up, down = ([name for name in names if ways[name] == way] for way in ("higher", "lower"))
    if up and down:
        raise DataError(
            f"the tasks have different {noun}, and higher is better for {listing(up)}, lower for "
            f"{listing(down)}: their mean says nothing. Choose one with metric=…."
        )
    shares = [name for name in names if largest[name] <= _SHARE]
    beyond = [name for name in names if largest[name] > _SHARE]
    if shares and beyond:
        raise DataError(
            f"the tasks have different {noun}, and {listing(shares)} stays within 1 where "
            f"{listing(beyond)} reaches {largest[beyond[0]]:g}: their mean says nothing. Choose one "
            "with metric=…."
        )
    known = len(up) + len(down) == len(names)
    return bool(down) if known else None
