"""The judgments of a campaign: what looks may see, blind or not."""

import hashlib
import string
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.human.judgments import Judgments
from detectable.data.store.records import JudgmentRow


def campaign_judgments(
    rows: Sequence[JudgmentRow],
    scale: tuple[float, float],
    *,
    everything: bool = False,
    name: str = "",
) -> Judgments:
    """Return stored rows as judgments, in the order in which their work was completed.

    Work counts when all pages of it are done by one rater: a pair is never half. Second waves are
    for agreement between raters, and a unit that changes after it was counted is no unit; so looks
    see the first wave only.

    Parameters
    ----------
    everything : bool
        Take second waves, work in progress and answers that came too late as well.
    name : str
        Of the campaign, for messages.
    """
    chosen = counted_rows(rows, everything=everything)
    scored = [row for row in chosen if row.score is not None]
    if not scored:
        raise DataError(
            f"{name or 'the campaign'}: no document is complete yet. Wait for more judgments, or "
            "take everything that was answered."
        )
    columns: dict[str, list[object]] = {
        "system": [row.system for row in scored],
        "item": [row.item for row in scored],
        "score": [row.score for row in scored],
        "rater": [row.rater for row in scored],
        "kind": [row.kind for row in scored],
        "task": [f"{row.rater}-{row.block}" for row in scored],
    }
    if any(row.document is not None for row in scored):
        columns["document"] = [row.document for row in scored]
    if any(row.wave > 1 for row in scored):
        columns["wave"] = [str(row.wave) for row in scored]
    if all(row.seconds is not None for row in scored):
        per_text = _texts(scored)
        columns["seconds"] = [
            row.seconds / per_text[_page(row)] for row in scored if row.seconds is not None
        ]
    return Judgments.build(
        columns, scale=scale, path=name, notes=_notes(rows, chosen, everything=everything)
    )


def counted_rows(rows: Sequence[JudgmentRow], *, everything: bool) -> list[JudgmentRow]:
    """Return what looks may see, or everything that was answered."""
    return [row for row in rows if everything or (row.wave == 1 and row.done_at is not None)]


def _page(row: JudgmentRow) -> tuple[object, ...]:
    return (row.work, row.epoch, row.system, row.kind, row.saved)


def _texts(rows: Iterable[JudgmentRow]) -> dict[tuple[object, ...], int]:
    """Return how many texts shared the seconds of a page."""
    found: dict[tuple[object, ...], int] = {}
    for row in rows:
        found[_page(row)] = found.get(_page(row), 0) + 1
    return found


def _notes(
    rows: Sequence[JudgmentRow], chosen: Sequence[JudgmentRow], *, everything: bool
) -> tuple[str, ...]:
    said = []
    skipped = sum(row.score is None for row in chosen)
    if skipped:
        said.append(f"{count(skipped, 'text')} that a rater could not judge left out.")
    if not everything:
        orphans = sum(row.orphan for row in rows)
        waves = sum(row.wave > 1 for row in rows)
        waiting = len(rows) - len(chosen) - orphans - waves
        for n, why in (
            (waiting, "of work in progress"),
            (orphans, "that came after the work went to somebody else"),
            (waves, "of second waves, which are for agreement"),
        ):
            if n > 0:
                said.append(f"{count(n, 'judgment')} {why} left out.")
    return tuple(said)


def blinded(
    rows: Sequence[JudgmentRow], systems: Sequence[str], salt: str
) -> list[JudgmentRow]:
    """Return rows whose systems are letters, drawn anew for every item.

    Who reads them sees what was judged and how, and nothing about any system.
    """
    letters = [string.ascii_uppercase[i % 26] * (1 + i // 26) for i in range(len(systems))]
    found: dict[str, dict[str, str]] = {}
    made = []
    for row in rows:
        if row.item not in found:
            order = sorted(systems, key=partial(_lot, salt, row.item))
            found[row.item] = dict(zip(order, letters, strict=True))
        made.append(replace(row, system=found[row.item][row.system]))
    return made


def _lot(salt: str, item: str, system: str) -> bytes:
    return hashlib.sha256(f"{salt}\n{item}\n{system}".encode()).digest()
