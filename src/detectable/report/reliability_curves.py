"""The curves and fits of a reliability study, as tables."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from detectable.report.blocks import DATA_ONLY, LONG, Column, Table, table
from detectable.study.reliability.result import Curve, Reliability


@dataclass(frozen=True, slots=True)
class _Point:
    """One number of documents of one curve."""

    curve: Curve
    at: int


def metric_column(result: Reliability) -> Column:
    """Return the column that names the measure of a row."""
    return Column("metric", "metric", "name", of=lambda record: result.label(record.metric))


def fits(result: Reliability) -> Table:
    """Return the power laws and cubics, as Estrella et al. (2007) read them."""
    columns = (
        metric_column(result),
        Column("stdev", "spread", "text", keep=DATA_ONLY),
        Column("a", "a", digits=4, keep=2),
        Column("b", "b", digits=2),
        Column(
            "b_orders",
            "b, 90% of orders",
            "interval",
            digits=2,
            short="90% of orders",
            of=lambda fit: (fit.b_orders[0], fit.b_orders[2]),
            keep=3,
        ),
        Column("r2_log", "R² of logs", digits=3, short="R²", keep=2),
        Column("r2_lin", "R²", digits=3, keep=DATA_ONLY),
        Column("x_min", "x_min, documents", digits=1, short="x_min", keep=2),
        Column(
            "x_max",
            f"x_max, documents (ε {result.epsilon:g})",
            digits=1,
            short=f"x_max (ε {result.epsilon:g})",
        ),
        Column("x_max_range", "x_max, systems", "interval", digits=0, keep=5),
        Column("x_max_cubic", "cubic minimum", digits=1, short="cubic", keep=4),
        Column("n_without_minimum", "systems without", "count", keep=DATA_ONLY),
    )
    note = (
        "Spread = a · documents^−b, medians over systems. x_max: the number of documents where one "
        f"more lowers the relative spread (a fraction) by ε = {result.epsilon:g}. x_min = 1 + 1/b "
        "only restates b, about 3 or 4 for any metric: it says nothing about reliability."
    )
    return table("fits", "Curves of Estrella et al. (2007)", columns, result.fits, note=note)


def curves(result: Reliability) -> Table:
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
        Column("metric", "metric", "name", of=lambda point: result.label(point.curve.metric)),
        Column("system", "system", "name", of=lambda point: point.curve.system),
        Column("documents", "documents", "count", short="docs.", of=of("documents")),
        Column("segments", "segments", "count", short="segm.", keep=2, of=of("segments")),
        Column("mean", "mean", digits=digits, of=of("mean")),
        Column("stdev", "spread, segments", digits=4, short="spread", of=of("stdev")),
        Column(
            "interval",
            f"{1 - result.alpha:.0%} interval, segments",
            "interval",
            digits=digits,
            short="interval",
            keep=3,
            of=of("interval"),
        ),
        Column(
            "stdev_document",
            "spread, documents",
            digits=4,
            short="by docs.",
            of=of("stdev_document"),
            help="from five documents on",
        ),
        Column("band_low", "5% of orders", digits=4, keep=4, of=band("low")),
        Column("band_median", "median order", digits=4, keep=4, of=band("median")),
        Column("band_high", "95% of orders", digits=4, keep=4, of=band("high")),
    )
    ends = [i for i in range(1, len(records)) if records[i].curve is not records[i - 1].curve]
    return table(
        "curves",
        "Scores on the first documents",
        columns,
        records,
        breaks=ends,
        folded=len(records) > LONG,
    )
