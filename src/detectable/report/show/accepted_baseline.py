"""What a baseline shows that was just accepted."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Verdict, notes, table
from detectable.study.gate.accept import AcceptedBaseline


def show(accepted: AcceptedBaseline) -> Iterator[Block]:
    """Show what the file holds now, and what it held before."""
    first, *rest = accepted.summary().split(". It replaces ", 1)
    more = tuple(f"It replaces {text}" for text in rest)
    yield Verdict("info", first if not rest else f"{first}.", more)
    records = (
        ("file", accepted.path),
        ("system", accepted.system),
        ("metrics", ", ".join(accepted.metrics)),
        ("questions", f"{accepted.n_items:,}"),
        ("tasks", f"{accepted.n_tasks:,}"),
        ("SHA-256 of the scores", accepted.sha256),
    )
    yield table(
        "baseline",
        "Baseline",
        (
            Column("what", "what", "name", of=lambda record: record[0]),
            Column("value", "value", "text", of=lambda record: record[1]),
        ),
        records,
    )
    yield from notes(accepted.notes)
    yield Repeat(str(accepted.signature))
