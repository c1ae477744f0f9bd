"""Raters whose work is taken back: voided for a reason from outside, or deleted on request.

Which work a look has seen is known above the store. That work stays done: a look is not undone,
and a line that it has seen is not judged again. All other work of the rater goes to somebody else.
"""

import time
from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from detectable.data.store.admissions import Admissions

WorkEpoch: TypeAlias = tuple[int, int]
"""A piece of work, and which time it was claimed."""


class Withdrawals(Admissions):
    """What becomes of a rater's work."""

    @abstractmethod
    def _known_rater(self, campaign: str, code: str, found: int) -> None:
        """Refuse a rater whom the campaign does not have; see `Roster`."""

    def void(
        self,
        campaign: str,
        code: str,
        seen: Collection[WorkEpoch],
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
            state = self._withdraw(campaign, code)
            given_up = []
            for work, epoch, decided, current in self._finished(f"{campaign}/{code}"):
                if (work, epoch) in seen:
                    continue
                given_up.append([work, epoch])
                if not decided:
                    self._admit(work, epoch, admitted=False, when=when)
                if current and state in ("open", "paused"):
                    self._reopen(work)
            told = {**detail, "rater": code, "works": given_up}
            self._log(campaign, "void", told, when)

    def voided(self, campaign: str) -> dict[str, frozenset[WorkEpoch]]:
        """Return the raters whose work was voided, and which of it does not count."""
        return {
            str(detail["rater"]): frozenset((int(w), int(e)) for w, e in detail["works"])
            for _, event, detail in self.events(campaign)
            if event == "void"
        }

    def erase(
        self,
        campaign: str,
        code: str,
        seen: Collection[WorkEpoch],
        detail: Mapping[str, Any],
        now: float | None = None,
    ) -> int:
        """Delete all judgments of a rater, take the link away, and return how many there were.

        That the pages were shown stays, and what was decided about them; what was answered goes.
        """
        when = time.time() if now is None else now
        rater = f"{campaign}/{code}"
        with self.transaction():
            state = self._withdraw(campaign, code)
            scored, skipped = self.one(
                "SELECT COUNT(j.score), COUNT(*) - COUNT(j.score) FROM judgment j "
                "JOIN page p ON p.token = j.page WHERE p.rater = ?",
                rater,
            )
            for work, epoch, _, current in self._finished(rater):
                if current and state in ("open", "paused") and (work, epoch) not in seen:
                    self._reopen(work)
            self.run(
                "DELETE FROM judgment WHERE page IN (SELECT token FROM page WHERE rater = ?)",
                rater,
            )
            self.run("UPDATE page SET document_score = NULL WHERE rater = ?", rater)
            for name, n in (("judgments", scored), ("skipped", skipped)):
                self.run(
                    "UPDATE status SET n = n - ? WHERE campaign = ? AND name = ?",
                    n,
                    campaign,
                    name,
                )
            if scored + skipped:  # else it was done before
                told = {**detail, "rater": code, "judgments": scored + skipped}
                self._log(campaign, "erasure", told, when)
        return int(scored + skipped)

    def _withdraw(self, campaign: str, code: str) -> str:
        """Hold the rater, take the link away, release what is out, and return the state."""
        self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
        rater = f"{campaign}/{code}"
        done = self.run("UPDATE rater SET state = 'revoked' WHERE id = ?", rater).rowcount
        self._known_rater(campaign, code, done)
        state: str = self.campaign(campaign).state
        self.run(
            "UPDATE work SET state = ?, rater = NULL, lease_until = NULL, left_to_do = NULL "
            "WHERE rater = ? AND state = 'leased'",
            "open" if state in ("open", "paused") else "cut",
            rater,
        )
        return state

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
