"""Logs of Inspect (``.eval`` and ``.json``), a file or a folder of them."""

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from detectable.core.choices import LogErrors
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files import content as zstd
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below, unnoted_inputs
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import parse_json, read_json
from detectable.data.files.size_limit import read_limited, refuse_larger
from detectable.data.files.table import check_roles
from detectable.data.formats.inspect_runs import (
    LoggedRun,
    newest,
    refuse_different,
    system_names,
)
from detectable.data.names import Runs, system_files
from detectable.data.reader import Found, ScoredBy, ScoreReader
from detectable.data.scores.cells import assemble
from detectable.data.scores.sample_log import (
    Sample,
    SampleLog,
    choose,
    log_cells,
    with_labels,
)
from detectable.data.scores.score_folder import several_logs
from detectable.data.scores.scores import Scores, StoppedLog
from detectable.data.scores.task_metrics import metric_of_tasks

# A sample is one file, or from version 3 on a folder; its id may hold slashes of its own.
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)")
_WHOLE = 500  # characters of a question that summaries do not cut
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError)
# Inspect's own translation of answers into numbers: correct, incorrect, partial, no answer.
_CORRECT = frozenset("cipn")
_ANSWERS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "no": 0.0}
# What a sample took: a field of its own, or the sum over the models that it used. None of them is a
# scorer, so each must be asked for by its name.
_TOOK = {"latency": "total_time", "working_time": "working_time"}
_USED = {"tokens": "total_tokens", "output_tokens": "output_tokens", "cost": "total_cost"}
_ROLES = ("document", "slice")


