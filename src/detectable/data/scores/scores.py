"""Segment scores: one number per item, system and run, or several samples of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.check import LARGEST_SCORE
from detectable.core.choices import Repeats
from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.names import unwrapped
from detectable.data.scores.scored_texts import ScoredTexts


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedLog:
    """A log whose run asked a manager whether to go on, and what that left behind.

    Attributes
    ----------
    path, task, eval_id : str
        The log, its task, and its run.
    manager : str
        Who decided.
    logged, skipped : int
        Samples that ran, and that were not run.
    record : mapping
        What the manager wrote.
    """

    path: str
    task: str
    eval_id: str
    manager: str
    logged: int
    skipped: int
    record: Mapping[str, Any]

    @property
    def planned(self) -> int:
        """All samples."""
        return self.logged + self.skipped

    @property
    def is_ours(self) -> bool:
        """Whether a plan of this package decided, and said by which rule."""
        return self.manager == "detectable" and isinstance(self.record.get("rule"), Mapping)

    @property
    def plan(self) -> str:
        """The plan by its fingerprint, as people are told it; empty for other managers."""
        found = self.record.get("plan") or self.record.get("rule_sha256") or ""
        return str(found)[:8] if self.is_ours else ""

    def __str__(self) -> str:
        """Say who stopped the log, and at which share."""
        who = f"plan {self.plan}" if self.plan else repr(self.manager)
        ended = "was stopped early by" if self.skipped else "ran whole under"
        share = self.logged / max(self.planned, 1)
        return (
            f"{self.task} {ended} {who}: {count(self.logged, 'sample')} of {self.planned:,} logged "
            f"({share:.0%})."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores of several systems on the same items, by any segment-level metric.

    Build it with `Scores.build`, which checks the shapes, or with a reader.

    A *run* is a system trained or decoded once more: its score of one item has something in
    common with its scores of all others. A *sample* is one more answer to the same question: the
    second sample of one question has nothing in common with the second of another, and some may
    be missing. Then an item is scored where every system has at least one sample of it, and its
    score is their mean.

    Attributes
    ----------
    systems : mapping of str to array of shape (repeats, items)
        Scores of every run, or every sample, of every system. NaN marks what has no score.
    items : tuple of str
        Names of the items, in the order of the columns.
    documents : tuple of str or None
        The document of each item, or the passage of each question: items that depend on each
        other.
    tasks : tuple of str or None
        The task of each item, such as a language pair: parts of the evaluation with a score each.
    metric : str or None
        What the numbers measure (COMET, say), for tables and messages.
    lower_is_better : bool or None
        The direction, where the reader of the file knows it; None leaves it to the name.
    repeats : {'runs', 'samples'}
        What the rows are. A single row of every system is a run.
    questions : tuple of str or None
        Text or hash of the question behind each item, empty where a log does not tell: by it
        changed questions of an old name are noticed.
    slices : tuple of str or None
        What kind of item each is, where results are sliced by it: its language, say.
    original_languages : tuple of str or None
        In which language each item was first written; ``unknown`` where nothing says it.
    language_pair : str or None
        From which language into which the systems translate, where the file says it.
    stopped : tuple of StoppedLog
        Logs whose runs could be stopped early: plain tests of their scores say too much.
    evaluations : mapping of str to tuple of str
        By what the harness names the runs of each system, where its logs tell: a run is not held
        against itself.
    texts : mapping of system to its runs, or None
        What was scored, where the file holds it: beside texts it must be these texts.
    notes : tuple of str
        One sentence for everything that its reader left out, missed or renamed, with its count and
        its name.
    """

    systems: Mapping[str, FloatArray]
    items: tuple[str, ...]
    documents: tuple[str, ...] | None = None
    tasks: tuple[str, ...] | None = None
    metric: str | None = None
    lower_is_better: bool | None = None
    repeats: Repeats = "runs"
    questions: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    original_languages: tuple[str, ...] | None = None
    language_pair: str | None = None
    stopped: tuple[StoppedLog, ...] = field(default=(), repr=False, compare=False)
    evaluations: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    texts: ScoredTexts | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __repr__(self) -> str:
        parts = [count(len(self.systems), "system"), count(self.n_items, "item")]
        repeats = max(len(table) for table in self.systems.values())
        parts += [] if repeats == 1 else [count(repeats, self.repeats[:-1])]
        return f"<Scores{f' in {self.metric}' if self.metric else ''}: {', '.join(parts)}>"

    @classmethod
    def build(  # noqa: PLR0913 (what is known of items, a sequence each)
        cls,
        systems: Mapping[str, ArrayLike],
        *,
        items: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        metric: str | None = None,
        lower_is_better: bool | None = None,
        repeats: Repeats = "runs",
        questions: Sequence[str] | None = None,
        slices: Sequence[str] | None = None,
    ) -> "Scores":
        """Check tables of numbers and freeze them; a vector is one run.

        Examples
        --------
        >>> Scores.build({"A": [0, 1, 1], "B": [1, 1, 1]}).n_items
        3
        """
        check.literal(repeats, Repeats, "repeats")
        if not isinstance(systems, Mapping):
            raise InputError(
                f"`systems` must map systems to their scores; got {type(systems).__name__}. A frame or "
                "a file is read by `dt.read_scores`."
            )
        tables = {name: _table(name, values, repeats) for name, values in systems.items()}
        if not tables:
            raise DataError("there is no system to evaluate. Give scores of at least one.")
        sizes = {name: table.shape[1] for name, table in tables.items()}
        n = next(iter(sizes.values()))
        wrong = [f"{name!r} has {size}" for name, size in sizes.items() if size != n]
        if wrong or n == 0:
            raise DataError(
                "every system must be scored on the same items; the first has "
                f"{count(n, 'score')}, {listing(wrong) or 'so there is nothing to compare'}."
            )
        for label, labels in (
            ("items", items),
            ("documents", documents),
            ("tasks", tasks),
            ("questions", questions),
            ("slices", slices),
        ):
            if labels is not None and len(labels) != n:
                raise DataError(
                    f"`{label}` must name each of the {count(n, 'item')}; got {len(labels)}."
                )
        names = tuple(str(i + 1) for i in range(n)) if items is None else tuple(items)
        single = all(len(table) == 1 for table in tables.values())
        return cls(
            systems=tables,
            items=names,
            documents=None if documents is None else tuple(documents),
            tasks=None if tasks is None else tuple(tasks),
            metric=metric,
            lower_is_better=lower_is_better,
            repeats="runs" if single else repeats,
            questions=None if questions is None else tuple(questions),
            slices=None if slices is None else tuple(slices),
        )

    table = property(unwrapped)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def are_numbered(self) -> bool:
        """Whether items are called by their position, from 0 or 1, so that lines match them."""
        return any(
            self.items == tuple(map(str, range(first, first + len(self.items))))
            for first in (0, 1)
        )

    @property
    def outputs(self) -> tuple[tuple[str, int], ...]:
        """Every (system, run index), systems in order, runs within systems."""
        return tuple((name, r) for name in self.systems for r in range(self.n_runs(name)))

    @property
    def task_names(self) -> tuple[str, ...]:
        """The tasks, in the order in which they come; none where they are not known."""
        return () if self.tasks is None else tuple(dict.fromkeys(self.tasks))

    def incomplete(self) -> tuple[str, ...]:
        """Return the items that some run of some system has no score for.

        With samples: of which some system has no sample at all.
        """
        lacking = np.any if self.repeats == "runs" else np.all
        missing = np.any(
            [lacking(np.isnan(table), axis=0) for table in self.systems.values()], axis=0
        )
        return tuple(item for item, gap in zip(self.items, missing, strict=True) if gap)

    def complete(self) -> "Scores":
        """Return the table cut to the items that every system has a score for, as above."""
        gaps = set(self.incomplete())
        if not gaps:
            return self
        keep = [i for i, item in enumerate(self.items) if item not in gaps]
        if not keep:
            raise DataError("no item has a score for every system, so nothing can be compared.")
        return self.take(keep)

    def take(self, positions: Sequence[int]) -> "Scores":
        """Return the table with these items only, in this order."""
        keep = list(positions)

        def cut(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if labels is None else tuple(labels[i] for i in keep)

        return replace(
            self,
            systems={name: table[:, keep] for name, table in self.systems.items()},
            items=tuple(self.items[i] for i in keep),
            documents=cut(self.documents),
            tasks=cut(self.tasks),
            questions=cut(self.questions),
            slices=cut(self.slices),
            original_languages=cut(self.original_languages),
            texts=None
            if self.texts is None
            else {
                name: tuple(run.take(keep) for run in runs) for name, runs in self.texts.items()
            },
        )

    def of_task(self, task: str) -> "Scores":
        """Return the items of one task."""
        if task not in self.task_names:
            known = listing(list(self.task_names)) or "none"
            raise DataError(f"there is no task {task!r}. Found: {known}.")
        return self.take([i for i, name in enumerate(self.tasks or ()) if name == task])

    def of_one_task(self) -> "Scores":
        """Return the table where it holds one task; several are refused by who takes them together.

        Items of different languages or tasks are no sample of one kind of item.
        """
        if len(self.task_names) > 1:
            raise DataError(
                f"the scores hold {len(self.task_names)} tasks or language pairs: "
                f"{listing(list(self.task_names))}. Give those of one (--language, the log of "
                "one task, or `of_task`)."
            )
        return self

    def n_runs(self, system: str) -> int:
        """Return the number of runs of `system`; any number of samples are of one run."""
        return len(self.systems[system]) if self.repeats == "runs" else 1

    def n_samples(self, system: str) -> IntArray:
        """Return how many scores every item has."""
        known: IntArray = (~np.isnan(self.systems[system])).sum(axis=0)
        return known

    def missing_share(self, system: str) -> float:
        """Return the share of samples of `system` that have no score.

        An item should have as many as the item of its task that has most.
        """
        found = self.n_samples(system)
        tasks = np.zeros(self.n_items, dtype=np.int64)
        if self.tasks is not None:
            tasks = np.unique(self.tasks, return_inverse=True)[1]
        most = np.zeros(tasks.max() + 1, dtype=np.int64)
        np.maximum.at(most, tasks, found)
        wanted = int(most[tasks].sum())
        return 1.0 - float(found.sum()) / wanted if wanted else 1.0

    def averaged(self) -> "Scores":
        """Return the table with the mean of the samples of every item; runs stay as they are.

        Examples
        --------
        >>> several = Scores.build({"A": [[1, 0], [0, float("nan")]]}, repeats="samples")
        >>> several.averaged().systems["A"].tolist()
        [[0.5, 0.0]]
        """
        if self.repeats == "runs":
            return self
        means = {}
        for name, table in self.systems.items():
            known = self.n_samples(name)
            total = np.where(np.isnan(table), 0.0, table).sum(axis=0)
            mean = np.where(known > 0, total, np.nan) / np.maximum(known, 1)
            mean = mean[np.newaxis]
            mean.setflags(write=False)
            means[name] = mean
        return replace(self, systems=means, repeats="runs")


def _table(name: str, values: ArrayLike, repeats: Repeats) -> FloatArray:
    row = repeats.removesuffix("s")
    try:
        table = np.array(values, dtype=np.float64, ndmin=2)
    except (TypeError, ValueError) as error:
        raise DataError(f"scores of system {name!r} must be numbers ({error}).") from error
    if table.ndim != 2:
        raise DataError(
            f"scores of system {name!r} must be one row per {row}; got shape {table.shape}."
        )
    if (np.abs(table) > LARGEST_SCORE).any():
        at, item = np.argwhere(np.abs(table) > LARGEST_SCORE)[0]
        what = "infinite" if np.isinf(table[at, item]) else f"beyond ±{LARGEST_SCORE:g}"
        raise DataError(
            f"the score of system {name!r}, {row} {at + 1}, item {item + 1} is {what}."
        )
    table.setflags(write=False)
    return table
