"""What reads files or freezes plans: pilots, plans, and the texts of new campaigns."""

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Annotated
from urllib.parse import parse_qsl

import msgspec
from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.core.wording import in_one_line
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText, read_training
from detectable.data.texts.corpus import Corpus
from detectable.report.planner.answer import freeze, in_words
from detectable.report.planner.field import Form
from detectable.report.planner.forms import forms
from detectable.report.planner.pilot import Fitted, fit_pilot
from detectable.web.guard import FILE_BODY, Refused, body_of, json_of, require_media, too_large
from detectable.web.planner import readings_of, refuse_faults
from detectable.web.strings import text

FILE = "application/octet-stream"
_MOST_ENDINGS = 3  # .lp.tsv.gz


class PlanAsked(msgspec.Struct, forbid_unknown_fields=True):
    """A plan to freeze."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    systems: Annotated[
        list[Annotated[str, msgspec.Meta(min_length=1, max_length=200)]],
        msgspec.Meta(min_length=2, max_length=2),
    ]
    design: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    which: Annotated[str, msgspec.Meta(pattern="^[ab]$")] = "a"
    question: Annotated[str, msgspec.Meta(max_length=500)] = ""


class Frozen(msgspec.Struct):
    """A plan that was frozen."""

    file: str
    fingerprint: str
    says: str


class PilotSaid(msgspec.Struct):
    """What a pilot says: settings by the keys of the form, or the systems to choose from."""

    systems: list[str]
    settings: dict[str, str] | None
    notes: list[str]


async def freeze_plan(request: Request) -> Response:
    """Write a plan into the folder of the server."""
    asked = await json_of(request, PlanAsked)
    found: Frozen = await to_thread.run_sync(_frozen, request.app.state.settings.folder, asked)
    return JSONResponse(msgspec.to_builtins(found), 201)


def _frozen(folder: Path, asked: PlanAsked) -> Frozen:
    readings = readings_of(parse_qsl(asked.design, keep_blank_values=True))
    if asked.which == "b" and len(readings) == 1:
        raise Refused(422, "not_understood", text("refused.no_json"))
    reading = readings[0 if asked.which == "a" else 1]
    refuse_faults(reading)
    try:
        made = freeze(
            folder,
            reading.chosen,
            name=asked.name,
            systems=asked.systems,
            question=asked.question,
        )
    except InputError as error:
        raise Refused(422, "impossible", in_words(str(error), reading.chosen)) from None
    except DataError as error:
        # The folder is the server's business; the asker knows the name only.
        raise Refused(409, "exists", _without(str(error), folder)) from None
    return Frozen(f"{asked.name}.json", made.fingerprint, made.summary())


def _without(said: str, folder: Path) -> str:
    """Return a sentence that does not tell where the folder is."""
    return said.replace(f"{folder}/", "").replace(str(folder), ".")


async def fit_to_pilot(request: Request) -> Response:
    """Fit the settings of a scenario to the file in the body, which is not kept."""
    asked = request.query_params
    form = forms().get(asked.get("scenario", ""))
    pair = [asked[name] for name in ("system", "baseline") if asked.get(name)]
    if form is None or len(pair) == 1:
        raise Refused(422, "not_understood", text("refused.pilot"))
    body = await body_of(request, limit=FILE_BODY, media=FILE)
    fitted: Fitted = await to_thread.run_sync(_fitted, form, asked.get("file", ""), body, pair)
    return JSONResponse(msgspec.to_builtins(_said(form, fitted)))


def _fitted(form: Form, name: str, body: bytes, pair: list[str]) -> Fitted:
    with tempfile.TemporaryDirectory(prefix="detectable-") as place:
        path = Path(place) / f"pilot{_endings(name)}"
        path.write_bytes(body)
        try:
            return fit_pilot(form, path, pair=pair)
        except DetectableError as error:
            said = _without(str(error), Path(place))
            raise Refused(422, "unusable", said) from None


def _endings(name: str) -> str:
    """Return the endings of a name, which distinguish formats; the name itself is never used.

    Examples
    --------
    >>> _endings("../../etc/x.csv.gz"), _endings("a/b"), _endings("x.<b>")
    ('.csv.gz', '', '')
    """
    found = PurePath(name.replace("\\", "/")).suffixes[-_MOST_ENDINGS:]
    plain = all(one[1:].isascii() and one[1:].isalnum() and len(one) < 12 for one in found)
    return "".join(found) if plain else ""


def _said(form: Form, fitted: Fitted) -> PilotSaid:
    settings = None
    if fitted.settings is not None:
        fields = {field.name: field for field in form.fields}
        settings = {
            fields[name].key: fields[name].write(value)
            for name, value in fitted.settings.items()
        }
    return PilotSaid(list(fitted.systems), settings, list(fitted.notes))


# --- The texts of a new campaign: which files they are ---

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
File = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


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


class Sent(msgspec.Struct):
    """A file that was sent."""

    id: str
    file: str
    bytes: int
    lines: int


class SentBefore(msgspec.Struct, forbid_unknown_fields=True):
    """A file of a draft, as the page showed it."""

    id: Annotated[str, msgspec.Meta(max_length=64)]
    name: Annotated[str, msgspec.Meta(max_length=200)]
    lines: Annotated[int, msgspec.Meta(ge=0)]


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    """What was typed into the form of a new campaign, by the ids of its fields."""

    fields: Annotated[dict[str, str | bool], msgspec.Meta(max_length=400)]
    files: Annotated[dict[str, SentBefore], msgspec.Meta(max_length=60)]


_MOST_DRAFTS = 50  # the oldest goes first


async def keep_draft(request: Request) -> Response:
    """Keep what was typed, so that a page that is loaded again has it."""
    asked = await json_of(request, Draft)
    drafts: dict[str, Draft] = request.app.state.drafts
    key = request.path_params["draft"]
    drafts.pop(key, None)
    while len(drafts) >= _MOST_DRAFTS:
        del drafts[next(iter(drafts))]
    drafts[key] = asked
    return JSONResponse({"state": "kept"})


async def draft(request: Request) -> Response:
    """Give what was typed before, if anything; files that are not here any more are left out."""
    found: Draft = request.app.state.drafts.get(request.path_params["draft"], Draft({}, {}))
    here = request.app.state.uploads.known(one.id for one in found.files.values())
    files = {name: one for name, one in found.files.items() if one.id in here}
    return JSONResponse(msgspec.to_builtins(Draft(found.fields, files)))


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


# --- Files that an organiser sends for a new campaign: streamed to disk, kept until it is made ---
#
# The name that a browser sends is only shown again. The file itself has a random name in a folder of
# the server's own, which is gone with the server.

MOST_BYTES = 64 * 1024 * 1024
FILE = "application/octet-stream"
_MOST = 60  # files that wait for their campaign; the oldest goes first
_SILENCE = 30.0  # seconds without a byte
_ENDINGS = (
    *(".txt", ".sgm", ".sgml", ".tsv", ".csv", ".jsonl", ".json", ".xml"),
    *(".xlf", ".xliff", ".tmx"),
)
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

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return which of some files are still here."""
        return self._kept.keys() & set(ids)

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
    """Return the ending that distinguishes formats; the name itself is never used.

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

    return read_corpus_file(file.path, need_references=False)


def _lines(asked: Texts, files: dict[str, Upload]) -> Corpus:
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.data.texts.wmt_test_sets import read_sgm

    if len(asked.systems) < 2:
        raise Refused(422, "not_understood", text("refused.no_texts"))
    systems = [(one.name, [files[one.file].path]) for one in asked.systems]
    references = [files[id].path for id in asked.references]
    sources = None if asked.sources is None else files[asked.sources].path
    if references and references[0].suffix in (".sgm", ".sgml"):
        return read_sgm(systems, references, sources=sources)
    documents = None if asked.documents is None else files[asked.documents].path
    return read_corpus(
        systems, references, sources=sources, documents=documents, need_references=False
    )


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
