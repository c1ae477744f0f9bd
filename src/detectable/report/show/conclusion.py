"""What the conclusion of a plan shows."""

from collections.abc import Iterator

from detectable.report.blocks import (
    DATA_ONLY,
    LONG,
    Block,
    Column,
    Repeat,
    Table,
    Verdict,
    notes,
    status_of,
    table,
)
from detectable.study.monitoring.conclusion import Conclusion


def show(conclusion: Conclusion) -> Iterator[Block]:
    """Show every verdict, what the looks saved, and the numbers behind it."""
    first, *others, looks = conclusion.summary().splitlines()
    detail = (*others[:LONG], looks)  # the table has the other pairs
    yield Verdict(status_of(conclusion.pairs[0].verdict), first, detail)
    yield pairs(conclusion)
    yield from notes(conclusion.notes)
    yield Repeat(str(conclusion.signature))


def pairs(conclusion: Conclusion) -> Table:
    """Return verdict, p-value, estimate and interval of every pair."""
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("verdict", "verdict", "verdict"),
        Column("reason", "reason", "text", keep=DATA_ONLY),
        Column("look", "look", "count", keep=3),
        Column("n_units", "n", "count", keep=2),
        Column("estimate", "difference", digits=3, sign=True, short="diff."),
        Column("interval", "interval", "interval", digits=3, sign=True),
        Column("naive_estimate", "plain estimate", digits=3, sign=True, keep=DATA_ONLY),
        Column("p_value", "p", "p", keep=DATA_ONLY),
        Column("p_adjusted", "p over all looks", "p", short="p"),
    )
    return table("pairs", "Conclusion", columns, conclusion.pairs)
