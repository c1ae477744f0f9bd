"""What a comparison shows: its pairs, its tasks, its samples."""

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from detectable.core.interval import Interval
from detectable.core.verdict import differ, verdicts_against
from detectable.core.wording import (
    count,
    listing,
    number,
    visible,
)
from detectable.report import blocks
from detectable.report.methods.comparison import methods
from detectable.report.methods.shared import detectable_differences
from detectable.report.shown.comparison_words import (
    design,
    disagreements,
    evidence,
    hangs_on,
    headline,
    meaning_sentence,
    meant,
    naive_remarks,
    needed,
    pair_sentence,
    scope,
)
from detectable.report.shown.drawn_runs import drawn_runs
from detectable.report.shown.ordered import (
    best_in_tasks,
    comparison_test,
    interval_label,
    leaders,
    mde_label,
    of_tasks,
    p_columns,
    ranks_of,
    verdicts_of,
    who_may_be_best,
)
from detectable.report.shown.reverse_created import reverse_created
from detectable.study.comparison.result import (
    Comparison,
    PairComparison,
    SystemScore,
    TellingUnit,
)

if TYPE_CHECKING:
    from detectable.study.comparison.parts import TaskRow

FEW = 3  # verdicts that are said in a sentence each


def show_comparison(result: Comparison) -> Iterator[blocks.Block]:
    """Show verdicts, scores, differences, what could not have been seen, and what to read."""
    yield verdict(result)
    yield systems(result)
    yield blocks.Papers("paper_tables:of_comparison", result)
    yield blocks.Pictures("comparison_pictures:differences", result)
    yield _limits(result)
    if len(result.metrics) > 1 and len(result.pairs) > FEW:
        yield from _verdicts(result)
    yield pairs(result)
    yield from answers(result)
    yield from leaders(result)
    yield from meant(result)
    yield from tasks(result)
    yield blocks.Pictures("comparison_pictures:all_pairs", result)
    yield from _matrices(result)
    yield from samples(result)
    yield blocks.Pictures("comparison_pictures:single_runs", result)
    yield from drawn_runs(result)
    yield blocks.Pictures("comparison_pictures:drawn_runs", result)
    yield from _documents(result)
    yield from _segments(result)
    yield from _checks(result)
    yield from reverse_created(result.reverse)
    yield from blocks.notes(result.notes)
    yield methods(result)


def verdict(result: Comparison) -> blocks.Verdict:
    """Return a sentence per pair where there are few, else how many are better and worse."""
    clash = tuple(f"{sentence}." for sentence in disagreements(result))
    if len(result.pairs) <= FEW:
        first, *others = result.pairs
        said = [evidence(result, first), meaning_sentence(result, first)]
        for pair in others:
            said += [pair_sentence(result, pair), meaning_sentence(result, pair)]
        said = [sentence for sentence in said if sentence]
        return blocks.Verdict(
            blocks.status_of(first.verdict), headline(result, first), (*said, *clash)
        )
    metric = result.metrics[0]["metric"]
    told = [pair for pair in result.pairs if pair.metric == metric]
    label = result.label(metric)
    baselines = {pair.baseline for pair in told}
    if len(baselines) == 1 and not result.groups:
        counted = Counter(pair.verdict for pair in told)
        head = (
            f"{label}: {verdicts_against(told[0].baseline, [pair.verdict for pair in told])}."
        )
        named = [
            f"{word.capitalize()}: {_names(told, word)}." for word in counted if counted[word]
        ]
        return blocks.Verdict("info", head, (" ".join(named), *clash))
    if result.claim != "better":
        shown = sum(pair.verdict == result.claim for pair in told)
        head = f"{shown:,} of {count(len(told), 'pair')} shown to be {result.claim} in {label}."
        return blocks.Verdict("info", head, clash)
    apart = sum(pair.verdict not in ("undecided", "equivalent") for pair in told)
    differing = f"{differ(apart, len(told))}."
    if result.standings is not None:
        head = f"{label}: {who_may_be_best(result, metric)}"
        mean = f"In the mean over {of_tasks(result)}, {differing}"
        return blocks.Verdict("info", head, (mean, *best_in_tasks(result, metric), *clash))
    return blocks.Verdict("info", f"{label}: {differing}", (*_groups(result, metric), *clash))


