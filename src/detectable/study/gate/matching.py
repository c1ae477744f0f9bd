"""The questions that a baseline and new scores share, and whether they are enough of the same."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import count, listing
from detectable.study.gate.tally import RIGHT_OR_WRONG, Tally, TaskTally

SHARED = 0.9  # of all questions must be in both
_FAR_APART = 0.02  # shares of missing samples that differ by more may bias the difference


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedTask:
    """The questions of one task that both have, in the same order.

    Attributes
    ----------
    old, new : TaskTally
        Of the same questions.
    clusters : array of int or None
        Codes of what groups questions, from 0 on.
    """

    task: str
    old: TaskTally
    new: TaskTally
    clusters: IntArray | None

    @property
    def answers(self) -> float:
        """The harmonic mean of the numbers of samples, of both systems and all questions."""
        return float(2.0 / np.mean(1.0 / self.old.samples + 1.0 / self.new.samples))


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """All tasks that both have under one metric, and what is to be said about the rest."""

    metric: str
    higher_is_better: bool
    zero_one: bool
    tasks: tuple[MatchedTask, ...]
    notes: tuple[str, ...]


def match(old: Tally, new: Tally, *, allow_different_items: bool) -> Matched:
    """Pair the questions of a baseline with those of new scores.

    Refused are another metric or direction, questions whose text changed, and, unless
    `allow_different_items`, tasks that are gone and less than 90 % of questions in both.
    """
    _check_metric(old, new)
    before = {task.task: task for task in old.tasks}
    after = {task.task: task for task in new.tasks}
    if len(before) == len(after) == 1:  # a single task may have a name in one of them only
        before = dict(zip(after, before.values(), strict=True))
    notes = _check_tasks(list(before), list(after), allowed=allow_different_items)
    common = [name for name in after if name in before]
    pairs = [(name, *_places(before[name], after[name])) for name in common]
    shared = sum(len(places) for _, places, _ in pairs)
    union = old.n_items + new.n_items - shared
    notes += _check_shared(old, new, shared, union, allowed=allow_different_items)
    tasks = tuple(
        _matched(name, _taken(before[name], ours), _taken(after[name], theirs))
        for name, ours, theirs in pairs
        if ours
    )
    if abs(old.missing - new.missing) > _FAR_APART:
        notes.append(
            f"{new.metric}: {new.missing:.1%} of the new samples have no score, and "
            f"{old.missing:.1%} of the old ones. If hard questions time out, the difference is "
            "biased."
        )
    notes += [
        f"{task.task}: questions are grouped differently in the baseline; the groups of the new "
        "scores are used."
        for task in tasks
        if None not in (task.old.clusters, task.new.clusters)
        and not _same_groups(task.old.clusters or (), task.new.clusters or ())
    ]
    return Matched(
        metric=new.metric,
        higher_is_better=new.higher_is_better,
        zero_one=old.zero_one and new.zero_one,
        tasks=tasks,
        notes=tuple(notes),
    )


def _check_metric(old: Tally, new: Tally) -> None:
    if old.metric.casefold() != new.metric.casefold():
        raise DataError(
            f"the baseline holds {old.metric!r}, the new scores are {new.metric!r}. Gate the same "
            "metric, or accept a new baseline."
        )
    if old.higher_is_better != new.higher_is_better:
        words = {True: "higher", False: "lower"}
        raise DataError(
            f"{new.metric}: {words[old.higher_is_better]} is better in the baseline, "
            f"{words[new.higher_is_better]} in the new scores. Say which with "
            "`lower_is_better`, or accept a new baseline."
        )
    if old.metric.casefold() == RIGHT_OR_WRONG and old.zero_one != new.zero_one:
        _check_scale(old, new)


def _check_scale(old: Tally, new: Tally) -> None:
    """Refuse other scores where answers were right or wrong: a table without a name has any.

    Partial credit between 0 and 1 is fine. Under other names 0 and 1 may be counts, of errors say.
    """
    graded, whose = (new, "the new scores") if old.zero_one else (old, "the old scores")
    means = np.concatenate([task.means for task in graded.tasks])
    if means.min() < 0.0 or means.max() > 1.0:
        raise DataError(
            f"{new.metric}: {whose} go from {means.min():g} to {means.max():g}, and the others are "
            "0 and 1. Gate the same metric, or accept a new baseline."
        )


def _check_tasks(before: list[str], after: list[str], *, allowed: bool) -> list[str]:
    gone = [name for name in before if name not in after]
    added = [name for name in after if name not in before]
    if len(gone) == len(before):
        raise DataError(
            f"the new scores have no task of the baseline: it has {listing(before)}, they have "
            f"{listing(after)}. Evaluate the same tasks, or accept a new baseline."
        )
    if gone and not allowed:
        raise DataError(
            f"the new scores lack {count(len(gone), 'task')} of the baseline: {listing(gone)}. "
            "Evaluate the same tasks, or allow it with `allow_different_items=True`."
        )
    said = []
    if gone:
        said.append(f"Not gated, as the new scores lack it: {listing(gone)}.")
    if added:
        said.append(f"Not gated, as the baseline lacks it: {listing(added)}.")
    return said


def _check_shared(
    old: Tally, new: Tally, shared: int, union: int, *, allowed: bool
) -> list[str]:
    if shared == union:
        return []
    said = (
        f"{shared:,} of {count(union, 'question')} are in both the baseline ({old.n_items:,}) and "
        f"the new scores ({new.n_items:,})"
    )
    if shared == 0:
        raise DataError(f"{said}, so nothing can be paired. Accept a new baseline.")
    if shared < SHARED * union and not allowed:
        raise DataError(
            f"{said}, {shared / union:.0%}; at least {SHARED:.0%} must be. Accept a new baseline, "
            "or allow it with `allow_different_items=True`."
        )
    return [f"{new.metric}: {said}; only those are gated."]


def _places(old: TaskTally, new: TaskTally) -> tuple[list[int], list[int]]:
    """Return where the shared questions stand in both, in the order of the new scores."""
    if old.items == new.items:
        both = list(range(len(new.items)))
        return both, both
    known = {item: place for place, item in enumerate(old.items)}
    theirs = [place for place, item in enumerate(new.items) if item in known]
    return [known[new.items[place]] for place in theirs], theirs


def _taken(task: TaskTally, places: Sequence[int]) -> TaskTally:
    def cut(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if labels is None else tuple(labels[i] for i in places)

    chosen = np.asarray(places, dtype=np.intp)
    return TaskTally(
        task=task.task,
        items=tuple(task.items[i] for i in places),
        sums=task.sums[chosen],
        squares=task.squares[chosen],
        samples=task.samples[chosen],
        clusters=cut(task.clusters),
        questions=cut(task.questions),
    )


def _matched(name: str, old: TaskTally, new: TaskTally) -> MatchedTask:
    if old.questions is not None and new.questions is not None:
        changed = [
            item
            for item, before, after in zip(new.items, old.questions, new.questions, strict=True)
            if before and after and before != after
        ]
        if changed:
            raise DataError(
                f"task {name!r}: the text of {count(len(changed), 'question')} changed since the "
                f"baseline: {listing(changed)}. Give changed questions new names, or accept a new "
                "baseline."
            )
    labels = new.clusters if new.clusters is not None else old.clusters
    codes = None
    if labels is not None:
        codes = _codes(labels)
        if codes.max() + 1 == codes.size:
            codes = None  # every question stands alone
    return MatchedTask(task=name, old=old, new=new, clusters=codes)


def _codes(labels: Sequence[str]) -> IntArray:
    """Return whole numbers for labels, in the order in which they come."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)


def _same_groups(old: Sequence[str], new: Sequence[str]) -> bool:
    return bool(np.array_equal(_codes(old), _codes(new)))
