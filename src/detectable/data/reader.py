"""Readers of files: what a format is, and how that of a file is found.

Loaded before numpy: ``--help`` lists the names of the formats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detectable.core.errors import DataError, InputError
from detectable.core.registry import Registry

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent

Table = TypeVar("Table")

# Formats of files, a row each in a table; other packages add theirs through entry points.
AUTO = "auto"  # what users type who leave it to the file
TABLE = "table"  # the format that takes what nobody else recognises
USUAL_ORDER = 100  # after the formats that come with this package, which a plug-in cannot hide
LAST = 1000  # of the table


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(Generic[Table]):
    """A format of files: how one is recognised, and how it is read.

    Attributes
    ----------
    name : str
        What users type after ``--format`` or ``--score-format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets the same `FileContent` and returns the table.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: Callable[..., Table]
    order: int = USUAL_ORDER


R = TypeVar("R", bound=Reader[Any])


class FormatRegistry(Registry[R]):
    """The formats of one kind of data; a module is imported only when its format is asked for.

    Parameters
    ----------
    what : str
        What the files hold, in messages and in the entry point of other packages.
    table : mapping of str to str
        Where each reader is, by its name: ``"package.module:NAME"``.
    of : type
        What every reader must be.
    """

    def __init__(self, what: str, table: Mapping[str, str], of: type[R]) -> None:
        super().__init__(f"format of {what}", f"detectable.{what}")
        self._what = what
        self._of = of
        self.register_all(table)

    def in_order(self) -> list[R]:
        """Return all readers in the order in which they are asked."""
        found = [self._checked(name) for name in self.names()]
        return sorted(found, key=lambda reader: (reader.order, reader.name))

    def named(self, format: str) -> R | None:
        """Return the reader that a user names; None for ``auto``, where the file tells it."""
        if format == AUTO:
            return None
        from detectable.core import check  # which loads numpy

        return self.get(check.one_of(format, (AUTO, *self.names()), "format"))

    def find(self, content: "FileContent", *, any_table: bool = True) -> R | None:
        """Return the first reader, in their order, that recognises a file or folder, if one does.

        Without `any_table`, the format ``table`` is not asked, which takes what nobody else knows.
        """
        for reader in self.in_order():
            if (any_table or reader.name != TABLE) and reader.recognise(content):
                return reader
        return None

    def refuse_empty(self, content: "FileContent") -> None:
        """Refuse a file that holds nothing."""
        if content.is_empty:
            raise DataError(f"{content}: the file is empty. Give a file with {self._what}.")

    def _checked(self, name: str) -> R:
        try:
            reader: object = self.get(name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"the {self.kind} {name!r} cannot be loaded ({error}). Repair or remove the "
                "package that provides it."
            ) from error
        if not isinstance(reader, self._of) or reader.name != name:
            raise InputError(
                f"the {self.kind} {name!r} must be a {self._of.__name__} of that name; got "
                f"{reader!r}. Correct the package that provides it."
            )
        return reader
