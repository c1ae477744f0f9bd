"""A store of campaigns: what is to be judged, by whom, and every judgment.

Every method is one transaction: when it has returned, what it did is on the disk; when it has
raised, nothing was done. The store knows texts, leases and answers. It knows no statistics: who is
shown what in which order is arranged above it, and what counts is decided there.
"""

import json
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, TypeAlias, TypeVar

from detectable.core.errors import DataError, RefusedError
from detectable.core.wording import listing
from detectable.data.store import records
from detectable.data.store.admissions import LookRequests, Notices, Withdrawals
from detectable.data.store.claims import Claims
from detectable.data.store.roster import COUNTS, Roster
from detectable.data.store.sql import Sql

_TURNS: Mapping[records.State, tuple[records.State, ...]] = {
    "draft": ("open",),
    "open": ("paused", "stopped"),
    "paused": ("open", "stopped"),
    "stopped": ("concluded",),
    "concluded": (),
}


ARCHIVED = "archived"  # in the events of a campaign
# What depends on others comes before them.
_OF_PAGES = ("judgment", "draft", "revision")
_OF_RATERS = ("seen_by", "checkpoint", "tally", "participant")
_OF_CAMPAIGNS = (
    "look_request",
    "open_link",
    "notice",
    "work",
    "output",
    "segment",
    "part",
    "rater",
    "event",
    "status",
)

Only: TypeAlias = Literal["all", "system", "control", "extra"]
Named: TypeAlias = Callable[[str, str], str]


