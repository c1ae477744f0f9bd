"""Logs of Inspect, a file or a folder of them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.folder import DEEP, files_below
from detectable.data.files.short_name import value_name
from detectable.data.scores.read_inspect import log_header, read_inspect
from detectable.data.scores.score_reader import Found, ScoreReader

_NO_LOGS = frozenset(("logs.json", "eval-set.json"))  # what Inspect writes beside them


def recognise(content: FileContent) -> bool:
    """Tell by a ZIP archive that is no workbook, or by the part «eval» of a JSON log."""
    log = content.is_zip and not content.is_workbook
    return log or isinstance(content.first_object.get("eval"), dict)


class _Run(NamedTuple):
    """What was evaluated: logs of the same run are tries of it, or further samples."""

    model: str
    task: str
    given: str  # arguments of the task, as JSON

    def arguments(self) -> dict[str, Any]:
        found = json.loads(self.given)
        return found if isinstance(found, dict) else {}


def find(folder: Path) -> Found:
    """Return the logs of every model; of a task that was tried again, those that succeeded.

    A task that a model did with different arguments (shots, a prompt) are different systems.
    """
    by_task: dict[_Run, list[tuple[str, Path]]] = {}
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
        about = header["eval"]
        given = json.dumps(about.get("task_args") or {}, sort_keys=True)
        run = _Run(str(about.get("model") or "model"), str(about.get("task")), given)
        by_task.setdefault(run, []).append((str(header.get("status")), path))
    found: dict[str, list[Path]] = {}
    failed = 0
    names = _systems(list(by_task))
    for run, logs in by_task.items():
        good = [path for status, path in logs if status == "success"]
        kept = good or [logs[-1][1]]
        failed += len(logs) - len(kept)
        found.setdefault(names[run], []).extend(kept)
    said = f"{folder}: {count(failed, 'log')} of tasks that were tried again left out."
    return Found(found, [said] if failed else [])


def _systems(runs: list[_Run]) -> dict[_Run, str]:
    """Return the name of each system: its model, with the arguments that differ within a task."""
    by_task: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in runs:
        by_task.setdefault((run.model, run.task), []).append(run.arguments())
    differ = {
        (model, key)
        for (model, _), given in by_task.items()
        for key in {key for one in given for key in one}
        if len({value_name(one.get(key)) for one in given}) > 1
    }
    names = {}
    for run in runs:
        own = run.arguments().items()
        said = [f"{key}={value_name(of)}" for key, of in own if (run.model, key) in differ]
        names[run] = f"{run.model} ({', '.join(said)})" if said else run.model
    return names


READER = ScoreReader(
    name="inspect",
    about=".eval or .json logs of Inspect, files or folders",
    recognise=recognise,
    read=read_inspect,
    order=10,
    takes=("columns", "errors"),
    find=find,
)
