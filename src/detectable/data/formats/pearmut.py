"""The log of a Pearmut campaign: one line per document that a user submitted."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from detectable.core.choices import Repeated, SourceErrors
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath, Problems, is_missing, place, quote
from detectable.data.files.read_json import json_entries, read_json_lines
from detectable.data.formats.mqm import Noted, score_of_spans, weight_notes
from detectable.data.formats.wmt_da import SEPARATOR, names_in_segment
from detectable.data.human.columns import elapsed
from detectable.data.human.judgment_table import PENALTY_SCALE, JudgmentRows
from detectable.data.human.judgments import Judgments
from detectable.data.reader import JudgmentReader

_RESET = "__RESET__"
_EXTRA = {
    "welcome_": "items of the tutorial (welcome)",
    "goodbye_": "items of the tutorial (goodbye)",
    "random_": "attention checks",
}


class _Given(NamedTuple):
    line: int
    user: str
    item: str
    system: str
    given: Mapping[str, Any]
    seconds: float | None
    document: str | None


def recognise(content: FileContent) -> bool:
    """Tell by the user and the annotation of a line."""
    return {"annotation", "user_id"} <= content.first_object.keys()


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
    source_errors: SourceErrors = "count",
) -> Judgments:
    """Read the annotations of a Pearmut campaign (JSON lines of ``data/annotations``).

    A line holds what one user gave to the segments of one document, for one model or several.
    The item is its ``item_id``, else the number of the document and the segment in it; names
    of the form ``language_#_domain_#_document_#_segment`` are taken apart. Where all items name
    their document (``doc_id``, which our own logs have), it is kept. Where no score is
    given at all but errors are marked, the score is minus the MQM weights of the errors.

    Left out and counted: the tutorial, attention checks, items that were skipped, and what
    the user annotated again or the campaign reset (the last annotation counts).

    Parameters
    ----------
    content : FileContent
        The log.
    scale : (float, float), optional
        0 and 100 by default; for MQM 0 is the highest, and there is no lowest.
    repeated : {'refuse', 'mark'}
        What to do with second scores by one user.
    source_errors : {'count', 'ignore'}
        In MQM, whether errors of the source cost what their severity says, or nothing.
    """
    path = content.path
    rows = JudgmentRows(str(content))
    judged = [g for line, entry in _last(content, rows) for g in _judgments(line, entry, rows)]
    unscored = [given for given in judged if is_missing(given.given.get("score"))]
    is_mqm = len(unscored) == len(judged) and any(g.given.get("error_spans") for g in judged)
    takes_apart = bool(judged) and all(g.item.count(SEPARATOR) == 3 for g in judged)
    in_documents = not takes_apart and all(g.document is not None for g in judged)
    problems = Problems(str(path))
    seen: Counter[Noted] = Counter()
    for given in judged:
        score = given.given.get("score")
        if is_mqm:
            score = _penalty(given, path, problems, seen, source_errors)
        if is_missing(score):
            rows.leave_out("items without a score")
            continue
        named = names_in_segment(given.item) if takes_apart else {"item": given.item}
        if in_documents:
            named["document"] = str(given.document)
        rows.add(
            given.line,
            system=given.system,
            score=score,
            rater=given.user,
            seconds=given.seconds,
            **named,
        )
    problems.stop()
    if is_mqm:
        rows.notes.append("No score was given: they were computed from the error spans (MQM).")
        rows.notes += weight_notes(seen, source_errors)
    return rows.build(scale, repeated, usual_scale=PENALTY_SCALE if is_mqm else None)


def _entries(content: FileContent) -> Iterator[tuple[int, dict[str, Any]]]:
    if not content.first_line.startswith("["):
        yield from read_json_lines(content)
        return
    for line, entry in json_entries(content.text, content):
        if not isinstance(entry, dict):
            raise DataError(
                f"{place(content, line)}: expected an object, found {quote(entry)}."
            )
        yield line, entry


def _last(content: FileContent, rows: JudgmentRows) -> list[tuple[int, dict[str, Any]]]:
    """Return the last annotation of every document by every user."""
    last: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    replaced = 0
    for line, entry in _entries(content):
        if "annotation" not in entry or "user_id" not in entry:
            raise DataError(
                f"{place(content, line)}: expected 'user_id' and 'annotation', as Pearmut writes; "
                f"found {quote(sorted(entry))}."
            )
        key = str(entry["user_id"]), str(entry.get("item_i"))
        replaced += last.pop(key, None) is not None
        if entry["annotation"] != _RESET:
            last[key] = line, entry
    if replaced:
        rows.notes.append(
            f"{count(replaced, 'document')} annotated again or reset: the last annotation counts."
        )
    return list(last.values())


def _judgments(line: int, entry: Mapping[str, Any], rows: JudgmentRows) -> Iterator[_Given]:
    annotation = entry["annotation"]
    segments = annotation if isinstance(annotation, list) else [annotation]
    items = entry.get("item")
    items = items if isinstance(items, list) else [items] if items is not None else []
    number = str(entry.get("item_i"))
    extra = next((why for start, why in _EXTRA.items() if number.startswith(start)), None)
    given = [
        (index, system, values)
        for index, segment in enumerate(segments)
        for system, values in _systems(segment, line, rows)
    ]
    seconds = _seconds(entry)
    for index, system, values in given:
        item = items[index] if index < len(items) and isinstance(items[index], Mapping) else {}
        reason = extra or ("attention checks" if item.get("validation") else None)
        if reason is not None:
            rows.leave_out(reason)
            continue
        name = item.get("item_id")
        if name is None:
            name = f"{number}:{index}" if len(segments) > 1 else number
        each = None if seconds is None else seconds / len(given)
        document = item.get("doc_id")
        yield _Given(
            line, str(entry["user_id"]), str(name), str(system), values, each, document
        )


def _systems(
    segment: Any, line: int, rows: JudgmentRows
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if segment is None:
        rows.leave_out("items that were skipped")
        return
    values = segment.values() if isinstance(segment, Mapping) else [segment]
    wrong = [value for value in values if not isinstance(value, Mapping)]
    if wrong:
        raise DataError(
            f"{place(rows.path, line)}: expected for each model an object with a score, found "
            f"{quote(wrong[0])}."
        )
    if isinstance(segment, Mapping):
        yield from segment.items()


def _seconds(entry: Mapping[str, Any]) -> float | None:
    """Return the time between the first and the last action on a document."""
    actions = entry.get("actions")
    times = [
        action["time"]
        for action in (actions if isinstance(actions, list) else [])
        if isinstance(action, Mapping) and "time" in action
    ]
    return elapsed(times)


def _penalty(
    given: _Given,
    path: FilePath,
    problems: Problems,
    seen: "Counter[Noted]",
    source_errors: SourceErrors,
) -> float:
    spans = given.given.get("error_spans")
    score = score_of_spans(spans if isinstance(spans, list) else [], seen, source_errors)
    if isinstance(score, str):
        problems.add(
            f"{place(path, given.line)}: unknown severity {score}. Known are minor, major, "
            "critical, neutral and undecided."
        )
        return 0.0
    return score


JUDGMENTS = JudgmentReader(
    name="pearmut",
    about="log of Pearmut: JSON lines with user_id and annotation",
    recognise=recognise,
    read=read,
    order=40,
    takes=("source_errors",),
)