class Store(Claims, Roster, Withdrawals, LookRequests, Notices):
    """What SQLite and PostgreSQL have in common; `open_store` opens one of them."""

    # -- campaigns
    def create(self, new: records.NewCampaign, now: float | None = None) -> None:
        """Keep a new campaign, as a draft."""
        when = time.time() if now is None else now
        with self.transaction():
            self.alone()
            if self.one("SELECT 1 FROM campaign WHERE id = ?", new.name):
                raise DataError(
                    f"there is a campaign {new.name!r} already. Choose another name."
                )
            systems = json.dumps(new.systems)
            self.run(
                "INSERT INTO campaign VALUES (?, 'draft', ?, ?, ?, ?, ?, ?, ?, ?)",
                new.name,
                json.dumps(new.settings, sort_keys=True, allow_nan=False),
                systems,
                systems,
                new.block,
                new.lease,
                new.seed,
                secrets.token_hex(16),
                when,
            )
            for part in new.parts:
                self._keep(new.name, part)
            top = self.one("SELECT COALESCE(MAX(id), 0) FROM work")[0]
            for place, (part_name, wave) in enumerate(new.works):
                self.run(
                    "INSERT INTO work (id, campaign, part, wave, ord, state, epoch) "
                    "VALUES (?, ?, ?, ?, ?, 'open', 0)",
                    top + 1 + place,
                    new.name,
                    part_name,
                    wave,
                    place,
                )
            for name in COUNTS:
                n = len(new.works) if name in ("works", "open") else 0
                self.run("INSERT INTO status VALUES (?, ?, ?)", new.name, name, n)
                self.run("INSERT INTO status VALUES (?, ?, 0)", new.name, f"+{name}")
            self._log(new.name, "made", {}, when)

    def _keep(self, campaign: str, part: records.Part) -> None:
        self.run("INSERT INTO part VALUES (?, ?, ?)", campaign, part.name, part.document)
        for n, one in enumerate(part.segments):
            where = (campaign, part.name, n)
            self.run(
                "INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?)",
                *where,
                one.item,
                one.source,
                one.reference,
            )
            for system, text in one.outputs.items():
                marks = one.suggested.get(system)
                self.run(
                    "INSERT INTO output VALUES (?, ?, ?, ?, ?, ?)",
                    *where,
                    system,
                    text,
                    None if not marks else json.dumps([dict(mark) for mark in marks]),
                )

    def parts(self, campaign: str, names: Sequence[str] | None = None) -> list[records.Part]:
        """Return texts of a campaign as they were given: all parts, or those of some names."""
        only, which = "", () if names is None else tuple(names)
        if names is not None:
            only = f" AND p.part IN ({', '.join('?' * len(which)) or 'NULL'})"
        outputs: dict[tuple[str, int], dict[str, str]] = {}
        for part, n, system, text in self.all(
            f"SELECT p.part, p.n, p.system, p.text FROM output p WHERE p.campaign = ?{only}",
            campaign,
            *which,
        ):
            outputs.setdefault((part, n), {})[system] = text
        segments: dict[str, list[records.Segment]] = {}
        for part, n, item, source, reference in self.all(
            "SELECT p.part, p.n, p.item, p.source, p.reference FROM segment p "
            f"WHERE p.campaign = ?{only} ORDER BY p.part, p.n",
            campaign,
            *which,
        ):
            segments.setdefault(part, []).append(
                records.Segment(
                    item=item, source=source, reference=reference, outputs=outputs[part, n]
                )
            )
        return [
            records.Part(name=part, document=document, segments=tuple(segments[part]))
            for part, document in self.all(
                "SELECT p.part, p.document FROM part p JOIN work w ON w.campaign = p.campaign "
                f"AND w.part = p.part AND w.wave = 1 WHERE p.campaign = ?{only} ORDER BY w.ord",
                campaign,
                *which,
            )
        ]

    def first_parts(self, campaign: str, n_lines: int) -> list[str]:
        """Return the names of the first parts that have so many lines together."""
        found, so_far = [], 0
        for part, lines in self.all(
            "SELECT w.part, (SELECT COUNT(*) FROM segment s WHERE s.campaign = w.campaign "
            "AND s.part = w.part) FROM work w WHERE w.campaign = ? AND w.wave = 1 "
            "ORDER BY w.ord LIMIT ?",
            campaign,
            n_lines,
        ):
            if so_far >= n_lines:
                break
            found.append(part)
            so_far += lines
        return found

    def parts_before(self, campaign: str, part: str, most: int) -> list[str]:
        """Return the names of the parts before one in its document, the nearest last.

        The parts of a document come one after the other.
        """
        found = self.all(
            "SELECT near.part FROM (SELECT w.part, w.ord FROM work w WHERE w.campaign = ? "
            "AND w.wave = 1 AND w.ord < (SELECT v.ord FROM work v WHERE v.campaign = ? "
            "AND v.part = ? AND v.wave = 1) ORDER BY w.ord DESC LIMIT ?) near "
            "JOIN part b ON b.campaign = ? AND b.part = near.part "
            "JOIN part a ON a.campaign = ? AND a.part = ? AND a.document = b.document "
            "ORDER BY near.ord",
            *(campaign, campaign, part, most, campaign, campaign, part),
        )
        return [row[0] for row in found]

    def turn(
        self,
        campaign: str,
        state: records.State,
        *,
        detail: Mapping[str, Any] | None = None,
        now: float | None = None,
    ) -> None:
        """Open, pause, stop or conclude a campaign; stopping cuts the work nobody has begun."""
        with self.transaction():
            row = self.one("SELECT state FROM campaign WHERE id = ?" + self.lock_row, campaign)
            before: records.State = self.campaign(campaign).state if row is None else row[0]
            if state not in _TURNS[before]:
                raise RefusedError(
                    "wrong_state", f"The campaign {campaign} is {before}: it cannot be {state}."
                )
            self.run("UPDATE campaign SET state = ? WHERE id = ?", state, campaign)
            n_cut = 0
            if state == "stopped":
                n_cut = self.run(
                    "UPDATE work SET state = 'cut' WHERE campaign = ? AND state = 'open'",
                    campaign,
                ).rowcount
            self._log(campaign, state, detail or {}, now)
            self._count(campaign, {"open": -n_cut, "cut": n_cut}, organiser=True)

    def archive(self, campaign: str, *, back: bool = False) -> None:
        """Put a campaign that nobody works in out of the way, or bring it back."""
        with self.transaction():
            state = self.campaign(campaign).state
            if state in ("open", "paused"):
                raise RefusedError(
                    "wrong_state",
                    f"The campaign {campaign} is {state}: raters may still come. Stop it first.",
                )
            self._log(campaign, "brought back" if back else ARCHIVED, {}, None)

    def archived(self, campaign: str) -> bool:
        """Say whether a campaign was put out of the way."""
        rows = self.all(
            "SELECT event FROM event WHERE campaign = ? AND event IN (?, 'brought back') "
            "ORDER BY n DESC LIMIT 1",
            campaign,
            ARCHIVED,
        )
        return bool(rows) and rows[0][0] == ARCHIVED

    def delete(self, campaign: str) -> None:
        """Delete a draft or a concluded campaign with all that the store has of it."""
        with self.transaction():
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            state = self.campaign(campaign).state
            if state not in ("draft", "concluded"):
                raise RefusedError(
                    "wrong_state",
                    f"The campaign {campaign} is {state}: its judgments are still needed. Conclude "
                    "or close it first.",
                )
            pages = (
                "SELECT p.token FROM page p JOIN rater r ON r.id = p.rater WHERE r.campaign = ?"
            )
            works = "SELECT id FROM work WHERE campaign = ?"
            raters = "SELECT id FROM rater WHERE campaign = ?"
            for sql in (
                *(f"DELETE FROM {one} WHERE page IN ({pages})" for one in _OF_PAGES),
                f"DELETE FROM admission WHERE work IN ({works})",
                f"DELETE FROM page WHERE work IN ({works})",
                *(f"DELETE FROM {one} WHERE rater IN ({raters})" for one in _OF_RATERS),
                *(f"DELETE FROM {one} WHERE campaign = ?" for one in _OF_CAMPAIGNS),
                "DELETE FROM campaign WHERE id = ?",
            ):
                self.run(sql, campaign)

    def cut(self, campaign: str, now: float | None = None) -> None:
        """Give up, after a stop, all work that is still out; what comes in later has no partner."""
        with self.transaction():
            row = self.one("SELECT state FROM campaign WHERE id = ?" + self.lock_row, campaign)
            before: records.State = self.campaign(campaign).state if row is None else row[0]
            if before != "stopped":
                raise RefusedError(
                    "wrong_state", f"The campaign {campaign} is {before}, and has not stopped."
                )
            gone = self.all(
                "UPDATE work SET state = 'cut', rater = NULL, lease_until = NULL, "
                "left_to_do = NULL WHERE campaign = ? AND state = 'leased' RETURNING id, epoch",
                campaign,
            )
            if gone:
                self._log(campaign, "cut", {"works": len(gone)}, now)
                changes = {"leased": -len(gone), "cut": len(gone)}
                changes["orphans"] = self._orphaned(gone)
                self._count(campaign, changes, organiser=True)

    def need(self, campaign: str, systems: Sequence[str], now: float | None = None) -> bool:
        """Show only these systems in work that is claimed from now on; say if that is new."""
        with self.transaction():
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            row = self.campaign(campaign)
            known = row.systems
            unknown = [name for name in systems if name not in known]
            if unknown:
                raise DataError(
                    f"{campaign} does not compare {unknown[0]!r}, only {listing(list(known))}."
                )
            if tuple(systems) == row.needed:
                return False
            self.run(
                "UPDATE campaign SET needed = ? WHERE id = ?",
                json.dumps(list(systems)),
                campaign,
            )
            self._log(campaign, "needed", {"systems": list(systems)}, now)
            return True

    # -- what came of it
    def rows(self, campaign: str, *, undecided: bool = False) -> list[records.JudgmentRow]:
        """Return all judgments in the order in which their work was completed.

        With `undecided` only those of finished work that is still to be decided.
        """
        pairs = _pair_numbers(self.campaign(campaign).systems)
        only = " AND w.waits = 1 AND w.epoch = p.epoch" if undecided else ""
        found = self.all(_ROWS.format(only), campaign)
        return [one for row in found for one in _judgments(row, pairs, _by_name)]

    def each_row(
        self, campaign: str, *, only: Only = "all", named: Named | None = None
    ) -> Iterator[records.JudgmentRow]:
        """Give what `rows` returns, one after the other: a million of them do not fit.

        Parameters
        ----------
        only : {'all', 'system', 'control', 'extra'}
            Those of ordinary pages, of controls, or of judgments that may say more than a score.
        named : callable, optional
            What a system is to be called, given the item and its name.
        """
        pairs = _pair_numbers(self.campaign(campaign).systems)
        for row in self.each(_ROWS.format(_ONLY[only]), campaign):
            yield from _judgments(row, pairs, named or _by_name)

    def document_scores(self, campaign: str) -> list[records.DocumentScore]:
        """Return what raters said of whole pages, in the order of the work."""
        return [
            records.DocumentScore(
                document=document,
                part=part,
                system=system,
                kind=kind,
                rater=rater,
                wave=wave,
                score=score,
            )
            for document, part, system, kind, rater, wave, score in self.all(
                "SELECT a.document, a.part, p.system, p.kind, r.code, w.wave, p.document_score "
                "FROM page p JOIN work w ON w.id = p.work JOIN part a ON a.campaign = w.campaign "
                "AND a.part = w.part JOIN rater r ON r.id = p.rater WHERE w.campaign = ? "
                "AND p.document_score IS NOT NULL ORDER BY w.ord, p.epoch, p.ord",
                campaign,
            )
        ]


