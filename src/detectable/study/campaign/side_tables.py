"""What judgments say besides their score: errors, other criteria, strength, and documents."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from detectable.core.harmless import for_spreadsheet
from detectable.data.store.records import DocumentScore, JudgmentRow

SPANS, EXTRA, DOCUMENTS = "spans.jsonl", "extra.jsonl", "documents.csv"
_DOCUMENT_COLUMNS = ("document", "part", "system", "kind", "rater", "wave", "score")


def side_tables(
    rows: Sequence[JudgmentRow],
    documents: Sequence[DocumentScore],
    fingerprint: Callable[[JudgmentRow], str] | None,
) -> dict[str, str]:
    """Return the content of every table that has any, by what stands behind the file's name.

    Parameters
    ----------
    rows : sequence of JudgmentRow
        Those of the export, in its order. A judgment is known by its row in the export, from 1;
        texts that could not be judged have none.
    documents : sequence of DocumentScore
        Scores of whole documents, which no look sees.
    fingerprint : callable, optional
        The hash of a text; None while the systems are not named, since texts would name them.
    """
    spans, extra, number = [], [], 0
    for row in rows:
        number += row.score is not None
        who: dict[str, Any] = {"judgment": number if row.score is not None else None}
        who |= {"system": row.system, "item": row.item, "rater": row.rater, "kind": row.kind}
        more = dict(row.extra or {})
        for span in more.pop("spans", ()):
            text = {} if fingerprint is None else {"text_hash": fingerprint(row)}
            spans.append({**who, **_span(span), **text})
        if more:
            extra.append({**who, **more})
    made = {SPANS: _lines(spans), EXTRA: _lines(extra), DOCUMENTS: _documents(documents)}
    return {name: text for name, text in made.items() if text}


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    return {name: span.get(name) for name in ("start", "end", "severity", "category")}


def _lines(entries: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in entries)


def _documents(scores: Sequence[DocumentScore]) -> str:
    if not scores:
        return ""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_DOCUMENT_COLUMNS)
    for one in scores:
        cells = (getattr(one, name) for name in _DOCUMENT_COLUMNS)
        writer.writerow(for_spreadsheet("" if cell is None else str(cell)) for cell in cells)
    return text.getvalue()
