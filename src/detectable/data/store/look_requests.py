"""Which looks were run for a campaign: each once, whoever asks for it."""

import json
import time
from collections.abc import Mapping
from typing import Any

from detectable.data.store.journal import Journal

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
