"""All formats of battles by name.

Built in is every file in the folder ``readers``. Other packages add theirs through the entry point
``detectable.battles``.
"""

from detectable.data.battles import readers
from detectable.data.battles.battle_reader import BattleReader
from detectable.data.format_registry import FormatRegistry


def battle_readers() -> FormatRegistry[BattleReader]:
    """Return the formats of battles.

    Examples
    --------
    >>> battle_readers().names()
    ('alpaca-eval', 'arena', 'arena-hard', 'mt-bench', 'table')
    """
    return FormatRegistry("format of battles", "detectable.battles", readers, BattleReader)
