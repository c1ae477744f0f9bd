"""Means and differences with a metric, as tables."""

from detectable.core.wording import interval, number, p_value
from detectable.report.table import Column, Table
from detectable.study.precision.control_variate_result import ControlVariates


def adjusted_pairs_table(found: ControlVariates) -> Table | None:
    """Return the differences with and without the metric, or None for a single system."""
    if not found.pairs:
        return None
    columns = (
        Column("system", "left"),
        Column("against", "left"),
        Column("difference"),
        Column(f"{1 - found.alpha:.0%} interval"),
        Column("p corr."),
        Column("SE"),
        Column("SE plain"),
        Column("saved"),
        Column("items"),
    )
    rows = [
        (
            pair.system,
            pair.baseline,
            number(pair.estimate, sign=True),
            interval(pair.interval, sign=True),
            p_value(pair.p_adjusted),
            number(pair.standard_error),
            number(pair.plain_standard_error),
            f"{pair.saved:.0%}",
            f"{pair.n_items:,}{'' if pair.paired else ' *'}",
        )
        for pair in found.pairs
    ]
    apart = any(not pair.paired for pair in found.pairs)
    title = "Differences" + (" (* not the same items)" if apart else "")
    return Table(title, columns, tuple(rows))


def adjusted_means_table(found: ControlVariates) -> Table:
    """Return the mean of every system with and without the metric."""
    columns = (
        Column("system", "left"),
        Column("mean"),
        Column(f"{1 - found.alpha:.0%} interval"),
        Column("SE"),
        Column("plain mean"),
        Column("SE plain"),
        Column("λ"),
        Column("corr."),
        Column("items"),
        Column("pool"),
    )
    rows = [
        (
            row.system,
            number(row.mean),
            interval(row.interval),
            number(row.standard_error),
            number(row.plain_mean),
            number(row.plain_standard_error),
            number(row.slope),
            number(row.correlation),
            f"{row.n_items:,}",
            f"{row.n_pool:,}",
        )
        for row in found.systems
    ]
    return Table("Means", columns, tuple(rows))
