"""All formats of judgments by name.

Built in is every file in the folder ``readers``. Other packages add theirs through the entry point
``detectable.judgments``.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from detectable.core.errors import DataError, InputError
from detectable.core.registry import Registry
from detectable.data.human import readers
from detectable.data.human.judgment_reader import JudgmentReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent


def judgment_readers() -> Registry[JudgmentReader]:
    """Return the formats of judgments; a file is imported only when its format is asked for.

    Examples
    --------
    >>> "esa" in judgment_readers().names()
    True
    """
    registry: Registry[JudgmentReader] = Registry("format of judgments", "detectable.judgments")
    for module in sorted(pkgutil.iter_modules(readers.__path__), key=lambda found: found.name):
        registry.register(module.name.replace("_", "-"), _loader(module.name))
    return registry


def find_reader(content: "FileContent") -> JudgmentReader:
    """Return the first reader, in their order, that recognises a file or folder.

    What fits no other format is taken for a table, whose reader says what it misses.
    """
    if not (content.is_folder or content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with judgments.")
    for reader in readers_in_order():
        if reader.recognise(content):
            return reader
    raise DataError(
        f"{content}: this is a folder without xlsx files. Name a file, or the format."
    )


def readers_in_order() -> list[JudgmentReader]:
    """Return all readers in the order in which they are asked."""
    registry: Registry[object] = judgment_readers()  # type: ignore[assignment]  # checked below
    found = []
    for name in registry.names():
        try:
            reader = registry.get(name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"the format of judgments {name!r} cannot be loaded ({error}). Repair or remove "
                "the package that provides it."
            ) from error
        if not isinstance(reader, JudgmentReader) or reader.name != name:
            raise InputError(
                f"the format of judgments {name!r} must be a JudgmentReader of that name; got "
                f"{reader!r}. Correct the package that provides it."
            )
        found.append(reader)
    return sorted(found, key=lambda reader: (reader.order, reader.name))


def _loader(module: str) -> Callable[[], JudgmentReader]:
    def load() -> JudgmentReader:
        found: JudgmentReader = import_module(f"{readers.__name__}.{module}").READER
        return found

    return load
