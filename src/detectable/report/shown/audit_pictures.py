"""The pictures of an audit of an archive."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from detectable.core.wording import count, number
from detectable.report.blocks import Chart
from detectable.report.charts.past import (
    ROWS,
    PastGroup,
    are_bars,
    differences_by_size,
    past_comparisons,
    reach,
)
from detectable.report.charts.runs import Values, histograms
from detectable.study.audit.archive_audit import (
    NOT_NAMED,
    ArchiveAudit,
    GroupTally,
    detectable_differences,
)
from detectable.study.audit.past_comparisons import SeenDifferences

SHARE = 0.95  # of the comparisons above an observed detectable difference, as `tally` has it


def past(result: ArchiveAudit) -> Iterator[Chart]:
    """Yield all comparisons by the size of their difference, group by group."""
    groups = _groups(result)
    if not groups:
        return
    title = _title(result)
    yield Chart(
        "comparisons",
        title,
        _caption(result, groups),
        f"{title}. {_told(result)}",
        partial(past_comparisons, groups, digits=result.digits),
        "comparisons",
        key=True,
    )


def by_judgments(result: ArchiveAudit) -> Iterator[Chart]:
    """Yield all comparisons by difference and judgments (figure 2 of wei2022)."""
    seen, whole = result.past.tested, result.overall
    rows = ~np.isnan(seen.p_value) & ~np.isnan(seen.difference) & ~np.isnan(seen.n)
    if not rows.any():
        return
    group = PastGroup(
        whole.group,
        np.abs(seen.difference[rows]).tolist(),
        (seen.p_value[rows] < result.alpha).tolist(),
        whole.observed_mde,
        whole.above,
    )
    left = whole.total - whole.above
    title = f"Not even the largest of {count(whole.total, 'difference')} was significant"
    line = ""
    if whole.observed_mde is not None:
        mde = number(whole.observed_mde, digits=result.digits)
        title = (
            f"{left:,} of {count(whole.total, 'difference')} are below {mde}, the observed MDE"
        )
        right = (1.0 - result.alpha) * SHARE
        line = (
            f" Right of the line {SHARE:.0%} were significant, so about {right:.0%} of the verdicts "
            "there are right, if no two systems are equal."
        )
    caption = (
        f"A dot per comparison, with the {result.counted} behind it. ● significant at "
        f"{result.alpha:g}, ○ not.{line}"
    )
    draw = partial(
        differences_by_size,
        group,
        seen.n[rows].tolist(),
        counted=result.counted,
        digits=result.digits,
    )
    yield Chart("past", title, caption, f"{title}. {_told(result)}", draw, "comparisons")


def _drawn(result: ArchiveAudit) -> Sequence[GroupTally]:
    return (result.overall,) if result.by is None else result.groups[:ROWS]


def _groups(result: ArchiveAudit) -> tuple[PastGroup, ...]:
    seen = result.past.tested
    tested = ~np.isnan(seen.p_value) & ~np.isnan(seen.difference)
    names = np.full(len(result.past), "")
    if result.by is not None:
        names = np.array([name or NOT_NAMED for name in result.past.labels[result.by]])
    made = []
    for tally in _drawn(result):
        rows = tested & (names == tally.group) if result.by is not None else tested
        if rows.any():
            made.append(
                PastGroup(
                    tally.group,
                    np.abs(seen.difference[rows]).tolist(),
                    (seen.p_value[rows] < result.alpha).tolist(),
                    tally.observed_mde,
                    tally.above,
                )
            )
    return tuple(made)


def _title(result: ArchiveAudit) -> str:
    whole = result.overall
    if whole.observed_mde is None:
        return f"Not even the largest of {count(whole.total, 'difference')} was significant"
    sizes = np.abs(result.past.tested.difference)
    smaller = float(np.mean(sizes[~np.isnan(sizes)] < whole.observed_mde))
    return (
        f"Differences from {number(whole.observed_mde, digits=result.digits)} on were found; "
        f"{smaller:.0%} of {count(whole.total, 'difference')} were smaller"
    )


def _caption(result: ArchiveAudit, groups: Sequence[PastGroup]) -> str:
    if are_bars(groups):
        own = ", each group on a height of its own" if len(groups) > 1 else ""
        parts = [
            f"Bars: how many comparisons{own}; blue: significant at {result.alpha:g}, grey: not."
        ]
    else:
        parts = [f"● significant at {result.alpha:g}, ○ not."]
    parts.append(
        "Tick: observed detectable difference, from which on 95% were significant; in brackets: how "
        "many it stands on."
    )
    if any(size > reach(groups) for group in groups for size in group.sizes):
        parts.append(f"Differences over {reach(groups):g} are drawn there.")
    if result.by is not None and len(result.groups) > ROWS:
        parts.append(f"The {ROWS} largest of {len(result.groups):,} groups.")
    return " ".join(parts)


def _told(result: ArchiveAudit) -> str:
    told = []
    for group in _drawn(result):
        found = (
            "no detectable difference"
            if group.observed_mde is None
            else f"from {number(group.observed_mde, digits=result.digits)} on ({group.above:,} above)"
        )
        told.append(
            f"{group.group}: {group.significant:,} of {group.total:,} significant, {found}."
        )
    return " ".join(told)


def detectable(result: ArchiveAudit) -> Iterator[Chart]:
    """Yield what each comparison could detect, beside the difference that is asked for."""
    target = result.target_difference
    parts = [("As published", result.past.tested)]
    if result.past.paired is not None:
        parts.append(("Paired by rater and item", result.past.paired))
    values = tuple(_values(result, title, seen) for title, seen in parts)
    if math.isnan(target) or not values[0].values:
        return
    whole = result.overall
    shown = number(target, digits=result.digits)
    title = (
        f"{whole.underpowered:.0%} of past comparisons had less than {result.power:.0%} power for a "
        f"difference of {shown}"
    )
    if whole.paired is not None and not math.isnan(whole.paired.underpowered):
        title += f"; {whole.paired.underpowered:.0%} if paired"
    caption = (
        f"What each comparison detects with {result.power:.0%} power, by its own standard error. "
        f"Blue: {shown} or less, the difference that is asked for; grey: more. The last bar holds "
        "all beyond."
    )
    alt = f"{title}. The median comparison detects {number(whole.detectable, digits=result.digits)}."
    yield Chart(
        "power",
        title,
        caption,
        alt,
        partial(
            histograms,
            values,
            cut=target,
            said=f"asked for: {shown}",
            axis="detectable difference",
            good="below",
        ),
        "power",
    )


def _values(result: ArchiveAudit, title: str, seen: SeenDifferences) -> Values:
    found = detectable_differences(seen, alpha=result.alpha, power=result.power)
    known = found[np.isfinite(found)]
    about = f"{count(known.size, 'comparison')} by detectable difference"
    return Values(title, about, tuple(known.tolist()))
