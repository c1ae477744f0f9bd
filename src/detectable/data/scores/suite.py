"""Suites: several tasks, each with scorers of its own, read by every metric that is named and it has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import listing
from detectable.data.files.table import TableSource
from detectable.data.names import Runs
from detectable.data.reader import TABLE, ScoredBy
from detectable.data.scores.open_scores import OpenedScores, open_scores
from detectable.data.scores.sample_log import likely_metric
from detectable.data.scores.scores import Scores
from detectable.data.scores.task_metrics import metric_of_tasks

_MOST = 20  # names in a message


class SeveralScorers(DataError):
    """Tasks are scored by several metrics, and nobody said by which to read them.

    Attributes
    ----------
    held : str
        Which task has which, in words.
    likely : tuple of str
        One for each task, that most people would choose.
    """

    def __init__(self, found: Mapping[str, ScoredBy]) -> None:
        self.held = _held(found)
        self.likely = tuple(
            dict.fromkeys(likely_metric(by.metrics) for by in found.values() if by.metrics)
        )
        super().__init__(
            f"the tasks are scored by several metrics ({self.held}). Choose with "
            f"`metrics={list(self.likely)!r}`."
        )


def read_suite(
    source: TableSource | Mapping[str, Runs],
    metrics: Sequence[str] = (),
    *,
    tasks: Sequence[str] | None = None,
    every: bool = False,
    **options: Any,
) -> tuple[Scores, ...]:
    """Read scores by several metrics, each on the tasks that have it.

    Parameters
    ----------
    source : path, data frame, or mapping
        As for `read_scores`.
    metrics : sequence of str
        Names of metrics, or ``TASK=METRIC`` for one task alone. By default the only one of each
        task. Every task must be scored by one of them: what its answers took (their latency, their
        cost) is no score.
    tasks : sequence of str, optional
        Which tasks to take; others need no metric.
    every : bool
        Without names, take every metric of every task.
    **options
        Of `read_scores`.

    Returns
    -------
    tuple of Scores
        One per metric, in the order of `metrics`.

    Examples
    --------
    >>> rows = {"task": ["a", "b"], "metric": ["acc", "em"], "system": ["X", "X"],
    ...         "item": ["1", "1"], "score": [1, 0]}
    >>> [(one.metric, one.task_names) for one in read_suite(rows, ["acc", "em"])]
    [('acc', ('a',)), ('em', ('b',))]
    """
    opened = open_scores(source, **options)
    found = dict(opened.scored_by())
    if tasks is not None:
        lacking = [task for task in tasks if task not in found]
        if lacking:
            known = listing([task for task in found if task], most=_MOST) or "none"
            raise DataError(f"there is no task {lacking[0]!r}. Found: {known}.")
        found = {task: found[task] for task in tasks}
    if not any(by.metrics or by.measures for by in found.values()):
        names = list(dict.fromkeys(metrics))
        return tuple(opened.read(name, tasks) for name in (names or (None,)))
    if every and not metrics:
        metrics = list(dict.fromkeys(name for by in found.values() for name in by.metrics))
    if not metrics:
        return _each_its_own(opened, found, tasks)
    return _by_name(opened, found, metrics)


def _each_its_own(
    opened: OpenedScores, found: Mapping[str, ScoredBy], tasks: Sequence[str] | None
) -> tuple[Scores, ...]:
    """Read every task by its only metric."""
    if len(found) == 1:
        return (opened.read(None, tasks),)  # the reader knows which is usual
    if any(len(by.metrics) != 1 for by in found.values()):
        raise SeveralScorers(found)
    by_metric: dict[str, list[str]] = {}
    for task, by in found.items():
        by_metric.setdefault(by.metrics[0], []).append(task)
    if len(by_metric) == 1:
        return (opened.read(None, tasks),)
    return tuple(opened.read(name, of) for name, of in by_metric.items())


def _by_name(
    opened: OpenedScores, found: Mapping[str, ScoredBy], metrics: Sequence[str]
) -> tuple[Scores, ...]:
    """Read every metric on the tasks that have it, and refuse tasks that none scores."""
    wanted: dict[str, dict[str, None]] = {}  # tasks by metric
    for text in dict.fromkeys(metrics):
        task, _, name = text.partition("=")
        one = bool(name) and task in found
        name = name if one else text
        has = [
            of
            for of in ([task] if one else found)
            if name in (*found[of].metrics, *found[of].measures)
        ]
        if not has and opened.reader.name == TABLE:
            has = _under_a_name(found, wanted, metrics)
        if not has:
            where = f" for task {task!r}" if one else ""
            raise DataError(f"there is no metric {name!r}{where}. Found: {_held(found)}.")
        wanted.setdefault(name, {}).update(dict.fromkeys(has))
    read = {
        task for name, of in wanted.items() for task in of if name not in found[task].measures
    }
    # Whoever names only what answers took has said that nothing else matters.
    left = [task for task in found if task not in read] if read else []
    if left:
        by = found[left[0]].metrics
        raise DataError(
            f"task {left[0]!r} has none of {listing(list(wanted))}; it is scored by "
            f"{listing(list(by)) or 'nothing'}. Name that too, or choose other tasks with `tasks`."
        )
    named = any(found)  # whether tasks have names, by which the reader can choose
    return tuple(opened.read(name, list(of) if named else None) for name, of in wanted.items())


def _under_a_name(
    found: Mapping[str, ScoredBy], wanted: Mapping[str, object], metrics: Sequence[str]
) -> list[str]:
    """Return all tasks, if the only column of scores can be meant by a name of its own."""
    columns = {name for by in found.values() for name in (*by.metrics, *by.measures)}
    scores = {name for by in found.values() for name in by.metrics}
    unknown = [name for name in metrics if name not in columns]
    alone = len(scores) == 1 and len(unknown) == 1 and not scores & {*wanted, *metrics}
    return list(found) if alone else []


def _held(found: Mapping[str, ScoredBy]) -> str:
    """Say which task has which metrics; their measures go without saying."""
    if len(found) == 1:
        by = next(iter(found.values()))
        return listing([*by.metrics, *by.measures], most=_MOST)
    return "; ".join(
        f"{task}: {listing(list(by.metrics), most=_MOST)}" for task, by in found.items()
    )


def read_metrics(
    source: TableSource | Mapping[str, Runs], metrics: Sequence[str], **options: Any
) -> tuple[Scores, ...]:
    """Read several metrics: of the same tasks a table each, of different tasks one table in all.

    Examples
    --------
    >>> wide = {"system": ["X", "X"], "item": ["1", "2"], "acc": [1, 0], "f1": [0.8, 0.1]}
    >>> [one.metric for one in read_metrics(wide, ["acc", "f1"])]
    ['acc', 'f1']
    """
    tables = read_suite(source, metrics, **options)
    tasks = [set(one.task_names) for one in tables]
    if len(tables) > 1 and all(one == tasks[0] for one in tasks):
        return tables
    return (joined(tables),)


# --- A suite as one table of scores: every task by one metric ---


def joined(tables: Sequence[Scores]) -> Scores:
    """Return the scores of tasks with metrics of their own, as one table.

    Every task has one metric; all go the same way, on one scale, and have the same systems.

    Examples
    --------
    >>> parts = [Scores.build({"A": [1, 0]}, tasks=["a"] * 2, metric="acc"),
    ...          Scores.build({"A": [1]}, tasks=["b"], metric="em")]
    >>> found = joined(parts)
    >>> found.metric, found.task_names, found.n_items
    ('acc, em', ('a', 'b'), 3)
    """
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    scored: dict[str, str] = {}  # tasks, and by what
    for one in tables:
        for task in one.task_names or ("",):
            other = scored.setdefault(task, str(one.metric))
            if other != str(one.metric):
                raise DataError(
                    f"{f'task {task!r}' if task else 'every item'} is scored by {other} and by "
                    f"{one.metric}, and a table has one score of an item. Read them one by one, or "
                    "take metrics that score the same tasks."
                )
    for one in tables[1:]:
        if set(one.systems) != set(first.systems):
            raise DataError(
                f"{first.metric} has scores of {listing(list(first.systems), most=_MOST)}, "
                f"{one.metric} of {listing(list(one.systems), most=_MOST)}. Give logs of all tasks for "
                "every system."
            )
    of_tasks = metric_of_tasks(
        (
            task,
            str(one.metric),
            np.concatenate([t.ravel() for t in one.of_task(task).systems.values()]),
        )
        for one in tables
        for task in one.task_names
    )
    longest = {name: max(len(one.systems[name]) for one in tables) for name in first.systems}
    made = Scores.build(
        {
            name: np.hstack([_padded(one.systems[name], rows) for one in tables])
            for name, rows in longest.items()
        },
        items=[
            item if item.startswith(f"{task}:") else f"{task}:{item}"
            for one in tables
            for item, task in zip(one.items, one.tasks or ("",) * one.n_items, strict=True)
        ],
        documents=_joined_labels([one.documents for one in tables], tables),
        tasks=[task for one in tables for task in one.tasks or ()],
        metric=of_tasks.name,
        lower_is_better=_one_way(tables, of_tasks.lower_is_better),
        repeats="samples" if any(one.repeats == "samples" for one in tables) else "runs",
        questions=[text for one in tables for text in one.questions or ("",) * one.n_items],
    )
    notes = dict.fromkeys(note for one in tables for note in one.notes)
    stopped = {(log.path, log.task): log for one in tables for log in one.stopped}
    return replace(
        made,
        notes=(*notes, *of_tasks.notes),
        stopped=tuple(stopped.values()),
        evaluations={name: of for one in tables for name, of in one.evaluations.items()},
    )


def _padded(table: FloatArray, rows: int) -> FloatArray:
    missing = np.full((rows - len(table), table.shape[1]), np.nan)
    return np.vstack([table, missing])


def _joined_labels(
    labels: Sequence[tuple[str, ...] | None], tables: Sequence[Scores]
) -> list[str] | None:
    """Return what items belong to; where one table has none, its items stand alone."""
    if all(one is None for one in labels):
        return None
    return [
        label
        for known, table in zip(labels, tables, strict=True)
        for label in (table.items if known is None else known)
    ]


def _one_way(
    tables: Sequence[Scores],
    by_name: bool | None,  # noqa: FBT001 (what names tell)
) -> bool | None:
    """Return which way the scores go where all readers say the same."""
    said = {one.lower_is_better for one in tables}
    return said.pop() if len(said) == 1 and by_name is None else by_name
