"""Tables that papers print: systems × metrics as MultEval has them, rankings as WMT's findings do."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median_low
from typing import TYPE_CHECKING, TypeAlias

from detectable.core.interval import Interval
from detectable.core.wording import count, decimals, number, p_value, visible
from detectable.report.methods.ranking import TESTS, cluster_rule
from detectable.report.paper_table import PairNumbers, PaperCell, PaperColumn, PaperTable
from detectable.report.shown.ordered import CORRECTIONS, ranks_of

if TYPE_CHECKING:
    from detectable.study.comparison.result import Comparison, SystemScore
    from detectable.study.ranking.ranking import Ranking

_MARKS = {
    **dict.fromkeys(("better", "higher", "superior"), "⁺"),
    **dict.fromkeys(("worse", "lower", "inferior"), "⁻"),
    **dict.fromkeys(("equivalent", "non-inferior"), "⁼"),
}
_ARROWS = {True: " ↑", False: " ↓", None: ""}

Scores: TypeAlias = "Mapping[tuple[str, str], SystemScore]"  # by system and metric


def scores(result: "Comparison") -> PaperTable:
    """Return scores with half intervals: the baseline first, the others from best to worst."""
    at: Scores = {(row.system, row.metric): row for row in result.systems}
    baseline = baseline_of(result)
    metrics = [about["metric"] for about in result.metrics]
    several = any(len(row.runs) > 1 for row in result.systems)
    names = _ordered(result, at, baseline)
    digits = {
        metric: _digits(result, [at[name, metric] for name in names]) for metric in metrics
    }
    bold = {metric: _bold(result, metric, at, names, digits[metric]) for metric in metrics}
    marks = {(p.system, p.metric): _MARKS.get(p.verdict, "") for p in result.pairs}
    if several:
        looks = {
            (name, metric): (
                digits[metric],
                marks.get((name, metric), "") if baseline is not None else "",
                name in bold[metric],
            )
            for metric in metrics
            for name in names
        }
        return _by_metric(result, at, names, baseline, looks)
    columns = [PaperColumn("System", "name")]
    columns += [PaperColumn(_title(result, metric), "score") for metric in metrics]
    rows = []
    for name in names:
        cells = [PaperCell(name, "baseline" if name == baseline else "")]
        for metric in metrics:
            mark = marks.get((name, metric), "") if baseline is not None else ""
            look = (digits[metric], mark, name in bold[metric])
            cells.append(_score_cell(at[name, metric], *look))
        rows.append(tuple(cells))
    breaks = () if baseline is None else (1,)
    return PaperTable("scores", _caption(result, baseline), tuple(columns), tuple(rows), breaks)


def baseline_of(result: "Comparison") -> str | None:
    """Return the system that all others are compared with; None where it is every pair."""
    baselines = {pair.baseline for pair in result.pairs}
    return None if result.groups or len(baselines) != 1 else baselines.pop()


def _title(result: "Comparison", metric: str) -> str:
    return f"{result.label(metric)}{_ARROWS[result.about(metric)['higher_is_better']]}"


def _score_cell(
    row: "SystemScore",
    digits: int,
    mark: str,
    bold: bool,  # noqa: FBT001 (two places call it)
) -> PaperCell:
    half = _half(row)
    digits = visible(half, digits)
    shown = "" if math.isnan(half) else number(half, digits=digits)
    return PaperCell(number(row.score, digits=digits), shown, mark, bold)


def _by_metric(
    result: "Comparison",
    at: Scores,
    names: Sequence[str],
    baseline: str | None,
    looks: Mapping[tuple[str, str], tuple[int, str, bool]],
) -> PaperTable:
    """Return a row per metric and system, as table 1 of Clark et al. (2011) has them."""
    developed = any(row.s_dev == row.s_dev for row in result.systems)
    columns = [PaperColumn("Metric", "name"), PaperColumn("System", "name")]
    columns += [PaperColumn("Avg", "score"), PaperColumn("s_sel")]
    columns += [PaperColumn("s_dev")] if developed else []
    columns += [PaperColumn("s_test")]
    columns += [] if baseline is None else [PaperColumn("p")]
    p_values = {(pair.system, pair.metric): pair.p_of_verdict for pair in result.pairs}
    rows = []
    for about in result.metrics:
        metric = about["metric"]
        for name in names:
            row, look = at[name, metric], looks[name, metric]
            digits = max(2, look[0])
            spreads = [row.s_sel, *([row.s_dev] if developed else []), row.s_test]
            cells = [
                PaperCell(_title(result, metric) if name == names[0] else ""),
                PaperCell(name, "baseline" if name == baseline else ""),
                _score_cell(row, *look),
                *(PaperCell(number(x, digits=digits)) for x in spreads),
            ]
            if baseline is not None:
                p = p_values.get((name, metric), math.nan)
                cells.append(PaperCell(p_value(p)))
            rows.append(tuple(cells))
    breaks = tuple(range(len(names), len(rows), len(names)))
    return PaperTable("scores", _caption(result, baseline), tuple(columns), tuple(rows), breaks)


def _ordered(result: "Comparison", at: Scores, baseline: str | None) -> list[str]:
    first = result.metrics[0]["metric"]
    sign = 1.0 if result.about(first)["higher_is_better"] is False else -1.0
    names = list(dict.fromkeys(row.system for row in result.systems))
    return sorted(names, key=lambda name: (name != baseline, sign * at[name, first].score))


def _half(row: "SystemScore") -> float:
    return half_width(row.interval)


def half_width(ends: Interval) -> float:
    """Return half the width of an interval."""
    return (ends.high - ends.low) / 2.0


def _digits(result: "Comparison", rows: "Sequence[SystemScore]") -> int:
    return two_figures(map(_half, rows), most=result.digits(rows[0].metric))


def two_figures(halves: Iterable[float], *, most: int) -> int:
    """Return the decimals that half intervals allow: two figures of a typical one.

    Examples
    --------
    >>> two_figures([5.3, 2.1], most=4), two_figures([0.021], most=4), two_figures([], most=4)
    (1, 3, 4)
    """
    known = [half for half in halves if half > 0.0 and math.isfinite(half)]
    if not known:
        return most
    return min(most, max(1, 1 - math.floor(math.log10(median_low(known)))))


def _bold(
    result: "Comparison", metric: str, at: Scores, names: Iterable[str], digits: int
) -> set[str]:
    """Return the best as printed, or of all pairs those that no other system beats."""
    higher = result.about(metric)["higher_is_better"]
    if higher is None:
        return set()
    if result.groups:
        return set(names) - _beaten(result, metric)
    shown = {name: round(at[name, metric].score, digits) for name in names}
    best = max(shown.values()) if higher else min(shown.values())
    return {name for name, score in shown.items() if score == best}


def _beaten(result: "Comparison", metric: str) -> set[str]:
    losers = {"better": "baseline", "worse": "system"}
    return {
        getattr(pair, losers[pair.verdict])
        for pair in result.pairs
        if pair.metric == metric and pair.verdict in losers
    }


def _caption(result: "Comparison", baseline: str | None) -> str:
    """State what the numbers are, the test, and what is not marked."""
    level = f"{1 - result.alpha:.0%}"
    runs = sorted(set(result.n_runs.values()))
    said = [f"Scores ± half the width of their {level} intervals."]
    if runs[-1:] != [1]:
        span = count(runs[0], "run") if len(runs) == 1 else f"{runs[0]} to {runs[-1]} runs"
        said = [
            f"Means of {span} ± half the width of their {level} intervals; s_sel: standard "
            "deviation from the choice of test sentences, s_test: over the runs."
        ]
        if any(row.s_dev == row.s_dev for row in result.systems):
            said.append("s_dev: over the runs on the development set, of the tuned metric.")
    said.append("↑: higher is better, ↓: lower.")
    if baseline is not None:
        said += [
            f"{_legend(result)} ({comparison_test(result)}).",
            "Unmarked: undecided, which is not equality. Bold: best score.",
        ]
    elif result.groups:
        said.append(
            f"Bold: no other system is better ({comparison_test(result)}), which does not make "
            "these equal."
        )
    else:
        said.append("Bold: best score. The pairs are not marked.")
    return " ".join(said)


def _legend(result: "Comparison") -> str:
    """Say what the marks stand for; where there is a margin, with the margin."""
    within = ", ".join(f"{_margin(result, m)} {result.label(m)}" for m in result.margin)
    if result.claim == "non-inferior":
        return f"⁼: not worse than the baseline by more than the margin ({within})"
    if result.claim == "equivalent":
        return f"⁼: equivalent to the baseline within {within}"
    directed = all(about["higher_is_better"] is not None for about in result.metrics)
    more, less = ("better", "worse") if directed else ("better or higher", "worse or lower")
    same = f", ⁼: equivalent within {within}" if result.margin else ""
    return f"⁺: {more}, ⁻: {less} than the baseline{same}"


def _margin(result: "Comparison", metric: str) -> str:
    margin = result.margin[metric]
    sign = "" if result.claim == "non-inferior" else "±"
    return f"{sign}{number(margin, digits=decimals(margin))}"


def pair_numbers(result: "Comparison", metric: str, names: Sequence[str]) -> PairNumbers:
    """Return the numbers of all pairs under one metric."""
    pairs = {
        (pair.system, pair.baseline): (pair.difference, pair.p_of_verdict)
        for pair in result.pairs
        if pair.metric == metric
    }
    lower = "; lower is better" if result.about(metric)["higher_is_better"] is False else ""
    return PairNumbers.build(
        names,
        pairs,
        digits=max(1, result.digits(metric) - 1),
        alpha=result.alpha,
        caption=f"in {result.label(metric)}{lower} ({comparison_test(result)}).",
        same=f"equivalent within {_margin(result, metric)}" if metric in result.margin else "",
    )


# --- A ranking for a paper, as the findings of WMT print it, and the numbers of all pairs ---


def findings(result: "Ranking", *, other_score: bool) -> PaperTable:
    """Return ranks, means and systems, with a rule between clusters."""
    with_z = any(row.mean_z == row.mean_z for row in result.systems)
    columns = [PaperColumn("Rank"), PaperColumn("Ave.")]
    columns += [PaperColumn("Ave. z")] if with_z else []
    columns += [PaperColumn("Score")] if other_score else []
    columns.append(PaperColumn("System", "name"))
    rows = []
    for row in result.systems:
        cells = [ranks_of(row), number(row.mean_raw, digits=1)]
        cells += [number(row.mean_z, digits=3)] if with_z else []
        cells += [number(row.score, digits=result.digits)] if other_score else []
        rows.append(tuple(map(PaperCell, [*cells, row.system])))
    clusters = [row.cluster for row in result.systems]
    breaks = tuple(i for i in range(1, len(clusters)) if clusters[i] != clusters[i - 1])
    return PaperTable(
        "ranking",
        _findings_caption(result, with_z, other_score),
        tuple(columns),
        tuple(rows),
        breaks,
    )


def _findings_caption(result: "Ranking", with_z: bool, other_score: bool) -> str:  # noqa: FBT001 (one caller)
    by = "Ave. z" if result.scale == "z" else "Ave"
    said = [f"Systems in the order of {'Score' if other_score else by}."]
    in_z = "; Ave. z: in standard deviations of their rater" if with_z else ""
    said.append(f"Ave.: mean of the judged items{in_z}.")
    if result.claim != "better":
        said.append(f"No cluster was asked for ({ranking_test(result)}).")
        return " ".join(said)
    rule, test = cluster_rule(result), ranking_test(result)
    if len(result.clusters) == 1:
        rule = "No line can be drawn between clusters"
    said.append(f"{rule} ({test}).")
    said.append(
        "Rank: the ranks that the decided pairs allow. Systems of one cluster are not equally "
        "good: these judgments draw no line between them."
    )
    return " ".join(said)


def pairs_of_a_ranking(result: "Ranking", names: Sequence[str]) -> PairNumbers:
    """Return the numbers of all pairs."""
    pairs = {
        (pair.better, pair.worse): (pair.difference, pair.p_of_verdict) for pair in result.pairs
    }
    return PairNumbers.build(
        names,
        pairs,
        digits=result.digits - 1,
        alpha=result.alpha,
        caption=f"in {result.scale} ({ranking_test(result)}).",
        told=told(result.claim),
        same=_same(result),
    )


def _same(result: "Ranking") -> str:
    if result.claim != "better" or result.margin is None:
        return ""
    return f"equivalent within ±{number(result.margin, digits=decimals(result.margin))}"


# --- How a caption names the test of a result, its correction and its level ---

_BY_UNITS = {
    "swap": "paired approximate randomization",
    "mcnemar": "McNemar's exact test",
    "score": "score test of the margin",
    "t": "paired t test",
    "bootstrap": "paired bootstrap",
}


def comparison_test(result: "Comparison") -> str:
    """Say it for a comparison.

    The level is that of a pair's corrected p-value; a claim about a margin is tested one-sided.
    """
    units = count(result.n_units, result.unit_word)
    if result.runs == "random":
        test = f"two-way t test over {units} and the runs"
    elif result.test == "compat":
        test = f"{result.signature.settings.get('test', 'the test of another tool')}, {units}"
    else:
        exact = "exact " if result.exact and result.test == "swap" else ""
        test = f"{exact}{_BY_UNITS[result.test]} over {units}"
    together = "" if result.family == "systems-and-metrics" else " per metric"
    if len(result.metrics) == 1:
        together = ""
    return with_correction(test, result.correction, result.family_size, together, result.alpha)


def ranking_test(result: "Ranking") -> str:
    """Say it for a ranking."""
    unit = "judgments" if result.level == "judgment" else f"{result.unit}s"
    as_in = "" if result.preset is None else f" as in {result.preset.upper()}"
    test = f"{TESTS[result.test]} over {unit}{as_in}"
    return with_correction(test, result.correction, len(result.pairs), "", result.alpha)


def with_correction(test: str, correction: str, n: int, together: str, alpha: float) -> str:
    """Add the correction for `n` tests and the level to the name of a test."""
    level = f"α = {f'{alpha:g}'.lstrip('0')}"
    if n == 1:
        return f"{test}, {level}"
    if correction == "none":
        return f"{test}, not corrected for {count(n, 'test')}{together}, {level}"
    return f"{test}, {CORRECTIONS[correction]} for {count(n, 'pair')}{together}, {level}"


def told(claim: str) -> str:
    """Say what a small p-value shows."""
    return "told apart" if claim == "better" else f"shown to be {claim}"
