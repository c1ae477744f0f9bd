"""What a curve of power shows."""

from collections.abc import Iterator
from functools import partial

from detectable.planning.result import PowerCurve
from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, notes, table
from detectable.report.figures.planning import TARGET, curve_charts, curve_title
from detectable.report.methods.planning import curve_methods


def show(curve: PowerCurve) -> Iterator[Block]:
    """Show the smallest effect within reach, what each size can show, and every cell."""
    reached = any(point.power >= TARGET for point in curve.points)
    yield Verdict(
        "info" if reached else "warning",
        f"{curve_title(curve)}.",
        tuple(f"{line}." for line in curve.summary().splitlines()),
    )
    yield from curve_charts(curve)
    yield power(curve)
    yield from notes(tuple(dict.fromkeys(n for point in curve.points for n in point.notes)))
    yield curve_methods(curve)
    yield Repeat(str(curve.signature))


def power(curve: PowerCurve) -> Table:
    """Return sizes down, effects across, and the power in each cell.

    Examples
    --------
    >>> from detectable.planning.ask import power_curve
    >>> from detectable.planning.rank_sum import RankSum
    >>> power(power_curve(RankSum(), n_items=[1500], effect=[0.47])).texts()
    [('1,500', '0.812')]
    """
    noun = curve.unit.partition(" ")[0]
    methods = " and ".join(sorted({point.method for point in curve.points}))
    columns = [Column("n_items", f"{noun}s", "count", of=lambda n: n)]
    columns += [
        Column(f"{effect:g}", f"{effect:g}", digits=3, of=partial(_power, curve, effect))
        for effect in curve.effect
    ]
    title = f"Power by size and effect (α = {curve.alpha:g}, {methods})"
    return table("power", title, columns, curve.n_items)


def _power(curve: PowerCurve, effect: float, n_items: int) -> float:
    return curve.at(n_items, effect).power
