"""Logs of Inspect, a file or a folder of them."""

from pathlib import Path

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.folder import DEEP, files_below
from detectable.data.scores.read_inspect import log_header, read_inspect
from detectable.data.scores.score_reader import Found, ScoreReader

_NO_LOGS = frozenset(("logs.json", "eval-set.json"))  # what Inspect writes beside them


def recognise(content: FileContent) -> bool:
    """Tell by a ZIP archive that is no workbook, or by the part «eval» of a JSON log."""
    log = content.is_zip and not content.is_workbook
    return log or isinstance(content.first_object.get("eval"), dict)


def find(folder: Path) -> Found:
    """Return the logs of every model; of a task that was tried again, those that succeeded."""
    by_task: dict[tuple[str, str], list[tuple[str, Path]]] = {}
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
        key = (str(about.get("model") or "model"), str(about.get("task")))
        by_task.setdefault(key, []).append((str(header.get("status")), path))
    found: dict[str, list[Path]] = {}
    failed = 0
    for (model, _), logs in by_task.items():
        good = [path for status, path in logs if status == "success"]
        kept = good or [logs[-1][1]]
        failed += len(logs) - len(kept)
        found.setdefault(model, []).extend(kept)
    said = f"{folder}: {count(failed, 'log')} of tasks that were tried again left out."
    return Found(found, [said] if failed else [])


READER = ScoreReader(
    name="inspect",
    about=".eval or .json logs of Inspect, files or folders",
    recognise=recognise,
    read=read_inspect,
    order=10,
    takes=("columns", "errors"),
    find=find,
)
