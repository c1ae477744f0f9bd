"""Signs of careless work that are no test: they ask for a look, not for a verdict."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.judgment_names import KINDS
from detectable.data.human.judgments import Judgments

FLAGS = {
    "degraded-high": "degraded copies are scored no lower than ordinary items",
    "reference-beaten": "ordinary items are scored no lower than references",
    "reference-low": "references are scored low",
    "fast-task": "a task took too little time",
    "long-run": "the same score was given many times in a row",
    "constant": "every judgment has the same score",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagLimits:
    """When to raise a flag; the defaults are those of the WMT campaigns on Mechanical Turk.

    Attributes
    ----------
    reference : float
        Lowest mean score of references, as a share of the scale.
    seconds : float
        Shortest time for a task.
    run : int
        Longest run of one score, in the order of the rows within a task.
    """

    reference: float = 0.9
    seconds: float = 300.0
    run: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterHabits:
    """What a rater's scores look like; NaN where the data cannot say."""

    n_judgments: int
    mean: float
    sd: float
    mean_system: float
    mean_degraded: float
    mean_reference: float
    longest_run: int
    fastest_task: float  # seconds
    flags: tuple[str, ...]


def rater_habits(judgments: Judgments, limits: FlagLimits) -> list[RaterHabits]:
    """Return the habits and flags of every rater, in the order of the judgments' raters."""
    raters = judgments.column("rater")
    task = raters.codes if judgments.task is None else cross_codes(*_task_columns(judgments))[0]
    order = np.argsort(raters.codes, kind="stable")
    edges = np.searchsorted(raters.codes[order], np.arange(raters.n_levels + 1))
    low, high = judgments.scale
    floor = low + limits.reference * (high - low)
    return [
        _habits(judgments, order[first:last], task, floor, limits)
        for first, last in pairwise(edges.tolist())
    ]


def _task_columns(judgments: Judgments) -> list[Factor]:
    given = [judgments.rater, judgments.campaign, judgments.language, judgments.task]
    return [column for column in given if column is not None]


def _habits(
    judgments: Judgments, rows: IntArray, task: IntArray, floor: float, limits: FlagLimits
) -> RaterHabits:
    score = judgments.score[rows]
    kind = judgments.kind[rows]
    system, degraded, reference = (
        _mean(score[kind == KINDS.index(name)]) for name in ("system", "degraded", "reference")
    )
    run = _longest_run(score, task[rows])
    seconds = (
        float("nan")
        if judgments.seconds is None
        else _fastest(judgments.seconds[rows], task[rows])
    )
    constant = score.size > 1 and bool((score == score[0]).all())
    raised = {  # comparisons with NaN are false: what is not known raises no flag
        "degraded-high": degraded >= system,
        "reference-beaten": system >= reference,
        "reference-low": reference < floor,
        "fast-task": seconds < limits.seconds,
        "long-run": run > limits.run,
        "constant": constant,
    }
    return RaterHabits(
        n_judgments=int(score.size),
        mean=_mean(score),
        sd=float(score.std(ddof=1)) if score.size > 1 else float("nan"),
        mean_system=system,
        mean_degraded=degraded,
        mean_reference=reference,
        longest_run=run,
        fastest_task=seconds,
        flags=tuple(name for name in FLAGS if raised[name]),
    )


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else float("nan")


def _longest_run(score: FloatArray, task: IntArray) -> int:
    """Return the longest run of one score within a task, in the order of the rows."""
    order = np.argsort(task, kind="stable")
    score, task = score[order], task[order]
    new: NDArray[np.bool_] = np.ones(score.size + 1, dtype=bool)
    new[1:-1] = (score[1:] != score[:-1]) | (task[1:] != task[:-1])
    return int(np.diff(np.flatnonzero(new)).max())


def _fastest(seconds: FloatArray, task: IntArray) -> float:
    """Return the time of the quickest task.

    Some exports write the time of the whole task in each of its rows, others the time of each
    judgment. The same time in all rows of a task is taken as the time of the task; otherwise
    the rows are added up. A task with a row without time is left out.
    """
    times = []
    for code in np.unique(task):
        of_task = seconds[task == code]
        if np.isfinite(of_task).all():
            same = bool((of_task == of_task[0]).all())
            times.append(float(of_task[0] if same else of_task.sum()))
    return min(times, default=float("nan"))
