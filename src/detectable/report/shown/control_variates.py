"""What means and differences with a metric show."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.rng import resolve
from detectable.core.verdict import differ, in_numbers, in_words
from detectable.core.wording import capital, count, number, p_statement, visible
from detectable.data.scores.scores import Scores
from detectable.report import blocks
from detectable.report.charts.forest import TwoWays, two_ways
from detectable.report.charts.marks import said_shapes
from detectable.report.render.csv import to_csv
from detectable.study.precision.control_variate_result import (
    POWER,
    AdjustedDifference,
    ControlVariates,
)
from detectable.study.precision.stratified import (
    Stratification,
    StratifiedMean,
    StratifiedMeans,
)

_FEW = 3  # pairs that are said in a sentence each
_MOST = 24  # rows of a picture


def show_control_variates(found: ControlVariates) -> Iterator[blocks.Block]:
    """Show what the metric saves, who is better, and the means with and without it."""
    yield _verdict(found)
    yield from _chart(found)
    yield _limits(found)
    if found.pairs:
        yield pairs(found)
    yield means(found)
    yield _checks(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def _verdict(found: ControlVariates) -> blocks.Verdict:
    """Say who is better, and then what the metric saves."""
    if not found.pairs:
        return blocks.Verdict("info", f"{_worth(found)}.", (_why(found),))
    first, *others = _said(found)
    status = blocks.status_of(found.pairs[0].verdict) if len(found.pairs) == 1 else "info"
    return blocks.Verdict(status, first, (*others, f"{_worth(found)}. {_why(found)}"))


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
            "of easy items that it does not see.",
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
    lines = [_sentence(found, pair) for pair in found.pairs]
    lines.append(
        f"{_worth(found)} (correlation {number(found.correlation)} within systems, data "
        f"efficiency {number(found.data_efficiency)})."
    )
    return "\n".join(lines)


def _sentence(found: ControlVariates, pair: AdjustedDifference) -> str:
    """Say one comparison; interval and both p-values are corrected for all pairs."""
    words = in_words(pair.verdict, pair.system, pair.baseline)
    words = capital(words) if pair.verdict == "undecided" else words  # others begin with a name
    numbers = in_numbers(pair.estimate, found.joint_interval(pair), p=pair.p_adjusted)
    return (
        f"{words}: {numbers} (without the metric {number(pair.plain_estimate, sign=True)}, "
        f"{p_statement(pair.plain_p_adjusted)})."
    )


# --- What a choice of items by bins shows, what their labels say, and the sheet to fill in ---

_MOST_OF_STRATIFIED = 24  # rows of a picture


def show_stratified_means(found: StratifiedMeans) -> Iterator[blocks.Block]:
    """Show means and differences, against those of a simple sample."""
    rows = found.pairs or found.systems
    saved = sum(1.0 - (row.standard_error / row.simple_standard_error) ** 2 for row in rows)
    share = saved / len(rows)
    worth = (
        f"The bins saved {share:.0%} of the judgments."
        if share >= 0.005
        else "The bins saved nothing."
    )
    yield blocks.Verdict("info", worth, tuple(_sentence_of_stratified(row) for row in rows[:3]))
    if len(rows) <= _MOST_OF_STRATIFIED:
        yield _chart_of_stratified(found, rows, share)
    text = (
        "These intervals are of each row alone: for a verdict on several differences a correction is "
        "needed."
    )
    yield blocks.Text("limits", "What this does not say", text)
    if found.pairs:
        yield _table(found, "pairs", "Differences", found.pairs)
    yield _table(found, "means", "Means", found.systems)
    yield from blocks.notes(found.notes)
    where = (
        "texts like those of the pool" if found.target == "domain" else "the items of the pool"
    )
    paragraph = (
        f"Means over {where} were estimated from a sample stratified by an automatic metric, with "
        f"intervals at level {1 - found.alpha:.0%}. {worth}"
    )
    yield blocks.Methods(paragraph)


def _name(row: StratifiedMean) -> str:
    return row.system if row.baseline is None else f"{row.system} − {row.baseline}"


def _number_of_stratified(row: StratifiedMean, value: float) -> str:
    return number(value, sign=row.baseline is not None)


def _sentence_of_stratified(row: StratifiedMean) -> str:
    low, high = (
        _number_of_stratified(row, end) for end in (row.interval.low, row.interval.high)
    )
    items = count(row.n_items, "item")
    return f"{_name(row)}: {_number_of_stratified(row, row.estimate)} [{low}, {high}] from {items}."


def _chart_of_stratified(
    found: StratifiedMeans, rows: tuple[StratifiedMean, ...], share: float
) -> blocks.Chart:
    made = tuple(
        TwoWays(
            _name(row),
            (row.estimate, _simple(row)),
            (row.estimate, row.interval),
            "",
            _number_of_stratified(row, row.estimate),
        )
        for row in sorted(rows, key=lambda row: -row.estimate)
    )
    title = (
        f"Bins of the metric narrow the intervals by {1 - (1 - share) ** 0.5:.0%}"
        if share >= 0.005
        else "Bins of the metric do not narrow the intervals"
    )
    caption = (
        f"Above, hollow: had the same items been drawn at random; below, filled: by bins. Lines: "
        f"{1 - found.alpha:.0%} intervals."
    )
    told = " ".join(_sentence_of_stratified(row) for row in rows[: blocks.LONG])
    axis = "difference" if found.pairs else "mean score"
    draw = partial(two_ways, made, title=axis, difference=bool(found.pairs))
    twin = "pairs" if found.pairs else "means"
    return blocks.Chart("intervals", title, caption, f"{title}. {told}", draw, twin, key=True)


def _simple(row: StratifiedMean) -> Interval:
    """Return the interval had the same items been drawn at random."""
    wider = row.simple_standard_error / row.standard_error
    low, high = (
        row.estimate + wider * (end - row.estimate)
        for end in (row.interval.low, row.interval.high)
    )
    return Interval(low, high, row.interval.level)


def _table(
    found: StratifiedMeans, id: str, title: str, rows: tuple[StratifiedMean, ...]
) -> blocks.Table:
    signed = id == "pairs"
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name") if signed else None,
        blocks.Column("estimate", "difference" if signed else "mean", sign=signed),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", sign=signed),
        blocks.Column("standard_error", "SE", keep=2),
        blocks.Column(
            "simple_standard_error", "SE of a simple sample", short="SE simple", keep=3
        ),
        blocks.Column("n_items", "items", "count", keep=4),
    )
    return blocks.table(id, title, columns, rows, folded=len(rows) > blocks.LONG)


# --- What a choice of items by bins of a metric shows ---


def show_stratification(found: Stratification) -> Iterator[blocks.Block]:
    """Show how many items were chosen, from which bins."""
    bins = count(len(found.strata), "bin")
    chosen = f"{count(len(found.items), 'item')} of {found.n_pool:,} chosen from {bins}"
    detail = f"The bins hold {found.captured:.0%} of the metric's variance."
    yield blocks.Verdict("info", f"{chosen}.", (detail,))
    text = (
        "The variance of a mean human score falls by about that share times the squared correlation "
        "of metric and judgments; with a useless metric nothing is lost."
    )
    yield blocks.Text("limits", "What this can save", text)
    columns = (
        blocks.Column("low", "from", digits=3),
        blocks.Column("high", "to", digits=3),
        blocks.Column("n_pool", "in the pool", "count"),
        blocks.Column("n_chosen", "chosen", "count"),
    )
    folded = len(found.strata) > blocks.LONG
    yield blocks.table("strata", "Bins of the metric", columns, found.strata, folded=folded)
    yield from blocks.notes(found.notes)
    paragraph = (
        f"{chosen} of an automatic metric, in proportion to their sizes, so that the judged "
        f"items resemble the pool; the bins hold {found.captured:.0%} of the metric's variance."
    )
    yield blocks.Methods(paragraph)


# --- A sheet of items to be labelled, for people to fill in ---

_HEADER = ("system", "item", "document", "score")


def label_sheet(chosen: Stratification, scores: Scores) -> str:
    """Return CSV text with a row per chosen item and system, and an empty score to fill in.

    Rows stand in an order drawn from the seed of the choice, so that no rater sees the bins. Filled
    in, the sheet is a table of judgments.

    Parameters
    ----------
    chosen : Stratification
        From `stratify`.
    scores : Scores
        The judge's, from which it was chosen: they name systems and items.

    Examples
    --------
    >>> from detectable.study.precision.stratified import stratify
    >>> scores = Scores.build({"A": [0.1, 0.5, 0.7, 0.9]}, items=["a", "b", "c", "d"])
    >>> sheet = label_sheet(stratify(scores, 2, bins=1, rng=1), scores)
    >>> sheet.splitlines()[0], len(sheet.splitlines())
    ('system,item,score', 3)
    """
    place = {item: i for i, item in enumerate(scores.items)}
    absent = [item for item in chosen.items if item not in place]
    if absent:
        raise InputError(f"`scores` must hold all chosen items; {absent[0]!r} is not there.")
    rows = [
        (system, item, "" if scores.documents is None else scores.documents[place[item]], "")
        for item in chosen.items
        for system in scores.systems
    ]
    seed = chosen.signature.seed
    rng, _ = resolve(int(seed) if seed is not None and seed.isdecimal() else 0)
    order = rng.permutation(len(rows)).tolist()
    keep = [i for i, name in enumerate(_HEADER) if name != "document" or scores.documents]
    return to_csv([_HEADER[i] for i in keep], ([rows[r][i] for i in keep] for r in order))


def say_stratification(found: Stratification) -> str:
    """Say how many items were drawn from how many bins."""
    return (
        f"{count(len(found.items), 'item')} of {found.n_pool:,} chosen, in proportion from "
        f"{count(len(found.strata), 'bin')} that hold {found.captured:.0%} of the metric's "
        "variance."
    )


def say_stratified_means(found: StratifiedMeans) -> str:
    """Say every difference, or the mean of a single system."""
    return "\n".join(map(_sentence_of_stratified, found.pairs or found.systems))