def _naive_method(result: Comparison) -> str:
    return next(pair.naive.method for pair in result.pairs if pair.naive is not None)


def _names(told: Sequence[PairComparison], word: str) -> str:
    return listing([pair.system for pair in told if pair.verdict == word], most=12)


def _groups(result: Comparison, metric: str) -> tuple[str, ...]:
    groups = result.groups.get(metric, ())
    if not groups:
        return ()
    if len(groups) == 1:
        return (f"All {len(groups[0])} systems are in one group.",)
    first = ", ".join(groups[0])
    if len(groups[0]) > blocks.LONG:  # names that the matrix shows
        first = count(len(groups[0]), "system")
    return (f"{count(len(groups), 'group')}; the best: {first}.",)


def _limits(result: Comparison) -> blocks.Text:
    """Say what such an evaluation finds, and what it usually misses."""
    units = count(result.n_units, result.unit_word)
    if result.unit == "document":
        units += f" ({count(result.n_segments, result.item_word)})"
    said = detectable_differences(result, between=" to ")
    seen = listing(said, most=len(said))
    text = f"Tested on {units}."
    # Where every pair is undecided and has its own sentence, that says it already.
    if said and not (len(result.pairs) <= FEW and _all_undecided(result)):
        text = _found(result, units, seen)
    elif any(
        pair.attainable_p > result.alpha and math.isnan(pair.mde) for pair in result.pairs
    ):
        text = (
            f"{text} No p-value of so few can be small enough: nothing could have been shown."
        )
    text = " ".join(part for part in (text, design(result), scope(result)) if part)
    return blocks.Text("limits", "What this evaluation could have shown", text, _needed(result))


def _found(result: Comparison, units: str, seen: str) -> str:
    if result.claim != "better":
        return (
            f"With {units}, equal systems would be shown to keep a margin of {seen} with "
            f"{result.power:.0%} power."
        )
    return (
        f"With {units} a true difference of {seen} is found with {result.power:.0%} power. "
        "Smaller ones are usually missed."
    )


def answers(result: Comparison) -> Iterator[blocks.Table]:
    """Yield what McNemar's test counts: items that both, one or none of a pair gets right."""
    if result.test != "mcnemar":
        return
    right = {
        one.system: round(one.score * result.n_units)
        for one in result.systems
        if result.metrics[0]["metric"] == one.metric
    }
    rows = []
    for pair in result.pairs:
        if pair.n_differing is None or pair.metric != result.metrics[0]["metric"]:
            continue
        ahead = right[pair.system] - right[pair.baseline]
        only = (pair.n_differing + ahead) // 2
        both = right[pair.system] - only
        rest = result.n_units - both - pair.n_differing
        rows.append((pair.system, pair.baseline, both, only, pair.n_differing - only, rest))
    names = ("system", "against", "both", "only_system", "only_against", "neither")
    titles = ("system", "against", "both right", "only system", "only other", "neither")
    columns = [
        blocks.Column(
            name, title, "name" if place < 2 else "count", of=operator.itemgetter(place)
        )
        for place, (name, title) in enumerate(zip(names, titles, strict=True))
    ]
    if rows:
        yield blocks.table(
            "answers", "Items that are right", columns, rows, folded=len(rows) > blocks.LONG
        )


def _all_undecided(result: Comparison) -> bool:
    return all(pair.verdict == "undecided" for pair in result.pairs)


def _needed(result: Comparison) -> tuple[tuple[blocks.Mark, str], ...]:
    """Say for each named effect how much data it takes."""
    points: list[tuple[blocks.Mark, str]] = []
    for pair in result.pairs:
        if pair.metric not in result.effect or len(result.pairs) > blocks.LONG:
            continue
        needs = needed(result, pair)
        if needs:
            who = f"{pair.system} against {pair.baseline}, {result.label(pair.metric)}"
            points.append(("plain", f"{who}: {needs}."))
    return tuple(points)


