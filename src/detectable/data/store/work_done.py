"""When work was finished, for forecasts."""

from detectable.data.store.sql import Sql


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
