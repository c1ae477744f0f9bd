"""What a search for the cheapest design shows."""

from collections.abc import Iterator

from detectable.planning.cheapest import CheapestDesign
from detectable.report.blocks import Block, Column, Repeat, Verdict, notes, table


def show(found: CheapestDesign) -> Iterator[Block]:
    """Show the cheapest design, and the others that reach the power."""
    yield Verdict("info" if found.best else "warning", found.summary())
    if found.options:
        columns = (
            Column("n_raters", "raters", "count"),
            Column("n_items", "items", "count"),
            Column("n_judgments", "judgments", "count"),
            Column("test", "test", "text", keep=2),
            Column("cost", "cost"),
            Column("power", "power", digits=3),
        )
        options = sorted(found.options, key=lambda option: option.cost)
        yield table("designs", "Designs that reach the power", columns, options)
    yield from notes(found.notes)
    yield Repeat(str(found.signature))
