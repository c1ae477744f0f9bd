"""What means and differences with a metric show."""

from collections.abc import Iterator

from detectable.report import blocks
from detectable.study.precision.control_variate_result import ControlVariates


def show(found: ControlVariates) -> Iterator[blocks.Block]:
    """Show what the metric saves, who is better, and the means with and without it."""
    first, *others = found.summary().splitlines()
    yield blocks.Verdict("info", first, tuple(others[: blocks.LONG]))
    if found.pairs:
        yield pairs(found)
    yield means(found)
    yield from blocks.notes(found.notes)
    yield blocks.Repeat(str(found.signature))


def pairs(found: ControlVariates) -> blocks.Table:
    """Return the differences with and without the metric."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("estimate", "difference", sign=True, short="diff."),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", sign=True),
        blocks.Column("p_value", "p", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p corrected", "p", short="p corr."),
        blocks.Column("standard_error", "SE", keep=3),
        blocks.Column("plain_standard_error", "SE plain", keep=4),
        blocks.Column("saved", "saved", "share", digits=0, keep=2),
        blocks.Column("n_items", "items", "count", keep=5),
        blocks.Column(
            "paired", "items shared", "text", keep=6, of=lambda p: "yes" if p.paired else "no"
        ),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    folded = len(found.pairs) > blocks.LONG
    return blocks.table("pairs", "Differences", columns, found.pairs, folded=folded)


def means(found: ControlVariates) -> blocks.Table:
    """Return the mean of every system with and without the metric."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("mean", "mean"),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval"),
        blocks.Column("standard_error", "SE", keep=2),
        blocks.Column("plain_mean", "plain mean", keep=3),
        blocks.Column("plain_standard_error", "SE plain", keep=3),
        blocks.Column("slope", "λ", keep=5),
        blocks.Column("correlation", "correlation", short="corr.", keep=4),
        blocks.Column("n_items", "items", "count", keep=4),
        blocks.Column("n_pool", "pool", "count", keep=5),
    )
    return blocks.table("means", "Means", columns, found.systems)
