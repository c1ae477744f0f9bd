"""Runs of Langfuse over a dataset, with the scores of their traces in files beside them.

A run says which trace answers which item of the dataset; scores know the trace alone, and two runs
share no trace. So a run (``GET /api/public/datasets/NAME/runs/RUN``) is read with the scores beside it:
those of the API (``GET /api/public/v2/scores``) or of the export to blob storage (``scores/``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import is_folder, names_in
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.files.table import read_table
from detectable.data.names import Runs, file_stem, system_files
from detectable.data.reader import Found, ScoredBy, ScoreReader
from detectable.data.scores import sample_log
from detectable.data.scores.scores import Scores

# The API writes names in one way, the SDK and the export to blob storage in another.
_ITEMS = ("datasetRunItems", "dataset_run_items")
_TRACE, _ITEM, _OBSERVATION = (
    ("traceId", "trace_id"),
    ("datasetItemId", "dataset_item_id"),
    ("observationId", "observation_id"),
)
_KIND = ("dataType", "data_type")
_NUMBERS = frozenset(("NUMERIC", "BOOLEAN"))
_SCORE = frozenset(("name", "value", "source"))
_REMEDY = (
    "Put the scores of its traces beside it: GET /api/public/v2/scores, or scores/ of the export to "
    "blob storage."
)


def recognise(content: FileContent) -> bool:
    """Tell by the items of a run, or by scores of traces, which are refused when read alone."""
    return _is_run(content) or _are_scores(content)


def _is_run(content: FileContent) -> bool:
    return any(isinstance(content.first_object.get(key), list) for key in _ITEMS)


def _are_scores(content: FileContent) -> bool:
    first = content.first_object
    listed = first.get("data")
    row = listed[0] if isinstance(listed, list) and listed else first
    keys = row.keys() if isinstance(row, dict) else ()
    header = {cell.strip(' "') for cell in content.first_line.split(",")}
    names = set(keys) | content.parquet_columns | (set() if keys else header)
    return names >= _SCORE and all(not names.isdisjoint(of) for of in (_TRACE, _KIND))


class _Given(NamedTuple):
    """A score of a trace."""

    name: str
    value: object
    kind: str
    source: str
    observation: object


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read the scores of every item of a dataset from runs of Langfuse.

    A system is a run, an item one of the dataset; several runs given for one system are further
    answers. An item whose trace has no score is missing.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The run of each system, with files of scores in the same folder.
    metric : str, optional
        The name of the score, needed where traces have several. Categories and texts are none.
    systems : sequence of str, optional
        Which systems to take.
    tasks : sequence of str, optional
        Which datasets to take.
    """
    if tasks is not None and isinstance(files, Mapping):
        kept = {
            system: [path for path in paths if _dataset(_run(path)[0]) in tasks]
            for system, paths in system_files(files).items()
        }
        files = {system: paths for system, paths in kept.items() if paths}
    return sample_log.gather_logs(files, lambda path: _read(path, metric), systems=systems)


def _read(path: FilePath, metric: str | None) -> sample_log.ReadLog:
    run, items = _run(path)
    given = _given(path, items)
    name = sample_log.choose(str(path), "metric", _names(given), metric)
    rows: list[tuple[str, float, int | None]] = []
    for item in items:
        trace, asked = str(_of(item, _TRACE)), str(_of(item, _ITEM))
        own = _of(item, _OBSERVATION)
        # A score of the trace, or of the step that the run names; steps inside it are others.
        found = [
            one
            for one in given.get(trace, ())
            if one.name == name and (not one.observation or not own or one.observation == own)
        ]
        if len(found) > 1:
            sources = listing([one.source for one in found])
            raise DataError(
                f"{path}: trace {trace!r} has {len(found)} scores {name!r} ({sources}). Keep one of "
                "them: those of one source, or the last."
            )
        value = found[0].value if found else None
        rows.append((asked, parse_score(value, f"{path}, item {asked!r}, {name}"), None))
    twice = [item for item, n in Counter(item for item, _, _ in rows).items() if n > 1]
    notes = [f"{path}: several traces of {listing(twice)}, taken as answers."] if twice else []
    system = str(run.get("name") or file_stem(path))
    samples = sample_log.number_samples(rows)
    log = sample_log.SampleLog(path, _dataset(run), samples)
    return sample_log.ReadLog(name, {system: log}, notes)


