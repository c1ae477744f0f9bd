"""The questions that a baseline and new scores share, and the hashes that show whether they are the same."""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError, InputError, UnsaidError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.scores.direction import Direction, direction_of, direction_of_name
from detectable.data.scores.scores import Scores, StoppedLog
from detectable.inference.margin_score import MarginKind

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
    slices : tuple of str or None
        What kind of question each is, where results are sliced by it.
    """

    task: str
    items: tuple[str, ...]
    sums: FloatArray
    squares: FloatArray
    samples: IntArray
    clusters: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None

    @property
    def means(self) -> FloatArray:
        """The score of each question."""
        return self.sums / self.samples

    def take(self, places: Sequence[int]) -> "TaskTally":
        """Return some of the questions, in this order."""
        return _taken(self, places)

    def same_as(self, other: "TaskTally") -> bool:
        """Whether all scores of the same questions, in the same order, are equal."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("sums", "squares", "samples")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The scores of one system by one metric, task by task."""

    metric: str
    higher_is_better: bool
    zero_one: bool
    tasks: tuple[TaskTally, ...]
    # By task: what the score rule takes the scores for, found at the first gate.
    kinds: Mapping[str, MarginKind] = field(default_factory=dict)
    missing: float = 0.0  # share of samples without a score
    told: bool = False  # whether a person or a reader said the direction, and not the name
    is_guess: bool = False  # whether nothing tells it
    stopped: tuple[StoppedLog, ...] = ()  # logs whose runs could be stopped early

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
    scores: Scores,
    system: str | None = None,
    *,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
) -> Tally:
    """Return what a baseline keeps of the scores of one system.

    Parameters
    ----------
    scores : Scores
        Of this system, and maybe others.
    system : str, optional
        Which one; not needed where there is only one.
    lower_is_better, higher_is_better : sequence of str
        Names of metrics where lower is better, and where higher is. For others their reader or
        their name tells.
    """
    name = the_system(scores, system)
    table = scores.systems[name]
    known = ~np.isnan(table)
    samples = known.sum(axis=0)
    filled = np.where(known, table, 0.0)
    sums, squares = filled.sum(axis=0), np.square(filled).sum(axis=0)
    zero_one = bool(np.isin(table[known], (0.0, 1.0)).all())
    metric = scores.metric or (RIGHT_OR_WRONG if zero_one else _UNNAMED)
    direction = _told(metric, lower_is_better, higher_is_better)
    told = direction is not None
    if direction is None:
        direction = direction_of(replace(scores, metric=metric))
        told = direction not in ("unknown", direction_of_name(metric))
    places = _places_of_tasks(scores.tasks or (ONLY_TASK,) * scores.n_items, samples > 0)
    if not places:
        raise DataError(f"system {name!r} has no score at all, so there is nothing to gate.")
    return Tally(
        metric=metric,
        higher_is_better=direction != "lower",
        zero_one=zero_one,
        missing=scores.missing_share(name),
        told=told,
        is_guess=direction == "unknown",
        stopped=scores.stopped,
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
                slices=None
                if scores.slices is None
                else tuple(scores.slices[i] for i in chosen),
            )
            for task, chosen in places.items()
        ),
    )


def _told(metric: str, lower: Sequence[str], higher: Sequence[str]) -> Direction | None:
    """Return the direction that was said."""
    known: dict[str, Direction] = {}
    said: tuple[tuple[Direction, Sequence[str]], ...] = (("lower", lower), ("higher", higher))
    for direction, names in said:
        for name in names:
            if known.setdefault(name.casefold(), direction) != direction:
                raise InputError(
                    f"`lower_is_better` and `higher_is_better` must not name the same; got {name!r} "
                    "twice. Drop one of them."
                )
    return known.get(metric.casefold())


