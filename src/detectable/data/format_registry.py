"""Formats of files, a row each in a table; other packages add theirs through entry points."""

from collections.abc import Mapping
from typing import Protocol, TypeVar

from detectable.core.errors import InputError
from detectable.core.registry import Registry

USUAL_ORDER = 100  # after the formats that come with this package, which a plug-in cannot hide
LAST = 1000  # the table, which takes what nobody else recognises


class Format(Protocol):
    """What every format has."""

    @property
    def name(self) -> str:
        """What users type."""

    @property
    def order(self) -> int:
        """Formats with a lower number are asked first; among equals the alphabet decides."""


T = TypeVar("T", bound=Format)


class FormatRegistry(Registry[T]):
    """The formats of one kind; a module is imported only when its format is asked for.

    Parameters
    ----------
    kind, group : str
        What they are called in messages, and the entry point of other packages.
    table : mapping of str to str
        Where each reader is, by its name: ``"package.module:NAME"``.
    of : type
        What every reader must be.
    """

    def __init__(self, kind: str, group: str, table: Mapping[str, str], of: type[T]) -> None:
        super().__init__(kind, group)
        self._of = of
        self.register_all(table)

    def in_order(self) -> list[T]:
        """Return all readers in the order in which they are asked."""
        found = [self._checked(name) for name in self.names()]
        return sorted(found, key=lambda reader: (reader.order, reader.name))

    def _checked(self, name: str) -> T:
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
