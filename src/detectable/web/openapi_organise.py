"""The part of the description that is for organisers and readers."""

from collections.abc import Callable
from typing import Any

from detectable.web.campaign_asked import CampaignAsked, Checked, Made, Sent
from detectable.web.campaign_status import Status
from detectable.web.exports import FORMATS
from detectable.web.organise import (
    ConclusionAsked,
    ErasureAsked,
    LookAsked,
    RaterAsked,
    RatersAsked,
    Reasoned,
    VoidAsked,
)

TYPES: tuple[type, ...] = (
    CampaignAsked,
    Checked,
    Made,
    Sent,
    Status,
    ConclusionAsked,
    ErasureAsked,
    LookAsked,
    RaterAsked,
    RatersAsked,
    Reasoned,
    VoidAsked,
)
_JSON, _FILE = "application/json", "application/octet-stream"
_ONE = "/api/v1/campaigns/{name}"
_BODY = (400, 408, 413, 415, 422)  # what a body can be refused for
_WORDS = {"type": "string"}
_LINKS = {
    "type": "object",
    "required": ["links"],
    "properties": {
        "links": {
            "type": "array",
            "items": {"type": "object", "properties": {"rater": _WORDS, "link": _WORDS}},
        }
    },
}
_STATE = {"type": "object", "required": ["state"], "properties": {"state": _WORDS}}
Responses = Callable[..., dict[str, Any]]


def organiser_paths(header: dict[str, Any], responses: Responses) -> dict[str, Any]:
    """Return what organisers and readers ask.

    Parameters
    ----------
    header : mapping
        The parameter that every request that changes something carries.
    responses : callable
        Makes the answers of an operation: the good one, its schema, and the refusals.
    """
    made = _Operations(header, responses)
    found: dict[str, Any] = {
        "/api/v1/uploads": {"post": made.upload()},
        "/api/v1/campaigns": {
            "get": made.read("campaigns", "All campaigns.", {"type": "object"}),
            "post": made.change(
                "make_campaign",
                "Freeze the plan and make the campaign as a draft.",
                "CampaignAsked",
                (201, _ref("Made")),
                409,
            ),
        },
        "/api/v1/campaigns/check": {
            "post": made.change(
                "check_campaign",
                "What a campaign would be; nothing is kept.",
                "CampaignAsked",
                (200, _ref("Checked")),
                409,
            )
        },
        _ONE: {
            "get": made.read("campaign", "How a campaign stands.", _ref("Status"), 404, 409)
        },
        f"{_ONE}/status": {
            "get": made.read("status", "How a campaign stands.", _ref("Status"), 404, 409)
        },
        f"{_ONE}/events": {"get": made.events()},
        f"{_ONE}/raters": {
            "post": made.change(
                "add_raters", "Links, shown once.", "RatersAsked", (201, _LINKS), 404, 409
            )
        },
        f"{_ONE}/raters/{{rater}}": {
            "patch": made.change(
                "change_rater",
                "No more work, work again, no link any more, or a new link.",
                "RaterAsked",
                (200, _LINKS),
                404,
                409,
            )
        },
        f"{_ONE}/export.{{ending}}": {
            "get": made.file(
                "export", "Judgments, blind until the conclusion.", *FORMATS.values()
            )
        },
        f"{_ONE}/campaign.json": {
            "get": made.file("campaign_json", "Settings, plan and, at the end, ledger.", _JSON)
        },
        f"{_ONE}/backup": {"get": made.file("backup", "All campaigns.", _FILE)},
        f"{_ONE}/payments.csv": {
            "get": made.file("payments", "Blocks and minutes of raters.", FORMATS["csv"])
        },
        "/api/v1/reports/{name}": {
            "get": made.read(
                "report", "The conclusion; for anybody once it is published.", {}, 404, 409
            )
        },
        "/api/v1/reports/{name}/ledger": {
            "get": made.file("ledger", "The ledger of the plan.", "application/jsonl")
        },
        "/api/v1/reports/{name}/page": {
            "get": made.file("report_page", "The report as one file.", "text/html")
        },
    }
    for word, says in (
        ("open", "Let raters begin, or go on."),
        ("pause", "Give out no pages."),
        ("stop", "Give out no new work."),
        ("publish", "Let anybody read the report."),
    ):
        found[f"{_ONE}/{word}"] = {"post": made.press(word, says)}
    for word, says, body, answer in (
        ("looks", "Look now.", "LookAsked", (201, {"type": "object"})),
        (
            "unblind",
            "Write down who wants to see the systems, and why.",
            "Reasoned",
            (200, _STATE),
        ),
        (
            "raters/{rater}/void",
            "Work of a rater does not count, for a reason that is no score.",
            "VoidAsked",
            (200, _STATE),
        ),
        (
            "raters/{rater}/erase",
            "Delete the judgments of a rater, on request.",
            "ErasureAsked",
            (200, _STATE),
        ),
        ("go-on", "Go on against the advice to give up.", "Reasoned", (200, _STATE)),
        ("conclude", "The end, and its verdict.", "ConclusionAsked", (200, _STATE)),
    ):
        id = word.rpartition("/")[2].replace("-", "_")
        operation = made.change(id, says, body, answer, 404, 409)
        found[f"{_ONE}/{word}"] = {"post": operation}
    for path, operations in found.items():
        names = [part[1:-1] for part in path.replace(".", "/").split("/") if part[:1] == "{"]
        if names:
            operations["parameters"] = [_path_parameter(name) for name in names]
    return found