def read_inspect(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    errors: LogErrors = "missing",
    columns: Mapping[str, str] | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read per-sample scores from logs of Inspect.

    Items are matched by sample id, epochs are samples of an item. The answers C, P, I and N count
    1, 0.5, 0 and 0, as in Inspect. A sample without a score (it failed, or the scorer abstained)
    is NaN and counted in the notes, as is an item that a log lacks. Several logs of one system
    hold further samples if they are of the same task, and other tasks otherwise; logs of one task
    that were run with different settings are refused.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The log or logs of every system; a single path is one system, named after its model.
    metric : str, optional
        Which scorer to take; ``scorer/key`` where its value is a dictionary. Needed if the log
        holds several. Or what samples took, unless they ended in an error: ``latency``,
        ``working_time``, ``tokens``, ``output_tokens``, ``cost``.
    systems : sequence of str, optional
        Which systems to take.
    errors : {'missing', 'zero'}
        Whether a sample that ended in an error has no score, or counts 0.
    columns : mapping of str to str, optional
        ``{"document": key}``: which key of a sample's metadata names what depends on each other,
        such as the passage that several questions are about; ``{"slice": key}``: which one names
        what results are sliced by, such as the language.
    tasks : sequence of str, optional
        Which tasks to take.
    """
    check_roles(columns or {}, _ROLES)
    notes: list[str] = []
    logs: dict[str, list[SampleLog]] = {}
    scored: list[tuple[str, str, list[float]]] = []
    right_or_wrong = True
    stopped: tuple[StoppedLog, ...] = ()
    evaluations: dict[str, tuple[str, ...]] = {}
    for system, of in _logs(files, tasks).items():
        notes += refuse_different(system, [LoggedRun.of(p, content) for p, content in of])
        logs[system] = []
        ids = [str(content["eval"].get("eval_id") or "") for _, content in of]
        evaluations[system] = tuple(filter(None, ids))
        for path, content in of:
            early = _stopped(path, content)
            stopped += () if early is None else (early,)
            # A plan of ours counts errors as the worst score, and so do its log and its conclusion.
            counted = "zero" if early is not None and early.is_ours else errors
            name, samples, answers = _samples(path, content["samples"], metric, counted)
            right_or_wrong = right_or_wrong and answers
            for role, key in (columns or {}).items():
                about = [row.get("metadata") for row in content["samples"]]
                samples = with_labels(path, samples, about, role, key)
            task = str(content["eval"].get("task"))
            scored.append((task, name, [sample.score for sample in samples]))
            logs[system].append(SampleLog(path, task, samples))
            notes += _status_notes(path, content, counted)
    of_tasks = metric_of_tasks(scored, noun="scorers")
    cells, joined = log_cells(logs)
    made = assemble(
        cells,
        metric=of_tasks.name,
        systems=systems,
        notes=(*notes, *joined, *of_tasks.notes),
        lower_is_better=False if right_or_wrong else of_tasks.lower_is_better,
        repeats="samples",
    )
    return replace(made, stopped=stopped, evaluations=evaluations)


def _stopped(path: FilePath, content: Mapping[str, Any]) -> StoppedLog | None:
    """Return what a manager of early stopping left in a log; None where nothing could stop it."""
    early = (content.get("results") or {}).get("early_stopping")
    if not isinstance(early, dict):
        return None
    record = early.get("metadata")
    skipped = early.get("early_stops")
    manager = str(early.get("manager") or "a manager without a name")
    found = StoppedLog(
        path=str(path),
        task=str(content["eval"].get("task")),
        eval_id=str(content["eval"].get("eval_id") or ""),
        manager=manager,
        logged=len(content["samples"]),
        skipped=len(skipped) if isinstance(skipped, list) else 0,
        record=record if isinstance(record, dict) else {},
    )
    return found if found.skipped or found.is_ours else None


def _logs(
    files: FilePath | Mapping[str, Runs], tasks: Sequence[str] | None = None
) -> dict[str, list[tuple[FilePath, dict[str, Any]]]]:
    """Return the logs of these tasks, by system; a single file is named after its model."""
    if isinstance(files, Mapping):
        found = {
            system: [(path, _content(path)) for path in paths]
            for system, paths in system_files(files).items()
        }
    else:
        content = _content(files)
        found = {str(content["eval"].get("model") or "model"): [(files, content)]}
    if tasks is None:
        return found
    return {
        system: [(path, log) for path, log in of if str(log["eval"].get("task")) in tasks]
        for system, of in found.items()
    }


def scored_by(files: FilePath | Mapping[str, Runs], **_: Any) -> dict[str, ScoredBy]:
    """Return the scorers of every task, and what its samples took."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for of in _logs(files).values():
        for path, content in of:
            rows = _checked(path, content["samples"])
            names, measures = found.setdefault(str(content["eval"].get("task")), ({}, {}))
            for row in rows:
                names.update(dict.fromkeys(_values(row)))
            for name in (*_TOOK, *_USED):
                if any(_measure(row, name) is not None for row in rows):
                    measures[name] = None
    return {task: ScoredBy(tuple(of), tuple(took)) for task, (of, took) in found.items()}


def _content(path: FilePath) -> dict[str, Any]:
    """Return a log as {eval, status, samples}, whichever form it is stored in."""
    content = read_task_log(path)
    if not content["samples"]:
        raise DataError(
            f"{path}: the log holds no samples. The evaluation failed, or was run with "
            "--no-log-samples; run it again without."
        )
    return content


def read_task_log(path: FilePath) -> dict[str, Any]:
    """Return a log as above, also one without samples: nothing has run yet."""
    file = FileContent.of(path)
    if "inspect" not in file.kept:
        content = _unpack(path, file.data, _read_archive) if file.is_zip else read_json(file)
        if not isinstance(content, dict) or not isinstance(content.get("eval"), dict):
            raise DataError(f"{path}: this is no log of Inspect: it has no 'eval' part.")
        found = content.get("samples")
        file.kept["inspect"] = {**content, "samples": found if isinstance(found, list) else []}
    kept: dict[str, Any] = file.kept["inspect"]
    return kept


def log_header(path: FilePath) -> dict[str, Any]:
    """Return what a log says about itself: its status, and under ``eval`` model and task."""
    file = FileContent.of(path)
    content = _unpack(path, file.data, _header) if file.is_zip else read_json(file)
    if not isinstance(content, dict) or not isinstance(content.get("eval"), dict):
        raise DataError(f"{path}: this is no log of Inspect: it has no 'eval' part.")
    return content


def _unpack(path: FilePath, data: bytes, read: Callable[[FilePath, Any], Any]) -> Any:
    errors: tuple[type[Exception], ...] = (
        *_DAMAGE,
        KeyError,
        RuntimeError,
        ValueError,
        OSError,
    )
    try:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return read(path, archive)
        except NotImplementedError:  # zstd, which the standard library has from 3.14 on
            newer, errors = _with_zstd(path, errors)
        with newer.ZipFile(io.BytesIO(data)) as archive:
            return read(path, archive)
    except DataError:
        raise
    except errors as error:
        raise DataError(f"{path}: the log is damaged ({error}). Copy it again.") from error


def _with_zstd(
    path: FilePath, errors: tuple[type[Exception], ...]
) -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        newer: Any = zstd.zip_module()
        own = zstd.zstd_damage()
    except ImportError as error:
        raise DataError(
            f"{path}: the log is compressed with zstd, which needs backports.zstd before Python "
            "3.14: pip install backports.zstd. Or convert it: inspect log convert --to json "
            "--output-dir DIR LOG."
        ) from error
    return newer, (*errors, newer.BadZipFile, own)


def _header(path: FilePath, archive: zipfile.ZipFile) -> Any:
    names = archive.namelist()
    return _member(
        path, archive, "header.json" if "header.json" in names else "_journal/start.json"
    )


def _read_archive(path: FilePath, archive: zipfile.ZipFile) -> Any:
    names = archive.namelist()
    content = _header(path, archive)
    samples = [name for name in names if _SAMPLE.fullmatch(name)]
    # The summaries hold the same scores without the transcripts, which can be gigabytes; an
    # evaluation that did not finish has none, or not all.
    listed = _member(path, archive, "summaries.json") if "summaries.json" in names else []
    complete = isinstance(listed, list) and len(listed) >= len(samples)
    if not complete:
        refuse_larger(sum(archive.getinfo(name).file_size for name in samples), path)
    found = listed if complete else [_member(path, archive, name) for name in samples]
    return {**content, "samples": found} if isinstance(content, dict) else None


def _member(path: FilePath, archive: zipfile.ZipFile, name: str) -> Any:
    refuse_larger(archive.getinfo(name).file_size, f"{path}/{name}")
    with archive.open(name) as file:
        text = read_limited(file, f"{path}/{name}").decode("utf-8", errors="replace")
    return parse_json(text, f"{path}/{name}")


def _samples(
    path: FilePath, rows: Sequence[Any], metric: str | None, errors: LogErrors
) -> tuple[str, list[Sample], bool]:
    """Return the scorer, its scores, and whether they say right or wrong, whatever it is called."""
    found: dict[str, None] = {}
    for row in _checked(path, rows):
        found.update(dict.fromkeys(_values(row)))
    if metric in (*_TOOK, *_USED) and metric not in found:
        return metric, _measured(path, rows, metric), False
    if not found:
        raise DataError(f"{path}: no sample has a score. Score the log with inspect score.")
    name = choose(str(path), "metric", list(found), metric)
    samples = [
        Sample(
            str(row["id"]),
            row.get("epoch", 1),
            0.0
            if errors == "zero" and row.get("error")
            else _score(
                _values(row).get(name), f"{path}, sample {row['id']!r}, scorer {name!r}"
            ),
            question=_question(row.get("input")),
        )
        for row in rows
    ]
    values = [value for row in rows if (value := _values(row).get(name)) is not None]
    answers = all(isinstance(one, str) and one.lower() in _CORRECT for one in values)
    return name, samples, answers


def _checked(path: FilePath, rows: Sequence[Any]) -> Sequence[Any]:
    for number, row in enumerate(rows, start=1):
        if not _is_sample(row):
            raise DataError(
                f"{path}: sample {number} needs an id, a whole epoch and scores by scorer; found "
                f"{quote(row)}. Is it a log of Inspect?"
            )
    return rows


def _measured(path: FilePath, rows: Sequence[Any], name: str) -> list[Sample]:
    """Return what samples took; what took an error is no measure of an answer."""
    found = [None if row.get("error") else _measure(row, name) for row in rows]
    if all(value is None for value in found):
        raise DataError(
            f"{path}: the log holds no {name} of its samples. Gate what it holds, or run it with a "
            "newer version of Inspect."
        )
    return [
        Sample(
            str(row["id"]),
            row.get("epoch", 1),
            parse_score(value, f"{path}, sample {row['id']!r}, {name}"),
            question=_question(row.get("input")),
        )
        for row, value in zip(rows, found, strict=True)
    ]


def _measure(row: Mapping[str, Any], name: str) -> object:
    """Return what a sample took, by one name; None where the log does not say."""
    if name in _TOOK:
        return row.get(_TOOK[name])
    used = row.get("model_usage")
    parts: list[float] = []
    for of in used.values() if isinstance(used, dict) else ():
        part = of.get(_USED[name]) if isinstance(of, dict) else None
        if not isinstance(part, int | float):
            return None  # a sum of what is known would be too small
        parts.append(part)
    return sum(parts) if parts else None


def _question(asked: object) -> str | None:
    """Return a question that a log keeps whole; long ones and talks are cut in its summaries."""
    return asked if isinstance(asked, str) and len(asked) <= _WHOLE else None


def _is_sample(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("id"), str | int)
        and isinstance(row.get("epoch", 1), int)
        and isinstance(row.get("scores") or {}, dict)
    )


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all scorers; a dictionary gives one value per key."""
    values: dict[str, Any] = {}
    for scorer, score in (row.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            values |= {f"{scorer}/{key}": part for key, part in value.items()}
        else:
            values[scorer] = value
    return values


def _score(value: object, where: str) -> float:
    if isinstance(value, str) and value.lower() in _ANSWERS:
        return _ANSWERS[value.lower()]
    return parse_score(value, where)


def _status_notes(path: FilePath, content: Mapping[str, Any], errors: LogErrors) -> list[str]:
    notes = []
    status = content.get("status")
    if status is not None and status != "success":
        notes.append(f"{path}: the evaluation did not finish (status {status!r}).")
    failed = sum(1 for row in content["samples"] if row.get("error"))
    if failed:
        said = f"{path}: {count(failed, 'sample')} ended in an error"
        notes.append(
            f"{said} and {'count' if failed > 1 else 'counts'} 0."
            if errors == "zero"
            else f"{said}."
        )
    return notes


# --- Logs of Inspect, a file or a folder of them ---

_NO_LOGS = frozenset(("logs.json", "eval-set.json"))  # what Inspect writes beside them


def recognise(content: FileContent) -> bool:
    """Tell by a ZIP archive that is no workbook, or by the part “eval” of a JSON log."""
    log = content.is_zip and not content.is_workbook
    return log or isinstance(content.first_object.get("eval"), dict)


def find(folder: Path, *, pool: bool = False) -> Found:
    """Return the logs of every system: of each of its tasks the newest that succeeded, or all.

    Runs of a model that differ in what they were given (arguments, metadata, tags, the revision of
    the code) are different systems.
    """
    with (
        unnoted_inputs()
    ):  # a log that is left out is no input; one that is read is opened again
        runs = list(_runs(folder))
    by_task: dict[tuple[str, str], list[LoggedRun]] = {}
    for run, name in zip(runs, system_names(runs), strict=True):
        by_task.setdefault((name, run.task), []).append(run)
    found: dict[str, list[Path]] = {}
    failed, several = 0, dict[str, tuple[int, str]]()
    for (name, task), logs in by_task.items():
        last = newest(logs)
        finished = sorted((run for run in logs if run.finished), key=lambda run: run.age)
        read = finished if pool and finished else [last]
        found.setdefault(name, []).extend(Path(run.path) for run in read)
        failed += len(logs) - max(len(finished), 1)
        if len(finished) > len(read):
            several[task] = (len(finished), Path(last.path).name)
    notes = several_logs(folder, several)
    if failed:
        notes.append(
            f"{folder}: {count(failed, 'log')} of tasks that were tried again left out."
        )
    return Found(found, notes)


def _runs(folder: Path) -> Iterator[LoggedRun]:
    paths = [
        path
        for end in ("eval", "json")
        for path in files_below(folder, f"*.{end}", levels=DEEP)
    ]
    for path in sorted(path for path in paths if path.name not in _NO_LOGS):
        if path.suffix == ".json" and not recognise(FileContent(path)):
            continue
        try:
            header = log_header(path)
        except DataError:
            if path.suffix == ".eval":
                raise
            continue  # a JSON file of something else
        yield LoggedRun.of(path, header)


SCORES = ScoreReader(
    name="inspect",
    about=".eval or .json logs of Inspect, files or folders",
    recognise=recognise,
    read=read_inspect,
    order=10,
    takes=("columns", "errors", "pool", "tasks"),
    find=find,
    scored_by=scored_by,
)


# --- A single log as a run of one task: its schedule, what it logged, and whether it was stopped ---


def task_answers(
    path: FilePath, rows: Sequence[Any], metric: str | None
) -> tuple[str, dict[tuple[str, int], float | None]]:
    """Return the scorer, and the score of every sample; None for one that ended without a score."""
    name, samples, _ = _samples(path, rows, metric, "missing")
    failed = {(str(row["id"]), row.get("epoch", 1)) for row in rows if row.get("error")}
    return name, {
        key: None if key in failed or one.score != one.score else one.score
        for one in samples
        for key in [(one.item, one.epoch)]
    }


def scorers_of(rows: Sequence[Any]) -> tuple[str, ...]:
    """Return the scorers of a log, in the order in which its samples name them."""
    found: dict[str, None] = {}
    for row in rows:
        found.update(dict.fromkeys(_values(row)))
    return tuple(found)
