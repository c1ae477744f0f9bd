"""What a format of battles is: a name, how it is recognised, how it is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.data.format_registry import USUAL_ORDER

if TYPE_CHECKING:  # so that a list of all formats costs nothing
    from detectable.data.battles.battles import Battles
    from detectable.data.files.content import FileContent


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleReader:
    """A format of battles.

    Attributes
    ----------
    name : str
        What users type after ``--format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format, from its beginning.
    read : callable
        Gets the same `FileContent` and returns `Battles`.
    order : int
        Formats with a lower number are asked first.
    is_table : bool
        Whether it is a table, of which `read` takes ``columns`` and ``covariates``.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Battles]"
    order: int = USUAL_ORDER
    is_table: bool = False
