"""A table, and what its reader left out."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from detectable.core.errors import InputError

Table = TypeVar("Table")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Table]):
    """What a reader returns if it may leave something out.

    Attributes
    ----------
    table : Corpus or Scores
        The data.
    notes : tuple of str
        One sentence for everything that was skipped, missing or renamed, with its count and
        its name. Empty when the table holds all that the files hold.

    Examples
    --------
    >>> Loaded("a table", ("2 segments of 1 test suite were skipped.",)).notes
    ('2 segments of 1 test suite were skipped.',)
    """

    table: Table
    notes: tuple[str, ...] = ()


def refuse_loaded(value: object, name: str) -> None:
    """Refuse what a reader returned in the place of its table: its notes would be lost.

    Examples
    --------
    >>> refuse_loaded(Loaded("a table"), "data")
    Traceback (most recent call last):
        ...
    detectable.core.errors.InputError: `data` must be a table; got all that a reader returned. \
Give its `.table`; its `.notes` say what was left out.
    """
    if isinstance(value, Loaded):
        raise InputError(
            f"`{name}` must be a table; got all that a reader returned. Give its `.table`; its "
            "`.notes` say what was left out."
        )
