"""What changes something, or reads a file: frozen plans and pilots."""

import tempfile
from pathlib import Path, PurePath
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.report.planner.answer import freeze, in_words
from detectable.report.planner.field import Form
from detectable.report.planner.forms import forms
from detectable.report.planner.pilot import Fitted, fit_pilot
from detectable.web.errors import Refused
from detectable.web.guard import FILE_BODY, body_of, json_of
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
    """Return the endings of a name, which tell formats apart; the name itself is never used.

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
