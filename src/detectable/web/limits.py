"""How much a request may hold, and how long it may take to arrive."""

import asyncio
import hashlib
import math
from collections.abc import Mapping

from starlette.requests import ClientDisconnect, Request

from detectable.web.errors import Refused
from detectable.web.per_minute import PerMinute
from detectable.web.strings import text

JSON_BODY = 256 * 1024  # bytes
FILE_BODY = 16 * 1024 * 1024
_SECONDS = 30.0  # for a body to arrive
REQUESTS = 600  # of one link within a minute: two for every page, at ten texts a second


async def body_of(request: Request, *, limit: int, media: str) -> bytes:
    """Return the body of a request, refused as soon as it is too large, late or of another kind."""
    require_media(request, media, limit)
    try:
        async with asyncio.timeout(_SECONDS):
            return await _read(request, limit)
    except TimeoutError:
        raise Refused(408, "too_slow", text("refused.slow")) from None
    except ClientDisconnect:
        raise Refused(400, "gone", text("refused.slow")) from None


def require_media(request: Request, media: str, limit: int) -> None:
    """Refuse a body that says it is of another kind, or too large."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media:
        raise Refused(415, "wrong_media", text("refused.media", wanted=media))
    if _declared(request.headers) > limit:
        raise too_large(limit)


async def _read(request: Request, limit: int) -> bytes:
    parts = bytearray()
    async for chunk in request.stream():
        parts += chunk
        if len(parts) > limit:
            raise too_large(limit)
    return bytes(parts)


def _declared(headers: Mapping[str, str]) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def require_pace(counts: PerMinute, secret: str) -> None:
    """Count a request of a link, and refuse one too many; the link itself is not remembered."""
    key = hashlib.sha256(secret.encode()).hexdigest()
    wait = counts.wait(key)
    if wait > 0.0:
        said = text("refused.too_fast", seconds=math.ceil(wait))
        raise Refused(429, "too_fast", said, retry_after=wait)
    counts.note(key)


def too_large(limit: int) -> Refused:
    """Return the refusal of a body that is too large."""
    return Refused(413, "too_large", text("refused.too_large", limit=_size(limit)))


def _size(limit: int) -> str:
    """Return a limit in words.

    Examples
    --------
    >>> _size(JSON_BODY), _size(FILE_BODY)
    ('256 KiB', '16 MiB')
    """
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
