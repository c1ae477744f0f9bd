"""What the audit of an archive shows, and the observed detectable difference."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from detectable.core.types import FloatArray
from detectable.core.wording import count, interval, number
from detectable.inference.observed_mde import ObservedMde
from detectable.report import blocks
from detectable.study.audit.archive_audit import (
    NOT_NAMED,
    ArchiveAudit,
    GroupAudit,
)
from detectable.study.audit.tables import REPORTED

_NONE = "none"


def show_archive_audit(result: ArchiveAudit) -> Iterator[blocks.Block]:
    """Show what was decided, group by group, and what it would have taken."""
    first, from_where = _decided(result)
    yield blocks.Verdict("info", first, (from_where, *_pairing(result)))
    yield blocks.Pictures("audit_pictures:past", result)
    yield blocks.Text("limits", "What past comparisons could have shown", _could(result))
    yield groups(result)
    yield blocks.Pictures("audit_pictures:by_judgments", result)
    if not math.isnan(result.target_difference):
        yield blocks.Pictures("audit_pictures:detectable", result)
        yield power(result)
    yield comparisons(result)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def groups(result: ArchiveAudit) -> blocks.Table:
    """Return one row per group: decided comparisons, and from which difference on."""
    digits = result.digits
    paired = result.overall.paired is not None
    columns = (
        _name(result),
        blocks.Column("significant", "significant", "count", short="sign."),
        blocks.Column("total", "of", "count"),
        blocks.Column("observed_mde", "observed MDE", digits=digits, short="MDE", none=_NONE),
        blocks.Column("above", "above", "count"),
        blocks.Column("above_interval", "sign. above", "shares", digits=0, keep=3, of=_share),
        blocks.Column(
            "median_difference", "median diff.", digits=digits, short="median", keep=2
        ),
        blocks.Column(
            "paired_significant", "paired sign.", "count", short="paired", of=_of("significant")
        )
        if paired
        else None,
        blocks.Column(
            "paired_mde",
            "paired MDE",
            digits=digits,
            short="MDE",
            none=_NONE,
            of=_of("observed_mde"),
        )
        if paired
        else None,
        blocks.Column("paired_above", "above", "count", keep=4, of=_of("above"))
        if paired
        else None,
    )
    note = (
        "MDE: from this difference on, 95% of the comparisons were significant; it stands on the "
        "comparisons above it (Wilson's interval of their significant share)."
    )
    return blocks.table(
        "groups", _title(result), columns, _rows(result), breaks=_breaks(result), note=note
    )


def power(result: ArchiveAudit) -> blocks.Table:
    """Return one row per group: what could be detected, and what would be enough."""
    paired = result.overall.paired is not None
    columns = (
        _name(result),
        blocks.Column("n", result.counted, digits=0, keep=2),
        blocks.Column("detectable", "detectable", digits=result.digits),
        blocks.Column("underpowered", "underpowered", "share", digits=0, short="under"),
        blocks.Column("budget", "budget", "count"),
        blocks.Column(
            "paired_detectable",
            "detectable if paired",
            digits=result.digits,
            short="paired",
            keep=2,
            of=_of("detectable"),
        )
        if paired
        else None,
        blocks.Column(
            "paired_underpowered",
            "underpowered if paired",
            "share",
            digits=0,
            short="under",
            keep=3,
            of=_of("underpowered"),
        )
        if paired
        else None,
        blocks.Column(
            "paired_budget",
            "budget if paired",
            "count",
            short="budget",
            keep=2,
            of=_of("budget"),
        )
        if paired
        else None,
    )
    shown = f"{result.target_difference:.{result.digits}f}"
    title = f"Power to see {shown} ({result.power:.0%} asked for; medians per group)"
    note = (
        "Detectable: what the median comparison sees, by its own standard error. Budget: "
        f"{result.counted} per system with which half of the comparisons would see the "
        "difference."
    )
    return blocks.table(
        "power", title, columns, _rows(result), breaks=_breaks(result), note=note
    )


def comparisons(result: ArchiveAudit) -> blocks.Table:
    """Return every comparison."""
    seen, paired = result.past.tested, result.past.paired
    digits = result.digits
    label = result.past.labels.get(result.by or "", ("",) * len(result.past))
    columns = (
        blocks.Column("group", result.by, "name", of=lambda i: label[i] or NOT_NAMED)
        if result.by is not None
        else None,
        blocks.Column(
            "difference", "difference", digits=digits, sign=True, of=_at(seen.difference)
        ),
        blocks.Column("p_value", "p", "p", of=_at(seen.p_value)),
        blocks.Column(
            "standard_error", "SE", digits=digits, keep=2, of=_at(seen.standard_error)
        ),
        blocks.Column("n", result.counted, digits=0, keep=2, of=_at(seen.n)),
        blocks.Column(
            "paired_difference",
            "paired",
            digits=digits,
            sign=True,
            keep=3,
            of=_at(paired.difference),
        )
        if paired is not None
        else None,
        blocks.Column("paired_p_value", "paired p", "p", keep=3, of=_at(paired.p_value))
        if paired is not None
        else None,
        blocks.Column(
            "paired_standard_error",
            "paired SE",
            digits=digits,
            keep=4,
            of=_at(paired.standard_error),
        )
        if paired is not None
        else None,
    )
    rows = range(len(result.past))
    return blocks.table(
        "comparisons", "Every past comparison", columns, rows, folded=len(rows) > blocks.LONG
    )


def _at(values: FloatArray) -> Callable[[int], float]:
    return lambda row: float(values[row])


def _methods(result: ArchiveAudit) -> blocks.Methods:
    whole = result.overall
    test = (
        "as reported"
        if result.test == REPORTED
        else "by a rank-sum test of all judgments of both systems"
    )
    said = (
        f"We looked back at {count(whole.total, 'past comparison')}, tested {test} at α = "
        f"{result.alpha:g} (Wei et al., 2022): {whole.significant:,} were significant."
    )
    if whole.observed_mde is not None:
        said += (
            f" The observed detectable difference, from which on 95% of the comparisons were "
            f"significant, is {number(whole.observed_mde, digits=result.digits)} "
            f"({count(whole.above, 'comparison')} above it)."
        )
    return blocks.Methods(" ".join([said, _could(result)]), ("wei-etal-2022",))


def _name(result: ArchiveAudit) -> blocks.Column:
    return blocks.Column("group", result.by or "group", "name")


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


# --- What the observed detectable difference of past comparisons shows ---

_FEW = 20  # comparisons on which an observed detectable difference says little


def show_observed_mde(found: ObservedMde) -> Iterator[blocks.Block]:
    """Show the difference from which on comparisons were mostly significant."""
    if found.effect is None:
        headline = f"No difference was significant in {found.share:.0%} of the comparisons."
    else:
        headline = f"Past comparisons could see {number(found.effect)}."
    base = (
        f"{found.n_significant:,} of {count(found.n_comparisons, 'comparison')} were significant; "
        f"median difference {number(found.median_difference)}."
    )
    yield blocks.Verdict("info", headline, (base,))
    yield blocks.Text("limits", "What this does not say", _limits(found))
    columns = (
        blocks.Column("effect", "observed MDE", of=lambda row: row.effect),
        blocks.Column("n_above", "at least that", "count"),
        blocks.Column("n_significant_above", "significant", "count"),
        blocks.Column("share_above", "share", "share", digits=0),
        blocks.Column("share_interval", f"{1 - found.alpha:.0%} interval", "interval"),
    )
    yield blocks.table("mde", "Observed detectable difference", columns, (found,))
    yield from blocks.notes(found.notes)
    yield blocks.Methods(f"{headline} {base}", ("graham-etal-2020",))


def _limits(found: ObservedMde) -> str:
    if found.effect is None:
        return "Even the largest differences were not significant often enough."
    text = (
        f"It rests on the {count(found.n_above, 'comparison')} with a difference of at least that: "
        f"their share is known to {interval(found.share_interval)}."
    )
    if found.n_above < _FEW:
        text += " So few say little about the next comparison."
    return text


def say_observed_mde(found: ObservedMde) -> str:
    """Say the detectable difference and on how many comparisons it stands."""
    base = (
        f"Of all {count(found.n_comparisons, 'comparison')} {found.n_significant:,} were "
        f"significant, median difference {number(found.median_difference)}."
    )
    if found.effect is None:
        verdict = (
            "No observed detectable difference: even the largest differences were not "
            f"significant in {found.share:.0%} of the comparisons."
        )
    else:
        verdict = (
            f"Observed detectable difference {number(found.effect)}: significant in "
            f"{found.n_significant_above:,} of {count(found.n_above, 'comparison')} with at "
            f"least that ({1 - found.alpha:.0%} interval of the share "
            f"{interval(found.share_interval)})."
        )
    return " ".join([verdict, base, *found.notes])


def say_archive_audit(result: ArchiveAudit) -> str:
    """Say what was decided, what could be seen, and what would be enough."""
    return " ".join([*_decided(result), _could(result), *_pairing(result)])


def _decided(result: ArchiveAudit) -> tuple[str, str]:
    """Say what was decided, and from which difference on."""
    whole = result.overall
    first = (
        f"{whole.significant:,} of {count(whole.total, 'past comparison')} "
        f"({_percent(whole.significant / whole.total)}) were significant at {result.alpha:g}."
    )
    median = (
        f"the median difference was {number(whole.median_difference, digits=result.digits)}"
    )
    if whole.observed_mde is None:
        return first, (
            "There is no observed detectable difference: not even the largest was significant; "
            f"{median}."
        )
    return first, (
        f"From {number(whole.observed_mde, digits=result.digits)} on, differences were found "
        f"95% of the time ({count(whole.above, 'comparison')}); {median}."
    )


def _could(result: ArchiveAudit) -> str:
    """Say what is underpowered at the target, and what would be enough."""
    whole = result.overall
    if math.isnan(whole.detectable):
        return "No standard error is known, so nothing can be said about power."
    if whole.budget is None:
        return "Without a target nothing can be said about power."
    target = number(result.target_difference, digits=result.digits)
    assumed = f"{target}," if result.target_given else f"{target}, the median of the archive,"
    said = (
        f"If the true difference is {assumed} {_percent(whole.underpowered)} of the "
        f"comparisons had less than {result.power:.0%} power"
    )
    enough = f"half would have it with {whole.budget:,} {result.counted} per system"
    return f"{said}; {enough} (the median was {whole.n:,.0f})."


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}%"


def _pairing(result: ArchiveAudit) -> list[str]:
    """Say what the same judgments decide in pairs, where they can be paired."""
    whole, paired = result.overall, result.overall.paired
    if paired is None:
        return []
    said = (
        f"Paired by rater and item, the same judgments decide {paired.significant:,} of "
        f"{paired.total:,} ({_percent(paired.significant / paired.total)})"
    )
    if paired.observed_mde is not None:
        mde = number(paired.observed_mde, digits=result.digits)
        said += f", from {mde} on 95% of the time"
    if whole.budget is not None and paired.budget is not None:
        said += f", and need {paired.budget:,} judgments per system instead of {whole.budget:,}"
    return [f"{said}."]
