"""Sample logs of the lm-evaluation-harness (``--log_samples``), a file or a folder of them."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json, read_json_lines
from detectable.data.names import Runs, file_stem, system_files
from detectable.data.reader import Found, ScoredBy, ScoreReader
from detectable.data.scores import sample_log
from detectable.data.scores.cells import assemble
from detectable.data.scores.direction import direction_of_name
from detectable.data.scores.score_folder import several_logs
from detectable.data.scores.scores import Scores
from detectable.data.scores.task_metrics import metric_of_tasks

# What a sample holds besides its metrics, for older logs, which have no list “metrics”.
_FIELDS = frozenset(("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
                     "metrics", "doc_hash", "prompt_hash", "target_hash"))  # fmt: skip
_NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+")
_DATED = re.compile(r"samples_.+_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl(?:\.\w+)?")


def read_lm_eval(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    filter: str | None = None,
    systems: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read per-question scores from files ``samples_<task>_<time>.jsonl``.

    Items are matched by ``doc_id``, and must be the same questions (``doc_hash``). An item
    that some system lacks is NaN there and counted in the notes. Several files of one system
    hold further samples if they are of the same task, and other tasks otherwise.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The log or logs of every system; a single path is one system, named after its folder,
        as the harness names it.
    metric : str, optional
        Which metric to take, such as ``acc_norm``; needed if the log holds several.
    filter : str, optional
        Which answer filter to take, such as ``strict-match``; needed if there are several.
    systems : sequence of str, optional
        Which systems to take.
    tasks : sequence of str, optional
        Which tasks to take.
    """
    named = files if isinstance(files, Mapping) else {_system(files): files}
    hashes: sample_log.Questions = {}
    logs: dict[str, list[sample_log.SampleLog]] = {}
    scored: list[tuple[str, str, list[float]]] = []
    said: set[bool | None] = set()
    for system, paths in system_files(named).items():
        logs[system] = []
        for path in paths:
            if tasks is not None and task_of(path) not in tasks:
                continue
            name, log = _read(path, metric, filter, hashes)
            said.add(_lower_is_better(path, log.task, name))
            scored.append((log.task, name, [sample.score for sample in log.samples]))
            logs[system].append(log)
    of_tasks = metric_of_tasks(scored)
    cells, notes = sample_log.log_cells(logs)
    return assemble(
        cells,
        metric=of_tasks.name,
        systems=systems,
        notes=(*notes, *of_tasks.notes),
        lower_is_better=said.pop() if said in ({True}, {False}) else of_tasks.lower_is_better,
        repeats="samples",
    )


def _lower_is_better(path: FilePath, task: str, metric: str) -> bool | None:
    """Return which way a metric goes whose name does not tell, as the summary of the run says."""
    named = _DATED.fullmatch(Path(path).name)
    if named is None or direction_of_name(metric) != "unknown":
        return None
    summary = Path(path).with_name(f"results_{named[1]}.json")
    content = read_json(summary) if summary.is_file() else None
    by_task = content.get("higher_is_better") if isinstance(content, dict) else None
    of_task = by_task.get(task) if isinstance(by_task, dict) else None
    higher = of_task.get(metric) if isinstance(of_task, dict) else None
    return None if not isinstance(higher, bool) else not higher


def task_of(path: FilePath) -> str:
    """Return the task that the name of a file of samples tells."""
    stem = file_stem(path)
    match = _NAME.fullmatch(stem)
    return match[1] if match else stem


def _system(path: FilePath) -> str:
    return Path(path).absolute().parent.name or file_stem(path)


def _read(
    path: FilePath, metric: str | None, filter: str | None, hashes: sample_log.Questions
) -> tuple[str, sample_log.SampleLog]:
    task, rows = task_of(path), _rows(path)
    filters = list(dict.fromkeys(str(row.get("filter", "none")) for _, row in rows))
    chosen = sample_log.choose(str(path), "filter", filters, filter)
    kept = [(n, row) for n, row in rows if str(row.get("filter", "none")) == chosen]
    name = sample_log.choose(str(path), "metric", _metrics(row for _, row in kept), metric)
    samples = []
    for line, row in kept:
        item = str(row["doc_id"])
        asked = row.get("doc_hash")
        sample_log.check_question(hashes, (task, item), asked, place(path, line))
        score = _score(row.get(name), name, path, line)
        samples.append(
            sample_log.Sample(
                item, 1, score, line, question=asked if isinstance(asked, str) else None
            )
        )
    return name, sample_log.SampleLog(path, task, samples)


