"""What a description of judgments shows."""

from collections.abc import Iterator

from detectable.data.human.description import JudgmentDescription
from detectable.report.blocks import Block, Column, Repeat, Verdict, notes, table


def show(found: JudgmentDescription) -> Iterator[Block]:
    """Show how many judgments of what."""
    first, *others = found.summary().splitlines()
    yield Verdict("info", first, tuple(others))
    rows = [
        *(("number of", role, n) for role, n in found.levels.items()),
        *(("judgments of kind", kind, n) for kind, n in found.kinds.items()),
    ]
    columns = (
        Column("what", "what", "name", of=lambda row: row[0]),
        Column("name", "name", "name", of=lambda row: row[1]),
        Column("n", "n", "count", of=lambda row: row[2]),
    )
    yield table("counts", "Counts", columns, rows, breaks=[len(found.levels)])
    yield from notes(found.notes)
    yield Repeat(str(found.signature))