def _verdicts(result: Comparison) -> Iterator[blocks.Table]:
    """Yield one row per pair and one column per metric; for all pairs there is the matrix."""
    if result.groups:
        return
    metrics = [about["metric"] for about in result.metrics]
    at: dict[tuple[str, str], str] = {
        (pair.metric, pair.system): pair.verdict for pair in result.pairs
    }
    first = [pair for pair in result.pairs if pair.metric == metrics[0]]
    columns = [blocks.Column("system", "system", "name")]
    columns += [
        blocks.Column(metric, result.label(metric), "verdict", of=partial(_at, at, metric))
        for metric in metrics
    ]
    yield blocks.table("verdicts", "Verdicts by metric", columns, first)


def _at(at: dict[tuple[str, str], str], metric: str, pair: PairComparison) -> str:
    return at[metric, pair.system]


def _matrices(result: Comparison) -> Iterator[blocks.Matrix]:
    """Yield all pairs at a glance, where every pair was tested and there are many."""
    few = len(result.pairs) <= FEW * len(result.metrics)
    if not result.groups or few or result.claim != "better":
        return
    from detectable.report.shown.paper_tables import pair_numbers

    for about in result.metrics:
        metric = about["metric"]
        if metric not in result.groups:
            continue
        names = [name for group in result.groups[metric] for name in group]
        found = [pair for pair in result.pairs if pair.metric == metric]
        apart = sum(pair.verdict not in ("undecided", "equivalent") for pair in found)
        title = f"All pairs in {result.label(metric)}: {differ(apart, len(found))}"
        yield blocks.Matrix(
            f"matrix-{metric}",
            title,
            tuple(names),
            verdicts_of(names, found),
            numbers=pair_numbers(result, metric, names),
            beside=_beside(result, metric, names),
        )


def _beside(result: Comparison, metric: str, names: Sequence[str]) -> blocks.Table:
    """Return what is said of every system beside its pairs."""
    at = {row.system: row for row in result.systems if row.metric == metric}
    columns = (
        blocks.Column("group", "group", "count", keep=2),
        blocks.Column("system", "system", "name"),
        blocks.Column("score", result.label(metric), digits=result.digits(metric)),
    )
    return blocks.table("systems", "Scores", columns, [at[name] for name in names])


def systems(result: Comparison) -> blocks.Table:
    """Return scores with intervals; runs and rank groups where there are any."""
    several = any(len(row.runs) > 1 for row in result.systems)
    developed = any(row.s_dev == row.s_dev for row in result.systems)
    standing = result.standings.systems if result.standings is not None else ()
    ranks = {(row.metric, row.system): row for row in standing}

    def digits(row: SystemScore) -> int:
        return result.digits(row.metric)

    columns = (
        blocks.Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        blocks.Column(
            "ranks", "ranks", "text", of=lambda row: ranks_of(ranks[row.metric, row.system])
        )
        if ranks
        else None,
        blocks.Column("system", "system", "name"),
        blocks.Column("score", "score", digits=digits),
        blocks.Column(
            "interval", f"{1 - result.alpha:.0%} interval", "interval", digits=digits
        ),
        blocks.Column(
            "s_sel",
            "SE (test set)",
            digits=digits,
            keep=3,
            help="from the choice of test sentences",
        ),
        blocks.Column("s_test", "SD (runs)", digits=digits, keep=2, help="over runs")
        if several
        else None,
        blocks.Column("runs", "runs", "numbers", digits=digits, keep=4) if several else None,
        blocks.Column("s_dev", "s_dev", digits=digits, keep=3) if developed else None,
        blocks.Column("group", "group", "count", keep=blocks.DATA_ONLY if ranks else 1)
        if result.groups
        else None,
    )
    order = [about["metric"] for about in result.metrics]
    places = list(ranks)  # the best first
    rows = sorted(
        result.systems,
        key=lambda row: (
            order.index(row.metric),
            places.index((row.metric, row.system)) if ranks else 0,
        ),
    )
    made = blocks.table(
        "systems",
        "Scores",
        columns,
        rows,
        breaks=breaks([row.metric for row in rows]),
        folded=len(rows) > blocks.LONG,
        caption=f"Scores, with the {1 - result.alpha:.0%} interval of every system alone.",
    )
    return replace(made, key=True)


