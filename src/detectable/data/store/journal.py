"""The campaigns of a store, and what was done to each of them."""

import json
import time
from collections.abc import Mapping
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.store.records import CampaignRow
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
