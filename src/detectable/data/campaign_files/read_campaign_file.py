"""The texts of a campaign that another tool, or ours, has written down: Appraise, Pearmut, tasks."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.campaign_files.texts import CampaignTexts, Gathered, TrainingText
from detectable.data.files.content import FileContent
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.place import FilePath, is_missing, quote
from detectable.data.files.table import read_table
from detectable.data.formats.appraise import document_name
from detectable.data.formats.wmt_da import SEPARATOR, names_in_segment


def is_appraise_batches(content: FileContent) -> bool:
    """Tell by the items and the task of a batch."""
    return (
        content.first_line.startswith("[") and {"items", "task"} <= content.first_object.keys()
    )


def read_appraise_batches(
    content: FileContent, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read the outputs of batches; who is shown what is arranged anew.

    With documents an item is the segment of its document, counted from 1 for every system, since
    Appraise numbers items by their place in a task. Without, it is its ``itemID``. References
    (``REF``) are kept as such. Left out and counted: degraded copies (``BAD``), repeats (``CHK``), copies
    and parts of documents that fill up a task, and the items that ask for a whole document.
    """
    path = str(content)
    try:
        batches = json_value(content.text)
    except NotJson as error:
        raise DataError(f"{path}: this is no JSON ({error}).") from error
    gathered = Gathered(path)
    left_out: Counter[str] = Counter()
    references: list[tuple[str, str]] = []
    languages: set[tuple[str, str]] = set()
    for number, batch in enumerate(batches, 1):
        if not isinstance(batch, Mapping) or not isinstance(batch.get("items"), list):
            raise DataError(f"{path}: batch {number} has no list of items.")
        languages |= _languages(batch.get("task"))
        seen: Counter[tuple[str, str]] = Counter()
        for item in batch["items"]:
            for given in _targets(item, number, path):
                _one(gathered, given, seen, references, left_out)
    for name, text in references:
        gathered.add_reference(name, text)
    said = [f"{count(n, 'text')} left out: {why}." for why, n in left_out.items()]
    if len(languages) > 1:
        raise DataError(
            f"{path}: the batches are of several languages. Give those of one pair."
        )
    return CampaignTexts(
        corpus=gathered.corpus(systems),
        items=gathered.items,
        languages=next(iter(languages), None),
        notes=(*gathered.notes(), *said),
    )


def _languages(task: Any) -> set[tuple[str, str]]:
    if not isinstance(task, Mapping):
        return set()
    source, target = task.get("sourceLanguage"), task.get("targetLanguage")
    return {(source, target)} if isinstance(source, str) and isinstance(target, str) else set()


def _targets(item: Any, number: int, path: str) -> Iterator[dict[str, Any]]:
    """Return the texts of an item: one, or those that stand beside each other."""
    if not isinstance(item, Mapping):
        raise DataError(f"{path}: an item of batch {number} is no object: {quote(item)}.")
    targets = item.get("targets")
    for target in targets if isinstance(targets, list) else [item]:
        given = {**item, **target} if isinstance(target, Mapping) else {}
        given["sourceText"] = given.get("sourceText", given.get("segmentText"))
        for key in ("targetID", "targetText", "itemType"):
            if not isinstance(given.get(key), str):
                raise DataError(
                    f"{path}: an item of batch {number} has no {key}, as Appraise writes; found "
                    f"{quote(sorted(given))}."
                )
        yield given


def _one(
    gathered: Gathered,
    given: Mapping[str, Any],
    seen: "Counter[tuple[str, str]]",
    references: list[tuple[str, str]],
    left_out: "Counter[str]",
) -> None:
    system, kind = given["targetID"], given["itemType"].strip().upper()
    document, reason = None, None
    if given.get("isCompleteDocument"):
        left_out["items that ask for a whole document"] += 1
        return
    if given.get("documentID") is not None:
        document, reason = document_name(str(given["documentID"]), kind, system)
    if reason is None and "tutorial" in system.lower():
        reason = "systems of a tutorial"
    if reason is None and kind not in ("TGT", "REF"):
        reason = "degraded copies and repeats"
    if reason is not None:
        left_out[reason] += 1
        return
    if document is None:
        item = str(given.get("itemID"))
    else:
        seen[document, system] += 1
        item = f"{document}:{seen[document, system]}"
    if kind == "REF":
        references.append((item, given["targetText"]))
        return
    if gathered.has(item, system):
        gathered.again()
    gathered.add(
        item, system, given["targetText"], document=document, source=given["sourceText"]
    )