class _Operations:
    """Makes operations that need a session."""

    def __init__(self, header: dict[str, Any], responses: Responses) -> None:
        self._header, self._responses = header, responses

    def read(self, id: str, says: str, schema: dict[str, Any], *refused: int) -> dict[str, Any]:
        return self._one(id, says, self._responses(200, schema, 401, *refused))

    def press(self, id: str, says: str) -> dict[str, Any]:
        answers = self._responses(200, _STATE, 401, 403, 404, 409)
        return self._one(id, says, answers) | {"parameters": [self._header]}

    def change(
        self, id: str, says: str, body: str, answer: tuple[int, dict[str, Any]], *refused: int
    ) -> dict[str, Any]:
        answers = self._responses(*answer, 401, 403, *_BODY, *refused)
        return self._one(id, says, answers) | {
            "parameters": [self._header],
            "requestBody": {"required": True, "content": {_JSON: {"schema": _ref(body)}}},
        }

    def upload(self) -> dict[str, Any]:
        answers = self._responses(201, _ref("Sent"), 401, 403, *_BODY)
        file = {"name": "file", "in": "query", "schema": _WORDS}
        binary = {"schema": {"type": "string", "format": "binary"}}
        return self._one("send_file", "A file for a new campaign.", answers) | {
            "parameters": [self._header, file],
            "requestBody": {"required": True, "content": {_FILE: binary}},
        }

    def file(self, id: str, says: str, *media: str) -> dict[str, Any]:
        answers = self._responses(200, {}, 401, 404, 409)
        content: dict[str, Any] = {one.partition(";")[0]: {} for one in media}
        answers["200"] = {"description": "The file.", "content": content}
        return self._one(id, says, answers)

    def events(self) -> dict[str, Any]:
        answers = self._responses(200, {}, 401, 404, 503)
        answers["200"] = {"description": "A stream.", "content": {"text/event-stream": {}}}
        return self._one("events", "The status, whenever it changes.", answers)

    def _one(self, id: str, says: str, answers: dict[str, Any]) -> dict[str, Any]:
        return {
            "operationId": id,
            "summary": says,
            "security": [{"organiser": []}],
            "responses": answers,
        }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _path_parameter(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"enum": list(FORMATS)} if name == "ending" else _WORDS
    return {"name": name, "in": "path", "required": True, "schema": schema}
