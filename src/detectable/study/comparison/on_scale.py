"""Intervals that do not leave the scale of their metric."""

from dataclasses import replace

from detectable.core.interval import Interval
from detectable.metrics.base import Metric
from detectable.study.comparison.measure import Measured
from detectable.study.pairs.analysis import Analysis


def on_scale(measured: Measured, found: Analysis) -> Analysis:
    """Return intervals of differences that end where the metric does: ±100 for BLEU, ±1 for shares.

    Score intervals of right or wrong answers never leave the scale; those by t, by halves of few
    documents and from a bootstrap may. What is cut off is impossible, so no verdict moves.
    """
    spans = [sample.metric.span for sample in measured.units]
    if all(span is None for span in spans):
        return found

    def cut(m: int, interval: Interval) -> Interval:
        span = spans[m]
        return interval if span is None else within(interval, -span, span)

    def alone(p: int, m: int, a: float) -> Interval:
        return cut(m, found.interval_alone(p, m, a))

    return replace(
        found,
        intervals=[[cut(m, cell) for m, cell in enumerate(row)] for row in found.intervals],
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
