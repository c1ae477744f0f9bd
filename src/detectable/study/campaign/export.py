"""The judgments of a campaign into files, blind until the end: our table, Appraise, Pearmut."""

import csv
import hashlib
import io
import json
import math
import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, groupby, zip_longest
from pathlib import Path
from typing import Any

from detectable.core import check
from detectable.core.choices import CampaignFormat
from detectable.core.errors import DataError, InputError
from detectable.core.wording import for_spreadsheet
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.human.columns import Kind
from detectable.data.human.judgments import Judgments
from detectable.data.human.write_judgments import write_judgments
from detectable.data.store.records import (
    CampaignRow,
    DocumentScore,
    JudgmentRow,
    Part,
    Revision,
    Segment,
)
from detectable.data.store.store import Only, Store
from detectable.study.campaign.answers import SUGGESTED, other_tools_span
from detectable.study.campaign.campaigns import Campaigns, campaigns, paid_work, price_of
from detectable.study.campaign.close import unblind as write_unblinding
from detectable.study.campaign.looks import campaign_looks
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import (
    campaign_judgments,
    has_plan,
    is_counted,
    letters,
    plan_of,
)
from detectable.study.monitoring.ledger import LedgerState

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
    if unblind is not None:
        write_unblinding(store, name, who=who, reason=unblind, plan=plan)
    elif row.state != "concluded":
        said(BLIND)
    settings = CampaignSettings.from_json(row.settings)
    named = unblind is not None or row.state == "concluded"
    with store.snapshot():  # rows are read several times, and raters may go on meanwhile
        rows = _Rows(store, row, blind=not named, everything=everything)
        survey = _Survey()
        judgments = campaign_judgments(
            survey.seen(rows),
            settings.scale,
            everything=everything,
            name=name,
            weights=settings.sampling_weights,
        )
        said(*judgments.notes)
        about, missing = campaign_file(store, name, named=named, plan=plan)
        said(*missing)
        write_export(
            judgments,
            rows,
            path,
            form=form,
            settings=settings,
            documents=store.document_scores(name) if named else (),
            changes=store.revisions(name),
            said_of_self=store.said_of_self(name),
            texts=ShownTexts(partial(store.parts, name)) if named else None,
            about=about,
            survey=survey,
            force=force,
            said=said,
        )
    return campaigns(store, name, plan=plan)


class _Rows:
    """The judgments of an export, read from the store whenever they are gone through."""

    def __init__(
        self, store: Store, row: CampaignRow, *, blind: bool, everything: bool
    ) -> None:
        self._store, self._name, self._everything = store, row.name, everything
        self._called = letters(row.systems, row.salt) if blind else None

    def all(self) -> Iterator[JudgmentRow]:
        """Give all of them."""
        return self._store.each_row(self._name, named=self._called)

    def is_counted(self, row: JudgmentRow) -> bool:
        """Say whether a row is exported."""
        return is_counted(row, everything=self._everything)

    def some(self, only: Only = "all") -> Iterator[JudgmentRow]:
        """Give those that are exported, or some of them."""
        found = self._store.each_row(self._name, only=only, named=self._called)
        return filter(self.is_counted, found)


class _Survey:
    """What there is among the rows of an export, found out before anything is written."""

    def __init__(self) -> None:
        self.spans = self.extra = False  # whether any says more than its score
        self.systems: set[str] = set()  # of those with a score
        self.documents: set[str] = set()
        self.numbers = array("q")  # of what says more: the row in the export; 0 without a score
        self._n = 0

    def seen(self, rows: _Rows) -> Iterator[JudgmentRow]:
        """Give all rows, and look at those that are exported."""
        for row in rows.all():
            if rows.is_counted(row):
                self._look(row)
            yield row

    def _look(self, row: JudgmentRow) -> None:
        self._n += row.score is not None
        if row.extra:
            self.spans |= bool(row.extra.get("spans"))
            self.extra |= any(name != "spans" for name in row.extra)
            self.numbers.append(self._n if row.score is not None else 0)
        if row.score is not None:
            self.systems.add(row.system)
            if row.document is not None:
                self.documents.add(row.document)


def payments_csv(store: Store, name: str, *, plan: FilePath | None = None) -> str:
    """Return rater, blocks begun, judgments, minutes and amount, one row each.

    Whether work counts says how useful it was, not whether it was done: pay does not depend on it,
    nor on an early stop, nor on a wish to be deleted. The amount is that of the price in the plan;
    without one there is none.
    """
    price = price_of(store, name, plan)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("rater", "blocks", "judgments", "minutes", "amount"))
    for one in paid_work(store, name):
        amount = "" if price is None else f"{price * one.judgments:.2f}"
        minutes = f"{one.seconds / 60.0:.1f}"
        writer.writerow((for_spreadsheet(one.code), one.blocks, one.judgments, minutes, amount))
    return text.getvalue()


