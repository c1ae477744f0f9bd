"""Annotation tasks as Appraise reads them: batches and the manifest of a campaign."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.study.tasks.result import TaskRow, Tasks

ITEM_TYPES = {"system": "TGT", "degraded": "BAD", "repeat": "CHK", "reference": "REF"}
# What `import_from_json` of Appraise's direct assessment asks for; it skips other batches.
_DIRECT = 100
_CODE = re.compile(r"[a-z]{3}")


def appraise_batches(tasks: Tasks, *, source_language: str, target_language: str) -> str:
    """Return the batches as JSON, one per task.

    Tasks of documents have one more item after each document, for a score of the whole; a
    copy with controls is called after its document with ``#bad``, and a part of a document
    with its first and last line (``name#1-70``), as in the campaigns of WMT. Where the corpus
    has no sources, the reference stands in their place (an evaluation in one language).

    Parameters
    ----------
    tasks : Tasks
        From `make_tasks`.
    source_language, target_language : str
        Three letters, as in ISO 639-3.
    """
    pair = _languages(source_language, target_language)
    names = _document_names(tasks) if tasks.task_kind == "document" else {}
    batches = [
        _batch(number, rows, names, tasks, pair)
        for number, rows in enumerate(tasks.by_task().values(), start=1)
    ]
    return json.dumps(batches, ensure_ascii=False, indent=2) + "\n"


def appraise_manifest(
    tasks: Tasks, *, source_language: str, target_language: str, campaign: str
) -> str:
    """Return the manifest as JSON. Appraise gives consecutive tasks to each annotator.

    Parameters
    ----------
    tasks : Tasks
        From `make_tasks`.
    source_language, target_language : str
        Codes of three letters, as ``eng`` and ``deu``.
    campaign : str
        Its name.
    """
    pair = _languages(source_language, target_language)
    annotators = tasks.n_raters if _even(tasks) else tasks.n_tasks
    manifest = {
        "CAMPAIGN_URL": "http://127.0.0.1:8000/dashboard/sso/",
        "CAMPAIGN_NAME": campaign,
        "CAMPAIGN_KEY": campaign,
        "CAMPAIGN_NO": 1,
        "REDUNDANCY": 1,
        "TASKS_TO_ANNOTATORS": [[*pair, "uniform", annotators, tasks.n_tasks]],
        "TASK_TYPE": "Direct" if tasks.task_kind == "segment" else "Document",
    }
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def appraise_notes(tasks: Tasks) -> tuple[str, ...]:
    """Say what Appraise cannot hold of the tasks."""
    notes = []
    if not _even(tasks):
        notes.append(
            "Appraise gives every annotator the same number of tasks, one or two in a row; "
            "here raters have more, or not the same. Each task is given to an annotator of "
            "its own: give those of one rater (column rater of tasks.csv) to one person."
        )
    other = [task for task, rows in tasks.by_task().items() if len(rows) != _DIRECT]
    if tasks.task_kind == "segment" and other:
        notes.append(
            f"Appraise takes tasks of {_DIRECT} sentences only, and leaves out others: "
            f"{count(len(other), 'task')} of {tasks.n_tasks:,} "
            f"{'has' if len(other) == 1 else 'have'} fewer or more. Choose `n_items` and "
            f"`raters` so that tasks are full: "
            f"{count(7 * _DIRECT // 10 // tasks.n_systems, 'sentence')} in all systems make one."
        )
    if any(row.source is None for row in tasks.rows):
        notes.append("There is no source text: the reference stands in its place.")
    return tuple(notes)


def _languages(source: str, target: str) -> tuple[str, str]:
    for name, code in (("source_language", source), ("target_language", target)):
        if not _CODE.fullmatch(code):
            raise InputError(f"`{name}` must be a code of three letters, as eng; got {code!r}.")
    return source, target


def _even(tasks: Tasks) -> bool:
    """Return whether Appraise's uniform map gives each rater the rater's own tasks.

    With three tasks or more to an annotator the map skips some of them.
    """
    sizes = Counter(rater for rater, _ in {(row.rater, row.task) for row in tasks.rows})
    return len(set(sizes.values())) == 1 and max(sizes.values()) <= 2


def _document_names(tasks: Tasks) -> dict[tuple[str, int], str]:
    """Return the name of every block: of its document, of a part, or of a copy."""
    lines: dict[str, list[str]] = {}
    for row in sorted(tasks.rows, key=lambda row: int(row.item)):
        if row.kind == "system":
            of_document = lines.setdefault(str(row.document), [])
            if row.item not in of_document[-1:]:
                of_document.append(row.item)
    names: dict[tuple[str, int], str] = {}
    for task, rows in tasks.by_task().items():
        blocks = _blocks(rows)
        for number, block in blocks.items():
            if block[0].of_position is None:
                name = str(block[0].document)
                whole = lines[name]
                if len(block) < len(whole):
                    first, last = (whole.index(row.item) + 1 for row in (block[0], block[-1]))
                    name = f"{name}#{first}-{last}"
                names[task, number] = name
        for number, block in blocks.items():
            if (place := block[0].of_position) is not None:
                names[task, number] = names[task, rows[place - 1].block] + "#bad"
    return names


def _blocks(rows: Sequence[TaskRow]) -> dict[int, list[TaskRow]]:
    blocks: dict[int, list[TaskRow]] = {}
    for row in rows:
        blocks.setdefault(row.block, []).append(row)
    return blocks


def _batch(
    number: int,
    rows: Sequence[TaskRow],
    names: dict[tuple[str, int], str],
    tasks: Tasks,
    languages: tuple[str, str],
) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for block in _blocks(rows).values():
        made = [_item(row) for row in block]
        if tasks.task_kind == "document":
            made = _with_document(made, names[block[0].task, block[0].block])
        items += made
    for place, item in enumerate(items):
        item["_item"] = place
    seed = tasks.signature.seed or ""
    task = {
        "batchNo": number,
        "batchSize": len(items),
        "randomSeed": int(seed) if seed.isdigit() else 0,
        "requiredAnnotations": 1,
        "sourceLanguage": languages[0],
        "targetLanguage": languages[1],
    }
    return {"items": items, "task": task}


def _item(row: TaskRow) -> dict[str, Any]:
    return {
        "_block": row.block - 1,
        "_item": 0,
        "itemID": int(row.item),
        "itemType": ITEM_TYPES[row.kind],
        "sourceID": row.document or "source",
        "sourceText": row.reference if row.source is None else row.source,
        "targetID": row.system,
        "targetText": row.text,
    }


def _with_document(items: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Add the context of each line, and the item that asks for a score of the whole."""
    made = []
    for place, item in enumerate(items):
        left = items[:place]
        made.append(
            {
                **item,
                "documentID": name,
                "isCompleteDocument": False,
                "sourceContextLeft": " ".join(one["sourceText"] for one in left),
                "targetContextLeft": " ".join(one["targetText"] for one in left),
            }
        )
    whole = {
        **items[-1],
        "itemType": "BAD" if name.endswith("#bad") else "TGT",
        "sourceText": "\n".join(one["sourceText"] for one in items),
        "targetText": "\n".join(one["targetText"] for one in items),
        "documentID": name,
        "isCompleteDocument": True,
        "sourceContextLeft": "",
        "targetContextLeft": "",
    }
    return [*made, whole]
