"""Pairs whose scores are 0 or 1: how many answers one system has right and the other wrong."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.paired_shares import PairedShares
from detectable.inference.share_mde import detectable_share
from detectable.inference.swap_power import largest_of_level
from detectable.metrics.mean import Accuracy
from detectable.study.comparison.analysis import Analysis, Margins, Pairs, agreeing
from detectable.study.comparison.measure import Measured


def right_or_wrong(
    measured: Measured, pairs: Pairs, *, without: list[list[int]] | None = None
) -> dict[tuple[int, int], PairedShares]:
    """Return the discordant answers of every pair and metric of 0/1 scores.

    Answers of a document, and several answers to one question (runs), form a cluster each. Equally
    many runs of two systems are set against each other in their order. Otherwise every run of one
    is set against every run of the other: the difference is that of their means, and what these
    pairs have in common is in the design effect of their cluster.

    Parameters
    ----------
    without : list of list of int, optional
        For every pair and metric a unit to leave out.
    """
    found = {}
    for m, sample in enumerate(measured.segments):
        if not isinstance(sample.metric, Accuracy):
            continue
        unit = np.arange(sample.n_units)
        if measured.unit == "document" and measured.documents is not None:
            unit = measured.documents[0]
        for p, (system, baseline) in enumerate(pairs):
            ours, theirs = _answers(sample.of(system), sample.of(baseline))
            both = (ours[..., 1] > 0.0) & (theirs[..., 1] > 0.0)
            if without is not None:
                both &= unit != without[p][m]
            differences = (ours[..., 0] - theirs[..., 0])[both]
            if not differences.size:
                continue
            clusters = np.broadcast_to(unit, both.shape)[both]
            found[p, m] = PairedShares.of_differences(differences, clusters)
    return found


def with_shares(
    found: Analysis,
    shares: Mapping[tuple[int, int], PairedShares],
    margins: FloatArray,
    *,
    alpha: float,
) -> Analysis:
    """Take intervals and margins of 0/1 scores from the score statistic.

    Differences of 0/1 scores are rare and lopsided: a mean and its standard error do not know
    that none of 500 answers changed because changes are rare, and the swap test at a margin
    would need differences that are symmetric about it.
    """
    if not shares:
        return found
    inner = found.interval_alone

    def alone(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        return inner(p, m, a) if known is None else known.interval(1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        if known is None:
            return found.intervals[p][m]
        interval = known.interval(1.0 - float(found.level[p, m]))
        return Interval(interval.low, interval.high, 1.0 - a)

    above, below = found.margins.above.copy(), found.margins.below.copy()
    attainable = found.attainable_margin.copy()
    for (p, m), known in shares.items():
        attainable[p, m] = 0.0
        margin = float(margins[m])
        if not math.isnan(margin):
            above[p, m], below[p, m] = known.p_above(-margin), known.p_below(margin)
    return replace(
        found,
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(above=above, below=below),
        attainable_margin=attainable,
    )


def _answers(ours: FloatArray, theirs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the runs of two systems, set against each other."""
    if len(ours) == len(theirs):
        return ours, theirs
    return np.repeat(ours, len(theirs), axis=0), np.tile(theirs, (len(ours), 1, 1))


def on_scale(measured: Measured, found: Analysis) -> Analysis:
    """Return intervals of differences between shares that end at −1 and 1.

    Score intervals never leave the scale; those by t and from a bootstrap may.
    """
    shares = [isinstance(sample.metric, Accuracy) for sample in measured.units]
    if not any(shares):
        return found

    def cut(m: int, interval: Interval) -> Interval:
        if not shares[m]:
            return interval
        return Interval(max(interval.low, -1.0), min(interval.high, 1.0), interval.level)

    def alone(p: int, m: int, a: float) -> Interval:
        return cut(m, found.interval_alone(p, m, a))

    return replace(
        found,
        intervals=[[cut(m, cell) for m, cell in enumerate(row)] for row in found.intervals],
        interval_alone=alone,
    )


def with_share_mdes(
    found: Analysis,
    shares: Mapping[tuple[int, int], PairedShares],
    *,
    joint: bool,
    power: float,
) -> Analysis:
    """Take detectable differences of 0/1 scores from the exact test, item by item swapped.

    Answers in clusters keep standard error times shift: what is swapped are documents there.

    Parameters
    ----------
    joint : bool
        Whether pairs are corrected together by max-T.
    """
    mde = found.mde.copy()
    for cell, known in shares.items():
        if math.isfinite(known.df) or math.isnan(mde[cell]):
            continue  # clusters, or a test that can find nothing
        level = float(found.level[cell])
        rule: dict[str, float] = {"level": level}
        if joint:
            rule = {"critical": largest_of_level(level, known.n)}
        discordant = known.fixed + known.broken
        mde[cell] = known.span * detectable_share(known.n, discordant, power=power, **rule)
    return replace(found, mde=mde)
