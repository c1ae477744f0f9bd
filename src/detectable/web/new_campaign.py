"""A new campaign: texts are sent, everything is checked, and then it is frozen."""

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO, Annotated, Any, Literal

import msgspec
from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from detectable.core import choices
from detectable.core.errors import DetectableError
from detectable.core.options import Declared, Shared, declared
from detectable.core.wording import in_one_line
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText, read_training
from detectable.data.store.records import NewCampaign
from detectable.data.texts.corpus import Corpus
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES
from detectable.study.campaign.begin import (
    CampaignPreview,
    begin_campaign,
    languages_of,
    preview_campaign,
    require_enough_lines,
    tried_first,
    usual_share,
)
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import (
    ANCHORS,
    CATEGORIES,
    LONGEST_PAGE,
    STEPS,
    CampaignSettings,
    checked_name,
)
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan import plan as make_plan
from detectable.study.monitoring.planned import ANYTIME, PREFERENCES
from detectable.web.auth import has_sessions
from detectable.web.errors import Refused
from detectable.web.guard import json_of, require_media, too_large
from detectable.web.organising import link_base, organising, refusals
from detectable.web.strings import page_languages, text
from detectable.web.templates import render_page

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
File = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]


class SystemFile(msgspec.Struct, forbid_unknown_fields=True):
    """A system and the file of its output."""

    name: Name
    file: File


class Texts(msgspec.Struct, forbid_unknown_fields=True):
    """Files that were sent before: one line per segment each, or one with everything.

    ``corpus`` is a table of texts, ``campaign`` the file of another campaign.
    """

    systems: Annotated[list[SystemFile], msgspec.Meta(max_length=40)] = []
    references: Annotated[list[File], msgspec.Meta(max_length=10)] = []
    sources: File | None = None
    documents: File | None = None
    corpus: File | None = None
    campaign: File | None = None


class Planning(msgspec.Struct, forbid_unknown_fields=True):
    """The plan to freeze with the campaign."""

    question: Annotated[str, msgspec.Meta(max_length=500)] = ""
    baseline: Name | None = None
    test: choices.PlanTest = "paired-mean"
    n_max: Count | None = None
    alpha: Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)] = Shared().alpha
    looks: Annotated[int, msgspec.Meta(ge=1, le=50)] = 5
    family: Annotated[str, msgspec.Meta(max_length=40)] = ""
    sd: Positive | None = None
    effect: Positive | None = None
    cost_per_judgment: Positive | None = None
    admission: Annotated[str, msgspec.Meta(max_length=40)] = "degraded-paired-t"
    pairs: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 10


_ABOUT = """A campaign to make; ``plan_file`` names a plan that was frozen before, without its ending.

    ``raters`` is how many begin: their links are made with it.
    """


def _asked(one: Declared) -> tuple[str, Any, Any]:
    """Return a setting of campaigns as a program may ask for it."""
    most, default, kind = one.said.most, one.default, _KINDS.get(one.said.kind, one.kind)
    if one.words:
        kind = Literal[one.words]
    elif one.kind is tuple:
        kind, default = Annotated[list[Name], msgspec.Meta(max_length=most)], []
    elif one.kind is str:
        kind = Annotated[str, msgspec.Meta(max_length=most)]
    elif one.kind is int and most is not None:
        kind = Annotated[int, msgspec.Meta(ge=one.said.least, le=most)]
    if one.said.open or default is None:
        kind, default = kind | None, None
    return one.name, kind, default


_KINDS: dict[str, Any] = {"share": Share, "positive": Positive}
_SETTINGS = {one.name: _asked(one) for one in declared(CampaignSettings)}
_PROSE = ("instructions", "pay", "consent")
_BY_PLAN = "baseline"  # the plan names it
_WORK = ("block", "controls", "overlap", "budget", "lease_minutes", "grace_minutes", "reveal")
CampaignAsked: Any = msgspec.defstruct(
    "CampaignAsked",
    [
        ("name", Annotated[str, msgspec.Meta(min_length=1, max_length=60)]),
        ("texts", Texts),
        ("plan", Planning | None, None),
        ("plan_file", Annotated[str, msgspec.Meta(max_length=64)], ""),
        *(one for name, one in _SETTINGS.items() if name not in (*_WORK, _BY_PLAN)),
        ("training", File | None, None),
        ("n_items", Count | None, None),
        *(_SETTINGS[name] for name in _WORK),
        ("degrade", choices.DegradeUnit, "auto"),
        ("seed", Annotated[int, msgspec.Meta(ge=0, le=2**62)] | None, None),
        ("raters", Annotated[int, msgspec.Meta(ge=0, le=500)], 0),
    ],
    forbid_unknown_fields=True,
    module=__name__,
    namespace={"__doc__": _ABOUT},
)


