"""Which finished work counts, decided once and in order or taken back, and which looks were run."""

import json
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from detectable.core.errors import RefusedError
from detectable.data.store import records
from detectable.data.store.roster import ADMITTED, REFUSED, Counts, Journal
from detectable.data.store.sql import Sql


class Admissions(Counts):
    """What was decided about the work of raters."""

    @abstractmethod
    def rows(self, campaign: str, *, undecided: bool = False) -> list[records.JudgmentRow]:
        """Return judgments; see `Store`."""

    def decide(
        self,
        campaign: str,
        rule: records.Decide,
        *,
        most_failed: int,
        ending: bool = False,
        now: float | None = None,
    ) -> list[records.Decision]:
        """Decide the finished work that can be decided, and return what was.

        A rater's block is looked at when no work of it is out any more. What does not count is
        given out again while the campaign is open. When nothing is open and nothing is out, no
        more controls will come: then the rule is asked for the rest too.

        Parameters
        ----------
        rule : callable
            See `Decide`. It must not look at the store.
        most_failed : int
            A rater who has failed so often gets no more work.
        ending : bool
            Whether no more controls will come, whatever is still out.
        """
        when = time.time() if now is None else now
        self.campaign(campaign)
        found = self._decide(campaign, rule, most_failed, when, ending=ending)
        if not ending and self._is_dry(campaign):
            found += self._decide(campaign, rule, most_failed, when, ending=True, dry=True)
        return found

    def is_decidable(self, campaign: str, rule: records.Decide) -> bool:
        """Say whether finished work waits that `decide` would decide now; nothing is changed."""
        if self._proposed(campaign, rule, ending=False)[1]:
            return True
        return self._is_dry(campaign) and bool(self._proposed(campaign, rule, ending=True)[1])

    def _proposed(
        self, campaign: str, rule: records.Decide, *, ending: bool
    ) -> tuple[list[records.JudgmentRow], list[records.Decision]]:
        """Return what the rule is asked about, and what it says, while raters go on."""
        with self.snapshot():
            rows = self.rows(campaign, undecided=True)
            out = set() if ending else self._blocks_out(campaign)
        rows = [row for row in rows if (row.rater, row.block) not in out]
        return rows, list(rule(rows, ending=ending)) if rows else []

    def _decide(
        self,
        campaign: str,
        rule: records.Decide,
        most_failed: int,
        when: float,
        *,
        ending: bool,
        dry: bool = False,
    ) -> list[records.Decision]:
        """Ask the rule while raters go on, and keep what it says if nothing has changed."""
        rows, proposed = self._proposed(campaign, rule, ending=ending)
        if not proposed:
            return []
        asked: dict[records.WorkEpoch, float] = {}
        for row in rows:
            key = (row.work, row.epoch)
            asked[key] = max(row.saved, asked.get(key, 0.0))
        with self.transaction():
            # Two servers decide one after the other; the second finds nothing left.
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            for code in sorted({one.rater for one in proposed}):  # who may change answers
                self.one(
                    "SELECT 1 FROM rater WHERE id = ?" + self.lock_row, f"{campaign}/{code}"
                )
            if dry and not self._is_dry(campaign):
                return []
            state = self.campaign(campaign).state
            found = [one for one in proposed if not self._was_taken(one, asked)]
            self._keep_decisions(campaign, found, state, when)
            for code in dict.fromkeys(one.rater for one in found if _failed(one)):
                self._stop_rater(campaign, code, most_failed, when)
        return found

    def _was_taken(
        self, one: records.Decision, asked: Mapping[records.WorkEpoch, float]
    ) -> bool:
        """Say whether work that the rule was asked about was decided or changed meanwhile."""
        return any(self._is_other(work, asked[work]) for work in one.works if work in asked)

    def _is_other(self, work: records.WorkEpoch, saved: float) -> bool:
        """Say whether a piece of work is not as it was when it was read."""
        waits = self.one("SELECT 1 FROM work WHERE id = ? AND epoch = ? AND waits = 1", *work)
        last = self.one(
            "SELECT MAX(j.saved) FROM judgment j JOIN page p ON p.token = j.page "
            "WHERE p.work = ? AND p.epoch = ?",
            *work,
        )[0]
        return not waits or bool(last != saved)

    def checkpoints(self, campaign: str, *, last: bool = False) -> list[records.Checkpoint]:
        """Return what was decided about each rater, oldest first, or only the last of it.

        The last is that of the last check; what is left at the end, with too few controls to
        check, says nothing about a rater who was checked before.
        """
        newest = "(SELECT MAX(d.n) FROM checkpoint d WHERE d.rater = c.rater{})"
        only = f" AND c.n = COALESCE({newest.format(' AND d.tested = 1')}, {newest.format('')})"
        rows = self.all(
            "SELECT r.code, c.n, c.pairs, c.judgments, c.p_value, c.tested, c.passed, "
            "c.decided FROM checkpoint c JOIN rater r ON r.id = c.rater WHERE r.campaign = ?"
            f"{only if last else ''} ORDER BY r.code, c.n",
            campaign,
        )
        return [
            records.Checkpoint(
                rater=code,
                n=n,
                n_pairs=pairs,
                n_judgments=judgments,
                p_value=p_value,
                tested=bool(tested),
                passed=bool(passed),
                decided=decided,
            )
            for code, n, pairs, judgments, p_value, tested, passed, decided in rows
        ]

    def last_checkpoints(self, campaign: str) -> dict[str, records.Checkpoint]:
        """Return what was decided last about each rater."""
        return {one.rater: one for one in self.checkpoints(campaign, last=True)}

    def _blocks_out(self, campaign: str) -> set[tuple[str, int]]:
        """Return rater and block of all work that is out."""
        found = self.all(
            "SELECT DISTINCT r.code, p.block FROM work w JOIN page p ON p.work = w.id "
            "AND p.epoch = w.epoch AND p.rater = w.rater JOIN rater r ON r.id = p.rater "
            "WHERE w.campaign = ? AND w.state = 'leased'",
            campaign,
        )
        return {(code, block) for code, block in found}

    def _is_dry(self, campaign: str) -> bool:
        """Say whether a campaign that runs has nothing to give out, and nothing out."""
        counts = self.status(campaign)
        running = self.campaign(campaign).state in ("open", "paused")
        return running and not counts["open"] + counts["leased"]

    def _keep_decisions(
        self, campaign: str, decisions: Sequence[records.Decision], state: str, when: float
    ) -> None:
        reopened = 0
        for one in decisions:
            for work, epoch in one.works:
                self._admit(work, epoch, admitted=one.admitted, when=when)
                if not one.admitted and state in ("open", "paused"):
                    reopened += 1
                    self._reopen(work)
            if one.n_pairs is not None:
                self._keep_checkpoint(f"{campaign}/{one.rater}", one, when)
        self._count(campaign, {"open": reopened}, organiser=True)

    def _admit(self, work: int, epoch: int, *, admitted: bool, when: float) -> None:
        row = self.one(
            "SELECT epoch, state, done_at, rater, wave FROM work WHERE id = ?" + self.lock_row,
            work,
        )
        if row is None or row[0] != epoch or row[1] != "done":
            raise RefusedError(
                "not_done", f"Work {work} was not finished, and cannot be decided."
            )
        if self.one("SELECT 1 FROM admission WHERE work = ? AND epoch = ?", work, epoch):
            raise RefusedError("decided", f"Work {work} was decided before.")
        self.run(
            "INSERT INTO admission SELECT ?, ?, ?, COALESCE(MAX(seq), 0) + 1, ?, ? "
            "FROM admission",
            work,
            epoch,
            int(admitted),
            row[2],
            when,
        )
        self.run("UPDATE work SET waits = 0 WHERE id = ?", work)
        changes = Counter([ADMITTED if admitted else REFUSED])
        if admitted and row[4] == 1:
            lines = self._lines("p.work = ? AND p.epoch = ?", work, epoch)
            changes.update(lines.get((work, epoch), ()))
        self._tally(row[3], changes)

    def _keep_checkpoint(self, rater: str, one: records.Decision, when: float) -> None:
        self.run(
            "INSERT INTO checkpoint SELECT ?, COALESCE(MAX(n), 0) + 1, ?, ?, ?, ?, ?, ? "
            "FROM checkpoint WHERE rater = ?",
            rater,
            one.n_pairs,
            one.n_judgments,
            one.p_value,
            int(one.tested),
            int(one.admitted),
            when,
            rater,
        )

    def _stop_rater(self, campaign: str, code: str, most: int, when: float) -> None:
        """Give no more work to a rater whose work failed its controls too often."""
        rater = f"{campaign}/{code}"
        failed = self.one(
            "SELECT COUNT(*) FROM checkpoint WHERE rater = ? AND passed = 0 AND tested = 1",
            rater,
        )[0]
        if failed < most:
            return
        stopped = self.run(
            "UPDATE rater SET state = 'no more work' WHERE id = ? AND state = 'active'", rater
        ).rowcount
        if stopped:
            detail = {"rater": code, "state": "no more work", "failed": failed}
            self._log(campaign, "rater", detail, when)

    def _reopen(self, work: int) -> None:
        self.run(
            "UPDATE work SET state = 'open', rater = NULL, lease_until = NULL, "
            "left_to_do = NULL, done_at = NULL, waits = 0 WHERE id = ?",
            work,
        )


