"""What means and differences with a metric show."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.verdict import differ, in_numbers, in_words
from detectable.core.wording import capital, count, number, p_statement, visible
from detectable.report import blocks
from detectable.report.charts.forest import TwoWays, two_ways
from detectable.report.charts.marks import said_shapes
from detectable.study.precision.control_variate_result import (
    POWER,
    AdjustedDifference,
    ControlVariates,
    Weighting,
)

_FEW = 3  # pairs that are said in a sentence each
_MOST = 24  # rows of a picture


def show_control_variates(found: ControlVariates) -> Iterator[blocks.Block]:
    """Show what the metric saves, who is better, and the means with and without it."""
    grouped = found.weighting is not None and bool(found.weighting.groups)
    yield _verdict(found)
    if not grouped:
        yield from _chart(found)
        yield _limits(found)
    if found.pairs:
        yield pairs(found)
    if found.weighting is not None and grouped:
        yield _groups(found.weighting)
    yield means(found)
    yield _checks(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def _verdict(found: ControlVariates) -> blocks.Verdict:
    """Say who is better, and then what the metric saves."""
    if found.weighting is not None and found.weighting.groups:
        first, *others = _of_groups(found, found.weighting)
        return blocks.Verdict("info", first, tuple(others))
    chosen = _choice(found)
    if not found.pairs:
        return blocks.Verdict("info", f"{_worth(found)}.", (_why(found), *chosen))
    first, *others = _said(found)
    status = blocks.status_of(found.pairs[0].verdict) if len(found.pairs) == 1 else "info"
    return blocks.Verdict(status, first, (*others, f"{_worth(found)}. {_why(found)}", *chosen))


def _of_groups(found: ControlVariates, weighting: Weighting) -> list[str]:
    """Say a share that was put together from groups, theirs, and what the labels alone would say."""
    [row] = found.systems
    low, high = (f"{end:.1%}" for end in (row.interval.low, row.interval.high))
    parts = []
    for group in weighting.groups:
        name = f"the {group.n_pool:,} with "
        name += "one weight" if group.score is None else f"score {group.score:g}"
        part = "" if group.n_items == group.n_pool else f" ({group.n_items:,} labelled)"
        parts.append(f"of {name} {group.share:.1%}{part}")
    listed = ", ".join(parts)
    return [
        f"{row.system}: {row.mean:.1%} [{low}, {high}], weighted.",
        f"O{listed[1:]}.",
        f"Without the weights it would be {weighting.unweighted:.1%}.",
    ]


def _choice(found: ControlVariates) -> tuple[str, ...]:
    """Say what choosing items saved over drawing them at random, where the record tells it."""
    if found.weighting is None or found.weighting.saved is None:
        return ()
    ratio, error = found.weighting.saved.ratio, found.weighting.saved.standard_error
    numbers = f"(ratio {number(ratio)}, standard error {number(error)})"
    change = abs(1.0 - ratio)
    if change < 0.005:
        return (f"Choosing them took as much as a random draw would have {numbers}.",)
    word = "less" if ratio < 1.0 else "more"
    return (f"Choosing them took {change:.0%} {word} than a random draw would have {numbers}.",)


def _why(found: ControlVariates) -> str:
    return (
        f"Correlation {number(found.correlation)} within systems, data efficiency "
        f"{number(found.data_efficiency)}."
    )


def _said(found: ControlVariates) -> tuple[str, ...]:
    """Return a sentence per pair where there are few, else how many differ significantly."""
    if len(found.pairs) <= _FEW:
        return tuple(_sentence(found, pair) for pair in found.pairs)
    apart = sum(pair.verdict != "undecided" for pair in found.pairs)
    plain = sum(found.plain_verdict(pair) != "undecided" for pair in found.pairs)
    differing = differ(apart, len(found.pairs))
    return (f"{differing}; {plain:,} without the metric.",)


def _chart(found: ControlVariates) -> Iterator[blocks.Chart]:
    """Yield both intervals of every difference, or of every mean where these are fewer."""
    if 0 < len(found.pairs) <= _MOST:
        one = len({pair.baseline for pair in found.pairs}) == 1 and len(found.pairs) > 1
        rows = tuple(
            TwoWays(
                pair.system if one else f"{pair.system} − {pair.baseline}",
                (pair.plain_estimate, found.plain_interval(pair)),
                (pair.estimate, found.joint_interval(pair)),
                pair.verdict,
                _saved(pair.saved),
            )
            for pair in sorted(found.pairs, key=lambda pair: -pair.estimate)
        )
        to = f" to {found.pairs[0].baseline}" if one else ""
        draw = partial(two_ways, rows, title=f"difference{to}", difference=True)
        twin = "pairs"
    elif len(found.systems) <= _MOST:
        rows = tuple(
            TwoWays(
                row.system,
                (row.plain_mean, row.plain_interval),
                (row.mean, row.interval),
                "",
                _saved(row.saved),
            )
            for row in sorted(found.systems, key=lambda row: -row.mean)
        )
        draw = partial(two_ways, rows, title="mean score", difference=False)
        twin = "means"
    else:
        return
    title = _title(found, rows)
    told = [
        f"{row.name}: {_number(row.before[0], twin)} by judgments alone, "
        f"{_number(row.after[0], twin)} with {found.metric}, {row.beside}."
        for row in rows[: blocks.LONG]
    ]
    if len(rows) > blocks.LONG:
        told.append(f"And {len(rows) - blocks.LONG} more in the table.")
    yield blocks.Chart(
        "intervals",
        title,
        _caption(found, rows, twin),
        f"{title}. {' '.join(told)}",
        draw,
        twin,
        key=True,
    )


def _saved(share: float) -> str:
    return f"{share:.0%} saved" if share >= 0.005 else "none saved"


def _number(value: float, twin: str) -> str:
    return number(value, sign=twin == "pairs")


def _title(found: ControlVariates, rows: tuple[TwoWays, ...]) -> str:
    """Say how much narrower the intervals are, on average over what is drawn."""
    ratios = [_width(row.after) / _width(row.before) for row in rows if _width(row.before)]
    narrower = 1.0 - sum(ratios) / len(ratios) if ratios else 0.0
    if narrower < 0.005:
        return f"{_capital(found.metric)} does not narrow the intervals"
    mean = " on average" if len(rows) > 1 else ""
    which = "intervals" if len(rows) > 1 else "interval"
    return f"{_capital(found.metric)} narrows the {which} by {narrower:.0%}{mean}"


def _capital(name: str) -> str:
    """Return how the name of a metric begins a sentence: files without a name give “the metric”."""
    return "The metric" if name == "the metric" else name


def _width(way: tuple[float, object]) -> float:
    interval = way[1]
    return float(interval.high - interval.low)  # type: ignore[attr-defined]


def _caption(found: ControlVariates, rows: tuple[TwoWays, ...], twin: str) -> str:
    level = f"{1 - found.alpha:.0%}"
    over = ""
    if twin == "pairs" and len(rows) > 1:
        over = f", over all {count(len(rows), 'pair')}"
    shapes = f" {said_shapes([row.verdict for row in rows])}" if twin == "pairs" else ""
    return (
        f"Above, hollow: judgments alone; below, filled: with {found.metric}. Lines: {level} "
        f"intervals{over}.{shapes} Beside: judgments that the metric saves at equal precision."
    )


def _limits(found: ControlVariates) -> blocks.Text:
    """Say what a metric can save at best, and what such data find."""
    known = [pair.correlation for pair in found.pairs if not math.isnan(pair.correlation)]
    squares = sorted(rho**2 for rho in known or [found.correlation])
    best = _span([f"{square:.0%}" for square in squares])
    what = "these differences" if known else "a system"
    text = (
        f"At best, known on endless items, such a metric saves {best} of the judgments of {what}: "
        "the square of its correlation with them."
    )
    if found.quality_share is not None:
        text += (
            f" Raters scatter: with the quality of an item itself it correlates at "
            f"{number(found.true_correlation)}."
        )
    seen = sorted(found.detectable(pair) for pair in found.pairs)
    if seen:
        digits = visible(seen[0], 2)
        span = _span([number(value, digits=digits) for value in seen])
        text += (
            f" With these judgments and {found.metric} a true difference of {span} is found with "
            f"{POWER:.0%} power. Smaller ones are usually missed."
        )
    return blocks.Text("limits", "What this evaluation could have shown", text)


def _span(ordered: list[str]) -> str:
    """Return the first and the last of some numbers."""
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def pairs(found: ControlVariates) -> blocks.Table:
    """Return the differences with and without the metric."""
    several = len(found.pairs) > 1
    level = f"{1 - found.alpha:.0%} interval"
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("estimate", "difference", sign=True, short="diff."),
        blocks.Column(
            "interval_joint",
            f"joint {level}",
            "interval",
            sign=True,
            help="over all pairs, as the verdict",
            of=found.joint_interval,
        )
        if several
        else None,
        blocks.Column(
            "interval",
            level,
            "interval",
            sign=True,
            keep=blocks.DATA_ONLY if several else 1,
        ),
        blocks.Column("p_value", "p", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p corrected", "p", short="p corr."),
        blocks.Column("standard_error", "SE", keep=3),
        blocks.Column("plain_estimate", "plain difference", sign=True, keep=blocks.DATA_ONLY),
        blocks.Column("plain_standard_error", "SE plain", keep=4),
        blocks.Column("saved", "saved", "share", digits=0, keep=2),
        blocks.Column("n_items", "items", "count", keep=5),
        blocks.Column(
            "paired",
            "items shared",
            "text",
            keep=6 if any(not pair.paired for pair in found.pairs) else blocks.DATA_ONLY,
            of=lambda p: "yes" if p.paired else "no",
        ),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    return blocks.contrasts("pairs", "Differences", columns, found.pairs)


def _groups(weighting: Weighting) -> blocks.Table:
    """Return the share of every group of labelled items."""
    columns = (
        blocks.Column("score", "judge's score", "number", digits=0),
        blocks.Column("n_pool", "in the pool", "count"),
        blocks.Column("n_items", "labelled", "count"),
        blocks.Column("share", "share of ones", "share", digits=1),
    )
    return blocks.table("groups", "Labels by group", columns, weighting.groups)


def means(found: ControlVariates) -> blocks.Table:
    """Return the mean of every system with and without the metric."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("mean", "mean"),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval"),
        blocks.Column("standard_error", "SE", keep=2),
        blocks.Column("plain_mean", "plain mean", keep=3),
        blocks.Column("plain_standard_error", "SE plain", keep=3),
        blocks.Column("slope", "λ", keep=5),
        blocks.Column("correlation", "correlation", short="corr.", keep=4),
        blocks.Column("n_items", "items", "count", keep=4),
        blocks.Column("n_pool", "pool", "count", keep=5),
    )
    return blocks.table("means", "Means", columns, found.systems)