class Sent(msgspec.Struct):
    """A file that was sent."""

    id: str
    file: str
    bytes: int
    lines: int


class Checked(msgspec.Struct):
    """What a campaign would be."""

    says: list[str]
    notes: list[str]
    n_lines: int
    n_works: int
    n_pages: int
    n_judgments: int
    power_of_check: float | None


class MadeLink(msgspec.Struct):
    """The personal link of a rater, which is kept nowhere."""

    rater: str
    link: str


class Made(msgspec.Struct):
    """A campaign that was made, and the links of its first raters."""

    name: str
    plan: str
    notes: list[str]
    links: list[MadeLink]


# --- A new campaign: texts are sent, everything is checked, and then it is frozen ---


def new_campaign_page(request: Request) -> Response:
    """Show the six steps."""
    return render_page(
        "new_campaign.html.j2",
        protocols=choices.words(choices.CampaignProtocol),
        modes=choices.words(choices.CampaignMode),
        units=choices.words(choices.DegradeUnit),
        reveals=choices.words(choices.Reveal),
        steps=STEPS,
        points=tuple(ANCHORS),
        categories=", ".join(CATEGORIES),
        weights=choices.words(choices.MqmPreset),
        guides=choices.words(choices.Guide),
        longest_page=LONGEST_PAGE,
        languages=page_languages(),
        tests=choices.words(choices.PlanTest),
        rules=choices.words(choices.AdmissionRule),
        families=[row for row in FAMILIES.values() if not row.one_look],
        family=DEFAULT_FAMILY,
        plans=_plans(request.app.state.settings.folder),
        sessions=has_sessions(request),
        known=_known(CampaignAsked, Planning),
    )


def _known(*asked: Any) -> dict[str, str]:
    """Return what a form begins with: the defaults of what may be asked for."""
    found = {one.name: one.default for kind in asked for one in msgspec.structs.fields(kind)}
    return {
        name: value if isinstance(value, str) else f"{value:g}"
        for name, value in found.items()
        if isinstance(value, str | int | float)
    }


def _plans(folder: Path) -> list[str]:
    """Return the names of plans in the folder."""
    return sorted(
        path.stem
        for path in folder.glob("*.json")
        if path.with_suffix(".ledger.jsonl").exists() and path.is_file()
    )


async def send_file(request: Request) -> Response:
    """Keep a file until its campaign is made."""
    found: Upload = await request.app.state.uploads.take(request)
    lines = await to_thread.run_sync(_count_lines, found.path)
    sent = Sent(found.id, found.name, found.size, lines)
    return JSONResponse(msgspec.to_builtins(sent), 201)


def _count_lines(path: Path) -> int:
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            lines += chunk.count(b"\n")
            last = chunk
    return lines + (not last.endswith(b"\n"))


async def check_campaign(request: Request) -> Response:
    """Say what a campaign would be; nothing is kept."""
    asked = await json_of(request, CampaignAsked)
    with refusals():
        found = await to_thread.run_sync(_checked, request.app.state, asked)
    return JSONResponse(msgspec.to_builtins(found))


async def make_new_campaign(request: Request) -> Response:
    """Freeze the plan, and keep the campaign as a draft that can be opened."""
    asked = await json_of(request, CampaignAsked)
    state = request.app.state
    with refusals():
        ready = await to_thread.run_sync(_ready, state, asked)
    made: Made = await organising(request).do(
        partial(_made, state.settings.folder, asked, ready, link_base(request)), new=True
    )
    state.uploads.drop(*file_ids(asked.texts), *([asked.training] if asked.training else ()))
    return JSONResponse(msgspec.to_builtins(made), 201)


