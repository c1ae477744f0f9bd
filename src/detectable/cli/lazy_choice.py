"""A choice whose words are fetched when they are needed, so that ``--help`` of others loads nothing."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

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
    always : tuple of str
        Words beside these, which come first and are taken without a look at the others: a default
        should cost nothing.

    Examples
    --------
    >>> LazyChoice(lambda: ("red", "green")).convert("red", None, None)
    'red'
    """

    def __init__(
        self, fetch: Callable[[], Iterable[str]], *, always: tuple[str, ...] = ()
    ) -> None:
        # Not that of `Choice`, which would take the words at once.
        self._fetch = fetch
        self._always = always
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # fetched, never set
        """The words as they are now."""
        return (*self._always, *self._fetch())

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return a word that exists."""
        return str(value) if value in self._always else super().convert(value, param, ctx)
