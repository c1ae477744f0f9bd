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
    Height,
    Line,
    document_curve,
    first_documents,
    settling,
    side_by_side,
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
        Line(
            result.label(metric),
            [point.documents for point in points],
            [point.remainder for point in points],
        )
        for metric, points in result.tau.items()
        if any(not math.isnan(point.remainder) for point in points)
    )
    if not lines:
        return
    # The title speaks of what is drawn.
    ends = [(line.name, line.points()[-1][1]) for line in lines[:MOST]]
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


# --- The figures of Estrella et al. (2007), each with what tells more ---

_SYSTEMS = 5  # as many as CESTA had
_BEGINNING = 15  # documents that are drawn around a tangent
_FEW = 5  # documents, of which the paper says that they suffice to rank


def figures(result: Reliability) -> Iterator[Chart]:
    """Yield its figures, under every measure that was chosen."""
    for metric in result.chart_metrics:
        curves = [
            curve
            for curve in result.curves
            if curve.metric == metric and math.isfinite(curve.mean[-1])
        ]
        if not curves or curves[0].documents[-1] < 2:
            continue
        chosen = _chosen(result, curves)
        yield _scores(result, chosen)
        yield _interval(result, chosen[0] if result.chart_systems else _central(curves))
        yield from _spreads(result, chosen, curves)
        if result.order == "random":
            yield _orders(result, chosen[0] if result.chart_systems else _central(curves))
        yield from _tangents(result, chosen)


def _chosen(result: Reliability, curves: Sequence[Curve]) -> list[Curve]:
    """Return the systems that were named, else up to five from the best to the worst."""
    sign = 1.0 if result.about(curves[0].metric)["higher_is_better"] is False else -1.0
    ordered = sorted(curves, key=lambda curve: sign * curve.score)
    if result.chart_systems:
        named = [curve for curve in curves if curve.system in result.chart_systems]
        named.sort(key=lambda curve: result.chart_systems.index(curve.system))
        return named[:MOST] or ordered[:1]
    last, n = len(ordered) - 1, min(_SYSTEMS, len(ordered))
    return [ordered[round(i * last / max(1, n - 1))] for i in range(n)]