@dataclass(frozen=True, slots=True)
class _Ready:
    """What was read, and what would be made of it."""

    texts: CampaignTexts
    new: NewCampaign
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...]


def _ready(state: Any, asked: Any) -> _Ready:
    uploads: Uploads = state.uploads
    checked_name(asked.name)
    texts = read_texts(asked.texts, uploads)
    corpus = texts.corpus
    training, left_out = (
        (read_tried(asked.training, uploads), ())
        if asked.training
        else tried_first(texts, asked.protocol)
    )
    source, target = languages_of(texts, asked.source_language, asked.target_language)
    block, controls = usual_share(corpus, asked.page_lines)
    given = {name: getattr(asked, name) for name in _SETTINGS if name != _BY_PLAN}
    settings: dict[str, Any] = {
        **{name: one.strip() if name in _PROSE else one for name, one in given.items()},
        "block": block if asked.block is None else asked.block,
        "controls": controls if asked.controls is None else asked.controls,
        "source_language": source,
        "target_language": target,
        "training": training,
    }
    seed = _seed(asked)
    systems = _planned_systems(state.settings.folder, asked)
    if asked.protocol == "pairwise":
        settings["baseline"] = _baseline(state.settings.folder, asked)
    new, notes = make_campaign(
        corpus,
        asked.name,
        CampaignSettings(**settings),
        systems=systems,
        n_items=asked.n_items,
        items=texts.items,
        unit=asked.degrade,
        rng=seed,
    )
    return _Ready(texts, new, settings, seed, (*texts.notes, *left_out, *notes))


def _seed(asked: Any) -> int:
    """Return the seed that was asked for, or one from what was asked: check and campaign agree."""
    if asked.seed is not None:
        return int(asked.seed)
    import hashlib

    return int.from_bytes(hashlib.sha256(msgspec.json.encode(asked)).digest()[:7], "big")


def _planned_systems(folder: Path, asked: Any) -> list[str] | None:
    if not asked.plan_file:
        return None
    return list(_existing(folder, asked.plan_file).systems)


def _baseline(folder: Path, asked: Any) -> str:
    """Return the system beside which all others are shown, if the plan has one."""
    if asked.plan_file:
        return _existing(folder, asked.plan_file).baseline or ""
    return (asked.plan.baseline or "") if asked.plan is not None else ""


def _existing(folder: Path, name: str) -> Plan:
    if name not in _plans(folder):
        raise Refused(422, "no_plan", text("refused.no_plan"))
    return read_plan(folder / f"{name}.json")


def _checked(state: Any, asked: Any) -> Checked:
    ready = _ready(state, asked)
    with tempfile.TemporaryDirectory(prefix="detectable-") as place:
        plan = _plan(state.settings.folder, Path(place), asked, ready)
        rule = None if plan is None else plan.admission
        found = preview_campaign(
            ready.new,
            pairs=10 if rule is None else rule["pairs"],
            alpha=0.05 if rule is None else rule["alpha"],
        )
        says = _in_words(found, len(ready.new.systems), asked.raters, asked.budget)
        says += [] if plan is None else plan.summary().splitlines()
    none = found.blocks_to_decide is None
    return Checked(
        says,
        list(ready.notes),
        found.n_lines,
        found.n_works,
        found.n_pages,
        found.n_judgments,
        None if none else found.power,
    )


def _in_words(
    found: CampaignPreview, n_systems: int, n_raters: int, budget: int | None
) -> list[str]:
    says = [
        text(
            "new.says_work",
            lines=f"{found.n_lines:,}",
            systems=n_systems,
            works=f"{found.n_works:,}",
            pages=f"{found.n_pages:,}",
            judgments=f"{found.n_judgments:,}",
        )
    ]
    if budget is not None and budget < found.n_judgments:
        says.append(text("new.says_budget", budget=budget, judgments=f"{found.n_judgments:,}"))
    if found.blocks_to_decide is None:
        return [*says, text("new.says_no_controls")]
    says.append(
        text(
            "new.says_check",
            copies=f"{found.copies_per_block:.3g}",
            blocks=found.blocks_to_decide,
            pairs=found.pairs,
            effect=f"{found.effect:g}",
            sd=f"{found.sd:g}",
            power=f"{found.power:.0%}",
        )
    )
    if found.n_again:
        again, share = f"{found.n_again:,}", f"{1.0 - found.power:.0%}"
        says.append(text("new.says_again", again=again, share=share))
    most = found.most_raters
    if n_raters and most is not None and n_raters > most:
        says.append(text("new.says_too_many", raters=n_raters, most=most))
    return says


