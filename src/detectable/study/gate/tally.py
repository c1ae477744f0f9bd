"""Scores of one system as a baseline keeps them: per question the sum and number of its samples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.scores.direction import direction_of
from detectable.data.scores.scores import Scores
from detectable.study.gate.text_hash import text_hash

ONLY_TASK = "all"  # what the task is called where scores name none
RIGHT_OR_WRONG = "accuracy"  # what scores of 0 and 1 are called where nothing names them
_UNNAMED = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTally:
    """The questions of one task; those without a sample are left out.

    Attributes
    ----------
    items : tuple of str
        Names of the questions, no two alike, in any order.
    sums, squares : array of float
        Of the scores of each question, and of their squares.
    samples : array of int
        How many scores each question has: at least one.
    clusters : tuple of str or None
        What groups questions: passages, documents.
    questions : tuple of str or None
        A hash of the text of each question, where it is known: to notice changed ones.
    """

    task: str
    items: tuple[str, ...]
    sums: FloatArray
    squares: FloatArray
    samples: IntArray
    clusters: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None

    @property
    def means(self) -> FloatArray:
        """The score of each question."""
        return self.sums / self.samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The scores of one system by one metric, task by task."""

    metric: str
    higher_is_better: bool
    zero_one: bool
    tasks: tuple[TaskTally, ...]
    missing: float = 0.0  # share of samples without a score
    is_guess: bool = False  # whether nothing told the direction

    @property
    def n_items(self) -> int:
        """All questions."""
        return sum(len(task.items) for task in self.tasks)

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield task and name of every question."""
        for task in self.tasks:
            for item in task.items:
                yield task.task, item


def tally(
    scores: Scores, system: str | None = None, *, lower_is_better: Sequence[str] = ()
) -> Tally:
    """Return what a baseline keeps of the scores of one system.

    Parameters
    ----------
    scores : Scores
        Of this system, and maybe others.
    system : str, optional
        Which one; not needed where there is only one.
    lower_is_better : sequence of str
        Names of metrics where lower is better. For others their reader or their name tells, and
        what nothing is known about goes up.
    """
    name = the_system(scores, system)
    table = scores.systems[name]
    known = ~np.isnan(table)
    samples = known.sum(axis=0)
    filled = np.where(known, table, 0.0)
    sums, squares = filled.sum(axis=0), np.square(filled).sum(axis=0)
    zero_one = bool(np.isin(table[known], (0.0, 1.0)).all())
    metric = scores.metric or (RIGHT_OR_WRONG if zero_one else _UNNAMED)
    told = metric.casefold() in {one.casefold() for one in lower_is_better}
    direction = "lower" if told else direction_of(scores)
    places: dict[str, list[int]] = {}
    for place, task in enumerate(scores.tasks or (ONLY_TASK,) * scores.n_items):
        if samples[place]:
            places.setdefault(task, []).append(place)
    if not places:
        raise DataError(f"system {name!r} has no score at all, so there is nothing to gate.")
    wanted = int(table.shape[0]) * scores.n_items
    return Tally(
        metric=metric,
        higher_is_better=direction != "lower",
        zero_one=zero_one,
        missing=1.0 - float(samples.sum()) / wanted,
        is_guess=direction == "unknown" and not zero_one,
        tasks=tuple(
            TaskTally(
                task=task,
                items=_bare(task, [scores.items[i] for i in chosen]),
                sums=sums[chosen],
                squares=squares[chosen],
                samples=samples[chosen],
                clusters=None
                if scores.documents is None
                else tuple(scores.documents[i] for i in chosen),
                questions=None
                if scores.questions is None
                else tuple(text_hash(scores.questions[i]) for i in chosen),
            )
            for task, chosen in places.items()
        ),
    )


def the_system(scores: Scores, system: str | None) -> str:
    """Return the system that was asked for, or the only one."""
    names = list(scores.systems)
    if system is None and len(names) == 1:
        return names[0]
    if system is None:
        raise DataError(
            f"the scores hold {len(names)} systems: {listing(names, most=20)}. Say which one "
            f"is meant with `system='{names[-1]}'`."
        )
    if system not in scores.systems:
        raise DataError(f"there is no system {system!r}. Found: {listing(names, most=20)}.")
    return system


def _bare(task: str, items: list[str]) -> tuple[str, ...]:
    """Return names of questions without the task that readers of several tasks put before them."""
    before = f"{task}:"
    bare = [item.removeprefix(before) for item in items]
    return tuple(bare if all(item.startswith(before) for item in items) else items)
