"""What a rater asks: the page of the link, the next text, and to save its answers.

Answers hold texts and counts, and never a system, a kind, a document or whether a text was seen
before: who judges does not know what.
"""

import asyncio
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.core.errors import DataError, InputError, RefusedError
from detectable.data.campaign_files.texts import TrainingText
from detectable.data.store.claims import suggested_in
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import (
    CampaignRow,
    Line,
    NewCampaign,
    NewPage,
    Page,
    Part,
    Pause,
    RaterRow,
    Saved,
    Segment,
    State,
)
from detectable.data.store.store import GroupCommit
from detectable.data.texts.languages import writing_direction
from detectable.study.campaign.answers import (
    given_answer,
    read_answers,
    read_document_score,
    read_questionnaire,
)
from detectable.study.campaign.make_campaign import (
    LINES_BEFORE,
    PHRASE_LINES,
    BlockMaker,
    Context,
)
from detectable.study.campaign.settings import CampaignSettings, question_of
from detectable.web.guard import Refused, json_of, require_pace
from detectable.web.strings import text
from detectable.web.templates import render_rating_page

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of a rater or why there is none, and how long the rater takes for a text."""

    page: Page | Pause
    campaign: CampaignRow
    settings: CampaignSettings
    pace: float | None  # seconds
    ending: str = ""  # how the work of this rater ended, where it has


class Judging:
    """Answers raters by the secret of their link.

    A request is one call of the thread that owns the store, and is answered after its COMMIT: what
    is said is on the disk.
    """

    def __init__(self, address: str | Path) -> None:
        self._store: AnyStore = open_store(address)
        self._writer = GroupCommit(self._store)
        self._makers: dict[str, BlockMaker] = {}

    def close(self) -> None:
        """Finish what waits, and let the store go."""
        self._writer.close()
        self._store.close()

    async def about(self, token: str) -> tuple[RaterRow, CampaignRow, CampaignSettings]:
        """Return a rater and their campaign."""
        return await self._do(lambda: self._who(token))

    async def consent(self, token: str) -> None:
        """Keep that a rater agreed to take part."""
        await self._do(lambda: self._store.consent(self._who(token)[0].id))

    async def say_of_self(self, token: str, answers: Mapping[str, str]) -> None:
        """Keep what a rater was asked before they begin."""

        def call() -> None:
            rater, _, settings = self._who(token)
            self._store.say_of_self(rater.id, read_questionnaire(settings, answers))

        await self._do(call)

    async def next(self, token: str, tab: str | None = None) -> "Shown":
        """Return the next page of a rater."""
        return await self._do(partial(self._next, token, tab))

    async def page(self, token: str, page: str) -> "Shown":
        """Return a page that a rater was given before, with what was said of it."""
        return await self._do(partial(self._again, token, page))

    async def draft(self, token: str, page: str, body: str, tab: str) -> None:
        """Keep what a rater has begun to say of a page."""
        await self._do(
            lambda: self._store.keep_draft(self._who(token)[0].id, page, body, tab=tab)
        )

    async def save(
        self,
        token: str,
        page: str,
        *,
        key: str,
        answers: Sequence[Any],
        seconds: float | None,
        document_score: Any = None,
        replaces: str | None = None,
    ) -> Saved:
        """Save the answers to a page, checked by the protocol of the campaign."""
        return await self._do(
            partial(self._save, token, page, key, answers, seconds, document_score, replaces)
        )

    def _who(self, token: str) -> tuple[RaterRow, CampaignRow, CampaignSettings]:
        """Return who has a secret, and their campaign, or refuse."""
        found = self._store.rater_of(token)
        if found is None or found.state == "revoked":
            raise RefusedError("link_not_valid", "This link is not valid.")
        campaign = self._store.campaign(found.campaign)
        return found, campaign, CampaignSettings.from_json(campaign.settings)

    def _next(self, token: str, tab: str | None) -> "Shown":
        rater, campaign, settings = self._who(token)
        if settings.consent and not rater.consented:
            raise RefusedError("no_consent", "Agree to take part before you begin.")
        if settings.questionnaire and not rater.answered:
            raise RefusedError("no_answers", "Answer the questions before you begin.")
        if campaign.name not in self._makers:
            self._makers[campaign.name] = self._maker(campaign, settings)
        page = self._store.next_page(rater.id, self._makers[campaign.name], tab=tab)
        if isinstance(page, Pause):
            return Shown(
                page, campaign, settings, None, self._ending(rater, campaign, settings, page)
            )
        page = replace(page, before=self._before(campaign.name, page))
        return Shown(page, campaign, settings, self._store.pace(rater.id))

    def _ending(
        self, rater: RaterRow, campaign: CampaignRow, settings: CampaignSettings, page: Pause
    ) -> str:
        """Say how the work of a rater ended; nothing while more may come.

        It depends on what was done, and on controls where the campaign says so; never on a score.
        """
        dry = campaign.state == "open" and page.retry_after is None
        if not (page.all_done or dry or campaign.state in ("stopped", "concluded")):
            return ""
        if page.pages == 0:
            return "nothing"
        if settings.code_for == "finished" or not settings.plan:
            return "completed"
        decided = self._store.checkpoints(campaign.name, last=True)
        if any(one.rater == rater.code and one.tested and not one.passed for one in decided):
            return "screened_out"
        waits = self._store.undecided(rater.id)
        return "checking" if waits and time.time() - waits < _TO_DECIDE else "completed"

    async def join(self, secret: str, query: Mapping[str, str]) -> tuple[str | None, str]:
        """Return the secret of whoever opens an open link, or None where all places are taken.

        The second is where raters go who do not take part.
        """
        return await self._do(partial(self._join, secret, query))

    def _join(self, secret: str, query: Mapping[str, str]) -> tuple[str | None, str]:
        campaign = self._store.campaign(self._store.campaign_of_link(secret))
        settings = CampaignSettings.from_json(campaign.settings)
        participant = query.get(settings.named_by, "")
        if not _PARTICIPANT.fullmatch(participant):
            raise RefusedError(
                "no_participant",
                f"The address must say who you are ({settings.named_by}). Open it from the page "
                "that sent you here.",
            )
        study, session = (query.get(one, "")[:100] for one in ("STUDY_ID", "SESSION_ID"))
        try:
            link = self._store.join(secret, participant, study=study, session=session)
        except RefusedError as error:
            if error.code == "study_full":
                return None, settings.screen_out_url
            raise
        return link.token, settings.screen_out_url

    def _again(self, token: str, name: str) -> "Shown":
        rater, campaign, settings = self._who(token)
        page = self._store.given_page(rater.id, name)
        page = replace(page, before=self._before(campaign.name, page))
        return Shown(page, campaign, settings, self._store.pace(rater.id))

    def _maker(self, campaign: CampaignRow, settings: CampaignSettings) -> BlockMaker:
        """Return what makes blocks; it reads the texts of each as it comes, and never all of them."""
        first = self._store.first_parts(campaign.name, PHRASE_LINES)
        return BlockMaker(
            self._store.parts(campaign.name, first),
            seed=campaign.seed,
            controls=settings.controls,
            unit="character" if settings.degrade == "character" else "word",
            together=settings.asks.together,
            baseline=settings.baseline,
            mixed=settings.mixed_controls,
            texts=partial(self._store.parts, campaign.name),
        )

    def _before(self, campaign: str, page: Page) -> tuple[Line, ...]:
        """Return the lines before a page in its document."""
        names = self._store.parts_before(campaign, page.part, LINES_BEFORE)
        if not names:
            return ()
        return Context(self._store.parts(campaign, [*names, page.part])).of(page)

    def _save(
        self,
        token: str,
        page: str,
        key: str,
        answers: Sequence[Any],
        seconds: float | None,
        document_score: Any,
        replaces: str | None,
    ) -> Saved:
        rater, _, settings = self._who(token)
        shown = self._store.given_page(rater.id, page)
        return self._store.save(
            rater.id,
            page,
            key=key,
            answers=read_answers(settings, answers, shown),
            seconds=seconds,
            claimed=True,
            document_score=read_document_score(settings, document_score),
            replaces=replaces,
        )

    async def _do(self, call: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._writer.submit(call))


# --- What a rater asks: the page of the link, the next text, and to save its answers ---
#
# Answers hold texts and counts, and never a system, a kind, a document or whether a text was seen
# before: who judges does not know what.

_STATUS = {
    "link_not_valid": 401,
    "unknown_page": 404,
    "already_saved": 409,
    "other_tab": 409,
    "not_open": 409,
    "no_consent": 409,
    "no_answers": 409,
    "no_participant": 422,
    "wrong_answer": 422,
}
_BEARER = "bearer "
_LONGEST_KEY = 64
_PARTICIPANT = re.compile(r"[\w.@:+-]{1,100}", re.ASCII)
_TO_DECIDE = 30.0  # seconds in which it is decided whether finished work counts


class Saving(msgspec.Struct, forbid_unknown_fields=True):
    """What a browser sends to save a page."""

    key: str
    answers: list[Any]
    seconds: float | None = None
    document_score: float | None = None
    replaces: str | None = None


class Joining(msgspec.Struct, forbid_unknown_fields=True):
    """What stands in the address by which somebody came."""

    query: Annotated[
        dict[str, Annotated[str, msgspec.Meta(max_length=500)]], msgspec.Meta(max_length=20)
    ]


class OfSelf(msgspec.Struct, forbid_unknown_fields=True):
    """What a rater was asked before they begin: answers by question."""

    answers: dict[str, str]


class PageDraft(msgspec.Struct, forbid_unknown_fields=True):
    """What stands on a page that is not saved yet, and in which tab."""

    tab: str
    draft: dict[str, Any]


def annotate_page(request: Request) -> Response:
    """Return the page of every link; the secret behind # stays in the browser."""
    return render_rating_page("annotate.html.j2", request.query_params.get("language", ""))


