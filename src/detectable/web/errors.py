"""Refusals: a status, a word for programs, and a sentence for people. Never a trace."""

import math
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.web.strings import text
from detectable.web.templates import render_page

API = "/api/"
# Addresses that programs ask, besides the API.
_PROGRAMS = ("/healthz", "/readyz", "/metrics", "/openapi.json")


class Refused(Exception):
    """A request that cannot be answered, and why."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field
        self.headers: dict[str, str] = {}
        if retry_after is not None:  # seconds
            self.headers["retry-after"] = str(math.ceil(retry_after))


def problem(path: str, refused: Refused) -> Response:
    """Return a refusal as JSON for programs, as a page for people."""
    if path.startswith((API, *_PROGRAMS)):
        said: dict[str, Any] = {"code": refused.code, "message": refused.message}
        if refused.field:
            said["field"] = refused.field
        return JSONResponse(said, refused.status, refused.headers)
    if refused.code == "sign_in":
        return render_page("sign_in.html.j2", status=refused.status)
    return render_page("refused.html.j2", status=refused.status, message=refused.message)


def refused_by_us(request: Request, error: Exception) -> Response:
    """Answer with one of our own refusals."""
    if not isinstance(error, Refused):
        raise error
    return problem(request.url.path, error)


_WORDS = {404: "not_found", 405: "method_not_allowed"}


def refused_by_starlette(request: Request, error: Exception) -> Response:
    """Answer in our form where the router refuses: no such address, no such method."""
    if not isinstance(error, HTTPException):
        raise error
    code = _WORDS.get(error.status_code, "refused")
    made = problem(request.url.path, Refused(error.status_code, code, text(f"refused.{code}")))
    made.headers.update(error.headers or {})
    return made
