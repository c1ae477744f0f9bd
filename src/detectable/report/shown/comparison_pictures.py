"""The pictures of a comparison."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from detectable.core.verdict import counted_verdicts, differ
from detectable.core.wording import count, listing, number
from detectable.report.blocks import Chart
from detectable.report.charts.forest import Difference, Panel, forest, forest_panels
from detectable.report.charts.marks import said_shapes
from detectable.report.charts.ranking import matrix
from detectable.report.charts.runs import (
    DrawnDifferences,
    RunDifferences,
    Runs,
    drawn_differences,
    has_many,
    runs,
)
from detectable.report.shown.ordered import (
    FEW_SYSTEMS,
    MOST_SYSTEMS,
    interval_label,
    matrix_caption,
)
from detectable.study.comparison.result import Comparison, PairComparison

if TYPE_CHECKING:
    from detectable.study.comparison.parts import DrawnRuns

_MOST = 24  # rows of a forest; for more pairs there is the matrix
_SINGLE = 8  # pairs whose single runs are shown
_TOLD = 12  # rows that are told one by one to those who cannot see


def differences(result: Comparison) -> Iterator[Chart]:
    """Yield the differences in the first metric, and those in all metrics."""
    panels = [_panel(result, about["metric"]) for about in result.metrics]
    if not 0 < len(panels[0].rows) <= _MOST:
        return
    metric = result.metrics[0]["metric"]
    title = _title(result, metric)
    yield Chart(
        "differences",
        title,
        _caption(result, [panels[0]], beside=True),
        f"{title}. {_told(panels[:1])}",
        partial(forest, panels[0]),
        "pairs",
        key=True,
    )
    if len(panels) > 1:
        yield Chart(
            "metrics",
            _all_metrics(result),
            f"{_caption(result, panels, beside=False)} Right is better in every panel.",
            f"{_all_metrics(result)}. {_told(panels)}",
            partial(forest_panels, tuple(panels)),
            "pairs",
        )


def single_runs(result: Comparison) -> Iterator[Chart]:
    """Yield the runs of each system, and what one run of each would have shown."""
    metric = result.metrics[0]["metric"]
    found = [pair for pair in result.pairs if pair.metric == metric]
    at = {row.system: row for row in result.systems if row.metric == metric}
    several = {name for name, row in at.items() if len(row.runs) > 1}
    shown = [pair for pair in found if {pair.system, pair.baseline} & several]
    if not shown or len(shown) > _SINGLE:
        return
    names = list(dict.fromkeys(name for pair in shown for name in (pair.baseline, pair.system)))
    systems = tuple(Runs(n, at[n].runs, at[n].score, at[n].interval) for n in names)
    pairs = tuple(
        RunDifferences(
            f"{pair.system} − {pair.baseline}",
            tuple(a - b for a in at[pair.system].runs for b in at[pair.baseline].runs),
            pair.difference,
            pair.interval,
            pair.verdict,
        )
        for pair in shown
    )
    label, digits = result.label(metric), result.digits(metric)
    widest_pair = max(pairs, key=lambda pair: max(pair.single) - min(pair.single))
    ends = [
        number(x, digits=digits, sign=True)
        for x in (min(widest_pair.single), max(widest_pair.single))
    ]
    title = (
        f"One run of each could have shown anything from {ends[0]} to {ends[1]} {label} "
        f"for {widest_pair.name}"
    )
    told = " ".join(_told_runs(system, digits) for system in systems)
    about = "other runs of these systems" if result.runs == "random" else "these runs"
    scores = f"of each run, and the {1 - result.alpha:.0%} interval of the system"
    single = "every run of one system against every run of the other"
    if has_many(systems):
        scores = "how many runs have them, as in figure 1 of Clark et al. (2011)"
        single = "grey: 95% of all pairs of a run of each"
    yield Chart(
        "runs",
        title,
        f"Scores: {scores}. Differences: {single}; the line is the interval of the "
        f"verdict, which is about {about}.",
        f"{title}. {told}",
        partial(
            runs,
            systems,
            pairs,
            label,
            reverse=result.about(metric)["higher_is_better"] is False,
        ),
        "systems",
    )


def _told_runs(system: Runs, digits: int) -> str:
    def write(value: float) -> str:
        return number(value, digits=digits)

    if has_many((system,)):
        ends = f"{write(min(system.scores))} to {write(max(system.scores))}"
        return f"{system.name}: {count(len(system.scores), 'run')} from {ends}, mean {write(system.mean)}."
    return f"{system.name}: runs {', '.join(map(write, system.scores))}."


def drawn_runs(result: Comparison) -> Iterator[Chart]:
    """Yield the differences that fewer runs would have shown: figure 2 of Clark et al. (2011)."""
    for about in result.metrics:
        metric = about["metric"]
        rows = [row for row in result.drawn_runs if row.metric == metric and row.counts]
        # One pair: of more there is the table.
        rows = [
            row
            for row in rows
            if (row.system, row.baseline) == (rows[0].system, rows[0].baseline)
        ]
        if not rows:
            continue
        label, digits = result.label(metric), result.digits(metric)
        first, last = rows[0], rows[-1]
        ends = [number(end, digits=digits, sign=True) for end in first.differences]
        title = (
            f"With {_runs_of_each(first.n)}, {label} of {first.system} − {first.baseline} is between {ends[0]} and "
            f"{ends[1]} in 95% of draws"
        )
        if last is not first:
            low, high = (number(end, digits=digits, sign=True) for end in last.differences)
            between = f"always {low}" if low == high else f"between {low} and {high}"
            title += f"; with {last.n:,} {between}"
        told = " ".join(
            f"{_runs_of_each(row.n).capitalize()}: {row.opposite:.0%} have the other sign."
            for row in rows
        )
        better = about["higher_is_better"]
        parts = tuple(
            DrawnDifferences(
                _runs_of_each(row.n),
                f"{row.opposite:.0%} have the other sign; p ≤ {result.alpha:g} in {row.significant:.0%} of "
                f"{count(row.n_draws, 'draw')}",
                row.counts,
            )
            for row in rows
        )
        yield Chart(
            f"drawn-{metric}",
            title,
            "Differences of so many runs of each system, drawn from those at hand: figure 2 of Clark et al. "
            "(2011). Line: all runs. Draws of nearly all runs agree by construction; more telling: the interval "
            "of the verdict, which is about new runs.",
            f"{title}. {told}",
            partial(
                drawn_differences,
                parts,
                first.edges,
                _whole(result, first),
                axis=f"difference in {label}"
                + (" (lower is better)" if better is False else ""),
            ),
            "drawn-runs",
        )


def _runs_of_each(n: int) -> str:
    return "one run of each" if n == 1 else f"{n:,} runs of each"


def _whole(result: Comparison, row: "DrawnRuns") -> float:
    return next(
        pair.difference
        for pair in result.pairs
        if (pair.metric, pair.system, pair.baseline) == (row.metric, row.system, row.baseline)
    )


def all_pairs(result: Comparison) -> Iterator[Chart]:
    """Yield every two systems at a glance, per metric; the first is the key where many."""
    if result.claim != "better":
        return
    for about in result.metrics:
        metric = about["metric"]
        names = tuple(name for group in result.groups.get(metric, ()) for name in group)
        if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS:
            continue
        pairs = [
            pair
            for pair in result.pairs
            if pair.metric == metric and {pair.system, pair.baseline} <= set(names)
        ]
        apart = sum(pair.verdict not in ("undecided", "equivalent") for pair in pairs)
        label = result.label(metric)
        title = f"{differ(apart, len(pairs))} in {label}"
        yield Chart(
            f"matrix-{metric}",
            title,
            matrix_caption(label, names, pairs, result.correction),
            f"{title}. Best first: {listing(list(names), most=12)}.",
            partial(matrix, names, pairs, digits=result.digits(metric)),
            "pairs",
            key=metric == result.metrics[0]["metric"] and len(pairs) > _MOST,
        )


def _ordered(result: Comparison) -> list[tuple[str, str]]:
    """Return the pairs from the best difference under the first metric to the worst."""
    first = result.metrics[0]["metric"]
    sign = -1.0 if result.about(first)["higher_is_better"] is False else 1.0
    found = [pair for pair in result.pairs if pair.metric == first]
    found.sort(key=lambda pair: -sign * pair.difference)
    return [(pair.system, pair.baseline) for pair in found]


def _panel(result: Comparison, metric: str) -> Panel:
    about = result.about(metric)
    baselines = {pair.baseline for pair in result.pairs}
    at = {(p.system, p.baseline): p for p in result.pairs if p.metric == metric}
    rows = tuple(
        _row(result, at[names], one=len(baselines) == 1)
        for names in _ordered(result)
        if names in at
    )
    reverse = about["higher_is_better"] is False
    margin = result.margin.get(metric)
    margins: tuple[float, ...] = () if margin is None else (-margin, margin)
    if margin is not None and result.claim == "non-inferior":
        margins = (margin,) if reverse else (-margin,)
    return Panel(
        result.label(metric),
        rows,
        digits=result.digits(metric),
        margins=margins,
        reverse=reverse,
        directed=about["higher_is_better"] is not None,
    )


def _row(result: Comparison, pair: PairComparison, *, one: bool) -> Difference:
    return Difference(
        pair.system if one else f"{pair.system} − {pair.baseline}",
        pair.difference,
        pair.interval,
        pair.interval_alone,
        pair.verdict,
        # For a claim about a margin the number is a margin, which is no bar around zero.
        pair.mde if result.claim == "better" else float("nan"),
    )


def _title(result: Comparison, metric: str) -> str:
    """Say on which sides of zero the intervals lie, or of a margin what is shown."""
    found = [pair for pair in result.pairs if pair.metric == metric]
    label, digits = result.label(metric), result.digits(metric)
    if len(found) == 1:
        pair = found[0]
        write = partial(number, digits=digits, sign=True, thousands=True)
        return (
            f"{pair.system} − {pair.baseline}: {write(pair.difference)} {label}, and anything "
            f"from {write(pair.interval.low)} to {write(pair.interval.high)} fits the data"
        )
    baselines = sorted({pair.baseline for pair in found})
    whose = f"Difference from {baselines[0]}" if len(baselines) == 1 else "Differences"
    return f"{whose} in {label}: {counted_verdicts(pair.verdict for pair in found)}"


def _all_metrics(result: Comparison) -> str:
    """Say how far the metrics agree."""
    said: dict[tuple[str, str], set[str]] = {}
    for pair in result.pairs:
        said.setdefault((pair.system, pair.baseline), set()).add(pair.verdict)
    same = sum(len(verdicts) == 1 for verdicts in said.values())
    metrics = f"The {len(result.metrics)} metrics"
    if len(said) == 1:
        return f"{metrics} {'agree' if same else 'do not agree'}"
    return f"{metrics} agree on {same} of {count(len(said), 'pair')}"


def _caption(result: Comparison, panels: Sequence[Panel], *, beside: bool) -> str:
    verdicts = [row.verdict for panel in panels for row in panel.rows]
    # The table of pairs names its intervals so too: with a margin not all are at one level.
    corrected = result.correction != "none" and result.family_size > 1
    named = interval_label(result, corrected=corrected)
    rows = [row for panel in panels for row in panel.rows]
    if any(row.interval != row.alone for row in rows):
        which = "Thin line and numbers" if beside else "Thin line"
        lines = (
            f"{which}: {named}, as the verdict; "
            f"thick: {rows[0].alone.level:.0%} of the pair alone."
        )
    else:
        lines = f"Line: {named}."
    parts = [said_shapes(verdicts), lines]
    if any(row.mde == row.mde for panel in panels for row in panel.rows):
        parts.append(f"Grey bar: too small to be detected ({result.power:.0%} power).")
    if any(panel.margins for panel in panels):
        parts.append("Dotted: the margin.")
    return " ".join(parts)


def _told(panels: Sequence[Panel]) -> str:
    rows = [(panel, row) for panel in panels for row in panel.rows]
    told = [
        f"{panel.label}, {row.name}: {number(row.value, digits=panel.digits, sign=True)}, {row.verdict}."
        for panel, row in rows[:_TOLD]
    ]
    if len(rows) > _TOLD:
        told.append(f"And {len(rows) - _TOLD} more in the table.")
    return " ".join(told)
