"""What a comparison shows: its pairs, its tasks, its samples."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from detectable.core.interval import Interval
from detectable.core.wording import (
    count,
    listing,
    number,
    visible,
)
from detectable.report.blocks import (
    DATA_ONLY,
    LONG,
    Block,
    Column,
    Examples,
    Mark,
    Matrix,
    Pictures,
    Repeat,
    Table,
    Text,
    Verdict,
    notes,
    status_of,
    table,
)
from detectable.report.methods.comparison import methods
from detectable.report.methods.shared import detectable_differences
from detectable.report.shown.comparison_words import (
    design,
    disagreements,
    evidence,
    hangs_on,
    headline,
    naive_remarks,
    needed,
    pair_sentence,
    scope,
)
from detectable.report.shown.ordered import interval_label, mde_label, p_label, verdicts_of
from detectable.report.shown.paper_tables import comparison_test, pair_numbers, scores
from detectable.study.comparison.result import (
    Comparison,
    PairComparison,
    SystemScore,
    TaskRow,
    TellingUnit,
)

FEW = 3  # verdicts that are said in a sentence each
_SMALL_NUMBERS = ("none", "one", "two", "three", "four", "five", "six")


def show_comparison(result: Comparison) -> Iterator[Block]:
    """Show verdicts, scores, differences, what could not have been seen, and what to read."""
    yield verdict(result)
    yield systems(result)
    yield scores(result)
    yield Pictures("comparison_pictures:differences", result)
    yield _limits(result)
    if len(result.metrics) > 1 and len(result.pairs) > FEW:
        yield from _verdicts(result)
    yield pairs(result)
    yield from tasks(result)
    yield Pictures("comparison_pictures:all_pairs", result)
    yield from _matrices(result)
    yield from samples(result)
    yield Pictures("comparison_pictures:single_runs", result)
    yield from _documents(result)
    yield from _segments(result)
    yield from _checks(result)
    yield from notes(result.notes)
    yield methods(result)
    yield Repeat(str(result.signature))


def verdict(result: Comparison) -> Verdict:
    """Return a sentence per pair where there are few, else how many are better and worse."""
    clash = tuple(f"{sentence}." for sentence in disagreements(result))
    if len(result.pairs) <= FEW:
        first, *others = result.pairs
        said = (evidence(result, first), *(pair_sentence(result, pair) for pair in others))
        return Verdict(status_of(first.verdict), headline(result, first), (*said, *clash))
    metric = result.metrics[0]["metric"]
    told = [pair for pair in result.pairs if pair.metric == metric]
    label = result.label(metric)
    baselines = {pair.baseline for pair in told}
    if len(baselines) == 1 and not result.groups:
        counted = Counter(pair.verdict for pair in told)
        words = [
            f"{_many(n)} {'is' if n == 1 else 'are'} {word}" for word, n in counted.items()
        ]
        head = f"Against {told[0].baseline}: {', '.join(words)} in {label}."
        named = [
            f"{word.capitalize()}: {_names(told, word)}." for word in counted if counted[word]
        ]
        return Verdict("info", head, (" ".join(named), *clash))
    if result.claim != "better":
        shown = sum(pair.verdict == result.claim for pair in told)
        head = f"{shown:,} of {count(len(told), 'pair')} shown to be {result.claim} in {label}."
        return Verdict("info", head, clash)
    apart = sum(pair.verdict not in ("undecided", "equivalent") for pair in told)
    verb = "is" if apart == 1 else "are"
    head = f"{apart:,} of {count(len(told), 'pair')} {verb} told apart in {label}."
    return Verdict("info", head, (*_groups(result, metric), *clash))


def _many(n: int) -> str:
    return _SMALL_NUMBERS[n] if n < len(_SMALL_NUMBERS) else f"{n:,}"


def _names(told: Sequence[PairComparison], word: str) -> str:
    return listing([pair.system for pair in told if pair.verdict == word], most=12)


def _groups(result: Comparison, metric: str) -> tuple[str, ...]:
    groups = result.groups.get(metric, ())
    if not groups:
        return ()
    if len(groups) == 1:
        return (f"No line can be drawn between the {len(groups[0])} systems.",)
    first = ", ".join(groups[0])
    if len(groups[0]) > LONG:  # names that the matrix shows
        first = count(len(groups[0]), "system")
    return (f"{count(len(groups), 'group')} can be told apart; the best: {first}.",)


def _limits(result: Comparison) -> Text:
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
    return Text("limits", "What this evaluation could have shown", text, _needed(result))


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


def _all_undecided(result: Comparison) -> bool:
    return all(pair.verdict == "undecided" for pair in result.pairs)


def _needed(result: Comparison) -> tuple[tuple[Mark, str], ...]:
    """Say for each named effect how much data it takes."""
    points: list[tuple[Mark, str]] = []
    for pair in result.pairs:
        if pair.metric not in result.effect or len(result.pairs) > LONG:
            continue
        needs = needed(result, pair)
        if needs:
            who = f"{pair.system} against {pair.baseline}, {result.label(pair.metric)}"
            points.append(("plain", f"{who}: {needs}."))
    return tuple(points)


def _verdicts(result: Comparison) -> Iterator[Table]:
    """Yield one row per pair and one column per metric; for all pairs there is the matrix."""
    if result.groups:
        return
    metrics = [about["metric"] for about in result.metrics]
    at: dict[tuple[str, str], str] = {
        (pair.metric, pair.system): pair.verdict for pair in result.pairs
    }
    first = [pair for pair in result.pairs if pair.metric == metrics[0]]
    columns = [Column("system", "system", "name")]
    columns += [
        Column(metric, result.label(metric), "verdict", of=partial(_at, at, metric))
        for metric in metrics
    ]
    yield table("verdicts", "Verdicts by metric", columns, first)


def _at(at: dict[tuple[str, str], str], metric: str, pair: PairComparison) -> str:
    return at[metric, pair.system]


def _matrices(result: Comparison) -> Iterator[Matrix]:
    """Yield all pairs at a glance, where every pair was tested and there are many."""
    few = len(result.pairs) <= FEW * len(result.metrics)
    if not result.groups or few or result.claim != "better":
        return
    for about in result.metrics:
        metric = about["metric"]
        if metric not in result.groups:
            continue
        names = [name for group in result.groups[metric] for name in group]
        found = [pair for pair in result.pairs if pair.metric == metric]
        apart = sum(pair.verdict not in ("undecided", "equivalent") for pair in found)
        title = f"All pairs in {result.label(metric)}: {apart:,} of {len(found):,} told apart"
        yield Matrix(
            f"matrix-{metric}",
            title,
            tuple(names),
            verdicts_of(names, found),
            numbers=pair_numbers(result, metric, names),
            beside=_beside(result, metric, names),
        )


def _beside(result: Comparison, metric: str, names: Sequence[str]) -> Table:
    """Return what is said of every system beside its pairs."""
    at = {row.system: row for row in result.systems if row.metric == metric}
    columns = (
        Column("group", "group", "count", keep=2),
        Column("system", "system", "name"),
        Column("score", result.label(metric), digits=result.digits(metric)),
    )
    return table("systems", "Scores", columns, [at[name] for name in names])


def systems(result: Comparison) -> Table:
    """Return scores with intervals; runs and rank groups where there are any."""
    several = any(len(row.runs) > 1 for row in result.systems)
    developed = any(row.s_dev == row.s_dev for row in result.systems)

    def digits(row: SystemScore) -> int:
        return result.digits(row.metric)

    columns = (
        Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        Column("system", "system", "name"),
        Column("score", "score", digits=digits),
        Column("interval", f"{1 - result.alpha:.0%} interval", "interval", digits=digits),
        Column(
            "s_sel", "s_sel", digits=digits, keep=3, help="from the choice of test sentences"
        ),
        Column("s_test", "s_test", digits=digits, keep=2, help="over runs")
        if several
        else None,
        Column("runs", "runs", "numbers", digits=digits, keep=4) if several else None,
        Column("s_dev", "s_dev", digits=digits, keep=3) if developed else None,
        Column("group", "group", "count") if result.groups else None,
    )
    order = [about["metric"] for about in result.metrics]
    rows = sorted(result.systems, key=lambda row: order.index(row.metric))
    made = table(
        "systems",
        "Scores",
        columns,
        rows,
        breaks=breaks([row.metric for row in rows]),
        folded=len(rows) > LONG,
        caption=f"Scores, with the {1 - result.alpha:.0%} interval of every system alone.",
    )
    return replace(made, key=True)


def _documents(result: Comparison) -> Iterator[Table]:
    """Yield the documents that speak most for and against each system."""
    found = [contrast for contrast in result.contrasts if contrast.unit == "document"]
    if not found:
        return
    digits = result.digits(result.metrics[0]["metric"]) + 2
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("name", "document", "name"),
        Column(
            "contribution", "part of the difference", digits=digits, sign=True, short="part"
        ),
    )
    title = "Documents that differ most"
    yield table("documents", title, columns, found, folded=len(found) > LONG)


def _segments(result: Comparison) -> Iterator[Examples]:
    found = [contrast for contrast in result.contrasts if contrast.unit == "segment"]
    if found:
        items = tuple((_heading(contrast, result), _lines(contrast)) for contrast in found)
        yield Examples(f"{result.item_word.capitalize()}s that differ most", items)


def _heading(contrast: TellingUnit, result: Comparison) -> str:
    metric = result.metrics[0]["metric"]
    part = number(contrast.contribution, digits=result.digits(metric) + 2, sign=True)
    who = f"{contrast.system} − {contrast.baseline}"
    return f"{result.item_word} {contrast.name}: {part} {result.label(metric)} of {who}"


def _lines(contrast: TellingUnit) -> tuple[tuple[str, str], ...]:
    labelled = (
        ("source", contrast.source),
        ("reference", contrast.reference),
        (contrast.system, contrast.system_output),
        (contrast.baseline, contrast.baseline_output),
    )
    return tuple((label, text) for label, text in labelled if text is not None)


def _checks(result: Comparison) -> Iterator[Text]:
    """Yield what the analysis assumed, and what a simpler one would have said."""
    points: list[tuple[Mark, str]] = []
    if result.unit == "document":
        points.append(
            (
                "ok",
                f"Documents, not {result.item_word}s, were taken as independent: {result.item_word}s of a "
                "document resemble each other.",
            )
        )
    points += [("look", hangs_on(result, found)) for found in result.influential[:LONG]]
    if len(result.influential) > LONG:
        more = len(result.influential) - LONG
        points.append(
            ("look", f"And {count(more, 'pair')} more that hang on one {result.unit_word}.")
        )
    points += [("look", sentence) for sentence in naive_remarks(result)]
    if any(pair.naive for pair in result.pairs) and not naive_remarks(result):
        points.append(("ok", "The common simpler analysis would have decided the same."))
    if points:
        yield Text("checks", "Assumptions and checks", points=tuple(points))


# --- The table of the pairs of a comparison: differences, intervals, p-values and verdicts ---


def pairs(result: Comparison) -> Table:
    """Return differences with verdicts."""
    corrected = result.correction != "none" and result.family_size > 1
    beyond = any(pair.verdict in ("inferior", "superior") for pair in result.pairs)
    claimed = bool(result.margin) and (result.claim == "better" or beyond)

    def digits(pair: PairComparison) -> int:
        return result.digits(pair.metric)

    columns = (
        Column("metric", "metric", "name", of=lambda pair: result.label(pair.metric)),
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("difference", "difference", digits=digits, sign=True, short="diff."),
        Column(
            "interval",
            interval_label(result, corrected=corrected),
            "interval",
            digits=digits,
            sign=True,
            short=interval_label(result, corrected=False),
            help=_interval_help(result, corrected=corrected),
        ),
        Column("interval_level", "interval level", digits=2, keep=DATA_ONLY),
        Column("interval_alone", "interval alone", "interval", digits=digits, keep=DATA_ONLY),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted",
            p_label(result.correction, corrected=corrected),
            "p",
            keep=DATA_ONLY if claimed else 1,
            help="for the number of tests; the verdict goes by it" if corrected else "",
        ),
        Column("p_equivalence", "p equivalence", "p", keep=DATA_ONLY),
        Column("p_beyond", "p beyond the margin", "p", keep=DATA_ONLY),
        Column(
            "p",
            p_label(result.correction, corrected=corrected),
            "p",
            of=attrgetter("p_of_verdict"),
            help="of what the verdict says",
        )
        if claimed
        else None,
        Column("attainable_p", "smallest p", "p", keep=DATA_ONLY),
        Column(
            "mde",
            mde_label(result),
            digits=lambda pair: visible(pair.mde, digits(pair)),
            keep=3,
            help="smallest true difference that is found with this power"
            if result.claim == "better"
            else "smallest margin that equal systems are shown to keep with this power",
        ),
        *_run_columns(result, digits),
        Column("p_by_document", "p by documents", "p", keep=2)
        if any(pair.p_by_document == pair.p_by_document for pair in result.pairs)
        else None,
        Column("units_needed", f"{result.unit_word}s needed", "count", keep=DATA_ONLY),
        Column("runs_needed", "runs needed", "count", keep=DATA_ONLY),
        Column("verdict", "verdict", "verdict"),
    )
    order = [about["metric"] for about in result.metrics]
    rows = sorted(result.pairs, key=lambda pair: order.index(pair.metric))
    return table(
        "pairs",
        "Differences",
        columns,
        rows,
        breaks=breaks([pair.metric for pair in rows]),
        folded=len(rows) > LONG and (bool(result.groups) or len(rows) > 2 * LONG),
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
) -> tuple[Column, ...]:
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
        Column(
            f"{name}_interval", label, "interval", digits=digits, sign=True, keep=2, of=interval
        ),
        Column(f"{name}_p", f"p, {label}", "p", keep=2, of=p),
    )


# --- The tables of a comparison about its parts: a row per task, and the noise of samples ---

_CORRECTIONS = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg", "none": "no"}
_SHORT = {"holm": "Holm", "benjamini-hochberg": "BH"}


def tasks(result: Comparison) -> Iterator[Table]:
    """Yield a row for every task, metric and pair, where there are tasks."""
    found = result.tasks
    if found is None:
        return

    def digits(row: TaskRow) -> int:
        return result.digits(row.metric)

    corrected = found.correction != "none"
    several = len(result.pairs) // len(result.metrics) > 1
    columns = (
        Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        Column("system", "system", "name") if several else None,
        Column("baseline", "against", "name", keep=2) if several else None,
        Column("task", "task", "name"),
        Column("n_segments", "n", "count", keep=2, help="segments of the task"),
        Column("n_units", f"{result.unit_word}s", "count", keep=DATA_ONLY),
        Column("baseline_score", "baseline", digits=digits, keep=3),
        Column("score", "system", digits=digits, keep=3),
        Column("difference", "difference", digits=digits, sign=True, short="diff."),
        Column(
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
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted",
            f"p ({_SHORT[found.correction]})" if corrected else "p",
            "p",
            help=f"{_CORRECTIONS[found.correction]} correction over tasks",
        ),
        Column(
            "mde",
            f"MDE {result.power:.0%}",
            digits=lambda row: visible(row.mde, digits(row)),
            keep=3,
            help="smallest true difference that is found in this task with this power",
        ),
        Column(
            "weight", "weight", digits=3, keep=DATA_ONLY if found.weighting == "macro" else 2
        ),
        Column("verdict", "verdict", "verdict"),
    )
    groups = [f"{row.metric} {row.system} {row.baseline}" for row in found.rows]
    yield table(
        "tasks",
        "Tasks",
        columns,
        found.rows,
        breaks=breaks(groups),
        folded=len(found.rows) > LONG,
        caption=f"Differences by task, by t over {result.unit_word}s, "
        f"{_CORRECTIONS[found.correction]} correction over tasks.",
    )


def samples(result: Comparison) -> Iterator[Table]:
    """Yield what is known about the samples of every system, where items have several."""
    found = result.samples
    if found is None:
        return
    digits = result.digits(result.metrics[0]["metric"])
    clusters = any(row.n_clusters is not None for row in found.systems)
    lost = any(row.missing_share > 0.0 for row in found.systems)
    columns = (
        Column("system", "system", "name"),
        Column("score", "mean of items", digits=digits, keep=DATA_ONLY),
        Column("n_items", "items", "count", keep=4),
        Column("n_samples", "samples", "count"),
        Column("fewest", "fewest", "count", keep=DATA_ONLY),
        Column("most", "most", "count", keep=DATA_ONLY),
        Column(
            "missing",
            "% lost",
            of=lambda row: 100 * row.missing_share,
            digits=1,
        )
        if lost
        else None,
        Column("standard_error", "SE items", digits=digits, help="for other items like these"),
        Column(
            "standard_error_clusters",
            "SE documents",
            digits=digits,
            keep=2,
            help="for other documents, with C/(C − 1)",
        )
        if clusters
        else None,
        Column(
            "standard_error_these",
            "SE these items",
            digits=digits,
            keep=2,
            help="for other samples of these very items",
        ),
        Column(
            "standard_error_rows",
            "SE rows (wrong)",
            digits=digits,
            keep=DATA_ONLY,
            help="samples counted as further items",
        ),
        Column("variance_items", "variance: items", digits=digits, short="var. items", keep=3),
        Column(
            "variance_samples", "variance: samples", digits=digits, short="var. samples", keep=3
        ),
    )
    yield table("samples", "Samples", columns, found.systems, note=_floor(result))


def _floor(result: Comparison) -> str:
    """Say what more samples cannot do."""
    found = result.samples
    if found is None or result.claim != "better" or not 0 < len(found.pairs) <= LONG:
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
