"""What a reliability study shows: its verdict, its curves and its fits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from detectable.core.wording import count, listing, number
from detectable.report import blocks
from detectable.report.shown.reverse_created import reverse_created
from detectable.study.reliability.result import (
    Curve,
    DifficultDocument,
    DocumentsFor,
    MetricFit,
    RankingPoint,
    Reliability,
    SystemFit,
)

_REASONS = {"apart": "scores move apart", "pull": "all scores move"}


@dataclass(frozen=True, slots=True)
class _Ranked:
    metric: str
    point: RankingPoint


def show_reliability(result: Reliability) -> Iterator[blocks.Block]:
    """Show what the documents tell and what more takes, then clustering, ranking and curves."""
    yield verdict(result)
    yield blocks.Pictures("reliability_pictures:documents", result)
    yield _limits(result)
    yield needed(result)
    yield clusters(result)
    if result.tau:
        yield ranking(result)
    yield blocks.Pictures("reliability_pictures:stability", result)
    yield from difficult(result)
    yield fits(result)
    yield fits_of_systems(result)
    yield blocks.Pictures("reliability_pictures:figures", result)
    if result.tau:
        yield ranking_points(result)
    yield curves(result)
    yield from _checks(result)
    yield from reverse_created(result.reverse)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def verdict(result: Reliability) -> blocks.Verdict:
    """Return what the first measure tells, and what its targets take."""
    first, *others = _sentences(result, result.metrics[0]["metric"])
    settles = result.needed(result.metrics[0]["metric"], "tau")
    if settles is not None:
        others.append(_settles(result, settles))
    return blocks.Verdict("info", first, tuple(others))


def _settles(result: Reliability, row: DocumentsFor) -> str:
    label = result.label(row.metric)
    if row.documents is None:
        return (
            f"The ranking by {label} has not settled: no smaller number of these documents gives "
            f"one with a mean Kendall τ of {number(row.value, digits=1)} to it."
        )
    return (
        f"A ranking by {label} with a mean Kendall τ of {number(row.value, digits=1)} to that of "
        f"all documents needs {count(row.documents, 'document')} in random order."
    )


def _limits(result: Reliability) -> blocks.Text:
    """Say what resampling segments gets wrong, under the first measure and the worst."""
    first = result.metrics[0]["metric"]
    worst = max(result.clustering, key=lambda row: row.design_effect).metric
    text = (
        "Another test set has other documents, so intervals and differences here are from "
        f"documents. Differences: two-sided tests at {result.alpha:g} with {result.power:.0%} "
        "power, one pair, not corrected for many."
    )
    points: list[tuple[blocks.Mark, str]] = [
        ("plain", clustering_sentence(result, name)) for name in dict.fromkeys((first, worst))
    ]
    return blocks.Text("limits", "Documents, not segments", text, tuple(points))


def needed(result: Reliability) -> blocks.Table:
    """Return how many documents the targets take, a block per target."""
    names = {
        "half-width": f"{1 - result.alpha:.0%} interval of a score, ±",
        "effect": f"paired difference, {result.power:.0%} power",
        "tau": "ranking, Kendall's τ",
    }
    records = [
        row
        for target in names
        for about in result.metrics
        if (row := result.needed(about["metric"], target)) is not None  # type: ignore[arg-type]
    ]
    digits = _digits(result)

    def decimals(row: DocumentsFor) -> int:
        return 2 if row.target == "tau" else digits(row)

    columns = (
        blocks.Column("target", "for", "name", of=lambda row: names[row.target]),
        metric_column(result),
        blocks.Column("now", "now", digits=decimals, of=_now),
        blocks.Column("value", "wanted", digits=decimals),
        blocks.Column(
            "documents",
            "documents",
            "count",
            short="docs.",
            help="of the middle system or pair",
        ),
        blocks.Column("segments", "segments", "count", short="segm.", keep=3),
        blocks.Column("words", "words", "count", keep=4, of=_words(result))
        if result.words_per_segment is not None
        else None,
        blocks.Column(
            "documents_most",
            "documents, hardest",
            "count",
            short="hardest",
            keep=2,
            help="of the system or pair that takes most",
        ),
    )
    starts = [i for i in range(1, len(records)) if records[i].target != records[i - 1].target]
    note = (
        "Documents like these. Targets are 2 % of the score unless named (--half-width, --effect); "
        "the ranking is that of all documents, in random order."
    )
    return blocks.table(
        "documents", "How many documents", columns, records, breaks=starts, note=note
    )


def _words(result: Reliability) -> Callable[[DocumentsFor], int | None]:
    """Return words of the first reference, to two figures: they are no more exact than documents."""
    each = result.words_per_segment or 0.0

    def words(row: DocumentsFor) -> int | None:
        if row.segments is None:
            return None
        return int(float(f"{row.segments * each:.2g}"))

    return words


def _now(row: DocumentsFor) -> float | None:
    """Return what the documents give; all of them rank as they do, so of τ there is nothing to say."""
    return None if row.target == "tau" else row.now


def clusters(result: Reliability) -> blocks.Table:
    """Return intraclass correlations and design effects."""
    columns = (
        metric_column(result),
        blocks.Column("n_documents", "documents", "count", short="docs.", keep=2),
        blocks.Column("n_segments", "segments", "count", short="segm."),
        blocks.Column("icc", "ICC", digits=3),
        blocks.Column("icc_range", "ICC, systems", "interval", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("design_effect", "design effect", short="deff"),
        blocks.Column(
            "design_effect_range", "design effect, systems", "interval", keep=blocks.DATA_ONLY
        ),
        blocks.Column(
            "n_effective",
            "worth segments",
            digits=0,
            short="worth",
            help="independent segments with the same standard error",
        ),
        blocks.Column(
            "too_narrow",
            "too narrow, ×",
            short="narrow ×",
            keep=2,
            help="the interval of a segment bootstrap",
        ),
        blocks.Column(
            "coverage",
            "covers",
            "share",
            digits=0,
            help=f"what such an interval covers, instead of {1 - result.alpha:.0%}",
        ),
        blocks.Column(
            "difference_design_effect",
            "of pairs",
            help="design effect of a paired difference",
            keep=3,
        ),
        blocks.Column(
            "pairing",
            "paired SE",
            keep=3,
            help="of a difference, as a share of the unpaired one",
        ),
    )
    title = "How much segments of a document resemble each other"
    note = (
        "Too narrow: the interval of a segment bootstrap, and what it covers instead of "
        f"{1 - result.alpha:.0%}. Of pairs: design effect of a paired difference. Paired SE: as a "
        "share of the standard error without pairing."
    )
    return blocks.table("clustering", title, columns, result.clustering, note=note)


def ranking(result: Reliability) -> blocks.Table:
    """Return how well half of the documents rank the systems."""
    records = [
        _Ranked(metric, [p for p in points if p.remainder == p.remainder][-1])
        for metric, points in result.tau.items()
        if any(p.remainder == p.remainder for p in points)
    ]
    title = f"The ranking by half of the documents ({result.orders:,} random orders)"
    note = (
        "τ to the ranking of all documents is 1 at the end by construction; τ to the documents "
        "not taken is what new documents would say. The whole ranking is rarely the same, for "
        "systems nearly tie."
    )
    return blocks.table("ranking", title, _ranking_columns(result), records, note=note)


def ranking_points(result: Reliability) -> blocks.Table:
    """Return how the ranking settles, document by document."""
    records = [_Ranked(metric, p) for metric, points in result.tau.items() for p in points]
    starts = [i for i in range(1, len(records)) if records[i].metric != records[i - 1].metric]
    title = "How the ranking settles"
    return blocks.table(
        "ranking-points",
        title,
        _ranking_columns(result),
        records,
        breaks=starts,
        folded=len(records) > blocks.LONG,
    )


def _ranking_columns(result: Reliability) -> list[blocks.Column]:
    def of(name: str) -> Callable[[_Ranked], Any]:
        return lambda record: getattr(record.point, name)

    return [
        metric_column(result),
        blocks.Column("documents", "documents", "count", short="docs.", of=of("documents")),
        blocks.Column("tau_full", "τ to all", digits=2, of=of("full")),
        blocks.Column(
            "tau_remainder", "τ to the rest", digits=2, short="τ rest", of=of("remainder")
        ),
        blocks.Column("same_winner", "same winner", "share", digits=0, of=of("same_winner")),
        blocks.Column(
            "significant_kept",
            "all significant orders kept",
            "share",
            digits=0,
            short="signif. kept",
            of=of("significant_kept"),
            help="every pair that differs on all documents, corrected by Holm's method",
        ),
        blocks.Column("exact", "same ranking", "share", digits=0, keep=3, of=of("exact")),
    ]


def difficult(result: Reliability) -> Iterator[blocks.Table]:
    """Yield the documents that move scores unlike the others."""
    if not result.difficult:
        return
    columns = (
        blocks.Column("document", "document", "name"),
        blocks.Column("place", "place", "count", keep=3, help="in the given order"),
        blocks.Column("segments", "segments", "count", short="segm.", keep=4),
        blocks.Column("reason", "why", "text", of=lambda row: _REASONS[row.reason]),
        blocks.Column(
            "statistic",
            "by how much",
            digits=1,
            short="by",
            help="in robust standard deviations of documents",
        ),
        blocks.Column("threshold", "threshold", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("moves", "most up, most down", "text", keep=2, of=_moves(result)),
    )
    yield blocks.table(
        "difficult",
        "Documents that move scores unlike the others",
        columns,
        result.difficult,
        note="In robust standard deviations of documents, up being better, as the document enters. "
        "Read them: what is difficult about them?",
        folded=len(result.difficult) > blocks.LONG,
    )


def _moves(result: Reliability) -> Callable[[DifficultDocument], str]:
    def said(row: DifficultDocument) -> str:
        ordered = sorted(row.standardised.items(), key=lambda item: item[1])
        ends = [ordered[-1], ordered[0]] if len(ordered) > 1 else ordered
        return ", ".join(
            f"{result.label(name)} {number(value, digits=1, sign=True)}" for name, value in ends
        )

    return said


def _checks(result: Reliability) -> Iterator[blocks.Text]:
    points: list[tuple[blocks.Mark, str]] = [("ok", _method(result))]
    worst = max(result.clustering, key=lambda row: row.design_effect)
    if worst.design_effect > 1.0:
        points.append(
            (
                "ok",
                "Curves resample segments, as in the paper, and so are too low; the spread "
                "from documents stands beside them.",
            )
        )
    absolute = [fit for fit in result.fits if fit.stdev == "absolute"]
    if absolute:
        points.append(("look", _in_points(result, absolute)))
    yield blocks.Text("checks", "Assumptions and checks", points=tuple(points))


def _in_points(result: Reliability, absolute: list[MetricFit]) -> str:
    names = listing([result.label(fit.metric) for fit in absolute])
    return f"The spread of {names} is in points, so ε and x_max have no meaning there."


def _method(result: Reliability) -> str:
    if result.method == "delta":
        return "Curves by the delta method: no draw was made."
    how = "Poisson weights" if result.method == "poisson" else "multinomial samples"
    return f"Curves by {result.n_resamples:,} resamples of segments ({how})."


def _digits(result: Reliability) -> Callable[[Any], int]:
    return lambda record: int(result.about(record.metric)["digits"])


def _methods(result: Reliability) -> blocks.Methods:
    """Return what a paper says, under the first measure."""
    metric = result.metrics[0]["metric"]
    row = next(one for one in result.clustering if one.metric == metric)
    label, digits = result.label(metric), int(result.about(metric)["digits"])
    width, effect = result.needed(metric, "half-width"), result.needed(metric, "effect")
    said = (
        f"How far {count(row.n_documents, 'document')} ({count(row.n_segments, 'segment')}) fix the "
        f"scores was studied with documents as the units that vary, after Estrella et al. (2007). "
        f"The design effect of {label} is {number(row.design_effect)} (intraclass correlation "
        f"{number(row.icc, digits=3)}), so resampling segments gives intervals too narrow by "
        f"{number(row.too_narrow)}."
    )
    if width is not None:
        said += f" A score is known to ± {number(width.now, digits=digits)} ({1 - result.alpha:.0%} interval)"
        said += (
            "."
            if effect is None
            else (
                f", and a paired difference of {number(effect.now, digits=digits)} is found with "
                f"{result.power:.0%} power (two-sided, α = {result.alpha:g}, one pair, not corrected)."
            )
        )
    return blocks.Methods(said, ("estrella-etal-2007",))


# --- The curves and fits of a reliability study, as tables ---


@dataclass(frozen=True, slots=True)
class _Point:
    """One number of documents of one curve."""

    curve: Curve
    at: int


def metric_column(result: Reliability) -> blocks.Column:
    """Return the column that names the measure of a row."""
    return blocks.Column(
        "metric", "metric", "name", of=lambda record: result.label(record.metric)
    )


def fits(result: Reliability) -> blocks.Table:
    """Return the power laws and cubics, as Estrella et al. (2007) read them."""
    columns = (
        metric_column(result),
        blocks.Column("stdev", "spread", "text", keep=blocks.DATA_ONLY),
        blocks.Column("a", "a", digits=4, keep=2),
        blocks.Column("b", "b", digits=2),
        blocks.Column(
            "b_orders",
            "b, 90% of orders",
            "interval",
            digits=2,
            short="90% of orders",
            of=lambda fit: (fit.b_orders[0], fit.b_orders[2]),
            keep=3,
        ),
        blocks.Column("r2_log", "R² of logs", digits=3, short="R²", keep=2),
        blocks.Column("r2_lin", "R²", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("r2_cubic", "R² of the cubic", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("x_min", "x_min, documents", digits=1, short="x_min", keep=2),
        blocks.Column(
            "x_max",
            f"x_max, documents (ε {result.epsilon:g})",
            digits=1,
            short=f"x_max (ε {result.epsilon:g})",
        ),
        blocks.Column("x_max_range", "x_max, systems", "interval", digits=0, keep=5),
        blocks.Column("x_max_cubic", "cubic minimum", digits=1, short="cubic", keep=4),
        blocks.Column("settled", "settled, documents", digits=0, short="settled", keep=3),
        blocks.Column("n_without_minimum", "systems without", "count", keep=blocks.DATA_ONLY),
    )
    note = (
        "Spread = a · documents^−b, medians over systems. x_max: the number of documents where one "
        f"more lowers the relative spread (a fraction) by ε = {result.epsilon:g}. x_min = 1 + 1/b "
        "only restates b, about 3 or 4 for any metric: it says nothing about reliability. Settled: "
        f"from there on the relative spread is within {result.close_to:g} of that of all documents."
    )
    return blocks.table(
        "fits", "Curves of Estrella et al. (2007)", columns, result.fits, note=note
    )


@dataclass(frozen=True, slots=True)
class _SystemRow:
    """One system under one measure."""

    metric: str
    fit: SystemFit


def fits_of_systems(result: Reliability) -> blocks.Table:
    """Return what is read off the curve of every system, as in Table 2 of Estrella et al. (2007)."""
    records = [_SystemRow(row.metric, fit) for row in result.fits for fit in row.systems]

    def law(name: str) -> Callable[[_SystemRow], Any]:
        return lambda row: None if row.fit.power is None else getattr(row.fit.power, name)

    def of(name: str) -> Callable[[_SystemRow], Any]:
        return lambda row: getattr(row.fit, name)

    def cubic(row: _SystemRow) -> float | None:
        return None if row.fit.cubic is None else row.fit.cubic.r2

    columns = (
        metric_column(result),
        blocks.Column("system", "system", "name", of=of("system")),
        blocks.Column("a", "a", digits=4, keep=blocks.DATA_ONLY, of=law("a")),
        blocks.Column("b", "b", digits=3, keep=blocks.DATA_ONLY, of=law("b")),
        blocks.Column("r2_log", "R² of logs", digits=3, short="R² logs", of=law("r2_log")),
        blocks.Column("x_min", "x_min", digits=1, of=of("x_min")),
        blocks.Column("x_max", "x_max", digits=1, of=of("x_max")),
        blocks.Column("r2_lin", "R², power", digits=3, keep=2, of=law("r2_lin")),
        blocks.Column("r2_cubic", "R², cubic", digits=3, keep=2, of=cubic),
        blocks.Column("better", "better", "text", keep=2, of=of("better")),
        blocks.Column(
            "x_min_cubic", "x_min, cubic", digits=1, keep=blocks.DATA_ONLY, of=of("x_min_cubic")
        ),
        blocks.Column(
            "x_max_cubic", "x_max, cubic", digits=1, keep=blocks.DATA_ONLY, of=of("x_max_cubic")
        ),
        blocks.Column("settled", "settled", "count", of=of("settled")),
    )
    starts = [i for i in range(1, len(records)) if records[i].metric != records[i - 1].metric]
    note = (
        "Table 2 of Estrella et al. (2007). R² of logs is that of the power law as fitted; power and "
        "cubic are compared in the spread itself, where the cubic has two parameters more."
    )
    return blocks.table(
        "fits-systems",
        "Curves system by system (Estrella et al., 2007)",
        columns,
        records,
        breaks=starts,
        note=note,
        folded=len(records) > blocks.LONG,
    )


def curves(result: Reliability) -> blocks.Table:
    """Return every point of every curve."""
    records = [_Point(curve, i) for curve in result.curves for i in range(len(curve.documents))]

    def of(name: str) -> Callable[[_Point], Any]:
        return lambda point: getattr(point.curve, name)[point.at]

    def band(name: str) -> Callable[[_Point], Any]:
        def value(point: _Point) -> Any:
            k = point.curve.documents[point.at]
            known = point.curve.band.documents
            return getattr(point.curve.band, name)[known.index(k)] if k in known else None

        return value

    def digits(point: _Point) -> int:
        return int(result.about(point.curve.metric)["digits"])

    columns = (
        blocks.Column(
            "metric", "metric", "name", of=lambda point: result.label(point.curve.metric)
        ),
        blocks.Column("system", "system", "name", of=lambda point: point.curve.system),
        blocks.Column("documents", "documents", "count", short="docs.", of=of("documents")),
        blocks.Column(
            "segments", "segments", "count", short="segm.", keep=2, of=of("segments")
        ),
        blocks.Column("mean", "mean", digits=digits, of=of("mean")),
        blocks.Column("stdev", "spread, segments", digits=4, short="spread", of=of("stdev")),
        blocks.Column(
            "interval",
            f"{1 - result.alpha:.0%} interval, segments",
            "interval",
            digits=digits,
            short="interval",
            keep=3,
            of=of("interval"),
        ),
        blocks.Column(
            "stdev_document",
            "spread, documents",
            digits=4,
            short="by docs.",
            of=of("stdev_document"),
            help="from five documents on",
        ),
        blocks.Column("band_low", "5% of orders", digits=4, keep=4, of=band("low")),
        blocks.Column("band_median", "median order", digits=4, keep=4, of=band("median")),
        blocks.Column("band_high", "95% of orders", digits=4, keep=4, of=band("high")),
    )
    ends = [i for i in range(1, len(records)) if records[i].curve is not records[i - 1].curve]
    return blocks.table(
        "curves",
        "Scores on the first documents",
        columns,
        records,
        breaks=ends,
        folded=len(records) > blocks.LONG,
    )


def say_reliability(result: Reliability) -> str:
    """Say what the first measure can tell, and what a closer look takes."""
    return " ".join(_sentences(result, result.metrics[0]["metric"]))


def _sentences(result: Reliability, metric: str) -> tuple[str, ...]:
    """Say what the documents at hand tell under a measure, and what a target takes."""
    about, digits = result.about(metric), int(result.about(metric)["digits"])
    row = next(one for one in result.clustering if one.metric == metric)
    said = []
    width, effect = result.needed(metric, "half-width"), result.needed(metric, "effect")
    have = (
        f"With {count(row.n_documents, 'document')} ({count(row.n_segments, 'segment')}), "
        f"{about['label']}"
    )
    if width is not None:
        have += f" is known to within ± {number(width.now, digits=digits)} ({1.0 - result.alpha:.0%} interval)"
    if effect is not None:
        have += (
            f"{' and' if width is not None else ':'} a paired difference of "
            f"{number(effect.now, digits=digits)} is detected with {result.power:.0%} power"
        )
    said.append(f"{have}.")
    said += [
        f"{what} needs {count(one.documents, 'document')}."
        for what, one in (
            (f"An interval of ± {number(width.value, digits=digits)}" if width else "", width),
            (
                f"A paired difference of {number(effect.value, digits=digits)}"
                if effect
                else "",
                effect,
            ),
        )
        if one is not None and one.documents is not None
    ]
    return tuple(said)


def clustering_sentence(result: Reliability, metric: str) -> str:
    """Say what the segment bootstrap gets wrong under a measure."""
    row = next(one for one in result.clustering if one.metric == metric)
    if not row.design_effect > 1.0:
        return (
            f"{result.label(metric)}: segments of a document do not resemble each other "
            f"(design effect {number(row.design_effect)}), so a segment bootstrap is not too "
            "narrow."
        )
    return (
        f"{result.label(metric)}: segments of a document resemble each other, so "
        f"{row.n_segments:,} segments are worth {row.n_effective:,.0f}. A segment bootstrap "
        f"is too narrow by √{number(row.design_effect)} = {number(row.too_narrow)}: its "
        f"{1.0 - result.alpha:.0%} interval covers about {row.coverage:.0%}."
    )
