"""Folders and patterns: which files are meant, without walking a whole disk."""

import contextlib
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath

if TYPE_CHECKING:
    from pathlib import Path

_DEEPEST = 3  # levels below the folder: a release, a campaign, a system
DEEP = 6  # levels of harness folders: details, organisation, model, date
_MOST = 20_000  # entries; the largest release that is known has some hundreds


def is_folder(path: FilePath) -> bool:
    """Say whether there is a folder; a name that no system could hold is none."""
    return os.path.isdir(path)  # unlike Path.is_dir, it never raises


def files_below(folder: FilePath, pattern: str, *, levels: int = _DEEPEST) -> "list[Path]":
    """Return the files whose names match a pattern in a folder and the levels below it, in order.

    Symbolic links to folders are not followed.

    Raises
    ------
    DataError
        If the folder cannot be read, or holds so much that it cannot be one data set.
    """
    from fnmatch import fnmatchcase

    return sorted(
        path
        for number, path in enumerate(_walk(folder, levels))
        if _counted(folder, number) and fnmatchcase(path.name, pattern)
    )


def names_in(folder: FilePath) -> list[str]:
    """Return the names in a folder, in order; none if there is no such folder."""
    if not is_folder(folder):
        return []
    try:
        return sorted(_readable(folder, name) for name in os.listdir(folder))
    except OSError as error:
        raise DataError(f"{folder}: the folder cannot be read ({error.strerror}).") from error


def _walk(folder: FilePath, levels: int) -> "Iterator[Path]":
    def stop(error: OSError) -> None:
        raise DataError(
            f"{error.filename}: the folder cannot be read ({error.strerror})."
        ) from error

    from pathlib import Path

    top = os.fspath(folder).rstrip(os.sep)
    for where, folders, files in os.walk(top or os.sep, onerror=stop):
        yield from (Path(where, _readable(where, name)) for name in files)
        if where[len(top) :].count(os.sep) >= levels:
            folders.clear()


def _readable(folder: FilePath, name: str) -> str:
    """Refuse a name that no result and no message could repeat."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{folder}: the name {name!a} is not UTF-8. Rename it.") from error
    return name


def _counted(folder: FilePath, number: int) -> bool:
    if number >= _MOST:
        raise DataError(
            f"{folder}: there are more than {_MOST:,} files in this folder and those below it. "
            "Name the folder of one data set."
        )
    return True


# --- Files by a pattern: ``seed*.en`` ---

_DIGITS = re.compile(r"(\d+)")
_MAGIC = re.compile(r"[*?[]")


def expand(pattern: str) -> list[str]:
    """Return the files that a pattern stands for, numbers in order; a plain name is itself.

    Shells do not expand ``name=seed*.en``, so that we have to. A file that is really called like
    the pattern is meant by it.

    Examples
    --------
    >>> expand("out/seed1.en")
    ['out/seed1.en']
    """
    if not _MAGIC.search(pattern) or os.path.exists(pattern):
        return [pattern]
    import glob

    found = sorted(glob.glob(pattern, recursive=True), key=_natural)
    if not found:
        raise DataError(
            f"{pattern}: no file has such a name. Check the pattern; a relative one starts at "
            f"{os.getcwd()}."
        )
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that puts seed2 before seed10."""
    parts = _DIGITS.split(name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


# --- Which files were read and what was in them, by names that may be handed on ---

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
