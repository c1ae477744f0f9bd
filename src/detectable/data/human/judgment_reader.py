"""What a format of human judgments is: a name, how it is recognised, how it is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from detectable.data.format_registry import USUAL_ORDER

if TYPE_CHECKING:  # so that a list of all formats costs nothing
    from detectable.data.files.content import FileContent
    from detectable.data.human.judgments import Judgments

Option: TypeAlias = Literal["columns", "progress", "source_errors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentReader:
    """A format of human judgments.

    Attributes
    ----------
    name : str
        What users type after ``--format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets the same `FileContent`, and by name ``scale`` and ``repeated`` where the user gave
        them; returns `Judgments`. Each has a default, which is that of the format.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    takes : tuple of {'columns', 'progress', 'source_errors'}
        Options that `read` takes besides ``scale`` and ``repeated``: which column is what, whom
        to tell about progress, and what errors of the source cost in MQM.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Judgments]"
    order: int = USUAL_ORDER
    takes: tuple[Option, ...] = ()
