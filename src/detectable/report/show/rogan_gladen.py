"""What shares corrected for a judge's errors show."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.report.blocks import Block, Column, Methods, Repeat, Text, Verdict, notes, table
from detectable.study.precision.rogan_gladen import RoganGladen


def show(found: RoganGladen) -> Iterator[Block]:
    """Show the corrected shares, and what they assume."""
    first, *rest = found.summary().splitlines()
    yield Verdict("info", first, tuple(rest))
    text = (
        "The judge must err here as often as on the labelled data set; nothing in these data can "
        "show that it does. Some labels of this data set make the assumption needless: detectable "
        "control-variates."
    )
    yield Text("limits", "What this assumes", text)
    columns = (
        Column("system", "system", "name"),
        Column("share", "share", digits=3),
        Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3),
        Column("judged_share", "by the judge", digits=3),
        Column("sensitivity", "sensitivity", digits=3, keep=2),
        Column("specificity", "specificity", digits=3, keep=2),
        Column("standard_error", "standard error", digits=3, keep=4),
        Column("n_pool", "items", "count", keep=3),
        Column("n_right", "labels: right", "count", keep=3),
        Column("n_wrong", "labels: wrong", "count", keep=3),
    )
    yield table("systems", "Corrected shares", columns, found.systems)
    yield from notes(found.notes)
    yield Methods(
        f"The shares of {count(len(found.systems), 'system')} were corrected for the judge's "
        "sensitivity and specificity on another, labelled data set (Rogan and Gladen, 1978), with the intervals of "
        "Lang and Reiczigel (2014)."
    )
    yield Repeat(str(found.signature))
