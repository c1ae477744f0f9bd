"""Logs of evaluation harnesses task by task: which questions, in which order, with which answers."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below, is_folder
from detectable.data.files.place import FilePath
from detectable.data.formats import inspect as inspect_logs
from detectable.data.formats import lm_eval as lm_eval_logs
from detectable.data.names import file_stem
from detectable.data.reader import find_score_reader
from detectable.data.scores.direction import Direction, direction_of, direction_of_name
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.scores import Scores
from detectable.study.gate.matching import RIGHT_OR_WRONG

Sample = tuple[str, int]  # a question and its epoch, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLog:
    """What the logs of one task of one system hold.

    Attributes
    ----------
    paths : tuple of path
        Several where the task was run in blocks.
    system, task : str
        Empty task where nothing names it.
    metrics : tuple of str
        Its scorers.
    questions : mapping of str to str
        Every question that was answered, in the order of the file, and its text where it is short
        and known, else "".
    schedule : tuple of str or None
        The questions in the order in which they run, also those that did not; None where the
        harness does not say.
    shuffled : bool
        Whether the log says that this order is random.
    epochs : int
        Samples of a question, as planned.
    eval_id : str
        Of the run; empty where the harness has none.
    running : bool
        Whether the run has not ended yet.
    tokens, tokens_in, tokens_out, cost : float
        Means over samples; NaN where the log does not say.
    stopped : mapping or None
        What the manager of an early stop left behind, with its name under ``manager``.
    """

    paths: tuple[FilePath, ...]
    system: str
    task: str
    metrics: tuple[str, ...]
    questions: Mapping[str, str]
    schedule: tuple[str, ...] | None = None
    shuffled: bool = False
    epochs: int = 1
    eval_id: str = ""
    running: bool = False
    tokens: float = math.nan
    tokens_in: float = math.nan
    tokens_out: float = math.nan
    cost: float = math.nan
    stopped: Mapping[str, Any] | None = None
    groups: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # by metadata

    @property
    def order(self) -> tuple[str, ...]:
        """The questions in the order in which they run, or in which the file has them."""
        return tuple(self.questions) if self.schedule is None else self.schedule

    def grouped(self, key: str) -> dict[str, object]:
        """Return what every question belongs to, by a key of its metadata."""
        found = {}
        for item in self.order:
            about = self.groups.get(item, {})
            if key not in about:
                known = sorted({name for one in self.groups.values() for name in one})
                raise DataError(
                    f"{self.paths[0]}: question {item!r} has no {key!r} in its metadata. Found: "
                    f"{listing(known) or 'none'}."
                )
            found[item] = about[key]
        return found

    def chosen(self, metric: str | None) -> str:
        """Return the scorer that was asked for, or the only one."""
        if not self.metrics:
            raise DataError(
                f"{self.paths[0]}: no sample has a score, so nothing can be decided by it. Score the "
                "log, or run the evaluation again."
            )
        if metric is None and len(self.metrics) == 1:
            return self.metrics[0]
        if metric is None:
            raise DataError(
                f"the task {self.task or self.system} has {count(len(self.metrics), 'scorer')}: "
                f"{listing(list(self.metrics))}. Say which one decides: --metric "
                f"{self.metrics[0]}."
            )
        if metric not in self.metrics:
            raise DataError(
                f"the task {self.task or self.system} has no scorer {metric!r}. Found: "
                f"{listing(list(self.metrics))}."
            )
        return metric

    def direction(self, metric: str) -> Direction:
        """Return which way a scorer goes: by its name, else as the reader of the log says."""
        named = direction_of_name(metric)
        if named != "unknown":
            return named
        return direction_of(_scores(self.paths[0], self.system, metric))

    def answers(self, metric: str | None = None) -> dict[Sample, float | None]:
        """Return the score of every sample that has ended, None where it ended in an error."""
        found: dict[Sample, float | None] = {}
        for path in self.paths:
            for key, score in _answers(path, self.system, self.task, self.chosen(metric)):
                if key in found and found[key] != score:
                    raise DataError(
                        f"{path}: question {key[0]!r} has another score than in an earlier log "
                        "of the task. Give the logs of one run."
                    )
                found[key] = score
        return found

    def means(self, metric: str | None, errors: float | None) -> dict[str, float]:
        """Return the mean score of every question; errors count as told."""
        sums: dict[str, list[float]] = {}
        for (item, _), score in self.answers(metric).items():
            value = errors if score is None else score
            if value is not None:
                sums.setdefault(item, []).append(value)
        return {item: math.fsum(values) / len(values) for item, values in sums.items()}


def means_hash(means: Mapping[str, float]) -> str:
    """Return the SHA-256 of the scores of a baseline."""
    said = "\n".join(f"{item}\t{means[item]!r}" for item in sorted(means))
    return hashlib.sha256(said.encode()).hexdigest()


def task_logs(
    source: FilePath, *, system: str | None = None, likely: str | None = None
) -> dict[str, TaskLog]:
    """Return the tasks of one system in a log, or in a folder of logs.

    Of several logs of a task of Inspect the newest that finished is read. Those of the
    lm-evaluation-harness are blocks of one run.

    Parameters
    ----------
    system : str, optional
        Which one; needed where there are several.
    likely : str, optional
        Which one of several, where nobody says it.
    """
    found = _of_folder(Path(source)) if is_folder(source) else _of_file(source)
    systems = list(dict.fromkeys(log.system for log in found))
    if system is None and len(systems) > 1 and likely in systems:
        system = likely
    if system is not None and system not in systems:
        raise DataError(
            f"{source}: there is no system {system!r}. Found: {listing(systems, most=20)}."
        )
    if system is None and len(systems) > 1:
        raise DataError(
            f"{source}: {count(len(systems), 'system')}: {listing(systems, most=20)}. Say "
            f"which one is meant: --system {systems[-1]!r}."
        )
    kept = [log for log in found if system in (None, log.system)]
    if not kept:
        raise DataError(f"{source}: there is no log of an evaluation. Give a log, or a folder.")
    return {log.task: log for log in kept}


def _of_folder(folder: Path) -> list[TaskLog]:
    found = inspect_logs.find(folder).systems
    if found:
        return [_inspect(path, name) for name, paths in found.items() for path in paths]
    blocks: dict[tuple[str, str], list[Path]] = {}
    for path in files_below(folder, "samples_*.jsonl*", levels=DEEP):
        task, system = lm_eval_logs.task_of(path), path.absolute().parent.name
        blocks.setdefault((system, task), []).append(path)
    if blocks:
        return [_blocks(system, task, paths) for (system, task), paths in blocks.items()]
    return [
        log for path in sorted(folder.iterdir()) if path.is_file() for log in _of_file(path)
    ]


def _of_file(path: FilePath) -> list[TaskLog]:
    reader = find_score_reader(FileContent.of(path)).name
    if reader == "inspect":
        return [_inspect(path, None)]
    if reader == "lm-eval":
        system = Path(path).absolute().parent.name
        return [_blocks(system, lm_eval_logs.task_of(path), [Path(path)])]
    return _tables(path)


def _inspect(path: FilePath, system: str | None) -> TaskLog:
    content = inspect_logs.read_task_log(path)
    about, rows = content["eval"], content["samples"]
    dataset = about.get("dataset") or {}
    ids = dataset.get("sample_ids")
    results = content.get("results") or {}
    early = results.get("early_stopping")
    used = [row.get("model_usage") or {} for row in rows]
    return TaskLog(
        paths=(path,),
        system=system or str(about.get("model") or "model"),
        task=str(about.get("task")).rpartition("/")[2],
        metrics=inspect_logs.scorers_of(rows),
        questions={
            str(row["id"]): text if isinstance(text := row.get("input"), str) else ""
            for row in rows
        },
        schedule=tuple(map(str, ids)) if isinstance(ids, list) else None,
        shuffled=bool(dataset.get("shuffled"))
        or bool((about.get("config") or {}).get("sample_shuffle")),
        epochs=int((about.get("config") or {}).get("epochs") or 1),
        eval_id=str(about.get("eval_id") or ""),
        running=content.get("status") == "started",
        tokens=_mean_use(used, "total_tokens"),
        tokens_in=_mean_use(used, "input_tokens"),
        tokens_out=_mean_use(used, "output_tokens"),
        cost=_mean_use(used, "total_cost"),
        stopped=early if isinstance(early, dict) else None,
        groups={str(row["id"]): row.get("metadata") or {} for row in rows},
    )


def _mean_use(used: Sequence[Mapping[str, Any]], key: str) -> float:
    """Return the mean over samples of what all models together used."""
    found = []
    for sample in used:
        parts = [model.get(key) for model in sample.values() if isinstance(model, dict)]
        known = [part for part in parts if isinstance(part, int | float)]
        if known:
            found.append(float(sum(known)))
    return float(np.mean(found)) if found else math.nan


def _blocks(system: str, task: str, paths: Sequence[Path]) -> TaskLog:
    questions: dict[str, str] = {}
    metrics: tuple[str, ...] = ()
    for path in paths:
        metrics = _metrics(path, system)
        scores = read_scores({system: path}, metric=metrics[0])
        questions |= dict.fromkeys(scores.items, "")
    return TaskLog(
        paths=tuple(paths), system=system, task=task, metrics=metrics, questions=questions
    )


def _metrics(path: FilePath, system: str | None) -> tuple[str, ...]:
    source: Any = path if system is None else {system: path}
    try:
        found = read_scores(source)
    except SeveralFound as several:
        if several.noun != "metric":
            raise
        return several.found
    known = np.concatenate([table.ravel() for table in found.systems.values()])
    answers = bool(np.isin(known[np.isfinite(known)], (0.0, 1.0)).all())
    return (found.metric or (RIGHT_OR_WRONG if answers else "score"),)


def _tables(path: FilePath) -> list[TaskLog]:
    metrics = _metrics(path, None)
    scores = read_scores(path, metric=metrics[0] if len(metrics) > 1 else None)
    found = []
    for system in scores.systems:
        for task in scores.task_names or ("",):
            part = scores.of_task(task) if task else scores
            found.append(
                TaskLog(
                    paths=(path,),
                    system=system,
                    task=task,
                    metrics=metrics,
                    questions=dict.fromkeys(part.items, ""),
                    epochs=part.systems[system].shape[0],
                )
            )
    return found


def _answers(
    path: FilePath, system: str, task: str, metric: str
) -> list[tuple[Sample, float | None]]:
    reader = find_score_reader(FileContent.of(path))
    if reader.name == "inspect":
        rows = inspect_logs.read_task_log(path)["samples"]
        return list(inspect_logs.task_answers(path, rows, metric)[1].items())
    scores = _scores(path, system, metric)
    part = scores.of_task(task) if task in scores.task_names else scores
    table = part.systems[system]
    # A row that is there and has no score ended in an error; one that is not there has none either,
    # and these harnesses log what they ran.
    return [
        ((item, epoch + 1), float(value) if math.isfinite(value) else None)
        for epoch, row in enumerate(table.tolist())
        for item, value in zip(part.items, row, strict=True)
        if epoch == 0 or math.isfinite(value)
    ]


def _scores(path: FilePath, system: str, metric: str) -> Scores:
    reader = find_score_reader(FileContent.of(path))
    named: Any = {system: path} if reader.name in ("lm-eval", "inspect") else path
    return read_scores(named, metric=metric if len(_metrics(path, None)) > 1 else None)


def log_name(log: TaskLog) -> str:
    """Return what a task is called where nothing names it."""
    return log.task or file_stem(log.paths[0])
