"""Results of promptfoo."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.choices import LogErrors
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json, read_json_lines
from detectable.data.names import Runs, file_stem, system_files, value_name
from detectable.data.reader import ScoredBy, ScoreReader
from detectable.data.scores.sample_log import (
    ReadLog,
    SampleLog,
    choose,
    gather_logs,
    number_samples,
)
from detectable.data.scores.scores import Scores

_SCORE = "score"
_ERROR = 2  # promptfoo's failureReason of a call that went wrong: no answer, so no score
_TASK = ""  # promptfoo names none
_ENTRY = {"promptIdx", "testIdx"}
# What an answer took, which is no score: each must be asked for by its name.
_TOOK = ("latency", "cost", "tokens")


def recognise(content: FileContent) -> bool:
    """Tell by results with a version, or with prompts and a configuration beside them.

    JSON lines hold the results alone.
    """
    if content.first_object.keys() >= _ENTRY:
        return True
    results = content.first_object.get("results")
    if isinstance(results, dict):
        return isinstance(results.get("results"), list)
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and first.keys() >= _ENTRY


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    errors: LogErrors = "missing",
) -> Scores:
    """Read the score of every test from JSON output of promptfoo (versions 3 and 4), or JSON lines.

    A system is a provider, with the number of the prompt behind it where it has several. An
    item is what the variables of a test say: the number of a test runs on over repeats, so that
    a test that occurs again is a further sample. A call that failed has no score.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        One file with all systems, or a file for each.
    metric : str, optional
        A name among the named scores; ``score`` by default. Or what calls took, unless they
        failed: ``latency`` (milliseconds), ``cost``, ``tokens``.
    systems : sequence of str, optional
        Which systems to take.
    errors : {'missing', 'zero'}
        Whether a call that failed has no score, or counts 0.
    """
    return gather_logs(
        files,
        lambda path: _read(path, metric, errors),
        systems=systems,
        lower_is_better=False if metric in (None, _SCORE) else None,  # the share that passed
    )


def _read(path: FilePath, metric: str | None, errors: LogErrors) -> ReadLog:
    rows = _rows(path)
    known = _metrics(rows)
    took = metric in _TOOK and metric not in known
    name = _SCORE if metric is None else metric
    if not took:
        name = choose(str(path), "metric", known, name)
    prompts: dict[str, set[object]] = {}
    for row in rows:
        prompts.setdefault(_provider(row), set()).add(row.get("promptIdx"))
    found: dict[str, list[tuple[str, float, int | None]]] = {}
    failed: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        system = _provider(row)
        if len(prompts[system]) > 1:
            system = f"{system} #{row.get('promptIdx', 0) + 1}"
        if took:
            value = _took(row, name)
        else:
            value = row.get(_SCORE) if name == _SCORE else _named(row).get(name)
        if row.get("failureReason") == _ERROR:
            failed[system] += 1
            value = 0.0 if errors == "zero" and not took else None
        score = parse_score(value, f"{path}, result {number}, {name}")
        found.setdefault(system, []).append((_item(row), score, None))
    logs = {s: SampleLog(path, _TASK, number_samples(of)) for s, of in found.items()}
    zero = errors == "zero" and not took
    notes = [
        f"{path}: {count(n, 'call')} of {system!r} failed and {_instead(n, name, zero=zero)}."
        for system, n in failed.items()
    ]
    return ReadLog(name, logs, notes)


def _instead(calls: int, name: str, *, zero: bool) -> str:
    """Say what calls that failed have in place of a score."""
    if zero:
        return "count 0" if calls > 1 else "counts 0"
    return f"{'have' if calls > 1 else 'has'} no {name}"


def scored_by(files: FilePath | Mapping[str, Runs], **_: Any) -> dict[str, ScoredBy]:
    """Return the named scores, and what calls took."""
    metrics: dict[str, None] = {}
    measures: dict[str, None] = {}
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for paths in named.values():
        for path in paths:
            rows = _rows(path)
            metrics.update(dict.fromkeys(_metrics(rows)))
            for name in _TOOK:
                if any(_took(row, name) is not None for row in rows):
                    measures[name] = None
    return {_TASK: ScoredBy(tuple(metrics), tuple(measures))}


def _metrics(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [_SCORE, *dict.fromkeys(name for row in rows for name in _named(row))]


def _named(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return row.get("namedScores") or {}


def _took(row: Mapping[str, Any], name: str) -> object:
    """Return what a call took, by one name; None where it is not known."""
    if name == "latency":
        return row.get("latencyMs")
    if name == "cost":
        return row.get("cost")
    used = row.get("tokenUsage")
    return used.get("total") if isinstance(used, dict) else None


def _rows(path: FilePath) -> list[dict[str, Any]]:
    kept = FileContent.of(path).kept
    if "promptfoo" not in kept:
        kept["promptfoo"] = _loaded(path)
    found: list[dict[str, Any]] = kept["promptfoo"]
    return found


def _loaded(path: FilePath) -> list[dict[str, Any]]:
    if FileContent.of(path).first_object.keys() >= _ENTRY:
        content: Any = {"results": [row for _, row in read_json_lines(path)]}
    else:
        content = read_json(path)
    results = content.get("results") if isinstance(content, dict) else None
    rows = results.get("results") if isinstance(results, dict) else results
    if not isinstance(rows, list) or not rows:
        raise DataError(
            f"{path}: the file holds no results of promptfoo. Write them with promptfoo eval "
            "--output results.json."
        )
    for number, row in enumerate(rows, start=1):
        if not (
            isinstance(row, dict)
            and isinstance(row.get("namedScores") or {}, dict)
            and isinstance(row.get("promptIdx", 0), int)
        ):
            raise DataError(f"{path}: result {number} is no result: {quote(row)}.")
    return rows


def _provider(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    about = provider if isinstance(provider, dict) else {"id": provider}
    return str(about.get("label") or about.get("id") or file_stem("provider"))


def _item(row: Mapping[str, Any]) -> str:
    test = row.get("testCase")
    case: Mapping[str, Any] = test if isinstance(test, dict) else {}
    given = row.get("vars") or case.get("vars") or {}
    own = given if isinstance(given, dict) else {}
    kept = {key: value for key, value in own.items() if not key.startswith("__")}
    if case.get("description"):
        kept["description"] = case["description"]
    return value_name(kept) if kept else str(row.get("testIdx"))


SCORES = ScoreReader(
    name="promptfoo",
    about="JSON or JSON lines of promptfoo, all systems in one file",
    recognise=recognise,
    read=read,
    order=30,
    takes=("errors",),
    scored_by=scored_by,
)
