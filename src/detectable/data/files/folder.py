"""Folders and patterns: which files are meant, without walking a whole disk."""

import os
import re
from collections.abc import Iterator
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
