"""Any table with two systems and a winner per row."""

from detectable.data.battles.battle_reader import BattleReader
from detectable.data.battles.readers.arena import read
from detectable.data.files.content import FileContent
from detectable.data.format_registry import LAST


def recognise(content: FileContent) -> bool:
    """Take what nobody else recognises, unless it is a folder."""
    return not content.is_folder


READER = BattleReader(
    name="table",
    about="a table: a, b, winner (or outcome), and where known prompt, voter, weight",
    recognise=recognise,
    read=read,
    order=LAST,
    is_table=True,
)
