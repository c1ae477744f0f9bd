"""What scores that were matched in the order of arrival show."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.report.blocks import Block, Column, Repeat, Verdict, notes, table
from detectable.sequential.e_process_pairs import OrderedPairs


def show(pairs: OrderedPairs) -> Iterator[Block]:
    """Show how many pairs there are, and what waits for a partner."""
    yield Verdict("info", f"{count(pairs.n_pairs, 'pair')} in order of arrival.")
    columns = (
        Column("what", "scores", "name", of=lambda row: row[0]),
        Column("n", "number", "count", of=lambda row: row[1]),
    )
    rows = (
        ("matched", pairs.n_pairs),
        ("of the first system, waiting", pairs.n_left_a),
        ("of the second system, waiting", pairs.n_left_b),
    )
    yield table("pairs", "Pairs", columns, rows)
    yield from notes(pairs.notes)
    yield Repeat(str(pairs.signature))