# --- The campaign of Pearmut: a JSON file with texts, tutorial and checks ---

_TRAINING = ("data_welcome", "data_random")


def is_pearmut_campaign(content: FileContent) -> bool:
    """Tell by the data of a campaign."""
    return content.first_line.startswith("{") and "data" in content.first_object


def read_pearmut_campaign(
    content: FileContent, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read documents of items with ``src``, ``ref``, ``tgt`` by model, and ``item_id``.

    Who is shown what is arranged anew, so the tasks of users are put together: an item is known by
    its ``item_id``, else by its place. The document is taken from an item_id of WMT's form
    (``language_#_domain_#_document_#_segment``) or from ``doc_id``; else it is called by its
    first item. Items with ``validation`` and those of ``data_welcome`` become training texts.
    """
    path = str(content)
    try:
        whole = json_value(content.text)
    except NotJson as error:
        raise DataError(f"{path}: this is no JSON ({error}).") from error
    if not isinstance(whole, dict):
        raise DataError(f"{path}: expected the object of one campaign.")
    gathered = Gathered(path)
    training: list[TrainingText] = []
    for number, document in enumerate(_documents(whole["data"], path), 1):
        if any(item.get("validation") for item in document):
            training += [one for item in document for one in _training(item, path)]
            continue
        _add(gathered, document, number, path)
    for name in _TRAINING:
        for document in _documents(whole.get(name, []), path):
            training += [
                one for item in document if "form" not in item for one in _training(item, path)
            ]
    info = whole.get("info")
    return CampaignTexts(
        corpus=gathered.corpus(systems),
        items=gathered.items,
        training=tuple(training),
        notes=(*gathered.notes(), *_notes(info if isinstance(info, Mapping) else {}, training)),
    )


def _notes(info: Mapping[str, Any], training: Sequence[TrainingText]) -> list[str]:
    notes = []
    if training:
        notes.append(
            f"{count(len(training), 'text')} of the tutorial and of attention checks: for "
            "training, and never counted."
        )
    if info.get("protocol"):
        notes.append(
            f"The file asks for the protocol {info['protocol']}; what is asked here is what "
            "--protocol says."
        )
    if info.get("instructions"):
        notes.append("The instructions of the file are HTML, and left out.")
    return notes


def _documents(data: Any, path: str) -> Iterator[list[dict[str, Any]]]:
    """Return the documents, which stand in one list or in the lists of users."""
    if not isinstance(data, list):
        raise DataError(f"{path}: expected lists of documents, found {quote(data)}.")
    if data and all(isinstance(one, dict) for one in data):
        yield data
        return
    for one in data:
        yield from _documents(one, path)


def _add(
    gathered: Gathered, items: Sequence[Mapping[str, Any]], number: int, path: str
) -> None:
    places = [f"{number}:{place}" for place in range(1, len(items) + 1)]
    names = [str(one.get("item_id", place)) for one, place in zip(items, places, strict=True)]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise DataError(
            f"{path}: the segment {again!r} stands twice in one document. Give every segment a "
            "name of its own."
        )
    for item, name in zip(items, names, strict=True):
        document = item.get("doc_id")
        if document is None and name.count(SEPARATOR) == 3:
            parts = names_in_segment(name)
            document = SEPARATOR.join((parts["domain"], parts["document"]))
        document = names[0] if document is None else str(document)
        for system, text in _outputs(item, name, path):
            if gathered.has(name, system):
                gathered.again()
            gathered.add(
                name,
                system,
                text,
                document=document,
                source=_text(item, "src", path),
                reference=_text(item, "ref", path),
            )


def _outputs(item: Mapping[str, Any], name: str, path: str) -> Iterator[tuple[str, str]]:
    found = item.get("tgt")
    if not isinstance(found, Mapping) or not found:
        raise DataError(
            f"{path}: the item {name!r} has no texts by model (tgt); found {quote(found)}."
        )
    for system, text in found.items():
        if not isinstance(text, str):
            raise DataError(f"{path}: the text of {system!r} in {name!r} is no text.")
        yield str(system), text


def _text(item: Mapping[str, Any], key: str, path: str) -> str | None:
    found = item.get(key)
    if found is not None and not isinstance(found, str):
        raise DataError(f"{path}: {key!r} must be text; found {quote(found)}.")
    return found


def _training(item: Mapping[str, Any], path: str) -> Iterator[TrainingText]:
    rules = item.get("validation")
    rules = rules if isinstance(rules, Mapping) else {}
    for system, text in _outputs(item, str(item.get("item_id")), path):
        rule = rules.get(system)
        rule = rule[0] if isinstance(rule, list) and rule else rule
        rule = rule if isinstance(rule, Mapping) else {}
        low, high = _expected(rule.get("score"))
        yield TrainingText(
            text=text,
            source=_text(item, "src", path),
            reference=_text(item, "ref", path),
            low=low,
            high=high,
            hint=str(rule.get("warning") or ""),
        )


def _expected(score: Any) -> tuple[float | None, float | None]:
    """Return the two ends of the expected score, where a rule says them."""
    if not isinstance(score, list) or len(score) != 2:
        return None, None
    low, high = score
    if (
        not all(isinstance(end, int | float) and math.isfinite(end) for end in score)
        or low > high
    ):
        return None, None
    return low, high


# --- The table of ``detectable tasks``: outputs that were to be judged in sheets ---

_NEEDED = ("system", "item", "kind", "text")


def is_task_table(content: FileContent) -> bool:
    """Tell by the columns of a task."""
    header = {cell.strip('" \r') for cell in content.first_line.split(",")}
    return header >= {*_NEEDED, "of_position"}


def read_task_table(
    content: FileContent, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read the outputs of ``tasks.csv``; controls are made anew, so those of the table are left out."""
    table = read_table(content)
    for name in _NEEDED:
        if name not in table.columns:
            raise table.missing(f"a column {name!r}")
    cells = {
        name: table.cells(name) if name in table.columns else [None] * table.n_rows
        for name in (*_NEEDED, "document", "source", "reference")
    }
    gathered = Gathered(str(content))
    controls = 0
    for row in range(table.n_rows):
        one = {name: None if is_missing(v[row]) else str(v[row]) for name, v in cells.items()}
        if one["kind"] != "system":
            controls += 1
            continue
        item, system = one["item"] or "", one["system"] or ""
        if gathered.has(item, system):
            gathered.again()
        gathered.add(
            item,
            system,
            one["text"] or "",
            document=one["document"],
            source=one["source"],
            reference=one["reference"],
        )
    said = (f"{count(controls, 'control')} left out: new ones are made.",) if controls else ()
    return CampaignTexts(
        corpus=gathered.corpus(systems), items=gathered.items, notes=(*gathered.notes(), *said)
    )


# --- The texts of a campaign that another tool, or ours, has written down ---

_READERS = (
    (is_pearmut_campaign, read_pearmut_campaign),
    (is_appraise_batches, read_appraise_batches),
    (is_task_table, read_task_table),
)


def read_campaign_file(
    path: FilePath, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read a campaign of Pearmut, batches of Appraise or the table of ``detectable tasks``.

    Parameters
    ----------
    path : path
        The file; what it holds tells its format.
    systems : sequence of str, optional
        Which systems to take. Default: all.
    """
    content = FileContent.of(path)
    for recognise, read in _READERS:
        if recognise(content):
            return read(content, systems=systems)
    raise DataError(
        f"{path}: this is no campaign that can be read. Known are campaigns of Pearmut (JSON with "
        "data), batches of Appraise (JSON with items and task) and tasks.csv of detectable tasks."
    )
