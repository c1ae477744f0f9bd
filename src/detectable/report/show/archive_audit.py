"""What the audit of an archive of comparisons shows."""

import math
from collections.abc import Iterator
from typing import Any

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, notes, table
from detectable.study.audit.archive_audit import ArchiveAudit, GroupAudit

_NONE = "none"


def show(result: ArchiveAudit) -> Iterator[Block]:
    """Show what was decided, group by group, and what it would have taken."""
    first, *rest = result.sentences()
    yield Verdict("info", first, (" ".join(rest),))
    yield groups(result)
    if not math.isnan(result.target_difference):
        yield power(result)
    yield from notes(result.notes)
    yield Repeat(str(result.signature))


def groups(result: ArchiveAudit) -> Table:
    """Return one row per group: decided comparisons, and from which difference on."""
    digits = result.digits
    paired = result.overall.paired is not None
    columns = (
        _name(result),
        Column("significant", "significant", "count", short="sign."),
        Column("total", "of", "count"),
        Column("observed_mde", "observed MDE", digits=digits, short="MDE", none=_NONE),
        Column("above", "above", "count"),
        Column("above_interval", "sign. above", "shares", digits=0, keep=3, of=_share),
        Column("median_difference", "median diff.", digits=digits, short="median"),
        Column(
            "paired_significant", "paired sign.", "count", short="paired", of=_of("significant")
        )
        if paired
        else None,
        Column(
            "paired_mde",
            "paired MDE",
            digits=digits,
            short="MDE",
            none=_NONE,
            of=_of("observed_mde"),
        )
        if paired
        else None,
        Column("paired_above", "above", "count", keep=4, of=_of("above")) if paired else None,
    )
    note = (
        "MDE: from this difference on, 95% of the comparisons were significant; it stands on the "
        "comparisons above it (Wilson's interval of their significant share)."
    )
    return table(
        "groups", _title(result), columns, _rows(result), breaks=_breaks(result), note=note
    )


def power(result: ArchiveAudit) -> Table:
    """Return one row per group: what could be detected, and what would be enough."""
    paired = result.overall.paired is not None
    columns = (
        _name(result),
        Column("n", result.counted, digits=0),
        Column("detectable", "detectable", digits=result.digits),
        Column("underpowered", "underpowered", "share", digits=0, short="under"),
        Column("budget", "budget", "count"),
        Column("paired_detectable", "paired", digits=result.digits, of=_of("detectable"))
        if paired
        else None,
        Column("paired_underpowered", "under", "share", digits=0, of=_of("underpowered"))
        if paired
        else None,
        Column("paired_budget", "budget", "count", of=_of("budget")) if paired else None,
    )
    shown = f"{result.target_difference:.{result.digits}f}"
    title = f"Power to see {shown} ({result.power:.0%} asked for; medians per group)"
    note = (
        "Detectable: what the median comparison sees, by its own standard error. Budget: "
        f"{result.counted} per system with which half of the comparisons would see the "
        "difference."
    )
    return table("power", title, columns, _rows(result), breaks=_breaks(result), note=note)


def _name(result: ArchiveAudit) -> Column:
    return Column("group", result.by or "group", "name")


def _title(result: ArchiveAudit) -> str:
    test = "as reported" if result.test == "reported" else f"{result.test} of all judgments"
    return f"Past comparisons, {test}, α = {result.alpha:g}"


def _rows(result: ArchiveAudit) -> tuple[GroupAudit, ...]:
    """Return all comparisons, then the groups of them."""
    return (result.overall,) if result.by is None else (result.overall, *result.groups)


def _breaks(result: ArchiveAudit) -> tuple[int, ...]:
    return () if result.by is None else (1,)


def _share(group: GroupAudit) -> Any:
    return group.above_interval


def _of(field: str) -> Any:
    def value(group: GroupAudit) -> Any:
        return None if group.paired is None else getattr(group.paired, field)

    return value
