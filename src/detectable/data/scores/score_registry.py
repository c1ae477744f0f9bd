"""All formats of scores by name.

Built in is every file in the folder ``readers``. Other packages add theirs through the entry point
``detectable.scores``.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from detectable.core.errors import DataError, InputError
from detectable.core.registry import Registry
from detectable.data.scores import readers
from detectable.data.scores.score_reader import ScoreReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent


def score_readers() -> Registry[ScoreReader]:
    """Return the formats of scores; a file is imported only when its format is asked for.

    Examples
    --------
    >>> "comet" in score_readers().names()
    True
    """
    registry: Registry[ScoreReader] = Registry("format of scores", "detectable.scores")
    for module in sorted(pkgutil.iter_modules(readers.__path__), key=lambda found: found.name):
        registry.register(module.name.replace("_", "-"), _loader(module.name))
    return registry


def score_readers_in_order() -> list[ScoreReader]:
    """Return all readers in the order in which they are asked."""
    registry: Registry[object] = score_readers()  # type: ignore[assignment]  # checked below
    found = []
    for name in registry.names():
        try:
            reader = registry.get(name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"the format of scores {name!r} cannot be loaded ({error}). Repair or remove the "
                "package that provides it."
            ) from error
        if not isinstance(reader, ScoreReader) or reader.name != name:
            raise InputError(
                f"the format of scores {name!r} must be a ScoreReader of that name; got "
                f"{reader!r}. Correct the package that provides it."
            )
        found.append(reader)
    return sorted(found, key=lambda reader: (reader.order, reader.name))


def find_score_reader(content: "FileContent") -> ScoreReader:
    """Return the first reader, in their order, that recognises a file."""
    if not (content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with scores.")
    in_order = score_readers_in_order()
    for reader in in_order:
        if reader.recognise(content):
            return reader
    known = "; ".join(f"{reader.name}: {reader.about}" for reader in in_order)
    raise DataError(
        f"{content}: the format of the scores cannot be told. Choose it with format=…. "
        f"Known are {known}."
    )


def _loader(module: str) -> Callable[[], ScoreReader]:
    def load() -> ScoreReader:
        found: ScoreReader = import_module(f"{readers.__name__}.{module}").READER
        return found

    return load