def _rows(path: FilePath) -> list[tuple[int, dict[str, Any]]]:
    kept = FileContent.of(path).kept
    if "lm-eval" in kept:
        known: list[tuple[int, dict[str, Any]]] = kept["lm-eval"]
        return known
    rows = kept["lm-eval"] = list(read_json_lines(path))
    for line, row in rows:
        if "doc_id" not in row:
            raise DataError(
                f"{place(path, line)}: there is no doc_id. Write the log with lm_eval "
                "--log_samples."
            )
    return rows


def _metrics(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the metrics of a log, those with a number for the single answer first."""
    found: dict[str, bool] = {}
    for row in rows:
        listed = row.get("metrics")
        names = listed if isinstance(listed, list) else row.keys() - _FIELDS
        for name in names:
            if isinstance(name, str):
                numbered = isinstance(row.get(name), int | float)
                found[name] = found.get(name, False) or numbered
    return sorted(found, key=lambda name: (not found[name], name))


def _score(value: object, metric: str, path: FilePath, line: int) -> float:
    if isinstance(value, list | dict | str):
        raise DataError(
            f"{place(path, line)}: metric {metric!r} holds {quote(value)} and no score of the "
            "single answer; the harness computes it over all answers at once. Choose another "
            "metric."
        )
    return parse_score(value, path, line, metric)


# --- Sample logs of the lm-evaluation-harness, a file or a folder of them ---

_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_ANSWERS = ("resps", "filtered_resps", "doc_hash")


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a sample, or of a summary, which is refused when it is read."""
    entry = content.first_object
    sample = "doc_id" in entry and not entry.keys().isdisjoint(_ANSWERS)
    return sample or _is_summary(content)


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    filter: str | None = None,
    systems: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read the samples of every system (see `read_lm_eval`), and refuse summaries."""
    _refuse_summaries(files)
    return read_lm_eval(files, metric=metric, filter=filter, systems=systems, tasks=tasks)


def scored_by(
    files: FilePath | Mapping[str, Runs], *, filter: str | None = None, **_: Any
) -> dict[str, ScoredBy]:
    """Return the metrics of every task."""
    _refuse_summaries(files)
    found: dict[str, dict[str, None]] = {}
    named = system_files(files if isinstance(files, Mapping) else {"the log": files})
    for path in itertools.chain.from_iterable(named.values()):
        rows = [row for _, row in _rows(path)]
        kept = [row for row in rows if filter in (None, str(row.get("filter", "none")))]
        found.setdefault(task_of(path), {}).update(dict.fromkeys(_metrics(kept)))
    return {task: ScoredBy(tuple(metrics)) for task, metrics in found.items()}


def _refuse_summaries(files: FilePath | Mapping[str, Runs]) -> None:
    named = system_files(files if isinstance(files, Mapping) else {"the log": files})
    for path in itertools.chain.from_iterable(named.values()):
        if _is_summary(FileContent.of(path)):
            raise DataError(
                f"{path}: this is a summary of the lm-evaluation-harness and holds no scores of "
                "single questions. Give its samples_*.jsonl, which lm_eval --log_samples writes "
                "beside it."
            )


def find(folder: Path, *, pool: bool = False) -> Found:
    """Return the newest log of every task, or all, by model: the harness makes a folder for each.

    Where several folders of one name lie in different places, they are different systems.
    """
    dated: dict[tuple[Path, str], list[tuple[str, Path]]] = {}
    for path in files_below(folder, "samples_*.jsonl*", levels=DEEP):
        named = _SAMPLES.fullmatch(path.name)
        if named is not None:
            dated.setdefault((path.parent, named[1]), []).append((named[2] or "", path))
    found: dict[str, list[Path]] = {}
    newest: dict[str, tuple[int, str]] = {}
    shared = Counter(parent.absolute().name for parent in dict.fromkeys(at for at, _ in dated))
    for (parent, task), logs in dated.items():
        name = parent.absolute().name
        system = parent.relative_to(folder).as_posix() if shared[name] > 1 else name
        found.setdefault(system, []).extend(
            [path for _, path in sorted(logs)] if pool else [max(logs)[1]]
        )
        if len(logs) > 1 and not pool:
            newest[task] = (len(logs), max(logs)[1].name)
    if not found:
        summaries = files_below(folder, "results_*.json", levels=DEEP)
        if summaries and _is_summary(FileContent(summaries[0])):
            found = {folder.absolute().name: [summaries[0]]}  # refused with the reason
    return Found(found, several_logs(folder, newest))


def _is_summary(content: FileContent) -> bool:
    entry = content.first_object
    results = entry.get("results")
    return isinstance(results, dict) and not entry.keys().isdisjoint(("configs", "n-samples"))


SCORES = ScoreReader(
    name="lm-eval",
    about="samples_*.jsonl of the lm-evaluation-harness, files or folders",
    recognise=recognise,
    read=read,
    order=20,
    takes=("filter", "pool", "tasks"),
    find=find,
    scored_by=scored_by,
)
