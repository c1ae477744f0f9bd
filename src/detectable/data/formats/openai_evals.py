"""Logs of OpenAI evals: a specification, events, a final report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.names import file_stem, value_name
from detectable.data.reader import ScoreReader
from detectable.data.scores import sample_log

_MATCH = "match"  # an event, and the name of its score
_METRICS = "metrics"


def recognise(content: FileContent) -> bool:
    """Tell by the specification in the first line."""
    spec = content.first_object.get("spec")
    return isinstance(spec, dict) and "eval_name" in spec


def _read(
    path: FilePath, metric: str | None, questions: sample_log.Questions
) -> sample_log.ReadLog:
    """Read the events that ``oaieval`` logs, one file per system (or run).

    A sample has many events; ``match`` says whether it is right, ``metrics`` has numbers by name,
    the others have no score. A sample with several scores was answered several times. One that
    has events and no score (an error, a run that was broken off) counts as missing.
    """
    spec: dict[str, Any] | None = None
    found: dict[str, list[tuple[str, float, int | None]]] = {}
    samples: dict[str, None] = {}
    failed: set[str] = set()
    raw: list[tuple[str, Any, int]] = []
    ended = False
    for line, row in read_json_lines(path):
        if "spec" in row:
            spec = _one_spec(path, line, row["spec"], known=spec)
        ended |= "final_report" in row
        if row.get("sample_id") is None:
            continue
        item = str(row["sample_id"])
        samples[item] = None
        failed |= {item} if row.get("type") == "error" else set()
        if row.get("type") == "raw_sample":
            raw.append((item, row.get("data"), line))
        for name, score in _scores(path, line, row).items():
            found.setdefault(name, []).append((item, score, line))
    if spec is None:
        raise DataError(f"{path}: the log of OpenAI evals has no line with its spec.")
    task = str(spec.get("eval_name") or file_stem(path))
    for item, text, line in raw:
        sample_log.check_question(questions, (task, item), value_name(text), place(path, line))
    name = sample_log.choose(str(path), "metric", list(found), metric)
    scored = found[name]
    has = {item for item, _, _ in scored}
    lacking = [item for item in samples if item not in has]
    rows = [*scored, *((item, float("nan"), None) for item in lacking)]
    log = sample_log.SampleLog(path, task, sample_log.number_samples(rows))
    notes = _notes(path, scored, errors=len(failed & set(lacking)), ended=ended)
    return sample_log.ReadLog(name, {_system(spec, path): log}, notes)


def _one_spec(path: FilePath, line: int, spec: Any, *, known: Any) -> dict[str, Any]:
    if not isinstance(spec, dict):
        raise DataError(f"{place(path, line)}: expected a spec, found {quote(spec)}.")
    if known is not None:
        raise DataError(
            f"{place(path, line)}: a second run begins here. Give each run its own file."
        )
    return spec


def _scores(path: FilePath, line: int, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of an event by name: none, if it is of another kind."""
    kind, data = row.get("type"), row.get("data")
    if kind not in (_MATCH, _METRICS):
        return {}
    if not isinstance(data, dict) or (kind == _MATCH and "correct" not in data):
        raise DataError(
            f"{place(path, line)}: an event of the kind {kind!r} without its data: {quote(data)}."
        )
    if kind == _MATCH:
        return {_MATCH: parse_score(data["correct"], path, line, "correct")}
    return {
        str(name): parse_score(value, path, line, str(name))
        for name, value in data.items()
        if isinstance(
            value, int | float
        )  # also words and lists stand there: a choice, a reason
    }


def _system(spec: Mapping[str, Any], path: FilePath) -> str:
    names = spec.get("completion_fns")
    listed = names if isinstance(names, list) else [names]
    return "+".join(str(name) for name in listed if name) or file_stem(path)


def _notes(
    path: FilePath,
    scored: Sequence[tuple[str, float, int | None]],
    *,
    errors: int,
    ended: bool,
) -> list[str]:
    several = sum(n > 1 for n in Counter(item for item, _, _ in scored).values())
    said = {
        f"{path}: {count(several, 'sample')} with several scores, taken as further answers.": several,
        f"{path}: {count(errors, 'sample')} without a score because of an error.": errors,
        f"{path}: there is no final report; the run may not have ended.": not ended,
    }
    return [text for text, true in said.items() if true]


SCORES = ScoreReader(
    name="openai-evals",
    about="logs of OpenAI evals (oaieval), one file per system",
    recognise=recognise,
    read=sample_log.reads(_read, same_questions=True),
    order=37,
)
