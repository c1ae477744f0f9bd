"""What a decomposition of variance shows."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, notes, opening, table
from detectable.study.precision.variance_components import VarianceComponents


def show(found: VarianceComponents) -> Iterator[Block]:
    """Show which share is noise, both estimators, and what more raters per item would buy."""
    yield opening("info", found.summary())
    yield variances(found)
    yield shares(found)
    yield advice(found)
    yield from notes(found.notes)
    yield Repeat(str(found.signature))


def variances(found: VarianceComponents) -> Table:
    """Return the variances with their intervals."""
    parts = [("total, of a judgment", found.total), ("noise between raters", found.noise)]
    if found.intra is not None:
        parts.append(("the same rater, asked again", found.intra))
    columns = (
        Column("part", "variance", "name", of=lambda part: part[0]),
        Column("estimate", "estimate", of=lambda part: part[1].value),
        Column("sd", "SD", of=lambda part: part[1].value ** 0.5),
        Column("interval", _level(found), "interval", of=lambda part: part[1].interval),
    )
    return table("variances", "Where the spread comes from", columns, parts)


def shares(found: VarianceComponents) -> Table:
    """Return the share of quality by both estimators."""
    named = (
        ("1 − noise/total", found.by_difference),
        ("covariance/total", found.by_covariance),
    )
    columns = (
        Column("estimator", "share of quality", "name", of=lambda one: one[0]),
        Column("share", "share", "share", digits=1, of=lambda one: one[1].value),
        Column(
            "interval",
            _level(found),
            "shares",
            digits=1,
            of=lambda one: one[1].interval,
        ),
        Column(
            "untruncated",
            "untruncated",
            "share",
            digits=1,
            keep=3,
            of=lambda one: one[1].untruncated,
        ),
        Column("gamma", "noise/quality", keep=2, of=lambda one: one[1].gamma),
    )
    return table("shares", "Quality", columns, named)


def advice(found: VarianceComponents) -> Table:
    """Return what the judgments of one system buy with more raters per item."""
    columns = (
        Column("n_raters", "raters per item", "count", short="raters"),
        Column("n_items", "items", "count"),
        Column("standard_error", "SE of a system's mean", digits=3, short="SE"),
        Column("relative_cost", "judgments for equal precision, ×", short="judgments ×"),
    )
    title = "The same number of judgments, spent differently"
    return table("advice", title, columns, found.advice)


def _level(found: VarianceComponents) -> str:
    return f"{1 - found.alpha:.0%} interval"