def _checks(found: ControlVariates) -> blocks.Text:
    """Return whom the claims are about, and what the metric changed."""
    population = (
        "The claims are about texts like those of the pool."
        if found.target == "domain"
        else "The claims are about the items of the pool only, not about texts like them."
    )
    points: list[tuple[blocks.Mark, str]] = [
        ("plain", population),
        (
            "plain",
            "The judged items must be a random sample of the pool: a metric cannot repair a choice "
            "of easy items that it does not see."
            if found.weighting is None
            else "The judged items were drawn with the probabilities that their weights say; all that "
            "were drawn must be judged.",
        ),
    ]
    changed = [pair for pair in found.pairs if found.plain_verdict(pair) != pair.verdict]
    if found.pairs:
        total = count(len(found.pairs), "verdict")
        if changed:
            points.append(
                ("plain", f"Without the metric {len(changed)} of {total} would be another.")
            )
        else:
            points.append(("ok", "Without the metric every verdict would be the same."))
    apart = sum(not pair.paired for pair in found.pairs)
    if apart:
        points.append(
            (
                "look",
                f"{count(apart, 'pair')} of {len(found.pairs):,} hardly share judged items.",
            )
        )
    return blocks.Text("checks", "Assumptions and checks", points=tuple(points))


def _methods(found: ControlVariates) -> blocks.Methods:
    """Return the paragraph for a paper."""
    sizes = sorted(row.n_items for row in found.systems)
    judged = _span([f"{size:,}" for size in sizes])
    pool = max(row.n_pool for row in found.systems)
    errors = (
        "Standard errors allow for items of one document being alike."
        if found.unit == "document"
        else "Items were taken as independent."
    )
    tested = ""
    if found.pairs:
        correction = (
            f", corrected for {count(len(found.pairs), 'comparison')} by Holm's procedure"
            if len(found.pairs) > 1
            else ""
        )
        tested = f" Differences were tested two-sided at α = {found.alpha:g}{correction}."
    paragraph = (
        f"Human scores of {judged} judged items per system were combined with {found.metric}, known "
        f"on {pool:,} items, as a control variate with an estimated slope. {errors}{tested} The "
        f"metric correlates at {number(found.correlation)} with the judgments within systems; at "
        f"equal precision it saves {max(found.saved, 0.0):.0%} of the judgments."
    )
    if found.weighting is not None:
        paragraph += (
            " Items were drawn with unequal probabilities and weigh by their inverse; errors are of the "
            "CR2 form over units."
            if not found.weighting.groups
            else " Items were labelled in groups of different shares; limits of the groups were joined "
            "by MOVER."
        )
    cite = ("chaganty-etal-2018", "angelopoulos-etal-2023")
    return blocks.Methods(paragraph, (*cite, *(("holm-1979",) if len(found.pairs) > 1 else ())))