def _central(curves: Sequence[Curve]) -> Curve:
    ordered = sorted(curves, key=lambda curve: curve.score)
    return ordered[(len(ordered) - 1) // 2]


def _direction(result: Reliability, metric: str) -> str:
    lower = result.about(metric)["higher_is_better"] is False
    return f"{result.label(metric)} (lower is better)" if lower else result.label(metric)


def _in_order(result: Reliability) -> str:
    return "in a random order" if result.order == "random" else "in the given order"


def _scores(result: Reliability, chosen: Sequence[Curve]) -> Chart:
    """Draw average scores: figures 1 to 4, and 6."""
    metric, n = chosen[0].metric, chosen[0].documents[-1]
    label, digits = result.label(metric), int(result.about(metric)["digits"])
    if len(chosen) == 1:
        (curve,) = chosen
        low, high = min(curve.mean), max(curve.mean)
        title = (
            f"{label} of {curve.system} lies between {number(low, digits=digits)} and "
            f"{number(high, digits=digits)} on the first documents"
        )
    else:
        k = ordered_from(chosen)
        systems = count(len(chosen), "system")
        if k < n:
            title = f"{label}: {systems} keep the order of all documents from {k:,} of {n:,} documents on"
        else:
            title = f"{label}: only all {n:,} documents put {systems} into their order"
    ends = ", ".join(f"{c.system} {number(c.mean[-1], digits=digits)}" for c in chosen)
    lines = tuple(Line(curve.system, curve.documents, curve.mean) for curve in chosen)
    return Chart(
        f"scores-{metric}",
        title,
        f"Documents {_in_order(result)}: figures 1 to 4 and 6 of Estrella et al. (2007). One order is one "
        "draw; more telling: the mean of many orders (“stability”).",
        f"{title}. On all documents: {ends}.",
        partial(first_documents, lines, Height(_direction(result, metric))),
        "curves",
    )


def ordered_from(chosen: Sequence[Curve]) -> int:
    """Return from how many documents on the systems have the order of all documents."""

    def order(place: int) -> list[int]:
        return sorted(range(len(chosen)), key=lambda i: chosen[i].mean[place])

    documents = chosen[0].documents
    final, place = order(-1), len(documents) - 1
    while place > 0 and order(place - 1) == final:
        place -= 1
    return documents[place]


def _interval(result: Reliability, curve: Curve) -> Chart:
    """Draw one system with its interval: figure 5."""
    metric, n = curve.metric, curve.documents[-1]
    label, digits = result.label(metric), int(result.about(metric)["digits"])
    halves = [(one.high - one.low) / 2.0 for one in curve.interval]
    title = (
        f"{label} of {curve.system}: ± {number(halves[0], digits=digits)} on the first document, "
        f"± {number(halves[-1], digits=digits)} on all {n:,}"
    )
    low, high = [one.low for one in curve.interval], [one.high for one in curve.interval]
    line = Line(curve.system, curve.documents, curve.mean, low, high)
    return Chart(
        f"interval-{metric}",
        title,
        f"{1 - result.alpha:.0%} intervals from resampled segments, documents {_in_order(result)}: figure 5 of "
        "Estrella et al. (2007). They are too narrow where segments of a document resemble each "
        "other; more telling: intervals from documents (“documents”).",
        f"{title}.",
        partial(first_documents, (line,), Height(_direction(result, metric))),
        "curves",
    )


def _spread_height(result: Reliability, metric: str) -> Height:
    share = bool(result.about(metric)["relative"])
    what = "standard deviation / score" if share else "standard deviation, points"
    return Height(what, share=share, low=0.0)


def _spreads(
    result: Reliability, chosen: Sequence[Curve], curves: Sequence[Curve]
) -> Iterator[Chart]:
    """Draw the relative standard deviation of all systems: figures 9 and 10."""
    metric, n = chosen[0].metric, chosen[0].documents[-1]
    known = [curve for curve in curves if any(math.isfinite(s) for s in curve.stdev)]
    named = {curve.system for curve in chosen}
    if not any(curve.system in named for curve in known):
        return
    share = bool(result.about(metric)["relative"])
    ends = [_range([curve.stdev[place] for curve in known], share=share) for place in (0, -1)]
    label = result.label(metric)
    title = (
        f"The {'relative ' if share else ''}spread of {label} is {ends[0]} on the first document and "
        f"{ends[1]} on all {n:,}"
    )
    lines = [Line("", c.documents, c.stdev, quiet=True) for c in known if c.system not in named]
    lines += [Line(c.system, c.documents, c.stdev) for c in chosen if c in known]
    grey = " Grey: the other systems." if len(known) > len(chosen) else ""
    yield Chart(
        f"spread-{metric}",
        title,
        f"Of resampled segments, documents {_in_order(result)}: figures 9 and 10 of Estrella et al. "
        f"(2007).{grey} More telling: how many documents a target takes, from documents.",
        f"{title}.",
        partial(first_documents, tuple(lines), _spread_height(result, metric)),
        "curves",
    )


def _range(values: Sequence[float], *, share: bool) -> str:
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return "not known"
    scale, unit = (100.0, " %") if share else (1.0, "")
    low, high = (
        number(scale * end, digits=1 if share else 2) for end in (min(known), max(known))
    )
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _orders(result: Reliability, curve: Curve) -> Chart:
    """Draw one system in two random orders: figures 7 and 8."""
    metric, another = curve.metric, curve.another
    if another is None:
        raise ValueError("curves in random order have another one")
    label, digits = result.label(metric), int(result.about(metric)["digits"])
    place = min(_FEW, len(curve.documents)) - 1
    k = curve.documents[place]
    apart = abs(curve.mean[place] - another.mean[place])
    title = (
        f"{label} of {curve.system} in two random orders: {number(apart, digits=digits)} apart on "
        f"{count(k, 'document')}, equal on all {curve.documents[-1]:,}"
    )
    names = ("order 1", "order 2")
    scores = tuple(
        Line(name, curve.documents, values)
        for name, values in zip(names, (curve.mean, another.mean), strict=True)
    )
    spreads = tuple(
        Line(name, curve.documents, values)
        for name, values in zip(names, (curve.stdev, another.stdev), strict=True)
    )
    height = _spread_height(result, metric)
    panels = (
        ("Score", scores, Height(_direction(result, metric))),
        ("Relative spread" if height.share else "Spread", spreads, height),
    )
    return Chart(
        f"orders-{metric}",
        title,
        f"Figures 7 and 8 of Estrella et al. (2007). More telling than two orders: the band of "
        f"{result.orders:,} (“documents”).",
        f"{title}.",
        partial(side_by_side, panels),
        "curves",
    )


def _tangents(result: Reliability, chosen: Sequence[Curve]) -> Iterator[Chart]:
    """Draw the tangents at the first document down to x_min: figure 11."""
    metric = chosen[0].metric
    ends = [chosen[0], chosen[-1]] if not result.chart_systems else list(chosen[:2])
    shown = []
    for curve in dict.fromkeys(ends):
        fit = _fit(result, curve)
        if fit is not None and fit.power is not None and fit.power.x_min is not None:
            shown.append((curve, fit.power))
    if not shown:
        return
    met = " and ".join(
        f"{number(law.x_min or 0.0, digits=1)} ({curve.system})" for curve, law in shown
    )
    title = f"{result.label(metric)}: tangents at the first document meet zero at {met}"
    far = max(law.x_min or 0.0 for _, law in shown)
    end = min(chosen[0].documents[-1], max(_BEGINNING, math.ceil(2.0 * far)))
    lines = tuple(
        Line(curve.system, curve.documents[:end], curve.stdev[:end], law=law)
        for curve, law in shown
    )
    yield Chart(
        f"tangents-{metric}",
        title,
        "x_min of figure 11 of Estrella et al. (2007): straight lines are tangents to the power laws, "
        "dots the measured spread. x_min = 1 + 1/b restates the exponent; more telling: how many "
        "documents a target takes.",
        f"{title}.",
        partial(first_documents, lines, _spread_height(result, metric)),
        "fits-systems",
    )
