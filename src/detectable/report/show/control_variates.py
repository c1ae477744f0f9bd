"""What means and differences with a metric show."""

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
    table,
)
from detectable.study.precision.control_variate_result import ControlVariates


def show(found: ControlVariates) -> Iterator[Block]:
    """Show what the metric saves, who is better, and the means with and without it."""
    first, *others = found.summary().splitlines()
    yield Verdict("info", first, tuple(others[:LONG]))
    if found.pairs:
        yield pairs(found)
    yield means(found)
    yield from notes(found.notes)
    yield Repeat(str(found.signature))


def pairs(found: ControlVariates) -> Table:
    """Return the differences with and without the metric."""
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("estimate", "difference", sign=True, short="diff."),
        Column("interval", f"{1 - found.alpha:.0%} interval", "interval", sign=True),
        Column("p_value", "p", "p", keep=DATA_ONLY),
        Column("p_adjusted", "p corrected", "p", short="p corr."),
        Column("standard_error", "SE", keep=3),
        Column("plain_standard_error", "SE plain", keep=4),
        Column("saved", "saved", "share", digits=0, keep=2),
        Column("n_items", "items", "count", keep=5),
        Column(
            "paired", "items shared", "text", keep=6, of=lambda p: "yes" if p.paired else "no"
        ),
        Column("verdict", "verdict", "verdict"),
    )
    folded = len(found.pairs) > LONG
    return table("pairs", "Differences", columns, found.pairs, folded=folded)


def means(found: ControlVariates) -> Table:
    """Return the mean of every system with and without the metric."""
    columns = (
        Column("system", "system", "name"),
        Column("mean", "mean"),
        Column("interval", f"{1 - found.alpha:.0%} interval", "interval"),
        Column("standard_error", "SE", keep=2),
        Column("plain_mean", "plain mean", keep=3),
        Column("plain_standard_error", "SE plain", keep=3),
        Column("slope", "λ", keep=5),
        Column("correlation", "correlation", short="corr.", keep=4),
        Column("n_items", "items", "count", keep=4),
        Column("n_pool", "pool", "count", keep=5),
    )
    return table("means", "Means", columns, found.systems)