def _worth(found: ControlVariates) -> str:
    """Say what the metric saves."""
    name = "The metric" if found.metric == "the metric" else found.metric
    if found.saved < 0.005:
        return f"{name} saves no judgments here"
    return f"{name} saves {found.saved:.0%} of the judgments"


def say_control_variates(found: ControlVariates) -> str:
    """Say who is better, then what the metric saves."""
    if found.weighting is not None and found.weighting.groups:
        return "\n".join(_of_groups(found, found.weighting))
    lines = [_sentence(found, pair) for pair in found.pairs]
    lines.append(
        f"{_worth(found)} (correlation {number(found.correlation)} within systems, data "
        f"efficiency {number(found.data_efficiency)})."
    )
    return "\n".join([*lines, *_choice(found)])


def _sentence(found: ControlVariates, pair: AdjustedDifference) -> str:
    """Say one comparison; interval and both p-values are corrected for all pairs."""
    words = in_words(pair.verdict, pair.system, pair.baseline)
    words = capital(words) if pair.verdict == "undecided" else words  # others begin with a name
    numbers = in_numbers(pair.estimate, found.joint_interval(pair), p=pair.p_adjusted)
    return (
        f"{words}: {numbers} (without the metric {number(pair.plain_estimate, sign=True)}, "
        f"{p_statement(pair.plain_p_adjusted)})."
    )
