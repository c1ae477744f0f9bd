"""Judgments as Appraise exports them: rows without a header."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.harmless import for_spreadsheet
from detectable.data.human.judgment_names import Kind
from detectable.data.store.records import JudgmentRow
from detectable.study.campaign.spans import other_tools_span

_TYPES: Mapping[Kind, str] = {
    "system": "TGT",
    "repeat": "CHK",
    "degraded": "BAD",
    "reference": "REF",
}


def appraise_table(
    rows: Sequence[JudgmentRow],
    languages: tuple[str, str],
    *,
    spans: bool,
    score_of_spans: bool,
) -> str:
    """Return the table: 12 columns with errors, 11 with documents, 9 otherwise.

    The columns are user, system, item, type, source and target language, score, then document and
    «is a document», then the errors, then start and end. Texts that could not be judged are
    left out. Where errors are marked and no documents are known, every item is one.

    Parameters
    ----------
    languages : (str, str)
        Of source and target.
    spans, score_of_spans : bool
        Whether errors are marked, and whether the score is theirs (MQM): then it is 0.
    """
    scored = [row for row in rows if row.score is not None]
    documents = any(row.document is not None for row in scored)
    _refuse_marks(scored)
    texts: dict[tuple[str, str], int] = {}
    for row in scored:
        key = row.page, row.system
        texts[key] = texts.get(key, 0) + 1
    done: dict[tuple[str, str], int] = {}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in scored:
        key = row.page, row.system
        done[key] = done.get(key, 0) + 1
        score = 0.0 if score_of_spans else row.score
        cells: list[Any] = [
            row.rater,
            row.system,
            row.item,
            _TYPES[row.kind],
            *languages,
            score,
        ]
        if documents or spans:
            cells += [row.document or row.item, "False"]
        if spans:
            found = (row.extra or {}).get("spans", ())
            cells.append(
                json.dumps(
                    [other_tools_span(one, category="error_type") for one in found],
                    ensure_ascii=False,
                )
            )
        cells += _times(row, done[key] - 1, texts[key])
        writer.writerow(_cell(one) for one in cells)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return for_spreadsheet(str(value))


def _times(row: JudgmentRow, place: int, n: int) -> list[Any]:
    """Return when a text was begun and done: those of a page share its time."""
    if row.seconds is None:
        return ["", ""]
    each = row.seconds / n
    start = row.saved - row.seconds + place * each
    return [repr(start), repr(start + each)]


def _refuse_marks(rows: Sequence[JudgmentRow]) -> None:
    """Refuse names that mean something else in this format."""
    systems = {row.system for row in rows}
    for name in sorted(systems):
        if "tutorial" in name.lower() or (
            "+" in name and all(part in systems for part in name.split("+"))
        ):
            raise DataError(
                f"the system {name!r} cannot be written for Appraise: it would be read as a "
                "tutorial or as the shared output of others. Export a table instead."
            )
    for document in sorted({row.document for row in rows if row.document is not None}):
        if "#" in document:
            raise DataError(
                f"the document {document!r} cannot be written for Appraise, where # marks copies. "
                "Export a table instead."
            )
