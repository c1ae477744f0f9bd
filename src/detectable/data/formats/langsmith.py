"""Experiments of LangSmith, as ``evaluate(…).to_pandas()`` makes a table of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.choices import LogErrors
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import is_score_cell, parse_score
from detectable.data.files.place import FilePath, is_missing
from detectable.data.files.table import Table, check_roles, read_table
from detectable.data.names import Runs, file_stem, system_files
from detectable.data.reader import ScoredBy, ScoreReader
from detectable.data.scores import sample_log
from detectable.data.scores.scores import Scores

_FEEDBACK = "feedback."
_EXAMPLE = "example_id"
_TOOK = {"latency": "execution_time"}
_TASK = ""  # an experiment names none
_ROLES = ("document", "slice")


def recognise(content: FileContent) -> bool:
    """Tell by the column of the example and one of feedback."""
    header = [cell.strip(' "') for cell in content.first_line.split(",")]
    names = content.parquet_columns or content.first_object.keys() or header
    return _EXAMPLE in names and any(name.startswith(_FEEDBACK) for name in names)


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    errors: LogErrors = "missing",
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read the feedback of every example from a table of an experiment, one file per system.

    The columns are ``feedback.KEY``, ``example_id``, ``error`` and ``execution_time``, which
    ``langsmith`` gives them. An item is an example; one that comes again (repetitions) is a further
    answer.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The table of each system; a single one is named after its file.
    metric : str, optional
        The key of the feedback, needed where there are several. Or ``latency``, the seconds that an
        answer took.
    systems : sequence of str, optional
        Which systems to take.
    errors : {'missing', 'zero'}
        Whether an example that ended in an error has no score, or counts 0.
    columns : mapping of str to str, optional
        ``{"document": column}``, ``{"slice": column}``: ``inputs.language``, say.
    """
    check_roles(columns or {}, _ROLES)
    return sample_log.gather_logs(
        files, lambda path: _read(path, metric, errors, columns or {}), systems=systems
    )


def _read(
    path: FilePath, metric: str | None, errors: LogErrors, columns: Mapping[str, str]
) -> sample_log.ReadLog:
    table = _table(path)
    keys = _keys(table)
    took = metric in _TOOK and metric not in keys
    name = str(metric) if took else sample_log.choose(str(path), "metric", keys, metric)
    values = table.cells(_TOOK[name] if took else _FEEDBACK + name)
    wrong = table.cells("error") if "error" in table.columns else [None] * table.n_rows
    lines = table.lines or range(1, table.n_rows + 1)
    rows, failed = [], 0
    for item, value, error, line in zip(
        table.cells(_EXAMPLE), values, wrong, lines, strict=True
    ):
        if error is not None and not is_missing(error):
            failed += 1
            value = 0.0 if errors == "zero" and not took else None
        rows.append((str(item), parse_score(value, path, line, name), line))
    samples = sample_log.number_samples(rows)
    for role, column in columns.items():
        about = [
            dict(zip(table.columns, cells, strict=True))
            for cells in zip(*map(table.cells, table.columns), strict=True)
        ]
        samples = sample_log.with_labels(path, samples, about, role, column)
    zero = errors == "zero" and not took
    said = f"{path}: {count(failed, 'example')} ended in an error"
    note = f"{said}{' and count 0' if failed > 1 else ' and counts 0'}." if zero else f"{said}."
    log = sample_log.SampleLog(path, _TASK, samples)
    return sample_log.ReadLog(name, {file_stem(path): log}, [note] if failed else [])


def _table(path: FilePath) -> Table:
    kept = FileContent.of(path).kept
    if "langsmith" not in kept:
        kept["langsmith"] = read_table(path)
    found: Table = kept["langsmith"]
    return found


def _keys(table: Table) -> list[str]:
    """Return the keys of feedback, those with numbers first: comments and categories are words."""
    keys = [
        name.removeprefix(_FEEDBACK) for name in table.columns if name.startswith(_FEEDBACK)
    ]
    numbers = {key: all(map(is_score_cell, table.cells(_FEEDBACK + key))) for key in keys}
    return [key for key in keys if numbers[key]] or keys


def scored_by(files: FilePath | Mapping[str, Runs], **_: Any) -> dict[str, ScoredBy]:
    """Return the feedback, and what answers took."""
    metrics: dict[str, None] = {}
    measures: dict[str, None] = {}
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for path in (path for paths in named.values() for path in paths):
        table = _table(path)
        metrics.update(dict.fromkeys(_keys(table)))
        measures.update({name: None for name, of in _TOOK.items() if of in table.columns})
    return {_TASK: ScoredBy(tuple(metrics), tuple(measures))}


SCORES = ScoreReader(
    name="langsmith",
    about="tables of LangSmith experiments (to_pandas), one file per system",
    recognise=recognise,
    read=read,
    order=33,
    takes=("columns", "errors"),
    scored_by=scored_by,
)
