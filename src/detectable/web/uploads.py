"""Files that an organiser sends for a new campaign: streamed to disk, kept until it is made.

The name that a browser sends is only shown again. The file itself has a random name in a folder of
the server's own, which is gone with the server.
"""

import asyncio
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from starlette.requests import ClientDisconnect, Request

from detectable.core.harmless import in_one_line
from detectable.web.errors import Refused
from detectable.web.limits import require_media, too_large
from detectable.web.strings import text

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
