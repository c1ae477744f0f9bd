"""A decomposition of variance as tables."""

from detectable.core.interval import Interval
from detectable.core.wording import interval, number
from detectable.report.table import Column, Table
from detectable.study.precision.variance_components import VarianceComponents


def variance_table(found: VarianceComponents) -> Table:
    """Return the variances with their intervals."""
    level = f"{1 - found.alpha:.0%} interval"
    columns = (Column("variance", "left"), Column("estimate"), Column("SD"), Column(level))
    parts = [("total, of a judgment", found.total), ("noise between raters", found.noise)]
    if found.intra is not None:
        parts.append(("the same rater, asked again", found.intra))
    rows = [
        (name, number(part.value), number(part.value**0.5), interval(part.interval))
        for name, part in parts
    ]
    return Table("Where the spread comes from", columns, tuple(rows))


def shares_table(found: VarianceComponents) -> Table:
    """Return the share of quality by both estimators."""
    level = f"{1 - found.alpha:.0%} interval"
    columns = (
        *(Column("share of quality", "left"), Column("share"), Column(level)),
        *(Column("untruncated"), Column("noise/quality")),
    )
    named = (
        ("1 − noise/total", found.by_difference),
        ("covariance/total", found.by_covariance),
    )
    rows = [
        (
            name,
            f"{share.value:.1%}",
            _percent(share.interval),
            f"{share.untruncated:.1%}",
            number(share.gamma),
        )
        for name, share in named
    ]
    return Table("Quality", columns, tuple(rows))


def advice_table(found: VarianceComponents) -> Table:
    """Return what the judgments of one system buy with more raters per item."""
    columns = (
        Column("raters per item"),
        Column("items"),
        Column("SE of a system's mean"),
        Column("judgments for equal precision"),
    )
    rows = [
        (
            str(row.n_raters),
            f"{row.n_items:,}",
            number(row.standard_error, digits=3),
            f"× {row.relative_cost:.2f}",
        )
        for row in found.advice
    ]
    return Table("The same number of judgments, spent differently", columns, tuple(rows))


def _percent(found: Interval | None) -> str:
    return "–" if found is None else f"[{found.low:.1%}, {found.high:.1%}]"