async def me(request: Request) -> Response:
    """Say what is asked of this rater."""
    with _refusals():
        rater, campaign, settings = await _judging(request).about(_secret(request))
    return JSONResponse(_asked(settings, campaign.state, rater))


def _asked(settings: CampaignSettings, state: State, rater: RaterRow | None) -> dict[str, Any]:
    low, high = settings.scale
    questions = [question_of(one) for one in settings.questionnaire]
    return {
        "state": state,
        "protocol": settings.protocol,
        "mode": settings.mode,
        "low": low if math.isfinite(low) else None,
        "high": high,
        "step": settings.asks.step,
        "anchors": list(settings.anchors),
        "language": settings.page_language,
        "instructions": settings.instructions,
        "guide": settings.guide,
        "severities": list(settings.severities) if settings.asks.spans else [],
        "pay": settings.pay,
        "consent": settings.consent,
        "consented": rater is not None and rater.consented,
        "questions": [{"label": label, "answers": list(said)} for label, said in questions],
        "answered": rater is not None and rater.answered,
        "comments": settings.comments,
        "suggested": settings.suggested,
        "lease": settings.lease,
        "code_for": settings.code_for if settings.plan else "finished",
        "leave_to": settings.screen_out_url,
        "unit": settings.degrade,
        "criteria": list(settings.criteria),
        "categories": list(settings.categories),
        "strength": settings.strength,
        "overall": settings.document_score,
        "training": [
            {**_beside(one.source, one.reference, settings.mode), **_expected(one)}
            for one in settings.training
        ],
        "source": _language(settings.source_language),
        "target": _language(settings.target_language),
    }


