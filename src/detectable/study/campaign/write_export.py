"""Files of an export: judgments in one of several forms, and what stands beside them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from detectable.core import check
from detectable.core.choices import CampaignFormat
from detectable.core.errors import InputError
from detectable.core.write import refuse_existing, write_whole
from detectable.data.human.judgments import Judgments
from detectable.data.human.write_judgments import write_judgments
from detectable.data.store.records import DocumentScore, JudgmentRow
from detectable.study.campaign.appraise_table import appraise_table
from detectable.study.campaign.pearmut_log import pearmut_log
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.shown_texts import ShownTexts
from detectable.study.campaign.side_tables import side_tables

_ENDINGS = {"pearmut": ".jsonl", "appraise": ".csv"}
CAMPAIGN = "campaign.json"
_REMEDY = "Choose another name, or allow overwriting."


def write_export(  # noqa: PLR0913 (what is written, where, and how)
    judgments: Judgments,
    rows: Sequence[JudgmentRow],
    path: Path,
    *,
    form: CampaignFormat,
    settings: CampaignSettings,
    documents: Sequence[DocumentScore],
    texts: ShownTexts | None,
    about: str,
    force: bool,
    said: Callable[..., None],
) -> None:
    """Write judgments, and beside them what the campaign is, errors, criteria and documents.

    The names of those begin like its own: ``ship.campaign.json`` always, and ``ship.spans.jsonl``,
    ``ship.extra.jsonl`` and ``ship.documents.csv`` where there are any, beside ``ship.csv``. Nothing is written before all names are free.

    Parameters
    ----------
    judgments : Judgments
        What our own table holds.
    rows : sequence of JudgmentRow
        The same as the store has them, with texts that could not be judged.
    form : {'table', 'pearmut', 'appraise'}
        Our own table by the ending of `path`, the log of Pearmut, or the export of Appraise.
    texts : ShownTexts, optional
        What was judged; None while systems are not named, since texts would name them.
    about : str
        What the campaign is; see `campaign_file`.
    """
    check.literal(form, CampaignFormat, "form")
    ending = _ENDINGS.get(form)
    if ending is not None and path.suffix.lower() != ending:
        raise InputError(f"`path` must end in {ending} for {form}; got {str(path)!r}.")
    tables = {CAMPAIGN: about}
    tables |= side_tables(rows, documents, None if texts is None else texts.fingerprint)
    beside = {path.with_name(f"{path.stem}.{name}"): text for name, text in tables.items()}
    if not force:
        for target in (path, *beside):
            refuse_existing(target, remedy=_REMEDY)
    if form == "table":
        write_judgments(judgments, path, overwrite=force)
    else:
        text = _foreign(form, rows, settings, texts)
        write_whole(path, text, new=not force, remedy=_REMEDY)
        said(*_scale_note(settings))
    for target, text in beside.items():
        write_whole(target, text, new=not force, remedy=_REMEDY)
        said(f"Written: {target}")


def _foreign(
    form: CampaignFormat,
    rows: Sequence[JudgmentRow],
    settings: CampaignSettings,
    texts: ShownTexts | None,
) -> str:
    of_spans = settings.protocol == "mqm"
    if form == "pearmut":
        return pearmut_log(rows, texts, score_of_spans=of_spans)
    languages = (settings.source_language, settings.target_language)
    return appraise_table(rows, languages, spans=settings.asks.spans, score_of_spans=of_spans)


def _scale_note(settings: CampaignSettings) -> tuple[str, ...]:
    low, high = settings.scale
    if settings.protocol == "mqm" or (low, high) == (0.0, 100.0):
        return ()
    return (f"The file does not say its scale: read it with --scale {low:g}:{high:g}.",)
