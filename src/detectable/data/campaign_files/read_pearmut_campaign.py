"""The campaign of Pearmut: a JSON file with texts, tutorial and checks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.campaign_files.campaign_texts import CampaignTexts, Gathered
from detectable.data.campaign_files.training_text import TrainingText
from detectable.data.files.content import FileContent
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.place import quote
from detectable.data.human.wmt_names import SEPARATOR, names_in_segment

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
