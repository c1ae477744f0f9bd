"""The calls of a rater: the next page, and the answers to it.

A piece of work is one part in all needed systems. It is claimed whole, by one rater, for a time; it
comes back to the pool whole when that time is over, so a pair is never split between two raters.
"""

import json
import math
import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import InputError, RefusedError
from detectable.data.store.records import (
    Answer,
    Arrange,
    Line,
    NewPage,
    Page,
    Pause,
    Revision,
    Saved,
)
from detectable.data.store.roster import Counts

BUDGET = "budget"  # in the events of a campaign: no more work is given out
_PAGE_BYTES = 12  # 96 bits: a page is found by its rater, and nobody guesses one
_UNKNOWN = "There is no such page for you."
_SHOWN = "p.token, w.part, p.system, p.kind, p.lines, p.block, p.beside, p.flipped"


class Claims(Counts):
    """Who holds which work, and what was answered."""

    def next_page(
        self, rater: str, arrange: Arrange, now: float | None = None, *, tab: str | None = None
    ) -> Page | Pause:
        """Return the next page of the rater's block, after claiming a new one if need be.

        Parameters
        ----------
        rater : str
            The id of the rater.
        arrange : callable
            Makes the pages of a new block; see `Arrange`. Of the store it may read texts, which
            never change.
        tab : str, optional
            Who asks: drafts of other tabs are refused from now on.
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
            self.run(
                "UPDATE rater SET last_seen = ?, tab = COALESCE(?, tab) WHERE id = ?",
                when,
                tab,
                rater,
            )
            if state == "paused":
                return Pause(retry_after=lease)
            counts = self._expire(campaign, when)
            page = self._pending(rater)
            given = json.loads(settings)
            done, most = (
                self.one("SELECT block FROM rater WHERE id = ?", rater)[0],
                given.get("most_blocks"),
            )
            all_done = most is not None and done >= most
            if page is None and state == "open" and rater_state == "active" and not all_done:
                budget = given.get("budget")
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
                return self._pause(rater, campaign, state, when, all_done=all_done)
            return self._page(rater, campaign, page)

    def pace(self, rater: str) -> float | None:
        """Return the seconds that a rater took for a text so far; None before the first."""
        n, seconds = self.one("SELECT judgments, seconds FROM rater WHERE id = ?", rater)
        return seconds / n if n and seconds else None

    def undecided(self, rater: str) -> float | None:
        """Return when a rater last finished work that is still to be decided."""
        row = self.one("SELECT MAX(done_at) FROM work WHERE rater = ? AND waits = 1", rater)
        return None if row[0] is None else float(row[0])

    def given_page(self, rater: str, token: str) -> Page:
        """Return a page as it was given to this rater; nobody else's. With it what was said of it."""
        row = self.one(
            f"SELECT {_SHOWN}, w.campaign FROM page p JOIN work w ON w.id = p.work "
            "WHERE p.token = ? AND p.rater = ? AND p.given_at IS NOT NULL",
            token,
            rater,
        )
        if row is None:
            raise RefusedError("unknown_page", _UNKNOWN)
        return self._page(rater, row[-1], row[:-1])

    def save(  # noqa: PLR0913 (what a browser sends, and when it came)
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
        replaces: str | None = None,
    ) -> Saved:
        """Save the answers to a page.

        The same `key` again is answered as before; other answers to a page that is done are refused,
        unless they say which save they replace. Work that went to somebody else is kept, and has no
        partner: “saved late”.

        Parameters
        ----------
        replaces : str, optional
            The key of the save that these answers replace. They do until the rater's next block or a
            decision about the work; what they replace is kept as a revision.

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
            if done and first_key == key:
                return "again"
            if done and first_key != replaces:
                raise RefusedError(
                    "already_saved", "This page was saved before, with other answers."
                )
            campaign_state, lease = self.one(
                "SELECT state, lease FROM campaign WHERE id = ?", campaign
            )
            if campaign_state == "concluded":
                raise RefusedError("not_open", "This evaluation is not open any more.")
            if done:
                self._change(rater, token, key, answers, seconds, document_score, when)
                self._hold(rater, when + lease)
                return "changed"
            if claimed and seconds is not None and given is not None:
                seconds = min(seconds, max(when - given, 0.0))
            self.run("DELETE FROM draft WHERE page = ?", token)
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

    def _change(
        self,
        rater: str,
        token: str,
        key: str,
        answers: Sequence[Answer],
        seconds: float | None,
        document_score: float | None,
        when: float,
    ) -> None:
        """Replace the answers to a page of the rater's block that nobody has decided yet."""
        work, epoch, block, campaign, given, whole, before = self.one(
            "SELECT p.work, p.epoch, p.block, w.campaign, p.given_at, p.document_score, p.client_key "
            "FROM page p JOIN work w ON w.id = p.work WHERE p.token = ?",
            token,
        )
        # Who decides about the work holds the row of the rater as we do: one of both comes first.
        state, holder, epoch_now = self.one(
            "SELECT state, rater, epoch FROM work WHERE id = ?", work
        )
        now_in = self.one("SELECT block FROM rater WHERE id = ?", rater)[0]
        own = state in ("leased", "done") and holder == rater and epoch == epoch_now
        decided = self.one("SELECT 1 FROM admission WHERE work = ? AND epoch = ?", work, epoch)
        if not own or decided or block != now_in:
            raise RefusedError(
                "already_saved", "This page was saved before, and cannot be changed any more."
            )
        kept = self.all(
            "SELECT score, extra, seconds FROM judgment WHERE page = ? ORDER BY n", token
        )
        n = self.one("SELECT COUNT(*) FROM revision WHERE page = ?", token)[0]
        self.run(
            "INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?)",
            token,
            n + 1,
            when,
            before,
            json.dumps(
                [
                    [score, None if extra is None else json.loads(extra)]
                    for score, extra, _ in kept
                ]
            ),
            whole,
        )
        # The time of the page is that of all visits, and never longer than it was out.
        first = kept[0][2] or 0.0
        longer = first + (seconds or 0.0)
        spent = longer if given is None else min(longer, max(when - given, first))
        self.run("DELETE FROM draft WHERE page = ?", token)
        self.run("DELETE FROM judgment WHERE page = ?", token)
        part = self.one("SELECT part FROM work WHERE id = ?", work)[0]
        self._keep_answers(token, campaign, part, answers, spent, when)
        self.run(
            "UPDATE page SET client_key = ?, document_score = ?, pace = ? WHERE token = ?",
            key,
            document_score,
            spent / len(answers),
            token,
        )
        self.run(
            "UPDATE rater SET last_seen = ?, seconds = seconds + ? WHERE id = ?",
            when,
            spent - first,
            rater,
        )
        skipped = sum(one.score is None for one in answers)
        more = skipped - sum(score is None for score, _, _ in kept)
        self._count(campaign, {"judgments": -more, "skipped": more})

    def keep_draft(
        self,
        rater: str,
        token: str,
        body: str,
        *,
        tab: str | None = None,
        now: float | None = None,
    ) -> None:
        """Keep what a rater has begun to say of a page, until it is saved; the last one counts."""
        when = time.time() if now is None else now
        with self.transaction():
            self._rater(rater)
            row = self.one(
                "SELECT r.tab, w.campaign, c.lease FROM page p JOIN rater r ON r.id = p.rater "
                "JOIN work w ON w.id = p.work JOIN campaign c ON c.id = w.campaign "
                "WHERE p.token = ? AND p.rater = ? AND p.given_at IS NOT NULL",
                token,
                rater,
            )
            if row is None:
                raise RefusedError("unknown_page", _UNKNOWN)
            last, _, lease = row
            if tab is not None and last is not None and tab != last:
                raise RefusedError("other_tab", "Another tab of yours has this page now.")
            self.run(
                "INSERT INTO draft VALUES (?, ?, ?) ON CONFLICT (page) DO UPDATE "
                "SET body = excluded.body, saved = excluded.saved",
                token,
                body,
                when,
            )
            self.run("UPDATE rater SET last_seen = ? WHERE id = ?", when, rater)
            self._hold(rater, when + lease)

    def revisions(self, campaign: str) -> list[Revision]:
        """Return the answers that raters changed, oldest first."""
        return [
            Revision(
                rater=code,
                page=page,
                n=n,
                at=at,
                answers=tuple(
                    Answer(score=score, extra=extra) for score, extra in json.loads(kept)
                ),
                document_score=whole,
            )
            for code, page, n, at, kept, whole in self.all(
                "SELECT r.code, v.page, v.n, v.at, v.answers, v.document_score FROM revision v "
                "JOIN page p ON p.token = v.page JOIN rater r ON r.id = p.rater "
                "WHERE r.campaign = ? ORDER BY v.at, v.page, v.n",
                campaign,
            )
        ]

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
            "SELECT s.item, s.source, s.reference, o.text, b.text, o.suggested "
            "FROM segment s JOIN output o "
            "ON o.campaign = s.campaign AND o.part = s.part AND o.n = s.n AND o.system = ? "
            "LEFT JOIN output b ON b.campaign = s.campaign AND b.part = s.part AND b.n = s.n "
            "AND b.system = ? WHERE s.campaign = ? AND s.part = ? ORDER BY s.n",
            system,
            beside,
            campaign,
            part,
        )
        pages = self.all(
            "SELECT p.token, p.done, CASE WHEN p.done = 0 THEN (SELECT COUNT(*) FROM segment s "
            "WHERE s.campaign = w.campaign AND s.part = w.part) ELSE 0 END, "
            "w.rater = p.rater AND w.epoch = p.epoch "
            "FROM page p JOIN work w ON w.id = p.work "
            "WHERE p.rater = ? AND p.block = ? AND p.done IN (0, 1) AND (p.done = 1 OR "
            "(w.state = 'leased' AND w.rater = p.rater AND w.epoch = p.epoch)) ORDER BY p.ord",
            rater,
            block,
        )
        at = next((n for n, one in enumerate(pages) if one[0] == token), len(pages))
        here = pages[at] if at < len(pages) else None
        open_ = [one for one in pages if one[1] and one[3]]
        answers, whole, key = self._said(token) if here and here[1] else (None, None, None)
        draft = self.one("SELECT body FROM draft WHERE page = ?", token)
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
                    suggested=suggested_in(
                        text, text if shown is None else shown[n], json.loads(marks or "[]")
                    ),
                )
                for n, (item, source, reference, text, other, marks) in enumerate(texts)
            ),
            block=block,
            place=min(at + 1, len(pages)) or 1,
            n_pages=len(pages),
            lines_left=sum(one[2] for one in pages),
            back=next((one[0] for one in reversed(pages[:at]) if one in open_), None),
            forward=next((one[0] for one in pages[at + 1 : at + 2] if one in open_), None),
            draft=None if draft is None else draft[0],
            answers=answers,
            document_score=whole,
            key=key,
            beside=beside,
            flipped=bool(flipped),
        )

    def _said(self, token: str) -> tuple[tuple[Answer, ...], float | None, str | None]:
        """Return the answers to a page that is done, its score as a whole, and the key of the save."""
        rows = self.all("SELECT score, extra FROM judgment WHERE page = ? ORDER BY n", token)
        whole, key = self.one(
            "SELECT document_score, client_key FROM page WHERE token = ?", token
        )
        made = (
            Answer(score=score, extra=None if extra is None else json.loads(extra))
            for score, extra in rows
        )
        return tuple(made), whole, key

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

    def _pause(
        self, rater: str, campaign: str, state: str, now: float, *, all_done: bool
    ) -> Pause:
        """Say when work that this rater has not seen may come back."""
        last = self.one(
            "SELECT p.token FROM page p JOIN rater r ON r.id = p.rater AND r.block = p.block "
            "JOIN work w ON w.id = p.work AND w.rater = p.rater AND w.epoch = p.epoch "
            "WHERE p.rater = ? AND p.done = 1 AND w.state IN ('leased', 'done') AND NOT EXISTS "
            "(SELECT 1 FROM admission m WHERE m.work = w.id AND m.epoch = w.epoch) "
            "ORDER BY p.ord DESC LIMIT 1",
            rater,
        )
        pages = self.one("SELECT pages FROM rater WHERE id = ?", rater)[0]
        page = None if last is None else last[0]
        if state != "open" or all_done:
            return Pause(retry_after=None, all_done=all_done, pages=pages, back=page)
        back = self.one(
            "SELECT MIN(lease_until) FROM work w WHERE w.campaign = ? AND w.state = 'leased' "
            "AND NOT EXISTS (SELECT 1 FROM seen_by s WHERE s.rater = ? AND s.part = w.part)",
            campaign,
            rater,
        )[0]
        wait = None if back is None else max(1.0, back - now)
        return Pause(retry_after=wait, pages=pages, back=page)

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


def suggested_in(
    text: str, shown: str, given: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the suggested errors of a text; in a copy of it, those whose words still stand there.

    A control must not look otherwise than its original: words that moved take their marks along.
    """
    found = [dict(one) for one in given]
    if text == shown:
        return found
    moved = []
    last = 0  # marks stay in the order of the text
    for one in found:
        if "start" not in one:
            moved.append(one)
            continue
        words = text[one["start"] : one["end"]]
        place = shown.find(words, last)
        if place >= 0:
            last = place + len(words)
            moved.append({**one, "start": place, "end": last})
    return moved
