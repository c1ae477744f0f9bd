"""What of an evaluation is gated: which tasks, under which names, and by single answers or by pass@k."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.metrics.passing import all_of
from detectable.study.gate.baseline import Baseline
from detectable.study.gate.matching import Tally, TaskTally

_PASSING = re.compile(r"pass([@^])([1-9]\d*)")


def only_tasks(scores: Baseline, tasks: Sequence[str]) -> Baseline:
    """Return the scores on some tasks; metrics of others alone go."""
    known = task_names(scores)
    for name in tasks:
        if name not in known:
            raise DataError(f"there is no task {name!r}. Found: {listing(known, most=20)}.")
    kept = (
        replace(one, tasks=tuple(task for task in one.tasks if task.task in tasks))
        for one in scores.tallies
    )
    return replace(scores, tallies=tuple(one for one in kept if one.tasks))


def renamed(scores: Baseline, names: Mapping[str, str]) -> Baseline:
    """Return the scores with tasks under new names, by their old ones.

    Examples
    --------
    >>> from detectable.data.scores.scores import Scores
    >>> old = Baseline.of(Scores.build({"A": [0, 1]}, tasks=["sums", "sums"]))
    >>> task_names(renamed(old, {"sums": "arith"}))
    ['arith']
    """
    known = task_names(scores)
    for old, new in names.items():
        if old not in known:
            raise InputError(
                f"`rename` must name tasks of the baseline, {listing(known, most=20)}; got {old!r}."
            )
        if new in known and new not in names:
            raise InputError(f"`rename` calls {old!r} {new!r}, and there is one called so.")
    if len(set(names.values())) < len(names):
        raise InputError("`rename` gives two tasks one name. Rename each to its own.")

    def under_new_names(one: Tally) -> Tally:
        return replace(
            one,
            tasks=tuple(
                replace(task, task=names.get(task.task, task.task)) for task in one.tasks
            ),
            kinds={names.get(task, task): kind for task, kind in one.kinds.items()},
        )

    return replace(scores, tallies=tuple(map(under_new_names, scores.tallies)))


def task_names(scores: Baseline) -> list[str]:
    """Return the tasks of all metrics."""
    return list(dict.fromkeys(task.task for one in scores.tallies for task in one.tasks))


# --- pass@k and pass^k: a question is passed by one of k answers, or by all ---


def check_passing(metric: str | None) -> tuple[str, int] | None:
    """Return ``@`` or ``^`` and k; None without a metric.

    Examples
    --------
    >>> check_passing("pass@4"), check_passing("pass^2")
    (('@', 4), ('^', 2))
    """
    if metric is None:
        return None
    found = _PASSING.fullmatch(metric)
    if found is None:
        raise InputError(
            f"`metric` must be pass@K or pass^K, such as pass@4; got {metric!r}. Scores are "
            "chosen by their names."
        )
    return found[1], int(found[2])


def passing(scores: Baseline, metric: str) -> Baseline:
    """Return pass@k or pass^k of every question, under that name, in place of its answers.

    Scorers of different tasks become one metric: whatever an answer was, it was right or wrong.
    """
    symbol, k = check_passing(metric) or ("", 0)
    wrong = [one.metric for one in scores.tallies if not one.zero_one]
    if wrong:
        raise DataError(
            f"{metric} needs answers that are right or wrong, 0 or 1, and {wrong[0]} has others. "
            "Choose another metric."
        )
    named = [task.task for one in scores.tallies for task in one.tasks]
    twice = [task for task in dict.fromkeys(named) if named.count(task) > 1]
    if twice:
        by = [one.metric for one in scores.tallies if twice[0] in {t.task for t in one.tasks}]
        raise DataError(
            f"task {twice[0]!r} is scored by {listing(by)}, and {metric} takes one of them. Choose."
        )
    tasks = tuple(
        _passed(task, metric, symbol, k, scores.system)
        for one in scores.tallies
        for task in one.tasks
    )
    together = replace(
        scores.tallies[0],
        metric=metric,
        higher_is_better=True,
        is_guess=False,
        zero_one=all(bool(np.isin(task.sums, (0.0, 1.0)).all()) for task in tasks),
        tasks=tasks,
        kinds={},
        missing=max(one.missing for one in scores.tallies),
    )
    return replace(scores, tallies=(together,))


def _passed(task: TaskTally, metric: str, symbol: str, k: int, system: str) -> TaskTally:
    few = np.flatnonzero(task.samples < k)
    if few.size:
        least = int(task.samples.min())
        raise DataError(
            f"{metric} needs {k} answers to every question; {system!r} has {least} to "
            f"{task.items[few[0]]!r} of {task.task} ({count(few.size, 'question')} with fewer than "
            f"{k}). Nothing is extrapolated: take at most pass{symbol}{least}."
        )
    right, answers = np.rint(task.sums).astype(np.int64), task.samples
    chance: FloatArray = all_of(answers - right if symbol == "@" else right, answers, k)
    if symbol == "@":
        chance = 1.0 - chance
    return replace(
        task, sums=chance, squares=np.square(chance), samples=np.ones_like(task.samples)
    )
