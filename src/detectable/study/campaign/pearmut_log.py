"""Judgments as the log of Pearmut: JSON lines, one for every page that a rater saved."""

import json
from collections.abc import Sequence
from typing import Any

from detectable.data.store.records import JudgmentRow
from detectable.study.campaign.shown_texts import ShownTexts
from detectable.study.campaign.spans import other_tools_span


def pearmut_log(
    rows: Sequence[JudgmentRow], texts: ShownTexts | None, *, score_of_spans: bool
) -> str:
    """Return the log. `read_judgments` gives the judgments back.

    Repeats come after all others, so that a reader takes them for second scores. Degraded copies
    and references have ``validation``, as attention checks do; readers leave them out. Places of
    errors include the last letter, as Pearmut counts. What could not be judged is null.

    Parameters
    ----------
    texts : ShownTexts, optional
        What was judged; None while the systems are not named.
    score_of_spans : bool
        Whether the score is that of the errors (MQM): then it is left out, and computed by who
        reads the log. If nobody marked any error it stands there as 0.
    """
    pages: dict[str, list[JudgmentRow]] = {}
    for row in rows:
        pages.setdefault(row.page, []).append(row)
    marked = any((row.extra or {}).get("spans") for row in rows)
    ordered = sorted(pages.values(), key=lambda page: page[0].kind != "system")
    made = [
        _line(number, page, texts, scored=not (score_of_spans and marked))
        for number, page in enumerate(ordered)
    ]
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in made)


def _line(
    number: int, page: Sequence[JudgmentRow], texts: ShownTexts | None, *, scored: bool
) -> dict[str, Any]:
    items: dict[str, list[JudgmentRow]] = {}
    for row in page:
        items.setdefault(row.item, []).append(row)
    return {
        "user_id": page[0].rater,
        "item_i": number,
        "item": [_item(rows, texts) for rows in items.values()],
        "annotation": [_annotation(rows, scored=scored) for rows in items.values()],
        "actions": _actions(page),
    }


def _item(rows: Sequence[JudgmentRow], texts: ShownTexts | None) -> dict[str, Any]:
    first = rows[0]
    made: dict[str, Any] = {"item_id": first.item}
    if first.document is not None:
        made["doc_id"] = first.document
    if texts is not None:
        segment = texts.segment(first)
        made |= {"src": segment.source} if segment.source is not None else {}
        made |= {"ref": segment.reference} if segment.reference is not None else {}
    made["tgt"] = {row.system: "" if texts is None else texts.text(row) for row in rows}
    if first.kind in ("degraded", "reference"):
        made["validation"] = {row.system: {} for row in rows}
    return made


def _annotation(rows: Sequence[JudgmentRow], *, scored: bool) -> dict[str, Any] | None:
    if any(row.score is None for row in rows):
        return None
    made = {}
    for row in rows:
        more = dict(row.extra or {})
        spans = [other_tools_span(one, category="category") for one in more.pop("spans", ())]
        more.pop("side", None)
        score = _plain(row.score) if scored else None
        made[row.system] = {"score": score, "error_spans": spans, **more}
    return made


def _plain(score: float | None) -> float | int | None:
    return int(score) if score is not None and score == int(score) else score


def _actions(page: Sequence[JudgmentRow]) -> list[dict[str, Any]]:
    """Return when the page was given and saved; of two rows of a choice each has half the time."""
    first = page[0]
    if first.seconds is None:
        return []
    both = [row for row in page if row.item == first.item]
    seconds = sum(row.seconds or 0.0 for row in both)
    return [
        {"time": first.saved - seconds, "action": "load"},
        {"time": first.saved, "action": "submit"},
    ]
