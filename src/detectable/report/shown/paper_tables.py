"""Tables that papers print: systems × metrics as MultEval has them, rankings as WMT's findings do."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median_low
from typing import TYPE_CHECKING, TypeAlias

from detectable.core.interval import Interval
from detectable.core.wording import (
    count,
    decimals,
    interval,
    number,
    p_statement,
    p_value,
    visible,
)
from detectable.report.methods.ranking import cluster_rule
from detectable.report.paper_table import (
    PairNumbers,
    PaperCell,
    PaperColumn,
    PaperTable,
    mark_of,
    marks_legend,
    significance_marks,
)
from detectable.report.shown.ordered import (
    comparison_test,
    ranking_test,
    ranks_of,
    with_correction,
)

if TYPE_CHECKING:
    from detectable.core.choices import MetaStatistic
    from detectable.mixed.result import MixedFit, SystemContrast
    from detectable.study.comparison.result import Comparison, SystemScore
    from detectable.study.meta.result import Meta, MetaRow
    from detectable.study.ranking.ranking import Ranking

_MARKS = {
    **dict.fromkeys(("better", "higher", "superior"), "⁺"),
    **dict.fromkeys(("worse", "lower", "inferior"), "⁻"),
    **dict.fromkeys(("equivalent", "non-inferior"), "⁼"),
}
_ARROWS = {True: " ↑", False: " ↓", None: ""}

Scores: TypeAlias = "Mapping[tuple[str, str], SystemScore]"  # by system and metric


def of_comparison(result: "Comparison") -> Iterator[PaperTable]:
    """Yield the scores."""
    yield scores(result)


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
        rule = "All systems are in one cluster"
    said.append(f"{rule} ({test}).")
    said.append(
        "Rank: range of ranks consistent with the significant pairs. Systems of one cluster need "
        "not be equally good: these judgments do not separate them."
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


def told(claim: str) -> str:
    """Say what a small p-value shows."""
    return "significantly different" if claim == "better" else f"shown to be {claim}"


# --- Tables of differences for a paper: those of a mixed model, and of metrics judged by people ---
#
# Beside every difference stand its interval and a mark of its p-value.

MOST_PAIRS = 40  # rows of a table that stays on one page; of more pairs there is a longtable
_UNMARKED = "unmarked: undecided, which is not equality"
_MORE = 3  # decimals that an end may take beyond those of its table
_MOST_DIGITS = 4  # of ratings


def mixed_tables(fit: "MixedFit") -> Iterator[PaperTable]:
    """Yield means with differences from the baseline, or all pairs below; and the spreads."""
    baselines = {contrast.baseline for contrast in fit.contrasts}
    baseline = baselines.pop() if len(baselines) == 1 else None
    yield _means(fit, baseline)
    if baselines and len(fit.contrasts) <= MOST_PAIRS:
        digits = _difference_digits(fit)
        yield _pairs_table(
            "mixed-pairs",
            f"Differences (first − second) in mean ratings with joint {_level_of(fit.alpha)} intervals "
            f"({mixed_test(fit)}; {_rated(fit)}). {marks_legend(fit.alpha)}, corrected; {_UNMARKED}.",
            "System",
            [(c.system, c.baseline or "", *_difference(fit, c, digits)) for c in fit.contrasts],
            fit.alpha,
        )
    yield _spreads(fit)


def _means(fit: "MixedFit", baseline: str | None) -> PaperTable:
    """Return a row per system: the baseline first, the others from the highest mean down."""
    level, against = _level_of(fit.alpha), {c.system: c for c in fit.contrasts}
    halves = {row.system: half_width(row.interval) for row in fit.systems}
    digits, by = two_figures(halves.values(), most=_MOST_DIGITS), _difference_digits(fit)
    columns = [PaperColumn("System", "name"), PaperColumn("Mean", "score")]
    if baseline is not None:
        columns += [PaperColumn("Diff.", "score"), PaperColumn(f"{level} interval")]
    rows = []
    for row in sorted(fit.systems, key=lambda row: (row.system != baseline, -row.mean)):
        mean = number(row.mean, digits=digits)
        cells = [
            PaperCell(row.system),
            PaperCell(mean, number(halves[row.system], digits=digits)),
        ]
        if baseline is not None and row.system in against:
            cells += _difference(fit, against[row.system], by)
        elif baseline is not None:
            cells += [PaperCell(""), PaperCell("")]
        rows.append(tuple(cells))
    told = f"Mean ratings ± half the width of their {level} intervals"
    about = f"({mixed_test(fit)}; {_rated(fit)})."
    if baseline is not None:
        joint = "joint " if len(fit.contrasts) > 1 else ""
        corrected = ", corrected" if len(fit.contrasts) > 1 else ""
        told += (
            f", and differences from {baseline} with their {joint}{level} intervals {about} "
            f"{marks_legend(fit.alpha)}{corrected}; {_UNMARKED}."
        )
    elif fit.contrasts[0].baseline is None:
        [change] = fit.contrasts
        told += (
            f". The rating changes by {number(change.estimate, digits=by, sign=True)} "
            f"{interval(change.interval, digits=by, sign=True)} per unit, "
            f"{p_statement(change.p_value)} {about}"
        )
    else:  # the pairs have a table of their own, with their test
        told += f" ({_model(fit)}; {_rated(fit)})."
    breaks = () if baseline is None else (1,)
    return PaperTable("mixed", told, tuple(columns), tuple(rows), breaks)


def _difference_digits(fit: "MixedFit") -> int:
    halves = (half_width(fit.joint_interval(contrast)) for contrast in fit.contrasts)
    return two_figures(halves, most=_MOST_DIGITS)


def _difference(
    fit: "MixedFit", contrast: "SystemContrast", digits: int
) -> tuple[PaperCell, PaperCell]:
    ends = fit.joint_interval(contrast)
    return difference_cells(contrast.estimate, ends, contrast.p_adjusted, fit.alpha, digits)


def difference_cells(
    value: float, ends: Interval | None, p: float, alpha: float, digits: int
) -> tuple[PaperCell, PaperCell]:
    """Return a difference with the mark of its p-value, and its interval.

    An end that decides is not printed as 0, unless a later step of the correction cut it there.
    """
    if ends is not None and p <= alpha:
        needed = visible(min(abs(ends.low), abs(ends.high)), digits)
        digits = needed if needed <= digits + _MORE else digits
    return (
        PaperCell(
            number(value, digits=digits, sign=True), mark=mark_of(p, significance_marks(alpha))
        ),
        PaperCell(interval(ends, digits=digits, sign=True)),
    )


def _pairs_table(
    id: str,
    caption: str,
    title: str,
    rows: Sequence[tuple[str, str, PaperCell, PaperCell]],
    alpha: float,
    breaks: tuple[int, ...] = (),
) -> PaperTable:
    columns = (
        PaperColumn(title, "name"),
        PaperColumn("Against", "name"),
        PaperColumn("Diff.", "score"),
        PaperColumn(f"{_level_of(alpha)} interval"),
    )
    made = tuple((PaperCell(a), PaperCell(b), *cells) for a, b, *cells in rows)
    return PaperTable(id, caption, columns, made, breaks)


def _spreads(fit: "MixedFit") -> PaperTable:
    """Return the standard deviation of every random effect, and its share of the variance."""
    digits = _difference_digits(fit) + 1
    columns = (PaperColumn("Effect", "name"), PaperColumn("SD"), PaperColumn("Share"))
    rows = tuple(
        (
            PaperCell(part.name),
            PaperCell(number(part.sd, digits=digits)),
            PaperCell(f"{number(100 * part.share, digits=1)}%"),
        )
        for part in fit.components
    )
    model = f", model {fit.formula}" if fit.formula else ""
    likelihood = "restricted maximum likelihood" if fit.reml else "maximum likelihood"
    caption = (
        "Standard deviations (SD) of the random effects, and their shares of the variance of one "
        f"rating ({likelihood}{model}; {_rated(fit)})."
    )
    return PaperTable("mixed-spread", caption, columns, rows, (len(rows) - 1,))


def mixed_test(fit: "MixedFit") -> str:
    """Say the test of a mixed model, its correction and its level."""
    test = f"{_model(fit)}, t test with Satterthwaite's degrees of freedom"
    return with_correction(test, "holm", len(fit.contrasts), "", fit.alpha)


def _model(fit: "MixedFit") -> str:
    *first, last = (f"{role}s" for role in fit.groups)
    roles = f"{', '.join(first)} and {last}" if first else last
    return f"linear mixed model with crossed {roles}"


def _rated(fit: "MixedFit") -> str:
    sizes = [count(n, role) for role, n in fit.groups.items()]
    return ", ".join([count(fit.n_ratings, "rating"), *sizes])


def _level_of(alpha: float) -> str:
    return f"{1 - alpha:.0%}"


# --- Metrics judged by people ---

_STATISTICS = {
    "spa": "SPA",
    "pairwise-accuracy": "Accuracy",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall τ-b",
    "kendall-c": "Kendall τ-c",
    "tau23": "τ with ties",
    "acc23": "Accuracy",
    "acc-eq": "Accuracy",
}
_AVERAGED = {
    "item": ", averaged over segments",
    "sys": ", averaged over systems",
    "none": " over all outputs",
    None: "",
}


def averaged(found: "Meta") -> str:
    """Say over what the values of metrics were averaged."""
    return _AVERAGED[found.average_by]


def meta_tables(found: "Meta", names: "Mapping[MetaStatistic, str]") -> Iterator[PaperTable]:
    """Yield the metrics with their values and the floor, and every two of them.

    `names` are those of the statistics.
    """
    yield _metrics(found, names)
    if not 0 < len(found.pairs) <= MOST_PAIRS:
        return
    statistics = [pair.statistic for pair in found.pairs]
    what = " and ".join(names[statistic] for statistic in found.statistics)
    breaks = tuple(i for i in range(1, len(statistics)) if statistics[i] != statistics[i - 1])
    order = ", one below the other" if breaks else ""
    yield _pairs_table(
        "meta-pairs",
        f"Differences (first − second) of metrics in {what}{order}, with {_level_of(found.alpha)} "
        f"intervals ({meta_test(found)}; {_judged(found)}). {marks_legend(found.alpha)}; {_UNMARKED}.",
        "Metric",
        [
            (
                pair.metric,
                pair.other,
                *difference_cells(
                    pair.difference, pair.interval, pair.p_adjusted, found.alpha, _META_DIGITS
                ),
            )
            for pair in found.pairs
        ],
        found.alpha,
        breaks,
    )


_META_DIGITS = 3


def _metrics(found: "Meta", names: "Mapping[MetaStatistic, str]") -> PaperTable:
    """Return a row per metric, the best first, and below it an uninformative one."""
    level, columns = _level_of(found.alpha), [PaperColumn("Metric", "name")]
    at = {(row.metric, row.statistic): row for row in found.rows}
    several = len(found.statistics) > 1
    for statistic in found.statistics:
        title = _STATISTICS[statistic]
        over = title if several else ""
        columns.append(PaperColumn("value" if several else title, "score", over))
        columns.append(PaperColumn(f"{level} interval", "number", over))
    bold = {statistic: _unbeaten(found, statistic) for statistic in found.statistics}
    rows = []
    for metric in dict.fromkeys(row.metric for row in found.rows):
        cells = [PaperCell(metric)]
        for statistic in found.statistics:
            cells += _value_cells(at.get((metric, statistic)), bold[statistic])
        rows.append(tuple(cells))
    floors = [_floor(found, statistic) for statistic in found.statistics]
    cells = [PaperCell("uninformative metric")]
    for floor in floors:
        cells += [PaperCell(floor), PaperCell("")]
    caption = _meta_caption(found, names, bold=any(bold.values()))
    return PaperTable("meta", caption, tuple(columns), (*rows, tuple(cells)), (len(rows),))


def _value_cells(row: "MetaRow | None", bold: set[str]) -> list[PaperCell]:
    if row is None:
        return [PaperCell("–"), PaperCell("–")]
    mark = "" if row.above_floor == "yes" else "°"
    value = number(row.value, digits=_META_DIGITS)
    return [
        PaperCell(value, mark=mark, bold=row.metric in bold),
        PaperCell(interval(row.interval, digits=_META_DIGITS)),
    ]


def _floor(found: "Meta", statistic: str) -> str:
    """Return what an uninformative metric gets; from the least to the most where it differs."""
    floors = [row.floor for row in found.rows if row.statistic == statistic]
    ends = [number(f(floors), digits=_META_DIGITS) for f in (min, max)]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def _unbeaten(found: "Meta", statistic: str) -> set[str]:
    """Return the metrics that no other was shown to beat, if every two were compared."""
    rows = [row for row in found.rows if row.statistic == statistic and row.value == row.value]
    pairs = [pair for pair in found.pairs if pair.statistic == statistic]
    if not pairs or len(pairs) < len(rows) * (len(rows) - 1) // 2:
        return set()
    losers = {"better": "other", "worse": "metric"}
    beaten = {getattr(p, losers[p.verdict]) for p in pairs if p.verdict in losers}
    return {row.metric for row in rows} - beaten


def _meta_caption(found: "Meta", names: "Mapping[MetaStatistic, str]", *, bold: bool) -> str:
    what = " and ".join(
        f"{names[s]} ({_STATISTICS[s]})" if _STATISTICS[s] == "SPA" else names[s]
        for s in found.statistics
    )
    drawn = f"{found.unit}s and systems" if found.draw_systems else f"{found.unit}s"
    said = [
        f"Agreement of metrics with human scores by {what}{averaged(found)}, on {_judged(found)}, with "
        f"{_level_of(found.alpha)} intervals (bootstrap over {drawn})."
    ]
    if any(row.above_floor != "yes" for row in found.rows):
        said.append("°: not shown to be above an uninformative metric.")
    if bold:
        said.append(
            f"Bold: no other metric is better ({meta_test(found)}), which does not make these equal."
        )
    return " ".join(said)


def meta_test(found: "Meta") -> str:
    """Say how metrics were compared, the correction and the level."""
    exact = "all" if found.exact else f"{found.n_resamples:,} random"
    test = f"{exact} swaps of whole {found.unit}s"
    n = len(found.pairs) // len(found.statistics)
    several = " per statistic" if len(found.statistics) > 1 else ""
    return with_correction(test, "holm", n, several, found.alpha)


def _judged(found: "Meta") -> str:
    rests = f"{count(found.n_systems, 'system')}, {count(found.n_segments, 'segment')}"
    if found.n_documents is None:
        return rests
    return f"{rests}, {count(found.n_documents, 'document')}"
