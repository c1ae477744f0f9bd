"""What a choice of items by bins of a metric shows."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.report.blocks import (
    LONG,
    Block,
    Column,
    Methods,
    Repeat,
    Text,
    Verdict,
    notes,
    table,
)
from detectable.study.precision.stratified import Stratification


def show(found: Stratification) -> Iterator[Block]:
    """Show how many items were chosen, from which bins."""
    bins = count(len(found.strata), "bin")
    headline = f"{count(len(found.items), 'item')} of {found.n_pool:,} chosen from {bins}."
    detail = f"The bins hold {found.captured:.0%} of the metric's variance."
    yield Verdict("info", headline, (detail,))
    text = (
        "The variance of a mean human score falls by about that share times the squared correlation "
        "of metric and judgments; with a useless metric nothing is lost."
    )
    yield Text("limits", "What this can save", text)
    columns = (
        Column("low", "from", digits=3),
        Column("high", "to", digits=3),
        Column("n_pool", "in the pool", "count"),
        Column("n_chosen", "chosen", "count"),
    )
    folded = len(found.strata) > LONG
    yield table("strata", "Bins of the metric", columns, found.strata, folded=folded)
    yield from notes(found.notes)
    paragraph = (
        f"{headline[:-1]} of an automatic metric, in proportion to their sizes, so that the judged "
        f"items resemble the pool; the bins hold {found.captured:.0%} of the metric's variance."
    )
    yield Methods(paragraph)
    yield Repeat(str(found.signature))
