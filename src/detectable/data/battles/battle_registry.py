"""All formats of battles by name.

Those of this package stand in a table; others add theirs through the entry point
``detectable.battles``.
"""

from detectable.data.battles.battle_reader import BattleReader
from detectable.data.format_registry import FormatRegistry

BUILT_IN = {
    "alpaca-eval": "detectable.data.battles.readers.alpaca_eval:READER",
    "arena": "detectable.data.battles.readers.arena:READER",
    "arena-hard": "detectable.data.battles.readers.arena_hard:READER",
    "mt-bench": "detectable.data.battles.readers.mt_bench:READER",
    "table": "detectable.data.battles.readers.table:READER",
}


def battle_readers() -> FormatRegistry[BattleReader]:
    """Return the formats of battles.

    Examples
    --------
    >>> battle_readers().names()
    ('alpaca-eval', 'arena', 'arena-hard', 'mt-bench', 'table')
    """
    return FormatRegistry("format of battles", "detectable.battles", BUILT_IN, BattleReader)
