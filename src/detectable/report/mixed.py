"""A mixed model as tables: for the terminal and for a spreadsheet."""

from collections.abc import Iterable

from detectable.core.wording import interval, number, p_value
from detectable.mixed.predictions import EffectPredictions
from detectable.mixed.result import MixedFit
from detectable.report.table import Column, Table, to_csv


def contrasts_table(fit: MixedFit) -> Table:
    """Return the differences between systems with their tests."""
    several = len(fit.contrasts) > 1
    columns = [Column("system", "left"), Column("against", "left"), Column("estimate")]
    columns += [Column(f"{1 - fit.alpha:.0%} interval"), Column("SE"), Column("df")]
    columns += [Column("t"), Column("p"), *([Column("p corr.")] if several else [])]
    rows = [
        (
            row.system,
            row.baseline or "–",
            number(row.estimate, digits=4, sign=True),
            interval(row.interval, digits=4, sign=True),
            number(row.standard_error, digits=4),
            number(row.df, digits=1),
            number(row.t, digits=2),
            p_value(row.p_value),
            *([p_value(row.p_adjusted)] if several else []),
        )
        for row in fit.contrasts
    ]
    return Table("Differences", tuple(columns), tuple(rows))


def means_table(fit: MixedFit) -> Table:
    """Return the estimated mean of every system."""
    columns = (
        Column("system", "left"),
        Column("mean"),
        Column(f"{1 - fit.alpha:.0%} interval"),
        Column("SE"),
        Column("ratings"),
    )
    rows = [
        (
            row.system,
            number(row.mean, digits=4),
            interval(row.interval, digits=4),
            number(row.standard_error, digits=4),
            f"{row.n_ratings:,}",
        )
        for row in fit.systems
    ]
    return Table("Means", columns, tuple(rows))


def components_table(fit: MixedFit) -> Table:
    """Return where the spread comes from."""
    columns = (Column("spread", "left"), Column("variance"), Column("SD"), Column("share"))
    rows = [
        (c.name, number(c.variance, digits=6), number(c.sd, digits=4), f"{c.share:.1%}")
        for c in fit.components
    ]
    return Table("Where the spread comes from", columns, tuple(rows))


def effects_csv(predictions: Iterable[EffectPredictions]) -> str:
    """Return all predicted effects, one row per level, and one per system where it matters."""
    header = ("factor", "level", "system", "effect", "standard_error", "n_ratings")
    rows: list[tuple[object, ...]] = []
    for one in predictions:
        for row in one.effects:
            error = row.standard_error
            rows.append((one.factor, row.level, "", row.effect, error, row.n_ratings))
            rows += [
                (one.factor, row.level, name, value, row.by_system_errors[name], row.n_ratings)
                for name, value in row.by_system.items()
            ]
    return to_csv(header, rows)
