"""What a check of a kept result shows."""

from collections.abc import Iterator

from detectable.report.blocks import (
    DATA_ONLY,
    Block,
    Column,
    Repeat,
    Status,
    Table,
    Verdict,
    notes,
    table,
)
from detectable.report.saved.receipt import Receipt

_STATUS: dict[str, Status] = {
    "same": "info",
    "different": "warning",
    "not repeated": "undecided",
}


def show_receipt(receipt: Receipt) -> Iterator[Block]:
    """Show the outcome, then what differs, the looks and the data."""
    yield Verdict(_STATUS[receipt.outcome], receipt.headline(), receipt.details())
    if receipt.differences:
        yield _differences(receipt)
    if receipt.looks:
        yield _looks(receipt)
    if receipt.inputs:
        yield _inputs(receipt)
    yield from notes(receipt.notes)
    yield Repeat(str(receipt.signature))


def _differences(receipt: Receipt) -> Table:
    columns = (
        Column("where", "value", "name"),
        Column("kept", "in the file", "text"),
        Column("again", "computed again", "text"),
        Column(
            "relative",
            "relative",
            "text",
            of=lambda row: None if row.relative is None else f"{row.relative:.1e}",
            keep=3,
            help="How far apart they are. About 1e-16 is another machine's rounding.",
        ),
    )
    left = receipt.n_differences - len(receipt.differences)
    return table(
        "differences",
        "What differs",
        columns,
        receipt.differences,
        note=f"{left:,} more." if left else "",
    )


def _looks(receipt: Receipt) -> Table:
    columns = (
        Column("look", "look", "count"),
        Column("judgments", "judgments", "count"),
        Column("decision", "decision", "text"),
        Column("state", "computed again", "text"),
        Column(
            "differs", "what differs", "text", of=lambda row: ", ".join(row.differs), keep=3
        ),
        Column("time", "time", "text", keep=DATA_ONLY),
    )
    return table("looks", "Looks", columns, receipt.looks)


def _inputs(receipt: Receipt) -> Table:
    columns = (
        Column("path", "file", "name"),
        Column("state", "now", "text"),
        Column("sha256", "SHA-256", "text", of=lambda row: f"{row.sha256[:12]}…", keep=3),
    )
    return table("inputs", "Data", columns, receipt.inputs)
