"""The description of the API, from the same tables as the pages: OpenAPI 3.1."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.core.version import VERSION
from detectable.report.planner.chosen import SCENARIO, all_fields
from detectable.report.planner.field import Field
from detectable.report.planner.forms import forms
from detectable.web import organise
from detectable.web.annotate import Joining, OfSelf, PageDraft, Saving
from detectable.web.changes import FILE, Draft, Frozen, PilotSaid, PlanAsked, Sent
from detectable.web.guard import HEADER, JSON, SECURE, Password
from detectable.web.monitor import Status
from detectable.web.new_campaign import CampaignAsked, Checked, Made
from detectable.web.reports import FORMATS

_REFUSED = {
    401: "No valid link, or no session.",
    400: "The body ended before its time, is not UTF-8, or holds a null character.",
    403: "A foreign page, or the header is missing.",
    404: "There is nothing here.",
    405: "No such method.",
    408: "The body came too slowly.",
    409: "Not now: it exists, or the campaign is in another state.",
    413: "The body is too large.",
    415: "The body is of another kind.",
    421: "Another name than the server's own.",
    422: "Impossible, or not understood; the message says what to do.",
    429: "Too many wrong passwords, or requests of one link.",
    503: "Not now: the server is stopping, or cannot reach its store.",
}
_BODY = (400, 408, 413, 415, 422)  # what a body can be refused for
_CHANGE = (400, 401, 403, 408, 413, 415, 422)
_HEADER = {"name": HEADER, "in": "header", "required": True, "schema": {"const": "1"}}
_BINARY = {"type": "string", "format": "binary"}


def openapi(_: Request) -> Response:
    """Return the description."""
    return JSONResponse(description())


@cache
def description() -> dict[str, Any]:
    """Return the description as JSON values."""
    types = [PlanAsked, Frozen, PilotSaid, Joining, OfSelf, Saving, PageDraft, Password, *TYPES]
    _, schemas = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    schemas["Problem"] = {
        "type": "object",
        "required": ["code", "message"],
        "properties": {name: {"type": "string"} for name in ("code", "message", "field")},
        "additionalProperties": False,
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "detectable serve", "version": VERSION},
        "paths": _paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "rater": {"type": "http", "scheme": "bearer"},
                "organiser": {"type": "apiKey", "in": "cookie", "name": SECURE},
            },
        },
    }


def _paths() -> dict[str, Any]:
    return {
        "/api/v1/plan": {
            "get": _operation(
                "plan",
                "Power, smallest effect, size, cost and looks of one design.",
                _responses(200, _designs(), 422),
                parameters=_plan_parameters(),
            )
        },
        "/api/v1/plans": {
            "post": _operation(
                "freeze",
                "Freeze a design as a plan file; none is ever overwritten.",
                _responses(201, _ref("Frozen"), *sorted((*_CHANGE, 409))),
                parameters=[_HEADER],
                body=_ref("PlanAsked"),
            )
        },
        "/api/v1/pilot": {
            "post": _operation(
                "pilot",
                "Settings of a scenario from a file, which is not kept.",
                _responses(200, _ref("PilotSaid"), *_CHANGE),
                parameters=[_HEADER, *_pilot_parameters()],
                file=True,
            )
        },
        "/api/v1/session": _session(),
        **_rater_paths(),
        **organiser_paths(),
        "/healthz": _read("health", ("state", "version")),
        "/readyz": _read("ready", ("state",), 503),
    }


def _operation(
    id: str,
    says: str,
    answers: dict[str, Any],
    *,
    by: str = "",
    parameters: Iterable[dict[str, Any]] = (),
    body: dict[str, Any] | None = None,
    file: bool = False,
) -> dict[str, Any]:
    """Return one operation: who may ask it, what it takes and what it answers."""
    takes: dict[str, Any] = {"parameters": list(parameters)} if parameters else {}
    if body is not None or file:
        content = {FILE: {"schema": _BINARY}} if file else {JSON: {"schema": body}}
        takes["requestBody"] = {"required": True, "content": content}
    about: dict[str, Any] = {"operationId": id, "summary": says}
    about |= {"security": [{by: []}]} if by else {}
    said = {"responses": answers}
    return about | (said | takes if by == "organiser" else takes | said)


def _session() -> dict[str, Any]:
    """Return how organisers sign in and out; the session is a cookie."""
    good = {"204": {"description": "Done."}}
    refused = _responses(200, {}, *_CHANGE, 429)
    del refused["200"]
    gone = {key: refused[key] for key in ("403", "405", "421")}
    return {
        "post": _operation(
            "sign_in",
            "Begin a session of an organiser.",
            good | refused,
            parameters=[_HEADER],
            body=_ref("Password"),
        ),
        "delete": _operation("sign_out", "End the session.", good | gone, parameters=[_HEADER]),
    }


def _rater_paths() -> dict[str, Any]:
    """Return what raters ask, with the secret of their link."""
    words, number, yes = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
    names = {"type": "array", "items": words}
    language = {
        "type": "object",
        "properties": {"tag": words, "direction": {"enum": ["ltr", "rtl"]}},
    }
    asked = {
        **dict.fromkeys(("state", "protocol", "mode", "instructions", "language"), words),
        **dict.fromkeys(("pay", "consent", "unit", "guide", "code_for", "leave_to"), words),
        **dict.fromkeys(("high", "step", "lease"), number),
        "low": {"type": ["number", "null"]},
        "anchors": {"type": "array", "items": number},
        **dict.fromkeys(("criteria", "categories", "severities"), names),
        **dict.fromkeys(
            ("consented", "answered", "comments", "strength", "overall", "suggested"), yes
        ),
        "questions": {
            "type": "array",
            "items": _object({"label": words, "answers": names}, "label", "answers"),
        },
        "training": {"type": "array", "items": {"type": "object"}},
        **dict.fromkeys(("source", "target"), language),
    }
    maybe, whole = {"type": ["string", "null"]}, {"type": "integer"}
    line = {"source": maybe, "reference": maybe}
    sides = dict.fromkeys(("text", "left", "right"), words)  # one text, or two
    marks = {"suggested": {"type": "array", "items": {"type": "object"}}}
    lines = {"type": "array", "items": _object(line | sides | marks, *line)}
    page = {
        "done": {"type": "boolean"},
        **dict.fromkeys(("token", "state", "ending", "code", "return_to"), words),
        "all_done": {"type": "boolean"},
        **dict.fromkeys(("block", "place", "pages", "seconds_left"), whole),
        **dict.fromkeys(("back", "forward"), maybe),
        "draft": {"type": ["object", "null"]},
        "saved": {"type": ["object", "null"]},
        "retry_after": {"type": ["number", "null"]},
        "before": lines,
        "texts": lines,
    }
    saved = {"state": {"enum": ["saved", "again", "saved late", "changed"]}}
    kept = _object({"state": {"const": "kept"}}, "state")
    tab = {"name": "tab", "in": "query", "schema": {"type": "string", "maxLength": 64}}
    token = {"name": "token", "in": "path", "required": True, "schema": words}
    consented = _object({"consented": {"const": True}}, "consented")
    answered = _object({"answered": {"const": True}}, "answered")
    return {
        "/api/v1/join/{open}": {
            "post": _operation(
                "join",
                "A link of one's own for whoever opens an open one; or that it is full.",
                _responses(
                    200,
                    _object({"full": yes, "link": words, "leave_to": words}, "full", "link"),
                    *sorted((*_CHANGE, 409, 429, 503)),
                ),
                parameters=[_HEADER, {**token, "name": "open"}],
                body=_ref("Joining"),
            )
        },
        "/api/v1/me": {
            "get": _operation(
                "me",
                "What is asked of the rater of this link.",
                _responses(200, _object(asked, *asked), 401, 429, 503),
                by="rater",
            )
        },
        "/api/v1/me/consent": {
            "post": _operation(
                "consent",
                "The rater of this link agrees to take part.",
                _responses(200, consented, 401, 403, 429, 503),
                by="rater",
                parameters=[_HEADER],
            )
        },
        "/api/v1/me/answers": {
            "put": _operation(
                "say_of_self",
                "What the rater of this link was asked before they begin.",
                _responses(200, answered, *sorted((*_CHANGE, 429, 503))),
                by="rater",
                parameters=[_HEADER],
                body=_ref("OfSelf"),
            )
        },
        "/api/v1/next": {
            "get": _operation(
                "next",
                "The next page of this rater, blind; or that there is none now.",
                _responses(200, _object(page, "done"), 401, 409, 422, 429, 503),
                by="rater",
                parameters=[tab],
            )
        },
        "/api/v1/drafts/{token}": {
            "put": _operation(
                "draft",
                "Keep what is begun on a page, until it is saved.",
                _responses(200, kept, *sorted((*_CHANGE, 404, 409, 429, 503))),
                by="rater",
                parameters=[_HEADER, token],
                body=_ref("PageDraft"),
            )
        },
        "/api/v1/pages/{token}": {
            "get": _operation(
                "page",
                "A page that this rater was given before, with what was said of it.",
                _responses(200, _object(page, "done"), 401, 404, 429, 503),
                by="rater",
                parameters=[token],
            ),
            "put": _operation(
                "save",
                "Save the answers to a page, or replace those of a save that is named.",
                _responses(
                    200, _object(saved, "state"), *sorted((*_CHANGE, 404, 409, 429, 503))
                ),
                by="rater",
                parameters=[_HEADER, token],
                body=_ref("Saving"),
            ),
        },
    }


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


def _read(name: str, keys: tuple[str, ...], *refused: int) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": list(keys),
        "properties": {key: {"type": "string"} for key in keys},
    }
    found = _responses(200, schema)
    for status in refused:
        found[str(status)] = {
            "description": _REFUSED[status],
            "content": {JSON: {"schema": schema}},
        }
    return {"get": {"operationId": name, "responses": found}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _responses(good: int, schema: dict[str, Any], *refused: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        str(good): {"description": "The answer.", "content": {JSON: {"schema": schema}}}
    }
    for status in (*refused, 405, 421):
        content = {JSON: {"schema": _ref("Problem")}}
        found[str(status)] = {"description": _REFUSED[status], "content": content}
    return found


def _designs() -> dict[str, Any]:
    words = {"type": "string"}
    several = {"type": "array", "items": words}
    anything = {"type": ["object", "null"]}
    design = {
        "type": "object",
        "required": ["scenario", "settings", "verdict", "power", "commands", "python"],
        "properties": {
            "scenario": {"enum": list(forms())},
            "settings": {"type": "object"},
            "verdict": words,
            **dict.fromkeys(("details", "limits", "notes", "commands"), several),
            "power": {"type": "object"},
            **dict.fromkeys(("smallest", "size", "looks"), anything),
            "expected": {"type": ["array", "null"], "items": {"type": "number"}},
            "paid": {"type": "integer"},
            "cost": {"type": ["number", "null"]},
            "python": words,
            "charts": {"type": "array", "items": {"type": "object"}},
        },
    }
    return {
        "type": "object",
        "required": ["address", "designs"],
        "properties": {"address": words, "designs": {"type": "array", "items": design}},
    }


def _plan_parameters() -> list[dict[str, Any]]:
    """Return the keys of all scenarios; the same key may stand for another field in each."""
    found: dict[str, list[Field]] = {}
    for form in forms().values():
        for field in all_fields(form):
            found.setdefault(field.key, []).append(field)
    scenario = {"name": SCENARIO, "in": "query", "schema": {"enum": list(forms())}}
    return [scenario, *(_parameter(key, fields) for key, fields in found.items())]


def _parameter(key: str, fields: list[Field]) -> dict[str, Any]:
    schemas: list[dict[str, Any]] = []
    for field in fields:
        schema = _schema(field)
        if schema not in schemas:
            schemas.append(schema)
    labels = " or ".join(dict.fromkeys(field.label for field in fields))
    return {
        "name": key,
        "in": "query",
        "description": labels,
        "schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas},
    }


def _schema(field: Field) -> dict[str, Any]:
    if field.words:
        return {"enum": [word for word, _ in field.words]}
    kind = "integer" if field.whole else "number"
    return {"type": kind, "minimum": field.within[0], "maximum": field.within[1]}


def _pilot_parameters() -> list[dict[str, Any]]:
    names = [form.name for form in forms().values() if form.pilot]
    rows = (("scenario", {"enum": names}, True), ("file", {"type": "string"}, False))
    more = ((name, {"type": "string"}, False) for name in ("system", "baseline"))
    return [
        {"name": name, "in": "query", "required": needed, "schema": schema}
        for name, schema, needed in (*rows, *more)
    ]


# --- The part of the description that is for organisers and readers ---

TYPES: tuple[type, ...] = (
    *(CampaignAsked, Checked, Draft, Made, Sent, Status),
    *(organise.ArchiveAsked, organise.ConclusionAsked, organise.DeletionAsked),
    *(organise.ErasureAsked, organise.LookAsked, organise.OpenLinkAsked),
    *(organise.RaterAsked, organise.RatersAsked, organise.Reasoned, organise.VoidAsked),
)
_ONE = "/api/v1/campaigns/{name}"
_WORDS = {"type": "string"}
_LINK = {"type": "object", "properties": {"rater": _WORDS, "link": _WORDS}}
_LINKS = {
    "type": "object",
    "required": ["links"],
    "properties": {"links": {"type": "array", "items": _LINK}},
}
_PREVIEW = {
    "type": "object",
    "required": ["about", "pages"],
    "properties": {
        "about": {"type": "object"},
        "pages": {"type": "array", "items": {"type": "object"}},
    },
}
_OPEN_LINK = {"type": "object", "required": ["link"], "properties": {"link": _WORDS}}
_STATE = {"type": "object", "required": ["state"], "properties": {"state": _WORDS}}
# What a post asks for below a campaign: what it is for, its body, and the good answer.
_ASKED: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "looks": ("Look now.", "LookAsked", 201, {"type": "object"}),
    "unblind": (
        *("Write down who wants to see the systems, and why.", "Reasoned"),
        *(200, _STATE),
    ),
    "raters/{rater}/void": (
        *("Work of a rater does not count, for a reason that is no score.", "VoidAsked"),
        *(200, _STATE),
    ),
    "raters/{rater}/erase": (
        *("Delete the judgments of a rater, on request.", "ErasureAsked"),
        *(200, _STATE),
    ),
    "go-on": ("Go on against the advice to give up.", "Reasoned", 200, _STATE),
    "conclude": ("The end, and its verdict.", "ConclusionAsked", 200, _STATE),
    "archive": ("Out of the way, or back.", "ArchiveAsked", 200, _STATE),
    "delete": ("Delete a draft or a concluded campaign.", "DeletionAsked", 200, _STATE),
}
_FILES = {
    f"{_ONE}/export.{{ending}}": (
        *("export", "Judgments, blind until the conclusion."),
        *FORMATS.values(),
    ),
    f"{_ONE}/campaign.json": (
        *("campaign_json", "Settings, plan and, at the end, ledger."),
        JSON,
    ),
    f"{_ONE}/backup": ("backup", "All campaigns.", FILE),
    f"{_ONE}/payments.csv": (
        "payments",
        "Judgments, minutes and amounts of raters.",
        FORMATS["csv"],
    ),
    f"{_ONE}/participants.csv": (
        *("participants", "Who came by an open link, as the panel calls them."),
        FORMATS["csv"],
    ),
}
_REPORTED = {
    "ledger": ("ledger", "The ledger of the plan.", "application/jsonl"),
    "page": ("report_page", "The report as one file.", "text/html"),
    "markdown": ("report_markdown", "The report as Markdown.", "text/markdown"),
}
_PRESSED = {
    "open": "Let raters begin, or go on.",
    "pause": "Give out no pages.",
    "stop": "Give out no new work.",
    "close": "Take no more answers, and name the systems without a verdict.",
    "close-link": "Let nobody join any more.",
    "publish": "Let anybody read the report.",
}


def organiser_paths() -> dict[str, Any]:
    """Return what organisers and readers ask."""
    status = ("How a campaign stands.", _ref("Status"), 404, 409)
    report = "The conclusion; for anybody once it is published."
    found: dict[str, Any] = {
        "/api/v1/uploads": {"post": _upload()},
        "/api/v1/new-campaigns/{draft}": {
            "get": _got("typed", "What was typed for a new campaign.", _ref("Draft")),
            "put": _changed("keep_typed", "Keep what was typed.", "Draft", 200, _STATE),
        },
        "/api/v1/campaigns": {
            "get": _got("campaigns", "All campaigns.", {"type": "object"}),
            "post": _changed(
                "make_campaign",
                "Freeze the plan and make the campaign as a draft.",
                *("CampaignAsked", 201, _ref("Made"), 409),
            ),
        },
        "/api/v1/campaigns/check": {
            "post": _changed(
                "check_campaign",
                "What a campaign would be; nothing is kept.",
                *("CampaignAsked", 200, _ref("Checked"), 409),
            )
        },
        "/api/v1/campaigns/preview": {
            "post": _changed(
                "preview_as_rater",
                "What raters would be asked and shown first; nothing is kept.",
                *("CampaignAsked", 200, _PREVIEW, 409),
            )
        },
        _ONE: {"get": _got("campaign", *status)},
        f"{_ONE}/status": {"get": _got("status", *status)},
        f"{_ONE}/events": {"get": _events()},
        f"{_ONE}/raters": {
            "post": _changed(
                *("add_raters", "Links, shown once.", "RatersAsked", 201, _LINKS, 404, 409)
            )
        },
        f"{_ONE}/open-link": {
            "post": _changed(
                "open_link",
                "A link that anybody may open, in place of the one before.",
                *("OpenLinkAsked", 201, _OPEN_LINK, 404, 409),
            )
        },
        f"{_ONE}/raters/{{rater}}": {
            "patch": _changed(
                "change_rater",
                "No more work, work again, no link any more, or a new link.",
                *("RaterAsked", 200, _LINKS, 404, 409),
            )
        },
        **{path: {"get": _file(*said)} for path, said in _FILES.items()},
    }
    page = "/api/v1/reports/{name}/"
    found["/api/v1/reports/{name}"] = {"get": _got("report", report, {}, 404, 409)}
    for word, said in _REPORTED.items():
        found[page + word] = {"get": _file(*said)}
    for word, says in _PRESSED.items():
        answers = _responses(200, _STATE, 401, 403, 404, 409)
        pressed = _operation(
            word.replace("-", "_"), says, answers, by="organiser", parameters=[_HEADER]
        )
        found[f"{_ONE}/{word}"] = {"post": pressed}
    for word, asked in _ASKED.items():
        id = word.rpartition("/")[2].replace("-", "_")
        found[f"{_ONE}/{word}"] = {"post": _changed(id, *asked, 404, 409)}
    for path, operations in found.items():
        names = [part[1:-1] for part in path.replace(".", "/").split("/") if part[:1] == "{"]
        if names:
            operations["parameters"] = [_path_parameter(name) for name in names]
    return found


def _got(id: str, says: str, schema: dict[str, Any], *refused: int) -> dict[str, Any]:
    return _operation(id, says, _responses(200, schema, 401, *refused), by="organiser")


def _changed(
    id: str, says: str, body: str, good: int, schema: dict[str, Any], *refused: int
) -> dict[str, Any]:
    answers = _responses(good, schema, 401, 403, *_BODY, *refused)
    return _operation(id, says, answers, by="organiser", parameters=[_HEADER], body=_ref(body))


def _upload() -> dict[str, Any]:
    answers = _responses(201, _ref("Sent"), 401, 403, *_BODY)
    says = "A file for a new campaign."
    taken: list[dict[str, Any]] = [
        _HEADER,
        {"name": "file", "in": "query", "schema": _WORDS},
    ]
    return _operation("send_file", says, answers, by="organiser", parameters=taken, file=True)


def _file(id: str, says: str, *media: str) -> dict[str, Any]:
    answers = _responses(200, {}, 401, 404, 409)
    content: dict[str, Any] = {one.partition(";")[0]: {} for one in media}
    answers["200"] = {"description": "The file.", "content": content}
    return _operation(id, says, answers, by="organiser")


def _events() -> dict[str, Any]:
    answers = _responses(200, {}, 401, 404, 503)
    answers["200"] = {"description": "A stream.", "content": {"text/event-stream": {}}}
    says = "The status, whenever it changes."
    return _operation("events", says, answers, by="organiser")


def _path_parameter(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"enum": list(FORMATS)} if name == "ending" else _WORDS
    return {"name": name, "in": "path", "required": True, "schema": schema}
