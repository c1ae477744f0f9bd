"""Annotation tasks as one blind sheet for each rater, and the key to all of them."""

import hashlib
from collections.abc import Mapping

from detectable.report.render.csv import to_csv
from detectable.study.tasks.result import Tasks
from detectable.study.tasks.rows import TaskRow

KEY = "key.csv"


def blind_sheets(tasks: Tasks) -> Mapping[str, str]:
    """Return files by name: ``sheet-RATER.csv`` for everyone who judges, and ``key.csv``.

    A sheet holds texts, what they are judged against (the source where it is known, else the
    reference), and empty columns for score and time. Which system wrote a text, and whether it is a
    control, stands in the key alone; `read_judgments` puts the two together again from their folder.
    """
    sheets: dict[str, list[list[object]]] = {}
    key: list[list[object]] = []
    beside = "source" if all(row.source is not None for row in tasks.rows) else "reference"
    documents = any(row.document is not None for row in tasks.rows)
    domains = any(row.domain is not None for row in tasks.rows)
    for row in tasks.rows:
        one = _id(str(tasks.signature), row)
        sheet = sheets.setdefault(row.rater, [])
        sheet.append([one, row.task, row.block, getattr(row, beside), row.text, "", ""])
        known = [one, row.task, row.rater, row.position, row.kind, row.system, row.item]
        known += [row.document] if documents else []
        known += [row.domain] if domains else []
        key.append(known)
    head = ("id", "task", "block", beside, "text", "score", "seconds")
    names = ["id", "task", "rater", "position", "kind", "system", "item"]
    names += ["document"] if documents else []
    names += ["domain"] if domains else []
    made = {f"sheet-{rater}.csv": to_csv(head, rows) for rater, rows in sheets.items()}
    return {**made, KEY: to_csv(tuple(names), key)}


def _id(signature: str, row: TaskRow) -> str:
    """Return a name of a text that says nothing about it to who has only the sheet."""
    place = f"{signature}\n{row.task}\n{row.position}"
    return f"t{hashlib.sha256(place.encode()).hexdigest()[:12]}"