def _dataset(run: Mapping[str, Any]) -> str:
    return str(_of(run, ("datasetName", "dataset_name")) or "")


def _of(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _run(path: FilePath) -> tuple[Mapping[str, Any], list[dict[str, Any]]]:
    """Return a run and its items."""
    content = FileContent.of(path)
    if not _is_run(content):
        raise DataError(
            f"{path}: these scores of Langfuse name traces, and no two runs share one. Give the run "
            "beside them, which tells the items: GET /api/public/datasets/NAME/runs/RUN."
        )
    run = read_json(content)
    items = _of(run, _ITEMS)
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict) or not (_of(item, _TRACE) and _of(item, _ITEM)):
            raise DataError(
                f"{path}: item {number} of the run names no trace and item of the dataset: "
                f"{quote(item)}."
            )
    return run, items


def _given(path: FilePath, items: Sequence[Mapping[str, Any]]) -> dict[str, list[_Given]]:
    """Return the scores of the traces of a run, from the files in its folder."""
    kept = FileContent.of(path).kept
    if "langfuse" not in kept:
        traces = {str(_of(item, _TRACE)) for item in items}
        found: dict[str, list[_Given]] = {}
        for row in _rows(Path(path).absolute().parent):
            trace = str(_of(row, _TRACE))
            if trace in traces:
                found.setdefault(trace, []).append(
                    _Given(
                        str(row.get("name")),
                        row.get("value"),
                        str(_of(row, _KIND)),
                        str(row.get("source")),
                        _of(row, _OBSERVATION),
                    )
                )
        if not found:
            raise DataError(f"{path}: there is no score of a trace of this run. {_REMEDY}")
        kept["langfuse"] = found
    known: dict[str, list[_Given]] = kept["langfuse"]
    return known


def _rows(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the scores in a folder, and in its folder ``scores``."""
    for at in (folder, folder / "scores"):
        for name in names_in(at):
            if is_folder(at / name) or name.startswith("."):
                continue
            content = FileContent(at / name)
            if not _are_scores(content):
                continue
            if isinstance(content.first_object.get("data"), list):
                yield from (row for row in read_json(content)["data"] if isinstance(row, dict))
                continue
            table = read_table(content)
            cells = zip(*map(table.cells, table.columns), strict=True)
            yield from (dict(zip(table.columns, row, strict=True)) for row in cells)


def _names(given: Mapping[str, Sequence[_Given]]) -> list[str]:
    """Return the scores that are numbers, or true and false."""
    return list(
        dict.fromkeys(
            one.name for of in given.values() for one in of if one.kind.upper() in _NUMBERS
        )
    )


def scored_by(files: FilePath | Mapping[str, Runs], **_: Any) -> dict[str, ScoredBy]:
    """Return the scores of the traces of each dataset."""
    found: dict[str, dict[str, None]] = {}
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for path in (path for paths in named.values() for path in paths):
        run, items = _run(path)
        found.setdefault(_dataset(run), {}).update(dict.fromkeys(_names(_given(path, items))))
    return {task: ScoredBy(tuple(of)) for task, of in found.items()}


def find(folder: Path) -> Found:
    """Return the runs in a folder, by their names."""
    found: dict[str, list[Path]] = {}
    for name in names_in(folder):
        path = folder / name
        if not is_folder(path) and name.endswith(".json") and _is_run(FileContent(path)):
            run = FileContent(path).first_object
            found.setdefault(str(run.get("name") or file_stem(path)), []).append(path)
    notes = [
        f"{folder}: {count(len(of), 'run')} are called {system!r}, taken as answers."
        for system, of in found.items()
        if len(of) > 1
    ]
    return Found(found, notes)


SCORES = ScoreReader(
    name="langfuse",
    about="runs of Langfuse over a dataset, with the scores of their traces beside them",
    recognise=recognise,
    read=read,
    order=34,
    takes=("tasks",),
    find=find,
    scored_by=scored_by,
)
