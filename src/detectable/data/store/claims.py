"""The calls of a rater: the next page, and the answers to it.

A piece of work is one part in all needed systems. It is claimed whole, by one rater, for a time; it
comes back to the pool whole when that time is over, so a pair is never split between two raters.
"""

import json
import math
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from detectable.core.errors import InputError, RefusedError
from detectable.data.store.records import Answer, Arrange, Line, NewPage, Page, Pause, Saved
from detectable.data.store.roster import Counts

BUDGET = "budget"  # in the events of a campaign: no more work is given out
_PAGE_BYTES = 12  # 96 bits: a page is found by its rater, and nobody guesses one
_UNKNOWN = "There is no such page for you."
_SHOWN = "p.token, w.part, p.system, p.kind, p.lines, p.block, p.beside, p.flipped"


class Claims(Counts):
    """Who holds which work, and what was answered."""

    def next_page(self, rater: str, arrange: Arrange, now: float | None = None) -> Page | Pause:
        """Return the next page of the rater's block, after claiming a new one if need be.

        Parameters
        ----------
        rater : str
            The id of the rater.
        arrange : callable
            Makes the pages of a new block; see `Arrange`. Of the store it may read texts, which
            never change.
        """
        when = time.time() if now is None else now
        with self.transaction():
            # Two tabs of one rater come one after the other, and get the same page.
            code, campaign, rater_state = self._rater(rater)
            state, needed, block, lease, settings = self.one(
                "SELECT state, needed, block, lease, settings FROM campaign WHERE id = ?",
                campaign,
            )
            if state in ("draft", "concluded"):
                raise RefusedError("not_open", "This evaluation is not open.")
            self.run("UPDATE rater SET last_seen = ? WHERE id = ?", when, rater)
            if state == "paused":
                return Pause(retry_after=lease)
            counts = self._expire(campaign, when)
            page = self._pending(rater)
            if page is None and state == "open" and rater_state == "active":
                budget = json.loads(settings).get("budget")
                if budget is not None:  # others who claim wait until this block is counted
                    self.run("UPDATE campaign SET state = state WHERE id = ?", campaign)
                claimed = self._claim(rater, campaign, block, when + lease)
                if claimed and self._give(
                    (rater, code, campaign), claimed, json.loads(needed), arrange, budget
                ):
                    counts.update(open=-len(claimed), leased=len(claimed))
                    page = self._pending(rater)
            if page is not None:
                self._hold(rater, when + lease)
                self.run(
                    "UPDATE page SET given_at = ? WHERE token = ? AND given_at IS NULL",
                    when,
                    page[0],
                )
            self._count(campaign, counts)
            if page is None:
                return self._pause(rater, campaign, state, when)
            return self._page(rater, campaign, page)

    def given_page(self, rater: str, token: str) -> Page:
        """Return a page as it was given to this rater; nobody else's."""
        row = self.one(
            f"SELECT {_SHOWN}, w.campaign FROM page p JOIN work w ON w.id = p.work "
            "WHERE p.token = ? AND p.rater = ? AND p.given_at IS NOT NULL",
            token,
            rater,
        )
        if row is None:
            raise RefusedError("unknown_page", _UNKNOWN)
        return self._page(rater, row[-1], row[:-1])

    def save(
        self,
        rater: str,
        token: str,
        *,
        key: str,
        answers: Sequence[Answer],
        seconds: float | None = None,
        document_score: float | None = None,
        now: float | None = None,
        claimed: bool = False,
    ) -> Saved:
        """Save the answers to a page, once.

        The same `key` again is answered as before; other answers to a page that is done are
        refused. Work that went to somebody else is kept, and has no partner: «saved late».

        People are paid by `seconds`. Where the page of a rater claims them (`claimed`), no more are
        kept than passed since it was given.
        """
        when = time.time() if now is None else now
        if seconds is not None and not 0.0 <= seconds < math.inf:
            raise InputError(f"`seconds` must be a number from 0 on; got {seconds!r}.")
        with self.transaction():
            self._rater(rater)
            row = self.one(
                "SELECT p.work, p.epoch, p.done, p.client_key, w.epoch, w.state, w.rater, "
                "w.campaign, w.part, p.given_at, p.beside IS NOT NULL AND p.kind = 'system' "
                "FROM page p JOIN work w ON w.id = p.work WHERE p.token = ? AND p.rater = ?",
                token,
                rater,
            )
            if row is None:
                raise RefusedError("unknown_page", _UNKNOWN)
            work, epoch, done, first_key, epoch_now, state, holder, campaign, part = row[:9]
            given, of_both = row[9:]
            if done:
                if first_key == key:
                    return "again"
                raise RefusedError(
                    "already_saved", "This page was saved before, with other answers."
                )
            campaign_state, lease = self.one(
                "SELECT state, lease FROM campaign WHERE id = ?", campaign
            )
            if campaign_state == "concluded":
                raise RefusedError("not_open", "This evaluation is not open any more.")
            if claimed and seconds is not None and given is not None:
                seconds = min(seconds, max(when - given, 0.0))
            self._keep_answers(token, campaign, part, answers, seconds, when)
            self.run(
                "UPDATE page SET done = 1, client_key = ?, document_score = ?, pace = ? "
                "WHERE token = ?",
                key,
                document_score,
                None if seconds is None else seconds / len(answers),
                token,
            )
            held = state == "leased" and holder == rater and epoch == epoch_now
            finished = int(held and self._finish(work, when))
            self.run(
                "UPDATE rater SET last_seen = ?, pages = pages + 1, judgments = judgments + ?, "
                "seconds = seconds + ?, finished = finished + ? WHERE id = ?",
                when,
                len(answers),
                seconds or 0.0,
                finished,
                rater,
            )
            if held:
                self._hold(rater, when + lease)
            skipped = sum(one.score is None for one in answers)
            late = {"late": 1, "orphans": len(answers) * (2 if of_both else 1)}
            counts = {
                "pages": 1,
                "judgments": len(answers) - skipped,
                "skipped": skipped,
                "works_done": finished,
                "leased": -finished,
            }
            self._count(campaign, counts if held else counts | late)
            return "saved" if held else "saved late"

    def _rater(self, rater: str) -> tuple[str, str, str]:
        """Hold the row of a rater, and return code, campaign and state."""
        row = self.one(
            "SELECT code, campaign, state FROM rater WHERE id = ?" + self.lock_row, rater
        )
        if row is None or row[2] == "revoked":
            raise RefusedError("link_not_valid", "This link is not valid.")
        return row[0], row[1], row[2]

    def _pending(self, rater: str) -> Any:
        return self.one(
            f"SELECT {_SHOWN} FROM page p "
            "JOIN work w ON w.id = p.work WHERE p.rater = ? AND p.done = 0 "
            "AND w.state = 'leased' AND w.rater = p.rater AND w.epoch = p.epoch "
            "ORDER BY p.block, p.ord LIMIT 1",
            rater,
        )

    def _page(self, rater: str, campaign: str, row: Any) -> Page:
        token, part, system, kind, lines, block, beside, flipped = row
        shown = None if lines is None else [text for _, text in json.loads(lines)]
        texts = self.all(
            "SELECT s.item, s.source, s.reference, o.text, b.text FROM segment s JOIN output o "
            "ON o.campaign = s.campaign AND o.part = s.part AND o.n = s.n AND o.system = ? "
            "LEFT JOIN output b ON b.campaign = s.campaign AND b.part = s.part AND b.n = s.n "
            "AND b.system = ? WHERE s.campaign = ? AND s.part = ? ORDER BY s.n",
            system,
            beside,
            campaign,
            part,
        )
        done, n_pages = self.one(
            "SELECT SUM(p.done), COUNT(*) FROM page p JOIN work w ON w.id = p.work "
            "WHERE p.rater = ? AND p.block = ? AND p.done IN (0, 1) AND (p.done = 1 OR "
            "(w.state = 'leased' AND w.rater = p.rater AND w.epoch = p.epoch))",
            rater,
            block,
        )
        return Page(
            token=token,
            part=part,
            system=system,
            kind=kind,
            lines=tuple(
                Line(
                    item=item,
                    source=source,
                    reference=reference,
                    text=text if shown is None else shown[n],
                    other=other,
                )
                for n, (item, source, reference, text, other) in enumerate(texts)
            ),
            block=block,
            place=int(done) + 1,
            n_pages=n_pages,
            beside=beside,
            flipped=bool(flipped),
        )

    def _expire(self, campaign: str, now: float) -> Counter[str]:
        """Take back what nobody has worked on for too long, and return what that changes."""
        gone = self.all(
            "UPDATE work SET state = 'open', rater = NULL, lease_until = NULL, left_to_do = NULL "
            "WHERE id IN (SELECT id FROM work WHERE campaign = ? AND state = 'leased' "
            f"AND lease_until < ? ORDER BY id{self.skip_locked}) RETURNING id, epoch",
            campaign,
            now,
        )
        if not gone:
            return Counter()
        cut = 0
        if self.one("SELECT state FROM campaign WHERE id = ?", campaign)[0] == "stopped":
            cut = self.run(
                "UPDATE work SET state = 'cut' WHERE campaign = ? AND state = 'open'", campaign
            ).rowcount
        return Counter(
            expired=len(gone),
            leased=-len(gone),
            open=len(gone) - cut,
            cut=cut,
            orphans=self._orphaned(gone),
        )

    def _claim(
        self, rater: str, campaign: str, most: int, until: float
    ) -> list[tuple[int, str, int]]:
        """Return work, part and epoch of what this rater now holds."""
        claimed: list[tuple[int, str, int]] = []
        while len(claimed) < most:
            row = self.one(
                "UPDATE work SET state = 'leased', rater = ?, lease_until = ?, epoch = epoch + 1 "
                "WHERE id = (SELECT w.id FROM work w WHERE w.campaign = ? AND w.state = 'open' "
                "AND NOT EXISTS (SELECT 1 FROM seen_by s WHERE s.rater = ? AND s.part = w.part) "
                f"ORDER BY w.ord LIMIT 1{self.skip_locked}) RETURNING id, part, epoch",
                rater,
                until,
                campaign,
                rater,
            )
            if row is None:
                break
            claimed.append((row[0], row[1], row[2]))
            self.run("INSERT INTO seen_by VALUES (?, ?)", rater, row[1])
        return claimed

    def _give(
        self,
        who: tuple[str, str, str],
        claimed: Sequence[tuple[int, str, int]],
        needed: Sequence[str],
        arrange: Arrange,
        budget: int | None,
    ) -> bool:
        """Make the pages of a new block, or put its work back where they would pass the budget."""
        rater, code, campaign = who
        block: int = self.one("SELECT block + 1 FROM rater WHERE id = ?", rater)[0]
        works = {part: (work, epoch) for work, part, epoch in claimed}
        pages = arrange(code, block, [part for _, part, _ in claimed], needed)
        if budget is not None and not self._affords(campaign, pages, budget):
            for work, part, _ in claimed:
                self.run(
                    "UPDATE work SET state = 'open', rater = NULL, lease_until = NULL, "
                    "epoch = epoch - 1 WHERE id = ?",
                    work,
                )
                self.run("DELETE FROM seen_by WHERE rater = ? AND part = ?", rater, part)
            return False
        self.run("UPDATE rater SET block = ? WHERE id = ?", block, rater)
        for place, page in enumerate(pages):
            work, epoch = works[page.part]
            self._insert(page, (work, epoch, rater, block, place))
        for part, (work, _) in works.items():
            n = sum(page.part == part for page in pages)
            self.run("UPDATE work SET left_to_do = ? WHERE id = ?", n, work)
        return True

    def _affords(self, campaign: str, pages: Sequence[NewPage], budget: int) -> bool:
        """Say whether a block stays within the budget, and write it down when one does not."""
        lines: dict[str, int] = dict(
            self.all(
                "SELECT part, COUNT(*) FROM segment WHERE campaign = ? GROUP BY part", campaign
            )
        )
        asked: int = self.answers_asked(campaign) + sum(lines[page.part] for page in pages)
        if asked > budget and BUDGET not in (event for _, event, _ in self.events(campaign)):
            self._log(campaign, BUDGET, {"answers": budget}, None)
        return asked <= budget

    def answers_asked(self, campaign: str) -> int:
        """Return the answers that raters gave, and those that their blocks still ask for."""
        given = sum(self.status(campaign)[name] for name in ("judgments", "skipped"))
        out = self.one(
            "SELECT COUNT(*) FROM page p JOIN work w ON w.id = p.work AND w.rater = p.rater "
            "AND w.epoch = p.epoch JOIN segment s ON s.campaign = w.campaign AND s.part = w.part "
            "WHERE w.campaign = ? AND w.state = 'leased' AND p.done = 0",
            campaign,
        )[0]
        return given + int(out)

    def _insert(self, page: NewPage, place: tuple[int, int, str, int, int]) -> None:
        self.run(
            "INSERT INTO page (token, work, epoch, rater, block, ord, system, kind, lines, "
            "beside, flipped, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            secrets.token_urlsafe(_PAGE_BYTES),
            *place,
            page.system,
            page.kind,
            None if page.lines is None else json.dumps(page.lines, ensure_ascii=False),
            page.beside,
            int(page.flipped),
        )

    def _pause(self, rater: str, campaign: str, state: str, now: float) -> Pause:
        """Say when work that this rater has not seen may come back."""
        if state != "open":
            return Pause(retry_after=None)
        back = self.one(
            "SELECT MIN(lease_until) FROM work w WHERE w.campaign = ? AND w.state = 'leased' "
            "AND NOT EXISTS (SELECT 1 FROM seen_by s WHERE s.rater = ? AND s.part = w.part)",
            campaign,
            rater,
        )[0]
        return Pause(retry_after=None if back is None else max(1.0, back - now))

    def _hold(self, rater: str, until: float) -> None:
        self.run(
            "UPDATE work SET lease_until = ? WHERE rater = ? AND state = 'leased' "
            "AND lease_until < ?",
            until,
            rater,
            until,
        )

    def _keep_answers(
        self,
        token: str,
        campaign: str,
        part: str,
        answers: Sequence[Answer],
        seconds: float | None,
        now: float,
    ) -> None:
        n = self.one(
            "SELECT COUNT(*) FROM segment WHERE campaign = ? AND part = ?", campaign, part
        )[0]
        if len(answers) != n:
            raise InputError(
                f"`answers` must be {n}, one for each text of the page; got {len(answers)}."
            )
        for place, answer in enumerate(answers):
            self.run(
                "INSERT INTO judgment VALUES (?, ?, ?, ?, ?, ?)",
                token,
                place,
                answer.score,
                None if answer.extra is None else json.dumps(answer.extra, ensure_ascii=False),
                seconds,
                now,
            )

    def _finish(self, work: int, now: float) -> bool:
        """Count a page of a piece of work as done; say whether it was the last."""
        left = self.one(
            "UPDATE work SET left_to_do = left_to_do - 1 WHERE id = ? RETURNING left_to_do",
            work,
        )[0]
        if left:
            return False
        self.run(
            "UPDATE work SET state = 'done', done_at = ?, lease_until = NULL, waits = 1 "
            "WHERE id = ?",
            now,
            work,
        )
        return True
