"""What of an evaluation is gated: its files, which tasks, under which names, by answers or pass@k."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from detectable.core.choices import LogErrors
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.files.inputs import InputFile, noted_inputs
from detectable.data.files.place import FilePath
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import SeveralScorers
from detectable.metrics.passing import all_of
from detectable.study.gate.baseline import (
    Baseline,
    is_baseline_file,
    read_baseline,
    tables_of,
)
from detectable.study.gate.matching import Tally, TaskTally
from detectable.study.gate.overall import NAME as OVERALL
from detectable.study.gate.rows import GivenMargin, one_for_several

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


# --- What no gate can tell anything about: a run that is held against itself ---


def refuse_shared(
    files: Sequence[str], systems: Sequence[str], system: str | None, baseline: str | None
) -> None:
    """Refuse files on both sides, unless they hold several systems, of which one is chosen.

    Parameters
    ----------
    files : sequence of str
        That are on both sides, whatever their names.
    systems : sequence of str
        Of the new scores.
    system, baseline : str or None
        Which of them were chosen.
    """
    chosen = len(systems) > 1 and (system is None or system != baseline)
    if files and not chosen:
        raise DataError(
            f"NEW holds what the baseline holds: {listing(list(files))}. A system that is gated "
            "against itself passes. Leave the files of the baseline out of NEW."
        )


def shared_files(new: Mapping[str, InputFile], old: Mapping[str, InputFile]) -> list[str]:
    """Return the files of the new scores that are those of the baseline, whatever their names."""
    known = {one.sha256 for one in old.values()}
    return [one.path for one in new.values() if one.sha256 in known]


def refuse_same_run(
    new: Sequence[Scores], old: Sequence[Scores], system: str, baseline: str
) -> None:
    """Refuse logs of one run on both sides, even where their bytes differ."""
    known = {run for table in old for run in table.evaluations.get(baseline, ())}
    again = [run for table in new for run in table.evaluations.get(system, ()) if run in known]
    if again:
        raise DataError(
            f"NEW holds the baseline's own log: the run {again[0]} is on both sides. A system that "
            "is gated against itself passes. Leave the logs of the baseline out of NEW."
        )


# --- How files are read, where a gate is given files ---


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: by which metrics, on which tasks, and what of their samples."""

    metrics: tuple[str, ...]
    margin: GivenMargin | Mapping[str, GivenMargin] | None
    errors: LogErrors | None
    by: str | None
    tasks: tuple[str, ...]
    rename: Mapping[str, str]
    pool: bool = False

    def opened(
        self, new: Any, baseline: Any, chosen: tuple[str | None, str | None]
    ) -> dict[str, Any]:
        """Return both sides read: a baseline, tables, or the word for a system of the new scores."""
        if _is_baseline_file(baseline):
            baseline = read_baseline(cast("FilePath", baseline))
        known = baseline.metrics if isinstance(baseline, Baseline) else ()
        read: Mapping[str, InputFile] = {}
        if not isinstance(new, Baseline):
            with noted_inputs() as read:
                new = self.read(new, "new", known)
            named = isinstance(baseline, str) and bool(new) and baseline in new[0].systems
            if named and not os.path.exists(baseline):
                return {"new": new, "baseline": baseline}
        if not isinstance(baseline, Baseline):
            with noted_inputs() as before:
                baseline = self.read(baseline, "baseline")
            if not isinstance(new, Baseline) and new:
                refuse_shared(shared_files(read, before), list(new[0].systems), *chosen)
        return {"new": new, "baseline": baseline}

    def read(self, scores: Any, name: str, known: Sequence[str] = ()) -> list[Scores]:
        """Return tables as they are, or read them; `known` are metrics that a baseline holds."""
        tasks = self.tasks
        if name == "baseline":
            before = {new: old for old, new in self.rename.items()}
            tasks = tuple(before.get(task, task) for task in tasks)
        options: dict[str, Any] = {
            "tasks": tasks or None,
            "errors": self.errors,
            "pool": self.pool,
            "columns": {"slice": self.by} if self.by else None,
        }
        try:
            return tables_of(scores, name, self.metrics or known, **options)
        except SeveralScorers as error:
            if self.margin is None or isinstance(self.margin, Mapping):
                raise
            raise InputError(one_for_several(self.margin, error.likely)) from error


def _is_baseline_file(baseline: object) -> bool:
    """Say whether this is the path of a baseline file; other files hold scores, or are refused."""
    if not isinstance(baseline, str | os.PathLike) or not os.path.isfile(baseline):
        return False
    return is_baseline_file(baseline)


def names_of(
    margin: GivenMargin | Mapping[str, GivenMargin] | None,
    watch: Sequence[str],
    metrics: Sequence[str],
    metric: str | None,
) -> tuple[str, ...]:
    """Return the metrics by which files are read, as far as they are named."""
    named = (*margin, *watch) if isinstance(margin, Mapping) else ()
    return tuple(metrics) or tuple(one for one in named if one not in (OVERALL, metric))