def _documents(result: Comparison) -> Iterator[blocks.Table]:
    """Yield the documents that speak most for and against each system."""
    found = [contrast for contrast in result.contrasts if contrast.unit == "document"]
    if not found:
        return
    digits = result.digits(result.metrics[0]["metric"]) + 2
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("name", "document", "name"),
        blocks.Column(
            "contribution", "part of the difference", digits=digits, sign=True, short="part"
        ),
    )
    title = "Documents that differ most"
    yield blocks.table("documents", title, columns, found, folded=len(found) > blocks.LONG)


def _segments(result: Comparison) -> Iterator[blocks.Examples]:
    found = [contrast for contrast in result.contrasts if contrast.unit == "segment"]
    if found:
        items = tuple((_heading(contrast, result), _lines(contrast)) for contrast in found)
        yield blocks.Examples(f"{result.item_word.capitalize()}s that differ most", items)


def _heading(contrast: TellingUnit, result: Comparison) -> str:
    metric = result.metrics[0]["metric"]
    part = number(contrast.contribution, digits=result.digits(metric) + 2, sign=True)
    runs = {
        row.system: f" run {row.median_run + 1}"
        for row in result.systems
        if row.metric == metric and len(row.runs) > 1
    }
    ours, theirs = (name + runs.get(name, "") for name in (contrast.system, contrast.baseline))
    who = f"{ours} − {theirs}"
    return f"{result.item_word} {contrast.name}: {part} {result.label(metric)} of {who}"


def _lines(contrast: TellingUnit) -> tuple[tuple[str, str], ...]:
    labelled = (
        ("source", contrast.source),
        ("reference", contrast.reference),
        (contrast.system, contrast.system_output),
        (contrast.baseline, contrast.baseline_output),
    )
    return tuple((label, text) for label, text in labelled if text is not None)


def _checks(result: Comparison) -> Iterator[blocks.Text]:
    """Yield what the analysis assumed, and what a simpler one would have said."""
    points: list[tuple[blocks.Mark, str]] = []
    if result.unit == "document":
        points.append(
            (
                "ok",
                f"Documents, not {result.item_word}s, were taken as independent: {result.item_word}s of a "
                "document resemble each other.",
            )
        )
    if result.contrasts and any(len(row.runs) > 1 for row in result.systems):
        by = "development" if result.median_by == "dev" else "test"
        points.append(("ok", f"To be read: the median run of each system by its {by} scores."))
    points += [("look", hangs_on(result, found)) for found in result.influential[: blocks.LONG]]
    if len(result.influential) > blocks.LONG:
        more = len(result.influential) - blocks.LONG
        points.append(
            ("look", f"And {count(more, 'pair')} more that hang on one {result.unit_word}.")
        )
    points += [("look", sentence) for sentence in naive_remarks(result)]
    if any(pair.naive for pair in result.pairs) and not naive_remarks(result):
        points.append(("ok", f"With {_naive_method(result)}, the verdicts would be the same."))
    if any(one.reason == "segments" for one in result.meanings):
        why = "on fewer than 250 segments differences are noisier than those of the archive"
        points.append(("plain", f"What the differences mean to people is left out: {why}."))
    if points:
        yield blocks.Text("checks", "Assumptions and checks", points=tuple(points))


# --- The table of the pairs of a comparison: differences, intervals, p-values and verdicts ---