_ONLY: Mapping[Only, str] = {
    "all": "",
    "system": " AND p.kind = 'system'",
    "control": " AND p.kind <> 'system'",
    "extra": " AND (j.extra IS NOT NULL OR p.beside IS NOT NULL)",
}
_DONE_AT = (
    "CASE WHEN m.work IS NOT NULL THEN m.done_at WHEN w.epoch = p.epoch THEN w.done_at END"
)
# Finished work in its order, then the rest.
_ROWS = (
    "SELECT s.item, a.document, a.part, p.system, p.kind, r.code, p.block, w.wave, "
    "j.score, j.extra, j.seconds, j.saved, w.id, p.epoch, p.lines, j.n, "
    "w.epoch = p.epoch AND w.rater = p.rater AND w.state <> 'open', "
    f"{_DONE_AT} AS done_at, m.admitted, p.token, p.beside, p.flipped, m.seq "
    "FROM judgment j JOIN page p ON p.token = j.page JOIN work w ON w.id = p.work "
    "JOIN part a ON a.campaign = w.campaign AND a.part = w.part "
    "JOIN segment s ON s.campaign = w.campaign AND s.part = w.part AND s.n = j.n "
    "JOIN rater r ON r.id = p.rater "
    "LEFT JOIN admission m ON m.work = w.id AND m.epoch = p.epoch WHERE w.campaign = ?{} "
    f"ORDER BY {_DONE_AT} IS NULL, {_DONE_AT}, w.id, p.epoch, p.ord, j.n"
)


