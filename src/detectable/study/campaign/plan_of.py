"""The plan of a campaign."""

from pathlib import Path

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.data.store.records import CampaignRow
from detectable.data.store.store import Store
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.plan import Plan, read_plan


def plan_of(store: Store, name: str, path: FilePath | None = None) -> Plan:
    """Return the plan that a campaign was made with, or say why there is none.

    Parameters
    ----------
    path : path, optional
        Where it is now; by default where it was when the campaign was made, or a file of that name
        beside the store.
    """
    row = store.campaign(name)
    settings = CampaignSettings.from_json(row.settings)
    if not settings.plan:
        raise DataError(
            f"{name} was made without a plan, so nothing says when to look. Export its judgments, "
            "or make a campaign with --plan."
        )
    found = _last_known(store, name, settings) if path is None else Path(path)
    plan = read_plan(found)
    if plan.fingerprint != settings.plan:
        raise DataError(
            f"{found}: {name} was made with another plan ({settings.plan[:12]}, not "
            f"{plan.fingerprint[:12]}). Give that one."
        )
    return plan


def has_plan(row: CampaignRow) -> bool:
    """Say whether a campaign was made with a plan."""
    return bool(CampaignSettings.from_json(row.settings).plan)


def _last_known(store: Store, name: str, settings: CampaignSettings) -> Path:
    kept = Path(settings.plan_path)
    for path in (kept, Path(store.where).parent / kept.name):
        if settings.plan_path and path.is_file():
            return path
    raise DataError(
        f"the plan of {name} is not where it was ({settings.plan_path or 'nobody wrote it down'}). "
        "Say where it is now (--plan)."
    )