def pairs(result: Comparison) -> blocks.Table:
    """Return differences with verdicts."""
    corrected = result.correction != "none" and result.family_size > 1
    beyond = any(pair.verdict in ("inferior", "superior") for pair in result.pairs)
    claimed = bool(result.margin) and (result.claim == "better" or beyond)

    def digits(pair: PairComparison) -> int:
        return result.digits(pair.metric)

    adjusted, said = p_columns(
        result.correction, corrected=corrected, claimed=claimed, tests="tests"
    )
    columns = (
        blocks.Column("metric", "metric", "name", of=lambda pair: result.label(pair.metric)),
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("difference", "difference", digits=digits, sign=True, short="diff."),
        blocks.Column(
            "interval",
            interval_label(result, corrected=corrected),
            "interval",
            digits=digits,
            sign=True,
            short=interval_label(result, corrected=False),
            help=_interval_help(result, corrected=corrected),
        ),
        blocks.Column("interval_level", "interval level", digits=2, keep=blocks.DATA_ONLY),
        blocks.Column(
            "interval_alone", "interval alone", "interval", digits=digits, keep=blocks.DATA_ONLY
        ),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        adjusted,
        blocks.Column("p_equivalence", "p equivalence", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_beyond", "p beyond the margin", "p", keep=blocks.DATA_ONLY),
        said,
        blocks.Column("attainable_p", "smallest p", "p", keep=blocks.DATA_ONLY),
        blocks.Column(
            "mde",
            mde_label(result),
            digits=lambda pair: visible(pair.mde, digits(pair)),
            keep=3,
            help="smallest true difference that is found with this power"
            if result.claim == "better"
            else "smallest margin that equal systems are shown to keep with this power",
        ),
        *_run_columns(result, digits),
        blocks.Column("p_by_document", "p by documents", "p", keep=2)
        if any(pair.p_by_document == pair.p_by_document for pair in result.pairs)
        else None,
        blocks.Column(
            "units_needed", f"{result.unit_word}s needed", "count", keep=blocks.DATA_ONLY
        ),
        blocks.Column("runs_needed", "runs needed", "count", keep=blocks.DATA_ONLY),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    order = [about["metric"] for about in result.metrics]
    rows = sorted(result.pairs, key=lambda pair: order.index(pair.metric))
    return blocks.contrasts(
        "pairs",
        "Differences",
        columns,
        rows,
        breaks=breaks([pair.metric for pair in rows]),
        folded=len(rows) > blocks.LONG and (bool(result.groups) or len(rows) > 2 * blocks.LONG),
        caption=_caption(result, interval_label(result, corrected=corrected)),
    )


def _caption(result: Comparison, interval: str) -> str:
    """Return what a paper says of the pairs; a name in all rows is in no column there."""
    baselines = {pair.baseline for pair in result.pairs}
    against = f" to {baselines.pop()}" if len(baselines) == 1 else ""
    return f"Differences{against}, {interval} ({comparison_test(result)})."


def breaks(names: Sequence[str]) -> list[int]:
    """Return the rows before which a table is broken: where another name begins."""
    return [i for i in range(1, len(names)) if names[i] != names[i - 1]]


def _interval_help(result: Comparison, *, corrected: bool) -> str:
    about = "it holds 0 if and only if p is above the level"
    if result.claim != "better":
        about = f"both sides of the margin at {result.alpha:g}"
    return f"corrected like p; {about}" if corrected else about


def _run_columns(
    result: Comparison, digits: Callable[[PairComparison], int]
) -> tuple[blocks.Column, ...]:
    """Return the other claim about runs: that which the verdict is not about."""
    if all(pair.these_runs is None for pair in result.pairs):
        return ()
    name = "these_runs" if result.runs == "random" else "new_runs"
    label = "these runs" if result.runs == "random" else "new runs"

    def interval(pair: PairComparison) -> Interval | None:
        claim = getattr(pair, name)
        return None if claim is None else claim.interval

    def p(pair: PairComparison) -> float:
        claim = getattr(pair, name)
        return math.nan if claim is None else claim.p_adjusted

    return (
        blocks.Column(
            f"{name}_interval", label, "interval", digits=digits, sign=True, keep=2, of=interval
        ),
        blocks.Column(f"{name}_p", f"p, {label}", "p", keep=2, of=p),
    )


# --- The tables of a comparison about its parts: a row per task, and the noise of samples ---

_CORRECTIONS = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg", "none": "no"}
_SHORT = {"holm": "Holm", "benjamini-hochberg": "BH"}


def tasks(result: Comparison) -> Iterator[blocks.Table]:
    """Yield a row for every task, metric and pair, where there are tasks."""
    found = result.tasks
    if found is None:
        return

    def digits(row: "TaskRow") -> int:
        return result.digits(row.metric)

    corrected = found.correction != "none"
    several = len(result.pairs) // len(result.metrics) > 1
    columns = (
        blocks.Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        blocks.Column("system", "system", "name") if several else None,
        blocks.Column("baseline", "against", "name", keep=2) if several else None,
        blocks.Column("task", "task", "name"),
        blocks.Column("n_segments", "n", "count", keep=2, help="segments of the task"),
        blocks.Column("n_units", f"{result.unit_word}s", "count", keep=blocks.DATA_ONLY),
        blocks.Column("baseline_score", "baseline", digits=digits, keep=3),
        blocks.Column("score", "system", digits=digits, keep=3),
        blocks.Column("difference", "difference", digits=digits, sign=True, short="diff."),
        blocks.Column(
            "interval",
            f"{interval_label(result, corrected=False)}{', all tasks together' if corrected else ''}",
            "interval",
            digits=digits,
            sign=True,
            short=interval_label(result, corrected=False),
            help="by t over the units of the task, corrected for all tasks"
            if corrected
            else "by t over the units of the task",
        ),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("df", "df", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column(
            "p_adjusted",
            f"p ({_SHORT[found.correction]})" if corrected else "p",
            "p",
            help=f"{_CORRECTIONS[found.correction]} correction over tasks",
        ),
        blocks.Column(
            "mde",
            f"MDE {result.power:.0%}",
            digits=lambda row: visible(row.mde, digits(row)),
            keep=3,
            help="smallest true difference that is found in this task with this power",
        ),
        blocks.Column(
            "weight",
            "weight",
            digits=3,
            keep=blocks.DATA_ONLY if found.weighting == "macro" else 2,
        ),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    groups = [f"{row.metric} {row.system} {row.baseline}" for row in found.rows]
    yield blocks.contrasts(
        "tasks",
        "Tasks",
        columns,
        found.rows,
        breaks=breaks(groups),
        caption=f"Differences by task, by t over {result.unit_word}s, "
        f"{_CORRECTIONS[found.correction]} correction over tasks.",
    )


def samples(result: Comparison) -> Iterator[blocks.Table]:
    """Yield what is known about the samples of every system, where items have several."""
    found = result.samples
    if found is None:
        return
    digits = result.digits(result.metrics[0]["metric"])
    clusters = any(row.n_clusters is not None for row in found.systems)
    lost = any(row.missing_share > 0.0 for row in found.systems)
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("score", "mean of items", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("n_items", "items", "count", keep=4),
        blocks.Column("n_samples", "samples", "count"),
        blocks.Column("fewest", "fewest", "count", keep=blocks.DATA_ONLY),
        blocks.Column("most", "most", "count", keep=blocks.DATA_ONLY),
        blocks.Column(
            "missing",
            "% lost",
            of=lambda row: 100 * row.missing_share,
            digits=1,
        )
        if lost
        else None,
        blocks.Column(
            "standard_error", "SE items", digits=digits, help="for other items like these"
        ),
        blocks.Column(
            "standard_error_clusters",
            "SE documents",
            digits=digits,
            keep=2,
            help="for other documents, with C/(C − 1)",
        )
        if clusters
        else None,
        blocks.Column(
            "standard_error_these",
            "SE these items",
            digits=digits,
            keep=2,
            help="for other samples of these very items",
        ),
        blocks.Column(
            "standard_error_rows",
            "SE rows (wrong)",
            digits=digits,
            keep=blocks.DATA_ONLY,
            help="samples counted as further items",
        ),
        blocks.Column(
            "variance_items", "variance: items", digits=digits, short="var. items", keep=3
        ),
        blocks.Column(
            "variance_samples", "variance: samples", digits=digits, short="var. samples", keep=3
        ),
    )
    yield blocks.table("samples", "Samples", columns, found.systems, note=_floor(result))


def _floor(result: Comparison) -> str:
    """Say what more samples cannot do."""
    found = result.samples
    if found is None or result.claim != "better" or not 0 < len(found.pairs) <= blocks.LONG:
        return ""
    # A floor of 0 was stored where the variance between items had been cut at 0.
    known = [pair for pair in found.pairs if pair.mde_many_samples > 0.0]
    said = [
        f"{number(pair.mde_many_samples, digits=visible(pair.mde_many_samples, result.digits(pair.metric)))} "
        f"{result.label(pair.metric)} ({pair.system} − {pair.baseline})"
        for pair in known
    ]
    if not said:
        return (
            "The noise of sampling explains all that is seen between items: how much more samples of "
            "these items would find is not known."
        )
    return (
        f"More samples of these items find no less than {listing(said, most=3)} with "
        f"{result.power:.0%} power: beyond it only more items help."
    )
