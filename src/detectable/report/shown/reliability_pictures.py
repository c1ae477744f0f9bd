"""The pictures of a reliability study."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

from detectable.core.wording import count, number
from detectable.kernels.distributions import t_quantile
from detectable.report.blocks import Chart
from detectable.report.charts.documents import (
    MOST,
    Band,
    DocumentCurve,
    Settling,
    document_curve,
    settling,
)
from detectable.study.reliability.result import Curve, Reliability, SystemFit


def documents(result: Reliability) -> Iterator[Chart]:
    """Yield what the documents tell under the first measure, of the middle system."""
    metric = result.metrics[0]["metric"]
    curves = [
        curve
        for curve in result.curves
        if curve.metric == metric and math.isfinite(_half_width(result, curve))
    ]
    if not curves:
        return
    middle = _middle(result, curves)
    about = result.about(metric)
    digits = int(about["digits"])
    segments = median((c.interval[-1].high - c.interval[-1].low) / 2.0 for c in curves)
    width = result.needed(metric, "half-width")
    now = median(_half_width(result, curve) for curve in curves) if width is None else width.now
    have = count(int(about["n_documents"]), "document")
    claim = "would claim" if segments < now else "gives"
    title = (
        f"{have} {'fixes' if have.startswith('1 ') else 'fix'} {result.label(metric)} to ± "
        f"{number(now, digits=digits)}; counting segments {claim} ± {number(segments, digits=digits)}"
    )
    drawn = _drawn(result, middle)
    yield Chart(
        "documents",
        title,
        _caption(result, middle, drawn),
        f"{title}. {_told(result, middle, drawn)}",
        partial(document_curve, drawn),
        "curves",
        key=True,
    )


def _half_width(result: Reliability, curve: Curve) -> float:
    """Return half the interval of a score on all documents, as the table of documents has it."""
    n = curve.documents[-1]
    if n < 2:
        return math.nan
    return t_quantile(1.0 - result.alpha / 2.0, n - 1.0) * _sd(result, curve, -1)


def _sd(result: Reliability, curve: Curve, place: int) -> float:
    """Return the standard error of a score from documents, in points."""
    spread = curve.stdev_document[place]
    relative = result.about(curve.metric)["relative"]
    return spread * abs(curve.mean[place]) if relative else spread


def _middle(result: Reliability, curves: Sequence[Curve]) -> Curve:
    ordered = sorted(curves, key=lambda curve: _half_width(result, curve))
    return ordered[(len(ordered) - 1) // 2]


def _fit(result: Reliability, curve: Curve) -> SystemFit | None:
    fits = [fit for fit in result.fits if fit.metric == curve.metric]
    return next(
        (one for fit in fits for one in fit.systems if one.system == curve.system), None
    )


def _drawn(result: Reliability, curve: Curve) -> DocumentCurve:
    fit = _fit(result, curve)
    halves = [
        t_quantile(1.0 - result.alpha / 2.0, k - 1.0) * _sd(result, curve, place)
        if k > 1
        else math.nan
        for place, k in enumerate(curve.documents)
    ]
    return DocumentCurve(
        label=result.label(curve.metric),
        documents=curve.documents,
        mean=curve.mean,
        by_documents=Band(
            curve.documents,
            [mean - half for mean, half in zip(curve.mean, halves, strict=True)],
            [mean + half for mean, half in zip(curve.mean, halves, strict=True)],
        ),
        by_segments=Band(
            curve.documents,
            [found.low for found in curve.interval],
            [found.high for found in curve.interval],
        ),
        spread=curve.stdev,
        orders=Band(curve.band.documents, curve.band.low, curve.band.high),
        power=None if fit is None else fit.power,
        cubic=None if fit is None else fit.cubic,
        x_min=None if fit is None else fit.x_min,
        x_max=None if fit is None else fit.x_max,
        share=bool(result.about(curve.metric)["relative"]),
    )


def _caption(result: Reliability, curve: Curve, drawn: DocumentCurve) -> str:
    said = (
        f"{curve.system}, the middle system. Left: {1 - result.alpha:.0%} intervals, from "
        "documents from five on. Right: the spread of resampled segments (grey: in 90% of random orders)"
    )
    if drawn.x_max is not None:
        said += f"; at x_max one document more lowers it by {result.epsilon:g}"
    return f"{said}."


def _told(result: Reliability, curve: Curve, drawn: DocumentCurve) -> str:
    digits = int(result.about(curve.metric)["digits"])
    said = f"{curve.system} scores {number(curve.score, digits=digits)} on all documents."
    if drawn.power is not None:
        said += (
            f" Its spread falls as {drawn.power.a:.3f} times documents to the power of "
            f"{number(-drawn.power.b)}."
        )
    if drawn.x_max is not None:
        said += f" x_max is {count(round(drawn.x_max), 'document')}."
    return said


def stability(result: Reliability) -> Iterator[Chart]:
    """Yield how the ranking settles under each measure."""
    lines = tuple(
        Settling(
            result.label(metric),
            [point.documents for point in points],
            [point.remainder for point in points],
        )
        for metric, points in result.tau.items()
        if any(not math.isnan(point.remainder) for point in points)
    )
    if not lines:
        return
    ends = [(line.name, [tau for tau in line.tau if tau == tau][-1]) for line in lines]
    best, worst = max(ends, key=lambda end: end[1]), min(ends, key=lambda end: end[1])
    title = (
        f"Two halves of the documents rank the systems with τ = {_tau(best[1])} by {best[0]}"
    )
    if len(ends) > 1:
        title += f", {_tau(worst[1])} by {worst[0]}"
    caption = (
        f"Means of {result.orders:,} random orders. τ of 1: the same ranking; 0: no more alike than "
        "by chance. No line goes beyond half of the documents: the rest would be the smaller part."
    )
    if len(lines) > MOST:
        caption += f" The first {MOST} of {len(lines)} measures are drawn."
    told = "; ".join(f"{name} {_tau(tau)}" for name, tau in ends)
    yield Chart(
        "stability",
        title,
        caption,
        f"{title}. At half of the documents: {told}.",
        partial(settling, lines),
        "ranking-points",
    )


def _tau(value: float) -> str:
    return number(round(value, 2) + 0.0)  # no minus before a zero
