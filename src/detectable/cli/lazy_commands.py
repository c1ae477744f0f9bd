"""Commands that are imported when they are called, so that each loads only its own module."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module

import click


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of a group, each made at its first use.

    Parameters
    ----------
    makers : mapping of str to callable
        What makes the command of a name, in the order in which help lists them.

    Examples
    --------
    >>> commands = LazyCommands({"quiet": lambda: click.Command("quiet")})
    >>> list(commands), commands["quiet"].name
    (['quiet'], 'quiet')
    """

    def __init__(self, makers: Mapping[str, Callable[[], click.Command]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        """Return a command; make it if this is its first use."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        """Add a command that is there already."""
        self._makers[name] = lambda: command
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        """Take a command out."""
        del self._makers[name]
        self._made.pop(name, None)

    def __contains__(self, name: object) -> bool:
        """Say whether there is such a command, without making it."""
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Go through the names; nothing is made."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len(self._makers)


def imported(module: str, attribute: str) -> Callable[[], click.Command]:
    """Return what imports a command from the module that defines it."""

    def make() -> click.Command:
        command: click.Command = getattr(import_module(module), attribute)
        return command

    return make
