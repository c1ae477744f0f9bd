"""Records of Every Eval Ever: JSON lines of single questions, beside a summary of the same name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from detectable.core.choices import LogErrors
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json, read_json_lines
from detectable.data.files.table import check_roles
from detectable.data.names import Runs, system_files, value_name
from detectable.data.reader import Found, ScoredBy, ScoreReader
from detectable.data.scores import sample_log
from detectable.data.scores.cells import assemble
from detectable.data.scores.score_folder import several_logs
from detectable.data.scores.scores import Scores
from detectable.data.scores.task_metrics import metric_of_tasks

_RECORD = frozenset(("evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"))
_SUMMARY = frozenset(("evaluation_id", "model_info", "evaluation_results"))
_SCORE, _RIGHT = "score", "is_correct"
# What an answer took: the part of a record, and its field.
_TOOK = {
    "latency": ("performance", "latency_ms"),
    "tokens": ("token_usage", "total_tokens"),
    "output_tokens": ("token_usage", "output_tokens"),
}
_ROLES = ("document", "slice")


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a record, or of a summary, which is refused when it is read."""
    keys = content.first_object.keys()
    return keys >= _RECORD or keys >= _SUMMARY


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    errors: LogErrors = "missing",
    columns: Mapping[str, str] | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read the score of every question from records of Every Eval Ever (schema 0.2).

    A system is a model, a task an evaluation, an item a sample; a sample that comes again is a
    further answer. Which way a score goes is told by the summary beside the records, and by
    scores that say no more than whether an answer is right.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The records of every system; a single file may hold several models.
    metric : str, optional
        ``score`` by default, or ``is_correct``; where an evaluation has several results, which of
        them (``evaluation_result_id``). Or what an answer took: ``latency`` (milliseconds),
        ``tokens``, ``output_tokens``.
    systems : sequence of str, optional
        Which systems to take.
    errors : {'missing', 'zero'}
        Whether a sample with an error has no score, or counts 0.
    columns : mapping of str to str, optional
        ``{"document": key}``, ``{"slice": key}``: keys of the samples' metadata.
    tasks : sequence of str, optional
        Which tasks to take.
    """
    check_roles(columns or {}, _ROLES)
    hashes: sample_log.Questions = {}
    logs: dict[str, list[sample_log.SampleLog]] = {}
    scored: list[tuple[str, str, list[float]]] = []
    lower: set[bool | None] = set()
    notes: list[str] = []
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for system, paths in named.items():
        for path in paths:
            groups = _groups(path)
            models = list(dict.fromkeys(model for model, _ in groups))
            if system and len(models) > 1:
                raise DataError(
                    f"{path}: the records are of {len(models)} models ({listing(models)}); expected "
                    f"one for {system!r}. Give the path alone to read them all."
                )
            for (model, task), rows in groups.items():
                if tasks is not None and task not in tasks:
                    continue
                found = _one(path, task, rows, metric, errors, hashes)
                samples = found.samples
                for role, key in (columns or {}).items():
                    about = [row.get("metadata") for _, row in found.rows]
                    samples = sample_log.with_labels(path, samples, about, role, key)
                scored.append((task, found.metric, [one.score for one in samples]))
                lower.add(found.lower_is_better)
                notes += found.notes
                logs.setdefault(system or model, []).append(
                    sample_log.SampleLog(path, task, samples)
                )
    of_tasks = metric_of_tasks(scored)
    cells, joined = sample_log.log_cells(logs)
    told = lower.pop() if lower in ({True}, {False}) else of_tasks.lower_is_better
    return assemble(
        cells,
        metric=of_tasks.name,
        systems=systems,
        notes=(*notes, *joined, *of_tasks.notes),
        lower_is_better=told,
        repeats="samples",
    )


class _Scored(NamedTuple):
    """The records of one model on one task, by one metric."""

    metric: str
    samples: Sequence[sample_log.Sample]
    rows: Sequence[tuple[int, dict[str, Any]]]
    lower_is_better: bool | None
    notes: Sequence[str]


def _one(
    path: FilePath,
    task: str,
    rows: Sequence[tuple[int, dict[str, Any]]],
    metric: str | None,
    errors: LogErrors,
    hashes: sample_log.Questions,
) -> _Scored:
    results = _results(rows)
    measured = metric in _TOOK
    if len(results) > 1:
        # Each result repeats the samples, with what they took.
        chosen = (
            results[0]
            if measured
            else sample_log.choose(f"{path}, {task}", "metric", results, metric)
        )
        rows = [(line, row) for line, row in rows if row.get("evaluation_result_id") == chosen]
        name = str(metric) if measured else chosen
    else:
        name = _SCORE if metric is None else metric
        if not measured:
            sample_log.choose(f"{path}, {task}", "metric", [_SCORE, _RIGHT, *results], name)
        chosen = results[0] if results else ""
    field = _RIGHT if name == _RIGHT else _SCORE
    zero = errors == "zero" and not measured
    failed, made = 0, []
    for line, row in rows:
        value = _took(row, name) if measured else row["evaluation"].get(field)
        if row.get("error"):
            failed += 1
            value = 0.0 if zero else None
        item = str(row["sample_id"])
        where = place(path, line)
        sample_log.check_question(hashes, (task, item), _question(row), where)
        made.append((item, parse_score(value, path, line, name), line))
    if measured and all(one[1] != one[1] for one in made):
        raise DataError(f"{path}: the records of {task} hold no {name}. Gate what they hold.")
    lower = None if measured else False if field == _RIGHT else _lower(path, task, chosen, rows)
    note = f"{path}: {count(failed, 'sample')} of {task} ended in an error"
    said = f"{note}{' and count 0' if failed > 1 else ' and counts 0'}." if zero else f"{note}."
    samples = sample_log.number_samples(made)
    return _Scored(name, samples, rows, lower, [said] if failed else [])


def _results(rows: Sequence[tuple[int, dict[str, Any]]]) -> list[str]:
    """Return the results that the records of a task are of: an evaluation may have several."""
    named = (row.get("evaluation_result_id") for _, row in rows)
    return list(dict.fromkeys(one for one in named if isinstance(one, str)))


def _lower(
    path: FilePath, task: str, result: str, rows: Sequence[tuple[int, dict[str, Any]]]
) -> bool | None:
    """Return whether less is better, as the summary says; False where scores are right or wrong."""
    summary = Path(path).with_suffix(".json")
    content = read_json(summary) if summary.is_file() else None
    listed = content.get("evaluation_results") if isinstance(content, dict) else None
    for one in listed if isinstance(listed, list) else ():
        config = one.get("metric_config") if isinstance(one, dict) else None
        told = config.get("lower_is_better") if isinstance(config, dict) else None
        same = one.get("evaluation_result_id") == result if result else True
        if isinstance(told, bool) and one.get("evaluation_name") == task and same:
            return told
    right = all(
        isinstance(row["evaluation"].get(_RIGHT), bool)
        and row["evaluation"].get(_SCORE) == row["evaluation"][_RIGHT]
        for _, row in rows
    )
    return False if right else None


def _took(row: Mapping[str, Any], name: str) -> object:
    part, field = _TOOK[name]
    of = row.get(part)
    return of.get(field) if isinstance(of, dict) else None


def _question(row: Mapping[str, Any]) -> str | None:
    """Return the hash of a question, or its text."""
    hashed = row.get("sample_hash")
    if isinstance(hashed, str):
        return hashed
    asked = row.get("input")
    return value_name(asked["raw"]) if isinstance(asked, dict) and "raw" in asked else None


def _groups(path: FilePath) -> dict[tuple[str, str], list[tuple[int, dict[str, Any]]]]:
    """Return the records of a file by model and task."""
    content = FileContent.of(path)
    if "every-eval-ever" in content.kept:
        known: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = content.kept[
            "every-eval-ever"
        ]
        return known
    if content.first_object.keys() >= _SUMMARY:
        raise DataError(
            f"{path}: this is a summary of Every Eval Ever and holds no scores of single questions. "
            f"Give its records, {Path(path).with_suffix('.jsonl').name}."
        )
    found: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = {}
    for line, row in read_json_lines(path):
        if not (row.keys() >= _RECORD and isinstance(row["evaluation"], dict)):
            raise DataError(
                f"{place(path, line)}: expected a record with {', '.join(sorted(_RECORD))}, found "
                f"{quote(row)}."
            )
        key = (str(row["model_id"]), str(row["evaluation_name"]))
        found.setdefault(key, []).append((line, row))
    content.kept["every-eval-ever"] = found
    return found


def scored_by(files: FilePath | Mapping[str, Runs], **_: Any) -> dict[str, ScoredBy]:
    """Return the results of every task, and what its answers took."""
    metrics: dict[str, dict[str, None]] = {}
    measures: dict[str, dict[str, None]] = {}
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for path in (path for paths in named.values() for path in paths):
        for (_model, task), rows in _groups(path).items():
            results = _results(rows)
            metrics.setdefault(task, {}).update(
                dict.fromkeys(results if len(results) > 1 else [_SCORE])
            )
            took = [n for n in _TOOK if any(_took(row, n) is not None for _, row in rows)]
            measures.setdefault(task, {}).update(dict.fromkeys(took))
    return {task: ScoredBy(tuple(of), tuple(measures[task])) for task, of in metrics.items()}


def find(folder: Path, *, pool: bool = False) -> Found:
    """Return the newest records of every evaluation, or all, by model (``BENCHMARK/MODEL/*.jsonl``)."""
    dated: dict[tuple[str, str], list[tuple[float, str, Path]]] = {}
    for path in files_below(folder, "*.jsonl", levels=DEEP):
        first = FileContent(path).first_object
        if first.keys() >= _RECORD:
            about, _, when = str(first["evaluation_id"]).rpartition("/")
            stamp = float(when) if when.replace(".", "", 1).isdigit() else 0.0
            dated.setdefault((str(first["model_id"]), about), []).append(
                (stamp, path.name, path)
            )
    found: dict[str, list[Path]] = {}
    newest: dict[str, tuple[int, str]] = {}
    for (model, about), logs in dated.items():
        kept = [path for *_, path in sorted(logs)]
        if len(kept) > 1 and not pool:
            newest[about] = (len(kept), kept[-1].name)
            kept = kept[-1:]
        found.setdefault(model, []).extend(kept)
    return Found(found, several_logs(folder, newest))


SCORES = ScoreReader(
    name="every-eval-ever",
    about="records of Every Eval Ever (.jsonl beside the summary), files or folders",
    recognise=recognise,
    read=read,
    order=22,
    takes=("columns", "errors", "pool", "tasks"),
    find=find,
    scored_by=scored_by,
)