def _plan(folder: Path, place: Path, asked: Any, ready: _Ready) -> Plan | None:
    """Return the plan that exists, or one that is frozen into a place."""
    if asked.plan_file:
        found = _existing(folder, asked.plan_file)
        require_enough_lines(found.n_max, ready.new, argument="plan_file")
        return found
    if asked.plan is None:
        return None
    given = asked.plan
    require_enough_lines(given.n_max, ready.new, argument="n_max")
    admission = {"rule": given.admission, "pairs": given.pairs} if given.admission else None
    lines = sum(len(part.segments) for part in ready.new.parts)
    anytime = given.test.startswith("e-")
    design: dict[str, Any] = (
        {} if anytime else {"looks": given.looks, "family": given.family or DEFAULT_FAMILY}
    )
    systems = list(ready.new.systems)
    settings = CampaignSettings(**ready.settings)
    choice = settings.asks.together and given.test not in (*PREFERENCES, *ANYTIME)
    return make_plan(
        place / f"{asked.name}.json",
        systems=systems,
        baseline=given.baseline,
        n_max=lines if given.n_max is None else given.n_max,
        question=given.question,
        test=given.test,
        scale=settings.scale,
        alpha=given.alpha,
        # Of two outputs that are shown together one wins, so that scores differ by 1 or not at all.
        sd=1.0 if given.sd is None and choice else given.sd,
        effect=given.effect,
        cost_per_judgment=given.cost_per_judgment,
        admission=admission,
        **design,
    )


def _made(folder: Path, asked: Any, ready: _Ready, base: str, store: Any) -> Made:
    if asked.name in store.names():
        raise Refused(409, "exists", text("refused.campaign_exists", name=asked.name))
    plan = _plan(folder, folder, asked, ready)
    begin_campaign(
        store,
        ready.texts.corpus,
        asked.name,
        items=ready.texts.items,
        plan_path=None if plan is None else Path(plan.path),
        n_items=asked.n_items,
        unit=asked.degrade,
        rng=ready.seed,
        **ready.settings,
    )
    links = store.add_raters(asked.name, asked.raters) if asked.raters else []
    return Made(
        asked.name,
        "" if plan is None else plan.fingerprint,
        list(ready.notes),
        [MadeLink(one.code, f"{base}{one.token}") for one in links],
    )


# --- Files that an organiser sends for a new campaign: streamed to disk, kept until it is made ---
#
# The name that a browser sends is only shown again. The file itself has a random name in a folder of
# the server's own, which is gone with the server.

