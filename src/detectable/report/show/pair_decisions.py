"""What many pairs that are watched at once show."""

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
from detectable.sequential.e_multiplicity import PairDecision, PairDecisions


def show(found: PairDecisions) -> Iterator[Block]:
    """Show which pairs are decided, and the evidence for both directions."""
    n = len(found.decided)
    verb = "is" if n == 1 else "are"
    headline = f"{n:,} of {count(len(found.decisions), 'pair')} {verb} decided."
    what = (
        "of any wrong claim" if found.method == "e-Holm" else "expected share of wrong claims"
    )
    rate = (
        f"By {found.method}: chance {what}"
        if found.method == "e-Holm"
        else f"By {found.method}: {what}"
    )
    needed = ""
    if found.needed is not None:
        needed = f" The next direction is decided at E = {found.needed:,.4g}."
    yield Verdict("info", headline, (f"{rate} at most {found.alpha:g}.{needed}",))
    text = "A pair that is not decided is not equal: a small E says that nothing was shown."
    yield Text("limits", "What this does not say", text)
    columns = (
        Column("pair", "pair", "name", of=_name),
        Column("verdict", "verdict", "verdict"),
        Column("p_value", "p corrected", "p", short="p corr."),
        Column("e_better", "E for better", "text", keep=2, of=lambda d: f"{d.e_better:.3g}"),
        Column("e_worse", "E for worse", "text", keep=2, of=lambda d: f"{d.e_worse:.3g}"),
    )
    folded = len(found.decisions) > LONG
    yield table("pairs", "Pairs", columns, found.decisions, folded=folded)
    yield from notes(found.notes)
    paragraph = (
        f"{count(len(found.decisions), 'pair')} were decided from their e-values by {found.method} at "
        f"{found.alpha:g}, valid under any dependence: {n:,} of them in a direction."
    )
    cite = (
        ("holm-1979", "ramdas-etal-2023") if found.method == "e-Holm" else ("wang-ramdas-2022",)
    )
    yield Methods(paragraph, cite)
    yield Repeat(str(found.signature))


def _name(decision: PairDecision) -> str:
    pair = decision.pair
    return " − ".join(map(str, pair)) if isinstance(pair, tuple) else str(pair)
