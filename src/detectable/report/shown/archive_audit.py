"""What an archive shows: its audit, the observed detectable difference, and what differences meant."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.wording import count, interval, number
from detectable.inference.observed_mde import ObservedMde
from detectable.report import blocks
from detectable.report.shown.comparison_words import agreed
from detectable.study.archive.meaning import (
    LABELS,
    WORTH,
    Elsewhere,
    Meaning,
    MeaningCurve,
    shipped_curve,
)
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
        headline = f"Past comparisons could detect {number(found.effect)}."
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


# --- What a metric difference meant to people ---


def show_meaning(result: Meaning) -> Iterator[blocks.Block]:
    """Show how often people agreed, by other archives too, and the curve."""
    first, *rest = _meaning_sentences(result)
    yield blocks.Verdict("info", first, tuple(rest))
    yield blocks.Pictures("archive_audit:difference_picture", result)
    columns = (
        blocks.Column("archive", "archive", "text"),
        blocks.Column("agreement", "agreement", "share", digits=1),
        blocks.Column("interval", "95% interval", "shares", digits=1),
    )
    own = Elsewhere(
        archive=result.archive, agreement=result.agreement, interval=result.interval
    )
    yield blocks.table("meaning", "How often people agreed", columns, [own, *result.elsewhere])
    yield from blocks.notes(result.notes)
    yield _meaning_methods(result.archive)


def say_meaning(result: Meaning) -> str:
    """Say how often people agreed with a difference of this size, and what is not sure about it."""
    return "\n".join(_meaning_sentences(result))


def _meaning_sentences(result: Meaning) -> list[str]:
    shown = number(result.difference, digits=1, sign=True)
    said = [f"{shown} {result.metric}: {agreed(result)}."]
    more = ""
    if not math.isnan(result.noise_free):
        more = (
            "Without the noise of human evaluation it would be at least about "
            f"{result.noise_free:.0%}."
        )
    low, high = result.language_pairs
    if not math.isnan(low):
        more += f" By language pair it varies: {100 * low:.0f} to {high:.0%} in four of five."
    if more:
        said.append(more.strip())
    where = (
        f"From {count(result.n_pairs, 'pair')} of systems, "
        f"{count(result.n_campaigns, 'campaign')} ({result.archive})."
    )
    others = "".join(
        f"At {one.archive} it was {one.agreement:.0%} "
        f"[{100 * one.interval.low:.0f}, {100 * one.interval.high:.0f}]. "
        for one in result.elsewhere
    )
    return [*said, f"{others}{where}"]


def show_meaning_curve(result: MeaningCurve) -> Iterator[blocks.Block]:
    """Show the curve of an archive with its interval, and what it rests on."""
    first, *rest = _curve_sentences(result)
    yield blocks.Verdict("info", first, tuple(rest))
    yield blocks.Pictures("archive_audit:meaning_picture", result)
    columns = (
        blocks.Column("difference", f"difference in {result.metric}"),
        blocks.Column(
            "agreement",
            "agreement",
            "share",
            digits=1,
            of=lambda point: result.agreement(point.difference),
        ),
        blocks.Column(
            "interval",
            "95% interval",
            "shares",
            digits=1,
            of=lambda point: Interval(point.low, point.high, 0.95),
        ),
        blocks.Column("noise_free", "without noise", "share", digits=1, keep=2),
    )
    yield blocks.table(
        "meaning", f"Agreement with differences in {result.metric}", columns, result.points
    )
    yield from blocks.notes(result.notes)
    yield _meaning_methods(result.archive)


def say_meaning_curve(result: MeaningCurve) -> str:
    """Say at which difference people agree in four of five comparisons, and what it rests on."""
    return "\n".join(_curve_sentences(result))


def _curve_sentences(result: MeaningCurve) -> list[str]:
    enough = _worth_from(result)
    first = (
        f"People agreed in four of five comparisons from a difference of {enough:.1f} "
        f"{result.metric} on."
        if enough is not None
        else f"No difference up to {result.limit:.1f} {result.metric} had four of five agreements."
    )
    return [
        first,
        f"From {count(result.n_pairs, 'pair')} of systems, "
        f"{count(result.n_campaigns, 'campaign')} ({result.archive}): people agreed in "
        f"{result.accuracy:.0%}. Nothing is said of differences above {result.limit:.1f}.",
    ]


def _worth_from(result: MeaningCurve) -> float | None:
    """Return the smallest difference with which people agreed often enough."""
    steps = (result.limit * k / 500 for k in range(1, 501))
    return next((x for x in steps if result.agreement(x) >= WORTH), None)


def meaning_picture(result: MeaningCurve) -> Iterator[blocks.Chart]:
    """Yield the curve with its band, and those of other archives beside it."""
    enough = _worth_from(result)
    title = (
        f"People agreed in four of five comparisons from {enough or 0:.1f} {result.metric} on"
    )
    if enough is None:
        title = (
            f"Four of five agreements are not reached up to {result.limit:.1f} {result.metric}"
        )
    yield _curve_chart(result, title)


def difference_picture(result: Meaning) -> Iterator[blocks.Chart]:
    """Yield the shipped curve with the difference on it; that of another archive is not at hand."""
    known = {label: name for name, label in LABELS.items()}
    if result.metric not in known:
        return
    curve = shipped_curve(known[result.metric])
    if curve.archive != result.archive:
        return
    shown = number(result.difference, digits=1, sign=True)
    title = f"{shown} {result.metric}: people agreed in {result.agreement:.0%} of comparisons"
    mark = (abs(result.difference), result.agreement, f"{shown} {result.metric}")
    yield _curve_chart(curve, title, (mark,))


def _curve_chart(
    curve: MeaningCurve, title: str, marks: tuple[tuple[float, float, str], ...] = ()
) -> blocks.Chart:
    from detectable.report.charts.agreement import AgreementLine, agreement_curve

    sizes = [curve.limit * k / 80 for k in range(81)]
    own = AgreementLine(
        curve.name,
        tuple((x, curve.agreement(x)) for x in sizes),
        tuple((x, *_ends(curve, x)) for x in sizes),
    )
    others = tuple(
        AgreementLine(other.archive, tuple((x, other.agreement(x)) for x in sizes))
        for other in curve.elsewhere
    )
    told = ", ".join(
        f"{curve.agreement(x):.0%} at {x:.1f}"
        for x in (curve.limit * part for part in (0.1, 0.25, 0.5, 1.0))
    )
    beside = " Dashed: another archive." if others else ""
    return blocks.Chart(
        "meaning",
        title,
        f"Share of past comparisons in which people agreed, with its 95% interval.{beside} Ticks: "
        f"between two of them lies a seventh of the pairs. {curve.archive}.",
        f"{title}. {told}.",
        lambda width: agreement_curve(
            own,
            others,
            curve.knots,
            f"difference in {curve.metric}",
            width=width,
            marks=marks,
        ),
        "meaning",
        key=True,
    )


def _ends(result: MeaningCurve, x: float) -> tuple[float, float]:
    found = result.at(x).interval
    return found.low, found.high


def _meaning_methods(archive: str) -> blocks.Methods:
    return blocks.Methods(
        "How often people agreed with a metric difference is a logistic curve through one half at "
        "zero that never falls, fitted to pairs of systems of past campaigns up to the 95% quantile "
        f"of differences ({archive}); intervals resample whole campaigns. The agreement without "
        "noise is by SIMEX (Cook and Stefanski, 1994).",
        ("kocmi-etal-2021", "cook-stefanski-1994")
        if "ShipData" in archive
        else ("cook-stefanski-1994",),
    )
