"""Names of files that may be handed on: they tell nothing about the machine they were on."""

import os
import re
from typing import TYPE_CHECKING

from detectable.data.files.place import FilePath

if TYPE_CHECKING:
    from pathlib import Path

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
