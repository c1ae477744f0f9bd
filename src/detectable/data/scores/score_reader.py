"""What a format of scores is: a name, how it is recognised, how it is read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from detectable.data.format_registry import USUAL_ORDER

if TYPE_CHECKING:  # so that a list of all formats costs nothing
    from detectable.data.files.content import FileContent
    from detectable.data.loaded import Loaded
    from detectable.data.scores.scores import Scores

Option: TypeAlias = Literal["columns", "errors", "filter", "language_pair", "layout", "quoted"]


class Found(NamedTuple):
    """The files of a folder by system, and what was left out of it."""

    systems: Mapping[str, Sequence[Path]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReader:
    """A format of scores.

    Attributes
    ----------
    name : str
        What users type after ``--score-format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets a file, or a mapping of system to files (its runs, or its tasks), and by name
        ``metric`` and ``systems``; returns ``Loaded[Scores]``.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    takes : tuple of str
        Options that `read` takes besides ``metric`` and ``systems``.
    find : callable, optional
        Gets a folder and returns the files of this format in it by system (`Found`), none where
        there are none. Formats without it are read file by file.
    names_systems : bool
        Whether a file names its systems itself, so that it cannot be given for one of them.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Loaded[Scores]]"
    order: int = USUAL_ORDER
    takes: tuple[Option, ...] = ()
    find: "Callable[[Path], Found] | None" = None
    names_systems: bool = False
