"""Who judges, which campaigns there are, what was done to each, and which looks were run."""

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.store.records import CampaignRow, Link, RaterRow, RaterState, WorkedBy
from detectable.data.store.sql import Sql


class Journal(Sql):
    """Which campaigns there are, and their events."""

    where: str  # the database, for messages

    def names(self) -> tuple[str, ...]:
        """Return the names of all campaigns, oldest first."""
        rows = self.all("SELECT id FROM campaign ORDER BY created, id")
        return tuple(row[0] for row in rows)

    def campaign(self, name: str) -> CampaignRow:
        """Return a campaign, or say which there are."""
        row = self.one(
            "SELECT id, state, settings, systems, needed, seed, salt, created FROM campaign "
            "WHERE id = ?",
            name,
        )
        if row is None:
            known = listing(list(self.names()), most=10)
            raise DataError(
                f"there is no campaign {name!r} in {self.where}: "
                + (f"it has {known}." if known else "it has none. Make one first.")
            )
        return CampaignRow(
            name=row[0],
            state=row[1],
            settings=json.loads(row[2]),
            systems=tuple(json.loads(row[3])),
            needed=tuple(json.loads(row[4])),
            seed=row[5],
            salt=row[6],
            created=row[7],
        )

    def log(self, campaign: str, event: str, detail: Mapping[str, Any]) -> None:
        """Write down what somebody did to a campaign."""
        with self.transaction():
            self._log(campaign, event, detail, None)

    def _log(
        self, campaign: str, event: str, detail: Mapping[str, Any], now: float | None
    ) -> None:
        self.run(
            "INSERT INTO event SELECT ?, COALESCE(MAX(n), 0) + 1, ?, ?, ? FROM event "
            "WHERE campaign = ?",
            campaign,
            time.time() if now is None else now,
            event,
            json.dumps(detail, sort_keys=True),
            campaign,
        )

    def events(self, campaign: str) -> list[tuple[float, str, Mapping[str, Any]]]:
        """Return when what was done, with its details, oldest first."""
        rows = self.all(
            "SELECT at, event, detail FROM event WHERE campaign = ? ORDER BY n", campaign
        )
        return [(at, event, json.loads(detail)) for at, event, detail in rows]


# --- Who judges: codes, secrets, and what each has done ---

_TOKEN_BYTES = 16  # 128 bits


class Roster(Journal):
    """The raters of campaigns."""

    def add_raters(self, campaign: str, n: int) -> list[Link]:
        """Return the codes and secrets of `n` new raters; the secrets are not kept."""
        with self.transaction():
            self.campaign(campaign)
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            before = self.one("SELECT COUNT(*) FROM rater WHERE campaign = ?", campaign)[0]
            links = [
                Link(code=f"r-{number:02d}", token=secrets.token_urlsafe(_TOKEN_BYTES))
                for number in range(before + 1, before + n + 1)
            ]
            for link in links:
                self.run(
                    "INSERT INTO rater (id, campaign, code, state, token_hash, block) "
                    "VALUES (?, ?, ?, 'active', ?, 0)",
                    f"{campaign}/{link.code}",
                    campaign,
                    link.code,
                    token_hash(link.token),
                )
            self._log(campaign, "raters", {"added": [link.code for link in links]}, None)
            return links

    def change_rater(self, campaign: str, code: str, state: RaterState) -> None:
        """Give a rater work again, none from now on, or take the link away."""
        with self.transaction():
            if state != "revoked" and self._was_voided(campaign, code):
                raise DataError(
                    f"the work of {code} in {campaign} was voided, so there is no more for them."
                )
            done = self.run(
                "UPDATE rater SET state = ? WHERE campaign = ? AND code = ?",
                state,
                campaign,
                code,
            ).rowcount
            self._known_rater(campaign, code, done)
            self._log(campaign, "rater", {"rater": code, "state": state}, None)

    def new_link(self, campaign: str, code: str) -> Link:
        """Return a new secret of a rater, in place of the one that was lost."""
        link = Link(code=code, token=secrets.token_urlsafe(_TOKEN_BYTES))
        with self.transaction():
            done = self.run(
                "UPDATE rater SET token_hash = ? WHERE campaign = ? AND code = ?",
                token_hash(link.token),
                campaign,
                code,
            ).rowcount
            self._known_rater(campaign, code, done)
            self._log(campaign, "new link", {"rater": code}, None)
        return link

    def _was_voided(self, campaign: str, code: str) -> bool:
        return any(
            event == "void" and detail["rater"] == code
            for _, event, detail in self.events(campaign)
        )

    def _known_rater(self, campaign: str, code: str, found: int) -> None:
        if not found:
            self.campaign(campaign)
            rows = self.all("SELECT code FROM rater WHERE campaign = ? ORDER BY code", campaign)
            known = listing([row[0] for row in rows], most=10) or "none"
            raise DataError(f"{campaign} has no rater {code!r}; it has {known}.")

    def rater_of(self, token: str) -> RaterRow | None:
        """Return who has this secret."""
        row = self.one(
            "SELECT id, campaign, code, state, consented FROM rater WHERE token_hash = ?",
            token_hash(token),
        )
        if row is None:
            return None
        return RaterRow(
            id=row[0],
            campaign=row[1],
            code=row[2],
            state=row[3],
            consented=row[4] is not None,
        )

    def consent(self, rater: str, now: float | None = None) -> None:
        """Keep that a rater agreed to take part, and when; the first time counts."""
        with self.transaction():
            self.run(
                "UPDATE rater SET consented = ? WHERE id = ? AND consented IS NULL",
                time.time() if now is None else now,
                rater,
            )

    def raters(self, campaign: str) -> list[WorkedBy]:
        """Return what every rater did, without scores."""
        rows = self.all(
            "SELECT r.code, r.state, r.block, COUNT(DISTINCT p.token), COUNT(j.n), "
            "COALESCE(SUM(CASE WHEN j.n = 0 THEN j.seconds ELSE 0 END), 0), r.last_seen "
            "FROM rater r LEFT JOIN page p ON p.rater = r.id AND p.done = 1 "
            "LEFT JOIN judgment j ON j.page = p.token WHERE r.campaign = ? "
            "GROUP BY r.id, r.code, r.state, r.block, r.last_seen ORDER BY r.code",
            campaign,
        )
        return [
            WorkedBy(
                code=code,
                state=state,
                blocks=blocks,
                pages=pages,
                judgments=judgments,
                seconds=float(seconds),
                last_seen=last_seen,
            )
            for code, state, blocks, pages, judgments, seconds, last_seen in rows
        ]


def token_hash(token: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


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
