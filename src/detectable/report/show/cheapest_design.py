"""What a search for the cheapest design shows."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.planning.cheapest import CheapestDesign
from detectable.report.blocks import Block, Column, Repeat, Text, Verdict, notes, table
from detectable.report.figures.cheapest_design import cheapest_charts
from detectable.report.methods.planning import cheapest_methods

_COLUMNS = (
    Column("n_raters", "raters", "count"),
    Column("n_items", "items", "count"),
    Column("n_judgments", "judgments", "count"),
    Column("test", "test", "text", keep=2),
    Column("cost", "cost"),
    Column("power", "power", digits=3),
)


def show(found: CheapestDesign) -> Iterator[Block]:
    """Show the cheapest design, power by price, and the others that reach the power."""
    summary = found.summary()
    yield Verdict("info" if found.best else "warning", summary[:1].upper() + summary[1:])
    charts = list(cheapest_charts(found))
    yield from charts
    yield from _limits(found)
    if found.options:
        options = sorted(found.options, key=lambda option: option.cost)
        yield table("designs", "Designs that reach the power", _COLUMNS, options)
    if charts:
        others = sorted(found.nearby, key=lambda one: (one.test, one.n_raters, one.cost))
        title = "Power at other prices"
        yield table("prices", title, _COLUMNS, others, folded=True)
    yield from notes(found.notes)
    yield cheapest_methods(found)
    yield Repeat(str(found.signature))


def _limits(found: CheapestDesign) -> Iterator[Text]:
    """Say what less money finds, where designs of the same kind were priced."""
    best = found.best
    if best is None:
        return
    cheaper = [
        one
        for one in found.nearby
        if one.cost <= 0.75 * best.cost and one.power < found.target_power
    ]
    if cheaper:
        most = max(cheaper, key=lambda one: one.power)
        yield Text(
            "limits",
            "What less would find",
            f"For {most.cost / best.cost:.0%} of the cost the power is at most {most.power:.0%} "
            f"({count(most.n_raters, 'rater')}, {count(most.n_items, 'item')}).",
        )
