"""What the observed detectable difference of past comparisons shows."""

from collections.abc import Iterator

from detectable.core.wording import count, interval, number
from detectable.inference.observed_mde import ObservedMde
from detectable.report.blocks import Block, Column, Methods, Repeat, Text, Verdict, notes, table

_FEW = 20  # comparisons on which an observed detectable difference says little


def show(found: ObservedMde) -> Iterator[Block]:
    """Show the difference from which on comparisons were mostly significant."""
    if found.effect is None:
        headline = f"No difference was significant in {found.share:.0%} of the comparisons."
    else:
        headline = f"Past comparisons could see {number(found.effect)}."
    base = (
        f"{found.n_significant:,} of {count(found.n_comparisons, 'comparison')} were significant; "
        f"median difference {number(found.median_difference)}."
    )
    yield Verdict("info", headline, (base,))
    yield Text("limits", "What this does not say", _limits(found))
    columns = (
        Column("effect", "observed MDE", of=lambda row: row.effect),
        Column("n_above", "at least that", "count"),
        Column("n_significant_above", "significant", "count"),
        Column("share_above", "share", "share", digits=0),
        Column("share_interval", f"{1 - found.alpha:.0%} interval", "interval"),
    )
    yield table("mde", "Observed detectable difference", columns, (found,))
    yield from notes(found.notes)
    yield Methods(f"{headline} {base}", ("graham-etal-2020",))
    yield Repeat(str(found.signature))


def _limits(found: ObservedMde) -> str:
    if found.effect is None:
        return "Even the largest differences were not significant often enough."
    text = (
        f"It rests on the {count(found.n_above, 'comparison')} with a difference of at least that: "
        f"their share is known to {interval(found.share_interval)}."
    )
    if found.n_above < _FEW:
        text += " So few say little about the next comparison."
    return text