def participants_csv(store: Store, name: str) -> str:
    """Return who came by an open link, as the panel calls them, and how much they did.

    Exports name raters by their codes alone: this table joins both, to pay people, and is theirs to
    be deleted from.
    """
    work = {one.code: one for one in paid_work(store, name)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("rater", "participant", "study", "session", "joined", "pages", "judgments", "minutes")
    )
    for one in store.participants(name):
        done = work[one.code]
        joined = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.joined))
        named = (one.code, one.participant, one.study, one.session, joined)
        minutes = f"{done.seconds / 60.0:.1f}"
        writer.writerow((*map(for_spreadsheet, named), done.pages, done.judgments, minutes))
    return text.getvalue()


# --- What a campaign is and what happened to it, as one file beside its judgments ---
#
# With the judgments it is all that is needed to compute every look again (`replay_export`): the plan,
# the ledger with its chain of fingerprints, and the key of the hashes in it.

FORMAT = 1
MARK = "detectable_campaign"


def campaign_file(
    store: Store, name: str, *, named: bool, plan: FilePath | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return the text of the file, and a note if the plan is not where it was.

    Parameters
    ----------
    named : bool
        Whether systems may be revealed: after the conclusion, or after an unblinding that was
        written down. Until then there is no ledger, which holds estimates, and no key.
    """
    row = store.campaign(name)
    content: dict[str, Any] = {
        MARK: FORMAT,
        "name": name,
        "state": row.state,
        "systems": list(row.systems),
        # Where the plan was on this machine is nobody's business.
        "settings": {key: value for key, value in row.settings.items() if key != "plan_path"},
        "plan": None,
        "ledger": None,
        "key": row.salt if named else None,
        "late": store.status(name)["orphans"],
        "looks": [one.to_json() for one in campaign_looks(store, name)],
    }
    notes: tuple[str, ...] = ()
    if has_plan(row):
        try:
            frozen = plan_of(store, name, plan)
            content["plan"] = read_json(frozen.path)
            if named:
                content["ledger"] = list(LedgerState.read(frozen).lines)
        except DataError as error:
            notes = (f"The plan is not in the file: {error}",)
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", notes


def is_campaign_file(content: Any) -> bool:
    """Say whether the content of a JSON file is that of a campaign."""
    return isinstance(content, Mapping) and MARK in content


# --- What judgments say besides their score: errors, other criteria, strength, and documents ---

SPANS, EXTRA, DOCUMENTS = "spans.jsonl", "extra.jsonl", "documents.csv"
CHANGES, RATERS = "changes.jsonl", "raters.csv"
_DOCUMENT_COLUMNS = ("document", "part", "system", "kind", "rater", "wave", "score")


def span_lines(
    rows: Iterable[JudgmentRow],
    numbers: Iterable[int],
    texts: "ShownTexts | None",
) -> Iterator[str]:
    """Give a line for every error that was marked.

    Parameters
    ----------
    rows : iterable of JudgmentRow
        Those of the export that say more than a score, in its order.
    numbers : iterable of int
        By which such a judgment is known: its row in the export, from 1; 0 for texts that could not
        be judged, which have none.
    texts : ShownTexts, optional
        What was judged, for the marked words, the whole text and its hash; None while the systems
        are not named, since texts would name them.
    """
    for who, row in _known_by(rows, numbers):
        told = (row.extra or {}).get(SUGGESTED, {}).get("origins", ())
        for span, origin in zip_longest((row.extra or {}).get("spans", ()), told):
            more: dict[str, Any] = {} if origin is None else {"origin": origin}
            more |= {} if texts is None else texts.marked(row, span)
            yield _line_of({**who, **_span(span), **more})


def extra_lines(rows: Iterable[JudgmentRow], numbers: Iterable[int]) -> Iterator[str]:
    """Give a line for every judgment that says more than score and errors; see `span_lines`."""
    for who, row in _known_by(rows, numbers):
        more = {name: value for name, value in (row.extra or {}).items() if name != "spans"}
        if more:
            yield _line_of({**who, **more})


def _known_by(
    rows: Iterable[JudgmentRow], numbers: Iterable[int]
) -> Iterator[tuple[dict[str, Any], JudgmentRow]]:
    for row, number in zip((row for row in rows if row.extra), numbers, strict=True):
        who: dict[str, Any] = {"judgment": number or None, "system": row.system}
        yield {**who, "item": row.item, "rater": row.rater, "kind": row.kind}, row


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    return {name: span.get(name) for name in ("start", "end", "severity", "category")}


def _line_of(entry: Mapping[str, Any]) -> str:
    return f"{json.dumps(entry, ensure_ascii=False)}\n"


def rater_table(said: Mapping[str, Mapping[str, str]]) -> str:
    """Return what raters said of themselves, a row for each."""
    asked = list(dict.fromkeys(label for one in said.values() for label in one))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(for_spreadsheet(one) for one in ("rater", *asked))
    for code, answers in said.items():
        cells = (code, *(answers.get(label, "") for label in asked))
        writer.writerow(for_spreadsheet(cell) for cell in cells)
    return text.getvalue()


def _documents(scores: Sequence[DocumentScore]) -> str:
    if not scores:
        return ""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_DOCUMENT_COLUMNS)
    for one in scores:
        cells = (getattr(one, name) for name in _DOCUMENT_COLUMNS)
        writer.writerow(for_spreadsheet("" if cell is None else str(cell)) for cell in cells)
    return text.getvalue()


# --- What raters saw: the text behind every judgment, and what stood beside it ---


class ShownTexts:
    """The texts of a campaign by item; controls bring their own.

    Parameters
    ----------
    parts : callable
        Returns the texts of parts, given their names.
    """

    def __init__(self, parts: Callable[[Sequence[str]], Iterable[Part]]) -> None:
        @lru_cache(maxsize=_PARTS_KEPT)
        def segments(name: str) -> dict[str, Segment]:
            (part,) = parts([name])
            return {one.item: one for one in part.segments}

        self._segments = segments

    def segment(self, row: JudgmentRow) -> Segment:
        """Return the segment of a judgment."""
        return self._segments(row.part)[row.line or row.item]

    def text(self, row: JudgmentRow) -> str:
        """Return the text that was judged."""
        return self.segment(row).outputs[row.system] if row.text is None else row.text

    def marked(self, row: JudgmentRow, span: Mapping[str, Any]) -> dict[str, Any]:
        """Return the words of an error, the text that holds it, and the hash of that text."""
        whole = self.text(row)
        words = whole[span["start"] : span["end"]] if "start" in span else None
        return {"text_hash": self.fingerprint(row), "marked": words, "text": whole}

    def fingerprint(self, row: JudgmentRow) -> str:
        """Return a hash of the text that was judged, by which places in it can be trusted."""
        return hashlib.sha256(self.text(row).encode()).hexdigest()[:16]


# --- Files of an export: judgments in one of several forms, and what stands beside them ---

_PARTS_KEPT = 256  # whose texts are remembered; those of others are read again
_ENDINGS = {"pearmut": ".jsonl", "appraise": ".csv"}
CAMPAIGN = "campaign.json"
_REMEDY = "Choose another name, or allow overwriting."


def write_export(  # noqa: PLR0913 (what is written, where, and how)
    judgments: Judgments,
    rows: _Rows,
    path: Path,
    *,
    form: CampaignFormat,
    settings: CampaignSettings,
    documents: Sequence[DocumentScore],
    changes: Sequence[Revision],
    said_of_self: Mapping[str, Mapping[str, str]],
    texts: ShownTexts | None,
    about: str,
    survey: _Survey,
    force: bool,
    said: Callable[..., None],
) -> None:
    """Write judgments, and beside them what the campaign is, errors, criteria and documents.

    The names of those begin like its own: ``ship.campaign.json`` always, and ``ship.spans.jsonl``,
    ``ship.extra.jsonl``, ``ship.documents.csv``, ``ship.raters.csv`` and ``ship.changes.jsonl`` where there are any, beside
    ``ship.csv``. Nothing is written before all names are free.

    Parameters
    ----------
    judgments : Judgments
        What our own table holds.
    rows : _Rows
        The same as the store has them, with texts that could not be judged.
    form : {'table', 'pearmut', 'appraise'}
        Our own table by the ending of `path`, the log of Pearmut, or the export of Appraise.
    texts : ShownTexts, optional
        What was judged; None while systems are not named, since texts would name them.
    about : str
        What the campaign is; see `campaign_file`.
    survey : _Survey
        What there is among the rows.
    """
    check.literal(form, CampaignFormat, "form")
    ending = _ENDINGS.get(form)
    if ending is not None and path.suffix.lower() != ending:
        raise InputError(f"`path` must end in {ending} for {form}; got {str(path)!r}.")
    found: dict[str, str | Iterable[str]] = {
        CAMPAIGN: about,
        SPANS: span_lines(rows.some("extra"), survey.numbers, texts) if survey.spans else "",
        EXTRA: extra_lines(rows.some("extra"), survey.numbers) if survey.extra else "",
        DOCUMENTS: _documents(documents),
        RATERS: rater_table(said_of_self) if said_of_self else "",
        CHANGES: change_lines(changes) if changes else "",
    }
    tables = {name: lines for name, lines in found.items() if lines}
    beside = {path.with_name(f"{path.stem}.{name}"): lines for name, lines in tables.items()}
    if not force:
        for target in (path, *beside):
            refuse_existing(target, remedy=_REMEDY)
    if form == "table":
        write_judgments(judgments, path, overwrite=force)
    else:
        lines = _foreign(form, rows, settings, texts, survey)
        write_whole(path, lines, new=not force, remedy=_REMEDY)
        said(*_scale_note(settings))
    for target, content in beside.items():
        write_whole(target, content, new=not force, remedy=_REMEDY)
        said(f"Written: {target}")


def _foreign(
    form: CampaignFormat,
    rows: _Rows,
    settings: CampaignSettings,
    texts: ShownTexts | None,
    survey: _Survey,
) -> Iterator[str]:
    of_spans = settings.protocol == "mqm"
    if form == "pearmut":
        # If nobody marked any error the score stands there, as 0.
        scored = not (of_spans and survey.spans and settings.costs.is_google)
        both = chain(rows.some("system"), rows.some("control"))
        return pearmut_log(both, texts, scored=scored)
    refuse_marks(survey.systems, survey.documents)
    return appraise_table(
        rows.some(),
        (settings.source_language, settings.target_language),
        documents=bool(survey.documents),
        spans=settings.asks.spans,
        score_of_spans=of_spans and settings.costs.is_google,
    )


def _scale_note(settings: CampaignSettings) -> tuple[str, ...]:
    low, high = settings.scale
    if (low, high) == (0.0, 100.0) or (settings.protocol == "mqm" and settings.costs.is_google):
        return ()
    lowest = f"{low:g}" if math.isfinite(low) else ""
    return (f"The file does not say its scale: read it with --scale {lowest}:{high:g}.",)


def change_lines(changes: Iterable[Revision]) -> Iterator[str]:
    """Give answers that raters changed later, as they were before; systems are not named."""
    numbers: dict[str, int] = {}  # of the pages; their own names are for their raters
    for one in changes:
        line: dict[str, Any] = {
            "rater": one.rater,
            "page": numbers.setdefault(one.page, len(numbers) + 1),
            "n": one.n,
            "replaced": one.at,
            "answers": [
                {"score": answer.score, **(answer.extra or {})} for answer in one.answers
            ],
        }
        if one.document_score is not None:
            line["document_score"] = one.document_score
        yield _line_of(line)


# --- Judgments as Appraise exports them: rows without a header ---

_TYPES: Mapping[Kind, str] = {
    "system": "TGT",
    "repeat": "CHK",
    "degraded": "BAD",
    "reference": "REF",
}


def appraise_table(
    rows: Iterable[JudgmentRow],
    languages: tuple[str, str],
    *,
    documents: bool,
    spans: bool,
    score_of_spans: bool,
) -> Iterator[str]:
    """Give the table page by page: 12 columns with errors, 11 with documents, 9 otherwise.

    The columns are user, system, item, type, source and target language, score, then document and
    “is a document”, then the errors, then start and end. Texts that could not be judged are
    left out. Where errors are marked and no documents are known, every item is one.

    Parameters
    ----------
    rows : iterable of JudgmentRow
        Page by page.
    languages : (str, str)
        Of source and target.
    documents : bool
        Whether any is known.
    spans, score_of_spans : bool
        Whether errors are marked, and whether who reads them computes the score (MQM with the
        weights of Google): then it is 0.
    """
    for page in _pages(row for row in rows if row.score is not None):
        texts = Counter(row.system for row in page)
        done: Counter[str] = Counter()
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in page:
            score = 0.0 if score_of_spans else row.score
            cells: list[Any] = [
                row.rater,
                row.system,
                row.item,
                _TYPES[row.kind],
                *languages,
                score,
            ]
            if documents or spans:
                cells += [row.document or row.item, "False"]
            if spans:
                found = (row.extra or {}).get("spans", ())
                cells.append(
                    json.dumps(
                        [other_tools_span(one, category="error_type") for one in found],
                        ensure_ascii=False,
                    )
                )
            cells += _times(row, done[row.system], texts[row.system])
            done[row.system] += 1
            writer.writerow(_cell(one) for one in cells)
        yield out.getvalue()


def _pages(rows: Iterable[JudgmentRow]) -> Iterator[list[JudgmentRow]]:
    """Give the rows of every page, which stand together."""
    for _, page in groupby(rows, key=lambda row: row.page):
        yield list(page)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return for_spreadsheet(str(value))


def _times(row: JudgmentRow, place: int, n: int) -> list[Any]:
    """Return when a text was begun and done: those of a page share its time."""
    if row.seconds is None:
        return ["", ""]
    each = row.seconds / n
    start = row.saved - row.seconds + place * each
    return [repr(start), repr(start + each)]


def refuse_marks(systems: Collection[str], documents: Collection[str]) -> None:
    """Refuse names that mean something else in this format."""
    for name in sorted(systems):
        if "tutorial" in name.lower() or (
            "+" in name and all(part in systems for part in name.split("+"))
        ):
            raise DataError(
                f"the system {name!r} cannot be written for Appraise: it would be read as a "
                "tutorial or as the shared output of others. Export a table instead."
            )
    for document in sorted(documents):
        if "#" in document:
            raise DataError(
                f"the document {document!r} cannot be written for Appraise, where # marks copies. "
                "Export a table instead."
            )


# --- Judgments as the log of Pearmut: JSON lines, one for every page that a rater saved ---


def pearmut_log(
    rows: Iterable[JudgmentRow], texts: ShownTexts | None, *, scored: bool
) -> Iterator[str]:
    """Give the log page by page. `read_judgments` gives the judgments back.

    Repeats come after all others, so that a reader takes them for second scores. Degraded copies
    and references have ``validation``, as attention checks do; readers leave them out. Places of
    errors include the last letter, as Pearmut counts. What could not be judged is null.

    Parameters
    ----------
    rows : iterable of JudgmentRow
        Page by page, those of controls last.
    texts : ShownTexts, optional
        What was judged; None while the systems are not named.
    scored : bool
        Whether scores stand there. That of errors (MQM) is computed by who reads the log, unless
        they have weights of their own.
    """
    for number, page in enumerate(_pages(rows)):
        yield _line_of(_line(number, page, texts, scored=scored))


def _line(
    number: int, page: Sequence[JudgmentRow], texts: ShownTexts | None, *, scored: bool
) -> dict[str, Any]:
    items: dict[str, list[JudgmentRow]] = {}
    for row in page:
        items.setdefault(row.item, []).append(row)
    return {
        "user_id": page[0].rater,
        "item_i": number,
        "item": [_item(rows, texts) for rows in items.values()],
        "annotation": [_annotation(rows, scored=scored) for rows in items.values()],
        "actions": _actions(page),
    }


def _item(rows: Sequence[JudgmentRow], texts: ShownTexts | None) -> dict[str, Any]:
    first = rows[0]
    made: dict[str, Any] = {"item_id": first.item}
    if first.document is not None:
        made["doc_id"] = first.document
    if texts is not None:
        segment = texts.segment(first)
        made |= {"src": segment.source} if segment.source is not None else {}
        made |= {"ref": segment.reference} if segment.reference is not None else {}
    made["tgt"] = {row.system: "" if texts is None else texts.text(row) for row in rows}
    if first.kind in ("degraded", "reference"):
        made["validation"] = {row.system: {} for row in rows}
    return made


def _annotation(rows: Sequence[JudgmentRow], *, scored: bool) -> dict[str, Any] | None:
    if any(row.score is None for row in rows):
        return None
    made = {}
    for row in rows:
        more = dict(row.extra or {})
        spans = [other_tools_span(one, category="category") for one in more.pop("spans", ())]
        for name in ("side", SUGGESTED):
            more.pop(name, None)
        score = _plain(row.score) if scored else None
        made[row.system] = {"score": score, "error_spans": spans, **more}
    return made


def _plain(score: float | None) -> float | int | None:
    return int(score) if score is not None and score == int(score) else score


def _actions(page: Sequence[JudgmentRow]) -> list[dict[str, Any]]:
    """Return when the page was given and saved; of two rows of a choice each has half the time."""
    first = page[0]
    if first.seconds is None:
        return []
    both = [row for row in page if row.item == first.item]
    seconds = sum(row.seconds or 0.0 for row in both)
    return [
        {"time": first.saved - seconds, "action": "load"},
        {"time": first.saved, "action": "submit"},
    ]