async def consent(request: Request) -> Response:
    """Keep that this rater agreed to take part."""
    with _refusals():
        await _judging(request).consent(_secret(request))
    return JSONResponse({"consented": True})


async def say_of_self(request: Request) -> Response:
    """Keep what this rater was asked before they begin."""
    secret = _secret(request)
    given = await json_of(request, OfSelf, code="wrong_answer", said="refused.wrong_body")
    with _refusals():
        await _judging(request).say_of_self(secret, given.answers)
    return JSONResponse({"answered": True})


async def next_page(request: Request) -> Response:
    """Give the next page, or say that there is none now."""
    secret = _secret(request)
    tab = request.query_params.get("tab") or None
    if tab is not None and len(tab) > _LONGEST_KEY:
        raise Refused(422, "wrong_answer", text("refused.wrong_key"))
    with _refusals():
        found = await _judging(request).next(secret, tab)
    if isinstance(found.page, Pause):
        return JSONResponse(_paused(found, found.page))
    return JSONResponse(_blind(found.settings, found.pace, found.page))


def _paused(found: Shown, page: Pause) -> dict[str, Any]:
    """Say why there is no page; the code comes when the work is done, and not before."""
    settings, ending = found.settings, found.ending
    return {
        "done": True,
        "state": found.campaign.state,
        "retry_after": page.retry_after,
        "all_done": page.all_done,
        "back": page.back,
        "ending": ending,
        "code": settings.completion_code if ending == "completed" else "",
        "return_to": {
            "completed": settings.end_address,
            "nothing": settings.screen_out_url,
            "screened_out": settings.screen_out_url,
        }.get(ending, ""),
    }


