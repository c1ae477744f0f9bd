"""Power as a table."""

from detectable.planning.cheapest import CheapestDesign
from detectable.planning.result import PowerCurve, PowerEstimate
from detectable.report.table import Column, Table


def power_table(curve: PowerCurve) -> Table:
    """Return sizes down, effects across, and the power in each cell.

    Examples
    --------
    >>> from detectable.planning.ask import power_curve
    >>> from detectable.planning.rank_sum import RankSum
    >>> power_table(power_curve(RankSum(), n_items=[1500], effect=[0.47])).rows
    (('1,500', '.812'),)
    """
    noun = curve.unit.partition(" ")[0]
    methods = " and ".join(sorted({point.method for point in curve.points}))
    columns = (Column(f"{noun}s"), *(Column(f"{effect:g}") for effect in curve.effect))
    rows = tuple(
        (f"{n:,}", *(_cell(curve.at(n, effect)) for effect in curve.effect))
        for n in curve.n_items
    )
    return Table(f"Power by size and effect (α = {curve.alpha:g}, {methods})", columns, rows)


def designs_table(found: CheapestDesign) -> Table:
    """Return the designs that reach the power, the cheapest first."""
    rows = tuple(
        (
            f"{option.n_raters:,}",
            f"{option.n_items:,}",
            f"{option.n_judgments:,}",
            option.test,
            f"{option.cost:,.2f}",
            f"{option.power:.3f}".lstrip("0"),
        )
        for option in sorted(found.options, key=lambda option: option.cost)
    )
    columns = (
        *(Column("raters"), Column("items"), Column("judgments"), Column("test", "left")),
        *(Column("cost"), Column("power")),
    )
    return Table("Designs that reach the power", columns, rows)


def _cell(point: PowerEstimate) -> str:
    shown = f"{point.power:.3f}".lstrip("0")
    return "1" if shown == "1.000" else shown
