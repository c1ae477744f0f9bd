"""Named things that third parties may add through package entry points."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Generic, TypeVar

from detectable.core.entry_points import entry_points
from detectable.core.errors import InputError

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
