"""What raters, items or documents show against the average one."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, number
from detectable.mixed.predictions import EffectPrediction, EffectPredictions
from detectable.report.blocks import (
    LONG,
    Block,
    Chart,
    Column,
    Repeat,
    Text,
    Verdict,
    table,
)
from detectable.report.charts.forest import Difference, Panel, forest
from detectable.report.charts.marks import said_shapes

_MOST = 24  # rows of a forest


def show(found: EffectPredictions) -> Iterator[Block]:
    """Show who lies farthest from the average, and every one of them."""
    ordered = sorted(found.effects, key=lambda row: -row.effect)
    high, low = ordered[0], ordered[-1]
    headline = (
        f"{count(len(ordered), found.factor)}, from {low.level} ({_signed(low.effect)}) to "
        f"{high.level} ({_signed(high.effect)})."
    )
    yield Verdict("info", headline)
    if len(ordered) <= _MOST:
        yield _chart(found, ordered)
    text = (
        "These are predictions, drawn towards the average: the fewer ratings somebody has, the nearer "
        "to zero. No correction was made for how many there are."
    )
    yield Text("limits", "What this does not say", text)
    columns = (
        Column("level", found.factor, "name"),
        Column("effect", "effect", digits=3, sign=True),
        Column("interval", "interval", "interval", digits=3, sign=True),
        Column("standard_error", "SE", digits=3, keep=2),
        Column("n_ratings", "ratings", "count", keep=3),
    )
    folded = len(ordered) > LONG
    yield table("effects", "Against the average", columns, ordered, folded=folded)
    yield Repeat(str(found.signature))


def _signed(value: float) -> str:
    return number(value, digits=3, sign=True)


def _word(row: EffectPrediction) -> str:
    if row.interval.low > 0.0:
        return "higher"
    return "lower" if row.interval.high < 0.0 else "undecided"


def _chart(found: EffectPredictions, ordered: list[EffectPrediction]) -> Chart:
    rows = tuple(
        Difference(row.level, row.effect, row.interval, row.interval, _word(row))
        for row in ordered
    )
    panel = Panel("rating", rows, digits=3, directed=False)
    title = f"{count(len(rows), found.factor)} against the average one: {panel.sides()}"
    told = " ".join(f"{row.name}: {_signed(row.value)}." for row in rows[:LONG])
    shapes = said_shapes([row.verdict for row in rows])
    caption = f"{shapes} Line: {100 * ordered[0].interval.level:.3g}% interval of each alone."
    draw = partial(_draw, panel)
    return Chart("effects", title, caption, f"{title}. {told}", draw, "effects", key=True)


def _draw(panel: Panel, width: int) -> dict[str, object]:
    return forest(panel, width=width)