def _failed(one: records.Decision) -> bool:
    return one.tested and not one.admitted


# --- Raters whose work is taken back: voided for a reason from outside, or deleted on request ---
#
# Which work a look has seen is known above the store. That work stays done: a look is not undone,
# and a line that it has seen is not judged again. All other work of the rater goes to somebody else.


class Withdrawals(Admissions):
    """What becomes of a rater's work."""

    @abstractmethod
    def _known_rater(self, campaign: str, code: str, found: int) -> None:
        """Refuse a rater whom the campaign does not have; see `Roster`."""

    def void(
        self,
        campaign: str,
        code: str,
        seen: Collection[records.WorkEpoch],
        detail: Mapping[str, Any],
        now: float | None = None,
    ) -> None:
        """Take a rater's link away, and let no work of theirs count that no look has seen.

        Parameters
        ----------
        seen : collection of (int, int)
            What a look has seen.
        detail : mapping
            Who voids it, and why; kept with the work that does not count.
        """
        when = time.time() if now is None else now
        with self.transaction():
            state, changes = self._withdraw(campaign, code)
            given_up = []
            for work, epoch, decided, current in self._finished(f"{campaign}/{code}"):
                if (work, epoch) in seen:
                    continue
                given_up.append([work, epoch])
                if not decided:
                    self._admit(work, epoch, admitted=False, when=when)
                if current and state in ("open", "paused"):
                    changes["open"] += 1
                    self._reopen(work)
            told = {**detail, "rater": code, "works": given_up}
            self._log(campaign, "void", told, when)
            self._count_rater(f"{campaign}/{code}", self._all_voided(campaign))
            self._count(campaign, changes, organiser=True)

    def erase(
        self,
        campaign: str,
        code: str,
        seen: Collection[records.WorkEpoch],
        detail: Mapping[str, Any],
        now: float | None = None,
    ) -> int:
        """Delete all judgments of a rater, take the link away, and return how many there were.

        That the pages were shown stays, and what was decided about them; what was answered goes.
        """
        when = time.time() if now is None else now
        rater = f"{campaign}/{code}"
        with self.transaction():
            state, changes = self._withdraw(campaign, code)
            scored, skipped = self.one(
                "SELECT COUNT(j.score), COUNT(*) - COUNT(j.score) FROM judgment j "
                "JOIN page p ON p.token = j.page WHERE p.rater = ?",
                rater,
            )
            # What is deleted stays paid.
            seconds = float(self.one("SELECT seconds FROM rater WHERE id = ?", rater)[0])
            changes["orphans"] -= self._orphans_of(rater)
            for work, epoch, _, current in self._finished(rater):
                if current and state in ("open", "paused") and (work, epoch) not in seen:
                    changes["open"] += 1
                    self._reopen(work)
            self.run("UPDATE work SET waits = 0 WHERE rater = ? AND waits = 1", rater)
            self.run(
                "DELETE FROM judgment WHERE page IN (SELECT token FROM page WHERE rater = ?)",
                rater,
            )
            for table in ("draft", "revision"):
                self.run(
                    f"DELETE FROM {table} WHERE page IN (SELECT token FROM page WHERE rater = ?)",
                    rater,
                )
            self.run("UPDATE rater SET about = NULL WHERE id = ?", rater)
            self.run("DELETE FROM participant WHERE rater = ?", rater)
            self.run(
                "UPDATE page SET document_score = NULL, pace = NULL WHERE rater = ?", rater
            )
            if scored + skipped:  # else it was done before
                told = {
                    **detail,
                    "rater": code,
                    "judgments": scored + skipped,
                    "seconds": seconds,
                }
                self._log(campaign, "erasure", told, when)
            self._count_rater(rater, self._all_voided(campaign))
            changes.update(judgments=-scored, skipped=-skipped)
            self._count(campaign, changes, organiser=True)
        return int(scored + skipped)

    def _withdraw(self, campaign: str, code: str) -> tuple[str, Counter[str]]:
        """Hold the rater, take the link away, and release what is out.

        Returns the state of the campaign, and what that changes in its counts.
        """
        self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
        rater = f"{campaign}/{code}"
        done = self.run("UPDATE rater SET state = 'revoked' WHERE id = ?", rater).rowcount
        self._known_rater(campaign, code, done)
        state: str = self.campaign(campaign).state
        to = "open" if state in ("open", "paused") else "cut"
        gone = self.all(
            "UPDATE work SET state = ?, rater = NULL, lease_until = NULL, left_to_do = NULL "
            "WHERE rater = ? AND state = 'leased' RETURNING id, epoch",
            to,
            rater,
        )
        changes = Counter({to: len(gone), "leased": -len(gone)})
        changes["orphans"] = self._orphaned(gone)
        return state, changes

    def _finished(self, rater: str) -> list[tuple[int, int, bool, bool]]:
        """Return all that a rater finished: whether it is decided, and still theirs."""
        return [
            (int(work), int(epoch), bool(decided), bool(current))
            for work, epoch, decided, current in self.all(
                "SELECT DISTINCT w.id, p.epoch, m.work IS NOT NULL, "
                "w.state = 'done' AND w.epoch = p.epoch FROM page p "
                "JOIN work w ON w.id = p.work "
                "LEFT JOIN admission m ON m.work = p.work AND m.epoch = p.epoch "
                "WHERE p.rater = ? AND (m.work IS NOT NULL OR "
                "(w.state = 'done' AND w.epoch = p.epoch)) ORDER BY w.id, p.epoch",
                rater,
            )
        ]


