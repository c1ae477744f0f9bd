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
from detectable.data.files.read_json import read_json
from detectable.data.names import Runs, file_stem, value_name
from detectable.data.reader import ScoreReader
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


def recognise(content: FileContent) -> bool:
    """Tell by results with a version, or with prompts and a configuration beside them."""
    results = content.first_object.get("results")
    if isinstance(results, dict):
        return isinstance(results.get("results"), list)
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and {"promptIdx", "testIdx"} <= first.keys()


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    errors: LogErrors = "missing",
) -> Scores:
    """Read the score of every test from JSON output of promptfoo (versions 3 and 4).

    A system is a provider, with the number of the prompt behind it where there are several. An
    item is what the variables of a test say: the number of a test runs on over repeats, so that
    a test that occurs again is a further sample. A call that failed has no score.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        One file with all systems, or a file for each.
    metric : str, optional
        A name among the named scores; ``score`` by default.
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
    rows = _rows(path, read_json(path))
    named = dict.fromkeys(name for row in rows for name in row.get("namedScores") or {})
    name = _SCORE if metric is None else choose(str(path), "metric", [_SCORE, *named], metric)
    several = len({row.get("promptIdx") for row in rows}) > 1
    found: dict[str, list[tuple[str, float, int | None]]] = {}
    failed: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        system = _system(row, several=several)
        value = row.get(_SCORE) if name == _SCORE else (row.get("namedScores") or {}).get(name)
        if row.get("failureReason") == _ERROR:
            failed[system] += 1
            value = 0.0 if errors == "zero" else None
        score = parse_score(value, f"{path}, result {number}, {name}")
        found.setdefault(system, []).append((_item(row), score, None))
    task = "promptfoo"
    logs = {s: SampleLog(path, task, number_samples(of)) for s, of in found.items()}
    notes = [
        f"{path}: {count(n, 'call')} of {system!r} failed and "
        f"{'counts 0' if errors == 'zero' else 'has no score'}."
        for system, n in failed.items()
    ]
    return ReadLog(name, logs, notes)


def _rows(path: FilePath, content: Any) -> list[dict[str, Any]]:
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


def _system(row: Mapping[str, Any], *, several: bool) -> str:
    provider = row.get("provider")
    about = provider if isinstance(provider, dict) else {"id": provider}
    name = str(about.get("label") or about.get("id") or file_stem("provider"))
    return f"{name} #{row.get('promptIdx', 0) + 1}" if several else name


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
    about="JSON output of promptfoo, all systems in one file",
    recognise=recognise,
    read=read,
    order=30,
    takes=("errors",),
)