def _pair_numbers(systems: Sequence[str]) -> Mapping[frozenset[str], int]:
    """Return the number of every pair of systems, from 1; none where there is only one pair."""
    if len(systems) <= 2:
        return {}
    return {frozenset(pair): n for n, pair in enumerate(combinations(systems, 2), start=1)}


def _by_name(_item: str, system: str) -> str:
    return system


def _judgments(
    row: Sequence[Any], pairs: Mapping[frozenset[str], int], named: Named
) -> list[records.JudgmentRow]:
    """Return the judgment of a row; of a choice between two systems one for each.

    What was chosen gets 1, the other 0, or both ½. A control stands in for one system, so the
    choice says nothing about the other. The time of a choice is shared. Where there are several
    pairs the item is named with the number of its pair, so that no system is compared with
    another by choices that were about a third.
    """
    item, system, beside, flipped = row[0], row[3], row[20], bool(row[21])
    if beside is None:
        return [_judgment(row, item, named(item, system))]
    number = pairs.get(frozenset((system, beside)))
    if number is not None:
        item = f"{item} pair {number}"
    made = _judgment(row, item, named(item, system))
    if number is not None:
        made = replace(made, line=row[0])
    extra = {**(made.extra or {}), "side": "right" if flipped else "left"}
    seconds = None if made.seconds is None else made.seconds / 2.0
    if row[4] != "system":
        return [replace(made, extra=extra)]
    other = {**extra, "side": "left" if flipped else "right"}
    score = None if made.score is None else 1.0 - made.score
    return [
        replace(made, extra=extra, seconds=seconds),
        replace(made, system=named(item, beside), score=score, extra=other, seconds=seconds),
    ]


def _judgment(row: Sequence[Any], item: str, system: str) -> records.JudgmentRow:
    lines = None if row[14] is None else json.loads(row[14])
    return records.JudgmentRow(
        item=item,
        document=row[1],
        part=row[2],
        system=system,
        kind=row[4] if lines is None else lines[row[15]][0],
        rater=row[5],
        block=row[6],
        wave=row[7],
        score=row[8],
        extra=None if row[9] is None else json.loads(row[9]),
        seconds=row[10],
        saved=row[11],
        work=row[12],
        epoch=row[13],
        orphan=not row[16] and row[18] is None,
        done_at=row[17],
        admitted=None if row[18] is None else bool(row[18]),
        page=row[19],
        text=None if lines is None else lines[row[15]][1],
        seq=row[22],
    )


# --- One thread writes; all calls that wait are done in one transaction ---
#
# A call is answered only after COMMIT has returned, so an acknowledged judgment is on the disk. The
# price of waiting for the disk is shared by all calls that came meanwhile.

T = TypeVar("T")
_MOST = 64  # calls in one transaction


class GroupCommit:
    """Hands calls to the thread that owns a store."""

    def __init__(self, store: Sql) -> None:
        self._store = store
        self._queue: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = (
            queue.SimpleQueue()
        )
        self.calls = self.commits = 0
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Do a call with the store in its turn; the future has its answer after COMMIT."""
        future: Future[T] = Future()
        self._queue.put((future, call))
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            first = self._queue.get()
            batch = [] if first is None else [first]
            going = first is not None
            while going and len(batch) < _MOST:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    going = False
                else:
                    batch.append(more)
            if batch:
                self._commit(batch)

    def _commit(self, batch: list[tuple[Future[Any], Callable[[], Any]]]) -> None:
        try:
            answers = self._store.together(call for _, call in batch)
        except Exception as error:  # noqa: BLE001 (COMMIT failed: nobody was told otherwise)
            answers = [error] * len(batch)
        self.commits += 1
        self.calls += len(batch)
        for (future, _), answer in zip(batch, answers, strict=True):
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
