"""Intervals that do not leave the scale of their metric."""

from dataclasses import replace

from detectable.core.interval import Interval
from detectable.metrics.base import Metric
from detectable.study.comparison.measure import Measured
from detectable.study.pairs.analysis import Analysis


def on_scale(measured: Measured, found: Analysis) -> Analysis:
    """Return intervals of differences that end where the metric does: ±100 for BLEU, ±1 for shares.

    Score intervals of right or wrong answers never leave the scale; those by t, by halves of few
    documents and from a bootstrap may. What is cut off is impossible, so no verdict moves. Chances
    of k answers that differ by the same amount in every unit get an interval that is not of zero
    width.
    """
    metrics = [sample.metric for sample in measured.units]
    if all(metric.span is None for metric in metrics):
        return found

    def cut(p: int, m: int, interval: Interval, a: float) -> Interval:
        span, cell = metrics[m].span, found.estimates[p][m]
        if span is None:
            return interval
        if metrics[m].answers == "chance" and cell.standard_error == 0.0:
            from detectable.inference.agreeing_interval import agreeing_interval
            from detectable.inference.equal_chances import equal_values_interval

            made = equal_values_interval(cell.value, cell.df + 1.0, 1.0 - a, (-span, span))
            made = Interval(made.low, made.high, interval.level)
            return agreeing_interval(made, cell.value, rejected=False)
        return within(interval, -span, span)

    def alone(p: int, m: int, a: float) -> Interval:
        return cut(p, m, found.interval_alone(p, m, a), a)

    return replace(
        found,
        intervals=[
            [cut(p, m, cell, float(found.level[p, m])) for m, cell in enumerate(row)]
            for p, row in enumerate(found.intervals)
        ],
        interval_alone=alone,
    )


def score_on_scale(metric: Metric, value: float, interval: Interval) -> Interval:
    """Return the interval of a score, cut to the scale of its metric; it keeps the score itself."""
    if metric.limits is None:
        return interval
    low, high = metric.limits
    return within(
        interval, min(low, value), max(high, value)
    )  # a score may be 100 but for rounding


def within(interval: Interval, low: float, high: float) -> Interval:
    """Return the part of an interval that lies between two bounds."""
    return Interval(max(interval.low, low), min(interval.high, high), interval.level)