# --- When work was finished, for forecasts ---


def finished_at(store: Sql, campaign: str, since: float) -> list[float]:
    """Return when pieces of work were finished since a time, oldest first."""
    rows = store.all(
        "SELECT done_at FROM work WHERE campaign = ? AND done_at >= ? "
        "UNION ALL SELECT m.done_at FROM admission m JOIN work w ON w.id = m.work "
        "WHERE w.campaign = ? AND m.done_at >= ? AND (w.done_at IS NULL OR w.epoch <> m.epoch)",
        campaign,
        since,
        campaign,
        since,
    )
    return sorted(float(row[0]) for row in rows)


# --- Which looks were run for a campaign: each once, whoever asks for it ---

_GIVEN_UP = 600.0  # seconds after which a look that nobody finished may be begun again


class LookRequests(Journal):
    """The looks of campaigns. The ledger of the plan is the truth; this is its mirror."""

    def begin_look(self, campaign: str, n: int, now: float | None = None) -> bool:
        """Say whether the caller may run look `n`; nobody else may then, for ten minutes."""
        when = time.time() if now is None else now
        with self.transaction():
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            row = self.one(
                "SELECT state, started FROM look_request WHERE campaign = ? AND n = ?",
                campaign,
                n,
            )
            if row is None:
                self.run(
                    "INSERT INTO look_request VALUES (?, ?, 'running', ?, NULL)",
                    campaign,
                    n,
                    when,
                )
                return True
            # A clock that was set back must not hold it for ever.
            if row[0] == "running" and abs(when - row[1]) > _GIVEN_UP:
                self.run(
                    "UPDATE look_request SET started = ? WHERE campaign = ? AND n = ?",
                    when,
                    campaign,
                    n,
                )
                return True
            return False

    def leave_look(self, campaign: str, n: int) -> None:
        """Give back a look that could not be run."""
        with self.transaction():
            self.run(
                "DELETE FROM look_request WHERE campaign = ? AND n = ? AND state = 'running'",
                campaign,
                n,
            )

    def end_look(self, campaign: str, n: int, result: Mapping[str, Any]) -> None:
        """Keep what a look decided; again what is kept already does no harm."""
        with self.transaction():
            self.run(
                "INSERT INTO look_request VALUES (?, ?, 'done', ?, ?) "
                "ON CONFLICT (campaign, n) DO UPDATE SET state = 'done', "
                "result = excluded.result",
                campaign,
                n,
                time.time(),
                json.dumps(result, sort_keys=True, allow_nan=False),
            )

    def looks(self, campaign: str) -> list[Mapping[str, Any]]:
        """Return what the looks decided, oldest first."""
        rows = self.all(
            "SELECT result FROM look_request WHERE campaign = ? AND state = 'done' ORDER BY n",
            campaign,
        )
        return [json.loads(row[0]) for row in rows]