async def join(request: Request) -> Response:
    """Make whoever opens an open link a rater, once, and return their own link."""
    secret = request.path_params["open"]
    require_pace(request.app.state.requests, secret)
    given = await json_of(request, Joining, code="wrong_answer", said="refused.wrong_body")
    with _refusals():
        own, leave_to = await _judging(request).join(secret, given.query)
    return JSONResponse({"full": own is None, "link": own or "", "leave_to": leave_to})


async def page_again(request: Request) -> Response:
    """Give a page that this rater was given before, with what was said of it."""
    secret = _secret(request)
    with _refusals():
        found = await _judging(request).page(secret, request.path_params["token"])
    if not isinstance(found.page, Page):
        raise Refused(404, "unknown_page", text("refused.not_found"))
    return JSONResponse(_blind(found.settings, found.pace, found.page))


async def keep_draft(request: Request) -> Response:
    """Keep what this rater has begun to say of a page."""
    secret = _secret(request)
    given = await json_of(request, PageDraft, code="wrong_answer", said="refused.wrong_body")
    if not 1 <= len(given.tab) <= _LONGEST_KEY:
        raise Refused(422, "wrong_answer", text("refused.wrong_key"))
    body = msgspec.json.encode(given.draft).decode()
    with _refusals():
        await _judging(request).draft(secret, request.path_params["token"], body, given.tab)
    return JSONResponse({"state": "kept"})


def _blind(settings: CampaignSettings, pace: float | None, page: Page) -> dict[str, Any]:
    seconds = settings.seconds_per_text if pace is None else pace
    said = None
    if page.answers is not None:
        said = {
            "key": page.key,
            "answers": [given_answer(settings, one) for one in page.answers],
            "overall": page.document_score,
        }
    return {
        "done": False,
        "token": page.token,
        "block": page.block,
        "place": page.place,
        "pages": page.n_pages,
        "seconds_left": round(seconds * page.lines_left),
        "back": page.back,
        "forward": page.forward,
        "draft": None if page.draft is None else msgspec.json.decode(page.draft),
        "saved": said,
        "before": [_line(page, line, settings) for line in page.before],
        "texts": [_line(page, line, settings) for line in page.lines],
    }


def _line(page: Page, line: Line, settings: CampaignSettings) -> dict[str, Any]:
    told = {"suggested": list(line.suggested)} if settings.suggested else {}
    return {**_beside(line.source, line.reference, settings.mode), **_shown(page, line), **told}


def _beside(source: str | None, reference: str | None, mode: str) -> dict[str, str | None]:
    """Return what stands beside a text."""
    return {
        "source": source if mode in ("source", "bilingual") else None,
        "reference": reference if mode in ("reference", "bilingual") else None,
    }


def _expected(one: TrainingText) -> dict[str, Any]:
    return {"text": one.text, "low": one.low, "high": one.high, "hint": one.hint}


def _shown(page: Page, line: Line) -> dict[str, str]:
    """Return the text to judge; of two beside each other, on which side each stands."""
    if line.other is None:
        return {"text": line.text}
    own, other = ("right", "left") if page.flipped else ("left", "right")
    return {own: line.text, other: line.other}