MOST_BYTES = 64 * 1024 * 1024
FILE = "application/octet-stream"
_MOST = 60  # files that wait for their campaign; the oldest goes first
_SILENCE = 30.0  # seconds without a byte
_ENDINGS = (".txt", ".sgm", ".sgml", ".tsv", ".csv", ".jsonl", ".json", ".xml")
# zip (also xlsx and npz), gzip, xz, bzip2, zstd: what unpacks to more than it is
_PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd")
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent."""

    id: str
    name: str  # as the browser called it, for messages
    path: Path
    size: int


class Uploads:
    """The files that wait."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._kept: dict[str, Upload] = {}

    def get(self, id: str) -> Upload:
        """Return a file that was sent, or refuse."""
        if id not in self._kept:
            raise Refused(422, "no_file", text("refused.no_file"))
        return self._kept[id]

    async def take(self, request: Request) -> Upload:
        """Write the body of a request to disk, refused as soon as it is too large or packed."""
        require_media(request, FILE, MOST_BYTES)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="detectable-"))
        name = in_one_line(request.query_params.get("file", ""))[:_LONGEST_NAME]
        id = secrets.token_urlsafe(12)
        path = self._folder / f"{id}{_ending(name)}"
        try:
            with path.open("xb") as file:
                size = await _stream(request, file)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        while len(self._kept) >= _MOST:
            self.drop(next(iter(self._kept)))
        self._kept[id] = Upload(id, name or text("new.unnamed"), path, size)
        return self._kept[id]

    def drop(self, *ids: str) -> None:
        """Remove files that are not needed any more."""
        for id in ids:
            found = self._kept.pop(id, None)
            if found is not None:
                found.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove everything."""
        self._kept.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


async def _stream(request: Request, file: IO[bytes]) -> int:
    size, first = 0, b""
    chunks = request.stream()
    while True:
        try:
            async with asyncio.timeout(_SILENCE):
                chunk = await anext(chunks, None)
        except TimeoutError:
            raise Refused(408, "too_slow", text("refused.slow")) from None
        except ClientDisconnect:
            raise Refused(400, "gone", text("refused.slow")) from None
        if chunk is None:
            break
        size += len(chunk)
        if size > MOST_BYTES:
            raise too_large(MOST_BYTES)
        if len(first) < 8:
            first += chunk[:8]
            if first.startswith(_PACKED):
                raise Refused(415, "packed", text("refused.packed"))
        file.write(chunk)
    if not size:
        raise Refused(422, "empty", text("refused.empty"))
    return size


def _ending(name: str) -> str:
    """Return the ending that tells formats apart; the name itself is never used.

    Examples
    --------
    >>> _ending("../../etc/new.SGM"), _ending("a.exe"), _ending("x")
    ('.sgm', '.txt', '.txt')
    """
    found = PurePath(name.replace("\\", "/")).suffix.lower()
    return found if found in _ENDINGS else ".txt"


# --- The texts of a new campaign, from files that were sent ---


def read_texts(asked: Texts, uploads: Uploads) -> CampaignTexts:
    """Return outputs and references, or say which file does not fit."""
    files = {id: uploads.get(id) for id in file_ids(asked)}
    whole = asked.corpus or asked.campaign
    if whole is not None and file_ids(asked) != [whole]:
        raise Refused(422, "not_understood", text("refused.two_ways"))
    with _named(list(files.values())):
        if asked.campaign is not None:
            from detectable.data.campaign_files.read_campaign_file import read_campaign_file

            return read_campaign_file(files[asked.campaign].path)
        found = _lines(asked, files) if whole is None else _table(files[whole])
        return CampaignTexts(corpus=found, notes=found.notes)


def read_tried(id: str, uploads: Uploads) -> tuple[TrainingText, ...]:
    """Return the training texts of a table that was sent."""
    file = uploads.get(id)
    with _named([file]):
        return read_training(file.path)


def file_ids(asked: Texts) -> list[str]:
    """Return all files that are asked for."""
    found = [one.file for one in asked.systems] + asked.references
    more = (asked.sources, asked.documents, asked.corpus, asked.campaign)
    return found + [one for one in more if one]


def _table(file: Upload) -> Corpus:
    from detectable.data.texts.read_corpus_file import read_corpus_file

    return read_corpus_file(file.path)


def _lines(asked: Texts, files: dict[str, Upload]) -> Corpus:
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.data.texts.wmt_test_sets import read_sgm

    if len(asked.systems) < 2 or not asked.references:
        raise Refused(422, "not_understood", text("refused.no_texts"))
    systems = [(one.name, [files[one.file].path]) for one in asked.systems]
    references = [files[id].path for id in asked.references]
    sources = None if asked.sources is None else files[asked.sources].path
    if references[0].suffix in (".sgm", ".sgml"):
        return read_sgm(systems, references, sources=sources)
    documents = None if asked.documents is None else files[asked.documents].path
    return read_corpus(systems, references, sources=sources, documents=documents)


@contextmanager
def _named(files: list[Upload]) -> Iterator[None]:
    """Say what is wrong with the names that the organiser knows."""
    try:
        yield
    except DetectableError as error:
        said = str(error)
        for one in files:
            said = said.replace(str(one.path), one.name).replace(one.path.name, one.name)
        raise Refused(422, "unusable", said) from None
