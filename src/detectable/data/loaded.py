"""A table, and what its reader left out."""

from dataclasses import dataclass
from typing import Generic, TypeVar

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
