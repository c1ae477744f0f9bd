"""The JSON export of Label Studio."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError, InputError
from detectable.core.wording import listing
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath, is_missing, place, quote
from detectable.data.files.read_json import json_entries
from detectable.data.human.judgment_table import USUAL_NAMES, JudgmentRows
from detectable.data.human.judgments import ROLES, Judgments
from detectable.data.reader import JudgmentReader

_NUMBERS = ("rating", "number")  # types of results that hold one number
_FROM_DATA = tuple(role for role in ROLES if role not in ("score", "rater", "seconds"))


def recognise(content: FileContent) -> bool:
    """Tell by a task with its data and annotations."""
    task = content.first_object
    return "annotations" in task and isinstance(task.get("data"), dict)


def read(
    content: FileContent,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read ratings and numbers from the JSON export of Label Studio.

    A task is one item of one system: ``data`` must name the system, and may name the item
    (else it is the number of the task), the document, the domain and so on. Every annotation
    of a task is one judgment of the one who completed it.

    Left out and counted: cancelled annotations and those without a number.

    Parameters
    ----------
    content : FileContent
        The JSON file.
    columns : mapping of role to name, optional
        ``score`` is the name (``from_name``) of the control that holds the score, where there
        are several; other roles are keys of ``data``. Usual keys are recognised.
    scale : (float, float), optional
        0 and 100 by default. The export does not hold the scale: give that of stars.
    repeated : {'refuse', 'mark'}
        What to do with second scores by one annotator.
    """
    chosen = dict(columns or {})
    for role in chosen:
        if role not in (*_FROM_DATA, "score"):
            known = ", ".join((*_FROM_DATA, "score"))
            raise InputError(f"`columns` must choose {known} in Label Studio; got {role!r}.")
    path = content.path
    rows = JudgmentRows(str(content))
    tasks = list(_tasks(content))
    control = chosen.pop("score", None) or _control(path, tasks)
    for line, task in tasks:
        named = _names(path, line, task, chosen)
        for annotation in _annotations(path, line, task):
            if annotation.get("was_cancelled"):
                rows.leave_out("cancelled annotations")
                continue
            scores = _numbers(annotation, control)
            if not scores:
                rows.leave_out(f"annotations without {control!r}")
                continue
            rows.add(
                line,
                score=scores[0],
                rater=_annotator(annotation.get("completed_by")),
                seconds=annotation.get("lead_time"),
                **named,
            )
    return rows.build(scale, repeated)


def _tasks(content: FileContent) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, task in json_entries(content.text, content):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise DataError(
                f"{place(content, line)}: expected a task with 'data' and 'annotations', found "
                f"{quote(task)}. Export as JSON, not as JSON-MIN."
            )
        yield line, task


def _annotations(
    path: FilePath, line: int, task: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    annotations = task.get("annotations") or []
    listed = annotations if isinstance(annotations, list) else [annotations]
    for annotation in listed:
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
            raise DataError(
                f"{place(path, line)}: an annotation of this task must be an object with "
                f"'result', found {quote(annotation)}."
            )
        yield annotation


def _control(path: FilePath, tasks: Sequence[tuple[int, Mapping[str, Any]]]) -> str:
    """Return the name of the only control that holds numbers."""
    names = dict.fromkeys(
        str(result.get("from_name"))
        for line, task in tasks
        for annotation in _annotations(path, line, task)
        for result in annotation["result"]
        if isinstance(result, Mapping) and result.get("type") in _NUMBERS
    )
    if not names:
        raise DataError(f"{path}: no annotation holds a rating or a number.")
    if len(names) > 1:
        first = next(iter(names))
        raise DataError(
            f"{path}: several controls hold numbers: {listing(list(names))}. Choose one: "
            f"--column score={first}, columns={{'score': '{first}'}}."
        )
    return next(iter(names))


def _numbers(annotation: Mapping[str, Any], control: str) -> list[Any]:
    found = []
    for result in annotation["result"]:
        if isinstance(result, Mapping) and str(result.get("from_name")) == control:
            value = result.get("value")
            kind = result.get("type")
            if isinstance(value, Mapping) and kind in _NUMBERS:
                found.append(value.get(kind))
    return [number for number in found if not is_missing(number)]


def _names(
    path: FilePath, line: int, task: Mapping[str, Any], chosen: Mapping[str, str]
) -> dict[str, Any]:
    data = task["data"]
    known = {str(key).casefold(): key for key in reversed(list(data))}
    named = {}
    for role in _FROM_DATA:
        if role in chosen:
            named[role] = data.get(chosen[role])
            continue
        key = next((known[name] for name in USUAL_NAMES[role] if name in known), None)
        named[role] = None if key is None else data[key]
    if named["item"] is None:
        named["item"] = task.get("id", line)
    if named["system"] is None:
        raise DataError(
            f"{place(path, line)}: this task does not name its system. Its data hold "
            f"{listing([repr(key) for key in data], most=20)}. Choose one: --column system=NAME."
        )
    return named


def _annotator(completed_by: Any) -> Any:
    if isinstance(completed_by, Mapping):
        return completed_by.get("id", completed_by.get("email"))
    return completed_by


JUDGMENTS = JudgmentReader(
    name="label-studio",
    about="JSON export of Label Studio",
    recognise=recognise,
    read=read,
    order=30,
    takes=("columns",),
)
