"""Which files were read and what was in them, by names that may be handed on."""

import contextlib
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.data.files.place import FilePath

if TYPE_CHECKING:
    from pathlib import Path

_BINARY = (b"PAR1", b"PK\x03\x04")  # Parquet, and ZIP as xlsx is


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read.

    Attributes
    ----------
    path : str
        As seen from the working folder.
    sha256 : str
        Of the file as it lies on the disk, compressed or not.
    rows : int or None
        Lines of the content, the heading of a table included; None where it has none.
    """

    path: str
    sha256: str
    rows: int | None


_noted: ContextVar[dict[str, InputFile] | None] = ContextVar("inputs", default=None)


@contextlib.contextmanager
def noted_inputs() -> Iterator[dict[str, InputFile]]:
    """Note the files that are read in here, by their full names and in the order of reading.

    Whoever notes files around this gets them too.
    """
    found: dict[str, InputFile] = {}
    outer = _noted.get()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)
        if outer is not None:
            outer.update(found)


@contextlib.contextmanager
def unnoted_inputs() -> Iterator[None]:
    """Read back what was just written: it is no input."""
    token = _noted.set(None)
    try:
        yield
    finally:
        _noted.reset(token)


def note_input(path: FilePath, raw: bytes, content: bytes) -> None:
    """Note a file that was read, if somebody asks; its bytes, and what they unpack to."""
    digest = Digest(path)
    digest.add(raw)
    digest.note(_rows(content) if digest.asked else None)


class Digest:
    """What is noted of a file that is read in pieces; nothing, where nobody asks."""

    def __init__(self, path: FilePath) -> None:
        self._path = path
        self._found = _noted.get()
        self._hash = None
        if self._found is not None:
            import hashlib  # only where it is asked for: it brings all of OpenSSL

            self._hash = hashlib.sha256()

    @property
    def asked(self) -> bool:
        """Whether somebody asks."""
        return self._found is not None

    def add(self, raw: bytes) -> None:
        """Take the next bytes of the file."""
        if self._hash is not None:
            self._hash.update(raw)

    def note(self, rows: int | None) -> None:
        """Note the file, when all its bytes were taken."""
        if self._found is not None and self._hash is not None:
            name = os.path.abspath(self._path)
            self._found[name] = InputFile(shareable(self._path), self._hash.hexdigest(), rows)


def _rows(content: bytes) -> int | None:
    """Return the number of lines; a last one without end counts."""
    if content.startswith(_BINARY):
        return None
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


# --- Names of files that may be handed on: they tell nothing about the machine they were on ---

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_BETWEEN = re.compile(r"([=,])")  # of the parts of a word: name=first,second


def shareable(path: FilePath) -> str:
    """Return the name of a file as seen from the working folder.

    What lies in another corner of the disk goes by its last name alone: the way there would name
    folders that are nobody's business. What comes with this package is named from there on.

    Examples
    --------
    >>> shareable("out/../a.txt"), shareable(os.path.abspath("a.txt")), shareable("")
    ('a.txt', 'a.txt', '')
    """
    if not os.fspath(path):
        return ""
    full, here = os.path.abspath(path), os.getcwd()
    if full.startswith(("/dev/", "/proc/")):  # standard input, or <(zcat …)
        return full
    if full.startswith(_PACKAGE + os.sep):
        return os.path.relpath(full, os.path.dirname(_PACKAGE)).replace(os.sep, "/")
    try:
        shared = os.path.commonpath([full, here])
    except ValueError:  # another drive
        return os.path.basename(full)
    if shared != here and shared in (os.path.dirname(shared), *_crossroads()):
        return os.path.basename(full)
    return os.path.relpath(full, here).replace(os.sep, "/")


def place_of(name: str, folder: FilePath) -> "Path":
    """Return where a file lies whose `shareable` name was noted in a command run from `folder`.

    Examples
    --------
    >>> place_of("../data/a.txt", "/evals/june").as_posix()
    '/evals/june/../data/a.txt'
    """
    from pathlib import Path, PurePath

    if PurePath(name).parts[:1] == (os.path.basename(_PACKAGE),):
        bundled = Path(os.path.dirname(_PACKAGE), name)
        if bundled.exists():
            return bundled
    return Path(folder, name)


def _crossroads() -> tuple[str, str]:
    """Return folders where the folders of strangers meet: of homes, and of temporary files."""
    import tempfile  # nothing else here needs it

    return os.path.dirname(os.path.expanduser("~")), os.path.abspath(tempfile.gettempdir())


def shareable_word(word: str) -> str:
    """Return a word of a command with whole paths in it made `shareable`; other words as they are.

    Examples
    --------
    >>> shareable_word(f"new={os.path.abspath('a.txt')},b.txt"), shareable_word("--seed")
    ('new=a.txt,b.txt', '--seed')
    """
    return "".join(
        shareable(part) if os.path.isabs(part) else part for part in _BETWEEN.split(word)
    )