def refuse_unknown_direction(metrics: Sequence[str]) -> None:
    """Refuse metrics of which nothing tells whether higher or lower is better."""
    for name in metrics:
        raise UnsaidError(
            f"which way does {name} go? Say `lower_is_better={name!r}` or `higher_is_better={name!r}`."
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


def _places_of_tasks(tasks: Sequence[str], scored: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Return where the questions with a score stand, by task in the order in which they come."""
    number = {task: code for code, task in enumerate(dict.fromkeys(tasks))}
    codes = np.fromiter(map(number.__getitem__, tasks), np.int64, len(tasks))
    known = np.flatnonzero(scored)
    order = known[np.argsort(codes[known], kind="stable")]
    sizes = np.bincount(codes[known], minlength=len(number))
    parts = np.split(order, np.cumsum(sizes)[:-1])
    found = {task: part.tolist() for task, part in zip(number, parts, strict=True) if part.size}
    return dict(sorted(found.items(), key=lambda of: of[1][0]))


def _bare(task: str, items: list[str]) -> tuple[str, ...]:
    """Return names of questions without the task that readers of several tasks put before them."""
    before = f"{task}:"
    if not all(item.startswith(before) for item in items):
        return tuple(items)
    length = len(before)
    return tuple(item[length:] for item in items)


# --- The questions that a baseline and new scores share, and whether they are enough of the same ---

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

    def take(self, name: str, places: Sequence[int]) -> "MatchedTask":
        """Return some of the questions, under a name of their own."""
        codes = None if self.clusters is None else self.clusters[np.asarray(places)]
        if codes is not None:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
        alone = codes is None or codes.max() + 1 == codes.size
        return MatchedTask(
            task=name,
            old=_taken(self.old, places),
            new=_taken(self.new, places),
            clusters=None if alone else codes,
        )

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
    kinds: Mapping[str, MarginKind] = field(default_factory=dict)
    stopped: tuple[StoppedLog, ...] = ()  # of the new scores


def match(old: Tally, new: Tally, *, allow_different_items: bool) -> Matched:
    """Pair the questions of a baseline with those of new scores.

    Refused are another metric or direction, one that nothing tells, questions whose text changed, and, unless
    `allow_different_items`, tasks that are gone and less than 90 % of questions in both.
    """
    _check_metric(old, new)
    higher = _direction(old, new)
    before = {task.task: task for task in old.tasks}
    after = {task.task: task for task in new.tasks}
    if len(before) == len(after) == 1 and ONLY_TASK in {*before, *after}:
        before = dict(
            zip(after, before.values(), strict=True)
        )  # only one of them knows its name
    notes = _check_tasks(list(before), list(after), allowed=allow_different_items)
    common = [name for name in after if name in before]
    pairs = [(name, *_places(before[name], after[name])) for name in common]
    shared = sum(len(places) for _, places, _ in pairs)
    union = old.n_items + new.n_items - shared
    fewer = bool(new.stopped)  # so many questions as its manager let through
    notes += _check_shared(old, new, shared, union, allowed=allow_different_items or fewer)
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
        higher_is_better=higher,
        zero_one=old.zero_one and new.zero_one,
        tasks=tasks,
        notes=tuple(notes),
        kinds=old.kinds,
        stopped=new.stopped,
    )


def _check_metric(old: Tally, new: Tally) -> None:
    if old.metric.casefold() != new.metric.casefold():
        raise DataError(
            f"the baseline holds {old.metric!r}, the new scores are {new.metric!r}. Gate the same "
            "metric, or accept a new baseline."
        )
    if old.metric.casefold() == RIGHT_OR_WRONG and old.zero_one != new.zero_one:
        _check_scale(old, new)


def _direction(old: Tally, new: Tally) -> bool:
    """Return whether higher is better: as was said, else as the baseline was told, else by name."""
    if old.is_guess and new.is_guess:
        refuse_unknown_direction([new.metric])
    if new.is_guess or (old.told and not new.told):
        return old.higher_is_better
    if not old.is_guess and old.higher_is_better != new.higher_is_better:
        words = {True: "higher", False: "lower"}
        raise DataError(
            f"{new.metric}: {words[old.higher_is_better]} is better in the baseline, "
            f"{words[new.higher_is_better]} in the new scores. Say what the baseline says, or accept "
            "a new one."
        )
    return new.higher_is_better


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
            f"{listing(after)}. Evaluate the same tasks, say what was renamed with "
            f"`rename={{{before[0]!r}: {after[0]!r}}}`, or accept a new baseline."
        )
    if gone and not allowed:
        raise DataError(
            f"the new scores lack {count(len(gone), 'task')} of the baseline: {listing(gone)}. "
            "Evaluate the same tasks, gate some of them with `tasks`, or allow it with "
            "`allow_different_items=True`."
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


def _places(old: TaskTally, new: TaskTally) -> tuple[Sequence[int], Sequence[int]]:
    """Return where the shared questions stand in both, in the order of the new scores."""
    if old.items == new.items:
        both = range(len(new.items))
        return both, both
    known = {item: place for place, item in enumerate(old.items)}
    theirs = [place for place, item in enumerate(new.items) if item in known]
    return [known[new.items[place]] for place in theirs], theirs


def _taken(task: TaskTally, places: Sequence[int]) -> TaskTally:
    if isinstance(places, range) and places == range(len(task.items)):
        return task

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
        slices=cut(task.slices),
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
        codes = codes_of(labels)
        if codes.max() + 1 == codes.size:
            codes = None  # every question stands alone
    return MatchedTask(task=name, old=old, new=new, clusters=codes)


def codes_of(labels: Sequence[str]) -> IntArray:
    """Return whole numbers for labels, in the order in which they come."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)


def _same_groups(old: Sequence[str], new: Sequence[str]) -> bool:
    return bool(np.array_equal(codes_of(old), codes_of(new)))


# --- Hashes of scores and of questions, so that a file can say whether they are the same ---


def scores_hash(system: str, tallies: Iterable[Tally]) -> str:
    """Return the SHA-256 of all scores of a system; the order of tasks and questions is nothing."""
    plain = [
        [
            one.metric,
            one.higher_is_better,
            # Task by task, as sorted all together: names of tasks differ.
            [row for task in sorted(one.tasks, key=_by_name) for row in _hashed_rows(task)],
        ]
        for one in tallies
    ]
    return _sha256([system, sorted(plain)])


def _by_name(task: TaskTally) -> str:
    return task.task


def _hashed_rows(task: TaskTally) -> list[tuple[object, ...]]:
    """Return task, question and numbers of every question, sorted."""
    numbers = (task.sums.tolist(), task.squares.tolist(), task.samples.tolist())
    return sorted(zip(itertools.repeat(task.task), task.items, *numbers, strict=False))


def dataset_hash(keys: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 of the names of all questions, with their tasks, in order.

    Examples
    --------
    >>> dataset_hash([("math", "q2"), ("math", "q1")]) == dataset_hash([("math", "q1"), ("math", "q2")])
    True
    """
    return _sha256(sorted(map(list, keys)))


def _sha256(plain: object) -> str:
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- A short hash of a question, to notice that its text changed ---

_LENGTH = 16  # hexadecimal digits: among a million questions two are alike with chance 3e-8


def text_hash(text: str) -> str:
    """Return a hash of a text; of none, none.

    Examples
    --------
    >>> text_hash("What is 6 x 7?"), text_hash("")
    ('c38a56bdbe9b1516', '')
    """
    if not text:
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
