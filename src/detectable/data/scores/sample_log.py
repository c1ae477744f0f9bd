"""Logs of evaluation harnesses: scores of samples by task, item and epoch."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath
from detectable.data.names import Runs, system_files
from detectable.data.scores.cells import Cell, assemble
from detectable.data.scores.direction import direction_of_name, is_spent
from detectable.data.scores.scores import Scores
from detectable.data.scores.task_metrics import metric_of_tasks


class Sample(NamedTuple):
    """The score of one sample in one epoch."""

    item: str
    epoch: int
    score: float
    line: int | None = None
    document: str | None = None
    question: str | None = None  # its text or a hash of it
    slice: str | None = None


@dataclass(frozen=True, slots=True)
class SampleLog:
    """The samples of one log file; the task is empty where nothing names it."""

    path: FilePath
    task: str
    samples: Sequence[Sample]


def with_labels(
    path: FilePath, samples: Sequence[Sample], about: Sequence[object], role: str, key: str
) -> list[Sample]:
    """Return the samples with what their metadata say under `key`, as their document or slice."""
    found = []
    for sample, named in zip(samples, about, strict=True):
        if not isinstance(named, Mapping) or named.get(key) is None:
            known = listing(list(named)) if isinstance(named, Mapping) and named else "none"
            raise DataError(
                f"{path}, sample {sample.item!r}: its metadata have no {key!r} for the {role}. "
                f"Found: {known}."
            )
        label = str(named[key])
        found.append(
            sample._replace(document=label)
            if role == "document"
            else sample._replace(slice=label)
        )
    return found


Questions: TypeAlias = dict[tuple[str, str], tuple[str, str]]


def check_question(
    known: Questions, question: tuple[str, str], found: object, where: str
) -> None:
    """Refuse an item that is another question than the one of this name in an earlier log.

    Parameters
    ----------
    known : dict
        Text or hash of every (task, item) so far, and where it stood.
    question : (task, item)
        Its name.
    found : str, or anything else where it is not known
        Its text or hash here.
    where : str
        For the message.
    """
    if not isinstance(found, str):
        return
    first, place = known.setdefault(question, (found, where))
    if first != found:
        raise DataError(
            f"{where}: question {question[1]!r} of task {question[0]!r} differs from that in "
            f"{place}. Run all systems on the same version of the task."
        )


def log_cells(logs: Mapping[str, Sequence[SampleLog]]) -> tuple[list[Cell], tuple[str, ...]]:
    """Return the scores of all logs of all systems, and a note if there are several tasks.

    The epochs of a log are samples of its items, and logs of the same task hold further samples.
    Logs of different tasks are parts of one evaluation: then an item is named ``task:item``. A
    single task keeps its name.
    """
    tasks = list(dict.fromkeys(log.task for of in logs.values() for log in of))
    several = len(tasks) > 1
    cells: list[Cell] = []
    for system, of in logs.items():
        done: Counter[str] = Counter()
        for log in of:
            for sample in log.samples:
                cells.append(  # noqa: PERF401  # as a comprehension it would not be readable
                    Cell(
                        system=system,
                        run=str(done[log.task] + sample.epoch),
                        item=f"{log.task}:{sample.item}" if several else sample.item,
                        score=sample.score,
                        path=str(log.path),
                        line=sample.line,
                        document=sample.document,
                        task=log.task or None,
                        question=sample.question,
                        slice=sample.slice,
                    )
                )
            done[log.task] += max((sample.epoch for sample in log.samples), default=0)
    note = f"{count(len(tasks), 'task')}: {listing(tasks, most=20)}."
    return cells, (note,) if several else ()


class SeveralFound(DataError):
    """A log holds several scores or filters, and nobody said which.

    Attributes
    ----------
    noun : str
        The option that chooses.
    found : tuple of str
        What there is.
    likely : str
        What most people would choose.
    """

    def __init__(self, where: str, noun: str, found: Sequence[str]) -> None:
        self.noun, self.found, self.likely = noun, tuple(found), likely_metric(found)
        super().__init__(
            f"{where}: the log holds {count(len(found), noun)}: {listing(list(found), most=20)}. "
            f"Choose one with {noun}='{self.likely}'."
        )


def choose(where: str, noun: str, found: Sequence[str], wanted: str | None) -> str:
    """Return the one thing that a log holds, or the one that was asked for."""
    if not found:
        raise DataError(f"{where}: the log holds no {noun}. Run the evaluation again.")
    if wanted is None and len(found) == 1:
        return found[0]
    if wanted is None:
        raise SeveralFound(where, noun, found)
    if wanted not in found:
        raise DataError(
            f"{where}: there is no {noun} {wanted!r}. Found: {listing(list(found), most=20)}."
        )
    return wanted


def likely_metric(found: Sequence[str]) -> str:
    """Return the first name that is known to score answers, else the first.

    HELM lists numbers of tokens, costs and run times before the scores.
    """
    known = (
        name for name in found if direction_of_name(name) != "unknown" and not is_spent(name)
    )
    return next((name for name in known if not name.startswith("num_")), found[0])


class ReadLog(NamedTuple):
    """What one file holds: a metric, the samples of each system in it, and notes."""

    metric: str
    systems: Mapping[str, SampleLog]
    notes: Sequence[str] = ()


def gather_logs(
    files: FilePath | Mapping[str, Runs],
    read: Callable[[FilePath], ReadLog],
    *,
    systems: Sequence[str] | None,
    lower_is_better: bool | None = None,
) -> Scores:
    """Return the scores of one file with all its systems, or of a file or more per system."""
    logs: dict[str, list[SampleLog]] = {}
    scored: list[tuple[str, str, list[float]]] = []
    notes: list[str] = []
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for name, paths in named.items():
        for path in paths:
            found = read(path)
            notes += found.notes
            if name and len(found.systems) > 1:
                raise DataError(
                    f"{path}: the file holds {len(found.systems)} systems "
                    f"({listing(list(found.systems))}); expected one for {name!r}. Give the path "
                    "alone to read them all."
                )
            for system, log in found.systems.items():
                logs.setdefault(name or system, []).append(log)
                scored.append((log.task, found.metric, [one.score for one in log.samples]))
    of_tasks = metric_of_tasks(scored)
    if lower_is_better is None:
        lower_is_better = of_tasks.lower_is_better
    cells, joined = log_cells(logs)
    return assemble(
        cells,
        metric=of_tasks.name,
        systems=systems,
        notes=(*notes, *joined, *of_tasks.notes),
        lower_is_better=lower_is_better,
        repeats="samples",
    )


def reads(
    read: Callable[..., ReadLog], *, same_questions: bool = False
) -> Callable[..., Scores]:
    """Return the `read` of a format, from what reads one file.

    Parameters
    ----------
    read : callable
        Takes a path and the metric that was asked for, or None, and what the format takes besides.
    same_questions : bool
        Whether it also takes `questions`, those of all files so far, for `check_question`.
    """

    def whole(
        files: FilePath | Mapping[str, Runs],
        *,
        metric: str | None = None,
        systems: Sequence[str] | None = None,
        **options: Any,
    ) -> Scores:
        if same_questions:
            options["questions"] = {}
        return gather_logs(files, partial(read, metric=metric, **options), systems=systems)

    return whole


def number_samples(
    rows: Iterable[tuple[str, float, int | None]],
) -> list[Sample]:
    """Return samples of (item, score, line); an item that comes again is its next epoch."""
    seen: Counter[str] = Counter()
    samples = []
    for item, score, line in rows:
        seen[item] += 1
        samples.append(Sample(item, seen[item], score, line))
    return samples