async def save_page(request: Request) -> Response:
    """Save the answers to a page, once."""
    secret = _secret(request)
    given = await json_of(request, Saving, code="wrong_answer", said="refused.wrong_body")
    if not 1 <= len(given.key) <= _LONGEST_KEY:
        raise Refused(422, "wrong_answer", text("refused.wrong_key"))
    seconds = given.seconds
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0.0):
        raise Refused(422, "wrong_answer", text("refused.wrong_body"))
    with _refusals():
        said = await _judging(request).save(
            secret,
            request.path_params["token"],
            key=given.key,
            answers=given.answers,
            seconds=seconds,
            document_score=given.document_score,
            replaces=given.replaces,
        )
    return JSONResponse({"state": said})


def _secret(request: Request) -> str:
    """Return the secret in the header; a wrong one gets the same answer as none."""
    given = request.headers.get("authorization", "")
    found = given[len(_BEARER) :] if given[: len(_BEARER)].lower() == _BEARER else ""
    require_pace(request.app.state.requests, found)
    return found


@contextmanager
def _refusals() -> Iterator[None]:
    """Say in our form what the campaign refuses."""
    try:
        yield
    except RefusedError as error:
        raise Refused(_STATUS[error.code], error.code, str(error)) from None
    except InputError:
        raise Refused(422, "wrong_answer", text("refused.wrong_number")) from None
    except DataError:  # a full disk, a database that is away: the page tries again
        raise Refused(503, "not_reached", text("refused.not_reached")) from None


def _judging(request: Request) -> Judging:
    """Return the campaigns of this server, which are opened when somebody asks for them."""
    state = request.app.state
    if getattr(state, "judging", None) is None:
        try:
            state.judging = Judging(state.settings.campaigns)
        except DataError:
            if state.settings.store:  # one that was named, and does not answer
                raise
            raise RefusedError("link_not_valid", text("refused.link")) from None
    found: Judging = state.judging
    return found


def _language(tag: str) -> dict[str, str]:
    return {"tag": tag, "direction": writing_direction(tag)}


# --- What raters of a campaign would see, before there is one ---

_PREVIEWED = 6  # pages


def preview(new: NewCampaign) -> dict[str, Any]:
    """Return what is asked of raters and the first pages of a block, as their page takes them."""
    settings = CampaignSettings.from_json(new.settings)
    maker = BlockMaker(
        new.parts,
        seed=new.seed,
        controls=settings.controls,
        unit="character" if settings.degrade == "character" else "word",
        together=settings.asks.together,
        baseline=settings.baseline,
        mixed=settings.mixed_controls,
    )
    first = [name for name, wave in new.works if wave == 1][: new.block]
    made = maker("preview", 1, first, new.systems)[:_PREVIEWED]
    parts, context = {one.name: one for one in new.parts}, Context(new.parts)
    pages = [_previewed(one, n, made, parts) for n, one in enumerate(made)]
    pages = [replace(page, before=context.of(page)) for page in pages]
    return {
        "about": _asked(settings, "open", None),
        "pages": [_blind(settings, None, page) for page in pages],
    }


def _previewed(page: NewPage, n: int, made: Sequence[NewPage], parts: dict[str, Part]) -> Page:
    segments = parts[page.part].segments
    return Page(
        token=f"preview-{n}",
        part=page.part,
        system=page.system,
        kind=page.kind,
        lines=tuple(_preview_line(page, one, at) for at, one in enumerate(segments)),
        block=1,
        place=n + 1,
        n_pages=len(made),
        beside=page.beside,
        flipped=page.flipped,
        lines_left=sum(len(parts[one.part].segments) for one in made[n:]),
    )


def _preview_line(page: NewPage, one: Segment, at: int) -> Line:
    own = one.outputs[page.system]
    shown = own if page.lines is None else page.lines[at][1]
    return Line(
        item=one.item,
        source=one.source,
        reference=one.reference,
        text=shown,
        other=None if page.beside is None else one.outputs[page.beside],
        suggested=suggested_in(own, shown, one.suggested.get(page.system, ())),
    )
