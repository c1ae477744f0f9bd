"""Named things to which other packages may add through entry points."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detectable.core.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def at(place: str) -> Any:
    """Import what a table names by its place.

    Examples
    --------
    >>> at("detectable.core.registry:Registry").__name__
    'Registry'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Registry(Generic[T]):
    """Names and the loaders behind them; a loader runs only when its name is asked for."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self._group = group
        self._loaders: dict[str, Callable[[], T]] = {}

    def register(self, name: str, loader: Callable[[], T]) -> None:
        """Add `name`; `loader` returns the thing itself, importing what it needs."""
        if name in self._loaders:
            raise InputError(f"{self.kind} {name!r} is registered twice.")
        self._loaders[name] = loader

    def register_all(self, places: Mapping[str, str]) -> None:
        """Add everything that a table names: ``"package.module:NAME"`` by name."""
        for name, place in places.items():
            self.register(name, partial(at, place))

    def get(self, name: str) -> T:
        """Return the thing called `name`, looking at installed packages as well."""
        if name in self._loaders:
            return self._loaders[name]()
        for entry in entry_points(group=self._group, name=name):
            found: T = entry.load()
            return found
        import difflib  # for a name that is not there

        close = difflib.get_close_matches(name, self.names(), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"no {self.kind} named {name!r}.{hint} Known: {', '.join(self.names())}."
        )

    def names(self) -> tuple[str, ...]:
        """Return all names, built in first, then those of installed packages."""
        installed = sorted({entry.name for entry in entry_points(group=self._group)})
        return (*self._loaders, *(name for name in installed if name not in self._loaders))


# --- What installed packages offer, without a slow import where none offers anything ---

_METADATA = (".dist-info", ".egg-info")


def entry_points(*, group: str, name: str | None = None) -> "Iterable[EntryPoint]":
    """Return the entry points of a group, all of them or those of one name.

    importlib.metadata finds them, and takes longer to import than to ask. So the files that it
    would read are searched for the name of the group first, which nearly always is in none.

    Examples
    --------
    >>> list(entry_points(group="detectable.no-such-group"))
    []
    """
    if not _may_offer(group):
        return ()
    from importlib import metadata

    found = metadata.entry_points(group=group)
    return found if name is None else found.select(name=name)


def _may_offer(group: str) -> bool:
    """Say whether any installed package may have entry points of this group."""
    if any(map(_finds_packages, sys.meta_path)) or any(map(os.path.isfile, sys.path)):
        return True  # a finder, or an archive, into which only importlib can look
    wanted = group.encode()
    return any(wanted in _declared(folder or ".") for folder in sys.path)


def _finds_packages(finder: object) -> bool:
    """Say whether a finder knows packages that stand in no folder of the path."""
    return finder is not PathFinder and hasattr(finder, "find_distributions")


def _declared(folder: str) -> bytes:
    """Return what the packages of a folder declare."""
    try:
        now = os.stat(folder)
    except OSError:  # a folder of the path need not exist
        return b""
    return _searched(folder, (now.st_dev, now.st_ino, now.st_mtime_ns))


@lru_cache(maxsize=64)  # who reads a thousand files asks a thousand times
def _searched(folder: str, _state: tuple[int, ...]) -> bytes:
    """Return what the packages of a folder declare, once for each state that it is in."""
    found = []
    try:
        entries = [entry.path for entry in os.scandir(folder) if entry.name.endswith(_METADATA)]
    except OSError:  # a file, or a folder that may not be read
        return b""
    for path in entries:
        try:
            with open(os.path.join(path, "entry_points.txt"), "rb") as file:
                found.append(file.read())
        except OSError:  # most packages declare nothing
            continue
    return b"\n".join(found)
