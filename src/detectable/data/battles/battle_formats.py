"""All formats of battles by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.battles``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.core.registry import USUAL_ORDER, FormatRegistry

if TYPE_CHECKING:
    from detectable.data.battles.battles import Battles
    from detectable.data.files.content import FileContent


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleReader:
    """A format of battles.

    Attributes
    ----------
    name : str
        What users type after ``--format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format, from its beginning.
    read : callable
        Gets the same `FileContent` and returns `Battles`.
    order : int
        Formats with a lower number are asked first.
    is_table : bool
        Whether it is a table, of which `read` takes ``columns`` and ``covariates``.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Battles]"
    order: int = USUAL_ORDER
    is_table: bool = False


# --- All formats of battles by name ---
#
# Those of this package stand in a table; others add theirs through the entry point
# ``detectable.battles``.

BUILT_IN = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:BATTLES",
    "arena": "detectable.data.formats.arena:BATTLES",
    "arena-hard": "detectable.data.formats.arena_hard:BATTLES",
    "mt-bench": "detectable.data.formats.mt_bench:BATTLES",
    "table": "detectable.data.formats.arena:TABLE_OF_BATTLES",
}


def battle_readers() -> FormatRegistry[BattleReader]:
    """Return the formats of battles.

    Examples
    --------
    >>> battle_readers().names()
    ('alpaca-eval', 'arena', 'arena-hard', 'mt-bench', 'table')
    """
    return FormatRegistry("format of battles", "detectable.battles", BUILT_IN, BattleReader)
