"""Tables of differences for a paper: those of a mixed model, and of metrics judged by people.

Beside every difference stand its interval and a mark of its p-value.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from detectable.core.interval import Interval
from detectable.core.wording import count, interval, number, p_statement, visible
from detectable.report.paper_table import (
    PaperCell,
    PaperColumn,
    PaperTable,
    mark_of,
    marks_legend,
    significance_marks,
)
from detectable.report.shown.paper_tables import half_width, two_figures, with_correction

if TYPE_CHECKING:
    from detectable.core.choices import MetaStatistic
    from detectable.mixed.result import MixedFit, SystemContrast
    from detectable.study.meta.result import Meta, MetaRow

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