# --- What is told elsewhere: kept until it has arrived ---

_ANSWER = 60.0  # seconds in which whoever took a notice says what became of it


class Notices(Journal):
    """What happened to campaigns and is told by webhook or mail."""

    def note(self, id: str, campaign: str, channel: str, body: str, at: float) -> None:
        """Keep something to be told, the first time that anybody sees it."""
        if self.one("SELECT 1 FROM notice WHERE id = ?", id):
            return
        with self.transaction():
            self.run(
                "INSERT INTO notice VALUES (?, ?, ?, ?, 'waiting', 0, ?) "
                "ON CONFLICT (id) DO NOTHING",
                id,
                campaign,
                channel,
                body,
                at,
            )

    def take_notices(
        self, now: float, channels: Sequence[str], most: int = 20
    ) -> list[records.Notice]:
        """Return what is due, in its order; nobody else takes it for a minute."""
        which = ", ".join("?" * len(channels))
        due = f"state = 'waiting' AND due <= ? AND channel IN ({which})"
        if not channels or not self.one(f"SELECT 1 FROM notice WHERE {due}", now, *channels):
            return []
        with self.transaction():
            taken = self.all(
                "SELECT id, channel, body, tries + 1 FROM notice "
                f"WHERE {due} ORDER BY due, id LIMIT ?{self.skip_locked}",
                now,
                *channels,
                most,
            )
            for id, _, _, tries in taken:
                self.run(
                    "UPDATE notice SET tries = ?, due = ? WHERE id = ?",
                    tries,
                    now + _ANSWER,
                    id,
                )
        return [
            records.Notice(id=id, channel=channel, body=body, tries=tries)
            for id, channel, body, tries in taken
        ]

    def notice_sent(self, id: str) -> None:
        """Keep that something has arrived."""
        with self.transaction():
            self.run("UPDATE notice SET state = 'sent' WHERE id = ?", id)

    def notice_failed(self, id: str, due: float, *, given_up: bool) -> None:
        """Keep when something is told again, or that it never is."""
        state = "given up" if given_up else "waiting"
        with self.transaction():
            self.run("UPDATE notice SET state = ?, due = ? WHERE id = ?", state, due, id)

    def changed_since(self, campaign: str, when: float) -> bool:
        """Say whether anything was done in a campaign since a time, by anybody."""
        row = self.one(
            "SELECT 1 FROM event WHERE campaign = ? AND at >= ? UNION ALL "
            "SELECT 1 FROM rater WHERE campaign = ? AND last_seen >= ? UNION ALL "
            "SELECT 1 FROM look_request WHERE campaign = ? AND started >= ? LIMIT 1",
            *(campaign, when) * 3,
        )
        return row is not None
