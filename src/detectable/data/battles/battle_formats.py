"""All formats of battles by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.battles``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.data.reader import FormatRegistry, Reader

if TYPE_CHECKING:
    from detectable.data.battles.battles import Battles  # noqa: F401 (named in quotes below)

BUILT_IN = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:BATTLES",
    "arena": "detectable.data.formats.arena:BATTLES",
    "arena-hard": "detectable.data.formats.arena_hard:BATTLES",
    "mt-bench": "detectable.data.formats.mt_bench:BATTLES",
    "table": "detectable.data.formats.arena:TABLE_OF_BATTLES",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleReader(Reader["Battles"]):
    """A format of battles: a `Reader` that returns `Battles`.

    Attributes
    ----------
    is_table : bool
        Whether it is a table, of which `read` takes ``columns`` and ``covariates``.
    """

    is_table: bool = False


def battle_readers() -> FormatRegistry[BattleReader]:
    """Return the formats of battles.

    Examples
    --------
    >>> battle_readers().names()
    ('alpaca-eval', 'arena', 'arena-hard', 'mt-bench', 'table')
    """
    return FormatRegistry("battles", BUILT_IN, BattleReader)
