"""The judgments of a campaign into a file, blind until the end."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

from detectable.core.choices import CampaignFormat
from detectable.core.harmless import for_spreadsheet
from detectable.data.files.place import FilePath
from detectable.data.store.store import Store
from detectable.study.campaign.campaign_file import campaign_file
from detectable.study.campaign.campaign_judgments import (
    blinded,
    campaign_judgments,
    counted_rows,
)
from detectable.study.campaign.campaigns import Campaigns, campaigns
from detectable.study.campaign.close import unblind as write_unblinding
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.shown_texts import ShownTexts
from detectable.study.campaign.write_export import write_export

BLIND = (
    "Systems are letters, drawn anew for every item: the campaign is not concluded. What it "
    "collects can be checked, and nothing about a system can be seen."
)


def export_campaign(  # noqa: PLR0913 (what is written, and who asks for it why)
    store: Store,
    name: str,
    path: Path,
    *,
    form: CampaignFormat = "table",
    everything: bool = False,
    unblind: str | None = None,
    who: str = "",
    plan: FilePath | None = None,
    force: bool = False,
    said: Callable[..., None] = lambda *_: None,
) -> Campaigns:
    """Write judgments, and return where the campaign stands.

    Parameters
    ----------
    form : {'table', 'pearmut', 'appraise'}
        See `write_export`.
    everything : bool
        Second waves, unfinished work and late answers too.
    unblind : str, optional
        Why systems are to be named before the end. It is kept before anything is written, in the
        ledger of the plan too.
    who : str
        Who wants it.
    """
    row = store.campaign(name)
    rows = store.rows(name)
    if unblind is not None:
        write_unblinding(store, name, who=who, reason=unblind, plan=plan)
    elif row.state != "concluded":
        rows = blinded(rows, row.systems, row.salt)
        said(BLIND)
    settings = CampaignSettings.from_json(row.settings)
    judgments = campaign_judgments(rows, settings.scale, everything=everything, name=name)
    said(*judgments.notes)
    named = unblind is not None or row.state == "concluded"
    about, missing = campaign_file(store, name, named=named, plan=plan)
    said(*missing)
    write_export(
        judgments,
        counted_rows(rows, everything=everything),
        path,
        form=form,
        settings=settings,
        documents=store.document_scores(name) if named else (),
        texts=ShownTexts(store.parts(name)) if named else None,
        about=about,
        force=force,
        said=said,
    )
    return campaigns(store, name, plan=plan)


def payments_csv(store: Store, name: str) -> str:
    """Return rater, blocks begun and minutes, one row each, and nothing else.

    Whether work counts says how useful it was, not whether it was done: pay does not depend on it,
    nor on an early stop.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("rater", "blocks", "minutes"))
    for one in store.raters(name):
        writer.writerow((for_spreadsheet(one.code), one.blocks, f"{one.seconds / 60.0:.1f}"))
    return text.getvalue()
