"""A choice whose words are fetched when they are needed, so that ``--help`` of others loads nothing."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older versions of click know no `Choice[str]`


class LazyChoice(_Choice):
    """A ``click.Choice`` of words that stand in a table or a registry.

    They are fetched anew at every use: when a value is parsed, when help is shown and when a shell
    completes a word. What is registered in between is offered too.

    Parameters
    ----------
    fetch : callable
        Returns the words; imports what it needs when called.

    Examples
    --------
    >>> LazyChoice(lambda: ("red", "green")).convert("red", None, None)
    'red'
    """

    def __init__(self, fetch: Callable[[], Iterable[str]]) -> None:
        # Not that of `Choice`, which would take the words at once.
        self._fetch = fetch
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # fetched, never set
        """The words as they are now."""
        return tuple(self._fetch())
