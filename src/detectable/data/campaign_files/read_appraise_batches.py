"""Batches of Appraise: a JSON list of tasks, each with the items that one annotator sees."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.campaign_files.campaign_texts import CampaignTexts, Gathered
from detectable.data.files.content import FileContent
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.place import quote
from detectable.data.human.appraise_documents import document_name


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
