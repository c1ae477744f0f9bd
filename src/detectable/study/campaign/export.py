"""The judgments of a campaign into a file, blind until the end."""

from collections.abc import Callable
from pathlib import Path

from detectable.core.errors import InputError
from detectable.data.human.write_judgments import write_judgments
from detectable.data.store.store import Store
from detectable.study.campaign.campaign_judgments import blinded, campaign_judgments
from detectable.study.campaign.campaigns import Campaigns, campaigns
from detectable.study.campaign.settings import CampaignSettings

BLIND = (
    "Systems are letters, drawn anew for every item: the campaign is not concluded. What it "
    "collects can be checked, and nothing about a system can be seen."
)


def export_campaign(
    store: Store,
    name: str,
    path: Path,
    *,
    everything: bool = False,
    unblind: str | None = None,
    force: bool = False,
    said: Callable[..., None] = lambda *_: None,
) -> Campaigns:
    """Write judgments, and return where the campaign stands.

    Parameters
    ----------
    everything : bool
        Second waves, unfinished work and late answers too.
    unblind : str, optional
        Why systems are to be named before the end. It is kept before anything is written.
    """
    row = store.campaign(name)
    if unblind is not None and not unblind.strip():
        raise InputError("`unblind` must say why the systems are to be named; got nothing.")
    rows = store.rows(name)
    if unblind is not None and row.state != "concluded":
        store.log(name, "unblinding", {"reason": unblind.strip()})
    elif row.state != "concluded":
        rows = blinded(rows, row.systems, row.salt)
        said(BLIND)
    scale = CampaignSettings.from_json(row.settings).scale
    judgments = campaign_judgments(rows, scale, everything=everything, name=name)
    said(*judgments.notes)
    write_judgments(judgments, path, overwrite=force)
    return campaigns(store, name)
