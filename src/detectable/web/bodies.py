"""Bodies of requests, read into what they should be."""

from typing import TypeVar

import msgspec
from starlette.requests import Request

from detectable.web.errors import Refused
from detectable.web.limits import JSON_BODY, body_of
from detectable.web.strings import text

T = TypeVar("T")
JSON = "application/json"


async def json_of(request: Request, kind: type[T]) -> T:
    """Return the JSON body of a request, or refuse it."""
    body = await body_of(request, limit=JSON_BODY, media=JSON)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise Refused(422, "no_json", text("refused.no_json")) from None
