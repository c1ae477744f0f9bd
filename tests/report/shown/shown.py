"""What a result shows, in a form that a test can compare as a whole."""

from detectable.core.result import Result
from detectable.report.blocks import Block, Chart, Matrix, Table
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import PaperTable
from detectable.report.render.csv import table_csv


def shown(result: Result) -> list[str]:
    """Return the kinds of the blocks, and the names of tables and charts."""
    return [_name(block) for block in blocks_of(result)]


def _name(block: Block) -> str:
    if isinstance(block, Chart):
        return f"chart {block.id}"
    return block.id if isinstance(block, Table | Matrix | PaperTable) else type(block).__name__


def block_of(result: Result, kind: str) -> Block:
    """Return the first block of a kind, or the table of that name."""
    names = shown(result)
    return blocks_of(result)[names.index(kind)]


def table_of(result: Result, id: str) -> Table:
    """Return a table by name."""
    found = block_of(result, id)
    assert isinstance(found, Table)
    return found


def rows(table: Table) -> list[str]:
    """Return the cells as people see them."""
    return [" | ".join(texts) for texts in table.texts()]


def csv_lines(table: Table) -> list[str]:
    """Return the lines of the CSV file."""
    return table_csv(table).split("\r\n")[:-1]
