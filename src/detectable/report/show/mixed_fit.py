"""What a mixed model shows."""

from collections.abc import Iterator

from detectable.mixed.result import MixedFit
from detectable.report.blocks import (
    LONG,
    Block,
    Column,
    Repeat,
    Table,
    Verdict,
    notes,
    table,
)


def show(fit: MixedFit) -> Iterator[Block]:
    """Show differences, means, and where the spread comes from."""
    first, *others = fit.summary().splitlines()
    yield Verdict("info", first, tuple(others))
    yield contrasts(fit)
    yield means(fit)
    yield components(fit)
    yield from notes(fit.notes)
    yield Repeat(str(fit.signature))


def contrasts(fit: MixedFit) -> Table:
    """Return the differences between systems with their tests."""
    several = len(fit.contrasts) > 1
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("estimate", "estimate", digits=4, sign=True),
        Column("interval", f"{1 - fit.alpha:.0%} interval", "interval", digits=4, sign=True),
        Column("standard_error", "SE", digits=4, keep=3),
        Column("df", "df", digits=1, keep=2),
        Column("t", "t", keep=4),
        Column("p_value", "p", "p", keep=5 if several else 1),
        Column("p_adjusted", "p corrected", "p", short="p corr.") if several else None,
    )
    folded = len(fit.contrasts) > LONG
    return table("contrasts", "Differences", columns, fit.contrasts, folded=folded)


def means(fit: MixedFit) -> Table:
    """Return the estimated mean of every system."""
    columns = (
        Column("system", "system", "name"),
        Column("mean", "mean", digits=4),
        Column("interval", f"{1 - fit.alpha:.0%} interval", "interval", digits=4),
        Column("standard_error", "SE", digits=4, keep=2),
        Column("n_ratings", "ratings", "count", keep=3),
    )
    return table("means", "Means", columns, fit.systems)


def components(fit: MixedFit) -> Table:
    """Return where the spread comes from."""
    columns = (
        Column("name", "spread", "name"),
        Column("variance", "variance", digits=6, keep=2),
        Column("sd", "SD", digits=4),
        Column("share", "share", "share", digits=1),
    )
    note = f"Model: {fit.formula}." if fit.formula else ""
    return table(
        "components", "Where the spread comes from", columns, fit.components, note=note
    )
